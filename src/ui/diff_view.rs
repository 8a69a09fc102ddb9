//! What a change does to a file, line by line.

use super::controller::Controller;
use super::element::{El, div, el, span};
use super::icon::{Icon, icon};
use super::middle_cut::middle_cut;
use crate::kernel::diff::{DiffKind, FileDiff, Hunk, Sign};

/// What a kind of change is called in attributes, and its icon.
pub fn sign_of(kind: DiffKind) -> (&'static str, Icon) {
    match kind {
        DiffKind::New => ("new", Icon::FilePlus),
        DiffKind::Changed => ("changed", Icon::FilePen),
        DiffKind::Deleted => ("deleted", Icon::Close),
        DiffKind::Binary => ("binary", Icon::File),
        DiffKind::Moved => ("moved", Icon::ArrowRight),
        DiffKind::Copied => ("copied", Icon::Copy),
        DiffKind::NewFolder => ("new-folder", Icon::FolderPlus),
        DiffKind::DeletedFolder => ("deleted-folder", Icon::Close),
    }
}

/// A file's change: its name and how much changes, and under it the places that do.
pub fn diff_view(ui: Controller, diff: &FileDiff) -> El {
    let kind = diff.kind;
    let (name, which) = sign_of(kind);
    let path = match &diff.from {
        Some(from) => format!("{from} → {}", diff.path),
        None => diff.path.clone(),
    };
    let count = match diff.kind {
        DiffKind::New | DiffKind::Changed | DiffKind::Deleted => {
            format!("+{} −{}", diff.added, diff.removed)
        }
        _ => String::new(),
    };
    let head = div("filediff__head")
        .child(icon(which))
        .child(span("filediff__path").child(middle_cut(move || path.clone())))
        .child(span("filediff__kind").live(move || ui.words().diff_kind(kind)))
        .child(span("filediff__count").text(&count));
    let cut = diff.cut.then(|| {
        el("p")
            .class("filediff__cut")
            .say(ui, |words| words.diff_cut)
    });
    el("div")
        .attr("role", "group")
        .class("filediff")
        .test_id("diff-file")
        .attr("data-path", &diff.path)
        .attr("data-kind", name)
        .attr("aria-label", &diff.path)
        .child(head)
        .children(diff.hunks.iter().map(hunk))
        .children(cut)
}

/// Each line with its number: that of the new text, or of the old one if it goes.
fn hunk(hunk: &Hunk) -> El {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let lines = hunk.lines.iter().map(|line| {
        let (class, sign, number) = match line.sign {
            Sign::Same => ("filediff__line", " ", new),
            Sign::Add => ("filediff__line diff__line--add", "+", new),
            Sign::Del => ("filediff__line diff__line--del", "−", old),
        };
        old += usize::from(line.sign != Sign::Add);
        new += usize::from(line.sign != Sign::Del);
        span(class)
            .child(span("filediff__number").text(&number.to_string()))
            .child(span("filediff__sign").text(sign))
            .child(span("filediff__text").text(&line.text))
    });
    el("pre").class("filediff__hunk").children(lines)
}
