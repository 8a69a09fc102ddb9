//! The conversation: its head, its rows, and the way back to its end.

use std::sync::Arc;

use leptos::prelude::*;

use super::erase::{Each, Show, live, part, row};

use super::controller::session::{Row, RowContent, SessionModel};
use super::controller::use_controller;
use super::empty_session::EmptySession;
use super::follow::{Follow, Reader};
use super::icon::{Icon, IconView};
use super::preferences::use_words;
use super::round_card::RoundCard;
use super::run_end::RunEnd;

/// Characters of a task beyond which it begins shortened.
const LONG_TASK: usize = 1_200;
/// Lines of a task beyond which it begins shortened.
const MANY_LINES: usize = 14;

/// The session that is shown.
#[component]
pub fn Conversation() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    view! {
        <section class="conversation" aria-label=t().conversation>
            <Head />
            {part(move || (match ui.shown.get() {
                Some(model) => view! { <Rows model /> }.into_any(),
                None => view! { <EmptySession /> }.into_any(),
            }).into_any())}
        </section>
    }
}

#[component]
fn Head() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let title = Memo::new(move |_| {
        let id = ui.current.get()?;
        ui.sessions.with(|all| {
            all.iter()
                .find(|session| session.id == id)
                .map(|session| session.title.clone())
        })
    });
    let shown = move || {
        title
            .get()
            .unwrap_or_else(|| t().session_untitled.to_owned())
    };
    view! {
        <header class="conversation__head">
            <h1 class="conversation__title" title=shown>{shown}</h1>
            {part(move || (ui.shown.get().map(|model| view! { <Meter model /> })).into_any())}
            <super::workspace::WorkspaceToggle />
        </header>
    }
}

/// Tokens of the session.
#[component]
fn Meter(model: SessionModel) -> impl IntoView {
    let tally = model.tally;
    let is_known = {
        let tally = tally.clone();
        move || tally.with(|tally| tally.counted + tally.uncounted > 0)
    };
    view! {
        <Show when=live(is_known)>
            <MeterText tally=tally.clone() />
        </Show>
    }
}

#[component]
fn MeterText(tally: ArcRwSignal<super::state::transcript::Tally>) -> impl IntoView {
    let t = use_words();
    let detail = tally.clone();
    view! {
        <span class="meter" data-testid="usage-meter" title=live(move || t().meter_detail(detail.get()))>
            {live(move || t().meter(tally.get()))}
        </span>
    }
}

#[component]
fn Rows(model: SessionModel) -> impl IntoView {
    let follow = Follow::new();
    provide_context(follow);
    let rows = model.rows;
    let last = {
        let rows = rows.clone();
        Memo::new(move |_| rows.with(Vec::len))
    };
    // A task that was just sent is looked at, wherever the reader was.
    let tasks = {
        let rows = rows.clone();
        Memo::new(move |_| {
            rows.with(|rows| {
                rows.iter()
                    .filter(|row| matches!(row.content, RowContent::User(_)))
                    .count()
            })
        })
    };
    Effect::new(move |before: Option<usize>| {
        let count = tasks.get();
        if before.is_some_and(|before| count > before) {
            follow.jump();
        }
        count
    });
    let keys = {
        let rows = rows.clone();
        live(move || rows.with(|rows| rows.iter().map(Row::key).collect()))
    };
    let of_rows = rows.clone();
    let draw_row = move |key: String| {
        let row = of_rows.with_untracked(|rows| rows.iter().find(|row| row.key() == key).cloned());
        let draw = |row| view! { <RowView row last rows=of_rows.clone() /> };
        row.map(draw).into_any()
    };
    view! {
        <div
            class="conversation__scroll"
            node_ref=follow.scroller
            on:scroll=move |_| follow.scrolled()
            tabindex="-1"
        >
            <div class="conversation__column" node_ref=follow.column>
                <Each keys row=row(draw_row) />
            </div>
        </div>
        <Announcer rows />
        <Jump follow />
    }
}

#[component]
fn RowView(row: Row, last: Memo<usize>, rows: ArcRwSignal<Vec<Row>>) -> impl IntoView {
    let Row { at, content } = row;
    let is_last = Signal::derive(move || at + 1 == last.get());
    match content {
        RowContent::User(text) => view! { <UserMessage text /> }.into_any(),
        RowContent::Round(round, since) => view! { <RoundCard round since is_last /> }.into_any(),
        RowContent::Nudge(text) => view! { <Nudge text /> }.into_any(),
        RowContent::Stop(stop) => {
            view! { <RunEnd stop is_last answer=answer_before(at, &rows) /> }.into_any()
        }
    }
}

/// The answer that stands right before the row at `at`.
fn answer_before(at: usize, rows: &ArcRwSignal<Vec<Row>>) -> Option<String> {
    rows.with_untracked(|rows| match &rows.get(at.checked_sub(1)?)?.content {
        RowContent::Round(round, _) => {
            round.with_untracked(|round| round.is_answer().then(|| round.text.clone()))
        }
        _ => None,
    })
}

#[component]
fn UserMessage(text: Arc<str>) -> impl IntoView {
    let t = use_words();
    let is_long = text.chars().count() > LONG_TASK || text.lines().count() > MANY_LINES;
    let shortened = RwSignal::new(is_long);
    let press = move |_| shortened.update(|shortened| *shortened = !*shortened);
    let toggle = is_long.then(|| {
        view! {
            <button type="button" class="button button--link" on:click=press>
                {live(move || if shortened.get() { t().show_all } else { t().show_less })}
            </button>
        }
    });
    view! {
        <article class="task" aria-label=t().you>
            <div class="task__text" class:task__text--short=live(move || shortened.get()) data-testid="message-user">
                {text.to_string()}
            </div>
            {toggle}
        </article>
    }
}

#[component]
fn Nudge(text: Arc<str>) -> impl IntoView {
    let t = use_words();
    view! {
        <details class="nudge">
            <summary class="nudge__head">
                <IconView icon=Icon::Info />
                <span>{t().nudge}</span>
            </summary>
            <p class="nudge__text">{text.to_string()}</p>
        </details>
    }
}

/// Tells readers how a run ended; deltas are not told.
#[component]
fn Announcer(rows: ArcRwSignal<Vec<Row>>) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let told = move || {
        let limit = ui
            .settings
            .with(|settings| settings.as_ref().map_or(0, |settings| settings.round_limit));
        rows.with(|rows| match rows.last().map(|row| &row.content) {
            Some(RowContent::Stop(stop)) => t().ending(&stop.ending.reason, limit).told,
            _ => String::new(),
        })
    };
    view! { <p class="visually-hidden" role="status">{told}</p> }
}

#[component]
fn Jump(follow: Follow) -> impl IntoView {
    let t = use_words();
    view! {
        <Show when=live(move || follow.reader.get() == Reader::Elsewhere)>
            <button type="button" class="button jump" on:click=move |_| follow.jump()>
                <IconView icon=Icon::ArrowDown />
                <span>{t().jump_to_latest}</span>
            </button>
        </Show>
    }
}
