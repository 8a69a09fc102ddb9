//! The rows of a session, in the conversation or in a sub-agent's card.

use std::sync::Arc;

use super::asides;
use super::controller::Controller;
use super::controller::rows::{Row, RowContent};
use super::controller::session::SessionModel;
use super::element::{El, button, div, el, span};
use super::follow::Follow;
use super::icon::{Icon, icon};
use super::markdown::parse::Ending;
use super::prose::prose;
use super::round_card::round_card;
use super::run_end::run_end;
use super::signal::RwSignal;
use super::state::transcript::{Sent, UserView};
use super::task_foot::task_foot;
use super::todo_card::todo_card;
use crate::kernel::session::Mode;

/// Characters of a task beyond which it begins shortened.
const LONG_TASK: usize = 1_200;
/// Lines of a task beyond which it begins shortened.
const MANY_LINES: usize = 14;

/// Where rows stand.
#[derive(Clone)]
pub struct Place {
    /// All the page knows.
    pub ui: Controller,
    /// The session whose rows they are.
    pub model: SessionModel,
    /// What scrolls them.
    pub follow: Follow,
}

/// Draws a row.
pub fn row_view(place: &Place, row: Row) -> El {
    let ui = place.ui;
    let Row {
        at,
        is_last,
        content,
        ..
    } = row;
    match content {
        RowContent::User(user) => task(place, &user),
        RowContent::Round(round) => round_card(place, round),
        RowContent::Nudge(text) => asides::nudge(ui, &text),
        RowContent::Rules(rules) => asides::rules(ui, rules),
        RowContent::Todo(items) => todo_card(ui, items),
        RowContent::Critique(critique) => asides::critique(ui, critique),
        RowContent::Compaction(compaction) => asides::compaction(ui, compaction),
        RowContent::Answer(text) => answer(ui, text),
        RowContent::Stop(stop) => run_end(place, (at, is_last), stop, answer_before(place, at)),
    }
}

/// The answer that stands right before the row at `at`.
fn answer_before(place: &Place, at: usize) -> Option<String> {
    place
        .model
        .rows
        .with_untracked(|rows| match &rows.get(at.checked_sub(1)?)?.content {
            RowContent::Round(model) => model
                .round
                .with_untracked(|round| round.is_answer().then(|| round.text.clone())),
            RowContent::Answer(text) => Some(text.as_ref().to_owned()),
            _ => None,
        })
}

/// What the model handed in at the end.
fn answer(ui: Controller, text: Arc<str>) -> El {
    div("answer")
        .test_id("message-assistant")
        .child(prose(ui, move || (text.as_ref().to_owned(), Ending::Whole)))
}

fn task(place: &Place, user: &Arc<UserView>) -> El {
    let ui = place.ui;
    let text = user.text.as_str();
    let is_long = text.chars().count() > LONG_TASK || text.lines().count() > MANY_LINES;
    let shortened = RwSignal::new(is_long);
    let toggle = move || {
        button("button button--link")
            .live(move || {
                if shortened.get() {
                    ui.words().show_all
                } else {
                    ui.words().show_less
                }
            })
            .press(move || shortened.update(|shortened| *shortened = !*shortened))
    };
    let text = div("task__text")
        .class_if("task__text--short", move || shortened.get())
        .test_id("message-user")
        .text(text);
    let class = match user.sent {
        Sent::Task { .. } => "task",
        Sent::DuringRun => "task task--steer",
    };
    let (id, of_foot, user) = (place.model.id.clone(), place.clone(), Arc::clone(user));
    let has_foot = user.sent != Sent::DuringRun;
    el("article")
        .class(class)
        .attr("data-seq", &user.seq.to_string())
        .say_as("aria-label", ui, |words| words.you)
        .children(task_note(ui, user.sent))
        .child(text)
        .children(is_long.then(toggle))
        .when(
            move || {
                // A sub-agent's task is the model's.
                let is_own = ui.current.with(|current| current.as_deref() == Some(&*id));
                has_foot && is_own && ui.loaded.get()
            },
            move || task_foot(&of_foot, &user),
        )
}

/// What is not usual about a message.
fn task_note(ui: Controller, sent: Sent) -> Option<El> {
    let is_usual = matches!(
        sent,
        Sent::Task {
            mode: Mode::Act,
            rounds: None
        }
    );
    let note = move || {
        let words = ui.words();
        match sent {
            Sent::DuringRun => words.sent_during_run.to_owned(),
            Sent::Task { mode, rounds } => {
                let mode = (mode != Mode::Act).then(|| words.mode_name(mode).to_owned());
                let rounds = rounds.map(|rounds| words.up_to_rounds(rounds));
                let parts: Vec<String> = [mode, rounds].into_iter().flatten().collect();
                parts.join(" · ")
            }
        }
    };
    let which = match sent {
        Sent::DuringRun => Icon::Chat,
        Sent::Task { .. } => Icon::Steps,
    };
    (!is_usual).then(|| {
        el("p")
            .class("task__note")
            .test_id("message-note")
            .child(icon(which))
            .child(span("").live(note))
    })
}
