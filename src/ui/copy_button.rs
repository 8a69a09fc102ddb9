//! A button that puts a text on the clipboard and tells whether that worked.

use std::time::Duration;

use leptos::prelude::*;

use super::controller::Controller;
use super::dom;
use super::element::{El, button};
use super::icon::{Icon, live_icon};
use super::signal::RwSignal;

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
        Copying::Ready => ui.words().copy,
        Copying::Copied => ui.words().copied,
        Copying::Refused => ui.words().copy_failed,
    };
    let which = move || match state.get() {
        Copying::Ready => Icon::Copy,
        Copying::Copied => Icon::Check,
        Copying::Refused => Icon::Warning,
    };
    button("button button--icon button--small")
        .bind("aria-label", label)
        .bind("title", label)
        .child(live_icon(which))
        .press(press)
}
