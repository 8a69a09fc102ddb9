//! A round: what was thought, said and done. Folded, only its calls are left, a
//! line each; many calls fold to one line together.

use std::time::Duration;

use leptos::prelude::*;

use super::erase::{Each, Show, live, row};

use super::dom;
use super::follow::Follow;
use super::icon::{Icon, IconView};
use super::markdown::Markdown;
use super::preferences::use_words;
use super::state::transcript::{CallState, RoundView, Stage};
use super::tool_card::ToolCard;
use super::words::units;

/// More calls than this fold to one line.
const MANY_CALLS: usize = 3;

/// Whether a part is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    Folded,
    Unfolded,
}

/// What the views of a round need of it, each drawn again only when it changes.
#[derive(Clone, Copy)]
struct Parts {
    number: Memo<u32>,
    stage: Memo<Stage>,
    is_answer: Memo<bool>,
    is_open: Memo<bool>,
    has_text: Memo<bool>,
    has_reasoning: Memo<bool>,
    calls: Memo<usize>,
}

impl Parts {
    fn of(round: &ArcRwSignal<RoundView>) -> Self {
        fn part<T: Clone + PartialEq + Send + Sync + 'static>(
            round: &ArcRwSignal<RoundView>,
            part: impl Fn(&RoundView) -> T + Send + Sync + 'static,
        ) -> Memo<T> {
            let round = round.clone();
            Memo::new(move |_| round.with(|round| part(round)))
        }
        Self {
            number: part(round, |round| round.number),
            stage: part(round, |round| round.stage),
            is_answer: part(round, RoundView::is_answer),
            is_open: part(round, RoundView::is_open),
            has_text: part(round, |round| !round.text.trim().is_empty()),
            has_reasoning: part(round, |round| !round.reasoning.trim().is_empty()),
            calls: part(round, |round| round.calls.len()),
        }
    }

    fn is_many(self) -> bool {
        self.calls.get() > MANY_CALLS
    }

    /// Whether folding would hide anything.
    fn can_fold(self) -> bool {
        !self.is_answer.get() && (self.is_many() || self.has_text.get() || self.has_reasoning.get())
    }
}

/// One round of the conversation. `since` is when the page saw it begin.
#[component]
pub fn RoundCard(
    round: ArcRwSignal<RoundView>,
    since: u64,
    is_last: Signal<bool>,
) -> impl IntoView {
    let t = use_words();
    let parts = Parts::of(&round);
    let folding = Folding::new(parts, is_last);
    let is_unfolded = folding.is_unfolded;
    let shows_text = move || {
        let is_there = parts.has_text.get() || parts.stage.get() == Stage::Incomplete;
        is_there && (parts.is_answer.get() || is_unfolded.get())
    };
    let shows_reasoning =
        move || parts.has_reasoning.get() && (parts.is_answer.get() || is_unfolded.get());
    let shows_calls = move || is_unfolded.get() || !parts.is_many();
    let (text, reasoning, calls, head, progress) = (
        round.clone(),
        round.clone(),
        round.clone(),
        round.clone(),
        round,
    );
    view! {
        <section
            class="round"
            data-testid="round-card"
            data-round=live(move || parts.number.get())
            aria-label=live(move || t().round(parts.number.get()))
        >
            <Toggle parts folding />
            <div class="round__body">
                <Show when=live(shows_reasoning)>
                    <Reasoning round=reasoning.clone() />
                </Show>
                <Show when=live(shows_text)>
                    <Message round=text.clone() stage=parts.stage />
                </Show>
                <Show when=live(move || parts.is_many())>
                    <ManyCalls round=head.clone() folding />
                </Show>
                <div class="round__calls" class:round__calls--hidden=live(move || !shows_calls())>
                    <Calls round=calls count=parts.calls />
                </div>
                <Show when=live(move || parts.stage.get() == Stage::Streaming)>
                    <Progress round=progress.clone() since />
                </Show>
            </div>
        </section>
    }
}

/// Whether the round is folded: as the user wants it, else unfolded while it is at work.
#[derive(Clone, Copy)]
struct Folding {
    chosen: RwSignal<Option<Fold>>,
    is_unfolded: Memo<bool>,
    follow: Option<Follow>,
}

impl Folding {
    fn new(parts: Parts, is_last: Signal<bool>) -> Self {
        let chosen = RwSignal::new(None);
        let is_unfolded = Memo::new(move |_| match chosen.get() {
            Some(fold) => fold == Fold::Unfolded,
            None => parts.is_open.get() && is_last.get(),
        });
        Self {
            chosen,
            is_unfolded,
            follow: use_context::<Follow>(),
        }
    }

    fn turn(self) {
        if let Some(follow) = self.follow {
            follow.hold();
        }
        let next = if self.is_unfolded.get_untracked() {
            Fold::Folded
        } else {
            Fold::Unfolded
        };
        self.chosen.set(Some(next));
    }

    fn expanded(self) -> &'static str {
        if self.is_unfolded.get() {
            "true"
        } else {
            "false"
        }
    }
}

/// The round's number, which folds and unfolds it.
#[component]
fn Toggle(parts: Parts, folding: Folding) -> impl IntoView {
    let t = use_words();
    let label = move || {
        let does = if folding.is_unfolded.get() {
            t().round_hide
        } else {
            t().round_show
        };
        format!("{}: {does}", t().round(parts.number.get()))
    };
    view! {
        <div class="round__gutter">
            <Show
                when=live(move || parts.can_fold())
                fallback=move || view! { <span class="round__number" aria-hidden="true">{move || parts.number.get()}</span> }
            >
                <button
                    type="button"
                    class="round__toggle"
                    data-testid="round-toggle"
                    aria-expanded=live(move || folding.expanded())
                    aria-label=label
                    title=label
                    on:click=move |_| folding.turn()
                >
                    <span class="round__number">{live(move || parts.number.get())}</span>
                    <IconView icon=Icon::ChevronRight />
                </button>
            </Show>
        </div>
    }
}

#[component]
fn Reasoning(round: ArcRwSignal<RoundView>) -> impl IntoView {
    let t = use_words();
    view! {
        <details class="thought">
            <summary class="thought__head">
                <IconView icon=Icon::Brain />
                <span>{t().thought}</span>
            </summary>
            <div class="thought__text">{live(move || round.with(|round| round.reasoning.clone()))}</div>
        </details>
    }
}

#[component]
fn Message(round: ArcRwSignal<RoundView>, stage: Memo<Stage>) -> impl IntoView {
    let t = use_words();
    let text = Signal::derive(move || round.with(|round| round.text.clone()));
    view! {
        <div class="round__text" data-testid="message-assistant">
            <Markdown text />
            <Show when=live(move || stage.get() == Stage::Incomplete)>
                <p class="round__incomplete">
                    <IconView icon=Icon::Warning />
                    <span>{t().incomplete}</span>
                </p>
            </Show>
        </div>
    }
}

/// The one line that many calls fold to.
#[component]
fn ManyCalls(round: ArcRwSignal<RoundView>, folding: Folding) -> impl IntoView {
    let t = use_words();
    let facts = Memo::new(move |_| {
        round.with(|round| {
            let failed = round
                .calls
                .iter()
                .filter(|call| call.state == CallState::Error)
                .count();
            let took: u64 = round.calls.iter().map(|call| call.took_ms).sum();
            (round.calls.len(), failed, took, round.is_open())
        })
    });
    let icon = Signal::derive(move || match facts.get() {
        (.., true) => Icon::Spinner,
        (_, 0, ..) => Icon::Wrench,
        _ => Icon::Failed,
    });
    view! {
        <button
            type="button"
            class="call__line"
            aria-expanded=live(move || folding.expanded())
            on:click=move |_| folding.turn()
        >
            <IconView icon />
            <span class="call__verb">{live(move || { let (calls, failed, ..) = facts.get(); t().tool_calls(calls, failed) })}</span>
            <span class="call__facts">{live(move || t().took(facts.get().2))}</span>
            <span class="call__chevron"><IconView icon=Icon::ChevronRight /></span>
        </button>
    }
}

#[component]
fn Calls(round: ArcRwSignal<RoundView>, count: Memo<usize>) -> impl IntoView {
    let keys = live(move || (0..count.get()).map(|at| at.to_string()).collect());
    let draw = move |key: String| {
        let at = key.parse().unwrap_or_default();
        view! { <ToolCard round=round.clone() at /> }.into_any()
    };
    view! {
        <Each keys row=row(draw) />
    }
}

/// What a round that is being written is at, and for how long.
#[component]
fn Progress(round: ArcRwSignal<RoundView>, since: u64) -> impl IntoView {
    let t = use_words();
    let doing = move || {
        round.with(|round| match &round.draft {
            Some(draft) => t().drafting(&draft.name, draft.bytes),
            None if round.text.is_empty() => t().thinking.to_owned(),
            None => t().answering.to_owned(),
        })
    };
    view! {
        <p class="progress">
            <IconView icon=Icon::Spinner />
            <span>{doing}</span>
            <Elapsed since />
        </p>
    }
}

/// The seconds since then, once there are some.
#[component]
pub fn Elapsed(since: u64) -> impl IntoView {
    let t = use_words();
    let seconds_now = move || dom::now_ms().saturating_sub(since) / 1_000;
    let seconds = RwSignal::new(seconds_now());
    let update = move || {
        seconds.try_set(seconds_now());
    };
    let tick = set_interval_with_handle(update, Duration::from_secs(1));
    on_cleanup(move || {
        if let Ok(tick) = tick {
            tick.clear();
        }
    });
    view! {
        <span class="elapsed">
            {live(move || match seconds.get() {
                0 => String::new(),
                seconds => units::seconds(t().language, seconds),
            })}
        </span>
    }
}
