//! The files pane: tree, viewer, the way in for files, and how much there is.

use js_sys::Uint8Array;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DragEvent, Event, File, FileList, HtmlInputElement, PointerEvent};

use super::controller::trace::View;
use super::controller::{Controller, Pane};
use super::dom;
use super::element::{El, button, div, el};
use super::file_tree::file_tree;
use super::file_viewer::file_viewer;
use super::icon::{Icon, icon};
use super::preferences::WORKSPACE_WIDTHS;
use super::preview::preview;
use super::signal::RwSignal;
use super::state::file_tree::totals;
use super::trace_view::trace_view;
use super::words::Words;
use crate::protocol::{Command, ImportedFile, Storage};

/// How far an arrow key moves the pane's edge, in pixels.
const KEY_STEP: i32 = 24;

/// The column on the right; a drawer where there is less room.
pub fn workspace(ui: Controller) -> El {
    // Whether files are held over the pane.
    let is_over = RwSignal::new(false);
    let over = move |event: Event| {
        if untrack(|| ui.can_work()) {
            event.prevent_default();
            is_over.set(true);
        }
    };
    let dropped = move |event: Event| {
        event.prevent_default();
        is_over.set(false);
        let files = event
            .dyn_ref::<DragEvent>()
            .and_then(DragEvent::data_transfer);
        if let Some(files) = files.and_then(|data| data.files()) {
            import(ui, &files);
        }
    };
    let is_trace = move || ui.trace.view.get() == View::Trace;
    let has_page = move || ui.stage.shown.with(Option::is_some);
    let is_preview = move || has_page() && ui.trace.view.get() == View::Preview;
    let has_viewer = move || ui.files.opened.with(Option::is_some);
    let body = div("workspace__body")
        .child(file_tree(ui))
        .when_loaded(ui, has_viewer, move || file_viewer(ui));
    el("aside")
        .class("workspace")
        .class_if("workspace--viewing", move || has_viewer() && !is_trace())
        .class_if("workspace--trace", is_trace)
        .class_if("workspace--preview", is_preview)
        .class_if("workspace--staged", has_page)
        .say_as("aria-label", ui, |words| words.files)
        .on("dragover", over)
        .on("dragleave", move |_| is_over.set(false))
        .on("drop", dropped)
        .child(separator(ui))
        .child(head(ui))
        .child(body)
        .child(foot(ui))
        .when_loaded(ui, is_trace, move || trace_view(ui))
        .when_loaded(ui, has_page, move || preview(ui))
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
        .child(view_tabs(ui))
        .child(add_files(ui))
        .child(close)
}

/// Files, trace, and the page that runs, if one does.
fn view_tabs(ui: Controller) -> El {
    let shown = ui.trace.view;
    let tab = move |view: View, label: fn(&Words) -> &'static str| {
        let is_shown = move || shown.get() == view;
        button("workspace__tab")
            .attr("role", "tab")
            .attr("id", id_of(view))
            .test_id(id_of(view))
            .bind("aria-selected", is_shown)
            .bind("tabindex", move || if is_shown() { "0" } else { "-1" })
            .live(move || label(ui.words()))
            .press(move || shown.set(view))
    };
    div("workspace__tabs")
        .attr("role", "tablist")
        .child(tab(View::Files, |words| words.files))
        .child(tab(View::Trace, |words| words.trace))
        .when(
            move || ui.stage.shown.with(Option::is_some),
            move || tab(View::Preview, Words::preview),
        )
        .key(move |event| {
            if matches!(event.key().as_str(), "ArrowLeft" | "ArrowRight") {
                event.prevent_default();
                let is_back = event.key() == "ArrowLeft";
                let has_page = ui.stage.shown.with_untracked(Option::is_some);
                let other = match (shown.get_untracked(), is_back) {
                    (View::Files, false) => View::Trace,
                    (View::Trace, false) | (View::Files, true) if has_page => View::Preview,
                    (View::Files, true) | (View::Preview, true) => View::Trace,
                    (View::Trace, _) | (View::Preview, false) => View::Files,
                };
                shown.set(other);
                dom::focus(&format!("#{}", id_of(other)));
            }
        })
}

fn id_of(view: View) -> &'static str {
    match view {
        View::Files => "view-files",
        View::Trace => "view-trace",
        View::Preview => "view-preview",
    }
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

/// The visible way to bring files in: a button around the browser's own input.
fn add_files(ui: Controller) -> El {
    let input = el("input")
        .class("visually-hidden")
        .attr("type", "file")
        .attr("multiple", "")
        .attr("id", "import-files")
        .test_id("import-input")
        .flag("disabled", move || !ui.can_work());
    let chosen = {
        let input = input.clone();
        move |_| {
            if let Some(files) = input.node().dyn_ref().and_then(HtmlInputElement::files) {
                import(ui, &files);
            }
            // The same file can be chosen again.
            input.set_value("");
        }
    };
    add_files_label(ui).child(input.on("change", chosen))
}

/// A button that stands for the one input there is.
pub fn add_files_label(ui: Controller) -> El {
    el("label")
        .class("button add-files")
        .attr("for", "import-files")
        .class_if("button--disabled", move || !ui.can_work())
        .child(icon(Icon::Plus))
        .child(el("span").say(ui, |words| words.import))
}

/// Reads files and hands them to the kernel.
fn import(ui: Controller, files: &FileList) {
    let files: Vec<File> = (0..files.length()).filter_map(|at| files.get(at)).collect();
    leptos::task::spawn_local(async move {
        let mut read = Vec::new();
        for file in files {
            // A folder, or a file that went away meanwhile, can't be read.
            if let Ok(buffer) = JsFuture::from(file.array_buffer()).await {
                let content = Uint8Array::new(&buffer).to_vec();
                let path = file.name();
                read.push(ImportedFile { path, content });
            }
        }
        if !read.is_empty() {
            ui.command(Command::Import(read));
        }
    });
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
