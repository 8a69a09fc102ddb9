//! The steps of a run, which tick as it goes on.

use super::controller::Controller;
use super::element::{El, el, span};
use super::icon::{Icon, icon};
use super::signal::ArcRwSignal;
use super::state::key_of;
use crate::kernel::session::{TodoItem, TodoState};

/// One list for a run; it changes in place. Readers find it, and are not told of each tick.
pub fn todo_card(ui: Controller, items: ArcRwSignal<Vec<TodoItem>>) -> El {
    let of_count = items.clone();
    let count = move || {
        let (done, of) = of_count.with(|items| {
            let is_done = |item: &&TodoItem| item.state == TodoState::Done;
            (items.iter().filter(is_done).count(), items.len())
        });
        ui.words().steps_done(done, of)
    };
    let head = el("summary")
        .class("todo__head")
        .child(icon(Icon::Steps))
        .child(el("span").say(ui, |words| words.steps))
        .child(span("todo__count").test_id("todo-count").live(count));
    let steps = move || {
        items.with(|items| {
            let keyed = items.iter().enumerate().map(|(at, item)| {
                let (name, _) = state_of(item.state);
                (key_of(&(at, &item.text, name)), item.clone())
            });
            keyed.collect()
        })
    };
    let list = el("ol")
        .class("todo__list")
        .each(steps, move |item| step(ui, &item));
    el("details")
        .class("todo")
        .attr("open", "")
        .test_id("todo-card")
        .child(head)
        .child(list)
}

fn step(ui: Controller, item: &TodoItem) -> El {
    let (name, which) = state_of(item.state);
    let state = item.state;
    el("li")
        .class("todo__step")
        .test_id("todo-item")
        .attr("data-state", name)
        .child(icon(which))
        .child(span("todo__text").text(&item.text))
        .child(span("visually-hidden").live(move || format!(" ({})", ui.words().step_state(state))))
}

fn state_of(state: TodoState) -> (&'static str, Icon) {
    match state {
        TodoState::Open => ("open", Icon::StepOpen),
        TodoState::Doing => ("doing", Icon::StepDoing),
        TodoState::Done => ("done", Icon::Done),
    }
}
