//! Who answers, at the composer: a button that tells it, and the list it opens.

use leptos::prelude::*;

use super::combobox::{Enter, Line, MOST, Parts, combobox};
use super::controller::Controller;
use super::controller::endpoints::Models;
use super::dom;
use super::element::{El, button, div, el, span};
use super::endpoint_form::{told, window};
use super::icon::{Icon, icon};
use super::sidebar::{answerer, short_answerer};
use super::signal::RwSignal;
use super::state::search::search;
use crate::kernel::settings::{ModelChoice, Profile};
use crate::protocol::ListedModel;

/// Fewest lines of an endpoint, however many there are.
const FEW: usize = 6;
/// In front of the id of an endpoint whose models shall be listed.
const LIST: &str = "list ";

/// The button, and what it opens.
pub fn model_picker(ui: Controller) -> El {
    let open = RwSignal::new(false);
    let toggle = button("options__rounds options__model")
        .test_id("model-picker")
        .bind("aria-expanded", move || open.get())
        .bind("aria-label", move || {
            ui.words().model_choose(&answerer(ui).0)
        })
        .bind("title", move || {
            let (model, host) = answerer(ui);
            format!("{model} {host}").trim().to_owned()
        })
        .flag("disabled", move || !ui.can_work())
        .child(span("options__name").live(move || short_answerer(ui)))
        .child(icon(Icon::ChevronRight))
        .press(move || {
            open.update(|open| *open = !*open);
            if open.get_untracked() {
                list_own(ui);
            }
        });
    let of_key = toggle.clone();
    div("options__place options__place--model")
        .child(toggle)
        .when_loaded(ui, move || open.get(), move || popover(ui, open))
        .key(move |event| {
            if event.key() == "Escape" {
                of_key.focus();
            }
        })
}

/// Asks the endpoint that answers for its models: the user wants to see them.
fn list_own(ui: Controller) {
    if let Some(id) = untrack(|| ui.with_profile(|profile, _| profile.id.clone())) {
        ui.list_models_once(Some(id), || None);
    }
}

fn popover(ui: Controller, open: RwSignal<bool>) -> El {
    let input = el("input")
        .class("field__input")
        .attr("type", "text")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .test_id("model-search")
        .say_as("aria-label", ui, |words| words.model_search)
        .say_as("placeholder", ui, |words| words.model_search);
    // The list stands as long as the popover does.
    let listed = RwSignal::new(true);
    let parts = Parts {
        id: "model-list",
        open: listed,
        enter: Enter::First,
        lines: Box::new(move |query| lines(ui, query)),
        status: Box::new(move || match ui.is_running() {
            true => ui.words().counts_next_run.to_owned(),
            false => String::new(),
        }),
        opened: Box::new(|| {}),
        pick: Box::new(move |line| pick(ui, open, listed, line)),
    };
    let manage = button("button button--link")
        .test_id("model-manage")
        .say(ui, |words| words.models_manage)
        .press(move || {
            open.set(false);
            ui.open_settings();
        });
    let focus = input.clone();
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        focus.focus();
    });
    let place = div("picker");
    let left = place.clone();
    let leaves = move || {
        let left = left.clone();
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            if !dom::has_focus(left.node()) {
                open.set(false);
            }
        });
    };
    place
        .test_id("model-popover")
        .child(combobox(input, parts))
        .child(manage)
        .on("focusout", move |_| leaves())
        .key(move |event| {
            if event.key() == "Escape" {
                event.prevent_default();
                open.set(false);
            }
        })
}

fn pick(ui: Controller, open: RwSignal<bool>, listed: RwSignal<bool>, line: &Line) {
    let value = line.value.clone().unwrap_or_default();
    if let Some(id) = value.strip_prefix(LIST) {
        ui.list_models(Some(id.to_owned()), None);
        return listed.set(true);
    }
    let choice = match value.is_empty() {
        true => ModelChoice::Demo,
        false => ModelChoice::Profile {
            id: value,
            model: line.text.clone(),
        },
    };
    open.set(false);
    ui.choose(choice);
    dom::focus_composer();
}

/// The endpoints with their models, first the one that answers; last the demo.
fn lines(ui: Controller, query: &str) -> Vec<Line> {
    let current = ui.choice();
    let (current, model) = match &current {
        Some(ModelChoice::Profile { id, model }) => (id.as_str(), model.as_str()),
        Some(ModelChoice::Demo) => ("", ""),
        None => return Vec::new(),
    };
    let mut all = Vec::new();
    ui.settings.with(|settings| {
        let Some(settings) = settings else { return };
        let profiles = &settings.kept.profiles;
        let room = (MOST / profiles.len().max(1)).max(FEW);
        for is_current in [true, false] {
            for profile in profiles {
                if (profile.id == current) == is_current {
                    let chosen = if is_current { model } else { "" };
                    add_profile(ui, profile, chosen, query, room, &mut all);
                }
            }
        }
    });
    // The endpoint that answers may have a model that nobody listed.
    let typed = query.trim();
    let is_known = all
        .iter()
        .any(|line| line.value.as_deref() == Some(current));
    if !typed.is_empty() && !current.is_empty() && !is_known {
        all.push(head(&answerer(ui).1, String::new()));
        all.push(Line {
            value: Some(current.to_owned()),
            text: typed.to_owned(),
            note: ui.words().models_as_typed.to_owned(),
            group: String::new(),
        });
    }
    let demo = ui.words().demo;
    if search(&[demo], query, 1).1 > 0 {
        all.push(head(demo, String::new()));
        all.push(Line {
            value: Some(String::new()),
            text: ui.words().demo_note.to_owned(),
            note: mark(current.is_empty()),
            group: demo.to_owned(),
        });
    }
    all
}

/// The title of those that follow.
fn head(text: &str, note: String) -> Line {
    Line {
        text: text.to_owned(),
        note,
        ..Line::default()
    }
}

fn mark(is_chosen: bool) -> String {
    if is_chosen { "✓" } else { "" }.to_owned()
}

/// Adds what an endpoint has that fits: the models asked of late, then the rest of its list.
fn add_profile(
    ui: Controller,
    profile: &Profile,
    chosen: &str,
    query: &str,
    room: usize,
    all: &mut Vec<Line>,
) {
    let label = profile.label();
    let models = ui.endpoints.models(&Some(profile.id.clone()));
    let listed: &[ListedModel] = match &models {
        Some(Models::Listed(models)) => models,
        _ => &[],
    };
    let recent = ui.recent_models(profile);
    let mut names: Vec<&str> = recent.iter().map(String::as_str).collect();
    for model in listed {
        if !recent.contains(&model.name) {
            names.push(&model.name);
        }
    }
    let (found, hits) = search(&names, query, room);
    let act = match &models {
        None => Some(ui.words().models_show),
        Some(Models::Failed(_)) => Some(ui.words().try_again),
        _ => None,
    };
    if found.is_empty() && act.is_none() {
        return;
    }
    let note = models.as_ref().map(|models| told(ui, models, hits, room));
    all.push(head(label, note.unwrap_or_default()));
    let line = |value, text: &str, note| Line {
        value: Some(value),
        text: text.to_owned(),
        note,
        group: label.to_owned(),
    };
    for at in found {
        let name = names[at];
        let window = listed.iter().find(|model| model.name == name).map(window);
        let note = match name == chosen {
            true => mark(true),
            false => window.unwrap_or_default(),
        };
        all.push(line(profile.id.clone(), name, note));
    }
    if let Some(text) = act {
        all.push(line(format!("{LIST}{}", profile.id), text, String::new()));
    }
}
