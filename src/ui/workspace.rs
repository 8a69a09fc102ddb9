//! The files pane: tree, viewer, the way in for files, and how much there is.

use js_sys::Uint8Array;
use leptos::ev::{DragEvent, KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use super::erase::{Show, live};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList};

use super::controller::{Controller, Pane, use_controller};
use super::file_tree::FileTree;
use super::file_viewer::FileViewer;
use super::icon::{Icon, IconView};
use super::preferences::{Preferences, WORKSPACE_WIDTHS, use_words};
use super::state::file_tree::totals;
use crate::protocol::{Command, ImportedFile, Storage};

/// How far an arrow key moves the pane's edge, in pixels.
const KEY_STEP: i32 = 24;

/// Whether files are held over the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drag {
    Over,
    Elsewhere,
}

/// The column on the right; a drawer where there is less room.
#[component]
pub fn Workspace() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let drag = RwSignal::new(Drag::Elsewhere);
    let over = move |event: DragEvent| {
        if ui.can_work() {
            event.prevent_default();
            drag.set(Drag::Over);
        }
    };
    let dropped = move |event: DragEvent| {
        event.prevent_default();
        drag.set(Drag::Elsewhere);
        if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
            import(ui, &files);
        }
    };
    let has_viewer = move || ui.files.opened.with(Option::is_some);
    view! {
        <aside
            class="workspace"
            class:workspace--viewing=has_viewer
            aria-label=t().files
            on:dragover=over
            on:dragleave=move |_| drag.set(Drag::Elsewhere)
            on:drop=dropped
        >
            <Separator />
            <div class="workspace__head">
                <h2 class="workspace__title">{t().files}</h2>
                <AddFiles />
                <button
                    type="button"
                    class="button button--icon workspace__close"
                    title=t().workspace_close
                    on:click=move |_| ui.pane.set(Pane::Chat)
                >
                    <IconView icon=Icon::Close />
                    <span class="visually-hidden">{t().workspace_close}</span>
                </button>
            </div>
            <div class="workspace__body">
                <FileTree />
                <Show when=live(has_viewer)>
                    <FileViewer />
                </Show>
            </div>
            <Footer />
            <Show when=live(move || drag.get() == Drag::Over)>
                <div class="workspace__drop" aria-hidden="true">{t().drop_here}</div>
            </Show>
        </aside>
    }
}

/// The button that opens the files pane where it is a drawer.
#[component]
pub fn WorkspaceToggle() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let changed = move || ui.files.changed.with(|changed| !changed.is_empty());
    view! {
        <button
            type="button"
            class="button button--icon workspace-toggle"
            class:workspace-toggle--changed=changed
            aria-expanded=live(move || if ui.pane.get() == Pane::Files { "true" } else { "false" })
            title=t().workspace_open
            on:click=move |_| ui.pane.set(Pane::Files)
        >
            <IconView icon=Icon::Workspace />
            <span class="visually-hidden">{t().workspace_open}</span>
        </button>
    }
}

/// The visible way to bring files in.
#[component]
pub fn AddFiles() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let chosen =
        move |event: leptos::ev::Targeted<leptos::ev::Event, web_sys::HtmlInputElement>| {
            let input = event.target();
            if let Some(files) = input.files() {
                import(ui, &files);
            }
            // The same file can be chosen again.
            input.set_value("");
        };
    view! {
        <label class="button add-files" class:button--disabled=live(move || !ui.can_work())>
            <IconView icon=Icon::Plus />
            <span>{t().import}</span>
            <input
                type="file"
                multiple
                id="import-files"
                class="visually-hidden"
                data-testid="import-input"
                disabled=live(move || !ui.can_work())
                on:change:target=chosen
            />
        </label>
    }
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

#[component]
fn Footer() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let total = move || {
        let (count, size) = ui.files.all.with(totals);
        t().files_total(count, size)
    };
    let kept = move || match ui.storage.get() {
        Storage::Browser => t().saved_in_browser,
        Storage::Memory(_) => t().kept_in_memory,
    };
    view! { <p class="workspace__foot">{total} " · " {kept}</p> }
}

/// The pane's edge, to be moved by pointer or arrow keys.
#[component]
fn Separator() -> impl IntoView {
    let preferences = expect_context::<Preferences>();
    let t = use_words();
    let edge = NodeRef::<Div>::new();
    let key = move |event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowLeft" => KEY_STEP,
            "ArrowRight" => -KEY_STEP,
            "Home" => i32::MAX,
            "End" => i32::MIN,
            _ => return,
        };
        event.prevent_default();
        preferences.widen_workspace(by);
    };
    let grab = move |event: PointerEvent| {
        if let Some(edge) = edge.get_untracked() {
            // Refused only for pointers that are gone already.
            drop(edge.set_pointer_capture(event.pointer_id()));
        }
    };
    let drag = move |event: PointerEvent| {
        let holds = edge
            .get_untracked()
            .is_some_and(|edge| edge.has_pointer_capture(event.pointer_id()));
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        if let (true, Some(width)) = (holds, width) {
            let before = preferences.workspace_width.get_untracked() as i32;
            preferences.widen_workspace(width as i32 - event.client_x() - before);
        }
    };
    view! {
        <div
            class="separator"
            role="separator"
            tabindex="0"
            aria-orientation="vertical"
            aria-label=t().wide
            aria-valuemin=WORKSPACE_WIDTHS.0
            aria-valuemax=WORKSPACE_WIDTHS.1
            aria-valuenow=live(move || preferences.workspace_width.get())
            node_ref=edge
            on:keydown=key
            on:pointerdown=grab
            on:pointermove=drag
        ></div>
    }
}
