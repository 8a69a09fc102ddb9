//! The messages that wait for the open run's next round.

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon};

/// Stands over the composer while something waits.
pub fn queue(ui: Controller) -> El {
    let texts = move || {
        let queued = ui.shown.with(|model| Some(model.as_ref()?.queued.get()));
        (0..).zip(queued.unwrap_or_default()).collect::<Vec<_>>()
    };
    div("queue").when(
        move || !texts().is_empty(),
        move || {
            let list = el("ul").class("queue__list").each(
                move || {
                    let keyed =
                        |(at, text): (u64, String)| (super::state::key_of(&(at, &text)), text);
                    texts().into_iter().map(keyed).collect()
                },
                |text| {
                    el("li")
                        .class("queue__text")
                        .test_id("queued-message")
                        .attr("title", &text)
                        .text(&text)
                },
            );
            let head = div("queue__head")
                .child(icon(Icon::Clock))
                .child(span("queue__told").say(ui, |words| words.queued))
                .child(
                    button("button button--quiet button--small")
                        .test_id("queue-take-back")
                        .flag("disabled", move || !ui.can_work())
                        .child(icon(Icon::Undo))
                        .child(el("span").say(ui, |words| words.take_back))
                        .press(move || ui.take_back()),
                );
            div("queue__box").child(head).child(list)
        },
    )
}
