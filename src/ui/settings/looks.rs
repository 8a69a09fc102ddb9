//! How Tabloop looks and speaks; what is chosen holds at once.

use super::choice;
use crate::ui::controller::Controller;
use crate::ui::element::{El, div, el};
use crate::ui::preferences::{Theme, language_of};
use crate::ui::presence;
use crate::ui::signal::RwSignal;
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
    let pair = div("dialog__pair")
        .child(labelled("setting-theme", |words| words.theme, theme))
        .child(labelled(
            "setting-language",
            |words| words.language_choice,
            language,
        ));
    div("dialog__looks").child(pair).child(notifications(ui))
}

/// Whether to be notified while the tab is hidden; the browser asks when it is ticked.
fn notifications(ui: Controller) -> El {
    let refused = RwSignal::new(false);
    let tick = el("input")
        .attr("type", "checkbox")
        .test_id("setting-notify")
        .attr("aria-describedby", "setting-notify-hint");
    tick.tick(presence::are_wanted());
    let ticked = tick.clone();
    let tick = tick.on("change", move |_| {
        refused.set(false);
        if !ticked.is_ticked() {
            return presence::refuse();
        }
        let ticked = ticked.clone();
        leptos::task::spawn_local(async move {
            let is_granted = presence::want().await;
            ticked.tick(is_granted);
            refused.set(!is_granted);
        });
    });
    let hint = el("p")
        .class("field__hint")
        .attr("id", "setting-notify-hint")
        .attr("role", "status")
        .live(move || match refused.get() {
            true => ui.words().notify_refused(),
            false => ui.words().notify_hint(),
        });
    let label = el("label")
        .class("field__tick")
        .child(tick)
        .child(el("span").say(ui, |words| words.notify_setting()));
    div("field").child(label).child(hint)
}

fn keep(list: El, id: &str, chosen: &str, take: impl Fn(&str) + 'static) -> El {
    list.set_value(chosen);
    let changed = list.clone();
    list.attr("id", id)
        .test_id(id)
        .on("change", move |_| take(&changed.value()))
}
