//! What is pasted into the composer: files are attached, and a long text may become one.

use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Event};

use leptos::prelude::untrack;

use super::attach::{is_nameless, named_now};
use crate::ui::controller::Controller;
use crate::ui::dom;
use crate::ui::element::{El, button, div, el};
use crate::ui::handing::chosen;
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::RwSignal;

/// Characters above which a text is offered to become a file.
const LONG: usize = 4_000;

/// The long text that was pasted last.
#[derive(Clone)]
pub(super) struct Pasted {
    ui: Controller,
    text: RwSignal<Option<String>>,
}

impl Pasted {
    pub(super) fn new(ui: Controller) -> Self {
        let text = RwSignal::new(None);
        Self { ui, text }
    }

    /// Looks at what is pasted; text goes into the field as ever.
    pub(super) fn take(&self, event: &Event) {
        let event = event.dyn_ref::<ClipboardEvent>();
        let Some((event, data)) = event.and_then(|event| Some((event, event.clipboard_data()?)))
        else {
            return;
        };
        let files = data.files().filter(|files| files.length() > 0);
        if let Some(files) = files {
            // Who listens for files that are pasted anywhere shall not take them too.
            event.prevent_default();
            event.stop_propagation();
            let mut picked = chosen(&files);
            for picked in &mut picked {
                if is_nameless(&picked.path) {
                    picked.path = named_now("image", "png");
                }
            }
            if untrack(|| self.ui.can_work()) {
                self.ui.attach(picked);
            }
            return;
        }
        let text = data.get_data("text/plain").unwrap_or_default();
        let text = text.replace("\r\n", "\n");
        if text.chars().nth(LONG).is_some() {
            self.text.set(Some(text));
        }
    }

    /// The offer, as long as the text stands in the field.
    pub(super) fn view(self) -> El {
        let (ui, text) = (self.ui, self.text);
        let is_there = move || {
            let in_draft = |text: &String| ui.draft.with(|draft| draft.contains(text));
            ui.can_work() && text.with(|text| text.as_ref().is_some_and(in_draft))
        };
        div("tools__offers").when(is_there, move || offer(ui, text))
    }
}

fn offer(ui: Controller, text: RwSignal<Option<String>>) -> El {
    let told = move || {
        let chars = text.with(|text| text.as_ref().map_or(0, |text| text.chars().count()));
        ui.words().pasted_long(chars)
    };
    let make = button("button button--small")
        .test_id("paste-to-file")
        .say(ui, |words| words.paste_to_file())
        .press(move || {
            let Some(pasted) = text.get_untracked() else {
                return;
            };
            text.set(None);
            ui.draft
                .update(|draft| *draft = draft.replacen(&pasted, "", 1));
            ui.attach_text(named_now("pasted", ending(&pasted)), pasted);
            dom::focus(dom::COMPOSER);
        });
    let keep = button("button button--quiet button--small")
        .test_id("paste-keep")
        .say(ui, |words| words.paste_keep())
        .press(move || {
            text.set(None);
            dom::focus(dom::COMPOSER);
        });
    div("tools__offer")
        .attr("role", "status")
        .test_id("paste-offer")
        .child(icon(Icon::FileText))
        .child(el("p").class("tools__told").live(told))
        .child(make)
        .child(keep)
}

/// What the text most likely is.
fn ending(text: &str) -> &'static str {
    let text = text.trim();
    let is_json = text.starts_with(['{', '['])
        && text.ends_with(['}', ']'])
        && serde_json::from_str::<serde_json::Value>(text).is_ok();
    match is_json {
        true => "json",
        false if text.starts_with("<!doctype html") || text.starts_with("<html") => "html",
        false => "txt",
    }
}
