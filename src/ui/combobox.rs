//! A field with a list to choose from, after the combobox pattern of the ARIA practices:
//! the focus stays in the field, arrows move through the list, Enter takes, Escape closes.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::dom;
use super::element::{El, div, el, follow, span};
use super::signal::RwSignal;
use super::state::key_of;

/// Most lines that are drawn.
pub const MOST: usize = 100;

/// A line of the list.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Line {
    /// What is taken with it; none for the title of those that follow.
    pub value: Option<String>,
    /// What it shows.
    pub text: String,
    /// What stands behind that, in small.
    pub note: String,
    /// What it belongs to; only for readers where it has a title.
    pub group: String,
}

/// What Enter takes as long as nobody moved through the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Enter {
    /// The first line.
    First,
    /// What was typed.
    Typed,
}

/// Gives the lines for what was typed.
pub type Lines = dyn Fn(&str) -> Vec<Line>;

/// What a list is made of and what becomes of it.
pub struct Parts {
    /// The name of the list; the field has one of its own.
    pub id: &'static str,
    /// Whether it is open.
    pub open: RwSignal<bool>,
    /// What Enter takes.
    pub enter: Enter,
    /// The lines for what was typed.
    pub lines: Box<Lines>,
    /// What there is to say about them.
    pub status: Box<dyn Fn() -> String>,
    /// Called when the list is opened without a search.
    pub opened: Box<dyn Fn()>,
    /// Takes a line.
    pub pick: Box<dyn Fn(&Line)>,
}

/// The list as it stands.
#[derive(Clone)]
struct List {
    parts: Rc<Parts>,
    query: RwSignal<String>,
    lines: RwSignal<Rc<Vec<Line>>>,
    /// The key of the line that Enter takes; 0: none.
    active: RwSignal<u64>,
}

/// The field and its list; `input` is the field.
pub fn combobox(input: El, parts: Parts) -> El {
    let open = parts.open;
    let list = List {
        query: RwSignal::new(String::new()),
        lines: RwSignal::new(Rc::default()),
        active: RwSignal::new(0),
        parts: Rc::new(parts),
    };
    list.clone().follow();
    let [of_key, of_input, of_press, of_active, of_open, of_shown] =
        std::array::from_fn(|_| list.clone());
    let field = input.clone();
    let input = input
        .attr("role", "combobox")
        .attr("aria-autocomplete", "list")
        .attr("aria-controls", list.parts.id)
        .bind("aria-expanded", move || of_open.is_shown())
        .bind("aria-activedescendant", move || of_active.active_id())
        .on("input", move |_| of_input.typed(field.value()))
        .press(move || of_press.open())
        .key(move |event| of_key.key(event));
    let place = div("combo");
    let left = place.clone();
    place
        .child(input)
        .when(move || of_shown.is_shown(), move || list.clone().popup())
        .on("focusout", move |_| {
            let left = left.clone();
            // The focus is on its way.
            leptos::task::spawn_local(async move {
                leptos::task::tick().await;
                if !dom::has_focus(left.node()) {
                    open.set(false);
                }
            });
        })
}

impl List {
    /// Keeps the lines at what they shall be.
    fn follow(self) {
        let was_open = Cell::new(false);
        follow(Box::new(move || {
            let is_open = self.parts.open.get();
            let lines = match is_open {
                true => self.query.with(|query| (self.parts.lines)(query)),
                false => Vec::new(),
            };
            if was_open.replace(is_open) && !is_open {
                self.query.set(String::new());
            }
            let active = self.active.get_untracked();
            let mut keys = lines.iter().filter(|line| line.value.is_some()).map(key_of);
            let is_there = keys.clone().any(|key| key == active);
            if !is_there {
                let first = keys.next().filter(|_| self.parts.enter == Enter::First);
                self.active.set(first.unwrap_or(0));
            }
            self.lines.set(Rc::new(lines));
        }));
    }

    /// Whether there is anything to show.
    fn is_shown(&self) -> bool {
        let is_empty = || self.lines.with(|lines| lines.is_empty());
        self.parts.open.get() && (!is_empty() || !(self.parts.status)().is_empty())
    }

    fn open(&self) {
        if !self.parts.open.get_untracked() {
            self.parts.open.set(true);
        }
    }

    fn typed(&self, text: String) {
        self.parts.open.set(true);
        self.active.set(0);
        self.query.set(text);
    }

    fn active_id(&self) -> Option<String> {
        let active = self.active.get();
        (self.parts.open.get() && active != 0).then(|| line_id(self.parts.id, active))
    }

    /// The lines that can be taken, by key.
    fn keys(&self) -> Vec<u64> {
        self.lines.with_untracked(|lines| {
            let lines = lines.iter().filter(|line| line.value.is_some());
            lines.map(key_of).collect()
        })
    }

    fn key(&self, event: &KeyboardEvent) {
        if event.is_composing() {
            return;
        }
        let is_open = self.parts.open.get_untracked();
        let (keys, active) = (self.keys(), self.active.get_untracked());
        let at = keys.iter().position(|key| *key == active);
        let last = keys.len().saturating_sub(1);
        let next = match event.key().as_str() {
            "ArrowDown" | "ArrowUp" if !is_open => {
                self.open();
                (self.parts.opened)();
                return event.prevent_default();
            }
            "ArrowDown" => at.map_or(0, |at| if at == last { 0 } else { at + 1 }),
            "ArrowUp" => at.map_or(last, |at| at.checked_sub(1).unwrap_or(last)),
            "Home" if at.is_some() => 0,
            "End" if at.is_some() => last,
            "Enter" if is_open && at.is_some() => {
                event.prevent_default();
                return self.take(active);
            }
            "Escape" if is_open => {
                event.prevent_default();
                return self.parts.open.set(false);
            }
            _ => return,
        };
        if let Some(key) = keys.get(next).filter(|_| is_open) {
            event.prevent_default();
            self.active.set(*key);
            reveal(&line_id(self.parts.id, *key));
        }
    }

    fn take(&self, key: u64) {
        if let Some(line) = self.line_of(key) {
            self.parts.open.set(false);
            (self.parts.pick)(&line);
        }
    }

    fn popup(self) -> El {
        let lines = self.lines;
        let [of_lines, of_status, of_text] = std::array::from_fn(|_| self.clone());
        let list = el("ul")
            .class("combo__list")
            .attr("role", "listbox")
            .attr("id", self.parts.id)
            .test_id(self.parts.id)
            .each_key(
                move || lines.with(|lines| lines.iter().map(key_of).collect()),
                move |key| of_lines.line_of(key).map(|line| of_lines.line(&line, key)),
            );
        div("combo__popup")
            // The focus stays in the field.
            .on("mousedown", |event| event.prevent_default())
            .child(list)
            .when(
                move || !(of_status.parts.status)().is_empty(),
                move || {
                    let list = of_text.clone();
                    el("p")
                        .class("combo__status")
                        .attr("role", "status")
                        .live(move || (list.parts.status)())
                },
            )
    }

    fn line_of(&self, key: u64) -> Option<Line> {
        self.lines.with_untracked(|lines| {
            let line = lines.iter().find(|line| key_of(*line) == key);
            line.cloned()
        })
    }

    fn line(&self, line: &Line, key: u64) -> El {
        let text = span("combo__text").text(&line.text);
        if line.value.is_none() {
            return el("li")
                .class("combo__head")
                .attr("role", "presentation")
                .child(text)
                .child(span("combo__note").text(&line.note));
        }
        let (list, active) = (self.clone(), self.active);
        el("li")
            .class("combo__line")
            .attr("role", "option")
            .attr("id", &line_id(self.parts.id, key))
            .attr("title", &line.text)
            .bind("aria-selected", move || active.get() == key)
            .child(text)
            .child(span("combo__note").text(&line.note))
            .child(span("visually-hidden").text(&line.group))
            .press(move || list.take(key))
    }
}

fn line_id(list: &str, key: u64) -> String {
    format!("{list}-{key}")
}

/// Scrolls the list, and nothing else, until a line can be seen.
pub fn reveal(id: &str) {
    let line = leptos::prelude::document().get_element_by_id(id);
    let Some(line) = line.and_then(|line| line.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    let Some(list) = line.parent_element() else {
        return;
    };
    let (top, height) = (line.offset_top(), line.offset_height());
    let seen = list.scroll_top();
    let least = top + height - list.client_height();
    list.set_scroll_top(seen.max(least).min(top));
}
