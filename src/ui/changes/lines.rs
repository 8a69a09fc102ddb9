//! A place of a file that differs: its lines, one below the other or side by side.

use std::rc::Rc;

use leptos::prelude::untrack;

use super::file::File;
use crate::kernel::diff::{Hunk, Sign};
use crate::protocol::Reverting;
use crate::ui::controller::changes::Reviewed;
use crate::ui::element::{El, button, div, el, span};
use crate::ui::icon::{Icon, icon};
use crate::ui::state::changes::{Numbered, hunk_key, lines_of, pairs};

/// A hunk, which is number `at` of its file as it was at a generation.
pub(super) fn hunk_view(file: &File, (generation, at): (u64, usize), hunk: &Hunk) -> El {
    let (ui, key) = (file.ui, hunk_key(file.path(), hunk));
    let is_reviewed = move || ui.changes.reviewed.with(|keys| keys.contains(&key));
    let (first, last) = lines_of(hunk);
    let accept = button("button button--icon button--small change__accept")
        .test_id("hunk-review")
        .bind("aria-pressed", is_reviewed)
        .named(ui, |words| words.change_review())
        .child(icon(Icon::Check))
        .press(move || {
            let done = match untrack(is_reviewed) {
                true => Reviewed::No,
                false => Reviewed::Yes,
            };
            ui.changes.review([key], done);
        });
    let of_file = file.clone();
    let revert = button("button button--icon button--small")
        .test_id("hunk-revert")
        .named(ui, |words| words.revert_hunk())
        .flag("disabled", move || !ui.can_go_back())
        .child(icon(Icon::Undo))
        .press(move || {
            let path = of_file.path().to_owned();
            of_file.revert(generation, Reverting::Hunk { path, at });
        });
    let head = div("hunk__head")
        .child(span("hunk__lines").live(move || ui.words().hunk_lines(first, last)))
        .child(accept)
        .child(revert);
    let hunk = Rc::new(hunk.clone());
    div("hunk")
        .test_id("diff-hunk")
        .class_if("hunk--reviewed", is_reviewed)
        .child(head)
        .choose(
            move || u64::from(ui.changes.side.get()),
            move |side| {
                Some(match side {
                    0 => inline(&hunk),
                    _ => side_by_side(&hunk),
                })
            },
        )
}

/// Each line with its number: that of the new text, or of the old one if it goes.
fn inline(hunk: &Hunk) -> El {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let lines = hunk.lines.iter().map(|line| {
        let number = match line.sign {
            Sign::Del => old,
            _ => new,
        };
        old += usize::from(line.sign != Sign::Add);
        new += usize::from(line.sign != Sign::Del);
        numbered("filediff__line", Some((number, line)))
    });
    el("pre").class("filediff__hunk").children(lines)
}

fn side_by_side(hunk: &Hunk) -> El {
    let rows = pairs(hunk)
        .into_iter()
        .flat_map(|(was, is)| [was, is].map(|line| numbered("filediff__line side__line", line)));
    el("pre").class("filediff__hunk side").children(rows)
}

fn numbered(class: &str, line: Option<Numbered<'_>>) -> El {
    let Some((number, line)) = line else {
        return span(class).class(&format!("{class} side__line--none"));
    };
    let (kind, sign) = match line.sign {
        Sign::Same => ("", " "),
        Sign::Add => (" diff__line--add", "+"),
        Sign::Del => (" diff__line--del", "−"),
    };
    span(&format!("{class}{kind}"))
        .child(span("filediff__number").text(&number.to_string()))
        .child(span("filediff__sign").text(sign))
        .child(span("filediff__text").text(&line.text))
}
