//! The end of a run: why, after how much, and what to press next.

use std::sync::Arc;

use leptos::prelude::*;

use super::erase::{Show, live, part};

use super::controller::use_controller;
use super::icon::{Icon, IconView};
use super::markdown::CopyButton;
use super::preferences::use_words;
use super::state::transcript::{Kept, StopView};
use super::words::{Way, Words};
use crate::kernel::event::StopReason;

/// A quiet footer; the last one offers the next steps.
#[component]
pub fn RunEnd(stop: Arc<StopView>, is_last: Signal<bool>, answer: Option<String>) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let limit = move || {
        ui.settings
            .with(|settings| settings.as_ref().map_or(0, |settings| settings.round_limit))
    };
    let reason = stop.ending.reason.clone();
    let words = Memo::new(move |_| t().ending(&reason, limit()));
    let told = move || words.with(|words| words.told.clone());
    let is_done = stop.ending.reason == StopReason::Completed;
    let is_failed = matches!(stop.ending.reason, StopReason::Failed(_));
    let icon = match &stop.ending.reason {
        StopReason::Completed => Icon::Done,
        StopReason::Cancelled | StopReason::RoundLimit { .. } => Icon::Stopped,
        _ => Icon::Warning,
    };
    let name = stop.ending.reason.name();
    let unsaved = (stop.kept == Kept::Unsaved)
        .then(|| view! { <p class="end__note">{t().not_saved_end}</p> });
    let details = move || words.with(|words| words.details.clone());
    let facts = {
        let stop = Arc::clone(&stop);
        move || facts(t(), &stop)
    };
    let copy = answer
        .filter(|_| is_done)
        .map(|answer| view! { <CopyButton text=live(move || answer.clone()) /> });
    view! {
        <footer
            class="end"
            class:end--failed=is_failed
            class:end--done=is_done
            class:end--old=live(move || !is_last.get())
            data-testid="stop-reason"
            data-reason=name
        >
            <div class="end__line">
                <IconView icon />
                <p class="end__told">{told}</p>
                <p class="end__facts">{facts}</p>
                {copy}
            </div>
            {unsaved}
            <Show when=live(move || is_last.get() && !details().is_empty())>
                <details class="end__details">
                    <summary>{t().details}</summary>
                    <pre class="end__words">{details}</pre>
                </details>
            </Show>
            <Show when=live(move || is_last.get() && !ui.is_running())>
                <Steps words />
            </Show>
        </footer>
    }
}

/// `3 rounds · 1,234 tokens · 2.1 s`
fn facts(words: &Words, stop: &StopView) -> String {
    let ending = &stop.ending;
    let mut facts = Vec::new();
    if ending.rounds > 0 {
        facts.push(words.rounds(ending.rounds));
    }
    if let Some(usage) = ending.usage {
        facts.push(words.tokens(usage.prompt_tokens + usage.completion_tokens));
    }
    if ending.took_ms > 0 {
        facts.push(words.took(ending.took_ms));
    }
    facts.join(" · ")
}

#[component]
fn Steps(words: Memo<super::words::EndingWords>) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let go_on = move || words.with(|words| words.go_on.clone());
    let way = move || words.with(|words| words.way);
    let has_steps = move || go_on().is_some() || way() != Way::None;
    view! {
        <Show when=live(has_steps)>
            <div class="end__steps">
                {part(move || (go_on().map(|label| view! {
                    <button
                        type="button"
                        class="button"
                        data-testid="continue-run"
                        disabled=move || !ui.can_work()
                        on:click=move |_| ui.go_on()
                    >
                        <IconView icon=Icon::Again />
                        <span>{label}</span>
                    </button>
                })).into_any())}
                {part(move || (match way() {
                    Way::None => None,
                    Way::Settings => Some(view! {
                        <button type="button" class="button button--quiet" on:click=move |_| ui.open_settings()>
                            {t().open_settings}
                        </button>
                    }.into_any()),
                    Way::NewSession => Some(view! {
                        <button type="button" class="button button--quiet" on:click=move |_| ui.new_session()>
                            {t().session_new}
                        </button>
                    }.into_any()),
                }).into_any())}
            </div>
        </Show>
    }
}
