//! Where tasks are written. While a run is open, Stop stands in Send's place.

use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;

use super::erase::{Show, live};

use super::controller::{KernelState, use_controller};
use super::icon::{Icon, IconView};
use super::preferences::use_words;
use crate::protocol::Access;

/// Key code of a key that an input method has for itself.
const COMPOSING: u32 = 229;

/// The bottom of the conversation.
#[component]
pub fn Composer() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let input = NodeRef::<Textarea>::new();
    input.on_load(|input| drop(input.focus()));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        ui.send_draft();
        if let Some(input) = input.get_untracked() {
            drop(input.focus());
        }
    };
    let key = move |event: KeyboardEvent| {
        let is_composing = event.is_composing() || event.key_code() == COMPOSING;
        if event.key() == "Enter" && !event.shift_key() && !is_composing {
            event.prevent_default();
            ui.send_draft();
        }
    };
    let placeholder = move || {
        if ui.is_demo() {
            t().composer_demo_placeholder
        } else {
            t().composer_placeholder
        }
    };
    view! {
        <form class="composer" on:submit=submit>
            <KeyWanted />
            <div class="composer__box">
                <div class="composer__grow">
                    <textarea
                        class="composer__input"
                        data-testid="composer-input"
                        rows="1"
                        aria-label=t().composer
                        placeholder=placeholder
                        node_ref=input
                        prop:value=live(move || ui.draft.get())
                        on:input:target=move |event| ui.draft.set(event.target().value())
                        on:keydown=key
                    ></textarea>
                    // Gives the field its height; it has none of its own.
                    <div class="composer__mirror" aria-hidden="true">{live(move || format!("{}\u{200b}", ui.draft.get()))}</div>
                </div>
                <SendOrStop />
            </div>
            <Hint />
        </form>
    }
}

#[component]
fn SendOrStop() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let is_running = Memo::new(move |_| ui.is_running() && ui.access.get() == Access::Writer);
    let can_send = move || ui.can_send() && ui.draft.with(|draft| !draft.trim().is_empty());
    view! {
        <Show
            when=live(move || is_running.get())
            fallback=move || view! {
                <button
                    type="submit"
                    class="button button--main composer__button"
                    data-testid="composer-send"
                    title=t().send
                    disabled=live(move || !can_send())
                >
                    <IconView icon=Icon::Send />
                    <span class="composer__label">{t().send}</span>
                </button>
            }
        >
            <button
                type="button"
                class="button composer__button"
                data-testid="composer-stop"
                title=t().stop
                on:click=move |_| ui.stop()
            >
                <IconView icon=Icon::Stop />
                <span class="composer__label">{t().stop}</span>
            </button>
        </Show>
    }
}

/// How to send, or why it can't be done now.
#[component]
fn Hint() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let text = move || match (ui.kernel.get(), ui.access.get()) {
        (KernelState::Died(_), _) => t().composer_no_kernel,
        (_, Access::Reader) => t().composer_read_only,
        _ => t().composer_hint,
    };
    view! { <p class="composer__hint">{text}</p> }
}

/// Says that the endpoint's key is missing, before a task is sent in vain.
#[component]
fn KeyWanted() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    view! {
        <Show when=live(move || ui.lacks_key())>
            <div class="composer__wanted" role="status" data-testid="notice-key">
                <IconView icon=Icon::Key />
                <span>{t().key_needed}</span>
                <button type="button" class="button button--small" on:click=move |_| ui.open_settings()>
                    {t().open_settings}
                </button>
            </div>
        </Show>
    }
}
