//! Files for a message: chosen by the button, or dropped on the conversation.

use js_sys::Date;
use leptos::prelude::untrack;
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Event, HtmlInputElement};

use crate::ui::controller::Controller;
use crate::ui::element::{El, button, div, el};
use crate::ui::handing::{chosen, dropped};
use crate::ui::icon::{Icon, icon};
use crate::ui::import::has_left;
use crate::ui::signal::RwSignal;

/// The button, and the browser's own way to choose files behind it.
#[inline(never)]
pub fn attach_button(ui: Controller) -> El {
    let chooser = el("input")
        .attr("type", "file")
        .attr("multiple", "")
        .attr("hidden", "")
        .test_id("attach-input");
    let (of_change, of_press) = (chooser.clone(), chooser.clone());
    let chooser = chooser.on("change", move |_| {
        let files = of_change.node().dyn_ref().and_then(HtmlInputElement::files);
        if let Some(files) = files {
            ui.attach(chosen(&files));
        }
        // The same file can be chosen again.
        of_change.set_value("");
    });
    let button = button("button button--icon composer__clip")
        .test_id("composer-attach")
        .named(ui, |words| words.attach())
        .flag("disabled", move || !ui.can_work())
        .child(icon(Icon::Attach))
        .press(move || of_press.html().click());
    div("composer__attaching").child(chooser).child(button)
}

/// Takes files that are dropped on the conversation, and says so while they are held there.
#[inline(never)]
pub fn drop_zone(ui: Controller, chat: &El) {
    let is_over = RwSignal::new(false);
    let data = |event: &Event| {
        event
            .dyn_ref::<DragEvent>()
            .and_then(DragEvent::data_transfer)
    };
    let chat = chat.clone().on("dragover", move |event| {
        // Rows of the tree are dragged too.
        let has_files = data(&event).is_some_and(|data| data.types().includes(&"Files".into(), 0));
        if has_files && untrack(|| ui.can_work()) {
            event.prevent_default();
            is_over.set(true);
        }
    });
    let chat = chat.on("dragleave", move |event| {
        if has_left(&event) {
            is_over.set(false);
        }
    });
    let chat = chat.on("drop", move |event| {
        event.prevent_default();
        is_over.set(false);
        let Some(data) = data(&event).filter(|_| untrack(|| ui.can_work())) else {
            return;
        };
        leptos::task::spawn_local(async move {
            let picked = dropped(&data).await;
            if !picked.is_empty() {
                ui.attach(picked);
            }
        });
    });
    let overlay = move || {
        div("workspace__drop")
            .attr("aria-hidden", "true")
            .say(ui, |words| words.attach_drop())
    };
    drop(chat.when(move || is_over.get(), overlay));
}

/// Whether this is the name that browsers give to every image without one.
pub(super) fn is_nameless(name: &str) -> bool {
    matches!(name, "image.png" | "blob" | "")
}

/// A name with the time, so that nothing else has it.
pub(super) fn named_now(stem: &str, ending: &str) -> String {
    let now = Date::new_0();
    format!(
        "{stem}-{:04}{:02}{:02}-{:02}{:02}{:02}.{ending}",
        now.get_full_year(),
        now.get_month() + 1,
        now.get_date(),
        now.get_hours(),
        now.get_minutes(),
        now.get_seconds()
    )
}
