//! A text with the numbers of its lines.

use std::rc::Rc;

use crate::ui::controller::Controller;
use crate::ui::element::{El, button, div, el, span};
use crate::ui::signal::RwSignal;

/// Lines that are drawn at first, and with each press on "more".
const LINES_AT_ONCE: usize = 2_000;

/// A text; `cut` is how many bytes of it are shown if there are more.
pub(super) fn text_view(ui: Controller, text: &str, cut: Option<usize>) -> El {
    let lines: Rc<[String]> = text.split_inclusive('\n').map(str::to_owned).collect();
    let count = lines.len();
    let limit = RwSignal::new(LINES_AT_ONCE);
    let hidden = move || count.saturating_sub(limit.get());
    let items = move || {
        (0..count.min(limit.get()))
            .map(|at| (at as u64, at))
            .collect()
    };
    let digits = count.to_string().len().to_string();
    let text = el("pre")
        .class("viewer__text")
        .style("--digits", move || digits.clone())
        .each(items, move |at| {
            span("viewer__line").text(lines.get(at).map_or("", String::as_str))
        });
    let cut = cut.map(|shown| {
        el("p")
            .class("viewer__note")
            .live(move || ui.words().cut(shown))
    });
    div("viewer__page")
        .child(text)
        .when(
            move || hidden() > 0,
            move || {
                button("button button--quiet viewer__more")
                    .live(move || ui.words().more_lines(hidden()))
                    .press(move || limit.update(|limit| *limit += LINES_AT_ONCE))
            },
        )
        .children(cut)
}
