//! What the user should know outside of any run: banners for what lasts, toasts
//! for what passes.

use leptos::prelude::*;

use super::controller::{Controller, KernelState, Toast};
use super::element::{El, button, div, el};
use super::free_space::free_space_button;
use super::icon::{Icon, icon};
use super::say::Word;
use super::words::Words;
use crate::kernel::session::SessionId;
use crate::protocol::{
    Access, Command, FileProblem, Notice, SessionCommand, Storage, TreeChange, WentBack, Why,
};

/// What lasts: shown over the conversation.
pub fn banners(ui: Controller) -> El {
    let is_broken = move || matches!(ui.kernel.get(), KernelState::Died(_) | KernelState::Silent);
    let is_in_memory = move || matches!(ui.storage.get(), Storage::Memory(_));
    div("banners")
        .when(is_broken, move || kernel_banner(ui))
        .when(
            move || ui.access.get() != Access::Writer,
            move || follower_banner(ui),
        )
        .when(is_in_memory, move || {
            banner(
                ui,
                "banner banner--warn",
                Icon::Warning,
                "notice-memory",
                |words| words.memory,
            )
        })
}

fn banner(
    ui: Controller,
    class: &str,
    shape: Icon,
    test_id: &str,
    text: fn(&Words) -> &'static str,
) -> El {
    div(class)
        .attr("role", "status")
        .test_id(test_id)
        .child(icon(shape))
        .child(el("p").class("banner__text").live(move || text(ui.words())))
}

/// Another tab writes, and this one may take over.
fn follower_banner(ui: Controller) -> El {
    let is_at_work = move || {
        ui.sessions
            .with(|all| all.iter().any(|session| session.running))
    };
    let told = move || match ui.access.get() {
        Access::Former => ui.words().taken_over(),
        _ => ui.words().read_only,
    };
    let waits = move || {
        let waiting = ui.spaces.waiting;
        waiting.with(|all| {
            ui.current
                .with(|id| all.iter().any(|run| Some(&run.session) == id.as_ref()))
        })
    };
    let text = div("banner__text")
        .child(el("p").live(told))
        .when(is_at_work, move || {
            el("p").say(ui, |words| words.take_over_stops())
        })
        .when(waits, move || super::spaces::waits_in_other_tab(ui));
    let take_over = button("button button--small")
        .test_id("take-over")
        .say(ui, |words| words.take_over())
        .press(move || ui.command(Command::TakeOver));
    div("banner")
        .attr("role", "status")
        .test_id("notice-read-only")
        .child(icon(Icon::Eye))
        .child(text)
        .child(take_over)
}

/// The kernel ended or is silent.
fn kernel_banner(ui: Controller) -> El {
    let text = move || match ui.kernel.get() {
        KernelState::Silent => ui.words().kernel_silent,
        _ => ui.words().kernel_died,
    };
    let reason = move || match ui.kernel.get() {
        KernelState::Died(reason) => reason,
        _ => String::new(),
    };
    let restart = button("button button--small")
        .test_id("kernel-restart")
        .say(ui, |words| words.kernel_restart)
        .press(move || ui.restart());
    let told = div("banner__text")
        .child(el("p").live(text))
        .child(details(ui, reason));
    div("banner banner--bad")
        .attr("role", "alert")
        .test_id("notice-kernel")
        .child(icon(Icon::Unplugged))
        .child(told)
        .child(restart)
}

/// Somebody else's words, folded; nothing where there are none.
fn details(ui: Controller, text: impl Fn() -> String + Clone + 'static) -> El {
    let is_there = text.clone();
    div("banner__details").when(
        move || !is_there().is_empty(),
        move || {
            el("details")
                .child(el("summary").say(ui, |words| words.details))
                .child(el("pre").live(text.clone()))
        },
    )
}

/// What passes: stacked in a corner.
pub fn toasts(ui: Controller) -> El {
    let items = move || {
        ui.toasts.with(|toasts| {
            toasts
                .iter()
                .map(|toast| (toast.id, toast.clone()))
                .collect()
        })
    };
    div("toasts")
        .attr("role", "status")
        .each(items, move |toast| toast_view(ui, toast))
}

fn toast_view(ui: Controller, Toast { id, notice }: Toast) -> El {
    let shape = match &notice {
        Notice::Imported(report) if report.left_out.is_empty() => Icon::Check,
        Notice::WentBack(_) => Icon::Check,
        Notice::KeyNeeded | Notice::KeysLocked => Icon::Key,
        Notice::ReadOnly
        | Notice::AlreadyRunning
        | Notice::FilesAtWork
        | Notice::Left
        | Notice::AnswerLate
        | Notice::SpaceUnsaved
        | Notice::Learned { .. }
        | Notice::SessionAtWork
        | Notice::NotUndone { .. } => Icon::Info,
        Notice::Deleted { .. } | Notice::SessionDeleted { .. } => Icon::Trash,
        Notice::Moved { .. } => Icon::ArrowRight,
        Notice::NotDone(_)
        | Notice::Full
        | Notice::Low(_)
        | Notice::NotSaved(_)
        | Notice::NotTakenOver(_)
        | Notice::Imported(_)
        | Notice::NotExported(_)
        | Notice::NotLoaded
        | Notice::SessionNotTaken(_)
        | Notice::Mended { .. } => Icon::Warning,
    };
    let reason = untrack(|| ui.words().notice_details(&notice));
    let to_settings = (notice == Notice::KeyNeeded).then(|| {
        button("button button--small")
            .say(ui, |words| words.open_settings)
            .press(move || {
                ui.dismiss(id);
                ui.mend_endpoint();
            })
    });
    let way = forward(ui, id, &notice);
    let undo = match &notice {
        Notice::Deleted { generation, .. } | Notice::Moved { generation, .. } => Some({
            let generation = *generation;
            button("button button--small")
                .test_id("file-undo")
                .say(ui, |words| words.files_undo())
                .flag("disabled", move || !ui.can_work())
                .press(move || {
                    ui.dismiss(id);
                    ui.command(Command::ChangeTree(TreeChange::Undo(generation)));
                })
        }),
        _ => None,
    };
    let back = match &notice {
        Notice::SessionDeleted { id: session, .. } => Some(restore(ui, id, session.clone())),
        _ => None,
    };
    let room = lacks_room(&notice).then(|| {
        free_space_button(ui, "button button--small").on("click", move |_| ui.dismiss(id))
    });
    let text = div("toast__text")
        .child(el("p").live(move || ui.words().notice(&notice)))
        .child(details(ui, move || reason.clone()))
        .children(to_settings)
        .children(way)
        .children(room)
        .children(back)
        .children(undo);
    let close = button("button button--icon")
        .named(ui, |words| words.dismiss)
        .child(icon(Icon::Close))
        .press(move || ui.dismiss(id));
    div("toast")
        .test_id("toast")
        .child(icon(shape))
        .child(text)
        .child(close)
}

/// Whether room in the browser's storage would help.
fn lacks_room(notice: &Notice) -> bool {
    match notice {
        Notice::Full | Notice::Low(_) | Notice::NotDone(FileProblem::Full) => true,
        Notice::Imported(report) => {
            let mut whys = report.left_out.iter().map(|left| &left.why);
            whys.any(|why| matches!(why, Why::Full(_)))
        }
        _ => false,
    }
}

/// The button that brings a deleted session back, and shows it.
#[inline(never)]
fn restore(ui: Controller, id: u64, session: SessionId) -> El {
    button("button button--small")
        .test_id("session-restore")
        .flag("disabled", move || !ui.can_work())
        .say(ui, |words| words.session_restore())
        .press(move || {
            ui.dismiss(id);
            ui.session_command(SessionCommand::Restore(session.clone()));
            ui.open_session(session.clone());
        })
}

/// The button that undoes the step back which was told.
fn forward(ui: Controller, id: u64, notice: &Notice) -> Option<El> {
    let Notice::WentBack(back) = notice else {
        return None;
    };
    let (name, command): (Word, Command) = match back {
        WentBack::Undone { session, .. } => (|words| words.redo(), Command::Redo(session.clone())),
        WentBack::Reverted { generation, .. }
        | WentBack::Restored {
            generation: Some(generation),
        } => (|words| words.undo(), Command::GoForward(*generation)),
        _ => return None,
    };
    let button = button("button button--small")
        .test_id("toast-undo")
        .flag("disabled", move || !ui.can_go_back())
        .say(ui, name)
        .press(move || {
            ui.dismiss(id);
            ui.command(command.clone());
        });
    Some(button)
}
