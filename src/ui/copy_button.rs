//! A button that puts a text on the clipboard and tells whether that worked.

use std::time::Duration;

use leptos::prelude::*;

use super::controller::Controller;
use super::dom;
use super::element::{El, button, el};
use super::icon::{Icon, live_icon};
use super::signal::RwSignal;
use super::words::Words;

/// How long it tells what came of it.
const TOLD: Duration = Duration::from_secs(2);

/// What pressing a copy button came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Copying {
    Ready,
    Copied,
    Refused,
}

/// A button that copies what `text` gives.
pub fn copy_button(ui: Controller, text: impl Fn() -> String + 'static) -> El {
    let (copy, label) = copying(ui, |words| words.copy, Box::new(text));
    copy.class("button button--icon button--small")
        .bind("aria-label", label.clone())
        .bind("title", label)
}

/// The same with its name on it.
pub fn named_copy_button(
    ui: Controller,
    name: fn(&Words) -> &'static str,
    text: impl Fn() -> String + 'static,
) -> El {
    let (copy, label) = copying(ui, name, Box::new(text));
    copy.class("button button--quiet button--small")
        .child(el("span").live(label))
}

/// The button, and what it is called until it is pressed and after.
fn copying(
    ui: Controller,
    name: fn(&Words) -> &'static str,
    text: Box<dyn Fn() -> String>,
) -> (El, impl Fn() -> &'static str + Clone + 'static) {
    let state = RwSignal::new(Copying::Ready);
    let press = move || {
        let text = text();
        leptos::task::spawn_local(async move {
            let came = if dom::copy(text).await {
                Copying::Copied
            } else {
                Copying::Refused
            };
            state.set(came);
            let back = move || {
                state.set(Copying::Ready);
            };
            set_timeout(back, TOLD);
        });
    };
    let label = move || match state.get() {
        Copying::Ready => name(ui.words()),
        Copying::Copied => ui.words().copied,
        Copying::Refused => ui.words().copy_failed,
    };
    let which = move || match state.get() {
        Copying::Ready => Icon::Copy,
        Copying::Copied => Icon::Check,
        Copying::Refused => Icon::Warning,
    };
    (button("").child(live_icon(which)).press(press), label)
}
