//! How the next task is worked on: the mode, and how many rounds it may take.

use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el, follow, span};
use super::icon::{Icon, icon};
use super::model_picker::model_picker;
use super::signal::RwSignal;
use super::state::way::{MODES, WayOfWork, mode_of, parse_rounds};
use crate::kernel::settings::MAX_ROUND_LIMIT;
use crate::protocol::Field;

/// Stands at the composer's foot.
pub fn composer_options(ui: Controller) -> El {
    div("options")
        .child(mode(ui))
        .child(rounds(ui))
        .child(model_picker(ui))
}

fn mode(ui: Controller) -> El {
    let options = MODES.map(|(mode, name)| {
        el("option")
            .attr("value", name)
            .bind("title", move || ui.words().mode_does(mode))
            .live(move || ui.words().mode_name(mode))
    });
    let select = el("select")
        .class("options__mode")
        .test_id("composer-mode")
        .say_as("aria-label", ui, |words| words.mode)
        .bind("title", move || ui.words().mode_does(ui.way.get().mode))
        .flag("disabled", move || ui.is_running())
        .children(options);
    let (shown, chosen) = (select.clone(), select.clone());
    follow(Box::new(move || shown.set_value(ui.way.get().mode_key())));
    select.on("change", move |_| {
        let way = ui.way.get_untracked();
        let mode = mode_of(&chosen.value());
        ui.choose_way(WayOfWork { mode, ..way });
    })
}

/// A button that tells the rounds, and the field that it opens.
fn rounds(ui: Controller) -> El {
    let is_open = RwSignal::new(false);
    let label = move || match ui.way.get().rounds {
        Some(rounds) => ui.words().rounds(rounds),
        None => ui.words().rounds_choice.to_owned(),
    };
    let toggle = button("options__rounds")
        .test_id("composer-rounds-open")
        .bind("aria-expanded", move || is_open.get())
        .flag("disabled", move || ui.is_running())
        .child(span("").live(label))
        .child(icon(Icon::ChevronRight))
        .press(move || is_open.update(|is_open| *is_open = !*is_open));
    let (of_key, of_focus) = (toggle.clone(), div("options__place"));
    let place = of_focus.clone();
    place
        .child(toggle)
        .when(move || is_open.get(), move || popover(ui, is_open))
        .key(move |event| {
            let closes = matches!(event.key().as_str(), "Escape" | "Enter");
            if closes && is_open.get_untracked() {
                event.prevent_default();
                is_open.set(false);
                of_key.focus();
            }
        })
        .on("focusout", move |_| {
            let place = of_focus.clone();
            // The focus is where it goes a moment later.
            leptos::task::spawn_local(async move {
                leptos::task::tick().await;
                if !dom::has_focus(place.node()) {
                    is_open.set(false);
                }
            });
        })
}

fn popover(ui: Controller, is_open: RwSignal<bool>) -> El {
    let wrong = RwSignal::new(false);
    let input = el("input")
        .class("field__input field__input--short")
        .attr("type", "number")
        .attr("inputmode", "numeric")
        .attr("min", "1")
        .attr("max", &MAX_ROUND_LIMIT.to_string())
        .attr("id", "composer-rounds")
        .test_id("composer-rounds")
        .bind("placeholder", move || ui.round_limit().to_string())
        .bind("aria-invalid", move || wrong.get().then_some("true"));
    let rounds = ui.way.get_untracked().rounds;
    input.set_value(&rounds.map_or_else(String::new, |n| n.to_string()));
    let (given, focus) = (input.clone(), input.clone());
    let input = input.on("input", move |_| {
        let parsed = parse_rounds(&given.value());
        wrong.set(parsed.is_none());
        if let Some(rounds) = parsed {
            let way = ui.way.get_untracked();
            ui.choose_way(WayOfWork { rounds, ..way });
        }
    });
    let problem = move || match wrong.get() {
        true => ui.words().problem(
            Field::Limit(crate::kernel::settings::Limit::Rounds),
            &crate::kernel::settings::Problem::OutOfRange {
                min: 1,
                max: MAX_ROUND_LIMIT,
            },
        ),
        false => ui.words().rounds_choice_hint.to_owned(),
    };
    leptos::task::spawn_local(async move {
        if is_open.try_get_untracked() == Some(true) {
            focus.focus();
        }
    });
    div("options__popover")
        .child(
            el("label")
                .class("field__label")
                .attr("for", "composer-rounds")
                .say(ui, |words| words.rounds_choice),
        )
        .child(input)
        .child(el("p").class("field__hint").live(problem))
}
