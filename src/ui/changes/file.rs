//! A file that changed: folded to a line, or with all that differs.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::{StoredValue, untrack};

use super::lines::hunk_view;
use super::{Entry, counts};
use crate::kernel::diff::{DiffKind, FileDiff};
use crate::protocol::{ChangeView, Reverting};
use crate::ui::controller::Controller;
use crate::ui::controller::changes::{Reviewed, ShownChange};
use crate::ui::diff_view::sign_of;
use crate::ui::dom::{self, BlobUrl};
use crate::ui::element::{El, button, div, el, follow_later, span};
use crate::ui::icon::{Icon, icon};
use crate::ui::middle_cut::middle_cut;
use crate::ui::say::Word;
use crate::ui::state::changes::{file_key, hunk_key};
use crate::ui::state::key_of;

/// A file of the list and what is known of it. Clones are the same one.
#[derive(Clone)]
pub(super) struct File {
    pub ui: Controller,
    pub entry: Rc<Entry>,
}

impl File {
    /// Its path.
    pub fn path(&self) -> &str {
        &self.entry.file.path
    }

    fn is_open(&self) -> bool {
        let turned = self.ui.changes.turned.with(|turned| {
            let mut turned = turned.iter();
            turned.find(|(path, _)| path == self.path()).map(|of| of.1)
        });
        // What was reviewed before a reload begins folded.
        turned.unwrap_or_else(|| self.entry.opens && !self.is_reviewed())
    }

    /// Its change, as it was shown last.
    fn shown(&self) -> Option<Rc<ShownChange>> {
        self.ui.changes.shown.with(|shown| {
            let mut shown = shown.iter();
            shown.find(|shown| shown.path == self.path()).cloned()
        })
    }

    /// Whether what is shown is the change of the list.
    fn is_up_to_date(&self) -> bool {
        let mark = &self.entry.file.mark;
        self.shown().is_some_and(|shown| shown.mark == *mark)
    }

    /// Whether it was reviewed as a whole, or place by place.
    fn is_reviewed(&self) -> bool {
        let key = file_key(&self.entry.file);
        let keys = self.hunk_keys();
        self.ui.changes.reviewed.with(|reviewed| {
            let has = |key: &u64| reviewed.contains(key);
            has(&key) || !keys.is_empty() && keys.iter().all(has)
        })
    }

    /// The keys of its places, as far as they are here and all are shown.
    fn hunk_keys(&self) -> BTreeSet<u64> {
        match self.shown().as_deref() {
            Some(ShownChange {
                view: ChangeView::Lines(diff),
                mark,
                ..
            }) if *mark == self.entry.file.mark && !diff.cut => {
                let hunks = diff.hunks.iter();
                hunks.map(|hunk| hunk_key(self.path(), hunk)).collect()
            }
            _ => BTreeSet::new(),
        }
    }

    fn review(&self) {
        let mut keys: BTreeSet<u64> = untrack(|| self.hunk_keys());
        keys.insert(file_key(&self.entry.file));
        let done = match untrack(|| self.is_reviewed()) {
            true => Reviewed::No,
            false => Reviewed::Yes,
        };
        self.ui.changes.review(keys, done);
        self.ui.changes.turn(self.path(), done == Reviewed::No);
    }

    /// The generation it was shown at: that of its lines, or of the list.
    fn seen(&self) -> u64 {
        let list = self.ui.changes.list.get_untracked();
        let of_list = list.map_or(0, |list| list.generation);
        let shown = untrack(|| self.is_open().then(|| self.shown()).flatten());
        shown.map_or(of_list, |shown| shown.generation)
    }

    /// Takes it back, or a part of it; what has the focus then is not there any more.
    pub fn revert(&self, shown: u64, meant: Reverting) {
        dom::focus("#changes-view [data-testid=checkpoints-open]");
        self.ui.revert(shown, meant);
    }
}

/// A file of the list.
pub(super) fn file_change(ui: Controller, entry: Entry) -> El {
    let file = File {
        ui,
        entry: Rc::new(entry),
    };
    let [wanted, reviewed, open, drawn] = std::array::from_fn(|_| file.clone());
    let asked = Cell::new(false);
    follow_later(Box::new(move || {
        let is_wanted = wanted.is_open() && !untrack(|| wanted.is_up_to_date());
        if is_wanted && !asked.replace(true) {
            ui.show_change(wanted.path());
        }
    }));
    el("div")
        .attr("role", "group")
        .class("filediff change")
        .class_if("change--reviewed", move || reviewed.is_reviewed())
        .test_id("diff-file")
        .attr("data-path", file.path())
        .attr("data-kind", sign_of(file.entry.file.kind).0)
        .attr("aria-label", file.path())
        .child(head(&file))
        .choose(
            move || match open.is_open() {
                false => 0,
                true => open.shown().map_or(1, |shown| {
                    key_of(&(shown.mark.as_str(), shown.generation)) | 2
                }),
            },
            move |which| match which {
                0 => None,
                1 => Some(
                    el("p")
                        .class("filediff__cut")
                        .say(ui, |words| words.opening),
                ),
                _ => untrack(|| drawn.shown()).map(|shown| body(&drawn, &shown)),
            },
        )
}

fn head(file: &File) -> El {
    let (ui, kind) = (file.ui, file.entry.file.kind);
    let path = match &file.entry.file.from {
        Some(from) => format!("{from} → {}", file.path()),
        None => file.path().to_owned(),
    };
    let (expanded, press) = (file.clone(), file.clone());
    let toggle = button("change__toggle")
        .test_id("change-toggle")
        .bind("aria-expanded", move || expanded.is_open())
        .child(span("change__chevron").child(icon(Icon::ChevronRight)))
        .child(span("filediff__path").child(middle_cut(move || path.clone())))
        .child(span("filediff__kind").live(move || ui.words().diff_kind(kind)))
        .press(move || {
            let open = untrack(|| press.is_open());
            ui.changes.turn(press.path(), !open);
        });
    let (added, removed) = (file.entry.file.added, file.entry.file.removed);
    let (is, review) = (file.clone(), file.clone());
    let revert = file.clone();
    let accept = button("button button--icon button--small change__accept")
        .test_id("change-review")
        .bind("aria-pressed", move || is.is_reviewed())
        .named(ui, |words| words.change_review())
        .child(icon(Icon::Check))
        .press(move || review.review());
    let back = button("button button--icon button--small")
        .test_id("change-revert")
        .named(ui, |words| words.revert_file())
        .flag("disabled", move || !ui.can_go_back())
        .child(icon(Icon::Undo))
        .press(move || {
            let meant = Reverting::File(revert.path().to_owned());
            revert.revert(revert.seen(), meant);
        });
    div("filediff__head change__head")
        .child(toggle)
        .child(counts(move || (added, removed)))
        .child(accept)
        .child(back)
}

/// What changed in it.
fn body(file: &File, shown: &Rc<ShownChange>) -> El {
    let ui = file.ui;
    let note = |word: Word| el("p").class("filediff__cut").say(ui, word);
    match &shown.view {
        ChangeView::Lines(diff) => lines(file, shown.generation, diff),
        ChangeView::Image { mime, was, is } => div("change__images")
            .children(was.as_ref().map(|bytes| {
                image(ui, (bytes.as_slice(), mime.as_str()), |words| {
                    words.image_was()
                })
            }))
            .children(is.as_ref().map(|bytes| {
                image(ui, (bytes.as_slice(), mime.as_str()), |words| {
                    words.image_is()
                })
            })),
        ChangeView::Sizes {
            was: None,
            is: None,
        } => div("change__body"),
        ChangeView::Sizes { was, is } => {
            let (was, is) = (*was, *is);
            div("change__body")
                .child(note(|words| words.change_sizes()))
                .child(
                    el("p")
                        .class("filediff__cut")
                        .live(move || ui.words().sizes(was, is)),
                )
        }
        ChangeView::Nothing => note(|words| words.change_nothing()),
    }
}

fn lines(file: &File, generation: u64, diff: &FileDiff) -> El {
    let ui = file.ui;
    let hunks = diff.hunks.iter().enumerate();
    let hunks = hunks.map(|(at, hunk)| hunk_view(file, (generation, at), hunk));
    let same = diff.hunks.is_empty() && diff.kind == DiffKind::Moved;
    let note = |word: Word| el("p").class("filediff__cut").say(ui, word);
    div("change__body")
        .children(hunks)
        .children(same.then(|| note(|words| words.change_same())))
        .children(diff.cut.then(|| note(|words| words.change_more_lines())))
}

/// An image out of memory; its address ends with the element.
fn image(ui: Controller, (bytes, mime): (&[u8], &str), name: Word) -> El {
    let figure = el("figure")
        .class("change__image")
        .child(el("figcaption").say(ui, name));
    match BlobUrl::new(bytes, mime) {
        Some(url) => {
            let image = el("img").attr("src", url.as_str()).say_as("alt", ui, name);
            let _ = StoredValue::new_local(url);
            figure.child(image)
        }
        None => figure.child(el("p").say(ui, |words| words.binary_file)),
    }
}
