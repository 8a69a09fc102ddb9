//! What is to become of a call that was cut off and may have happened?

use super::answers::{Answer, Refusal, deny, foot};
use super::approval::{arguments, shown_targets};
use super::{Asking, Card};
use crate::kernel::event::Reply;
use crate::ui::element::{div, el};

const ANSWERS: [Answer; 2] = [
    (
        "button button--main",
        "cut-off-again",
        "R",
        || Reply::Again,
        |words| words.run_again,
    ),
    (
        "button",
        "cut-off-done",
        "T",
        || Reply::Done,
        |words| words.take_as_done,
    ),
];

const REFUSAL: Refusal = Refusal {
    field: ("cut-off-word", |words| words.word_with_neither),
    button: ("cut-off-neither", |words| words.neither),
};

/// The card of a call that was cut off.
pub fn card(asking: &Asking, targets: &[String]) -> Card {
    let ui = asking.ui;
    let why = el("p")
        .class("question__note")
        .test_id("cut-off-why")
        .say(ui, |words| words.cut_off_why);
    let body = div("question__body")
        .attr("tabindex", "0")
        .child(why)
        .children(shown_targets(asking, &[], targets))
        .children(arguments(asking, &[]));
    Card {
        test_id: "cut-off-card",
        body,
        foot: foot(asking, &ANSWERS, &REFUSAL),
        keys: &[("r", || Reply::Again), ("t", || Reply::Done), ("d", deny)],
        focus: None,
    }
}
