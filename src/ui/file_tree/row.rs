//! One row of the tree. What happens in it is heard by the list.

use super::{Drawn, Tree};
use crate::ui::element::{El, button, el, span};
use crate::ui::icon::{Icon, icon, live_icon};
use crate::ui::middle_cut::middle_cut;
use crate::ui::signal::ArcRwSignal;
use crate::ui::state::file_tree::{RowKind, name};
use crate::ui::words::units;

/// A file or a folder.
pub(super) fn row(tree: Tree, place: ArcRwSignal<Drawn>) -> El {
    let [
        at,
        level,
        position,
        siblings,
        kind,
        stop,
        indent,
        opened,
        selected,
    ] = std::array::from_fn(|_| place.clone());
    let path = place.with_untracked(|drawn| drawn.row.path.clone());
    let open = tree.ui.files.opened;
    let is_opened = move |place: &ArcRwSignal<Drawn>| {
        open.with(|open| {
            open.as_ref()
                .is_some_and(|open| place.with_untracked(|drawn| drawn.row.path == open.path))
        })
    };
    let element = el("li")
        .class("tree__row")
        .class_if("tree__row--opened", move || is_opened(&opened))
        .attr("role", "treeitem")
        .attr("draggable", "true")
        .test_id("file-row")
        .attr("data-path", &path)
        .bind("aria-level", number(level, |drawn| drawn.row.level))
        .bind(
            "aria-posinset",
            number(position, |drawn| drawn.row.position),
        )
        .bind("aria-setsize", number(siblings, |drawn| drawn.row.siblings))
        .bind("aria-expanded", move || {
            kind.with(|drawn| match drawn.row.kind {
                RowKind::File(_) => None,
                RowKind::Folded => Some("false"),
                RowKind::Unfolded => Some("true"),
            })
        })
        .bind("aria-selected", move || is_opened(&selected))
        .bind("tabindex", move || match stop.with(|drawn| drawn.is_stop) {
            true => "0",
            false => "-1",
        })
        .style("--at", number(at, |drawn| drawn.at))
        .style("--level", number(indent, |drawn| drawn.row.level));
    content(tree, element, path, place)
}

fn number(place: ArcRwSignal<Drawn>, of: fn(&Drawn) -> usize) -> impl Fn() -> String + 'static {
    move || place.with(of).to_string()
}

fn content(tree: Tree, into: El, path: String, place: ArcRwSignal<Drawn>) -> El {
    let [of_chevron, of_icon, of_size] = std::array::from_fn(|_| place.clone());
    let ui = tree.ui;
    let shown = name(&path).to_owned();
    let shape = move || match of_icon.with(|drawn| drawn.row.kind) {
        RowKind::File(_) => Icon::File,
        RowKind::Folded => Icon::Folder,
        RowKind::Unfolded => Icon::FolderOpen,
    };
    let size = move || match of_size.with(|drawn| drawn.row.kind) {
        RowKind::File(size) => units::bytes(size),
        _ => String::new(),
    };
    let is_changed = move || ui.files.changed.with(|changed| changed.contains(&path));
    let chevron = span("tree__chevron")
        .class_if("tree__chevron--none", move || {
            of_chevron.with(|drawn| matches!(drawn.row.kind, RowKind::File(_)))
        })
        .child(icon(Icon::ChevronRight));
    // Not for the Tab key: the row's own keys open the same menu.
    let act = button("tree__act")
        .attr("tabindex", "-1")
        .test_id("file-more")
        .named(ui, |words| words.files_act())
        .child(icon(Icon::More));
    into.child(chevron)
        .child(span("tree__icon").child(live_icon(shape)))
        .child(span("tree__name").child(middle_cut(move || shown.clone())))
        .when(is_changed, move || {
            span("tree__changed").live(move || ui.words().changed)
        })
        .child(span("tree__size").live(size))
        .child(act)
}
