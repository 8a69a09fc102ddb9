//! How much of the model's window is used, and what that costs: a short text over
//! the conversation, which opens to what takes the room.

use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon};
use super::signal::RwSignal;
use super::state::transcript::Tally;
use super::words::{percent, units};
use crate::kernel::event::ContextUse;

/// Hundredths of the window from which on it is told that it fills up.
const MUCH: u64 = 60;
const POPOVER: &str = "usage-popover";
/// The parts' colours, in the order of the words for them.
const SWATCHES: [&str; 5] = [
    "swatch swatch--1",
    "swatch swatch--2",
    "swatch swatch--3",
    "swatch swatch--4",
    "swatch swatch--5",
];

fn context(ui: Controller) -> Option<ContextUse> {
    ui.shown.with(|model| model.as_ref()?.context.get())
}

fn tally(ui: Controller) -> Tally {
    let tally = ui
        .shown
        .with(|model| model.as_ref().map(|model| model.tally.get()));
    tally.unwrap_or_default()
}

/// The meter of the shown session; nothing before its first round.
pub fn meter(ui: Controller) -> El {
    let is_there = move || {
        let tally = tally(ui);
        tally.counted + tally.uncounted > 0 || context(ui).is_some()
    };
    // Takes the focus where buttons don't, so that a press inside is one inside.
    div("meter-place").when(is_there, move || {
        let is_open = RwSignal::new(false);
        let place = div("meter-box").attr("tabindex", "-1");
        let left = place.clone();
        place
            .child(summary(ui, is_open))
            .when(move || is_open.get(), move || popover(ui))
            .key(move |event| {
                if event.key() == "Escape" && is_open.get_untracked() {
                    event.prevent_default();
                    is_open.set(false);
                    dom::focus("[data-testid=usage-meter]");
                }
            })
            .on("focusout", move |_| {
                let left = left.clone();
                // The focus is on its way.
                leptos::task::spawn_local(async move {
                    leptos::task::tick().await;
                    if !left.node().matches(":focus-within").unwrap_or(false) {
                        is_open.set(false);
                    }
                });
            })
    })
}

fn summary(ui: Controller, is_open: RwSignal<bool>) -> El {
    let used = move || context(ui).as_ref().and_then(percent);
    let cost = move || {
        let cost = context(ui).and_then(|context| context.cost);
        cost.map_or_else(String::new, units::money)
    };
    let gauge = move || {
        let fill = span("gauge__fill")
            .class_if("gauge__fill--much", move || used() >= Some(MUCH))
            .style("width", move || {
                format!("{}%", used().unwrap_or(0).min(100))
            });
        span("meter__window")
            .child(span("gauge").attr("aria-hidden", "true").child(fill))
            .child(span("meter__percent").live(move || format!("{}%", used().unwrap_or(0))))
    };
    button("meter")
        .test_id("usage-meter")
        .attr("aria-controls", POPOVER)
        .bind("aria-expanded", move || is_open.get())
        .bind("title", move || ui.words().meter_detail(tally(ui)))
        .when(
            move || used().is_none() || tally(ui).counted > 0,
            move || span("meter__tokens").live(move || ui.words().meter(tally(ui))),
        )
        .when(move || used().is_some(), gauge)
        .when(
            move || !cost().is_empty(),
            move || span("meter__cost").live(cost),
        )
        .press(move || is_open.update(|is_open| *is_open = !*is_open))
}

fn popover(ui: Controller) -> El {
    let has_context = move || context(ui).is_some();
    let now = move || context(ui).unwrap_or_default();
    let is_much = move || context(ui).as_ref().and_then(percent) >= Some(MUCH);
    div("meter-popover")
        .attr("id", POPOVER)
        .test_id(POPOVER)
        .attr("role", "group")
        .say_as("aria-label", ui, |words| words.meter_window)
        .when(has_context, move || window_part(ui, now))
        .when(
            move || !has_context(),
            move || el("p").class("muted").say(ui, |words| words.meter_none),
        )
        .when(is_much, move || {
            div("meter-popover__hint")
                .child(icon(Icon::Info))
                .child(el("p").say(ui, |words| words.meter_full))
        })
        .child(spent_part(ui))
}

/// What takes the window's room.
fn window_part(ui: Controller, now: impl Fn() -> ContextUse + Copy + 'static) -> El {
    let parts = move || ui.words().context_parts(&now());
    let bar = div("meter-popover__bar")
        .attr("aria-hidden", "true")
        .children((0..5).map(|at| {
            span(SWATCHES[at]).style("width", move || {
                let context = now();
                let all = context.window.max(context.total()).max(1);
                let (_, tokens) = parts()[at];
                // In hundredths of a percent: small parts are to be seen, too.
                let share = tokens.saturating_mul(10_000) / all;
                format!("{}.{:02}%", share / 100, share % 100)
            })
        }));
    let line = |name: El, value: El| {
        div("meter-popover__line")
            .child(name)
            .child(value.class("meter-popover__number"))
    };
    let part = |at: usize| {
        let name = el("dt")
            .child(span(SWATCHES[at]))
            .child(el("span").live(move || parts()[at].0));
        let tokens = el("dd").live(move || units::number(parts()[at].1));
        line(name, tokens)
    };
    let free = line(
        el("dt")
            .child(span("swatch swatch--free"))
            .child(el("span").say(ui, |words| words.context_free)),
        el("dd").live(move || {
            let context = now();
            units::number(context.window.saturating_sub(context.total()))
        }),
    );
    let title = div("meter-popover__title")
        .child(el("h2").say(ui, |words| words.meter_window))
        .child(el("span").live(move || ui.words().context_used(&now())));
    div("meter-popover__part")
        .child(title)
        .child(bar)
        .child(el("dl").children((0..5).map(part)).child(free))
}

/// What has been used so far: of the run where it tells, else of the whole session.
fn spent_part(ui: Controller) -> El {
    let line = |name: El, value: El| div("meter-popover__line").child(name).child(value);
    let name = el("dt").live(move || match context(ui) {
        Some(_) => ui.words().meter_spent,
        None => ui.words().meter_spent_session,
    });
    let spent = el("dd").live(move || match (context(ui), tally(ui)) {
        (Some(context), _) => ui.words().tokens_by_kind(context.spent),
        (None, Tally { counted: 0, .. }) => ui.words().no_count.to_owned(),
        (None, tally) => ui.words().tokens_by_kind(tally.usage),
    });
    let cost = move || {
        let text = move || match context(ui).and_then(|context| context.cost) {
            Some(cost) => units::money(cost),
            None => ui.words().meter_cost_unknown.to_owned(),
        };
        line(
            el("dt").say(ui, |words| words.meter_cost),
            el("dd").live(text),
        )
    };
    el("dl")
        .class("meter-popover__part")
        .child(line(name, spent))
        .when(move || context(ui).is_some(), cost)
}
