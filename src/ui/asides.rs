//! What stands between rounds: notes to the model, rules, shortenings,
//! judgements. Quiet lines, but for the judgement.

use std::sync::Arc;

use super::controller::Controller;
use super::element::{El, Text, div, el};
use super::icon::{Icon, icon};
use super::state::transcript::CritiqueView;
use crate::kernel::session::Compaction;

/// A line that unfolds to what is behind it.
fn aside(which: Icon, test_id: &str, told: Box<dyn Fn() -> Text>) -> El {
    let head = el("summary")
        .class("nudge__head")
        .child(icon(which))
        .child(el("span").live(told));
    el("details").class("nudge").test_id(test_id).child(head)
}

fn behind(text: &str) -> El {
    el("p").class("nudge__text").text(text)
}

/// Something Tabloop told the model on its own account.
pub fn nudge(ui: Controller, text: &str) -> El {
    aside(
        Icon::Info,
        "nudge",
        Box::new(move || ui.words().nudge.into()),
    )
    .child(behind(text))
}

/// Rules that were read.
pub fn rules(ui: Controller, rules: Arc<(String, String)>) -> El {
    let text = behind(&rules.1);
    let told = move || ui.words().rules_read(&rules.0).into();
    aside(Icon::FileText, "rules", Box::new(told)).child(text)
}

/// A shortening of what is sent.
pub fn compaction(ui: Controller, compaction: Arc<Compaction>) -> El {
    let summary = compaction.summary.as_ref();
    let by_rule = summary.is_some_and(|summary| !summary.by_model);
    let (has_summary, text) = match summary {
        Some(summary) => (true, summary.text.as_str()),
        None => (false, ""),
    };
    let note = move || match has_summary {
        true => ui.words().compacted_by_rule,
        false => ui.words().compacted_results,
    };
    let note = (by_rule || !has_summary).then(|| el("p").class("nudge__text").live(note));
    let text = has_summary.then(|| behind(text));
    let told = move || ui.words().compacted(&compaction).into();
    aside(Icon::Shortened, "compaction", Box::new(told))
        .children(note)
        .children(text)
}

/// What a critic found.
pub fn critique(ui: Controller, critique: Arc<CritiqueView>) -> El {
    let (class, which) = match (critique.passed, critique.is_unjudged()) {
        (_, true) => ("critique", Icon::Info),
        (true, _) => ("critique critique--passed", Icon::Judged),
        (false, _) => ("critique", Icon::Warning),
    };
    let text = (!critique.text.trim().is_empty())
        .then(|| el("p").class("critique__text").text(critique.text.trim()));
    let passed = match (critique.passed, critique.is_unjudged()) {
        (_, true) => "unknown",
        (true, _) => "true",
        (false, _) => "false",
    };
    let head = el("p")
        .class("critique__head")
        .child(icon(which))
        .child(el("span").live(move || ui.words().critique(&critique)));
    div(class)
        .test_id("critique-card")
        .attr("data-passed", passed)
        .child(head)
        .children(text)
}
