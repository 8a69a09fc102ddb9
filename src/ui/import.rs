//! The ways in and out for files: the buttons and their menu, what is dropped or pasted,
//! and how far a transfer is.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DataTransfer, DragEvent, Event, HtmlInputElement, MouseEvent, Node};

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::handing::{Picked, chosen, dropped};
use super::icon::{Icon, icon};
use super::linked::link_item;
use super::words::Words;

/// The name by which labels find the input for files.
const FILES_INPUT: &str = "import-files";
/// And that for folders.
const FOLDER_INPUT: &str = "import-folder";

/// The buttons over the files.
pub fn import_and_export(ui: Controller) -> El {
    let export = button("button button--icon")
        .test_id("export-zip")
        .named(ui, Words::export_zip)
        .child(icon(Icon::Download))
        .flag("disabled", move || ui.files.all.with(|all| all.is_empty()))
        .press(move || ui.export(None));
    div("import")
        .child(
            add_files_label(ui)
                .say_as("title", ui, |words| words.import)
                .child(input(ui, FILES_INPUT).test_id("import-input")),
        )
        .child(menu(ui))
        .child(export)
}

/// A button that stands for the one input there is.
pub fn add_files_label(ui: Controller) -> El {
    label(ui, FILES_INPUT, "button add-files", |words| words.import)
}

fn label(ui: Controller, of: &str, class: &str, text: fn(&Words) -> &'static str) -> El {
    el("label")
        .class(class)
        .attr("for", of)
        .class_if("button--disabled", move || !ui.can_work())
        .child(icon(Icon::Plus))
        .child(el("span").say(ui, text))
}

/// The browser's own way to choose files.
fn input(ui: Controller, id: &str) -> El {
    let input = el("input")
        .class("visually-hidden")
        .attr("type", "file")
        .attr("multiple", "")
        .attr("id", id)
        .flag("disabled", move || !ui.can_work());
    let chooser = input.clone();
    input.on("change", move |_| {
        if let Some(files) = chooser.node().dyn_ref().and_then(HtmlInputElement::files) {
            ui.bring_in(chosen(&files));
        }
        // The same file can be chosen again.
        chooser.set_value("");
    })
}

/// Ways that are wanted less often.
fn menu(ui: Controller) -> El {
    let folder = input(ui, FOLDER_INPUT)
        .attr("webkitdirectory", "")
        .test_id("import-folder");
    let menu = el("details").class("import-menu");
    let closed = menu.clone();
    let close = move || {
        let _ = closed.node().remove_attribute("open");
    };
    let [chose, sent, linked] = std::array::from_fn(|_| close.clone());
    let head = el("summary")
        .class("button button--icon")
        .test_id("import-menu")
        .named(ui, Words::import_more)
        .child(span("import-menu__chevron").child(icon(Icon::ChevronRight)));
    let items = div("import-menu__items")
        .child(
            label(
                ui,
                FOLDER_INPUT,
                "button button--quiet add-files",
                Words::import_folder,
            )
            .child(folder)
            .on("change", move |_| chose()),
        )
        .when(
            move || ui.loaded.get(),
            move || link_item(ui, linked.clone()),
        )
        .child(repository(ui, sent));
    close_outside(&menu);
    menu.child(head).child(items).key(move |event| {
        if event.key() == "Escape" {
            close();
        }
    })
}

/// Closes a menu when something outside of it is pressed or gets the focus.
fn close_outside(menu: &El) {
    for event in ["pointerdown", "focusin"] {
        let menu = menu.clone();
        let handle = window_event_listener_untyped(event, move |event| {
            let to = event.target().and_then(|to| to.dyn_into::<Node>().ok());
            if to.is_some_and(|to| !menu.node().contains(Some(&to))) {
                let _ = menu.node().remove_attribute("open");
            }
        });
        on_cleanup(move || handle.remove());
    }
}

fn repository(ui: Controller, sent: impl Fn() + 'static) -> El {
    let field = el("input")
        .class("field__input")
        .attr("type", "text")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("id", "import-repository")
        .test_id("import-repository")
        .say_as("placeholder", ui, Words::repository_hint);
    let typed = field.clone();
    let go = el("button")
        .class("button")
        .attr("type", "submit")
        .test_id("import-repository-go")
        .flag("disabled", move || !ui.can_work())
        .say(ui, |words| words.import);
    el("form")
        .class("import-menu__form")
        .child(
            el("label")
                .attr("for", "import-repository")
                .say(ui, Words::import_repository),
        )
        .child(div("import-menu__line").child(field).child(go))
        .on("submit", move |event| {
            event.prevent_default();
            let address = typed.value();
            if !address.trim().is_empty() && untrack(|| ui.can_work()) {
                typed.set_value("");
                sent();
                ui.bring_in_repository(address);
            }
        })
}

/// Takes in what was dropped.
pub fn drop_in(ui: Controller, event: &Event) {
    let data = event
        .dyn_ref::<DragEvent>()
        .and_then(DragEvent::data_transfer);
    take(ui, data);
}

/// Whether what is dragged left the element that listens, and not only one inside of it.
pub fn has_left(event: &Event) -> bool {
    let to = event
        .dyn_ref::<MouseEvent>()
        .and_then(MouseEvent::related_target);
    let to = to.and_then(|to| to.dyn_into::<Node>().ok());
    let here = event.current_target();
    let here = here.and_then(|here| here.dyn_into::<Node>().ok());
    !here.is_some_and(|here| to.is_some_and(|to| here.contains(Some(&to))))
}

/// Takes in files that are pasted anywhere, from now on. Text is left alone.
pub fn take_pasted(ui: Controller) {
    let handle = window_event_listener_untyped("paste", move |event| {
        let data = event
            .dyn_ref::<ClipboardEvent>()
            .and_then(ClipboardEvent::clipboard_data);
        let has_files = |data: &DataTransfer| data.files().is_some_and(|files| files.length() > 0);
        if let Some(data) = data.filter(has_files) {
            event.prevent_default();
            take(ui, Some(data));
        }
    });
    on_cleanup(move || handle.remove());
}

fn take(ui: Controller, data: Option<DataTransfer>) {
    let Some(data) = data.filter(|_| untrack(|| ui.can_work())) else {
        return;
    };
    leptos::task::spawn_local(async move {
        let picked: Vec<Picked> = dropped(&data).await;
        ui.bring_in(picked);
    });
}

/// How far a transfer is, with a way to stop it.
pub fn transfer_bar(ui: Controller) -> El {
    let part = move || {
        ui.files.transfer.now.with(|now| {
            let now = now.as_ref().filter(|now| now.all > 0)?;
            Some((now.done.min(now.all) * 100 / now.all).to_string())
        })
    };
    let text = move || {
        ui.files.transfer.now.with(|now| {
            now.as_ref()
                .map(|now| ui.words().transfer(now))
                .unwrap_or_default()
        })
    };
    let meter = el("progress")
        .class("transfer__meter")
        .attr("max", "100")
        .bind("value", part)
        .attr("aria-labelledby", "transfer-text");
    let stop = button("button button--small")
        .test_id("transfer-stop")
        .say(ui, Words::transfer_stop)
        .press(move || ui.stop_transfer());
    div("transfer")
        .attr("role", "status")
        .test_id("transfer")
        .child(
            span("transfer__text")
                .attr("id", "transfer-text")
                .live(text),
        )
        .child(stop)
        .child(meter)
}
