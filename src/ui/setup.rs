//! The start page: what Tabloop is, what leaves the browser, and two ways in.

use leptos::prelude::*;

use super::erase::live;

use super::controller::use_controller;
use super::endpoint_form::EndpointForm;
use super::icon::{Icon, IconView};
use super::notices::Banners;
use super::preferences::{Preferences, use_words};
use super::words::Language;
use crate::protocol::Command;

/// Shown until somebody is there to answer.
#[component]
pub fn Setup() -> impl IntoView {
    let t = use_words();
    view! {
        <div class="setup">
            <Banners />
            <main class="setup__page">
                <header class="setup__head">
                    <h1 class="setup__name">"Tabloop"</h1>
                    <p class="setup__lead">{t().setup_lead}</p>
                </header>
                <Ways />
                <Promises />
                <footer class="setup__foot">
                    <OtherLanguage />
                    <span class="muted">{concat!("Tabloop ", env!("CARGO_PKG_VERSION"))}</span>
                </footer>
            </main>
        </div>
    }
}

#[component]
fn Ways() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    view! {
        <section class="setup__way setup__way--demo" aria-labelledby="way-demo">
            <div>
                <h2 class="setup__title" id="way-demo">{t().setup_demo_title}</h2>
                <p class="muted">{t().setup_demo_text}</p>
            </div>
            <button
                type="button"
                class="button button--main"
                data-testid="setup-demo"
                disabled=live(move || !ui.can_work())
                on:click=move |_| ui.command(Command::UseDemo)
            >
                {t().setup_demo}
            </button>
        </section>
        <section class="setup__way" aria-labelledby="way-endpoint">
            <h2 class="setup__title" id="way-endpoint">{t().setup_endpoint_title}</h2>
            <p class="muted">{t().setup_endpoint_text}</p>
            <EndpointForm />
        </section>
    }
}

#[component]
fn Promises() -> impl IntoView {
    let t = use_words();
    view! {
        <dl class="setup__promises">
            <div class="setup__promise">
                <IconView icon=Icon::Device />
                <dt>{t().setup_stays}</dt>
                <dd>{t().setup_stays_text}</dd>
            </div>
            <div class="setup__promise">
                <IconView icon=Icon::Outgoing />
                <dt>{t().setup_leaves}</dt>
                <dd>{t().setup_leaves_text} " " {t().setup_key_text}</dd>
            </div>
        </dl>
    }
}

/// A way to the other language for whoever can't read this one.
#[component]
fn OtherLanguage() -> impl IntoView {
    let preferences = expect_context::<Preferences>();
    let t = use_words();
    let other = move || match preferences.language_in_use() {
        Language::English => Language::Chinese,
        Language::Chinese => Language::English,
    };
    view! {
        <button
            type="button"
            class="button button--link"
            lang=live(move || other().tag())
            on:click=move |_| preferences.language.set(Some(untrack(other)))
        >
            {t().setup_other_language}
        </button>
    }
}
