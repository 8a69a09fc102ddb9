//! How Tabloop looks and speaks; what is chosen holds at once.

use super::choice;
use crate::ui::controller::Controller;
use crate::ui::element::{El, div, el};
use crate::ui::preferences::{Theme, language_of};
use crate::ui::words::{Language, Words};

/// Theme and language.
pub(super) fn view(ui: Controller) -> El {
    let preferences = ui.preferences;
    let themes = choice(
        ui,
        [
            (Theme::System.name(), |words| words.theme_system),
            (Theme::Light.name(), |words| words.theme_light),
            (Theme::Dark.name(), |words| words.theme_dark),
        ],
    );
    let theme = preferences.theme.get_untracked().name();
    let theme = keep(themes, "setting-theme", theme, move |name| {
        preferences.theme.set(Theme::named(name));
    });
    let languages = choice(
        ui,
        [
            ("auto", |words| words.language_auto),
            (Language::English.tag(), |_| "English"),
            (Language::Chinese.tag(), |_| "简体中文"),
        ],
    );
    let spoken = preferences.language.get_untracked();
    let spoken = spoken.map_or("auto", Language::tag);
    let language = keep(languages, "setting-language", spoken, move |tag| {
        preferences.choose_language(language_of(tag));
    });
    let labelled = |of: &str, text: fn(&Words) -> &'static str, field: El| {
        let label = el("label")
            .class("field__label")
            .attr("for", of)
            .live(move || text(ui.words()));
        div("field").child(label).child(field)
    };
    div("dialog__pair")
        .child(labelled("setting-theme", |words| words.theme, theme))
        .child(labelled(
            "setting-language",
            |words| words.language_choice,
            language,
        ))
}

fn keep(list: El, id: &str, chosen: &str, take: impl Fn(&str) + 'static) -> El {
    list.set_value(chosen);
    let changed = list.clone();
    list.attr("id", id)
        .test_id(id)
        .on("change", move |_| take(&changed.value()))
}
