//! The changes of a run, a session or since a checkpoint: to be looked through, marked as
//! reviewed, or taken back.

mod checkpoints;
mod file;
mod lines;

use std::rc::Rc;

use leptos::prelude::{on_cleanup, untrack};

use self::checkpoints::checkpoints;
use self::file::file_change;
use super::controller::Controller;
use super::controller::changes::{Reviewed, Scope};
use super::dom;
use super::element::{El, button, div, el, follow_later, span};
use super::icon::{Icon, icon};
use super::say::Word;
use super::signal::RwSignal;
use super::state::changes::{file_key, unfolded};
use super::state::key_of;
use super::words::units::number;
use crate::protocol::{ChangedFile, Changes, Reverting};

/// What there is to show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Loading,
    Empty,
    NotKept,
    Files,
}

/// A file of the list.
#[derive(Clone)]
struct Entry {
    file: ChangedFile,
    /// Whether it begins unfolded.
    opens: bool,
}

/// Follows the shown session and its files.
pub fn changes_view(ui: Controller) -> El {
    let model = ui.changes;
    model.recall();
    follow_later(Box::new(move || {
        ui.current.track();
        model.scope.track();
        model.forget();
        ui.list_changes(0);
    }));
    on_cleanup(move || model.forget());
    let is_list = move || !model.shows_checkpoints.get();
    el("section")
        .class("changes")
        .test_id("changes-view")
        .attr("id", "changes-view")
        .say_as("aria-label", ui, |words| words.changes)
        .when(is_list, move || page(ui))
        .when(move || !is_list(), move || checkpoints(ui))
}

fn page(ui: Controller) -> El {
    let shown = move || {
        let is_new = ui.since().is_none();
        ui.changes.list.with(|list| match list {
            _ if is_new => Shown::Empty,
            None => Shown::Loading,
            Some(list) if !list.kept => Shown::NotKept,
            Some(list) if list.files.is_empty() => Shown::Empty,
            Some(_) => Shown::Files,
        })
    };
    let draw = move |which| {
        Some(match which {
            which if which == Shown::Loading as u64 => el("p")
                .class("trace__loading")
                .attr("role", "status")
                .say(ui, |words| words.opening),
            which if which == Shown::Files as u64 => files(ui),
            which if which == Shown::NotKept as u64 => {
                nothing(ui, |words| words.changes_not_kept())
            }
            _ => nothing(ui, |words| words.changes_none_text()),
        })
    };
    div("changes__page")
        .child(head(ui, move || shown() == Shown::Files))
        .choose(move || shown() as u64, draw)
}

fn nothing(ui: Controller, text: Word) -> El {
    div("tree__none")
        .test_id("changes-none")
        .child(
            el("p")
                .class("tree__none-title")
                .say(ui, |words| words.changes_none()),
        )
        .child(el("p").say(ui, text))
}

/// A button of the head that shows an icon.
fn tool(ui: Controller, test_id: &str, shape: Icon, name: Word) -> El {
    button("button button--icon button--small")
        .test_id(test_id)
        .named(ui, name)
        .child(icon(shape))
}

/// What is looked at, how much it is, and what can be done with all of it.
fn head(ui: Controller, has_files: impl Fn() -> bool + Copy + 'static) -> El {
    let model = ui.changes;
    let asks = RwSignal::new(false);
    let side = tool(ui, "changes-side", Icon::Columns, |words| {
        words.changes_side()
    })
    .bind("aria-pressed", move || model.side.get())
    .press(move || model.turn_side());
    let history = tool(ui, "checkpoints-open", Icon::Earlier, |words| {
        words.checkpoints()
    })
    .press(move || {
        model.shows_checkpoints.set(true);
        dom::focus_later("[data-testid=checkpoints-close]".into());
    });
    let review = tool(ui, "changes-review-all", Icon::Check, |words| {
        words.change_review_all()
    })
    .flag("disabled", move || !has_files())
    .press(move || review_all(ui));
    let revert = tool(ui, "changes-revert-all", Icon::Undo, |words| {
        words.revert_all()
    })
    .flag("disabled", move || !has_files() || !ui.can_go_back())
    .press(move || {
        asks.set(true);
        dom::focus_later("[data-testid=changes-revert-cancel]".into());
    });
    let sums = move || match has_files() {
        true => model.list.with(|list| list.as_ref().map(|list| list.total)),
        false => None,
    };
    let total = move || sums().map_or_else(String::new, |files| ui.words().files_changed(files));
    let told = el("p")
        .class("changes__sums")
        .attr("role", "status")
        .child(span("changes__total").live(total))
        .child(counts(move || {
            let list = model.list.get();
            let files = list.as_ref().map_or(&[][..], |list| &list.files[..]);
            let sum = |of: fn(&ChangedFile) -> usize| files.iter().map(of).sum::<usize>();
            (sum(|file| file.added), sum(|file| file.removed))
        }));
    div("changes__head")
        .child(
            div("changes__tools")
                .child(scope_choice(ui))
                .children([side, history, review, revert]),
        )
        .child(told)
        .when(
            move || asks.get() && has_files() && ui.can_go_back(),
            move || revert_question(ui, asks),
        )
}

/// `+12 −4`, in the colours of what comes and goes.
fn counts(count: impl Fn() -> (usize, usize) + Clone + 'static) -> El {
    let text = |sign: &'static str, n: usize| match n {
        0 => String::new(),
        n => format!("{sign}{}", number(n as u64)),
    };
    let (added, removed) = (count.clone(), count);
    span("changes__counts")
        .child(span("changes__added").live(move || text("+", added().0)))
        .child(span("changes__removed").live(move || text("−", removed().1)))
}

fn scope_choice(ui: Controller) -> El {
    let model = ui.changes;
    let option = |scope: Scope, value: &'static str, name: Word| {
        el("option")
            .attr("value", value)
            .flag("selected", move || model.scope.get() == scope)
            .say(ui, name)
    };
    let is_since = move || matches!(model.scope.get(), Scope::Checkpoint(_));
    let list = el("select")
        .class("field__input changes__scope")
        .test_id("changes-scope")
        .say_as("aria-label", ui, |words| words.changes_of())
        .child(option(Scope::LastRun, "run", |words| words.changes_run()))
        .child(option(Scope::Session, "session", |words| {
            words.changes_session()
        }))
        .when(is_since, move || {
            el("option")
                .attr("value", "checkpoint")
                .flag("selected", is_since)
                .say(ui, |words| words.changes_checkpoint())
        });
    let chosen = list.clone();
    list.on("change", move |_| match chosen.value().as_str() {
        "run" => model.scope.set(Scope::LastRun),
        "session" => model.scope.set(Scope::Session),
        _ => {}
    })
}

fn review_all(ui: Controller) {
    let list = ui.changes.list.get_untracked();
    let files = list.iter().flat_map(|list| &list.files);
    let keys: Vec<u64> = files.map(file_key).collect();
    let done = untrack(|| {
        let reviewed = ui.changes.reviewed.get();
        match keys.iter().all(|key| reviewed.contains(key)) {
            true => Reviewed::No,
            false => Reviewed::Yes,
        }
    });
    ui.changes.review(keys, done);
}

fn revert_question(ui: Controller, asks: RwSignal<bool>) -> El {
    let list = ui.changes.list;
    let total = move || list.with(|list| list.as_ref().map_or(0, |list| list.total));
    let answered = move || {
        asks.set(false);
        dom::focus_later("[data-testid=checkpoints-open]".into());
    };
    let yes = button("button button--small")
        .test_id("changes-revert-confirm")
        .say(ui, |words| words.revert_all())
        .press(move || {
            answered();
            if let Some(list) = list.get_untracked() {
                ui.revert(list.generation, Reverting::All);
            }
        });
    let no = button("button button--small")
        .test_id("changes-revert-cancel")
        .say(ui, |words| words.cancel)
        .press(answered);
    div("trace__ask")
        .attr("role", "group")
        .say_as("aria-label", ui, |words| words.revert_all())
        .child(
            span("trace__question")
                .attr("role", "status")
                .live(move || ui.words().revert_all_ask(total())),
        )
        .child(div("trace__answers").children([yes, no]))
        .key(move |event| {
            if event.key() == "Escape" {
                answered();
            }
        })
}

fn files(ui: Controller) -> El {
    let list = ui.changes.list;
    let items = move || {
        let Some(list) = list.get() else {
            return Vec::new();
        };
        let opens = unfolded(&list.files);
        let entries = list.files.iter().zip(opens).map(|(file, opens)| {
            let key = key_of(&(&file.path, &file.mark, file.added, file.removed));
            let file = file.clone();
            (key, Entry { file, opens })
        });
        entries.collect()
    };
    let left = move || {
        let list = list.get();
        let left = |list: Rc<Changes>| list.total.saturating_sub(list.files.len());
        list.map_or(0, left)
    };
    div("changes__list")
        .test_id("changes-list")
        .class_if("changes__list--side", move || ui.changes.side.get())
        .each(items, move |entry| file_change(ui, entry))
        .when(
            move || left() > 0,
            move || {
                button("button button--quiet changes__more")
                    .test_id("changes-more")
                    .live(move || ui.words().more_changes(left()))
                    .press(move || {
                        let files = |list: &Rc<Changes>| list.files.len();
                        let from = list.with_untracked(|list| list.as_ref().map_or(0, files));
                        ui.list_changes(from);
                    })
            },
        )
}
