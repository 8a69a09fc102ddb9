//! May a call run? Shows what it would do, who asks, and four answers.

use super::answers::{Answer, Refusal, deny, foot};
use super::{Asking, Card};
use crate::kernel::approval::{ApprovalMode, Rule};
use crate::kernel::diff::FileDiff;
use crate::kernel::event::Reply;
use crate::ui::diff_view::diff_view;
use crate::ui::element::{El, div, el, span};
use crate::ui::state::calls::{Act, act_of, args_view};
use crate::ui::tool_card::draw_args;

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

const REFUSAL: Refusal = Refusal {
    field: ("approval-word", |words| words.word_to_model),
    button: ("approval-deny", |words| words.deny),
};

/// The card of an approval.
pub fn card(
    asking: &Asking,
    (changes, more): (&[FileDiff], usize),
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
        .children(command(asking, changes))
        .children(changes.iter().map(|change| diff_view(ui, change)))
        .children((more > 0).then(|| {
            el("p")
                .class("question__note")
                .test_id("approval-more")
                .live(move || ui.words().more_files(more))
        }))
        .children(arguments(asking, changes))
        .child(adds);
    Card {
        test_id: "approval-card",
        body,
        foot: foot(asking, &ANSWERS, &REFUSAL),
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
pub fn shown_targets(asking: &Asking, changes: &[FileDiff], targets: &[String]) -> Option<El> {
    let ui = asking.ui;
    let is_told = |target: &&String| {
        let mut changes = changes.iter();
        changes.any(|change| change.path == **target || change.from.as_ref() == Some(*target))
    };
    let targets: Vec<El> = targets
        .iter()
        .filter(|target| !is_told(target))
        .map(|target| el("code").class("question__target").text(target))
        .collect();
    (!targets.is_empty()).then(|| {
        el("p")
            .class("question__targets")
            .test_id("approval-targets")
            .child(span("question__note").say(ui, |words| words.targets))
            .children(targets)
    })
}

/// The command of a shell, which the diffs do not tell.
fn command(asking: &Asking, changes: &[FileDiff]) -> Option<El> {
    let is_shell = act_of(&asking.question.tool) == Act::Shell && !changes.is_empty();
    is_shell.then(|| arguments(asking, &[])).flatten()
}

/// The call as the model wrote it, where no diff tells what it does.
pub fn arguments(asking: &Asking, changes: &[FileDiff]) -> Option<El> {
    let call = asking.model.call(&asking.question.call_id)?;
    changes.is_empty().then(|| {
        div("call__block")
            .test_id("approval-arguments")
            .children(draw_args(args_view(&call)))
    })
}
