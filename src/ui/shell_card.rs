//! What a card shows of a command: its output while it runs, and its parts afterwards.

use super::controller::Controller;
use super::element::{El, div, el};
use super::state::shell::ShellResult;
use super::state::transcript::CallState;
use super::tool_card::Call;
use super::words::shell::ShellPart;

/// The end of what a command has printed, for as long as it runs.
pub fn live_output(call: &Call) -> impl Fn() -> El + use<> {
    let call = call.clone();
    move || {
        let text = call.clone();
        el("pre")
            .class("call__block call__text call__live")
            .test_id("tool-live")
            .live(move || text.with(|call| call.live.text.clone()))
    }
}

/// Whether a command runs and has printed something.
pub fn is_live(call: &Call) -> impl Fn() -> bool + use<> {
    let call = call.clone();
    move || call.with(|call| call.state == CallState::Running && !call.live.text.is_empty())
}

/// The result in parts, if it is that of a command.
pub fn shell_result(ui: Controller, result: &str) -> Option<El> {
    let told = ShellResult::read(result)?;
    let note = |text: &str| {
        let note = el("p").class("call__none").text(text);
        (!text.is_empty()).then_some(note)
    };
    let output = |part: ShellPart, test_id: &'static str, text: &str| {
        let block = el("pre")
            .class("call__block call__text")
            .test_id(test_id)
            .attr("tabindex", "0")
            .text(text);
        let head = el("span").live(move || ui.words().of_shell(part));
        let shown = div("call__output")
            .child(div("call__title").child(head))
            .child(block);
        (!text.is_empty()).then_some(shown)
    };
    let parts = div("call__outputs")
        .test_id("tool-result")
        .children(note(&told.head))
        .children(output(ShellPart::Output, "tool-stdout", &told.stdout))
        .children(output(ShellPart::Errors, "tool-stderr", &told.stderr))
        .children(note(&told.foot));
    Some(parts)
}
