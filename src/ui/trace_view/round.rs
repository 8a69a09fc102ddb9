//! One round of the trace: a line with a bar, which unfolds to all that is known of it.

use std::sync::Arc;

use crate::kernel::trace::{CallTrace, RoundTrace};
use crate::ui::controller::Controller;
use crate::ui::copy_button::copy_button;
use crate::ui::dom;
use crate::ui::element::{El, button, div, el, span};
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::RwSignal;
use crate::ui::state::trace::{Stages, beginning};
use crate::ui::words::{Words, units};

/// The stages' parts of a bar, in order.
pub(super) const PARTS: [&str; 4] = [
    "trace__part trace__part--waiting",
    "trace__part trace__part--first",
    "trace__part trace__part--stream",
    "trace__part trace__part--tools",
];

/// A row; what is unfolded is drawn only then.
pub(super) fn round_row(ui: Controller, round: Arc<RoundTrace>) -> El {
    let seq = round.seq;
    let is_open = move || ui.trace.unfolded.with(|all| all.contains(&seq));
    let [of_title, of_facts, of_detail] = [(); 3].map(|()| Arc::clone(&round));
    let stages = Stages::of(&round);
    let head = div("trace__line")
        .child(span("trace__chevron").child(icon(Icon::ChevronRight)))
        .child(span("trace__title").live(move || ui.words().purpose(&of_title)))
        .child(span("trace__model").text(&round.model))
        .children(round.failure.is_some().then(|| failed(ui)))
        .child(span("trace__time").live(move || ui.words().took(stages.total())));
    let row = button("trace__row")
        .bind("aria-expanded", is_open)
        .child(head)
        .child(bar(stages))
        .child(span("trace__facts").live(move || ui.words().trace_facts(&of_facts)))
        .press(move || ui.trace.turn(seq));
    el("li")
        .class("trace__round")
        .test_id("trace-round")
        .attr("data-round", &round.round.to_string())
        .child(row)
        .when(is_open, move || detail(ui, &of_detail))
}

fn failed(ui: Controller) -> El {
    span("trace__failed")
        .child(icon(Icon::Warning))
        .child(el("span").say(ui, |words| words.failed))
}

fn bar(stages: Stages) -> El {
    let parts = PARTS.into_iter().zip(stages.all());
    let parts = parts.filter(|(_, ms)| *ms > 0);
    span("trace__bar")
        .attr("aria-hidden", "true")
        .children(parts.map(|(class, ms)| span(class).set_style("--ms", &ms.to_string())))
}

fn detail(ui: Controller, round: &Arc<RoundTrace>) -> El {
    let stages = Stages::of(round);
    let times = el("ul").class("trace__times").children((0..4).map(|at| {
        el("li")
            .child(span(PARTS[at]))
            .child(el("span").live(move || ui.words().stages(stages)[at].clone()))
    }));
    let sent = units::time_of_day(round.sent_ms, dom::clock_offset_min());
    let mut detail = div("trace__detail")
        .test_id("trace-detail")
        .child(
            el("p")
                .class("muted")
                .text(&format!("{sent} · {}", round.host)),
        )
        .child(times);
    if let Some(failure) = &round.failure {
        detail = detail.child(el("p").class("trace__failure").text(failure));
    }
    if !round.retries.is_empty() {
        let lines = round.retries.iter().cloned();
        let lines = lines.map(|retry| el("li").live(move || ui.words().failed_try(&retry)));
        detail = detail.child(list(ui, |words| words.trace_retries, lines));
    }
    if !round.notes.is_empty() {
        let lines = round.notes.iter().map(|note| el("li").text(note));
        detail = detail.child(list(ui, |words| words.trace_notes, lines));
    }
    let same = round.same_bytes;
    let before = (same > 0).then(|| {
        el("p")
            .class("muted")
            .live(move || ui.words().same_bytes(same))
    });
    let request = body(
        ui,
        round,
        "trace-request",
        |words| words.trace_request,
        |round| &round.request,
        before,
    );
    let response = body(
        ui,
        round,
        "trace-response",
        |words| words.trace_response,
        |round| &round.response,
        None,
    );
    detail = detail.child(request).child(response);
    if !round.calls.is_empty() {
        let lines = round.calls.iter().map(|called| {
            let result = round.results.iter().find(|call| call.call_id == called.id);
            call(ui, &called.name, &called.arguments, result)
        });
        detail = detail.child(list(ui, |words| words.trace_calls, lines));
    }
    detail
}

fn list(ui: Controller, title: fn(&Words) -> &'static str, lines: impl Iterator<Item = El>) -> El {
    div("trace__section")
        .child(el("h4").live(move || title(ui.words())))
        .child(el("ul").class("trace__lines").children(lines))
}

fn call(ui: Controller, name: &str, arguments: &str, result: Option<&CallTrace>) -> El {
    let shape = match result {
        Some(result) if result.ok => Icon::Check,
        Some(_) => Icon::Failed,
        None => Icon::Clock,
    };
    let result = result.cloned();
    let time = move || match &result {
        Some(result) => ui.words().call_facts(result),
        None => ui.words().trace_open_call.to_owned(),
    };
    el("li")
        .class("trace__call")
        .child(icon(shape))
        .child(el("code").class("trace__tool").text(name))
        .child(
            el("code")
                .class("trace__arguments")
                .attr("title", arguments)
                .text(arguments),
        )
        .child(span("trace__time").live(time))
}

/// A request or a response; a long one begins cut.
fn body(
    ui: Controller,
    round: &Arc<RoundTrace>,
    test_id: &str,
    title: fn(&Words) -> &'static str,
    of: fn(&RoundTrace) -> &String,
    before: Option<El>,
) -> El {
    let text = of(round);
    let size = text.len();
    let copied = Arc::clone(round);
    let head = div("trace__section-head")
        .child(el("h4").live(move || title(ui.words())))
        .child(span("muted").text(&units::bytes(size as u64)))
        .child(copy_button(ui, move || of(&copied).clone()));
    let part = div("trace__section").child(head).children(before);
    if text.is_empty() {
        return part.child(el("p").class("muted").say(ui, |words| words.trace_nothing));
    }
    let is_whole = RwSignal::new(beginning(text).is_none());
    let shown = Arc::clone(round);
    let draw = move |which| {
        let text = of(&shown);
        let text = match which {
            0 => beginning(text).unwrap_or(text),
            _ => text,
        };
        Some(
            el("pre")
                .class("trace__body")
                .attr("tabindex", "0")
                .text(text),
        )
    };
    part.child(
        div("trace__text")
            .test_id(test_id)
            .choose(move || u64::from(is_whole.get()), draw),
    )
    .when(
        move || !is_whole.get(),
        move || {
            button("button button--link")
                .live(move || ui.words().show_all_of(size))
                .press(move || is_whole.set(true))
        },
    )
}
