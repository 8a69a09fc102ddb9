//! Code on lines of its own. It stands in parts of some lines each, so that where more
//! comes only the last part is laid out again.

use web_sys::Node as PageNode;

use super::grow::{self, change_text, inside, same, truncate};
use super::view::Pen;
use crate::ui::copy_button::copy_button;
use crate::ui::element::{El, div, el, span};

/// Lines of a part.
const LINES: usize = 40;

/// By this the code is known whose language is, that which was treated, and coloured.
const LANGUAGE: &str = "data-language";
const TRIED: &str = "data-tried";
const COLOURED: &str = "data-coloured";

/// Code with the language it is in and a button that copies all of it.
pub(super) fn code_block(pen: &Pen, language: &str, code: &str) -> El {
    let block = div("code");
    let name = language.to_ascii_lowercase();
    let (of_copy, shown) = (pen.clone(), block.clone());
    let head = div("code__head")
        .child(span("code__language").text(language))
        .child(copy_button(pen.ui, move || {
            of_copy.code(shown.node()).unwrap_or_default()
        }));
    let lines = el("code").children(parts(code).into_iter().map(part));
    let lines = match name.as_str() {
        "" => lines,
        name => lines.attr(LANGUAGE, name),
    };
    let text = el("pre").class("code__text").child(lines);
    block.child(head).child(text)
}

fn part(text: &str) -> El {
    span("code__part").text(text)
}

/// The parts of `code` without its last line end, which nobody sees.
fn parts(code: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = code.strip_suffix('\n').unwrap_or(code);
    while let Some((end, _)) = rest.match_indices('\n').nth(LINES - 1) {
        let (part, after) = rest.split_at(end + 1);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// Whether the block `child`, which shows `old`, could be made to show `new`.
pub(super) fn grow_code(child: &PageNode, old: &str, new: &str) -> bool {
    let Some(code) = inside(child, ".code__text code") else {
        return false;
    };
    if old == new {
        return true;
    }
    // What was made of the code before is made anew.
    let _ = code.remove_attribute(TRIED);
    let (old, new) = (parts(old), parts(new));
    let mut kept = same(&old, &new);
    if code.has_attribute(COLOURED) {
        // Its parts are no plain texts any more.
        let _ = code.remove_attribute(COLOURED);
        kept = 0;
    } else if let (Some(old), Some(new)) = (old.get(kept), new.get(kept))
        && let Some(part) = grow::child(&code, kept)
        && let Some(text) = part.first_child()
        && change_text(&text, old, new)
    {
        kept += 1;
    }
    truncate(&code, kept);
    El::from(code).children(new[kept..].iter().map(|text| part(text)));
    true
}

/// Adds `more` to the code at the end of `block`, which shows `old`.
pub(super) fn add_code(block: &El, old: &str, more: &str) {
    let Some(code) = inside(block.node(), ".code__text code") else {
        return;
    };
    let count = code.child_nodes().length() as usize;
    let Some(last) = grow::child(&code, count.saturating_sub(1)) else {
        return;
    };
    let shown = last.text_content().unwrap_or_default();
    // Its last line end is not there.
    let end = if old.ends_with('\n') { "\n" } else { "" };
    let all = format!("{shown}{end}{more}");
    let parts = parts(&all);
    if let Some(text) = last.first_child() {
        change_text(&text, &shown, parts[0]);
    }
    El::from(code).children(parts[1..].iter().map(|text| part(text)));
}
