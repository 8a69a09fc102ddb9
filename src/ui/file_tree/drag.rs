//! Moving files by dragging them onto a folder, or beside what lies in it.

use leptos::prelude::untrack;
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Event};

use super::{pressed, row_of};
use crate::protocol::{Command, TreeChange};
use crate::ui::controller::Controller;
use crate::ui::element::El;
use crate::ui::state::file_tree::{join, name, parent};

/// What is dragged is one of the tree's own rows.
const KIND: &str = "application/x-tabloop-path";

/// Lets the rows of `list` be dragged and dropped on.
pub(super) fn listen(ui: Controller, list: El) -> El {
    let marked = list.clone();
    let over = list.clone();
    list.on("dragstart", move |event| start(ui, &event))
        .on("dragover", move |event| mark(&over, &event))
        .on("dragend", move |_| unmark(&marked))
        .on("drop", move |event| dropped(ui, &event))
}

#[inline(never)]
fn start(ui: Controller, event: &Event) {
    let Some((_, path)) = pressed(event).filter(|_| untrack(|| ui.can_work())) else {
        return event.prevent_default();
    };
    if let Some(data) = data_of(event) {
        // Refused only for data that can't be written any more.
        let _ = data.set_data(KIND, &path);
        data.set_effect_allowed("move");
    }
}

#[inline(never)]
fn mark(list: &El, event: &Event) {
    if !is_ours(event) {
        return;
    }
    event.prevent_default();
    event.stop_propagation();
    unmark(list);
    if let Some(row) = event.target().and_then(|target| row_of(&target)) {
        let _ = row.class_list().add_1("tree__row--over");
    }
}

#[inline(never)]
fn unmark(list: &El) {
    let marked = list.node().query_selector(".tree__row--over");
    if let Ok(Some(marked)) = marked {
        let _ = marked.class_list().remove_1("tree__row--over");
    }
}

#[inline(never)]
fn dropped(ui: Controller, event: &Event) {
    if !is_ours(event) {
        return;
    }
    event.prevent_default();
    event.stop_propagation();
    let from = data_of(event).and_then(|data| data.get_data(KIND).ok());
    let Some(from) = from.filter(|from| !from.is_empty()) else {
        return;
    };
    let folder = match pressed(event) {
        Some((row, path)) if row.has_attribute("aria-expanded") => path,
        Some((_, path)) => parent(&path).to_owned(),
        None => String::new(),
    };
    let to = join(&folder, name(&from));
    if to != from {
        ui.command(Command::ChangeTree(TreeChange::Move { from, to }));
    }
}

fn data_of(event: &Event) -> Option<web_sys::DataTransfer> {
    event.dyn_ref::<DragEvent>()?.data_transfer()
}

fn is_ours(event: &Event) -> bool {
    let kinds = data_of(event).map(|data| data.types());
    kinds.is_some_and(|kinds| kinds.includes(&KIND.into(), 0))
}
