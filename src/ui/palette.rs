//! The palette: everything that can be done, all sessions, workspaces and files, found by
//! typing. And what else lies over the page for a moment.

use leptos::prelude::*;
use leptos::{ev, task};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::actions::{ACTIONS, possible};
use super::combobox::{Enter, Line, Parts, combobox};
use super::controller::Controller;
use super::controller::writing::Over;
use super::dom;
use super::element::{El, div, el, follow};
use super::modal::modal;
use super::presence::presence;
use super::shortcuts::{palette_keys, shortcuts};
use super::signal::RwSignal;
use super::state::fuzzy;
use super::state::search::search;
use super::writing::{drop_zone, prompt_form};
use crate::protocol::SpaceCommand;

/// Most lines of each kind while something is looked for.
const MOST: usize = 30;
/// Sessions that are offered before anything is typed.
const FIRST_SESSIONS: usize = 5;
/// Characters of a title that are shown.
const TITLE: usize = 90;

/// All of it, closed, and the keys that open it.
#[inline(never)]
pub fn over(ui: Controller, chat: &El) -> El {
    listen(ui);
    drop_zone(ui, chat);
    let palette = layer(
        ui,
        "dialog palette",
        |over| *over == Over::Palette,
        move || palette(ui),
    )
    .test_id("palette")
    .say_as("aria-label", ui, |words| words.palette());
    let keys = layer(
        ui,
        "dialog dialog--small",
        |over| *over == Over::Shortcuts,
        move || shortcuts(ui),
    )
    .attr("aria-labelledby", "shortcuts-title");
    let prompt = layer(
        ui,
        "dialog dialog--small",
        |over| matches!(over, Over::Prompt(_)),
        move || match ui.over.get_untracked() {
            Some(Over::Prompt(prompt)) => prompt_form(ui, prompt),
            _ => div(""),
        },
    )
    .attr("aria-labelledby", "prompt-title");
    div("over")
        .child(palette)
        .child(keys)
        .child(prompt)
        .child(presence(ui))
}

/// A dialog that is open while what is wanted lies over the page.
fn layer(
    ui: Controller,
    class: &str,
    is_it: fn(&Over) -> bool,
    page: impl Fn() -> El + 'static,
) -> El {
    let is_open = move || ui.over.with(|over| over.as_ref().is_some_and(is_it));
    // It is told a moment later that it was closed: another one may be open by then.
    let close = move || {
        if untrack(is_open) {
            ui.over.set(None);
        }
    };
    modal(ui, class, is_open, close, page)
}

/// Opens the palette and the list of shortcuts by their keys.
fn listen(ui: Controller) {
    let handle = window_event_listener(ev::keydown, move |event| {
        if event.default_prevented() || event.is_composing() {
            return;
        }
        let wanted = match event.key().as_str() {
            "k" | "K" if palette_keys(&event) => Over::Palette,
            "?" if is_free(&event) => Over::Shortcuts,
            _ => return,
        };
        event.prevent_default();
        let over = ui.over.get_untracked();
        if over.as_ref() == Some(&wanted) {
            return ui.over.set(None);
        }
        // What is asked in a dialog is answered first.
        if over.is_none() && !dom::is_there("dialog[open]") {
            ui.over.set(Some(wanted));
        }
    });
    on_cleanup(move || handle.remove());
}

/// Whether a key is not typed into anything.
fn is_free(event: &KeyboardEvent) -> bool {
    let to = event.target().and_then(|to| to.dyn_into::<Element>().ok());
    let fields = "input, textarea, select, [contenteditable=true]";
    let in_field = to.is_some_and(|to| to.closest(fields).is_ok_and(|found| found.is_some()));
    !in_field && !event.ctrl_key() && !event.meta_key() && !event.alt_key()
}

fn palette(ui: Controller) -> El {
    let open = RwSignal::new(true);
    // The list closes by itself; the palette goes with it.
    follow(Box::new(move || {
        let is_palette = ui.over.get_untracked() == Some(Over::Palette);
        if !open.get() && is_palette {
            ui.over.set(None);
        }
    }));
    let input = el("input")
        .class("palette__input")
        .attr("type", "text")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("autofocus", "")
        .test_id("palette-input")
        .say_as("aria-label", ui, |words| words.palette())
        .say_as("placeholder", ui, |words| words.palette());
    let focus = input.clone();
    task::spawn_local(async move {
        task::tick().await;
        focus.focus();
    });
    let none = RwSignal::new(false);
    let parts = Parts {
        id: "palette-list",
        open,
        enter: Enter::First,
        lines: Box::new(move |query| {
            let lines = lines(ui, query);
            none.set(lines.is_empty());
            lines
        }),
        status: Box::new(move || match none.get() {
            true => ui.words().palette_none().to_owned(),
            false => String::new(),
        }),
        opened: Box::new(|| {}),
        pick: Box::new(move |line| {
            let value = line.value.clone().unwrap_or_default();
            ui.over.set(None);
            // Behind the dialog, which first gives back the focus.
            task::spawn_local(async move {
                task::tick().await;
                pick(ui, &value);
            });
        }),
    };
    combobox(input, parts).class("combo palette__combo")
}

/// Does what a line is for.
fn pick(ui: Controller, value: &str) {
    match value.split_once(' ') {
        Some(("act", at)) => {
            let action = at.parse().ok().and_then(|at: usize| ACTIONS.get(at));
            if let Some(action) = action {
                (action.run)(ui);
            }
        }
        Some(("session", id)) => ui.open_session(id.to_owned()),
        Some(("space", id)) => ui.leave_space(SpaceCommand::Open(id.to_owned())),
        Some(("file", path)) => {
            ui.open_file(path.to_owned());
            dom::focus_later(
                "[data-testid=file-viewer] [tabindex='0'], [data-testid=file-viewer] button".into(),
            );
        }
        _ => {}
    }
}

/// Actions, sessions, workspaces, files, as far as they fit.
fn lines(ui: Controller, query: &str) -> Vec<Line> {
    let is_bare = query.trim().is_empty();
    let mut all = Vec::new();
    let words = ui.words();
    let actions: Vec<_> = possible(ui).collect();
    let names: Vec<String> = actions
        .iter()
        .map(|(_, action)| format!("{} {}", (action.name)(words), action.command))
        .collect();
    let found = found(&names, query, actions.len());
    let line = |at: usize| {
        let (place, action) = actions[at];
        let note = match (action.keys, action.command) {
            ("", "") => String::new(),
            ("", command) => format!("/{command}"),
            (keys, _) => keys.to_owned(),
        };
        (
            format!("act {place}"),
            (action.name)(words).to_owned(),
            note,
        )
    };
    add(
        &mut all,
        words.palette_actions(),
        found.into_iter().map(line),
    );

    let sessions: Vec<(String, String)> = ui.sessions.with(|sessions| {
        let named = sessions.iter().map(|session| {
            let title = match session.title.as_str() {
                "" => words.session_untitled,
                title => title,
            };
            (session.id.clone(), title.chars().take(TITLE).collect())
        });
        named.collect()
    });
    let names: Vec<String> = sessions.iter().map(|(_, title)| title.clone()).collect();
    let most = if is_bare { FIRST_SESSIONS } else { MOST };
    let current = ui.current.get();
    let line = |at: usize| {
        let (id, title) = &sessions[at];
        let mark = if Some(id) == current.as_ref() {
            "✓"
        } else {
            ""
        };
        (format!("session {id}"), title.clone(), mark.to_owned())
    };
    let found = self::found(&names, query, most);
    add(
        &mut all,
        words.palette_sessions(),
        found.into_iter().map(line),
    );

    let spaces = ui.spaces.all.get();
    let others: Vec<_> = spaces
        .all
        .iter()
        .filter(|space| space.id != spaces.open)
        .collect();
    let names: Vec<String> = others.iter().map(|space| ui.space_name(space)).collect();
    let found = self::found(&names, query, MOST);
    let line = |at: usize| {
        (
            format!("space {}", others[at].id),
            names[at].clone(),
            String::new(),
        )
    };
    add(
        &mut all,
        words.palette_spaces(),
        found.into_iter().map(line),
    );

    if !is_bare {
        ui.files.all.with(|files| {
            let files = files.iter().filter(|(_, size)| size.is_some());
            let paths = files.map(|(path, _)| path.as_str());
            let found = fuzzy::best(paths, query, MOST).into_iter();
            let line = |path: &str| (format!("file {path}"), path.to_owned(), String::new());
            add(&mut all, words.files, found.map(line));
        });
    }
    all
}

/// The places of what fits.
fn found(names: &[String], query: &str, most: usize) -> Vec<usize> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    search(&names, query, most).0
}

/// A title, and the lines under it, if there are any.
fn add(all: &mut Vec<Line>, title: &str, lines: impl Iterator<Item = (String, String, String)>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    all.push(Line {
        text: title.to_owned(),
        ..Line::default()
    });
    all.extend(lines.map(|(value, text, note)| Line {
        value: Some(value),
        text,
        note,
        group: title.to_owned(),
    }));
}
