//! The conversation: its head, its rows, and the way back to its end.

use std::cell::Cell;
use std::sync::Arc;

use leptos::prelude::*;

use super::controller::Controller;
use super::controller::session::{Row, RowContent, SessionModel};
use super::element::{El, button, div, el, span};
use super::empty_session::empty_session;
use super::follow::Follow;
use super::icon::{Icon, icon};
use super::round_card::round_card;
use super::run_end::run_end;
use super::workspace::workspace_toggle;

/// Characters of a task beyond which it begins shortened.
const LONG_TASK: usize = 1_200;
/// Lines of a task beyond which it begins shortened.
const MANY_LINES: usize = 14;

/// The session that is shown.
pub fn conversation(ui: Controller) -> El {
    let draw = move |_| {
        Some(match ui.shown.get_untracked() {
            Some(model) => rows(ui, model),
            None => empty_session(ui),
        })
    };
    el("section")
        .class("conversation")
        .bind("aria-label", move || ui.words().conversation)
        .child(head(ui))
        .choose(
            move || {
                ui.shown
                    .with(|model| model.as_ref().map_or(0, SessionModel::key))
            },
            draw,
        )
}

fn head(ui: Controller) -> El {
    let title = move || {
        let title = ui.current.with(|id| {
            let id = id.as_ref()?;
            ui.sessions.with(|all| {
                all.iter()
                    .find(|session| session.id == *id)
                    .map(|session| session.title.clone())
            })
        });
        title.unwrap_or_else(|| ui.words().session_untitled.to_owned())
    };
    let tally = move || {
        ui.shown
            .with(|model| model.as_ref().map(|model| model.tally.get()))
            .unwrap_or_default()
    };
    let meter = move || {
        span("meter")
            .test_id("usage-meter")
            .bind("title", move || ui.words().meter_detail(tally()))
            .live(move || ui.words().meter(tally()))
    };
    el("header")
        .class("conversation__head")
        .child(
            el("h1")
                .class("conversation__title")
                .bind("title", title)
                .live(title),
        )
        .when(move || tally().counted + tally().uncounted > 0, meter)
        .child(workspace_toggle(ui))
}

fn rows(ui: Controller, model: SessionModel) -> El {
    let rows = model.rows;
    let column = div("conversation__column");
    let scroller = div("conversation__scroll")
        .attr("tabindex", "-1")
        .child(column.clone());
    let follow = Follow::new(&scroller, &column);
    let scroller = scroller.on("scroll", move |_| follow.scrolled());
    let (of_items, of_rows) = (rows.clone(), rows.clone());
    let items =
        move || of_items.with(|rows| rows.iter().map(|row| (row.key(), row.clone())).collect());
    column.each(items, move |row| row_view(ui, row, &of_rows, follow));
    jump_to_tasks(rows.clone(), follow);
    div("conversation__page")
        .child(scroller)
        .child(announcer(ui, rows))
        .when(
            move || !follow.at_end.get(),
            move || {
                button("button jump")
                    .child(icon(Icon::ArrowDown))
                    .child(el("span").live(move || ui.words().jump_to_latest))
                    .press(move || follow.jump())
            },
        )
}

/// A task that was just sent is looked at, wherever the reader was.
fn jump_to_tasks(rows: ArcRwSignal<Vec<Row>>, follow: Follow) {
    let before = Cell::new(None);
    Effect::new(move || {
        let is_task = |row: &&Row| matches!(row.content, RowContent::User(_));
        let count = rows.with(|rows| rows.iter().filter(is_task).count());
        if before
            .replace(Some(count))
            .is_some_and(|before| count > before)
        {
            follow.jump();
        }
    });
}

fn row_view(ui: Controller, row: Row, rows: &ArcRwSignal<Vec<Row>>, follow: Follow) -> El {
    let Row {
        at,
        is_last,
        content,
    } = row;
    match content {
        RowContent::User(text) => task(ui, &text),
        RowContent::Round(round) => round_card(ui, round, is_last, follow),
        RowContent::Nudge(text) => nudge(ui, &text),
        RowContent::Stop(stop) => run_end(ui, stop, is_last, answer_before(at, rows)),
    }
}

/// The answer that stands right before the row at `at`.
fn answer_before(at: usize, rows: &ArcRwSignal<Vec<Row>>) -> Option<String> {
    rows.with_untracked(|rows| match &rows.get(at.checked_sub(1)?)?.content {
        RowContent::Round(model) => model
            .round
            .with_untracked(|round| round.is_answer().then(|| round.text.clone())),
        _ => None,
    })
}

fn task(ui: Controller, text: &Arc<str>) -> El {
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
    el("article")
        .class("task")
        .bind("aria-label", move || ui.words().you)
        .child(text)
        .children(is_long.then(toggle))
}

fn nudge(ui: Controller, text: &str) -> El {
    let head = el("summary")
        .class("nudge__head")
        .child(icon(Icon::Info))
        .child(el("span").live(move || ui.words().nudge));
    el("details")
        .class("nudge")
        .child(head)
        .child(el("p").class("nudge__text").text(text))
}

/// Tells readers how a run ended; deltas are not told.
fn announcer(ui: Controller, rows: ArcRwSignal<Vec<Row>>) -> El {
    let told = move || {
        rows.with(|rows| match rows.last().map(|row| &row.content) {
            Some(RowContent::Stop(stop)) => {
                ui.words()
                    .ending(&stop.ending.reason, ui.round_limit())
                    .told
            }
            _ => String::new(),
        })
    };
    el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .live(told)
}
