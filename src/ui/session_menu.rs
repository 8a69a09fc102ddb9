//! What can be done with a session: the button of its row, the menu, and the dialog that asks
//! for a title.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::file_actions::walk;
use super::icon::{Icon, icon};
use super::modal::modal;
use super::readable::Form;
use super::say::Word;
use crate::kernel::session::{Marks, SessionId};
use crate::protocol::SessionCommand;

/// Opens the menu of a session.
#[inline(never)]
pub fn menu_button(ui: Controller, id: &str) -> El {
    let id = id.to_owned();
    let of_name = id.clone();
    let open = button("button button--icon session__menu")
        .test_id("session-menu-open")
        .attr("aria-haspopup", "menu")
        .bind("aria-label", move || {
            let title = ui.of_session(&of_name, |session| session.title.clone());
            format!(
                "{}: {}",
                ui.words().session_act(),
                title.unwrap_or_default()
            )
        })
        .say_as("title", ui, |words| words.session_act())
        .child(icon(Icon::More));
    let place = open.clone();
    open.press(move || {
        let at = place.node().get_bounding_client_rect();
        let menu = (at.left() as i32, at.bottom() as i32, id.clone());
        ui.listing.menu.set(Some(menu));
    })
}

/// The menu and the dialog, each open while it is wanted.
#[inline(never)]
pub fn session_dialogs(ui: Controller) -> El {
    let listing = ui.listing;
    let px = |n: Option<i32>| format!("{}px", n.unwrap_or_default());
    let place = move |of: fn(&(i32, i32, SessionId)) -> i32| {
        px(listing.menu.with(|at| at.as_ref().map(of)))
    };
    let menu = modal(
        ui,
        "menu",
        move || listing.menu.with(Option::is_some),
        move || listing.menu.set(None),
        move || menu(ui),
    )
    .say_as("aria-label", ui, |words| words.session_act())
    .style("--x", move || place(|at| at.0))
    .style("--y", move || place(|at| at.1));
    let renaming = modal(
        ui,
        "dialog dialog--small",
        move || listing.renaming.with(Option::is_some),
        move || listing.renaming.set(None),
        move || rename(ui),
    )
    .attr("aria-labelledby", "session-rename-title");
    div("session-dialogs").child(menu).child(renaming)
}

/// What an entry of the menu does.
#[derive(Clone, Copy)]
enum Deed {
    Rename,
    Pin(bool),
    Archive(bool),
    Copy,
    ReadOut(Form),
    HandOut,
    Delete,
}

impl Deed {
    fn changes(self) -> bool {
        !matches!(self, Self::ReadOut(_) | Self::HandOut)
    }

    fn shown(self) -> (Icon, Word, &'static str) {
        match self {
            Self::Rename => (Icon::FilePen, |words| words.session_rename(), "rename"),
            Self::Pin(true) => (Icon::ArrowUp, |words| words.session_pin(), "pin"),
            Self::Pin(false) => (Icon::ArrowDown, |words| words.session_unpin(), "pin"),
            Self::Archive(true) => (Icon::Save, |words| words.session_archive(), "archive"),
            Self::Archive(false) => (Icon::Undo, |words| words.session_unarchive(), "archive"),
            Self::Copy => (Icon::Copy, |words| words.session_copy(), "copy"),
            Self::ReadOut(Form::Markdown) => (
                Icon::Download,
                |words| words.session_as_markdown(),
                "markdown",
            ),
            Self::ReadOut(Form::Page) => (Icon::Download, |words| words.session_as_page(), "page"),
            Self::HandOut => (Icon::Download, |words| words.session_as_json(), "json"),
            Self::Delete => (Icon::Trash, |words| words.session_delete(), "delete"),
        }
    }
}

fn menu(ui: Controller) -> El {
    let id = ui.listing.menu.with_untracked(|at| {
        let at = at.as_ref();
        at.map_or_else(String::new, |at| at.2.clone())
    });
    let marks = untrack(|| ui.of_session(&id, |session| session.marks)).unwrap_or_default();
    // A tab that only looks can hand out what it sees.
    let may = untrack(|| ui.can_work());
    let deeds = deeds(marks).into_iter();
    let items = deeds.filter(|deed| may || !deed.changes()).map(|deed| {
        let (shape, word, name) = deed.shown();
        let id = id.clone();
        button("menu__item")
            .attr("role", "menuitem")
            .test_id(&format!("session-{name}"))
            .child(icon(shape))
            .child(span("menu__word").say(ui, word))
            .press(move || {
                ui.listing.menu.set(None);
                perform(ui, deed, id.clone());
            })
    });
    let list = div("menu__items")
        .attr("role", "menu")
        .test_id("session-menu")
        .say_as("aria-label", ui, |words| words.session_act())
        .children(items)
        .key(walk);
    div("menu__page").child(list)
}

/// What can be done with a session that has these marks.
fn deeds(marks: Marks) -> Vec<Deed> {
    let pin = (!marks.archived).then_some(Deed::Pin(!marks.pinned));
    let first = [Deed::Rename].into_iter().chain(pin);
    let rest = [
        Deed::Archive(!marks.archived),
        Deed::Copy,
        Deed::ReadOut(Form::Markdown),
        Deed::ReadOut(Form::Page),
        Deed::HandOut,
        Deed::Delete,
    ];
    first.chain(rest).collect()
}

fn perform(ui: Controller, deed: Deed, id: SessionId) {
    ui.session_command(match deed {
        Deed::Rename => return ui.listing.renaming.set(Some(id)),
        Deed::Pin(pinned) => SessionCommand::Pin { id, pinned },
        Deed::Archive(archived) => SessionCommand::Archive { id, archived },
        Deed::Copy => SessionCommand::Copy {
            session: id,
            until: None,
        },
        Deed::ReadOut(form) => return ui.read_out(id, form),
        Deed::HandOut => SessionCommand::HandOut(id),
        Deed::Delete => SessionCommand::Delete(id),
    });
}

/// Lets the user choose the file of a session, which is taken in.
pub fn choose_session(ui: Controller) {
    let input = el("input")
        .attr("type", "file")
        .attr("accept", ".json,application/json");
    let chosen = input.clone();
    let input = input.on("change", move |_| {
        let list = chosen.node().dyn_ref().and_then(HtmlInputElement::files);
        if let Some(file) = list.and_then(|list| list.get(0)) {
            ui.take_in(file);
        }
    });
    input.html().click();
}

/// The dialog that asks for a title.
fn rename(ui: Controller) -> El {
    let Some(id) = ui.listing.renaming.get_untracked() else {
        return div("");
    };
    let title = untrack(|| ui.of_session(&id, |session| session.title.clone()));
    let input = el("input")
        .class("field__input")
        .attr("autocomplete", "off")
        .attr("required", "")
        .attr("id", "session-title")
        .test_id("session-title-input");
    input.set_value(&title.unwrap_or_default());
    let (of_focus, given) = (input.clone(), input.clone());
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        of_focus.focus();
        of_focus.select();
    });
    let label = el("label")
        .class("field__label")
        .attr("for", "session-title")
        .say(ui, |words| words.session_title());
    let cancel = button("button button--quiet")
        .say(ui, |words| words.cancel)
        .press(move || ui.listing.renaming.set(None));
    let submit = el("button")
        .class("button button--main")
        .attr("type", "submit")
        .test_id("session-rename-do")
        .say(ui, |words| words.session_rename());
    let heading = el("h2")
        .class("dialog__title")
        .attr("id", "session-rename-title")
        .say(ui, |words| words.session_rename_title());
    el("form")
        .class("ask")
        .child(heading)
        .child(label)
        .child(input)
        .child(div("ask__buttons").child(cancel).child(submit))
        .on("submit", move |event| {
            event.prevent_default();
            let title = given.value();
            if !title.trim().is_empty() {
                ui.listing.renaming.set(None);
                let id = id.clone();
                ui.session_command(SessionCommand::Rename { id, title });
            }
        })
}
