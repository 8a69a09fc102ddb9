//! Where tasks are written. While a run is open, Stop stands in Send's place.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::controller::{Controller, KernelState};
use super::dom;
use super::element::{El, button, div, el, follow, span};
use super::icon::{Icon, icon};
use crate::protocol::Access;

/// Key code of a key that an input method has for itself.
const COMPOSING: u32 = 229;

/// The bottom of the conversation.
pub fn composer(ui: Controller) -> El {
    let input = input(ui);
    let of_submit = input.clone();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        ui.send_draft();
        of_submit.focus();
    };
    // Gives the field its height; it has none of its own.
    let mirror = div("composer__mirror")
        .attr("aria-hidden", "true")
        .live(move || format!("{}\u{200b}", ui.draft.get()));
    let box_ = div("composer__box")
        .child(div("composer__grow").child(input).child(mirror))
        .when(move || stops(ui), move || stop_button(ui))
        .when(move || !stops(ui), move || send_button(ui));
    el("form")
        .class("composer")
        .on("submit", submit)
        .when(move || ui.lacks_key(), move || key_wanted(ui))
        .child(box_)
        .child(el("p").class("composer__hint").live(move || hint(ui)))
}

fn input(ui: Controller) -> El {
    let input = el("textarea")
        .class("composer__input")
        .test_id("composer-input")
        .attr("rows", "1");
    let placeholder = move || {
        if ui.is_demo() {
            ui.words().composer_demo_placeholder
        } else {
            ui.words().composer_placeholder
        }
    };
    let (shown, read) = (input.clone(), input.clone());
    follow(Box::new(move || {
        ui.draft.with(|draft| {
            if shown.value() != *draft {
                shown.set_value(draft);
            }
        });
    }));
    // It is in the page a moment later.
    leptos::task::spawn_local(async { dom::focus_composer() });
    input
        .bind("aria-label", move || ui.words().composer)
        .bind("placeholder", placeholder)
        .on("input", move |_| ui.draft.set(read.value()))
        .key(move |event| {
            if is_send(event) {
                event.prevent_default();
                ui.send_draft();
            }
        })
}

fn is_send(event: &KeyboardEvent) -> bool {
    let is_composing = event.is_composing() || event.key_code() == COMPOSING;
    event.key() == "Enter" && !event.shift_key() && !is_composing
}

/// Whether there is something to stop.
fn stops(ui: Controller) -> bool {
    ui.is_running() && ui.access.get() == Access::Writer
}

fn stop_button(ui: Controller) -> El {
    button("button composer__button composer__button--stop")
        .test_id("composer-stop")
        .bind("title", move || ui.words().stop)
        .child(icon(Icon::Stop))
        .child(span("composer__label").live(move || ui.words().stop))
        .press(move || ui.stop())
}

fn send_button(ui: Controller) -> El {
    let can_send = move || ui.can_send() && ui.draft.with(|draft| !draft.trim().is_empty());
    button("button button--main composer__button")
        .attr("type", "submit")
        .test_id("composer-send")
        .bind("title", move || ui.words().send)
        .flag("disabled", move || !can_send())
        .child(icon(Icon::Send))
        .child(span("composer__label").live(move || ui.words().send))
}

/// How to send, or why it can't be done now.
fn hint(ui: Controller) -> &'static str {
    match (ui.kernel.get(), ui.access.get()) {
        (KernelState::Died(_), _) => ui.words().composer_no_kernel,
        (_, Access::Reader) => ui.words().composer_read_only,
        _ => ui.words().composer_hint,
    }
}

/// Says that the endpoint's key is missing, before a task is sent in vain.
fn key_wanted(ui: Controller) -> El {
    let open = button("button button--small")
        .live(move || ui.words().open_settings)
        .press(move || ui.open_settings());
    div("composer__wanted")
        .attr("role", "status")
        .test_id("notice-key")
        .child(icon(Icon::Key))
        .child(span("composer__wanted-text").live(move || ui.words().key_needed))
        .child(open)
}
