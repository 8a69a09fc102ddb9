//! Lines that tell what is going on right now, and for how long.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::controller::Controller;
use super::controller::rows::RoundModel;
use super::dom;
use super::element::{El, el, span};
use super::icon::{Icon, icon, spinner};
use super::signal::RwSignal;
use super::state::transcript::{Busy, RoundView};
use super::words::{Words, units};
use crate::kernel::event::Retry;

/// What a round that is being written is at: words for its line.
pub fn doing(words: &Words, round: &RoundView) -> String {
    match &round.draft {
        Some(draft) => words.drafting(&draft.name, draft.bytes),
        None if round.text.is_empty() => words.thinking.to_owned(),
        None => words.answering.to_owned(),
    }
}

/// The line of a round that is being written, or waits for another try.
pub fn progress(ui: Controller, model: &RoundModel) -> El {
    let (which, of_doing, of_retry) = (
        model.round.clone(),
        model.round.clone(),
        model.round.clone(),
    );
    let since_ms = model.since_ms;
    let attempt = move || {
        which.with(|round| match &round.retry {
            Some(retry) => u64::from(retry.attempt),
            None => 0,
        })
    };
    let draw = move |attempt| {
        let retry = of_retry.with_untracked(|round| round.retry.clone());
        Some(match (attempt, retry) {
            (1.., Some(retry)) => retrying(ui, retry),
            _ => {
                let round = of_doing.clone();
                line(move || round.with(|round| doing(ui.words(), round)))
                    .child(elapsed(ui, since_ms))
            }
        })
    };
    el("div").choose(attempt, draw)
}

/// The line of something else that takes a while.
pub fn busy_line(ui: Controller, busy: Busy) -> El {
    line(move || ui.words().busy(busy).to_owned())
        .test_id("busy")
        .child(elapsed(ui, dom::now_ms()))
}

fn line(text: impl Fn() -> String + 'static) -> El {
    el("p")
        .class("progress")
        .child(spinner())
        .child(el("span").live(text))
}

/// Counts down to the next try, and tells why there is one.
fn retrying(ui: Controller, retry: Arc<Retry>) -> El {
    let reason = Arc::clone(&retry);
    let passed = seconds_since(dom::now_ms());
    let wait = retry.wait_ms.div_ceil(1_000);
    let told = move || {
        let left = wait.saturating_sub(passed.get());
        ui.words().retrying(&retry, left)
    };
    el("p")
        .class("progress progress--retry")
        .test_id("retrying")
        .child(icon(Icon::Clock))
        .child(el("span").live(told))
        .child(span("progress__why").live(move || ui.words().failure_in_short(&reason.failure)))
}

/// The seconds since then, once there are some.
pub fn elapsed(ui: Controller, since_ms: u64) -> El {
    let seconds = seconds_since(since_ms);
    span("elapsed").live(move || match seconds.get() {
        0 => String::new(),
        seconds => units::seconds(ui.words().language, seconds),
    })
}

/// Whole seconds since then, as they pass.
fn seconds_since(since_ms: u64) -> RwSignal<u64> {
    let now = move || dom::now_ms().saturating_sub(since_ms) / 1_000;
    let seconds = RwSignal::new(now());
    let update = move || {
        seconds.set(now());
    };
    let tick = set_interval_with_handle(update, Duration::from_secs(1));
    on_cleanup(move || {
        if let Ok(tick) = tick {
            tick.clear();
        }
    });
    seconds
}
