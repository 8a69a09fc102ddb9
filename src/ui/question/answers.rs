//! The foot of a card whose answers are buttons with keys: those that say yes, and a
//! refusal with room for a word to the model.

use super::{Asking, key_cap, word_field};
use crate::kernel::event::Reply;
use crate::ui::composer::is_send;
use crate::ui::element::{El, div, el};
use crate::ui::words::Words;

/// A fixed text.
type Text = fn(&Words) -> &'static str;

/// An answer as a button: classes, name for tests, key, reply, words.
pub type Answer = (
    &'static str,
    &'static str,
    &'static str,
    fn() -> Reply,
    Text,
);

/// The refusal: names for tests of its field and its button, and their words.
pub struct Refusal {
    /// The field for a word.
    pub field: (&'static str, Text),
    /// The button; its key is D.
    pub button: (&'static str, Text),
}

/// A refusal without a word.
pub fn deny() -> Reply {
    let word = String::new();
    Reply::No { word }
}

/// Answers and refusal, in two rows.
pub fn foot(asking: &Asking, answers: &[Answer], refusal: &Refusal) -> El {
    let ui = asking.ui;
    let answers = answers.iter().map(|&(class, test_id, key, reply, words)| {
        asking
            .button(class, test_id, reply)
            .attr("aria-keyshortcuts", key)
            .child(el("span").live(move || words(ui.words())))
            .child(key_cap(key))
    });
    let (test_id, label) = refusal.field;
    let word = word_field(test_id, move || label(ui.words()));
    let (typed, entered) = (word.clone(), word.clone());
    let refuse = move |word: &El| {
        let word = word.value().trim().to_owned();
        Reply::No { word }
    };
    let asks = asking.clone();
    let word = word.key(move |event| {
        if is_send(event) {
            event.prevent_default();
            asks.answer(refuse(&entered));
        }
    });
    let (test_id, label) = refusal.button;
    let deny = asking
        .button("button", test_id, move || refuse(&typed))
        .attr("aria-keyshortcuts", "D")
        .child(el("span").live(move || label(ui.words())))
        .child(key_cap("D"));
    div("question__foot")
        .child(div("question__answers").children(answers))
        .child(div("question__refuse").child(word).child(deny))
}
