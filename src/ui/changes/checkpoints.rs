//! The checkpoints: when, what began there, and the ways back.

use std::rc::Rc;

use leptos::prelude::{on_cleanup, untrack};

use crate::protocol::{Command, ListedCheckpoint};
use crate::ui::controller::Controller;
use crate::ui::controller::changes::Scope;
use crate::ui::dom;
use crate::ui::element::{El, button, div, el, span};
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::RwSignal;

/// Checkpoints that are drawn at first, and with each press on "more".
const AT_ONCE: usize = 100;

/// The list, in the place of the changes.
pub(super) fn checkpoints(ui: Controller) -> El {
    let all = ui.changes.checkpoints;
    ui.command(Command::ListCheckpoints);
    on_cleanup(move || all.set(None));
    let limit = RwSignal::new(AT_ONCE);
    // The checkpoint that is asked about.
    let asks = RwSignal::new(None::<u64>);
    let count = move || all.with(|all| all.as_ref().map_or(0, |all| all.len()));
    let items = move || {
        let all = all.get().unwrap_or_default();
        let shown = all.iter().take(limit.get()).cloned();
        shown.map(|one| (one.checkpoint.generation, one)).collect()
    };
    let close = button("button button--icon button--small checkpoints__close")
        .test_id("checkpoints-close")
        .named(ui, |words| words.checkpoint_back())
        .child(icon(Icon::ArrowRight))
        .press(move || back(ui));
    let head = div("changes__head changes__head--line").child(close).child(
        el("h3")
            .class("checkpoints__title")
            .say(ui, |words| words.checkpoints()),
    );
    let list = el("ol")
        .class("checkpoints__list")
        .test_id("checkpoints")
        .each(items, move |one| checkpoint(ui, one, asks));
    div("changes__page")
        .child(head)
        .when(
            move || all.with(|all| all.as_ref().is_some_and(|all| all.is_empty())),
            move || none(ui),
        )
        .child(div("changes__list").child(list).when(
            move || count() > limit.get(),
            move || {
                button("button button--quiet changes__more")
                    .live(move || ui.words().more_changes(count() - limit.get()))
                    .press(move || limit.update(|limit| *limit += AT_ONCE))
            },
        ))
        .key(move |event| {
            if event.key() == "Escape" {
                back(ui);
            }
        })
}

fn back(ui: Controller) {
    ui.changes.shows_checkpoints.set(false);
    dom::focus_later("[data-testid=checkpoints-open]".into());
}

fn none(ui: Controller) -> El {
    div("tree__none")
        .child(
            el("p")
                .class("tree__none-title")
                .say(ui, |words| words.checkpoints_none()),
        )
        .child(el("p").say(ui, |words| words.checkpoints_none_text()))
}

fn checkpoint(ui: Controller, one: ListedCheckpoint, asks: RwSignal<Option<u64>>) -> El {
    let generation = one.checkpoint.generation;
    let (one, at_ms) = (Rc::new(one.clone()), one.checkpoint.at_ms);
    let told = Rc::clone(&one);
    let changes = button("button button--quiet button--small")
        .test_id("checkpoint-changes")
        .say(ui, |words| words.checkpoint_changes())
        .press(move || {
            ui.changes.scope.set(Scope::Checkpoint(generation));
            back(ui);
        });
    let restore = button("button button--quiet button--small")
        .test_id("checkpoint-restore")
        .flag("disabled", move || !ui.can_go_back())
        .child(icon(Icon::Earlier))
        .child(el("span").say(ui, |words| words.checkpoint_restore()))
        .press(move || {
            asks.set(Some(generation));
            dom::focus_later("[data-testid=checkpoint-cancel]".into());
        });
    el("li")
        .class("checkpoint")
        .test_id("checkpoint")
        .attr("data-generation", &generation.to_string())
        .child(span("checkpoint__time").live(move || {
            let now = (dom::now_ms(), dom::clock_offset_min());
            ui.words().moment(at_ms, now)
        }))
        .child(
            el("p")
                .class("checkpoint__begins")
                .live(move || ui.words().begins(&told)),
        )
        .child(div("checkpoint__ways").child(changes).child(restore))
        .when(
            move || asks.get() == Some(generation),
            move || question(ui, generation, asks),
        )
}

fn question(ui: Controller, generation: u64, asks: RwSignal<Option<u64>>) -> El {
    let answered = move || {
        asks.set(None);
        dom::focus_later("[data-testid=checkpoints-close]".into());
    };
    let yes = button("button button--small")
        .test_id("checkpoint-confirm")
        .say(ui, |words| words.checkpoint_restore())
        .press(move || {
            answered();
            if untrack(|| ui.can_go_back()) {
                ui.command(Command::Restore(generation));
            }
        });
    let no = button("button button--small")
        .test_id("checkpoint-cancel")
        .say(ui, |words| words.cancel)
        .press(answered);
    div("trace__ask")
        .attr("role", "group")
        .say_as("aria-label", ui, |words| words.checkpoint_restore())
        .child(
            span("trace__question")
                .attr("role", "status")
                .say(ui, |words| words.checkpoint_ask()),
        )
        .child(div("trace__answers").children([yes, no]))
        .key(move |event| {
            if event.key() == "Escape" {
                event.stop_propagation();
                answered();
            }
        })
}
