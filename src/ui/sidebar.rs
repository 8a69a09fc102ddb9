//! The list of sessions, and under it who answers and the way to the settings.

use leptos::prelude::*;

use super::controller::{Controller, KernelState, Pane};
use super::dom;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon, live_icon};
use super::session_menu::menu_button;
use super::session_search::{found_list, search_field};
use super::spaces::switcher;
use super::state::days::{Day, day_of};
use super::state::key_of;
use super::state::model_name;
use crate::kernel::settings::ModelChoice;

/// The groups of the list, in their order; `None`: those that are pinned.
const GROUPS: [Option<Day>; 5] = [
    None,
    Some(Day::Today),
    Some(Day::Yesterday),
    Some(Day::Week),
    Some(Day::Earlier),
];

/// The column on the left; a rail where there is less room.
pub fn sidebar(ui: Controller) -> El {
    let new = button("sidebar__new")
        .test_id("session-new")
        .say_as("title", ui, |words| words.session_new)
        .child(icon(Icon::Plus))
        .child(span("sidebar__label").say(ui, |words| words.session_new))
        .press(move || ui.new_session());
    let settings = button("sidebar__settings")
        .test_id("settings-open")
        .say_as("title", ui, |words| words.settings)
        .child(icon(Icon::Settings))
        .child(span("sidebar__label").say(ui, |words| words.settings))
        .press(move || ui.open_settings());
    let head = div("sidebar__head")
        .child(span("sidebar__name").text("Tabloop"))
        .child(unfold(ui));
    el("aside")
        .class("sidebar")
        .say_as("aria-label", ui, |words| words.sessions)
        .child(head)
        .child(switcher(ui))
        .child(new)
        .when(
            move || ui.loaded.get() && ui.sessions.with(|all| !all.is_empty()),
            move || search_field(ui),
        )
        .child(session_list(ui))
        .child(div("sidebar__foot").child(connection(ui)).child(settings))
}

/// Unfolds the rail.
fn unfold(ui: Controller) -> El {
    let is_open = move || ui.pane.get() == Pane::Sessions;
    let does = move || {
        if is_open() {
            ui.words().sidebar_close
        } else {
            ui.words().sidebar_open
        }
    };
    let next = move || {
        if untrack(is_open) {
            Pane::Chat
        } else {
            Pane::Sessions
        }
    };
    button("button button--icon sidebar__unfold")
        .bind("aria-expanded", is_open)
        .bind("aria-label", does)
        .bind("title", does)
        .child(icon(Icon::Sessions))
        .press(move || ui.pane.set(next()))
}

fn session_list(ui: Controller) -> El {
    let is_empty = move || ui.sessions.with(Vec::is_empty);
    let list = el("nav")
        .class("sidebar__list")
        .test_id("session-list")
        .say_as("aria-label", ui, |words| words.sessions)
        .when(is_empty, move || {
            el("p")
                .class("sidebar__none")
                .say(ui, |words| words.sessions_none)
        });
    let is_searching = move || ui.listing.words.with(|words| !words.is_empty());
    GROUPS
        .into_iter()
        .fold(list, |list, group| {
            list.when(
                move || !is_searching() && !of_group(ui, group).is_empty(),
                move || {
                    let rows =
                        el("ul").each(move || of_group(ui, group), move |id| session_row(ui, id));
                    let name = move || match group {
                        None => ui.words().sessions_pinned(),
                        Some(day) => ui.words().day(day),
                    };
                    el("section")
                        .child(el("h2").class("sidebar__day").live(name))
                        .child(rows)
                        .class("sidebar__group")
                },
            )
        })
        .when(move || ui.loaded.get(), move || found_list(ui))
}

/// The sessions of a group, newest first.
fn of_group(ui: Controller, group: Option<Day>) -> Vec<(u64, String)> {
    let (now, offset) = (dom::now_ms(), dom::clock_offset_min());
    ui.sessions.with(|all| {
        let of_day = all.iter().filter(|session| match session.marks {
            marks if marks.archived => false,
            marks if marks.pinned => group.is_none(),
            _ => group == Some(day_of(session.updated_ms, now, offset)),
        });
        of_day
            .map(|session| (key_of(&session.id), session.id.clone()))
            .collect()
    })
}

pub(super) fn session_row(ui: Controller, id: String) -> El {
    let [of_row, of_mark, to_ask, to_open, of_menu] = std::array::from_fn(|_| id.clone());
    let title = move || {
        let title = ui.of_session(&of_row, |session| session.title.clone());
        title
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| ui.words().session_untitled.to_owned())
    };
    let is_running = move || ui.of_session(&of_mark, |session| session.running) == Some(true);
    let row = button("session")
        .test_id("session-row")
        .attr("data-session", &id)
        .bind("aria-current", move || {
            ui.current
                .with(|current| current.as_deref() == Some(&*id))
                .then_some("true")
        })
        .bind("title", title.clone())
        .child(span("session__title").test_id("session-title").live(title))
        .when(is_running, move || {
            let (of_icon, of_words) = (to_ask.clone(), to_ask.clone());
            let which = move || match ui.asks(&of_icon) {
                true => Icon::Question,
                false => Icon::Spinner,
            };
            let told = move || match ui.asks(&of_words) {
                true => ui.words().asking,
                false => ui.words().running,
            };
            span("session__running")
                .child(live_icon(which))
                .child(el("span").live(told))
        })
        .press(move || ui.open_session(to_open.clone()));
    el("li")
        .class("sidebar__row")
        .child(row)
        .when(move || ui.loaded.get(), move || menu_button(ui, &of_menu))
}

/// Who answers, and whether that is all right.
fn connection(ui: Controller) -> El {
    let shape = move || match (ui.kernel.get(), ui.lacks_key(), ui.is_demo()) {
        (KernelState::Died(_) | KernelState::Silent, _, _) => Icon::Unplugged,
        (_, true, _) => Icon::Key,
        (_, _, true) => Icon::Demo,
        _ => Icon::Endpoint,
    };
    let below = move || match (ui.lacks_key(), ui.is_locked()) {
        (_, true) => ui.words().keys_locked.to_owned(),
        (true, _) => ui.words().key_missing.to_owned(),
        _ => answerer(ui).1,
    };
    let text = span("connection__text")
        .child(span("connection__model").live(move || short_answerer(ui)))
        .child(span("connection__host").live(below));
    button("connection")
        .class_if("connection--wanting", move || ui.lacks_key())
        .test_id("connection-status")
        .bind("title", move || {
            let (model, host) = answerer(ui);
            format!("{model} {host}").trim().to_owned()
        })
        .child(live_icon(shape))
        .child(text)
        .press(
            move || match untrack(|| ui.is_locked() && !ui.is_running()) {
                true => ui.ask_passphrase(),
                false => ui.open_settings(),
            },
        )
}

/// The name of the model that answers, for where there is little room.
pub fn short_answerer(ui: Controller) -> String {
    model_name::short(&answerer(ui).0).to_owned()
}

/// The model that answers, and its host.
pub fn answerer(ui: Controller) -> (String, String) {
    match ui.choice() {
        Some(ModelChoice::Demo) => (ui.words().demo.to_owned(), String::new()),
        Some(ModelChoice::Profile { model, .. }) => {
            let label = ui.with_profile(|profile, _| profile.label().to_owned());
            (model, label.unwrap_or_default())
        }
        None => (ui.words().not_connected.to_owned(), String::new()),
    }
}
