//! Changes what is drawn into what is to be drawn. Each node of the tree is one
//! child in the page, so that what two trees have in common can stay: a list of
//! hundreds of items, or a long piece of code, is not drawn anew for each word.

use wasm_bindgen::JsCast;
use web_sys::{CharacterData, Element as PageElement, Node as PageNode};

use super::code::grow_code;
use super::draw::{draw, draw_row, is_task};
use super::parse::Node;
use super::view::Pen;
use crate::ui::element::El;

/// Makes the children of `into`, which show `old`, show `new`.
pub(super) fn grow(pen: &Pen, into: &El, old: &[Node], new: &[Node]) {
    let mut kept = same(old, new);
    if let (Some(old), Some(new)) = (old.get(kept), new.get(kept))
        && let Some(child) = child(into.node(), kept)
        && change(pen, &child, old, new)
    {
        kept += 1;
    }
    truncate(into.node(), kept);
    draw(pen, into.clone(), &new[kept..]);
}

/// How many items at the start are the same.
pub(super) fn same<T: PartialEq>(old: &[T], new: &[T]) -> usize {
    old.iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count()
}

/// Whether `child`, which shows `old`, could be made to show `new`.
fn change(pen: &Pen, child: &PageNode, old: &Node, new: &Node) -> bool {
    match (old, new) {
        (Node::Text(old), Node::Text(new)) => change_text(child, old, new),
        (Node::Element(was, old), Node::Element(is, new))
            if was == is && is_task(old) == is_task(new) =>
        {
            within(child, |child| grow(pen, child, old, new))
        }
        (
            Node::Link {
                target: was,
                children: old,
            },
            Node::Link {
                target: is,
                children: new,
            },
        ) if was == is => within(child, |child| grow(pen, child, old, new)),
        (
            Node::CodeBlock {
                language: was,
                code: old,
            },
            Node::CodeBlock {
                language: is,
                code: new,
            },
        ) if was == is => grow_code(child, old, new),
        (
            Node::Table {
                columns: was,
                rows: old,
            },
            Node::Table {
                columns: is,
                rows: new,
            },
        ) if was == is => inside(child, "tbody").is_some_and(|body| {
            let kept = same(old, new);
            truncate(&body, kept);
            let rows = new.iter().enumerate().skip(kept);
            let rows = rows.map(|(at, cells)| draw_row(pen, is, at, cells));
            El::from(body).children(rows);
            true
        }),
        _ => false,
    }
}

/// A text that only grew stays as it is, with more at its end.
pub(super) fn change_text(child: &PageNode, old: &str, new: &str) -> bool {
    let Some(text) = child.dyn_ref::<CharacterData>() else {
        return false;
    };
    match new.strip_prefix(old) {
        Some(more) => text.append_data(more).is_ok(),
        None => {
            text.set_data(new);
            true
        }
    }
}

fn within(child: &PageNode, change: impl FnOnce(&El)) -> bool {
    match child.dyn_ref::<PageElement>() {
        Some(element) => {
            change(&El::from(element.clone()));
            true
        }
        None => false,
    }
}

pub(super) fn inside(child: &PageNode, tag: &str) -> Option<PageElement> {
    child.dyn_ref::<PageElement>()?.query_selector(tag).ok()?
}

pub(super) fn child(parent: &PageElement, at: usize) -> Option<PageNode> {
    parent.child_nodes().get(u32::try_from(at).ok()?)
}

/// Takes away all children but the first `count`.
pub(super) fn truncate(parent: &PageElement, count: usize) {
    while let Some(child) = child(parent, count) {
        // It was found there a moment ago.
        let _ = parent.remove_child(&child);
    }
}
