//! A file in the editor: its place, its buttons, and what must be decided about it.

use leptos::prelude::*;

use super::Viewer;
use crate::kernel::diff::diff;
use crate::protocol::{FileProblem, FileView};
use crate::ui::controller::Controller;
use crate::ui::diff_view::diff_view;
use crate::ui::dom;
use crate::ui::editing::{Edit, State, Step, Theirs};
use crate::ui::element::{El, button, div, el, span};
use crate::ui::free_space::free_space_button;
use crate::ui::icon::{Icon, icon, spinner};
use crate::ui::say::Word;
use crate::ui::signal::RwSignal;
use crate::ui::state::file_tree::name;
use crate::ui::state::key_of;
use crate::ui::state::text_form::{MAX_EDITED, NotText};

/// The editor itself, which lives on when it is not shown.
pub(super) fn edit_view(edit: &Edit) -> El {
    let shown = edit.clone();
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        shown.shown();
    });
    div("viewer__editor").child(El::from(edit.element()))
}

/// The file in the editor that is shown, which is followed.
fn open_edit(ui: Controller) -> Option<Edit> {
    let path = ui
        .files
        .opened
        .with(|open| Some(open.as_ref()?.path.clone()))?;
    let edits = ui.files.edits;
    edits.with(|edits| edits.iter().find(|edit| edit.path() == path).cloned())
}

/// The button that opens the editor; in it, the one that saves.
pub(super) fn edit_bar(viewer: Viewer) -> El {
    let ui = viewer.ui;
    let can_edit = move || {
        let is_text = viewer.with_view(
            |view| matches!(view, Some(FileView::Text { size, .. }) if *size <= MAX_EDITED as u64),
        );
        is_text && ui.can_work() && !viewer.is_edited()
    };
    let edit = move || {
        button("button button--icon")
            .test_id("file-edit")
            .named(ui, |words| words.file_edit())
            .child(icon(Icon::FilePen))
            .press(move || ui.edit(untrack(|| viewer.path())))
    };
    let is_clean = move || open_edit(ui).is_none_or(|edit| !edit.unsaved().get());
    let is_saving = move || {
        open_edit(ui).is_some_and(|edit| edit.state().with(|state| *state == State::Saving))
    };
    let save = move || {
        button("button button--small viewer__save")
            .test_id("file-save")
            .bind("data-unsaved", move || !is_clean())
            .attr("title", "Ctrl+S")
            .flag("disabled", move || is_clean() || !ui.can_work())
            .choose(
                move || u64::from(is_saving()),
                |saving| {
                    Some(if saving == 1 {
                        spinner()
                    } else {
                        icon(Icon::Save)
                    })
                },
            )
            .child(span("").say(ui, |words| words.save))
            .press(move || ui.save_open())
    };
    div("viewer__edit")
        .when(can_edit, edit)
        .when(move || viewer.is_edited(), save)
}

/// What is told over the file, and what is asked about it.
pub(super) fn edit_note(ui: Controller) -> El {
    let which = move || {
        let path = ui
            .files
            .opened
            .with(|open| Some(open.as_ref()?.path.clone()));
        let starting = ui.files.starting.get();
        let starting = starting.filter(|starting| Some(&starting.path) == path.as_ref());
        let state = open_edit(ui).map(|edit| edit.state().get());
        match (starting, state) {
            (Some(starting), _) => key_of(&(path, starting.step)),
            (None, Some(State::Changed(theirs))) => key_of(&(path, theirs.bytes)),
            (None, Some(State::Closing)) => key_of(&(path, "closing")),
            (None, Some(State::NotSaved(_))) => key_of(&(path, "not saved")),
            _ => 0,
        }
    };
    div("viewer__notes").choose(which, move |_| untrack(|| told(ui)))
}

fn told(ui: Controller) -> Option<El> {
    let path = ui
        .files
        .opened
        .with_untracked(|open| Some(open.as_ref()?.path.clone()))?;
    let starting = ui.files.starting.get_untracked();
    if let Some(starting) = starting.filter(|starting| starting.path == path) {
        return Some(starting_note(ui, path, starting.step));
    }
    let edit = open_edit(ui)?;
    match edit.state().get_untracked() {
        State::Changed(theirs) => Some(conflict(ui, edit, theirs)),
        State::Closing => Some(closing(ui, edit)),
        State::NotSaved(problem) => Some(not_saved(ui, edit, problem)),
        State::Open | State::Saving => None,
    }
}

/// The text is here alone. Where there is no room for it, it can be taken out of the page.
fn not_saved(ui: Controller, edit: Edit, problem: FileProblem) -> El {
    let of_download = edit.clone();
    let again = deed(
        ui,
        |words| words.try_again,
        "edit-again",
        move || {
            ui.save_edit(&edit);
        },
    );
    let is_full = problem == FileProblem::Full;
    let ways = is_full.then(|| {
        let download = deed(
            ui,
            |words| words.download,
            "edit-download",
            move || {
                dom::save_as(name(&of_download.path()), &of_download.bytes());
            },
        );
        [free_space_button(ui, "button button--small"), download]
    });
    let told = move || match problem {
        FileProblem::Full => ui.words().room_full_edit().to_owned(),
        ref problem => ui.words().file_problem(problem),
    };
    note("viewer__notice viewer__notice--bad", Icon::Warning).child(
        div("viewer__told").child(el("p").live(told)).child(
            div("viewer__deeds")
                .children(ways.into_iter().flatten())
                .child(again),
        ),
    )
}

fn note(class: &str, shape: Icon) -> El {
    div(class)
        .attr("role", "alert")
        .test_id("edit-note")
        .child(icon(shape))
}

fn deed(ui: Controller, word: Word, id: &str, press: impl Fn() + 'static) -> El {
    button("button button--small")
        .test_id(id)
        .say(ui, word)
        .press(press)
}

fn starting_note(ui: Controller, path: String, step: Step) -> El {
    let word: Word = match step {
        Step::Loading => {
            return div("viewer__notice")
                .attr("role", "status")
                .child(spinner())
                .child(el("p").say(ui, |words| words.editor_loading()));
        }
        Step::NotLoaded => |words| words.editor_not_loaded(),
        Step::NotText(NotText::NotUtf8) => |words| words.editor_not_text(),
        Step::NotText(NotText::TooLarge) => |words| words.editor_too_large(),
    };
    let again = (step == Step::NotLoaded).then(|| {
        deed(
            ui,
            |words| words.try_again,
            "edit-again",
            move || {
                ui.edit(path.clone());
            },
        )
    });
    note("viewer__notice", Icon::Info).child(
        div("viewer__told")
            .child(el("p").say(ui, word))
            .child(div("viewer__deeds").children(again)),
    )
}

/// The user's text and the file are both new: which shall be?
fn conflict(ui: Controller, edit: Edit, theirs: Theirs) -> El {
    let is_shown = RwSignal::new(false);
    let word: Word = match theirs.version {
        Some(_) => |words| words.edit_changed(),
        None => |words| words.edit_deleted(),
    };
    let drop_word: Word = match theirs.version {
        Some(_) => |words| words.edit_take(),
        None => |words| words.edit_drop(),
    };
    let [of_keep, of_take, of_diff] = std::array::from_fn(|_| (edit.clone(), theirs.clone()));
    let keep = deed(
        ui,
        |words| words.edit_keep(),
        "edit-keep",
        move || {
            ui.keep_mine(&of_keep.0, &of_keep.1);
        },
    );
    let take = deed(ui, drop_word, "edit-take", move || {
        ui.take_theirs(&of_take.0, &of_take.1);
    });
    let see = theirs.version.is_some().then(|| {
        button("button button--small")
            .test_id("edit-difference")
            .bind("aria-expanded", move || is_shown.get())
            .say(ui, |words| words.edit_difference())
            .press(move || is_shown.update(|is_shown| *is_shown = !*is_shown))
    });
    let difference = move || {
        let (edit, theirs) = &of_diff;
        let diff = diff(&edit.path(), Some(&theirs.bytes), Some(&edit.bytes()));
        div("viewer__difference").child(diff_view(ui, &diff))
    };
    note("viewer__notice viewer__notice--warn", Icon::Warning).child(
        div("viewer__told")
            .child(el("p").say(ui, word))
            .child(div("viewer__deeds").child(keep).child(take).children(see))
            .when(move || is_shown.get(), difference),
    )
}

/// A tab with unsaved text shall be closed.
fn closing(ui: Controller, edit: Edit) -> El {
    let [of_save, of_drop, of_stay] = std::array::from_fn(|_| edit.clone());
    let save = deed(
        ui,
        |words| words.edit_save_close(),
        "edit-save-close",
        move || {
            of_save.closes().set(true);
            of_save.state().set(State::Open);
            ui.save_edit(&of_save);
        },
    );
    let discard = deed(
        ui,
        |words| words.edit_discard(),
        "edit-discard",
        move || {
            ui.close_now(&of_drop.path());
        },
    );
    let stay = deed(
        ui,
        |words| words.edit_go_on(),
        "edit-stay",
        move || {
            of_stay.state().set(State::Open);
            of_stay.focus();
        },
    );
    let focus = save.clone();
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        focus.focus();
    });
    note("viewer__notice viewer__notice--warn", Icon::Warning).child(
        div("viewer__told")
            .child(el("p").say(ui, |words| words.edit_closing()))
            .child(div("viewer__deeds").child(save).child(discard).child(stay)),
    )
}
