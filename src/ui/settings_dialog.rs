//! The settings: who answers, limits, looks. A modal dialog, which the browser
//! gives the focus and takes it back from.

use leptos::html::{Dialog, Input};
use leptos::prelude::*;

use super::erase::{Show, live, part};

use super::controller::{Open, use_controller};
use super::endpoint_form::EndpointForm;
use super::icon::{Icon, IconView};
use super::preferences::{Preferences, Theme, language_of, use_words};
use super::words::Language;
use crate::kernel::settings::{MAX_ROUND_LIMIT, Problem};
use crate::protocol::{Command, Field};

/// Drawn only while it is open, so that it always begins with what is in use.
#[component]
pub fn SettingsDialog() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let dialog = NodeRef::<Dialog>::new();
    let is_open = Memo::new(move |_| ui.settings_open.get() == Open::Open);
    Effect::new(move || {
        let Some(dialog) = dialog.get() else { return };
        match (is_open.get(), dialog.open()) {
            // Refused only if it is open already.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let close = move || ui.settings_open.set(Open::Closed);
    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            aria-labelledby="settings-title"
            on:close=move |_| close()
            on:click=move |event| {
                // Only a click on the backdrop is one on the dialog itself.
                if event.target() == event.current_target() {
                    close();
                }
            }
        >
            <Show when=live(move || is_open.get())>
                <div class="dialog__page">
                    <header class="dialog__head">
                        <h2 id="settings-title" class="dialog__title">{t().settings}</h2>
                        <button type="button" class="button button--icon" title=t().close on:click=move |_| close()>
                            <IconView icon=Icon::Close />
                            <span class="visually-hidden">{t().close}</span>
                        </button>
                    </header>
                    <EndpointPart />
                    <LimitPart />
                    <LooksPart />
                    <p class="dialog__about">
                        {concat!("Tabloop ", env!("CARGO_PKG_VERSION"))} " · " {t().about_text}
                    </p>
                </div>
            </Show>
        </dialog>
    }
}

#[component]
fn EndpointPart() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    view! {
        <section class="dialog__part">
            <h3 class="dialog__subtitle">{t().endpoint}</h3>
            <Show when=live(move || ui.is_demo())>
                <p class="muted">{t().demo_in_use}</p>
            </Show>
            <EndpointForm />
            <Show when=live(move || !ui.is_demo())>
                <button
                    type="button"
                    class="button button--link"
                    disabled=live(move || !ui.can_work())
                    on:click=move |_| ui.save(Command::UseDemo)
                >
                    {t().use_demo}
                </button>
            </Show>
        </section>
    }
}

#[component]
fn LimitPart() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let input = NodeRef::<Input>::new();
    let now = untrack(|| {
        ui.settings
            .with(|settings| settings.as_ref().map_or(0, |settings| settings.round_limit))
    });
    let problem = Memo::new(move |_| {
        ui.refused.with(|all| {
            all.iter()
                .find(|(field, _)| *field == Field::RoundLimit)
                .map(|(_, problem)| problem.clone())
        })
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let given = input
            .get_untracked()
            .map(|input| input.value())
            .unwrap_or_default();
        match given.trim().parse::<u32>() {
            Ok(limit) => ui.save(Command::SaveRoundLimit(limit)),
            Err(_) => {
                let problem = Problem::OutOfRange {
                    min: 1,
                    max: MAX_ROUND_LIMIT,
                };
                ui.refuse(Field::RoundLimit, problem);
            }
        }
    };
    view! {
        <section class="dialog__part">
            <h3 class="dialog__subtitle">{t().limits}</h3>
            <form class="form" novalidate on:submit=submit>
                <div class="field">
                    <label class="field__label" for="setting-round-limit">{t().round_limit}</label>
                    <div class="field__row">
                        <input
                            class="field__input field__input--short"
                            id="setting-round-limit"
                            data-testid="setting-round-limit"
                            type="number"
                            inputmode="numeric"
                            min="1"
                            max=MAX_ROUND_LIMIT
                            value=now
                            node_ref=input
                            aria-invalid=live(move || problem.get().map(|_| "true"))
                            aria-describedby=live(move || if problem.get().is_some() { "setting-round-limit-error" } else { "setting-round-limit-hint" })
                        />
                        <button
                            type="submit"
                            class="button"
                            data-testid="settings-save"
                            disabled=live(move || !ui.can_work())
                        >
                            {t().save}
                        </button>
                    </div>
                    <p class="field__hint" id="setting-round-limit-hint">{t().round_limit_hint}</p>
                    {part(move || (problem.get().map(|problem| view! {
                        <div class="field__error" id="setting-round-limit-error" data-testid="setting-round-limit-error">
                            <IconView icon=Icon::Warning />
                            <span>{move || t().problem(Field::RoundLimit, &problem)}</span>
                        </div>
                    })).into_any())}
                </div>
            </form>
        </section>
    }
}

#[component]
fn LooksPart() -> impl IntoView {
    let preferences = expect_context::<Preferences>();
    let t = use_words();
    let theme_name = move |theme: Theme| match theme {
        Theme::System => t().theme_system,
        Theme::Light => t().theme_light,
        Theme::Dark => t().theme_dark,
    };
    let themes = Theme::ALL.map(|theme| {
        view! {
            <option value=theme.name() selected=live(move || preferences.theme.get() == theme)>
                {live(move || theme_name(theme))}
            </option>
        }
    });
    let languages = [(Language::English, "English"), (Language::Chinese, "简体中文")].map(|(language, name)| {
        view! {
            <option value=language.tag() selected=live(move || preferences.language.get() == Some(language))>{name}</option>
        }
    });
    view! {
        <section class="dialog__part">
            <h3 class="dialog__subtitle">{t().appearance}</h3>
            <div class="dialog__pair">
                <div class="field">
                    <label class="field__label" for="setting-theme">{t().theme}</label>
                    <select
                        class="field__input"
                        id="setting-theme"
                        data-testid="setting-theme"
                        on:change:target=move |event| preferences.theme.set(Theme::named(&event.target().value()))
                    >
                        {themes.into_iter().collect_view()}
                    </select>
                </div>
                <div class="field">
                    <label class="field__label" for="setting-language">{t().language_choice}</label>
                    <select
                        class="field__input"
                        id="setting-language"
                        data-testid="setting-language"
                        on:change:target=move |event| preferences.language.set(language_of(&event.target().value()))
                    >
                        <option value="auto" selected=live(move || preferences.language.get().is_none())>
                            {t().language_auto}
                        </option>
                        {languages.into_iter().collect_view()}
                    </select>
                </div>
            </div>
        </section>
    }
}
