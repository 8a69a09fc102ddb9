//! A Markdown text in the page. What is finished is drawn once; while a text grows, only
//! the end of its last blocks changes.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use leptos::prelude::{Owner, untrack};
use web_sys::{Element as PageElement, Node as PageNode};

use super::code::add_code;
use super::frames;
use super::grow::grow;
use super::helper::{ALL, CODE, treat};
use super::parse::{Change, Drawing, Ending, Node, OPEN, Reader};
use crate::ui::controller::Controller;
use crate::ui::element::{El, button, div, el, follow, here, span};
use crate::ui::signal::ArcRwSignal;

/// What draws, and what it draws.
#[derive(Clone)]
pub(super) struct Pen {
    pub ui: Controller,
    sheet: Weak<Sheet>,
}

impl Pen {
    /// All of the code of which `shown` shows at least the beginning.
    pub fn code(&self, shown: &PageElement) -> Option<String> {
        self.sheet.upgrade()?.state.borrow().code(shown)
    }
}

/// A block in the page.
struct Drawn {
    el: El,
    /// What it was drawn from; empty once it can't change any more.
    nodes: Vec<Node>,
    rest: Option<Rest>,
}

/// What tells how much of a block is not shown, and shows it.
struct Rest {
    el: El,
    owner: Owner,
    left_out: ArcRwSignal<usize>,
}

impl Drop for Rest {
    fn drop(&mut self) {
        self.el.node().remove();
        self.owner.cleanup();
    }
}

/// A text in the page. What follows the text holds it, and nothing else does.
pub(super) struct Sheet {
    state: RefCell<State>,
    /// Whether it is to be drawn in one of the next frames.
    pub is_waiting: Cell<bool>,
}

struct State {
    pen: Pen,
    into: El,
    /// What is drawn lives on when the text has grown again.
    owner: Owner,
    text: String,
    ending: Ending,
    reader: Reader,
    drawn: Vec<Drawn>,
    /// So many blocks at the start can't change any more.
    closed: usize,
}

/// The text of a model, as far as `text` gives it.
#[inline(never)]
pub fn markdown(ui: Controller, text: Rc<dyn Fn() -> (String, Ending)>) -> El {
    let prose = div("prose");
    let sheet = Rc::new_cyclic(|sheet| Sheet {
        state: RefCell::new(State {
            pen: Pen {
                ui,
                sheet: Weak::clone(sheet),
            },
            into: prose.clone(),
            owner: here(),
            text: String::new(),
            ending: Ending::Whole,
            reader: Reader::default(),
            drawn: Vec::new(),
            closed: 0,
        }),
        is_waiting: Cell::new(false),
    });
    follow(Box::new(move || {
        let (text, ending) = text();
        {
            let mut state = sheet.state.borrow_mut();
            state.text = text;
            state.ending = ending;
        }
        frames::draw(&sheet);
    }));
    prose
}

impl Sheet {
    /// Draws what has changed, until more than `budget` bytes were read. Gives how many
    /// they were, and whether that was all.
    pub fn draw(&self, budget: usize) -> (usize, bool) {
        let owner = self.state.borrow().owner.clone();
        owner.with(|| untrack(|| self.state.borrow_mut().redraw(budget)))
    }

    fn show_all(&self, rest: &El) {
        let owner = self.state.borrow().owner.clone();
        owner.with(|| untrack(|| self.state.borrow_mut().show_all(rest)));
    }
}

impl State {
    fn redraw(&mut self, budget: usize) -> (usize, bool) {
        let changes = self.reader.read(&self.text, self.ending, budget);
        for change in changes.changed {
            self.draw(change);
        }
        for gone in self.drawn.drain(changes.count.min(self.drawn.len())..) {
            gone.el.node().remove();
        }
        let open_from = self.drawn.len().saturating_sub(OPEN);
        self.closed = self.closed.min(open_from);
        for closed in &mut self.drawn[self.closed..open_from] {
            closed.nodes = Vec::new();
        }
        self.closed = open_from;
        (changes.spent, changes.is_all)
    }

    fn draw(&mut self, change: Change) {
        if change.at == self.drawn.len() {
            let el = div("prose__block");
            self.into.clone().child(el.clone());
            self.drawn.push(Drawn {
                el,
                nodes: Vec::new(),
                rest: None,
            });
        }
        let place = &mut self.drawn[change.at];
        match change.drawing {
            Drawing::Anew(nodes) => {
                // It may be one of those whose nodes were forgotten.
                self.closed = self.closed.min(change.at);
                grow(&self.pen, &place.el, &place.nodes, &nodes);
                place.nodes = nodes;
            }
            Drawing::MoreCode(more) => {
                if let Some(Node::CodeBlock { code, .. }) = place.nodes.last_mut() {
                    add_code(&place.el, code, &more);
                    code.push_str(&more);
                }
            }
            Drawing::Same => {}
        }
        match &place.rest {
            _ if change.left_out == 0 => place.rest = None,
            Some(rest) => rest.left_out.set(change.left_out),
            None => {
                let rest = rest(&self.pen, change.left_out);
                // Behind its block, which stands in there.
                let next = place.el.node().next_sibling();
                let into: &PageNode = self.into.node();
                let _ = into.insert_before(rest.el.node(), next.as_ref());
                place.rest = Some(rest);
            }
        }
        if change.ending == Ending::Whole {
            treat(&place.el, CODE);
        }
        treat(&place.el, ALL);
    }

    fn show_all(&mut self, pressed: &El) {
        let is_it = |drawn: &Drawn| {
            let rest = drawn.rest.as_ref();
            rest.is_some_and(|rest| rest.el.node() == pressed.node())
        };
        if let Some(at) = self.drawn.iter().position(is_it)
            && let Some(change) = self.reader.show_all(at)
        {
            self.draw(change);
        }
    }

    fn code(&self, shown: &PageElement) -> Option<String> {
        let block = shown.closest(".prose__block").ok()??;
        let at = self
            .drawn
            .iter()
            .position(|drawn| *drawn.el.node() == block)?;
        let all = block.query_selector_all(".code").ok()?;
        let nth = (0..all.length()).position(|at| all.get(at).as_ref() == Some(shown))?;
        self.reader.code(at, nth)
    }
}

/// What tells how much of a block is not shown.
fn rest(pen: &Pen, left_out: usize) -> Rest {
    let ui = pen.ui;
    let owner = here().with(Owner::new);
    let left_out = ArcRwSignal::new(left_out);
    let place = el("p").class("prose__rest").test_id("markdown-rest");
    let (told, sheet, pressed) = (left_out.clone(), Weak::clone(&pen.sheet), place.clone());
    owner.with(|| {
        let show = button("button button--link")
            .say(ui, |words| words.show_all)
            .press(move || {
                if let Some(sheet) = sheet.upgrade() {
                    sheet.show_all(&pressed);
                }
            });
        place
            .clone()
            .child(span("").live(move || ui.words().left_out(told.get() as u64)))
            .child(show)
    });
    Rest {
        el: place,
        owner,
        left_out,
    }
}
