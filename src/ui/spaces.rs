//! The switcher of workspaces: its button at the top of the sidebar, the menu, and the
//! dialogs that ask for a name or before one is deleted.

use leptos::prelude::*;

use super::controller::Controller;
use super::controller::spaces::AskSpace;
use super::element::{El, button, div, el, span};
use super::file_actions::walk;
use super::icon::{Icon, icon};
use super::modal::modal;
use super::say::Word;
use super::session_menu::choose_session;
use crate::kernel::spaces::{MAX_NAME, Space};
use crate::protocol::{Command, SpaceCommand};

/// Tells which workspace is shown, and opens the menu.
pub fn switcher(ui: Controller) -> El {
    let name = move || {
        ui.spaces.all.with(|spaces| {
            let shown = spaces.all.iter().find(|space| space.id == spaces.open);
            shown.map_or_else(String::new, |space| ui.space_name(space))
        })
    };
    let switch = button("sidebar__space")
        .test_id("space-switch")
        .attr("aria-haspopup", "menu")
        .bind("title", move || {
            format!("{}: {}", ui.words().space_switch(), name())
        })
        .child(icon(Icon::Folder))
        .child(span("sidebar__label sidebar__space-name").live(name))
        .when(move || ui.waits_elsewhere(), move || waits_mark(ui))
        .child(span("sidebar__label sidebar__space-mark").child(icon(Icon::ChevronRight)));
    let place = switch.clone();
    switch.press(move || {
        let at = place.node().get_bounding_client_rect();
        let menu = (at.left() as i32, at.bottom() as i32);
        ui.spaces.menu.set(Some(menu));
    })
}

/// Tells that a run waits for an answer elsewhere.
#[inline(never)]
fn waits_mark(ui: Controller) -> El {
    span("sidebar__space-waits")
        .test_id("space-waits")
        .say_as("title", ui, |words| words.space_waits())
        .child(icon(Icon::Info))
        .child(span("visually-hidden").say(ui, |words| words.space_waits()))
}

/// In a tab that follows: the shown run asks in the other one.
#[inline(never)]
pub fn waits_in_other_tab(ui: Controller) -> El {
    el("p")
        .test_id("waits-elsewhere")
        .say(ui, |words| words.waits_in_other_tab())
}

/// The menu and the dialog, each open while it is wanted.
pub fn space_dialogs(ui: Controller) -> [El; 2] {
    let spaces = ui.spaces;
    let px = |n: Option<i32>| format!("{}px", n.unwrap_or_default());
    let menu = modal(
        ui,
        "menu",
        move || spaces.menu.with(Option::is_some),
        move || spaces.menu.set(None),
        move || menu(ui),
    )
    .bind("aria-label", move || ui.words().space_switch())
    .style("--x", move || px(spaces.menu.get().map(|at| at.0)))
    .style("--y", move || px(spaces.menu.get().map(|at| at.1)));
    let asking = modal(
        ui,
        "dialog dialog--small",
        move || spaces.asking.with(Option::is_some),
        move || spaces.asking.set(None),
        move || question(ui),
    )
    .attr("aria-labelledby", "space-ask-title");
    [menu, asking]
}

#[inline(never)]
fn menu(ui: Controller) -> El {
    let all = ui.spaces.all.get_untracked();
    let may = untrack(|| ui.can_work());
    let rows = all
        .all
        .iter()
        .map(|space| row(ui, space, space.id == all.open));
    let open = all.open.clone();
    let mut deeds = Vec::new();
    if may {
        let new = AskSpace::Create;
        deeds.push(deed(
            ui,
            (Icon::Plus, |words| words.space_new()),
            "space-new",
            new,
        ));
        let rename = AskSpace::Rename(open.clone());
        deeds.push(deed(
            ui,
            (Icon::FilePen, |words| words.space_rename()),
            "space-rename",
            rename,
        ));
    }
    if may {
        let take_in = button("menu__item")
            .attr("role", "menuitem")
            .test_id("session-take-in")
            .child(icon(Icon::FilePlus))
            .child(span("menu__word").say(ui, |words| words.session_take_in()))
            .press(move || {
                ui.spaces.menu.set(None);
                choose_session(ui);
            });
        deeds.push(take_in);
    }
    if may && all.all.len() > 1 {
        let delete = AskSpace::Delete(open);
        deeds.push(deed(
            ui,
            (Icon::Trash, |words| words.space_delete()),
            "space-delete",
            delete,
        ));
    }
    let items = div("menu__items")
        .attr("role", "menu")
        .test_id("space-menu")
        .say_as("aria-label", ui, |words| words.spaces())
        .children(rows)
        .children(deeds)
        .key(walk);
    div("menu__page").child(items)
}

fn row(ui: Controller, space: &Space, is_open: bool) -> El {
    let id = space.id.clone();
    let shape = if is_open { Icon::Check } else { Icon::Folder };
    let waiting = ui.spaces.waiting.get_untracked();
    let waits = !is_open && waiting.iter().any(|run| run.space == id);
    button("menu__item")
        .attr("role", "menuitemradio")
        .attr("aria-checked", if is_open { "true" } else { "false" })
        .test_id("space-row")
        .child(icon(shape))
        .child(span("menu__word menu__word--cut").text(&ui.space_name(space)))
        .children(waits.then(|| {
            span("menu__note")
                .test_id("space-row-waits")
                .say(ui, |words| words.space_waits())
        }))
        .press(move || {
            ui.spaces.menu.set(None);
            if !is_open {
                ui.leave_space(SpaceCommand::Open(id.clone()));
            }
        })
}

fn deed(ui: Controller, (shape, word): (Icon, Word), id: &str, asking: AskSpace) -> El {
    button("menu__item")
        .attr("role", "menuitem")
        .test_id(id)
        .child(icon(shape))
        .child(span("menu__word").say(ui, word))
        .press(move || {
            ui.spaces.menu.set(None);
            ui.ask_space(asking.clone());
        })
}

#[inline(never)]
fn question(ui: Controller) -> El {
    let Some(asking) = ui.spaces.asking.get_untracked() else {
        return div("");
    };
    let (title, doing): (Word, Word) = match asking {
        AskSpace::Create => (|words| words.space_new(), |words| words.space_create()),
        AskSpace::Rename(_) => (
            |words| words.space_rename(),
            |words| words.space_rename_now(),
        ),
        AskSpace::Delete(_) => (
            |words| words.space_delete(),
            |words| words.space_delete_now(),
        ),
    };
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "space-ask-title")
        .say(ui, title);
    let form = el("form").class("ask").child(title);
    match asking {
        AskSpace::Delete(id) => {
            let told = move || delete_text(ui);
            let is_free = move || {
                let counts = ui.spaces.counts.get();
                counts.is_some_and(|counts| !counts.at_work)
            };
            let submit = submit(ui, doing).flag("disabled", move || !is_free());
            form.child(el("p").test_id("space-ask-text").live(told))
                .child(buttons(ui, submit))
                .on("submit", move |event| {
                    event.prevent_default();
                    ui.leave_space(SpaceCommand::Delete(id.clone()));
                })
        }
        asking => {
            let field = name_field(ui, &asking);
            let given = field.clone();
            let label = el("label")
                .class("field__label")
                .attr("for", "space-name")
                .say(ui, |words| words.space_name());
            form.child(label)
                .child(field)
                .child(buttons(ui, submit(ui, doing)))
                .on("submit", move |event| {
                    event.prevent_default();
                    answer(ui, &asking, given.value());
                })
        }
    }
}

fn delete_text(ui: Controller) -> String {
    let counts = ui.spaces.counts.get();
    counts.map_or_else(String::new, |counts| match counts.at_work {
        true => ui.words().space_at_work().to_owned(),
        false => {
            let name = name_of(ui, &counts.id);
            ui.words().space_delete_ask(&name, &counts)
        }
    })
}

fn name_of(ui: Controller, id: &str) -> String {
    ui.spaces.all.with_untracked(|spaces| {
        let space = spaces.all.iter().find(|space| space.id == id);
        space.map_or_else(String::new, |space| ui.space_name(space))
    })
}

fn name_field(ui: Controller, asking: &AskSpace) -> El {
    let input = el("input")
        .class("field__input")
        .attr("autocomplete", "off")
        .attr("maxlength", &MAX_NAME.to_string())
        .attr("required", "")
        .attr("id", "space-name")
        .test_id("space-name");
    if let AskSpace::Rename(id) = asking {
        input.set_value(&name_of(ui, id));
    }
    let of_focus = input.clone();
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        of_focus.focus();
        of_focus.select();
    });
    input
}

fn submit(ui: Controller, doing: Word) -> El {
    el("button")
        .class("button button--main")
        .attr("type", "submit")
        .test_id("space-ask-do")
        .say(ui, doing)
}

fn buttons(ui: Controller, submit: El) -> El {
    let cancel = button("button button--quiet")
        .say(ui, |words| words.cancel)
        .press(move || ui.spaces.asking.set(None));
    div("ask__buttons").child(cancel).child(submit)
}

fn answer(ui: Controller, asking: &AskSpace, name: String) {
    if name.trim().is_empty() {
        return;
    }
    match asking {
        AskSpace::Rename(id) => {
            let id = id.clone();
            ui.spaces.asking.set(None);
            ui.command(Command::Spaces(SpaceCommand::Rename { id, name }));
        }
        _ => ui.leave_space(SpaceCommand::Create(name)),
    }
}
