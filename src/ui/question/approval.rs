//! May a call run? Shows what it would do, who asks, and four answers.

use super::{Asking, Card, key_cap, word_field};
use crate::kernel::approval::{ApprovalMode, Rule};
use crate::kernel::diff::FileDiff;
use crate::kernel::event::Reply;
use crate::ui::composer::is_send;
use crate::ui::diff_view::diff_view;
use crate::ui::element::{El, div, el, span};
use crate::ui::state::calls::args_view;
use crate::ui::tool_card::draw_args;
use crate::ui::words::Words;

/// An answer as a button: classes, name for tests, key, reply, words.
type Answer = (
    &'static str,
    &'static str,
    &'static str,
    fn() -> Reply,
    fn(&Words) -> &'static str,
);

const ANSWERS: [Answer; 3] = [
    (
        "button button--main",
        "approval-allow",
        "A",
        || Reply::Once,
        |words| words.allow_once,
    ),
    (
        "button",
        "approval-session",
        "S",
        || Reply::Session,
        |words| words.allow_session,
    ),
    (
        "button",
        "approval-always",
        "L",
        || Reply::Always,
        |words| words.allow_always,
    ),
];

fn deny() -> Reply {
    let word = String::new();
    Reply::No { word }
}

/// The card of an approval.
pub fn card(
    asking: &Asking,
    changes: &[FileDiff],
    targets: &[String],
    rule: Option<&Rule>,
    always: &Rule,
) -> Card {
    let ui = asking.ui;
    let (rule, always) = (rule.cloned(), always.clone());
    let mode = move || {
        ui.settings.with(|settings| {
            let settings = settings.as_ref();
            settings.map_or(ApprovalMode::default(), |settings| settings.kept.approval)
        })
    };
    let why = el("p")
        .class("question__note")
        .test_id("approval-why")
        .live(move || ui.words().why_asked(rule.as_ref(), mode()));
    let adds = el("p")
        .class("question__note")
        .test_id("approval-adds")
        .live(move || ui.words().always_adds(&always));
    let body = div("question__body")
        .attr("tabindex", "0")
        .child(why)
        .children(shown_targets(asking, changes, targets))
        .children(changes.iter().map(|change| diff_view(ui, change)))
        .children(arguments(asking, changes))
        .child(adds);
    Card {
        test_id: "approval-card",
        body,
        foot: foot(asking),
        keys: &[
            ("a", || Reply::Once),
            ("s", || Reply::Session),
            ("l", || Reply::Always),
            ("d", deny),
        ],
        focus: None,
    }
}

/// What it works on, where no diff tells.
fn shown_targets(asking: &Asking, changes: &[FileDiff], targets: &[String]) -> Option<El> {
    let ui = asking.ui;
    let is_told = |target: &&String| changes.iter().any(|change| change.path == **target);
    let targets: Vec<El> = targets
        .iter()
        .filter(|target| !is_told(target))
        .map(|target| el("code").class("question__target").text(target))
        .collect();
    (!targets.is_empty()).then(|| {
        el("p")
            .class("question__targets")
            .test_id("approval-targets")
            .child(span("question__note").live(move || ui.words().targets))
            .children(targets)
    })
}

/// The call as the model wrote it, where no diff tells what it does.
fn arguments(asking: &Asking, changes: &[FileDiff]) -> Option<El> {
    let call = asking.model.call(&asking.question.call_id)?;
    changes.is_empty().then(|| {
        div("call__block")
            .test_id("approval-arguments")
            .children(draw_args(args_view(&call)))
    })
}

fn foot(asking: &Asking) -> El {
    let ui = asking.ui;
    let answers = ANSWERS.map(|(class, test_id, key, reply, words)| {
        asking
            .button(class, test_id, reply)
            .attr("aria-keyshortcuts", key)
            .child(el("span").live(move || words(ui.words())))
            .child(key_cap(key))
    });
    let word = word_field("approval-word", move || ui.words().word_to_model);
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
    let deny = asking
        .button("button", "approval-deny", move || refuse(&typed))
        .attr("aria-keyshortcuts", "D")
        .child(el("span").live(move || ui.words().deny))
        .child(key_cap("D"));
    div("question__foot")
        .child(div("question__answers").children(answers))
        .child(div("question__refuse").child(word).child(deny))
}
