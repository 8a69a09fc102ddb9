//! A tool call: a line that tells what was done, and under it, when unfolded,
//! arguments and result as plain text.

use std::sync::Arc;

use leptos::prelude::*;

use super::erase::{Show, live};

use super::controller::use_controller;
use super::dom;
use super::follow::Follow;
use super::icon::{Icon, IconView};
use super::middle_cut::MiddleCut;
use super::preferences::use_words;
use super::round_card::Elapsed;
use super::state::calls::{Act, ArgsView, CallLine, act_of, args_view};
use super::state::file_tree::Files;
use super::state::transcript::{CallState, CallView, RoundView};

/// The call at `at` of a round.
#[component]
pub fn ToolCard(round: ArcRwSignal<RoundView>, at: usize) -> impl IntoView {
    let follow = use_context::<Follow>();
    let call = Memo::new(move |_| round.with(|round| round.calls.get(at).cloned()));
    let name = move || call.with(|call| call.as_ref().map(|call| call.name.clone()));
    let state = Memo::new(move |_| {
        call.with(|call| call.as_ref().map_or(CallState::Waiting, |call| call.state))
    });
    let is_unfolded = RwSignal::new(false);
    let press = move |_| {
        if let Some(follow) = follow {
            follow.hold();
        }
        is_unfolded.update(|is_unfolded| *is_unfolded = !*is_unfolded);
    };
    view! {
        <div
            class="call"
            class:call--unfolded=live(move || is_unfolded.get())
            data-testid="tool-card"
            data-tool=name
            data-state=live(move || state_name(state.get()))
        >
            <button
                type="button"
                class="call__line"
                data-testid="tool-toggle"
                aria-expanded=live(move || if is_unfolded.get() { "true" } else { "false" })
                on:click=press
            >
                <Line call state />
                <span class="call__chevron"><IconView icon=Icon::ChevronRight /></span>
            </button>
            <Show when=live(move || is_unfolded.get())>
                <Details call />
            </Show>
        </div>
    }
}

fn state_name(state: CallState) -> &'static str {
    match state {
        CallState::Waiting => "waiting",
        CallState::Running => "running",
        CallState::Ok => "ok",
        CallState::Error => "error",
    }
}

fn icon_of(act: Act, state: CallState) -> Icon {
    match (state, act) {
        (CallState::Running, _) => Icon::Spinner,
        (CallState::Waiting, _) => Icon::Clock,
        (CallState::Error, _) => Icon::Failed,
        (_, Act::List) => Icon::ListTree,
        (_, Act::Read) => Icon::FileText,
        (_, Act::Write) => Icon::FilePlus,
        (_, Act::Append | Act::Edit) => Icon::FilePen,
        (_, Act::Other) => Icon::Wrench,
    }
}

/// Icon, verb, object, result, time.
#[component]
fn Line(call: Memo<Option<Arc<CallView>>>, state: Memo<CallState>) -> impl IntoView {
    let t = use_words();
    let line = Memo::new(move |_| call.with(|call| call.as_ref().map(|call| CallLine::of(call))));
    let act = move || line.with(|line| line.as_ref().map_or(Act::Other, |line| line.act));
    let object = Signal::derive(move || {
        line.with(|line| {
            line.as_ref()
                .map(|line| t().object(line))
                .unwrap_or_default()
        })
    });
    let facts = move || {
        let line = line.get()?;
        let note = match line.state {
            CallState::Ok => t().note(line.note),
            state => t().call_state(state).to_owned(),
        };
        let took = match line.state {
            CallState::Ok | CallState::Error => t().took(line.took_ms),
            CallState::Waiting | CallState::Running => String::new(),
        };
        let parts = [note, took].into_iter().filter(|part| !part.is_empty());
        Some(parts.collect::<Vec<_>>().join(" · "))
    };
    view! {
        <IconView icon=Signal::derive(move || icon_of(act(), state.get())) />
        <span class="call__verb">{live(move || t().verb(act(), state.get()))}</span>
        <span class="call__object"><MiddleCut text=object /></span>
        <span class="call__facts">
            {facts}
            <Show when=live(move || state.get() == CallState::Running)>
                " "<Elapsed since=dom::now_ms() />
            </Show>
        </span>
    }
}

#[component]
fn Details(call: Memo<Option<Arc<CallView>>>) -> impl IntoView {
    let t = use_words();
    let title = move || {
        call.with(|call| match call.as_ref().map(|call| args_view(call)) {
            Some(ArgsView::Content { .. }) => t().content,
            Some(ArgsView::Edits { .. }) => t().changes,
            _ => t().arguments,
        })
    };
    let args = move || call.with(|call| call.as_ref().map(|call| draw_args(args_view(call))));
    let result = move || {
        call.with(|call| {
            call.as_ref()
                .map(|call| call.result.clone())
                .unwrap_or_default()
        })
    };
    let is_there = move || call.with(|call| call.as_ref().is_some_and(|call| !call.is_open()));
    let name = move || call.with(|call| call.as_ref().map(|call| call.name.clone()));
    view! {
        <div class="call__details">
            <div class="call__title">
                <span>{title}</span>
                <code>{name}</code>
                <ShowFile call />
            </div>
            <div class="call__block" data-testid="tool-args" tabindex="0">{args}</div>
            <div class="call__title"><span>{t().result}</span></div>
            <Show
                when=live(is_there)
                fallback=move || view! { <p class="call__none">{t().no_output}</p> }
            >
                <pre class="call__block call__text" data-testid="tool-result" tabindex="0">{result}</pre>
            </Show>
        </div>
    }
}

/// The way to the file a call was about, if it is there.
#[component]
fn ShowFile(call: Memo<Option<Arc<CallView>>>) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let path = Memo::new(move |_| {
        let line = call.with(|call| call.as_ref().map(|call| CallLine::of(call)))?;
        let path = line
            .object
            .trim_start_matches("./")
            .trim_start_matches('/')
            .to_owned();
        let is_file = |files: &Files| matches!(files.get(&path), Some(Some(_)));
        ui.files.all.with(is_file).then_some(path)
    });
    let open = move |_| {
        if let Some(path) = path.get_untracked() {
            ui.open_file(path);
        }
    };
    let is_of_file = call.with_untracked(|call| {
        call.as_ref()
            .is_some_and(|call| !matches!(act_of(&call.name), Act::List | Act::Other))
    });
    view! {
        <Show when=live(move || is_of_file && path.with(Option::is_some))>
            <button type="button" class="button button--quiet button--small" on:click=open>
                <IconView icon=Icon::File />
                <span>{t().show_file}</span>
            </button>
        </Show>
    }
}

fn draw_args(args: ArgsView) -> AnyView {
    match args {
        ArgsView::Plain(text) => view! { <pre class="call__text">{text}</pre> }.into_any(),
        ArgsView::Content { path, content } => view! {
            <p class="call__path">{path}</p>
            <pre class="call__text">{content}</pre>
        }
        .into_any(),
        ArgsView::Edits { path, edits } => {
            let edits = edits.into_iter().map(|(old, new)| {
                view! {
                    <pre class="diff">
                        {old.lines().map(|line| diff_line("diff__line diff__line--del", '−', line)).collect_view()}
                        {new.lines().map(|line| diff_line("diff__line diff__line--add", '+', line)).collect_view()}
                    </pre>
                }
            });
            view! {
                <p class="call__path">{path}</p>
                {edits.collect_view()}
            }
            .into_any()
        }
    }
}

fn diff_line(class: &'static str, sign: char, line: &str) -> impl IntoView + use<> {
    let line = line.to_owned();
    view! {
        <span class=class>
            <span class="diff__sign">{sign.to_string()}</span>
            {line}
            "\n"
        </span>
    }
}
