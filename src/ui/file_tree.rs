//! The tree of files. One row has the Tab key's focus; arrows move it.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::controller::Controller;
use super::dom;
use super::element::{El, button, div, el, follow, span};
use super::icon::{Icon, icon, live_icon};
use super::middle_cut::middle_cut;
use super::signal::RwSignal;
use super::state::file_tree::{Move, RowKind, Step, TreeRow, rows, step};
use super::state::key_of;
use super::words::units;

/// Rows that are drawn at first, and with each press on "more".
const ROWS_AT_ONCE: usize = 500;

/// The rows, in order and by their paths.
#[derive(Clone, Default)]
struct Rows {
    list: Arc<Vec<TreeRow>>,
    by_path: Arc<HashMap<String, usize>>,
}

impl Rows {
    fn of(list: Vec<TreeRow>) -> Self {
        let by_path = list
            .iter()
            .enumerate()
            .map(|(at, row)| (row.path.clone(), at));
        Self {
            by_path: Arc::new(by_path.collect()),
            list: Arc::new(list),
        }
    }

    fn get(&self, path: &str) -> Option<&TreeRow> {
        self.list.get(*self.by_path.get(path)?)
    }
}

/// What the rows of the tree share.
#[derive(Clone, Copy)]
struct Tree {
    ui: Controller,
    rows: RwSignal<Rows>,
    /// The row that had the focus last.
    focused: RwSignal<Option<String>>,
}

impl Tree {
    /// The row that Tab goes to: the last one that had the focus, if it is still there.
    fn tab_stop(self) -> Option<String> {
        let wanted = self.focused.get();
        self.rows.with(|rows| {
            let wanted = wanted.filter(|path| rows.by_path.contains_key(path));
            wanted.or_else(|| rows.list.first().map(|row| row.path.clone()))
        })
    }

    fn part<T>(self, path: &str, part: impl FnOnce(&TreeRow) -> T) -> Option<T> {
        self.rows.with(|rows| rows.get(path).map(part))
    }

    fn kind(self, path: &str) -> RowKind {
        self.part(path, |row| row.kind).unwrap_or(RowKind::File(0))
    }

    fn press(self, path: &str) {
        match untrack(|| self.kind(path)) {
            RowKind::File(_) => self.ui.open_file(path.to_owned()),
            RowKind::Folded | RowKind::Unfolded => self.ui.files.turn(path),
        }
    }

    fn key(self, event: &KeyboardEvent) {
        let Some(path) = untrack(|| self.tab_stop()) else {
            return;
        };
        let to = match event.key().as_str() {
            "Enter" | " " => {
                event.prevent_default();
                return self.press(&path);
            }
            "ArrowDown" => Move::Down,
            "ArrowUp" => Move::Up,
            "ArrowRight" => Move::In,
            "ArrowLeft" => Move::Out,
            "Home" => Move::First,
            "End" => Move::Last,
            _ => return,
        };
        event.prevent_default();
        let list = self.rows.with_untracked(|rows| Arc::clone(&rows.list));
        match step(&list, &path, to) {
            Step::Focus(path) => focus_row(&path),
            Step::Turn(path) => self.ui.files.turn(&path),
            Step::Stay => {}
        }
    }
}

/// All files of the workspace.
pub fn file_tree(ui: Controller) -> El {
    let tree = Tree {
        ui,
        rows: RwSignal::new(Rows::default()),
        focused: RwSignal::new(None),
    };
    follow(Box::new(move || {
        let list = ui
            .files
            .all
            .with(|all| ui.files.turned.with(|turned| rows(all, turned)));
        tree.rows.set(Rows::of(list));
    }));
    let limit = RwSignal::new(ROWS_AT_ONCE);
    let items = move || {
        let shown = limit.get();
        tree.rows.with(|rows| {
            rows.list
                .iter()
                .take(shown)
                .map(|row| (key_of(&row.path), row.path.clone()))
                .collect()
        })
    };
    let hidden = move || {
        tree.rows
            .with(|rows| rows.list.len())
            .saturating_sub(limit.get())
    };
    let list = el("ul")
        .class("tree__rows")
        .attr("role", "tree")
        .test_id("file-tree")
        .say_as("aria-label", ui, |words| words.files)
        .key(move |event| tree.key(event))
        .each(items, move |path| row(tree, &path));
    div("tree")
        .when(
            move || tree.rows.with(|rows| rows.list.is_empty()),
            move || {
                div("tree__none")
                    .child(
                        el("p")
                            .class("tree__none-title")
                            .say(ui, |words| words.files_none),
                    )
                    .child(el("p").say(ui, |words| words.files_none_text))
            },
        )
        .child(list)
        .when(
            move || hidden() > 0,
            move || {
                button("button button--quiet tree__more")
                    .live(move || ui.words().more(hidden()))
                    .press(move || limit.update(|limit| *limit += ROWS_AT_ONCE))
            },
        )
}

/// Puts the focus on the row of a file.
pub fn focus_row(path: &str) {
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"");
    dom::focus(&format!("[data-testid=file-row][data-path=\"{escaped}\"]"));
}

/// A file or a folder.
fn row(tree: Tree, path: &str) -> El {
    let path: Arc<str> = path.into();
    let [
        level,
        position,
        siblings,
        opened,
        selected,
        stop,
        unfolds,
        indent,
        press,
        focus,
    ] = std::array::from_fn(|_| Arc::clone(&path));
    let is_opened = move |path: &str| {
        tree.ui
            .files
            .opened
            .with(|open| open.as_ref().is_some_and(|open| open.path == path))
    };
    let number =
        move |path: &str, of: fn(&TreeRow) -> usize| tree.part(path, of).unwrap_or(1).to_string();
    let expanded = move || match tree.kind(&unfolds) {
        RowKind::File(_) => None,
        RowKind::Folded => Some("false"),
        RowKind::Unfolded => Some("true"),
    };
    let element = el("li")
        .class("tree__row")
        .class_if("tree__row--opened", move || is_opened(&opened))
        .attr("role", "treeitem")
        .test_id("file-row")
        .attr("data-path", &path)
        .bind("aria-level", move || number(&level, |row| row.level))
        .bind("aria-posinset", move || {
            number(&position, |row| row.position)
        })
        .bind("aria-setsize", move || {
            number(&siblings, |row| row.siblings)
        })
        .bind("aria-expanded", expanded)
        .bind("aria-selected", move || is_opened(&selected))
        .bind("tabindex", move || {
            if tree.tab_stop().as_deref() == Some(&*stop) {
                "0"
            } else {
                "-1"
            }
        })
        .style("--level", move || number(&indent, |row| row.level))
        .press(move || tree.press(&press))
        .on("focus", move |_| tree.focused.set(Some(focus.to_string())));
    row_content(tree, element, &path)
}

fn row_content(tree: Tree, into: El, path: &Arc<str>) -> El {
    let [of_chevron, of_icon, of_size, of_changed] = std::array::from_fn(|_| Arc::clone(path));
    let name = super::state::file_tree::name(path).to_owned();
    let shape = move || match tree.kind(&of_icon) {
        RowKind::File(_) => Icon::File,
        RowKind::Folded => Icon::Folder,
        RowKind::Unfolded => Icon::FolderOpen,
    };
    let size = move || match tree.kind(&of_size) {
        RowKind::File(size) => units::bytes(size),
        _ => String::new(),
    };
    let is_changed = move || {
        tree.ui
            .files
            .changed
            .with(|changed| changed.contains(&*of_changed))
    };
    let chevron = span("tree__chevron")
        .class_if("tree__chevron--none", move || {
            matches!(tree.kind(&of_chevron), RowKind::File(_))
        })
        .child(icon(Icon::ChevronRight));
    into.child(chevron)
        .child(span("tree__icon").child(live_icon(shape)))
        .child(span("tree__name").child(middle_cut(move || name.clone())))
        .when(is_changed, move || {
            span("tree__changed").live(move || tree.ui.words().changed)
        })
        .child(span("tree__size").live(size))
}
