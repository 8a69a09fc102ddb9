//! Shows the file that is open: text with line numbers, images, or why not.

use std::rc::Rc;

use leptos::prelude::*;

use super::controller::Controller;
use super::dom::BlobUrl;
use super::element::{El, button, div, el, span};
use super::file_tree::focus_row;
use super::icon::{Icon, icon};
use super::middle_cut::middle_cut;
use super::signal::RwSignal;
use super::state::key_of;
use super::words::{Words, units};
use crate::protocol::{Command, FileView};

/// Lines that are drawn at first, and with each press on "more".
const LINES_AT_ONCE: usize = 2_000;

/// The open file, which follows its changes.
pub fn file_viewer(ui: Controller) -> El {
    let which = move || {
        ui.files.opened.with(|open| {
            let view = open.as_ref().and_then(|open| open.view.as_ref());
            view.map_or(0, |view| fingerprint(&path(ui), view))
        })
    };
    let draw = move |_| {
        let view = ui
            .files
            .opened
            .with_untracked(|open| open.as_ref().and_then(|open| open.view.clone()));
        Some(content(ui, view))
    };
    el("section")
        .class("viewer")
        .test_id("file-viewer")
        .bind("aria-label", move || path(ui))
        .child(head(ui))
        .child(
            div("viewer__body")
                .attr("tabindex", "0")
                .choose(which, draw),
        )
}

fn path(ui: Controller) -> String {
    ui.files.opened.with(|open| {
        open.as_ref()
            .map(|open| open.path.clone())
            .unwrap_or_default()
    })
}

fn fingerprint(path: &str, view: &FileView) -> u64 {
    match view {
        FileView::Text { text, size, .. } => key_of(&(path, text, size)),
        FileView::Image { bytes, .. } => key_of(&(path, &**bytes)),
        FileView::Binary { size } => key_of(&(path, size)),
        FileView::Missing => key_of(path),
    }
}

fn head(ui: Controller) -> El {
    let size = move || {
        ui.files
            .all
            .with(|files| files.get(&path(ui)).copied().flatten())
            .map_or_else(String::new, units::bytes)
    };
    let tool = move |shape: Icon, label: fn(&Words) -> &'static str| {
        button("button button--icon")
            .bind("aria-label", move || label(ui.words()))
            .bind("title", move || label(ui.words()))
            .child(icon(shape))
    };
    let download = tool(Icon::Download, |words| words.download)
        .press(move || ui.command(Command::ReadFile(untrack(|| path(ui)))));
    let is_page = move || path(ui).ends_with(".html") || path(ui).ends_with(".htm");
    let run = move || {
        tool(Icon::Eye, Words::preview)
            .test_id("file-preview")
            .press(move || ui.show_page(&untrack(|| path(ui))))
    };
    let close = tool(Icon::Close, |words| words.file_close)
        .test_id("file-close")
        .press(move || {
            let closed = untrack(|| path(ui));
            ui.files.close();
            focus_row(&closed);
        });
    el("header")
        .class("viewer__head")
        .child(
            el("h3")
                .class("viewer__name")
                .child(middle_cut(move || path(ui))),
        )
        .child(span("viewer__size").live(size))
        .when(is_page, run)
        .child(download)
        .child(close)
}

fn content(ui: Controller, view: Option<FileView>) -> El {
    let note = |text: fn(&Words) -> &'static str| {
        el("p").class("viewer__note").live(move || text(ui.words()))
    };
    match view {
        None => note(|words| words.opening),
        Some(FileView::Text { text, cut, .. }) => {
            let cut = cut.then_some(text.len());
            text_view(ui, &text, cut)
        }
        Some(FileView::Image { mime, bytes }) => match BlobUrl::new(&bytes, &mime) {
            Some(url) => image(ui, url),
            None => note(|words| words.binary_file),
        },
        Some(FileView::Binary { .. }) => note(|words| words.binary_file),
        Some(FileView::Missing) => note(|words| words.missing_file),
    }
}

/// A text; `cut` is how many bytes of it are shown if there are more.
fn text_view(ui: Controller, text: &str, cut: Option<usize>) -> El {
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

/// An image out of memory; its address ends with the element.
fn image(ui: Controller, url: BlobUrl) -> El {
    let image = el("img").class("viewer__image").attr("src", url.as_str());
    let _ = StoredValue::new_local(url);
    image.bind("alt", move || path(ui))
}
