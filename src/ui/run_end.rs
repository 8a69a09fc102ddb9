//! The end of a run: why, after how much, and what to press next.

use std::sync::Arc;

use super::controller::Controller;
use super::copy_button::copy_button;
use super::element::{El, button, div, el, span};
use super::free_space::free_space_button;
use super::icon::{Icon, icon};
use super::rows::Place;
use super::signal::ArcRwSignal;
use super::state::transcript::{Kept, StopView};
use super::undo::{has_changes, run_changes};
use super::words::{EndingWords, Way, Words, units};
use crate::kernel::event::StopReason;

/// A quiet footer; the last one offers the next steps. `at` is its place among the rows.
pub fn run_end(
    place: &Place,
    (at, is_last): (usize, ArcRwSignal<bool>),
    stop: Arc<StopView>,
    answer: Option<String>,
) -> El {
    let (ui, id) = (place.ui, place.model.id.clone());
    let (whole, of_changes) = (place.clone(), place.clone());
    let [old, shows_details, shows_steps, can_review] = std::array::from_fn(|_| is_last.clone());
    let reason = &stop.ending.reason;
    let is_done = is_done(reason);
    let has_details = !words_of(ui, &stop).details.is_empty();
    let unsaved = stop.kept == Kept::Unsaved;
    let kind = match reason {
        reason if self::is_done(reason) => "end end--done",
        StopReason::Failed(_) => "end end--failed",
        _ => "end",
    };
    let (told, facts, of_details, of_steps) = (
        Arc::clone(&stop),
        Arc::clone(&stop),
        Arc::clone(&stop),
        Arc::clone(&stop),
    );
    let copy = answer
        .filter(|_| is_done)
        .map(|answer| copy_button(ui, move || answer.clone()));
    let text = el("p")
        .class("end__text")
        .child(span("end__told").live(move || words_of(ui, &told).told))
        .child(span("end__facts").live(move || facts_of(ui.words(), &facts)));
    let line = div("end__line")
        .child(icon(icon_of(reason)))
        .child(text)
        .children(copy);
    el("footer")
        .class(kind)
        .class_if("end--old", move || !old.get())
        .test_id("stop-reason")
        .attr("data-reason", reason.name())
        .child(line)
        .children(unsaved.then(|| {
            el("p")
                .class("end__note")
                .say(ui, |words| words.not_saved_end)
        }))
        .when(
            move || has_details && shows_details.get(),
            move || details(ui, &words_of(ui, &of_details).details),
        )
        .when(
            move || {
                let is_over = !ui.is_running() && !ui.is_interrupted(&id);
                // A sub-agent's run goes on with the one it works for.
                let is_shown = ui.current.with(|current| current.as_deref() == Some(&*id));
                shows_steps.get() && is_shown && is_over && has_steps(&words_of(ui, &of_steps))
            },
            move || steps(ui, &stop),
        )
        .when_loaded(
            ui,
            move || can_review.get() && has_changes(&of_changes, at),
            move || run_changes(&whole, at),
        )
}

fn words_of(ui: Controller, stop: &StopView) -> EndingWords {
    let limit = stop.rounds.unwrap_or_else(|| ui.round_limit());
    ui.words().ending(&stop.ending.reason, limit)
}

/// Whether the model thought it was done.
fn is_done(reason: &StopReason) -> bool {
    matches!(reason, StopReason::Completed | StopReason::Finished)
}

fn icon_of(reason: &StopReason) -> Icon {
    match reason {
        StopReason::Completed | StopReason::Finished => Icon::Done,
        StopReason::Cancelled
        | StopReason::RoundLimit { .. }
        | StopReason::TokenBudget { .. }
        | StopReason::CostCap { .. }
        | StopReason::TimeLimit { .. } => Icon::Stopped,
        _ => Icon::Warning,
    }
}

/// `3 rounds · 1,234 tokens · $0.12 · 2.1 s`
fn facts_of(words: &Words, stop: &StopView) -> String {
    let ending = &stop.ending;
    let rounds = (ending.rounds > 0).then(|| words.rounds(ending.rounds));
    let tokens = ending
        .usage
        .map(|usage| words.tokens(usage.prompt_tokens + usage.completion_tokens));
    let cost = ending.cost.map(units::money);
    // A run that was refused at once took no time worth telling.
    let took = (ending.rounds > 0).then(|| words.took(ending.took_ms));
    let facts = [rounds, tokens, cost, took];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    facts.join(" · ")
}

fn details(ui: Controller, words: &str) -> El {
    el("details")
        .class("end__details")
        .child(el("summary").say(ui, |words| words.details))
        .child(el("pre").class("end__words").text(words))
}

fn has_steps(words: &EndingWords) -> bool {
    words.go_on.is_some() || words.way != Way::None
}

/// Whether the doctor may find out what is wrong.
fn has_doctor(reason: &StopReason) -> bool {
    matches!(reason, StopReason::Failed(failure) if failure.kind.is_of_endpoint())
}

fn steps(ui: Controller, stop: &Arc<StopView>) -> El {
    let words = words_of(ui, stop);
    let of_label = Arc::clone(stop);
    let go_on = words.go_on.is_some().then(|| {
        button("button")
            .test_id("continue-run")
            .flag("disabled", move || !ui.can_work())
            .child(icon(Icon::Again))
            .child(el("span").live(move || words_of(ui, &of_label).go_on.unwrap_or_default()))
            .press(move || ui.go_on())
    });
    // Where the settings are open, their own button is the one to press.
    let doctor = has_doctor(&stop.ending.reason).then(|| {
        div("end__doctor").when(
            move || !ui.settings_open.get(),
            move || {
                button("button")
                    .test_id("doctor-run")
                    .say(ui, |words| words.doctor_run)
                    .press(move || ui.check_up_in_use())
            },
        )
    });
    let quiet = button("button button--quiet");
    let way = match words.way {
        Way::None => None,
        Way::Settings => Some(
            quiet
                .say(ui, |words| words.open_settings)
                .press(move || ui.mend_endpoint()),
        ),
        Way::Budget => Some(
            quiet
                .test_id("raise-budget")
                .say(ui, |words| words.raise_budget)
                .press(move || ui.open_settings()),
        ),
        Way::Room => Some(free_space_button(ui, "button")),
        Way::NewSession => Some(
            quiet
                .say(ui, |words| words.session_new)
                .press(move || ui.new_session()),
        ),
    };
    div("end__steps")
        .children(go_on)
        .children(doctor)
        .children(way)
}
