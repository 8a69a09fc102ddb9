//! A tool call: a line that tells what was done, and under it, when unfolded,
//! arguments and result as plain text.

use std::sync::Arc;

use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon, live_icon};
use super::middle_cut::middle_cut;
use super::picture::pictures_below;
use super::progress::elapsed;
use super::question::QUESTION;
use super::rows::Place;
use super::shell_card::{is_live, live_output, shell_result};
use super::signal::{ArcRwSignal, RwSignal};
use super::state::calls::{Act, ArgsView, CallLine, act_of, args_view};
use super::state::transcript::{CallState, CallView};
use super::sub_agent::{sub_agent_line, sub_agent_rounds};
use super::words::shell::ShellPart;

/// A call's signal.
pub type Call = ArcRwSignal<Arc<CallView>>;

/// One call of a round.
pub fn tool_card(place: &Place, call: Call) -> El {
    let (ui, follow) = (place.ui, place.follow);
    let is_unfolded = RwSignal::new(false);
    let press = move || {
        follow.hold();
        is_unfolded.update(|is_unfolded| *is_unfolded = !*is_unfolded);
    };
    let (name, act) = call.with_untracked(|call| (call.name.clone(), act_of(&call.name)));
    let [state, asks, looked, of_look] = std::array::from_fn(|_| call.clone());
    let toggle = line(ui, &call)
        .test_id("tool-toggle")
        .bind("aria-expanded", move || is_unfolded.get())
        .child(span("call__chevron").child(icon(Icon::ChevronRight)))
        .press(press);
    let under = (act == Act::Task).then(|| sub_agent_line(place, &call));
    let place = place.clone();
    div("call")
        .test_id("tool-card")
        .attr("data-tool", &name)
        .bind("data-state", move || {
            state.with(|call| state_name(call.state))
        })
        .child(toggle)
        .children(under)
        .when(
            move || asks.with(|call| call.state) == CallState::Asking,
            move || asks_below(ui),
        )
        .when(is_live(&call), live_output(&call))
        .when(
            move || looked.with(|call| !call.pictures.is_empty()),
            move || pictures_below(ui, &of_look),
        )
        .when(move || is_unfolded.get(), move || details(&place, &call))
}

fn state_name(state: CallState) -> &'static str {
    match state {
        CallState::Waiting | CallState::Asking => "waiting",
        CallState::Running => "running",
        CallState::Ok => "ok",
        CallState::Error => "error",
        CallState::Denied => "denied",
    }
}

pub(super) fn icon_of(act: Act, state: CallState) -> Icon {
    match (state, act) {
        (CallState::Running, _) => Icon::Spinner,
        (CallState::Waiting, _) => Icon::Clock,
        (CallState::Asking, _) => Icon::Question,
        (CallState::Error, _) => Icon::Failed,
        (CallState::Denied, _) => Icon::Denied,
        (_, Act::List) => Icon::ListTree,
        (_, Act::Read) => Icon::FileText,
        (_, Act::Write) => Icon::FilePlus,
        (_, Act::Append | Act::Edit | Act::Patch) => Icon::FilePen,
        (_, Act::Find | Act::Search) => Icon::Search,
        (_, Act::MakeDir) => Icon::FolderPlus,
        (_, Act::Move) => Icon::ArrowRight,
        (_, Act::Copy) => Icon::Copy,
        (_, Act::Delete) => Icon::Trash,
        (_, Act::Finish) => Icon::Done,
        (_, Act::Todo) => Icon::Steps,
        (_, Act::Ask) => Icon::Question,
        (_, Act::Recall) => Icon::Earlier,
        (_, Act::Task) => Icon::Agent,
        (_, Act::Shell) => Icon::Terminal,
        (_, Act::Script) => Icon::Script,
        (_, Act::Preview) => Icon::Eye,
        (_, Act::Calculate | Act::Fetch | Act::Other) => Icon::Wrench,
    }
}

/// Icon, verb, object, result, time.
fn line(ui: Controller, call: &Call) -> El {
    let act = call.with_untracked(|call| act_of(&call.name));
    let [of_icon, of_verb, of_object, of_time] = std::array::from_fn(|_| call.clone());
    let [of_note, of_took] = [call.clone(), call.clone()];
    let note = move || {
        if let Some((got, of)) = of_note.with(|call| call.live.loading) {
            return ui.words().loading_shell(got, of);
        }
        let (line, cached) = of_note.with(|call| (CallLine::of(call), call.cached));
        match line.state {
            CallState::Ok if cached => ui.words().unchanged.to_owned(),
            CallState::Ok => ui.words().note(line.note),
            state => ui.words().call_state(state).to_owned(),
        }
    };
    // Where no tool was at work, no time is worth telling.
    let is_quick = matches!(act, Act::Finish | Act::Todo);
    let took = move || {
        let took_ms = of_took.with(|call| {
            let has_worked = matches!(call.state, CallState::Ok | CallState::Error);
            (has_worked && !call.cached).then_some(call.took_ms)
        });
        match took_ms {
            Some(took_ms) if !is_quick => ui.words().took(took_ms),
            _ => String::new(),
        }
    };
    let facts = span("call__facts")
        .child(span("call__note").live(note))
        .child(span("call__took").live(took))
        .when(
            move || of_time.with(|call| call.state) == CallState::Running,
            move || elapsed(ui, dom::now_ms()),
        );
    button("call__line")
        .child(live_icon(move || {
            icon_of(act, of_icon.with(|call| call.state))
        }))
        .child(
            span("call__verb").live(move || ui.words().verb(act, of_verb.with(|call| call.state))),
        )
        .child(span("call__object").child(middle_cut(move || {
            ui.words()
                .object(&of_object.with(|call| CallLine::of(call)))
        })))
        .child(facts)
}

/// Leads to the question, which stands in the composer's place.
fn asks_below(ui: Controller) -> El {
    el("p").class("call__asks").child(
        button("button button--link")
            .say(ui, |words| words.to_question)
            .press(|| dom::focus(QUESTION)),
    )
}

fn details(place: &Place, call: &Call) -> El {
    let ui = place.ui;
    let view = call.with_untracked(|call| args_view(call));
    let title = match view {
        ArgsView::Content { .. } => ui.words().content,
        ArgsView::Edits { .. } => ui.words().changes,
        ArgsView::Plain(_) => ui.words().arguments,
    };
    let (name, act) = call.with_untracked(|call| (call.name.clone(), act_of(&call.name)));
    let title = match act {
        Act::Task => ui.words().task_given,
        Act::Finish => ui.words().answer,
        Act::Shell => ui.words().of_shell(ShellPart::Command),
        _ => title,
    };
    let rounds = (act == Act::Task).then(|| sub_agent_rounds(place, call));
    let head = div("call__title")
        .child(el("span").text(title))
        .child(el("code").text(&name))
        .children(show_file(ui, call))
        .children(show_page(ui, call));
    let args = div("call__block")
        .test_id("tool-args")
        .attr("tabindex", "0");
    let (is_open, is_done, of_result) = (call.clone(), call.clone(), call.clone());
    div("call__details")
        .child(head)
        .child(args.children(draw_args(view)))
        .children(rounds)
        .child(div("call__title").child(el("span").say(ui, |words| words.result)))
        .when(
            move || is_open.with(|call| call.is_open()),
            move || el("p").class("call__none").say(ui, |words| words.no_output),
        )
        .when(
            move || is_done.with(|call| !call.is_open()),
            move || {
                let result = of_result.with_untracked(|call| call.result.clone());
                let in_parts = (act == Act::Shell).then(|| shell_result(ui, &result));
                if let Some(in_parts) = in_parts.flatten() {
                    return in_parts;
                }
                el("pre")
                    .class("call__block call__text")
                    .test_id("tool-result")
                    .attr("tabindex", "0")
                    .text(&result)
            },
        )
}

/// The way to the file a call was about, if it is there.
fn show_file(ui: Controller, call: &Call) -> Option<El> {
    let line = call.with_untracked(|call| CallLine::of(call));
    if !matches!(line.act, Act::Read | Act::Write | Act::Append | Act::Edit) {
        return None;
    }
    let path = line
        .object
        .trim_start_matches("./")
        .trim_start_matches('/')
        .to_owned();
    let of_file = path.clone();
    let is_there = move || {
        ui.files
            .all
            .with(|files| matches!(files.get(&of_file), Some(Some(_))))
    };
    let draw = move || {
        let path = path.clone();
        button("button button--quiet button--small")
            .child(icon(Icon::File))
            .child(el("span").say(ui, |words| words.show_file))
            .press(move || ui.open_file(path.clone()))
    };
    Some(span("call__file").when(is_there, draw))
}

/// The way to the page that a call was about.
fn show_page(ui: Controller, call: &Call) -> Option<El> {
    let line = call.with_untracked(|call| CallLine::of(call));
    (line.act == Act::Preview).then(|| {
        button("button button--quiet button--small")
            .child(icon(Icon::Eye))
            .child(el("span").live(move || ui.words().preview()))
            .press(move || ui.show_page(&line.object))
    })
}

/// Arguments as they are read best.
pub fn draw_args(args: ArgsView) -> Vec<El> {
    let path = |path: &str| el("p").class("call__path").text(path);
    let text = |text: &str| el("pre").class("call__text").text(text);
    match args {
        ArgsView::Plain(plain) => vec![text(&plain)],
        ArgsView::Content { path: of, content } => vec![path(&of), text(&content)],
        ArgsView::Edits { path: of, edits } => {
            let edits = edits.iter().map(|(old, new)| {
                let gone = old
                    .lines()
                    .map(|line| diff_line("diff__line diff__line--del", "−", line));
                let came = new
                    .lines()
                    .map(|line| diff_line("diff__line diff__line--add", "+", line));
                el("pre").class("diff").children(gone).children(came)
            });
            std::iter::once(path(&of)).chain(edits).collect()
        }
    }
}

fn diff_line(class: &str, sign: &str, line: &str) -> El {
    span(class)
        .child(span("diff__sign").text(sign))
        .text(line)
        .text("\n")
}
