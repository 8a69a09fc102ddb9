//! The files pane: tree, viewer, the way in for files, and how much there is.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Event, PointerEvent};

use super::changes::changes_view;
use super::controller::trace::View;
use super::controller::{Controller, Pane};
use super::element::{El, button, div, el};
use super::file_actions::file_dialogs;
use super::file_tree::file_tree;
use super::file_viewer::file_viewer;
use super::icon::{Icon, icon};
use super::import::{drop_in, has_left, import_and_export, take_pasted, transfer_bar};
use super::pane_tabs::pane_tabs;
use super::preferences::WORKSPACE_WIDTHS;
use super::preview::preview;
use super::signal::RwSignal;
use super::state::file_tree::totals;
use super::trace_view::trace_view;
use crate::protocol::Storage;

/// How far an arrow key moves the pane's edge, in pixels.
const KEY_STEP: i32 = 24;

/// The column on the right; a drawer where there is less room.
pub fn workspace(ui: Controller) -> El {
    take_pasted(ui);
    // Whether files are held over the pane.
    let is_over = RwSignal::new(false);
    let over = move |event: Event| {
        // Rows of the tree are dragged too.
        let data = event
            .dyn_ref::<DragEvent>()
            .and_then(DragEvent::data_transfer);
        let has_files = data.is_some_and(|data| data.types().includes(&"Files".into(), 0));
        if has_files && untrack(|| ui.can_work()) {
            event.prevent_default();
            is_over.set(true);
        }
    };
    let dropped = move |event: Event| {
        event.prevent_default();
        is_over.set(false);
        drop_in(ui, &event);
    };
    let shows = move |view| ui.trace.view.get() == view;
    let has_page = move || ui.stage.shown.with(Option::is_some);
    let is_preview = move || has_page() && shows(View::Preview);
    let has_viewer = move || ui.files.opened.with(Option::is_some);
    let body = div("workspace__body")
        .child(file_tree(ui))
        .when_loaded(ui, has_viewer, move || file_viewer(ui));
    el("aside")
        .class("workspace")
        .class_if("workspace--viewing", move || {
            has_viewer() && shows(View::Files)
        })
        .class_if("workspace--apart", move || !shows(View::Files))
        .class_if("workspace--preview", is_preview)
        .class_if("workspace--staged", has_page)
        .say_as("aria-label", ui, |words| words.files)
        .on("dragover", over)
        .on("dragleave", move |event| {
            if has_left(&event) {
                is_over.set(false);
            }
        })
        .on("drop", dropped)
        .child(separator(ui))
        .child(head(ui))
        .child(body)
        .when(
            move || ui.files.transfer.now.with(Option::is_some),
            move || transfer_bar(ui),
        )
        .child(foot(ui))
        .when_loaded(ui, move || shows(View::Changes), move || changes_view(ui))
        .when_loaded(ui, move || shows(View::Trace), move || trace_view(ui))
        .when_loaded(ui, has_page, move || preview(ui))
        .children(file_dialogs(ui))
        .when(
            move || is_over.get(),
            move || {
                div("workspace__drop")
                    .attr("aria-hidden", "true")
                    .say(ui, |words| words.drop_here)
            },
        )
}

fn head(ui: Controller) -> El {
    let close = button("button button--icon workspace__close")
        .named(ui, |words| words.workspace_close)
        .child(icon(Icon::Close))
        .press(move || ui.pane.set(Pane::Chat));
    div("workspace__head")
        .child(pane_tabs(ui))
        .child(import_and_export(ui))
        .child(close)
}

/// The button that shows the session's trace, also where the pane is a drawer.
pub fn trace_open(ui: Controller) -> El {
    button("button button--icon")
        .test_id("trace-open")
        .named(ui, |words| words.trace_open)
        .child(icon(Icon::Timeline))
        .press(move || ui.open_trace())
}

/// The button that opens the files pane where it is a drawer.
pub fn workspace_toggle(ui: Controller) -> El {
    button("button button--icon workspace-toggle")
        .class_if("workspace-toggle--changed", move || {
            ui.files.changed.with(|changed| !changed.is_empty())
        })
        .bind("aria-expanded", move || ui.pane.get() == Pane::Files)
        .named(ui, |words| words.workspace_open)
        .child(icon(Icon::Workspace))
        .press(move || ui.pane.set(Pane::Files))
}

fn foot(ui: Controller) -> El {
    el("p").class("workspace__foot").live(move || {
        let (count, size) = ui.files.all.with(totals);
        let kept = match ui.storage.get() {
            Storage::Browser => ui.words().saved_in_browser,
            Storage::Memory(_) => ui.words().kept_in_memory,
        };
        format!("{} · {kept}", ui.words().files_total(count, size))
    })
}

/// The pane's edge, to be moved by pointer or arrow keys.
fn separator(ui: Controller) -> El {
    let preferences = ui.preferences;
    let edge = div("separator")
        .attr("role", "separator")
        .attr("tabindex", "0")
        .attr("aria-orientation", "vertical")
        .attr("aria-valuemin", &WORKSPACE_WIDTHS.0.to_string())
        .attr("aria-valuemax", &WORKSPACE_WIDTHS.1.to_string())
        .bind("aria-valuenow", move || {
            preferences.workspace_width.get().to_string()
        })
        .say_as("aria-label", ui, |words| words.wide)
        .key(move |event| {
            let by = match event.key().as_str() {
                "ArrowLeft" => KEY_STEP,
                "ArrowRight" => -KEY_STEP,
                "Home" => i32::MAX,
                "End" => i32::MIN,
                _ => return,
            };
            event.prevent_default();
            preferences.widen_workspace(by);
        });
    let (grabbed, dragged) = (edge.clone(), edge.clone());
    edge.on("pointerdown", move |event| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            // Refused only for pointers that are gone already.
            let _ = grabbed.node().set_pointer_capture(event.pointer_id());
        }
    })
    .on("pointermove", move |event| {
        let event = event.dyn_ref::<PointerEvent>();
        let held = event.filter(|event| dragged.node().has_pointer_capture(event.pointer_id()));
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        if let (Some(event), Some(width)) = (held, width) {
            let before = preferences.workspace_width.get_untracked() as i32;
            preferences.widen_workspace(width as i32 - event.client_x() - before);
        }
    })
}
