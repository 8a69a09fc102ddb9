//! What helps to write at the composer: the lists behind `/` and `@`, earlier messages,
//! attachments, long texts that were pasted. It comes once the page takes input, and joins
//! the field that stands there.

mod attach;
mod history;
mod menu;
mod pasted;
mod prompt;

use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlTextAreaElement, KeyboardEvent};

pub use self::attach::{attach_button, drop_zone};
use self::history::History;
use self::menu::Menu;
use self::pasted::Pasted;
pub use self::prompt::{prompt_form, use_prompt};
use super::controller::Controller;
use super::controller::drafts::draft_key;
use super::dom;
use super::element::{El, div, follow, span};
use crate::kernel::tokens::estimate;

/// Longest draft that is kept over a reload, in bytes: the browser gives a tab 5 MB.
const MAX_KEPT: usize = 1 << 20;
/// Key code of a key that an input method has for itself.
const COMPOSING: u32 = 229;

/// Joins the field of the composer; gives what stands over it.
#[inline(never)]
pub fn tools(ui: Controller, form: &El, input: &El) -> El {
    keep_draft(ui);
    let menu = Menu::new(ui, input);
    let history = History::new(ui, input);
    let pasted = Pasted::new(ui);
    menu.join();
    let (of_menu, of_field) = (menu.clone(), input.clone());
    before(form, "keydown", move |event| {
        let is_field = event.target().is_some_and(|to| to == ***of_field.node());
        let Some(key) = event.dyn_ref::<KeyboardEvent>().filter(|_| is_field) else {
            return;
        };
        if key.is_composing() || key.key_code() == COMPOSING {
            return;
        }
        if of_menu.key(key) || history.key(key) {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    let of_paste = pasted.clone();
    before(form, "paste", move |event| of_paste.take(event));
    div("tools").child(pasted.view()).child(menu.view())
}

/// About how many tokens stand in the composer.
#[inline(never)]
pub fn token_count(ui: Controller) -> El {
    let tokens = move || ui.draft.with(|draft| estimate(draft));
    span("composer__count")
        .test_id("composer-tokens")
        .live(move || match tokens() {
            0 => String::new(),
            tokens => ui.words().about_tokens(tokens),
        })
}

/// Keeps the draft of the shown session over a reload.
fn keep_draft(ui: Controller) {
    follow(Box::new(move || {
        let key = draft_key(ui.current.get().as_deref());
        ui.draft.with(|draft| {
            let is_kept = !draft.trim().is_empty() && draft.len() <= MAX_KEPT;
            dom::keep_in_tab(&key, is_kept.then_some(draft));
        });
    }));
}

/// Calls `handler` before whoever listens further inside.
fn before(of: &El, event: &str, handler: impl Fn(&Event) + 'static) {
    let handler: Box<dyn Fn(Event)> = Box::new(move |event| handler(&event));
    // The browser owns the closure, and frees it with the element.
    let handler = Closure::<dyn Fn(Event)>::wrap(handler).into_js_value();
    let to = of.node();
    let _ = to.add_event_listener_with_callback_and_bool(event, handler.unchecked_ref(), true);
}

/// The composer's field as the browser has it.
fn field(input: &El) -> &HtmlTextAreaElement {
    input.node().unchecked_ref()
}

/// Puts text into the field in the place of what is there, and the caret behind it.
fn write(ui: Controller, input: &El, text: &str) {
    input.set_value(text);
    let end = text.encode_utf16().count() as u32;
    // Refused by no field of this kind.
    let _ = field(input).set_selection_range(end, end);
    ui.draft.set(text.to_owned());
}
