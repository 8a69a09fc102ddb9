//! Shows the files that are open, one at a time: text, images, tables, Markdown, or the
//! first bytes of what is none of them; or the editor, where one is edited.

mod bytes;
mod edit;
mod image;
mod pdf;
mod table;
mod tabs;
mod text;

use leptos::prelude::*;

use self::bytes::bytes_view;
use self::edit::{edit_bar, edit_note, edit_view};
use self::image::image_view;
use self::pdf::pdf_view;
use self::table::table_view;
use self::tabs::tabs;
use self::text::text_view;
use super::controller::Controller;
use super::dom::BlobUrl;
use super::element::{El, button, div, el, span};
use super::file_tree::focus_row;
use super::icon::{Icon, icon};
use super::markdown::parse::Ending;
use super::middle_cut::middle_cut;
use super::prose::prose;
use super::say::Word;
use super::signal::RwSignal;
use super::state::key_of;
use super::words::units;
use crate::protocol::{Command, FileView};

/// Largest Markdown or drawing that is shown formatted, in bytes.
const MAX_FORMATTED: u64 = 512 << 10;

/// What the parts of the viewer share.
#[derive(Clone, Copy)]
struct Viewer {
    ui: Controller,
    /// The file whose source is shown, where it could be shown formatted.
    source: RwSignal<Option<String>>,
}

/// How a text can be shown besides as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// As it is.
    Plain,
    /// Markdown.
    Formatted,
    /// A table.
    Table,
    /// A drawing.
    Drawing,
}

impl Viewer {
    fn path(self) -> String {
        self.ui.files.opened.with(|open| {
            let open = open.as_ref();
            open.map(|open| open.path.clone()).unwrap_or_default()
        })
    }

    fn with_view<T>(self, look: impl FnOnce(Option<&FileView>) -> T) -> T {
        let opened = self.ui.files.opened;
        opened.with(|open| look(open.as_ref().and_then(|open| open.view.as_ref())))
    }

    /// How the open file is shown.
    fn look(self) -> Look {
        let path = self.path();
        match self.source.with(|source| source.as_ref() == Some(&path)) {
            true => Look::Plain,
            false => self.other_look(),
        }
    }

    /// How the open file could be shown.
    fn other_look(self) -> Look {
        let path = self.path().to_ascii_lowercase();
        let ending = path.rsplit('.').next().unwrap_or_default();
        let size = self.with_view(|view| match view {
            Some(FileView::Text { size, .. }) if *size > 0 => Some(*size),
            _ => None,
        });
        match (ending, size) {
            (_, None) => Look::Plain,
            ("md" | "markdown", Some(..=MAX_FORMATTED)) => Look::Formatted,
            ("csv" | "tsv", _) => Look::Table,
            ("svg", Some(..=MAX_FORMATTED)) => Look::Drawing,
            _ => Look::Plain,
        }
    }

    /// Whether the open file is in the editor.
    fn is_edited(self) -> bool {
        let path = self.path();
        let edits = self.ui.files.edits;
        edits.with(|edits| edits.iter().any(|edit| edit.path() == path))
    }
}

/// The open files, which follow their changes.
pub fn file_viewer(ui: Controller) -> El {
    let source = RwSignal::new(None);
    let viewer = Viewer { ui, source };
    let which = move || match viewer.is_edited() {
        true => key_of(&(viewer.path(), "edited")),
        false => viewer.with_view(|view| {
            let look = viewer.look() as u64;
            view.map_or(0, |view| key_of(&(look, fingerprint(&viewer.path(), view))))
        }),
    };
    let draw = move |_| {
        let edit = untrack(|| ui.edit_of(&viewer.path()));
        let view = ui
            .files
            .opened
            .with_untracked(|open| open.as_ref()?.view.clone());
        Some(match edit {
            Some(edit) => edit_view(&edit),
            None => content(viewer, view),
        })
    };
    el("section")
        .class("viewer")
        .test_id("file-viewer")
        .bind("aria-label", move || viewer.path())
        .child(tabs(ui))
        .child(head(viewer))
        .child(edit_note(ui))
        .child(
            div("viewer__body")
                .class_if("viewer__body--edited", move || viewer.is_edited())
                .bind("tabindex", move || (!viewer.is_edited()).then_some("0"))
                .choose(which, draw),
        )
}

fn fingerprint(path: &str, view: &FileView) -> u64 {
    match view {
        FileView::Text { text, size, .. } => key_of(&(path, text, size)),
        FileView::Image { bytes, .. } | FileView::Pdf(bytes) => key_of(&(path, &**bytes)),
        FileView::Binary { size, head } => key_of(&(path, size, head)),
        FileView::Missing => key_of(path),
    }
}

fn head(viewer: Viewer) -> El {
    let ui = viewer.ui;
    let size = move || {
        ui.files
            .all
            .with(|files| files.get(&viewer.path()).copied().flatten())
            .map_or_else(String::new, units::bytes)
    };
    let tool = move |shape: Icon, word: Word| {
        button("button button--icon")
            .named(ui, word)
            .child(icon(shape))
    };
    let download = tool(Icon::Download, |words| words.download)
        .press(move || ui.command(Command::ReadFile(untrack(|| viewer.path()))));
    let is_page = move || {
        let path = viewer.path();
        path.ends_with(".html") || path.ends_with(".htm")
    };
    let run = move || {
        tool(Icon::Eye, |words| words.preview())
            .test_id("file-preview")
            .press(move || ui.show_page(&untrack(|| viewer.path())))
    };
    let close = tool(Icon::Close, |words| words.file_close)
        .test_id("file-close")
        .press(move || ui.close_file(&untrack(|| viewer.path())));
    // Where there is room for one thing at a time; the tabs stay.
    let back = tool(Icon::ListTree, |words| words.files)
        .class("button button--icon viewer__back")
        .test_id("file-back")
        .press(move || {
            let path = untrack(|| viewer.path());
            ui.files.opened.set(None);
            focus_row(ui, &path);
        });
    let can_turn = move || !viewer.is_edited() && viewer.other_look() != Look::Plain;
    el("header")
        .class("viewer__head")
        .child(back)
        .child(
            el("h2")
                .class("viewer__name")
                .child(middle_cut(move || viewer.path())),
        )
        .child(span("viewer__size").live(size))
        .when(can_turn, move || turn(viewer))
        .child(edit_bar(viewer))
        .when(is_page, run)
        .child(download)
        .child(close)
}

/// The button between source and formatted.
fn turn(viewer: Viewer) -> El {
    let ui = viewer.ui;
    let label = move || {
        let is_source = viewer.look() == Look::Plain;
        match viewer.other_look() {
            _ if !is_source => ui.words().show_source(),
            Look::Table => ui.words().show_table(),
            Look::Drawing => ui.words().show_image(),
            Look::Formatted | Look::Plain => ui.words().show_formatted(),
        }
    };
    button("button button--icon")
        .test_id("file-source")
        .bind("aria-label", label)
        .bind("title", label)
        .bind("aria-pressed", move || viewer.look() == Look::Plain)
        .child(icon(Icon::Code))
        .press(move || {
            let path = untrack(|| viewer.path());
            let source = match untrack(|| viewer.look()) {
                Look::Plain => None,
                _ => Some(path),
            };
            viewer.source.set(source);
        })
}

fn note(ui: Controller, word: Word) -> El {
    el("p").class("viewer__note").say(ui, word)
}

fn content(viewer: Viewer, view: Option<FileView>) -> El {
    let ui = viewer.ui;
    match view {
        None => note(ui, |words| words.opening),
        Some(FileView::Text { size: 0, .. }) => note(ui, |words| words.file_empty()),
        Some(FileView::Text { text, cut, .. }) => match untrack(|| viewer.look()) {
            Look::Formatted => {
                div("viewer__prose").child(prose(ui, move || (text.clone(), Ending::Whole)))
            }
            Look::Table => table_view(ui, &text, cut.then_some(text.len())),
            Look::Drawing => drawn(viewer, text.as_bytes(), "image/svg+xml"),
            Look::Plain => text_view(ui, &text, cut.then_some(text.len())),
        },
        Some(FileView::Image { mime, bytes }) => drawn(viewer, &bytes, &mime),
        Some(FileView::Pdf(bytes)) => pdf_view(ui, move || viewer.path(), &bytes),
        Some(FileView::Binary { head, .. }) => bytes_view(ui, &head),
        Some(FileView::Missing) => note(ui, |words| words.missing_file),
    }
}

/// An image. What is drawn as one runs no script, and loads nothing.
fn drawn(viewer: Viewer, bytes: &[u8], mime: &str) -> El {
    match BlobUrl::new(bytes, mime) {
        Some(url) => image_view(viewer.ui, url, move || viewer.path()),
        None => note(viewer.ui, |words| words.image_broken()),
    }
}
