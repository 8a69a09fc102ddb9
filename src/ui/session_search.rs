//! Looking for sessions: the field over their list, what was found, and those that are put away.

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::sidebar::session_row;
use super::state::key_of;
use crate::protocol::{Hit, Snippet};

/// Characters of what is looked for.
const LONGEST: &str = "200";

/// The field.
#[inline(never)]
pub fn search_field(ui: Controller) -> El {
    let input = el("input")
        .class("field__input")
        .attr("type", "search")
        .attr("maxlength", LONGEST)
        .attr("autocomplete", "off")
        .test_id("session-search")
        .say_as("placeholder", ui, |words| words.sessions_search())
        .say_as("aria-label", ui, |words| words.sessions_search());
    input.set_value(&ui.listing.words.get_untracked());
    let (typed, of_escape) = (input.clone(), input.clone());
    let input = input
        .on("input", move |_| {
            ui.search_sessions(typed.value().trim().to_owned());
        })
        .key(move |event| {
            if event.key() == "Escape" && !of_escape.value().is_empty() {
                event.stop_propagation();
                event.prevent_default();
                of_escape.set_value("");
                ui.search_sessions(String::new());
            }
        });
    div("sidebar__search").child(input)
}

/// What was found, while something is looked for; else those that are put away.
#[inline(never)]
pub fn found_list(ui: Controller) -> El {
    let is_searching = move || ui.listing.words.with(|words| !words.is_empty());
    div("sidebar__found sidebar__group")
        .when(is_searching, move || results(ui))
        .when(
            move || !is_searching() && !archived(ui).is_empty(),
            move || {
                let rows = el("ul").each(move || archived(ui), move |id| session_row(ui, id));
                let name = el("summary")
                    .class("sidebar__day")
                    .say(ui, |words| words.sessions_archived());
                el("details")
                    .test_id("session-archive-list")
                    .child(name)
                    .child(rows)
            },
        )
}

fn archived(ui: Controller) -> Vec<(u64, String)> {
    ui.sessions.with(|all| {
        let archived = all.iter().filter(|session| session.marks.archived);
        archived
            .map(|session| (key_of(&session.id), session.id.clone()))
            .collect()
    })
}

fn results(ui: Controller) -> El {
    let found = ui.listing.found;
    let told = move || {
        found.with(|found| match found {
            None => ui.words().sessions_searching().to_owned(),
            Some(found) if found.hits.is_empty() => ui.words().sessions_not_found().to_owned(),
            Some(_) => String::new(),
        })
    };
    // A session that was deleted meanwhile is found no more.
    let hits = move || {
        found.with(|found| {
            let hits = found.iter().flat_map(|found| found.hits.iter().cloned());
            let there = hits.filter(|hit| ui.of_session(&hit.id, |_| ()).is_some());
            there.map(|hit| (key_of(&hit.id), hit)).collect()
        })
    };
    let more = move || {
        button("button button--quiet")
            .test_id("session-search-more")
            .say(ui, |words| words.sessions_more())
            .press(move || ui.search_on())
    };
    div("found")
        .child(
            el("p")
                .class("sidebar__none")
                .attr("role", "status")
                .class_if("visually-hidden", move || told().is_empty())
                .live(told),
        )
        .child(el("ul").each(hits, move |hit| hit_row(ui, hit)))
        .when(
            move || found.with(|found| found.as_ref().is_some_and(|found| found.next.is_some())),
            more,
        )
}

fn hit_row(ui: Controller, hit: Hit) -> El {
    let id = hit.id.clone();
    let of_mark = id.clone();
    let title = move || {
        let title = ui.of_session(&id, |session| session.title.clone());
        title
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| ui.words().session_untitled.to_owned())
    };
    let is_archived =
        move || ui.of_session(&of_mark, |session| session.marks.archived) == Some(true);
    let head = span("found__head")
        .child(span("session__title").live(title.clone()))
        .when(is_archived, move || {
            span("found__mark").say(ui, |words| words.session_is_archived())
        });
    let text = hit.snippet.as_ref().map(snippet);
    let row = button("session found__row")
        .test_id("session-hit")
        .bind("title", title)
        .child(span("found__text").child(head).children(text))
        .press(move || ui.open_hit(&hit));
    el("li").child(row)
}

fn snippet(snippet: &Snippet) -> El {
    span("found__snippet")
        .text(&snippet.before)
        .child(el("mark").text(&snippet.found))
        .text(&snippet.after)
}
