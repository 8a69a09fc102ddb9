//! Below a task: having it worked on again, in other words or the same, beginning a session
//! from there, and going between its versions and answers.

use std::sync::Arc;

use leptos::prelude::*;

use super::controller::Controller;
use super::controller::listing::Again;
use super::dom;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon};
use super::rows::Place;
use super::say::Word;
use super::state::transcript::UserView;
use crate::kernel::session::branches::Fork;
use crate::protocol::{Outlook, SessionCommand};

/// The foot of a task, and the question in its place.
#[inline(never)]
pub fn task_foot(place: &Place, user: &Arc<UserView>) -> El {
    let (ui, seq) = (place.ui, user.seq);
    let session = place.model.session();
    let asked = move || {
        ui.listing.again.with(|again| {
            let again = again.as_ref();
            let again = again.filter(|again| again.task == seq && again.session == session);
            again.map(|again| 1 + u64::from(again.edits))
        })
    };
    let (place, user) = (place.clone(), Arc::clone(user));
    div("task__foot").choose(
        move || asked().unwrap_or_default(),
        move |asked| {
            Some(match asked {
                0 => foot(&place, seq),
                asked => question(&place, &user, asked > 1),
            })
        },
    )
}

fn foot(place: &Place, seq: u64) -> El {
    let (ui, session) = (place.ui, place.model.session());
    let (to_edit, to_ask, to_copy) = (session.clone(), session.clone(), session);
    let ask = move |session: String, edits| {
        let task = seq;
        ui.ask_again(Again {
            session,
            task,
            edits,
        });
        dom::focus_later(
            "[data-testid=task-panel] textarea, [data-testid=task-again-cancel]".into(),
        );
    };
    let edit = deed(ui, Icon::FilePen, |words| words.task_edit(), "task-edit")
        .press(move || ask(to_edit.clone(), true));
    let again = deed(ui, Icon::Again, |words| words.task_again(), "task-again")
        .press(move || ask(to_ask.clone(), false));
    let copy = deed(ui, Icon::Columns, |words| words.task_copy(), "task-copy").press(move || {
        ui.session_command(SessionCommand::Copy {
            session: to_copy.clone(),
            until: Some(seq),
        });
    });
    let forks = place.model.forks.clone();
    let of_task = move || {
        forks.with(|forks| {
            let here = forks
                .iter()
                .enumerate()
                .filter(|(_, fork)| fork.task == seq);
            let here = here.map(|(at, fork)| (key(at, fork), (at, fork.clone())));
            here.collect::<Vec<_>>()
        })
    };
    let model = place.model.clone();
    let ways = div("task__ways").each(of_task, move |(at, fork)| {
        switcher(ui, model.session(), at, &fork)
    });
    let deeds = div("task__deeds").child(edit).child(again).child(copy);
    div("task__line").child(ways).child(deeds)
}

/// Another one once anything of it has changed.
fn key(at: usize, fork: &Fork) -> u64 {
    let parts = [
        at as u64,
        fork.at as u64,
        fork.ways.len() as u64,
        fork.task,
        u64::from(fork.is_of_task),
    ];
    parts.iter().fold(7, |key, part| {
        u64::wrapping_add(u64::wrapping_mul(key, 1_000_003), *part)
    })
}

fn deed(ui: Controller, shape: Icon, word: Word, id: &str) -> El {
    button("button button--icon button--small")
        .test_id(id)
        .named(ui, word)
        .flag("disabled", move || !ui.can_send())
        .child(icon(shape))
}

/// `‹ 2/3 ›`
fn switcher(ui: Controller, session: String, place: usize, fork: &Fork) -> El {
    let (at, of, is_of_task) = (fork.at, fork.ways.len(), fork.is_of_task);
    let step = |to: Option<usize>, word: Word, class: &str, id: &str| {
        let way = to.and_then(|to| fork.ways.get(to).copied().flatten());
        let session = session.clone();
        button(class)
            .test_id(id)
            .named(ui, word)
            .flag("disabled", move || way.is_none() || !ui.can_send())
            .child(icon(Icon::ChevronRight))
            .press(move || {
                if let Some(way) = way {
                    ui.switch_branch(session.clone(), way, place);
                }
            })
    };
    let told = move || {
        let words = ui.words();
        let place = words.branch_place(is_of_task, at + 1, of);
        format!("{place}. {}", words.branch_files())
    };
    let before = step(
        at.checked_sub(1),
        |words| words.branch_before(),
        "button button--icon button--small branch__before",
        "branch-before",
    );
    let next = step(
        Some(at + 1),
        |words| words.branch_next(),
        "button button--icon button--small",
        "branch-next",
    );
    let count = span("branch__place")
        .test_id("branch-place")
        .live(move || ui.words().branch_place(is_of_task, at + 1, of));
    div("branch")
        .attr("role", "group")
        .attr("data-fork", &place.to_string())
        .bind("aria-label", told)
        .bind("title", told)
        .child(before)
        .child(count)
        .child(next)
}

/// Asks in which words, and about the files.
fn question(place: &Place, user: &UserView, edits: bool) -> El {
    let ui = place.ui;
    let outlook = ui.listing.outlook;
    let area = edits.then(|| {
        let area = el("textarea")
            .class("field__input task__words")
            .attr("rows", "4")
            .test_id("task-words")
            .say_as("aria-label", ui, |words| words.task_words());
        area.set_value(&user.text);
        area
    });
    let files = el("input").attr("type", "checkbox").test_id("task-files");
    let can_put_back = move || {
        outlook.with(|known| {
            let known = known.as_ref();
            known.is_some_and(|known| known.total > 0 && known.refusal.is_none())
        })
    };
    let submit = {
        let (area, files) = (area.clone(), files.clone());
        move || {
            let text = area.as_ref().map(El::value);
            let is_empty = text.as_ref().is_some_and(|text| text.trim().is_empty());
            if !is_empty && untrack(|| ui.can_send() && outlook.with(Option::is_some)) {
                ui.work_again(text, untrack(can_put_back) && files.is_ticked());
            }
        }
    };
    let cancel = move || {
        ui.listing.again.set(None);
        dom::focus(dom::COMPOSER);
    };
    let of_key = submit.clone();
    let told = move || {
        let files = |outlook: &Outlook| ui.words().task_files(outlook);
        outlook.with(|known| {
            let opening = || ui.words().opening.to_owned();
            known.as_ref().map_or_else(opening, files)
        })
    };
    let put_back = move || {
        el("label")
            .class("task__files")
            .child(files.clone())
            .child(span("").say(ui, |words| words.task_files_back()))
    };
    let do_it: Word = match edits {
        true => |words| words.task_edit_send(),
        false => |words| words.task_again(),
    };
    let yes = button("button button--main")
        .test_id("task-again-do")
        .flag("disabled", move || {
            !ui.can_send() || outlook.with(Option::is_none)
        })
        .say(ui, do_it)
        .press(submit);
    let no = button("button button--quiet")
        .test_id("task-again-cancel")
        .say(ui, |words| words.cancel)
        .press(cancel);
    let title: Word = match edits {
        true => |words| words.task_words(),
        false => |words| words.task_again_ask(),
    };
    let heading = (!edits).then(|| el("p").class("undo__title").say(ui, title));
    div("undo task__panel")
        .attr("role", "group")
        .test_id("task-panel")
        .say_as("aria-label", ui, title)
        .children(heading)
        .children(area)
        .child(
            el("p")
                .class("undo__told")
                .say(ui, |words| words.task_kept()),
        )
        .when(can_put_back, put_back)
        .child(
            el("p")
                .class("undo__told")
                .attr("role", "status")
                .live(told),
        )
        .child(div("end__steps").child(yes).child(no))
        .key(move |event| match event.key().as_str() {
            "Escape" => {
                event.stop_propagation();
                cancel();
            }
            "Enter" if event.ctrl_key() || event.meta_key() => {
                event.prevent_default();
                of_key();
            }
            _ => {}
        })
}
