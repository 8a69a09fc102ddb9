//! A linked folder: its line over the tree, and the dialog in which is settled what the user
//! must settle.

use std::rc::Rc;

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon, live_icon};
use super::modal::modal;
use super::say::Word;
use super::state::key_of;
use crate::protocol::{Command, Conflict, Keep, LinkCommand, LinkState, LinkView, Settling};

/// Paths of a list that are shown.
const MOST_SHOWN: usize = 200;

/// The dialog, open while it is wanted.
pub fn link_dialog(ui: Controller) -> El {
    modal(
        ui,
        "dialog",
        move || ui.linked.is_open.get(),
        move || ui.linked.is_open.set(false),
        move || page(ui),
    )
    .attr("aria-labelledby", "link-title")
}

/// The item of the menu for what comes in; where it can't be, what serves instead.
#[inline(never)]
pub fn link_item(ui: Controller, sent: impl Fn() + 'static) -> El {
    let item = button("button button--quiet add-files")
        .test_id("link-folder")
        .flag("hidden", move || !ui.can_link() || ui.linked.is_there())
        .flag("disabled", move || !ui.can_work())
        .child(icon(Icon::Link))
        .child(el("span").say(ui, |words| words.link_folder()))
        .press(move || {
            sent();
            ui.link_folder(String::new());
        });
    let instead = el("p")
        .class("field__hint")
        .test_id("link-instead")
        .flag("hidden", move || ui.can_link())
        .say(ui, |words| words.link_instead());
    div("import-menu__link").child(item).child(instead)
}

/// The line over the tree.
#[inline(never)]
pub fn link_line(ui: Controller) -> El {
    let state = move || with_view(ui, |view| view.state.clone()).unwrap_or(LinkState::InSync);
    let is_syncing = move || matches!(state(), LinkState::Syncing { .. });
    let told = move || {
        let ahead = ui.linked.ahead.with(|ahead| ahead.len());
        with_view(ui, |view| ui.words().link_line(view, ahead)).unwrap_or_default()
    };
    let name = move || with_view(ui, |view| view.name.clone()).unwrap_or_default();
    let look = button("link-line__text")
        .test_id("link-open")
        .child(span("link-line__name").live(move || ui.words().link_name(&name())))
        .child(span("link-line__state").test_id("link-state").live(told))
        .press(move || ui.linked.is_open.set(true));
    let sync = button("button button--icon")
        .test_id("link-sync")
        .bind("aria-label", move || sync_word(ui, &state()))
        .bind("title", move || sync_word(ui, &state()))
        .flag("disabled", move || is_syncing() || !ui.can_work())
        .child(live_icon(move || match state() {
            LinkState::Syncing { .. } => Icon::Spinner,
            LinkState::Asks => Icon::Key,
            LinkState::Missing => Icon::Folder,
            _ => Icon::Again,
        }))
        .press(move || ui.sync_link());
    let stop = stop("button button--icon link-stop", "link-stop", ui, is_syncing)
        .named(ui, |words| words.link_stop())
        .child(icon(Icon::Stop));
    div("link-line")
        .test_id("link-line")
        .class_if("link-line--warn", move || {
            with_view(ui, needs_user).unwrap_or_default()
        })
        .child(icon(Icon::Link))
        .child(look)
        .child(sync)
        .child(stop)
}

/// The button that stops it, while it goes on.
fn stop(class: &str, id: &str, ui: Controller, is_syncing: impl Fn() -> bool + 'static) -> El {
    button(class)
        .test_id(id)
        .flag("hidden", move || !is_syncing())
        .flag("disabled", move || !ui.can_work())
        .press(move || ui.command(Command::Link(LinkCommand::Stop)))
}

/// What the button does that takes the next step.
fn sync_word(ui: Controller, state: &LinkState) -> &'static str {
    match state {
        LinkState::Asks => ui.words().link_allow(),
        LinkState::Missing => ui.words().link_put_back(),
        _ => ui.words().link_sync(),
    }
}

fn with_view<T>(ui: Controller, look: impl FnOnce(&LinkView) -> T) -> Option<T> {
    ui.linked.view.with(|view| view.as_deref().map(look))
}

/// Whether the user must do something.
fn needs_user(view: &LinkView) -> bool {
    let is_broken = !matches!(view.state, LinkState::InSync | LinkState::Syncing { .. });
    let lists = [&view.gone_here, &view.gone_there];
    is_broken
        || !view.conflicts.is_empty()
        || !view.blocked.is_empty()
        || lists.iter().any(|list| !list.is_empty())
}

#[inline(never)]
fn page(ui: Controller) -> El {
    let close = button("button button--icon")
        .test_id("link-close")
        .named(ui, |words| words.close)
        .child(icon(Icon::Close))
        .press(move || ui.linked.is_open.set(false));
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "link-title")
        .live(move || {
            let name = with_view(ui, |view| view.name.clone()).unwrap_or_default();
            ui.words().link_name(&name)
        });
    let head = div("dialog__head").child(div("dialog__bar").child(title).child(close));
    // Drawn anew when there is something else to settle, and not while files are carried.
    let key = move || {
        with_view(ui, |view| {
            let marks: Vec<&str> = view.conflicts.iter().map(|one| one.mark.as_str()).collect();
            key_of(&(marks, &view.gone_here, &view.gone_there, &view.blocked))
        })
        .unwrap_or_default()
    };
    let view = move || ui.linked.view.get_untracked();
    let lists = div("link__lists").choose(key, move |_| view().map(|view| lists(ui, &view)));
    div("dialog__page")
        .child(head)
        .child(state_part(ui))
        .child(lists)
}

/// How it stands, and what can be pressed at any time.
fn state_part(ui: Controller) -> El {
    let told = move || with_view(ui, |view| ui.words().link_state(view)).unwrap_or_default();
    let where_to =
        move || with_view(ui, |view| ui.words().link_of(&view.folder)).unwrap_or_default();
    let is_syncing = move || {
        with_view(ui, |view| matches!(view.state, LinkState::Syncing { .. })).unwrap_or_default()
    };
    let sync = button("button button--main")
        .test_id("link-sync-now")
        .flag("disabled", move || is_syncing() || !ui.can_work())
        .live(move || {
            let state = with_view(ui, |view| view.state.clone());
            sync_word(ui, &state.unwrap_or(LinkState::InSync))
        })
        .press(move || ui.sync_link());
    let unlink = button("button")
        .test_id("link-unlink")
        .flag("disabled", move || !ui.can_work())
        .say(ui, |words| words.link_unlink())
        .press(move || ui.command(Command::Link(LinkCommand::End)));
    let stop = stop("button link-stop", "link-stop-now", ui, is_syncing)
        .say(ui, |words| words.link_stop());
    div("dialog__part")
        .child(
            el("p")
                .attr("role", "status")
                .test_id("link-told")
                .live(told),
        )
        .child(
            el("p")
                .class("field__hint")
                .test_id("link-of")
                .live(where_to),
        )
        .child(div("field__ways").child(sync).child(unlink).child(stop))
        .child(
            el("p")
                .class("field__hint")
                .say(ui, |words| words.link_unlink_hint()),
        )
}

fn lists(ui: Controller, view: &Rc<LinkView>) -> El {
    let mut parts = Vec::new();
    if !view.conflicts.is_empty() {
        let shown = view.conflicts.iter().take(MOST_SHOWN);
        let list = el("ul")
            .class("link__list")
            .children(shown.map(|one| conflict(ui, one.clone())));
        parts.push(part(ui, |words| words.link_conflicts()).child(list));
    }
    let sides: [(&Vec<String>, [Word; 3], &str); 2] = [
        (
            &view.gone_here,
            [
                |words| words.link_gone_here(),
                |words| words.link_delete_there(),
                |words| words.link_back_here(),
            ],
            "link-gone-here",
        ),
        (
            &view.gone_there,
            [
                |words| words.link_gone_there(),
                |words| words.link_delete_here(),
                |words| words.link_back_there(),
            ],
            "link-gone-there",
        ),
    ];
    for (paths, [title, delete, back], id) in sides {
        if !paths.is_empty() {
            let ways = [
                settle(ui, delete, "link-delete", Settling::Delete(paths.clone())),
                settle(ui, back, "link-back", Settling::BringBack(paths.clone())),
            ];
            let list = names(ui, paths.iter().cloned());
            let ways = div("field__ways").children(ways);
            parts.push(part(ui, title).test_id(id).child(list).child(ways));
        }
    }
    if !view.blocked.is_empty() {
        let line = |(path, block): &(String, _)| {
            let why = ui.words().link_block(block);
            ui.words().link_blocked_line(path, &why)
        };
        let lines: Vec<String> = view.blocked.iter().map(line).collect();
        parts.push(
            part(ui, |words| words.link_blocked())
                .test_id("link-blocked")
                .child(names(ui, lines.into_iter())),
        );
    }
    div("link__parts").children(parts)
}

fn part(ui: Controller, title: Word) -> El {
    div("dialog__part").child(el("h3").class("dialog__subtitle").say(ui, title))
}

fn names(ui: Controller, lines: impl ExactSizeIterator<Item = String>) -> El {
    let more = lines.len().saturating_sub(MOST_SHOWN);
    let items = lines.take(MOST_SHOWN).map(|line| el("li").text(&line));
    let rest = (more > 0).then(|| el("li").live(move || ui.words().link_more(more)));
    el("ul").class("link__names").children(items).children(rest)
}

fn conflict(ui: Controller, conflict: Conflict) -> El {
    let ways: [(Keep, Word, &str); 3] = [
        (Keep::Mine, |words| words.link_mine(), "link-mine"),
        (Keep::Theirs, |words| words.link_theirs(), "link-theirs"),
        (Keep::Both, |words| words.link_both(), "link-both"),
    ];
    let has_both = conflict.here.is_some() && conflict.there.is_some();
    let ways = ways
        .into_iter()
        .filter(|(keep, ..)| has_both || *keep != Keep::Both);
    let ways = ways.map(|(keep, word, id)| {
        let (path, mark) = (conflict.path.clone(), conflict.mark.clone());
        let settling = Settling::Conflict { path, mark, keep };
        settle(ui, word, id, settling)
    });
    let ways = div("field__ways").children(ways);
    let name = span("link__path").text(&conflict.path);
    let path = conflict.path.clone();
    let sizes = span("field__hint").live(move || ui.words().link_sizes(&conflict));
    el("li")
        .class("link__conflict")
        .test_id("link-conflict")
        .attr("data-path", &path)
        .child(name)
        .child(sizes)
        .child(ways)
}

fn settle(ui: Controller, word: Word, id: &str, settling: Settling) -> El {
    let is_free = move || {
        let is_syncing = |view: &LinkView| matches!(view.state, LinkState::Syncing { .. });
        ui.can_work() && !with_view(ui, is_syncing).unwrap_or(true)
    };
    button("button button--small")
        .test_id(id)
        .flag("disabled", move || !is_free())
        .say(ui, word)
        .press(move || ui.settle_link(settling.clone()))
}
