//! What the user should know outside of any run: banners for what lasts, toasts
//! for what passes.

use leptos::prelude::*;

use super::erase::{Each, Show, live, row};

use super::controller::{Controller, KernelState, Toast, use_controller};
use super::icon::{Icon, IconView};
use super::preferences::use_words;
use crate::protocol::{Access, Notice, Storage};

/// What lasts: shown over the conversation.
#[component]
pub fn Banners() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let is_reader = move || ui.access.get() == Access::Reader;
    let is_in_memory = move || matches!(ui.storage.get(), Storage::Memory(_));
    view! {
        <div class="banners">
            <KernelBanner />
            <Show when=live(is_reader)>
                <div class="banner" role="status" data-testid="notice-read-only">
                    <IconView icon=Icon::Eye />
                    <p class="banner__text">{t().read_only}</p>
                </div>
            </Show>
            <Show when=live(is_in_memory)>
                <div class="banner banner--warn" role="status" data-testid="notice-memory">
                    <IconView icon=Icon::Warning />
                    <p class="banner__text">{t().memory}</p>
                </div>
            </Show>
        </div>
    }
}

/// The kernel ended or is silent.
#[component]
fn KernelBanner() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let text = move || match ui.kernel.get() {
        KernelState::Died(_) => Some(t().kernel_died),
        KernelState::Silent => Some(t().kernel_silent),
        KernelState::Starting | KernelState::Up => None,
    };
    let reason = move || match ui.kernel.get() {
        KernelState::Died(reason) => reason,
        _ => String::new(),
    };
    view! {
        <Show when=live(move || text().is_some())>
            <div class="banner banner--bad" role="alert" data-testid="notice-kernel">
                <IconView icon=Icon::Unplugged />
                <div class="banner__text">
                    <p>{text}</p>
                    <Details text=Signal::derive(reason) />
                </div>
                <button
                    type="button"
                    class="button button--small"
                    data-testid="kernel-restart"
                    on:click=move |_| ui.restart()
                >
                    {t().kernel_restart}
                </button>
            </div>
        </Show>
    }
}

/// Somebody else's words, folded.
#[component]
fn Details(text: Signal<String>) -> impl IntoView {
    let t = use_words();
    view! {
        <Show when=live(move || text.with(|text| !text.is_empty()))>
            <details class="banner__details">
                <summary>{t().details}</summary>
                <pre>{live(move || text.get())}</pre>
            </details>
        </Show>
    }
}

/// What passes: stacked in a corner.
#[component]
pub fn Toasts() -> impl IntoView {
    let ui = use_controller();
    let keys = live(move || {
        ui.toasts
            .with(|all| all.iter().map(|toast| toast.id.to_string()).collect())
    });
    let draw = move |key: String| {
        let is_it = |toast: &&Toast| toast.id.to_string() == key;
        let toast = ui
            .toasts
            .with_untracked(|all| all.iter().find(is_it).cloned());
        toast.map(|toast| view! { <ToastView toast /> }).into_any()
    };
    view! {
        <div class="toasts" role="status">
            <Each keys row=row(draw) />
        </div>
    }
}

#[component]
fn ToastView(toast: Toast) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let Toast { id, notice } = toast;
    let icon = match notice {
        Notice::Imported { .. } => Icon::Check,
        Notice::KeyNeeded => Icon::Key,
        Notice::ReadOnly | Notice::AlreadyRunning => Icon::Info,
        Notice::NotSaved(_) | Notice::NotImported { .. } => Icon::Warning,
    };
    let details = t().notice_details(&notice).to_owned();
    let step = (notice == Notice::KeyNeeded).then(|| view! { <ToSettings ui id /> });
    view! {
        <div class="toast" data-testid="toast">
            <IconView icon />
            <div class="toast__text">
                <p>{live(move || t().notice(&notice))}</p>
                <Details text=Signal::stored(details) />
                {step}
            </div>
            <button type="button" class="button button--icon" title=t().dismiss on:click=move |_| ui.dismiss(id)>
                <IconView icon=Icon::Close />
                <span class="visually-hidden">{t().dismiss}</span>
            </button>
        </div>
    }
}

#[component]
fn ToSettings(ui: Controller, id: u64) -> impl IntoView {
    let t = use_words();
    let open = move |_| {
        ui.dismiss(id);
        ui.open_settings();
    };
    view! {
        <button type="button" class="button button--small" on:click=open>
            {t().open_settings}
        </button>
    }
}
