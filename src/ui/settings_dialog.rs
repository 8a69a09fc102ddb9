//! The settings: who answers, limits, looks. A modal dialog, which the browser
//! gives the focus and takes it back from.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement};

use super::controller::Controller;
use super::element::{El, button, div, el, follow};
use super::endpoint_form::{endpoint_form, field as form_field, input};
use super::icon::{Icon, icon};
use super::preferences::{Theme, language_of};
use super::words::{Language, Words};
use crate::kernel::settings::{MAX_ROUND_LIMIT, Problem};
use crate::protocol::{Command, Field};

/// Drawn only while it is open, so that it always begins with what is in use.
pub fn settings_dialog(ui: Controller) -> El {
    let is_open = move || ui.settings_open.get();
    let dialog = el("dialog")
        .class("dialog")
        .attr("aria-labelledby", "settings-title")
        .when(is_open, move || page(ui));
    let shown = dialog.clone();
    follow(Box::new(move || {
        let Some(dialog) = shown.node().dyn_ref::<HtmlDialogElement>() else {
            return;
        };
        match (is_open(), dialog.open()) {
            // Refused only if it is open already.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    }));
    let backdrop = dialog.clone();
    dialog
        .on("close", move |_| ui.settings_open.set(false))
        .on("click", move |event: Event| {
            // Only the backdrop is the dialog itself.
            let is_backdrop = event
                .target()
                .is_some_and(|target| target == ***backdrop.node());
            if is_backdrop {
                ui.settings_open.set(false);
            }
        })
}

fn page(ui: Controller) -> El {
    let close = button("button button--icon")
        .bind("aria-label", move || ui.words().close)
        .bind("title", move || ui.words().close)
        .child(icon(Icon::Close))
        .press(move || ui.settings_open.set(false));
    let head = el("header")
        .class("dialog__head")
        .child(
            el("h2")
                .class("dialog__title")
                .attr("id", "settings-title")
                .live(move || ui.words().settings),
        )
        .child(close);
    let about = move || {
        format!(
            "{} · {}",
            concat!("Tabloop ", env!("CARGO_PKG_VERSION")),
            ui.words().about_text
        )
    };
    div("dialog__page")
        .child(head)
        .child(endpoint_part(ui))
        .child(limit_part(ui))
        .child(looks_part(ui))
        .child(el("p").class("dialog__about").live(about))
}

fn part(ui: Controller, title: fn(&Words) -> &'static str) -> El {
    let title = el("h3")
        .class("dialog__subtitle")
        .live(move || title(ui.words()));
    el("section").class("dialog__part").child(title)
}

fn endpoint_part(ui: Controller) -> El {
    part(ui, |words| words.endpoint)
        .when(
            move || ui.is_demo(),
            move || el("p").class("muted").live(move || ui.words().demo_in_use),
        )
        .child(endpoint_form(ui))
        .when(
            move || !ui.is_demo(),
            move || {
                button("button button--link")
                    .flag("disabled", move || !ui.can_work())
                    .live(move || ui.words().use_demo)
                    .press(move || ui.save(Command::UseDemo))
            },
        )
}

fn limit_part(ui: Controller) -> El {
    let field = Field::Limit(crate::kernel::settings::Limit::Rounds);
    let input = input(ui, field, "number", "")
        .class("field__input field__input--short")
        .attr("inputmode", "numeric")
        .attr("min", "1")
        .attr("max", &MAX_ROUND_LIMIT.to_string());
    input.set_value(&untrack(|| ui.round_limit()).to_string());
    let given = input.clone();
    let submit = move |event: Event| {
        event.prevent_default();
        match given.value().trim().parse::<u32>() {
            Ok(limit) => ui.save(Command::SaveLimits(
                crate::kernel::settings::LimitSettings {
                    rounds: limit,
                    ..Default::default()
                },
            )),
            Err(_) => ui.refuse(
                field,
                Problem::OutOfRange {
                    min: 1,
                    max: MAX_ROUND_LIMIT,
                },
            ),
        }
    };
    let save = button("button")
        .attr("type", "submit")
        .test_id("settings-save")
        .flag("disabled", move || !ui.can_work())
        .live(move || ui.words().save);
    let texts = |words: &Words| [words.round_limit, "", words.round_limit_hint];
    let parts = form_field(ui, field, div("field__row").child(input).child(save), texts);
    let form = el("form")
        .class("form")
        .attr("novalidate", "")
        .on("submit", submit)
        .child(parts);
    part(ui, |words| words.limits).child(form)
}

fn looks_part(ui: Controller) -> El {
    let preferences = ui.preferences;
    let theme_name = move |theme: Theme| match theme {
        Theme::System => ui.words().theme_system,
        Theme::Light => ui.words().theme_light,
        Theme::Dark => ui.words().theme_dark,
    };
    let themes = Theme::ALL.map(|theme| option(theme.name(), move || theme_name(theme)));
    let theme = choice(
        "setting-theme",
        themes,
        preferences.theme.get_untracked().name(),
        move |name| {
            preferences.theme.set(Theme::named(name));
        },
    );
    let languages = [
        option("auto", move || ui.words().language_auto),
        option(Language::English.tag(), || "English"),
        option(Language::Chinese.tag(), || "简体中文"),
    ];
    let spoken = preferences
        .language
        .get_untracked()
        .map_or("auto", Language::tag);
    let language = choice("setting-language", languages, spoken, move |tag| {
        preferences.choose_language(language_of(tag));
    });
    let label = move |of: &str, text: fn(&Words) -> &'static str| {
        el("label")
            .class("field__label")
            .attr("for", of)
            .live(move || text(ui.words()))
    };
    let pair = div("dialog__pair")
        .child(
            div("field")
                .child(label("setting-theme", |words| words.theme))
                .child(theme),
        )
        .child(
            div("field")
                .child(label("setting-language", |words| words.language_choice))
                .child(language),
        );
    part(ui, |words| words.appearance).child(pair)
}

fn option(value: &str, text: impl Fn() -> &'static str + 'static) -> El {
    el("option").attr("value", value).live(text)
}

fn choice(id: &str, options: [El; 3], chosen: &str, take: impl Fn(&str) + 'static) -> El {
    let select = el("select")
        .class("field__input")
        .attr("id", id)
        .test_id(id)
        .children(options);
    select.set_value(chosen);
    let changed = select.clone();
    select.on("change", move |_| take(&changed.value()))
}
