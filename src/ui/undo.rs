//! Undoing rounds of the conversation: the button, the question where it is pressed, and
//! what stands at the end until something new is said.

use std::rc::Rc;

use leptos::prelude::untrack;

use super::controller::Controller;
use super::controller::changes::Asking;
use super::controller::rows::RowContent;
use super::dom;
use super::element::{El, button, div, el};
use super::icon::{Icon, icon};
use super::rows::Place;
use super::say::Word;
use super::signal::RwSignal;
use super::state::transcript::Sent;
use crate::kernel::session::rewind::Extent;
use crate::protocol::{Command, Outlook};

/// What can be undone, in the order of the list.
const EXTENTS: [Extent; 3] = [Extent::Both, Extent::Files, Extent::Chat];

/// A button that asks whether to undo `what` it gives.
pub fn undo_button(ui: Controller, class: &str, what: impl Fn() -> Option<Asking> + 'static) -> El {
    button(class)
        .test_id("checkpoint-undo")
        .flag("disabled", move || !ui.can_go_back())
        .child(icon(Icon::Undo))
        .press(move || {
            if let Some(asking) = untrack(&what) {
                ui.ask_undo(asking);
                dom::focus_later(
                    "[data-testid=undo-panel] input:enabled, [data-testid=undo-cancel]".into(),
                );
            }
        })
}

/// Whether the question about the record `seq` of the session stands.
pub fn is_asked(ui: Controller, session: &str, seq: Option<u64>) -> bool {
    ui.changes.asking.with(|asking| {
        let asking = asking.as_ref();
        asking.is_some_and(|asking| asking.session == session && Some(asking.seq) == seq)
    }) && ui.can_go_back()
}

/// The question: what would be undone, and in what.
pub fn undo_panel(ui: Controller) -> El {
    let (asking, outlook) = (ui.changes.asking, ui.changes.outlook);
    let task = asking.with_untracked(|asking| asking.as_ref().and_then(|of| of.task.clone()));
    let is_run = task.is_some();
    let chosen = RwSignal::new(match is_run {
        true => Extent::Files,
        false => Extent::Both,
    });
    let title = move || match is_run {
        true => ui.words().undo_run_ask().to_owned(),
        false => {
            let rounds = outlook.with(|known| known.as_ref().map_or(1, |known| known.rounds));
            ui.words().undo_reach(rounds)
        }
    };
    let cancel = move || {
        asking.set(None);
        dom::focus(dom::COMPOSER);
    };
    let told = move || {
        outlook.with(|known| {
            known
                .as_ref()
                .map(|known| ui.words().undo_files_told(known))
        })
    };
    // What can't be chosen is not what is meant.
    let meant = move || match outlook.with(|known| known.as_ref().is_some_and(has_files)) {
        true => chosen.get(),
        false => Extent::Chat,
    };
    let yes = button("button button--main")
        .test_id("undo-confirm")
        .flag("disabled", move || outlook.with(Option::is_none))
        .say(ui, |words| words.undo())
        .press(move || {
            let extent = untrack(meant);
            ui.undo(extent);
            dom::focus(dom::COMPOSER);
        });
    let no = button("button button--quiet")
        .test_id("undo-cancel")
        .say(ui, |words| words.cancel)
        .press(cancel);
    let list = el("fieldset")
        .class("undo__extents")
        .child(
            el("legend")
                .class("visually-hidden")
                .say(ui, |words| words.undo_in()),
        )
        .children(EXTENTS.map(|extent| choice(ui, extent, (chosen, Rc::new(meant)))));
    div("undo")
        .attr("role", "group")
        .test_id("undo-panel")
        .bind("aria-label", title)
        .child(el("p").class("undo__title").live(title))
        .child(
            el("p")
                .class("undo__told")
                .attr("role", "status")
                .live(move || told().unwrap_or_else(|| ui.words().opening.to_owned())),
        )
        .child(list)
        .child(div("end__steps").child(yes).child(no))
        .key(move |event| {
            if event.key() == "Escape" {
                event.stop_propagation();
                cancel();
            }
        })
}

fn has_files(outlook: &Outlook) -> bool {
    outlook.total > 0 && outlook.refusal.is_none()
}

/// One of what can be undone; files only where there are some that can be.
fn choice(
    ui: Controller,
    extent: Extent,
    (chosen, meant): (RwSignal<Extent>, Rc<dyn Fn() -> Extent>),
) -> El {
    let name: Word = match extent {
        Extent::Both => |words| words.undo_both(),
        Extent::Files => |words| words.undo_files(),
        Extent::Chat => |words| words.undo_chat(),
    };
    let is_off = move || {
        let files = |known: &Option<Outlook>| known.as_ref().is_none_or(has_files);
        extent.has_files() && !ui.changes.outlook.with(files)
    };
    let input = el("input")
        .attr("type", "radio")
        .attr("name", "undo-extent")
        .test_id(match extent {
            Extent::Both => "undo-both",
            Extent::Files => "undo-files",
            Extent::Chat => "undo-chat",
        })
        .flag("disabled", is_off);
    let (ticked, of_input) = (input.clone(), input.clone());
    super::element::follow(Box::new(move || of_input.tick(meant() == extent)));
    el("label")
        .class("undo__extent")
        .child(input.on("change", move |_| {
            if ticked.is_ticked() {
                chosen.set(extent);
            }
        }))
        .child(el("span").say(ui, name))
}

/// Under the end of a run which stands at the row `at`: how many files it changed, and the
/// ways to look through them and to undo them.
pub fn run_changes(place: &Place, at: usize) -> El {
    let (ui, of_button, of_panel) = (place.ui, place.clone(), place.clone());
    let review = button("button button--quiet")
        .test_id("review-changes")
        .child(icon(Icon::FilePen))
        .child(el("span").live(move || ui.words().files_changed(ui.changes.count.get())))
        .say_as("title", ui, |words| words.review_changes())
        .press(move || ui.open_changes());
    let undo = undo_button(ui, "button button--quiet", move || {
        asking_run(&of_button, at)
    })
    .child(el("span").say(ui, |words| words.undo_run()));
    let steps = div("end__steps").child(review).child(undo);
    div("end__changes").child(steps).when(
        move || {
            let task = untrack(|| asking_run(&of_panel, at));
            task.is_some_and(|task| is_asked(ui, &task.session, Some(task.seq)))
        },
        move || undo_panel(ui),
    )
}

/// Whether the run that ends at the row `at` changed files that can be looked through.
pub fn has_changes(place: &Place, at: usize) -> bool {
    let ui = place.ui;
    if ui.changes.count.get() == 0 || ui.is_running() {
        return false;
    }
    let is_shown = ui
        .current
        .with(|current| current.as_deref() == Some(&*place.model.id));
    let run = ui.changes.run.get();
    is_shown && asking_run(place, at).is_some_and(|asking| Some(asking.seq) == run)
}

/// The question whether to undo the run that ends at the row `at`.
fn asking_run(place: &Place, at: usize) -> Option<Asking> {
    place.model.rows.with(|rows| {
        let before = rows.get(..at)?.iter().rev();
        let mut tasks = before.filter_map(|row| match &row.content {
            RowContent::User(user) if user.sent != Sent::DuringRun => Some(user),
            _ => None,
        });
        let task = tasks.next()?;
        Some(Asking {
            session: place.model.session(),
            seq: task.seq,
            task: Some(task.text.clone()),
        })
    })
}

/// Stands at the end of a conversation in which something was undone, until something new
/// is said.
pub fn undone_card(place: &Place) -> El {
    let (ui, model) = (place.ui, place.model.clone());
    let session = model.session();
    let of_told = model.undone.clone();
    let told = move || {
        of_told
            .get()
            .map_or_else(String::new, |extent| ui.words().undone(extent))
    };
    let id = model.id.clone();
    let redo = button("button")
        .test_id("checkpoint-redo")
        .flag("disabled", move || !ui.can_go_back())
        .child(icon(Icon::Redo))
        .child(el("span").say(ui, |words| words.redo()))
        .press(move || ui.command(Command::Redo(session.clone())));
    let line = div("end__line").child(icon(Icon::Undo)).child(
        el("p")
            .class("end__text end__told")
            .attr("role", "status")
            .live(told),
    );
    let steps = div("end__steps").child(redo).when(
        move || ui.is_interrupted(&id),
        move || {
            button("button button--quiet")
                .test_id("continue-run")
                .flag("disabled", move || !ui.can_work())
                .child(icon(Icon::Again))
                .child(el("span").say(ui, |words| words.continue_here()))
                .press(move || ui.go_on())
        },
    );
    el("footer")
        .class("end end--undone")
        .test_id("undone-card")
        .child(line)
        .child(steps)
}
