//! The trace of the shown session: a timeline with a row for each round.

mod round;

use leptos::prelude::on_cleanup;

use self::round::round_row;
use super::controller::Controller;
use super::dom;
use super::element::{El, Text, button, div, el, follow_later, span};
use super::icon::{Icon, icon};
use super::signal::RwSignal;
use super::state::trace::{Sums, key};
use super::words::Words;
use crate::kernel::trace::ExportFormat;

/// What there is to show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Loading,
    Empty,
    Rounds,
}

/// Follows the shown session, and its run as it goes on.
pub fn trace_view(ui: Controller) -> El {
    follow_later(Box::new(move || {
        ui.current.track();
        ui.load_trace();
    }));
    on_cleanup(move || ui.trace.forget());
    let shown = move || {
        let is_new = ui.current.with(Option::is_none);
        ui.trace.rounds.with(|rounds| match rounds {
            Some(rounds) if !rounds.is_empty() => Shown::Rounds,
            None if !is_new => Shown::Loading,
            _ => Shown::Empty,
        })
    };
    let draw = move |which| {
        Some(match which {
            which if which == Shown::Loading as u64 => el("p")
                .class("trace__loading")
                .attr("role", "status")
                .say(ui, |words| words.opening),
            which if which == Shown::Empty as u64 => empty(ui),
            _ => timeline(ui),
        })
    };
    el("section")
        .class("trace")
        .test_id("trace-view")
        .say_as("aria-label", ui, |words| words.trace)
        .child(head(ui, move || shown() == Shown::Rounds))
        .choose(move || shown() as u64, draw)
}

fn empty(ui: Controller) -> El {
    div("tree__none")
        .child(
            el("p")
                .class("tree__none-title")
                .say(ui, |words| words.trace_none),
        )
        .child(el("p").say(ui, |words| words.trace_none_text))
}

/// Sums and what can be done with the trace.
fn head(ui: Controller, has_rounds: impl Fn() -> bool + Copy + 'static) -> El {
    let asks = RwSignal::new(false);
    let sums = move || {
        ui.trace.rounds.with(|rounds| match rounds.as_deref() {
            Some(rounds) if !rounds.is_empty() => ui.words().trace_sums(&Sums::of(rounds)),
            _ => String::new(),
        })
    };
    let tool = |test_id: &str, label: fn(&Words) -> &'static str| {
        button("button button--quiet button--small")
            .test_id(test_id)
            .bind("aria-label", move || label(ui.words()))
            .bind("title", move || label(ui.words()))
    };
    let export = |test_id: &str, name: &str, format, label: fn(&Words) -> &'static str| {
        tool(test_id, label)
            .flag("disabled", move || !has_rounds())
            .child(icon(Icon::Download))
            .child(el("span").text(name))
            .press(move || ui.export_trace(format))
    };
    let refresh = tool("trace-refresh", |words| words.trace_refresh)
        .child(icon(Icon::Again))
        .press(move || ui.refresh_trace());
    let json = export("trace-export-json", "JSON", ExportFormat::Json, |words| {
        words.trace_export_json
    });
    let otlp = export("trace-export-otlp", "OTLP", ExportFormat::Otlp, |words| {
        words.trace_export_otlp
    });
    let clear = tool("trace-clear", |words| words.trace_clear)
        .flag("disabled", move || !has_rounds() || !ui.can_work())
        .child(icon(Icon::Trash))
        .press(move || {
            asks.set(true);
            dom::focus_later("[data-testid=trace-clear-cancel]".into());
        });
    let tools = div("trace__tools").children([refresh, json, otlp, clear]);
    div("trace__head")
        .child(el("p").class("trace__sums").live(sums))
        .child(tools)
        .when(
            move || asks.get() && has_rounds(),
            move || clear_question(ui, asks),
        )
}

fn clear_question(ui: Controller, asks: RwSignal<bool>) -> El {
    let answered = move || {
        asks.set(false);
        dom::focus_later("[data-testid=trace-refresh]".into());
    };
    let yes = button("button button--small")
        .test_id("trace-clear-confirm")
        .say(ui, |words| words.trace_clear_yes)
        .press(move || {
            answered();
            ui.clear_trace();
        });
    let no = button("button button--small")
        .test_id("trace-clear-cancel")
        .say(ui, |words| words.cancel)
        .press(answered);
    div("trace__ask")
        .attr("role", "group")
        .say_as("aria-label", ui, |words| words.trace_clear)
        .child(
            span("trace__question")
                .attr("role", "status")
                .say(ui, |words| words.trace_clear_ask),
        )
        .child(div("trace__answers").children([yes, no]))
}

/// The rounds, their bars drawn to the scale of the longest.
fn timeline(ui: Controller) -> El {
    let rounds = move || {
        let all = ui.trace.rounds.get().unwrap_or_default();
        all.into_iter().map(|round| (key(&round), round)).collect()
    };
    let scale = move || {
        let longest = |rounds: &[_]| Sums::of(rounds).longest_ms.max(1).to_string();
        let rounds = ui.trace.rounds;
        rounds.with(|rounds| rounds.as_deref().map_or_else(String::new, longest))
    };
    let list = el("ol")
        .class("trace__list")
        .style("--scale", scale)
        .each(rounds, move |round| round_row(ui, round));
    let names = move |at: usize| move || Text::from(ui.words().stage_names()[at]);
    let legend = div("trace__legend")
        .attr("aria-hidden", "true")
        .children((0..4).map(|at| {
            span("trace__key")
                .child(span(round::PARTS[at]))
                .child(el("span").live(names(at)))
        }));
    div("trace__page").child(legend).child(list)
}
