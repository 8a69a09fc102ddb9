//! The dialog that makes room: what takes it up, what is lost if it goes, and a button each.

use std::rc::Rc;

use super::controller::Controller;
use super::controller::room::Letting;
use super::dom;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon};
use super::modal::modal;
use super::state::key_of;
use crate::protocol::{Freeable, Weight};

/// The dialog, open while it is wanted.
pub fn free_space_dialog(ui: Controller) -> El {
    modal(
        ui,
        "dialog",
        move || ui.room.is_open.get(),
        move || ui.room.is_open.set(false),
        move || page(ui),
    )
    .attr("aria-labelledby", "room-title")
}

/// The button that opens it.
pub fn free_space_button(ui: Controller, class: &str) -> El {
    button(class)
        .test_id("free-space")
        .say(ui, |words| words.room_title())
        .press(move || ui.make_room())
}

#[inline(never)]
fn page(ui: Controller) -> El {
    let close = button("button button--icon")
        .test_id("room-close")
        .named(ui, |words| words.close)
        .child(icon(Icon::Close))
        .press(move || ui.room.is_open.set(false));
    let title = el("h2")
        .class("dialog__title")
        .attr("id", "room-title")
        .say(ui, |words| words.room_title());
    let head = div("dialog__head").child(div("dialog__bar").child(title).child(close));
    let told = move || {
        ui.room.weighed.with(|weighed| match weighed {
            Some(weighed) => ui.words().room_told(weighed.room, weighed.files),
            None => ui.words().room_weighing().to_owned(),
        })
    };
    let failed = move || {
        ui.room.weighed.with(|weighed| {
            let failed = weighed.as_ref()?.failed.clone()?;
            Some(ui.words().room_failed(&failed))
        })
    };
    let none = move || {
        let shell = ui.room.shell.get();
        let parts = ui
            .room
            .weighed
            .with(|weighed| weighed.as_ref().map(|all| all.parts.len()));
        shell == 0 && parts == Some(0)
    };
    let list = el("ul")
        .class("room__list")
        .test_id("room-list")
        .each(move || items(ui), move |item| item_view(ui, item));
    let body = div("dialog__part")
        .child(
            el("p")
                .attr("role", "status")
                .test_id("room-told")
                .live(told),
        )
        .child(
            el("p")
                .class("field__error")
                .attr("role", "alert")
                .test_id("room-failed")
                .flag("hidden", move || failed().is_none())
                .live(move || failed().unwrap_or_default()),
        )
        .child(list)
        .when(none, move || el("p").say(ui, |words| words.room_nothing()))
        .child(
            el("p")
                .class("field__hint")
                .say(ui, |words| words.room_elsewhere()),
        );
    div("dialog__page").child(head).child(body)
}

/// One line: what, and how much.
#[derive(Clone)]
struct Item {
    what: Letting,
    weight: Rc<Weight>,
}

/// What can go, with a key that tells its size too.
fn items(ui: Controller) -> Vec<(u64, Item)> {
    let mut items = Vec::new();
    let shell = ui.room.shell.get();
    let weighed = ui.room.weighed.get();
    let Some(weighed) = weighed else {
        return items;
    };
    let mut push = |what: Letting, weight: Weight| {
        let id = match &what {
            Letting::Kept(what) => name_of(what),
            Letting::Shell => String::new(),
        };
        let key = key_of(&(id, weight.bytes));
        let weight = Rc::new(weight);
        items.push((key, Item { what, weight }));
    };
    let (of_session, others): (Vec<&Weight>, Vec<&Weight>) = weighed
        .parts
        .iter()
        .partition(|part| matches!(part.what, Freeable::Session(_)));
    for part in others {
        push(Letting::Kept(part.what.clone()), part.clone());
    }
    if shell > 0 {
        let weight = Weight {
            what: Freeable::Traces,
            bytes: shell,
            title: String::new(),
            at_ms: 0,
        };
        push(Letting::Shell, weight);
    }
    for part in of_session {
        push(Letting::Kept(part.what.clone()), part.clone());
    }
    items
}

fn item_view(ui: Controller, Item { what, weight }: Item) -> El {
    let id = match &what {
        Letting::Shell => "shell".to_owned(),
        Letting::Kept(what) => name_of(what),
    };
    let name_of_it = {
        let (what, weight) = (what.clone(), Rc::clone(&weight));
        move || ui.words().room_name(kept(&what), &weight)
    };
    let (name_of_button, of_loss) = (name_of_it.clone(), what.clone());
    let (bytes, at_ms) = (weight.bytes, weight.at_ms);
    let is_asked = {
        let what = what.clone();
        move || ui.room.asked.with(|asked| asked.as_ref() == Some(&what))
    };
    let is_marked = is_asked.clone();
    let name = span("room__name").live(name_of_it);
    let size = span("room__size").live(move || ui.words().size(bytes));
    let loss = el("p").class("field__hint").live(move || {
        let now = (dom::now_ms(), dom::clock_offset_min());
        let moment = ui.words().moment(at_ms, now);
        ui.words().room_loss(kept(&of_loss), &moment)
    });
    let press = button("button button--small")
        .test_id("room-free")
        .class_if("button--bad", is_marked)
        .flag("disabled", move || !ui.can_work() || ui.room.is_busy.get())
        .bind("aria-label", move || {
            ui.words().room_press(&name_of_button())
        })
        .live(move || match is_asked() {
            true => ui.words().room_sure().to_owned(),
            false => ui.words().room_free().to_owned(),
        })
        .press(move || ui.let_go_of(what.clone()));
    el("li")
        .class("room__item")
        .test_id("room-item")
        .attr("data-what", &id)
        .child(div("room__what").child(name).child(loss))
        .child(size)
        .child(press)
}

fn kept(what: &Letting) -> Option<&Freeable> {
    match what {
        Letting::Kept(what) => Some(what),
        Letting::Shell => None,
    }
}

/// What tests and styles know it by.
fn name_of(what: &Freeable) -> String {
    match what {
        Freeable::OldHistory => "old-history".to_owned(),
        Freeable::History => "history".to_owned(),
        Freeable::Traces => "traces".to_owned(),
        Freeable::TakenBack => "taken-back".to_owned(),
        Freeable::Session(id) => id.clone(),
    }
}
