//! The tree of files. Only the rows in view are in the page. One row has the Tab key's
//! focus, and stays in the page for it; arrows move it.

mod bar;
mod drag;
mod row;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent, ResizeObserver};

use self::bar::bar;
use self::row::row;
use super::controller::Controller;
use super::controller::files::{Asking, MenuAt};
use super::dom;
use super::element::{El, div, el, follow};
use super::signal::{ArcRwSignal, RwSignal};
use super::state::file_tree::{Filter, Move, RowKind, Step, TreeRow, rows, rows_matching, step};
use super::state::key_of;
use super::state::window::{View, window};
use crate::protocol::{Command, TreeChange};

/// A row's height in pixels, for a mouse and for fingers.
const ROW: (i32, i32) = (28, 40);

/// What is shown.
#[derive(Clone, Default)]
struct Shown {
    rows: Rc<Vec<TreeRow>>,
    /// How many files fit the filter; `None` without one.
    found: Option<usize>,
}

/// A row in the page.
#[derive(Clone, PartialEq)]
struct Drawn {
    /// Its place in the list.
    at: usize,
    row: TreeRow,
    /// Whether the Tab key goes to it.
    is_stop: bool,
}

/// What the parts of the tree share.
#[derive(Clone, Copy)]
struct Tree {
    ui: Controller,
    shown: RwSignal<Shown>,
    /// What of the list is in view.
    view: RwSignal<View>,
    row_height: i32,
}

impl Tree {
    fn rows(self) -> Rc<Vec<TreeRow>> {
        self.shown.with_untracked(|shown| Rc::clone(&shown.rows))
    }

    /// Where the row is that Tab goes to: the last one that had the focus, if it is still there.
    fn stop_at(self, rows: &[TreeRow]) -> usize {
        let wanted = self.ui.files.focused.get();
        let is_wanted = |row: &TreeRow| Some(&row.path) == wanted.as_ref();
        rows.iter().position(is_wanted).unwrap_or(0)
    }

    /// The rows that belong into the page.
    fn draw(self) -> Vec<Drawn> {
        let rows = self.shown.with(|shown| Rc::clone(&shown.rows));
        let stop = self.stop_at(&rows);
        let seen = window(self.view.get(), self.row_height, rows.len());
        let before = (stop < seen.start).then_some(stop);
        let after = (stop >= seen.end && stop < rows.len()).then_some(stop);
        let places = before.into_iter().chain(seen).chain(after);
        let drawn = |at: usize| Drawn {
            at,
            row: rows[at].clone(),
            is_stop: at == stop,
        };
        places.map(drawn).collect()
    }

    fn press(self, path: &str, kind: RowKind) {
        match kind {
            RowKind::File(_) => self.ui.open_file(path.to_owned()),
            RowKind::Folded | RowKind::Unfolded => self.ui.files.turn(path),
        }
    }

    #[inline(never)]
    fn key(self, event: &KeyboardEvent) {
        let rows = self.rows();
        let Some(row) = rows.get(untrack(|| self.stop_at(&rows))) else {
            return;
        };
        let is_menu = event.key() == "F10" && event.shift_key();
        let to = match event.key().as_str() {
            "ArrowDown" => Move::Down,
            "ArrowUp" => Move::Up,
            "ArrowRight" => Move::In,
            "ArrowLeft" => Move::Out,
            "Home" => Move::First,
            "End" => Move::Last,
            "Enter" | " " => {
                event.prevent_default();
                return self.press(&row.path, row.kind);
            }
            "ContextMenu" => return self.menu_of(event, &row.path),
            _ if is_menu => return self.menu_of(event, &row.path),
            "F2" if untrack(|| self.ui.can_work()) => {
                event.prevent_default();
                return self.ui.ask(Asking::Path(row.path.clone()));
            }
            "Delete" => return self.ui.delete(&row.path, &rows),
            _ => return,
        };
        event.prevent_default();
        match step(&rows, &row.path, to) {
            Step::Focus(path) => focus_row(self.ui, &path),
            Step::Turn(path) => self.ui.files.turn(&path),
            Step::Stay => {}
        }
    }

    /// Opens the menu under the row of `path`.
    fn menu_of(self, event: &Event, path: &str) {
        event.prevent_default();
        let row = event.target().and_then(|target| row_of(&target));
        let place = row.map(|row| row.get_bounding_client_rect());
        let (x, y) = place.map_or((0, 0), |place| {
            (place.right() as i32, place.bottom() as i32)
        });
        self.open_menu(Some(path.to_owned()), x, y);
    }

    fn open_menu(self, path: Option<String>, x: i32, y: i32) {
        self.ui.files.menu.set(Some(MenuAt { path, x, y }));
    }

    #[inline(never)]
    fn context_menu(self, event: &Event) {
        let Some(mouse) = event.dyn_ref::<MouseEvent>() else {
            return;
        };
        event.prevent_default();
        let row = event.target().and_then(|target| row_of(&target));
        let path = row.and_then(|row| row.get_attribute("data-path"));
        self.open_menu(path, mouse.client_x(), mouse.client_y());
    }

    #[inline(never)]
    fn click(self, event: &Event) {
        let Some((row, path)) = pressed(event) else {
            return;
        };
        let on = event.target().and_then(|on| on.dyn_into::<Element>().ok());
        // A selector of ours is never malformed.
        let is_more = on.is_some_and(|on| matches!(on.closest(".tree__act"), Ok(Some(_))));
        if is_more {
            return self.menu_of(event, &path);
        }
        let kind = match row.get_attribute("aria-expanded").as_deref() {
            None => RowKind::File(0),
            Some("true") => RowKind::Unfolded,
            Some(_) => RowKind::Folded,
        };
        self.press(&path, kind);
    }
}

/// The row that an event happened in, and its path.
fn pressed(event: &Event) -> Option<(Element, String)> {
    let row = row_of(&event.target()?)?;
    let path = row.get_attribute("data-path")?;
    Some((row, path))
}

fn row_of(target: &web_sys::EventTarget) -> Option<Element> {
    let element = target.dyn_ref::<Element>()?;
    element.closest("[data-testid=file-row]").ok().flatten()
}

/// All files of the workspace.
pub fn file_tree(ui: Controller) -> El {
    let row_height = match dom::has_fine_pointer() {
        true => ROW.0,
        false => ROW.1,
    };
    let tree = Tree {
        ui,
        shown: RwSignal::new(Shown::default()),
        view: RwSignal::new(View::default()),
        row_height,
    };
    follow(Box::new(move || tree.shown.set(shown(ui))));
    let is_empty = move || ui.files.all.with(|all| all.is_empty());
    let scroller = div("tree__scroll")
        .when(is_empty, move || none(ui))
        .child(list(tree));
    watch(tree, &scroller);
    let of_scroll = scroller.clone();
    div("tree")
        .set_style("--row", &format!("{row_height}px"))
        .child(bar(tree))
        .child(scroller.on("scroll", move |_| look(tree, of_scroll.node())))
}

fn shown(ui: Controller) -> Shown {
    let filter = ui.files.filter.with(|typed| Filter::of(typed));
    ui.files.all.with(|all| match filter {
        Some(filter) => {
            let turned = &ui.files.filter_turned;
            let (rows, found) = turned.with(|turned| rows_matching(all, &filter, turned));
            Shown {
                rows: Rc::new(rows),
                found: Some(found),
            }
        }
        None => Shown {
            rows: Rc::new(ui.files.turned.with(|turned| rows(all, turned))),
            found: None,
        },
    })
}

fn none(ui: Controller) -> El {
    div("tree__none")
        .child(
            el("p")
                .class("tree__none-title")
                .say(ui, |words| words.files_none),
        )
        .child(el("p").say(ui, |words| words.files_none_text))
}

fn list(tree: Tree) -> El {
    let places: Rc<RefCell<HashMap<u64, ArcRwSignal<Drawn>>>> = Rc::default();
    let of_rows = Rc::clone(&places);
    let keys = move || {
        let drawn = tree.draw();
        focus_wanted(tree.ui, &drawn);
        let mut old = places.take();
        let mut new = HashMap::with_capacity(drawn.len());
        let mut keys = Vec::with_capacity(drawn.len());
        for drawn in drawn {
            let key = key_of(&drawn.row.path);
            let place = match old.remove(&key) {
                Some(place) => {
                    if place.with_untracked(|before| *before != drawn) {
                        place.set(drawn);
                    }
                    place
                }
                None => ArcRwSignal::new(drawn),
            };
            new.insert(key, place);
            keys.push(key);
        }
        places.replace(new);
        keys
    };
    let make = move |key| {
        let place = of_rows.borrow().get(&key).cloned();
        place.map(|place| row(tree, place))
    };
    let count = move || tree.shown.with(|shown| shown.rows.len().to_string());
    let ui = tree.ui;
    let list = el("ul")
        .class("tree__rows")
        .attr("role", "tree")
        .test_id("file-tree")
        .say_as("aria-label", ui, |words| words.files)
        .style("--count", count)
        .key(move |event| tree.key(event))
        .on("click", move |event| tree.click(&event))
        .on("contextmenu", move |event| tree.context_menu(&event))
        .on("focusin", move |event| {
            if let Some((_, path)) = pressed(&event)
                && ui
                    .files
                    .focused
                    .with_untracked(|now| now.as_ref() != Some(&path))
            {
                ui.files.focused.set(Some(path));
            }
        });
    drag::listen(tree.ui, list).each_key(keys, make)
}

/// Follows how much of the tree can be seen.
fn watch(tree: Tree, scroller: &El) {
    let element = scroller.node().clone();
    let changed = Closure::<dyn FnMut()>::new(move || look(tree, &element));
    let Ok(observer) = ResizeObserver::new(changed.as_ref().unchecked_ref()) else {
        return;
    };
    observer.observe(scroller.node());
    // As long as the page: the tree is never taken out of it.
    let _ = StoredValue::new_local((Watched(observer), changed));
}

struct Watched(ResizeObserver);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.disconnect();
    }
}

fn look(tree: Tree, scroller: &Element) {
    let view = View {
        top: scroller.scroll_top(),
        height: scroller.client_height(),
    };
    // Gone together with the tree.
    let Some(before) = tree.view.try_get_untracked() else {
        return;
    };
    let count = tree.rows().len();
    let seen = |view| window(view, tree.row_height, count);
    if seen(before) != seen(view) || before.height == 0 {
        tree.view.set(view);
    }
}

/// Puts the focus on the row of a file, and brings it into view; now, or once it is there.
pub fn focus_row(ui: Controller, path: &str) {
    ui.files.wanted.set(Some(path.to_owned()));
    ui.files.focused.set(Some(path.to_owned()));
}

/// Gives the focus to the row that shall have it, if it is among those that are drawn.
fn focus_wanted(ui: Controller, drawn: &[Drawn]) {
    let wanted = ui.files.wanted;
    let Some(path) = wanted.get_untracked() else {
        return;
    };
    if drawn.iter().any(|drawn| drawn.row.path == path) {
        wanted.set(None);
        let escaped = path.replace('\\', "\\\\").replace('"', "\\\"");
        dom::focus_later(format!("[data-testid=file-row][data-path=\"{escaped}\"]"));
    }
}

impl Controller {
    /// Deletes what is at `path`, which can be undone; the focus goes to the row beside it.
    fn delete(self, path: &str, rows: &[TreeRow]) {
        if !untrack(|| self.can_work()) {
            return;
        }
        let at = rows.iter().position(|row| row.path == path).unwrap_or(0);
        let stays = |row: &&TreeRow| super::state::file_tree::moved(&row.path, path, "").is_none();
        let next = rows[at..].iter().find(stays);
        let next = next.or_else(|| rows[..at].iter().rev().find(stays));
        self.command(Command::ChangeTree(TreeChange::Delete(path.to_owned())));
        if let Some(next) = next {
            focus_row(self, &next.path);
        }
    }
}
