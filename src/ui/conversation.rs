//! The conversation: its head, its rows, and the way back to its end.

use std::cell::Cell;

use super::controller::Controller;
use super::controller::rows::{Row, RowContent};
use super::controller::session::SessionModel;
use super::element::{El, button, div, el, follow_later};
use super::empty_session::empty_session;
use super::follow::Follow;
use super::icon::{Icon, icon};
use super::meter::meter;
use super::progress::busy_line;
use super::resume_card::resume_card;
use super::rows::{Place, row_view};
use super::signal::ArcRwSignal;
use super::state::transcript::Sent;
use super::undo::undone_card;
use super::workspace::{trace_open, workspace_toggle};

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
        .say_as("aria-label", ui, |words| words.conversation)
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
    el("header")
        .class("conversation__head")
        .child(
            el("h1")
                .class("conversation__title")
                .bind("title", title)
                .live(title),
        )
        .child(meter(ui))
        .when(
            move || ui.current.with(Option::is_some),
            move || trace_open(ui),
        )
        .child(workspace_toggle(ui))
}

fn rows(ui: Controller, model: SessionModel) -> El {
    let column = div("conversation__column");
    let scroller = div("conversation__scroll")
        .attr("tabindex", "-1")
        .child(column.clone());
    let follow = Follow::new(&scroller, &column);
    let scroller = scroller.on("scroll", move |_| follow.scrolled());
    let (rows, busy, id) = (model.rows.clone(), model.busy.clone(), model.id.clone());
    let place = Place { ui, model, follow };
    let of_rows = place.clone();
    let items = {
        let rows = rows.clone();
        move || rows.with(|rows| rows.iter().map(|row| (row.key, row.clone())).collect())
    };
    let is_cut_off = {
        let rows = rows.clone();
        // Where it was cut off is known once its rows are there.
        move || ui.is_interrupted(&id) && !rows.with(Vec::is_empty)
    };
    let of_busy = busy.clone();
    let (undone, of_end) = (place.model.undone.clone(), place.clone());
    let is_undone = {
        let undone = undone.clone();
        move || undone.with(Option::is_some) && !ui.is_running()
    };
    column
        .each(items, move |row| row_view(&of_rows, row))
        .choose(
            move || busy.get().map_or(0, |busy| 1 + busy as u64),
            move |_| of_busy.get_untracked().map(|busy| busy_line(ui, busy)),
        )
        .when(
            move || is_cut_off() && undone.with(Option::is_none),
            move || resume_card(&place),
        )
        .when_loaded(ui, is_undone, move || undone_card(&of_end));
    jump_to_tasks(rows.clone(), follow);
    div("conversation__page")
        .child(scroller)
        .child(announcer(ui, rows))
        .when(
            move || !follow.at_end.get(),
            move || {
                button("button jump")
                    .child(icon(Icon::ArrowDown))
                    .child(el("span").say(ui, |words| words.jump_to_latest))
                    .press(move || follow.jump())
            },
        )
}

/// A task that was just sent is looked at, wherever the reader was.
fn jump_to_tasks(rows: ArcRwSignal<Vec<Row>>, follow: Follow) {
    let before = Cell::new(None);
    follow_later(Box::new(move || {
        let is_task = |row: &&Row| match &row.content {
            RowContent::User(user) => user.sent != Sent::DuringRun,
            _ => false,
        };
        let count = rows.with(|rows| rows.iter().filter(is_task).count());
        if before
            .replace(Some(count))
            .is_some_and(|before| count > before)
        {
            follow.jump();
        }
    }));
}

/// Tells readers what is asked of them, and how a run ended; deltas are not told.
fn announcer(ui: Controller, rows: ArcRwSignal<Vec<Row>>) -> El {
    let ending = move || {
        rows.with(|rows| match rows.last().map(|row| &row.content) {
            Some(RowContent::Stop(stop)) => {
                let limit = stop.rounds.unwrap_or_else(|| ui.round_limit());
                ui.words().ending(&stop.ending.reason, limit).told
            }
            _ => String::new(),
        })
    };
    let told = move || match ui.questions().first() {
        Some((_, question)) => ui.words().asked_aloud(question),
        None => ending(),
    };
    el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .live(told)
}
