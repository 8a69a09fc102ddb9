//! The tabs of the open files, once there are several. One has the Tab key's focus; the
//! arrows go from one to the next, Delete and the middle button close.

use leptos::prelude::untrack;
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, MouseEvent};

use crate::ui::controller::Controller;
use crate::ui::dom;
use crate::ui::element::{El, button, div, follow, span};
use crate::ui::icon::{Icon, icon};
use crate::ui::state::file_tree::name;
use crate::ui::state::key_of;

const SHOWN: &str = "[data-testid=file-tab][aria-selected=true]";

pub(super) fn tabs(ui: Controller) -> El {
    let files = ui.files;
    let items = move || {
        files.tabs.with(|tabs| match tabs.len() {
            // Its name stands below.
            0 | 1 => Vec::new(),
            _ => tabs.iter().map(|tab| (key_of(tab), tab.clone())).collect(),
        })
    };
    follow(Box::new(move || {
        opened_path(ui);
        // Once its tab is drawn.
        leptos::task::spawn_local(async {
            leptos::task::tick().await;
            dom::bring_into_view(SHOWN);
        });
    }));
    div("filetabs")
        .attr("role", "tablist")
        .class_if("filetabs--none", move || {
            files.tabs.with(|tabs| tabs.len() < 2)
        })
        .say_as("aria-label", ui, |words| words.files_open())
        .key(move |event| key(ui, event))
        .each(items, move |path| tab(ui, path))
}

/// The file that is shown, which is followed.
fn opened_path(ui: Controller) -> Option<String> {
    let opened = ui.files.opened;
    opened.with(|open| Some(open.as_ref()?.path.clone()))
}

fn key(ui: Controller, event: &KeyboardEvent) {
    let Some(open) = untrack(|| opened_path(ui)) else {
        return;
    };
    let tabs = ui.files.tabs.get_untracked();
    let at = tabs.iter().position(|tab| *tab == open).unwrap_or(0);
    let to = match event.key().as_str() {
        "ArrowRight" => (at + 1) % tabs.len(),
        "ArrowLeft" => (at + tabs.len() - 1) % tabs.len(),
        "Home" => 0,
        "End" => tabs.len() - 1,
        "Delete" => {
            event.prevent_default();
            return ui.close_file(&open);
        }
        _ => return,
    };
    event.prevent_default();
    ui.open_file(tabs[to].clone());
    dom::focus_later(SHOWN.to_owned());
}

fn tab(ui: Controller, path: String) -> El {
    let [
        of_open,
        of_stop,
        of_edit,
        of_dot,
        of_press,
        of_middle,
        of_close,
    ] = std::array::from_fn(|_| path.clone());
    let opened = ui.files.opened;
    let is_open =
        move |path: &str| opened.with(|open| open.as_ref().is_some_and(|open| open.path == path));
    let is_unsaved = move |path: &str| {
        let edits = ui.files.edits;
        let edit = edits.with(|edits| edits.iter().find(|edit| edit.path() == path).cloned());
        edit.is_some_and(|edit| edit.unsaved().get())
    };
    let close = button("filetab__close")
        .attr("tabindex", "-1")
        .named(ui, |words| words.file_tab_close())
        .child(icon(Icon::Close))
        .press(move || ui.close_file(&of_close));
    let name = button("filetab__name")
        .attr("role", "tab")
        .attr("title", &path)
        .test_id("file-tab")
        .attr("data-path", &path)
        .bind("data-unsaved", move || is_unsaved(&of_edit))
        .bind("aria-selected", move || is_open(&of_open))
        .bind("tabindex", move || match is_open(&of_stop) {
            true => "0",
            false => "-1",
        })
        .child(span("filetab__text").text(name(&path)))
        .when(
            move || is_unsaved(&of_dot),
            move || {
                span("filetab__dot")
                    .attr("role", "img")
                    .say_as("aria-label", ui, |words| words.file_unsaved())
            },
        )
        .press(move || ui.open_file(of_press.clone()));
    let is_shown = path;
    div("filetab")
        .class_if("filetab--open", move || is_open(&is_shown))
        .attr("role", "presentation")
        .child(name)
        .child(close)
        .on("auxclick", move |event| {
            if event
                .dyn_ref::<MouseEvent>()
                .is_some_and(|event| event.button() == 1)
            {
                event.prevent_default();
                ui.close_file(&of_middle);
            }
        })
}
