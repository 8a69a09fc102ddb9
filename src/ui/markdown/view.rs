//! The elements of a Markdown text. What is finished is drawn once; while a text
//! grows, only the end of its last blocks changes.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::{Owner, request_animation_frame, untrack};

use super::grow::grow;
use super::parse::{Change, Column, Element, Ending, Node, OPEN, Reader, Target, Tick};
use crate::ui::controller::Controller;
use crate::ui::copy_button::copy_button;
use crate::ui::element::{El, button, div, el, follow, here, link_out, span};

/// A block in the page.
struct Drawn {
    el: El,
    /// What it was drawn from; empty once it can't change any more.
    nodes: Vec<Node>,
}

/// A text in the page.
struct Sheet {
    ui: Controller,
    into: El,
    /// What is drawn lives on when the text has grown again.
    owner: Owner,
    text: String,
    ending: Ending,
    reader: Reader,
    drawn: Vec<Drawn>,
}

/// The text of a model, as far as `text` gives it.
#[inline(never)]
pub fn markdown(ui: Controller, text: Rc<dyn Fn() -> (String, Ending)>) -> El {
    let prose = div("prose");
    let sheet = Rc::new(RefCell::new(Sheet {
        ui,
        into: prose.clone(),
        owner: here(),
        text: String::new(),
        ending: Ending::Whole,
        reader: Reader::default(),
        drawn: Vec::new(),
    }));
    follow(Box::new(move || {
        let (text, ending) = text();
        {
            let mut sheet = sheet.borrow_mut();
            sheet.text = text;
            sheet.ending = ending;
        }
        redraw(&sheet);
    }));
    prose
}

/// Draws what has changed; what is too much for once follows in the next frames.
fn redraw(sheet: &Rc<RefCell<Sheet>>) {
    let owner = sheet.borrow().owner.clone();
    let is_all = owner.with(|| untrack(|| sheet.borrow_mut().redraw(sheet)));
    if !is_all {
        let sheet = Rc::clone(sheet);
        request_animation_frame(move || {
            // It may be gone by then.
            let is_there = sheet.borrow().into.node().is_connected();
            if is_there {
                redraw(&sheet);
            }
        });
    }
}

impl Sheet {
    /// Whether that was all.
    fn redraw(&mut self, this: &Rc<RefCell<Self>>) -> bool {
        let changes = self.reader.read(&self.text, self.ending);
        for change in changes.changed {
            self.draw(this, change);
        }
        for gone in self.drawn.drain(changes.count.min(self.drawn.len())..) {
            gone.el.node().remove();
        }
        let open_from = self.drawn.len().saturating_sub(OPEN);
        for finished in &mut self.drawn[..open_from] {
            finished.nodes = Vec::new();
        }
        changes.is_all
    }

    fn draw(&mut self, this: &Rc<RefCell<Self>>, change: Change) {
        if change.at == self.drawn.len() {
            let el = div("prose__block");
            self.into.clone().child(el.clone());
            let nodes = Vec::new();
            self.drawn.push(Drawn { el, nodes });
        }
        let place = &mut self.drawn[change.at];
        grow(self.ui, &place.el, &place.nodes, &change.nodes);
        place.nodes = change.nodes;
        if change.left_out > 0 {
            let rest = rest(self.ui, Rc::clone(this), change.at, change.left_out);
            place.el.clone().child(rest);
        }
    }
}

/// Tells how much of the block at `at` is not shown, and shows it.
fn rest(ui: Controller, sheet: Rc<RefCell<Sheet>>, at: usize, left_out: usize) -> El {
    let told = span("").live(move || ui.words().left_out(left_out as u64));
    let show = button("button button--link")
        .say(ui, |words| words.show_all)
        .press(move || {
            let owner = sheet.borrow().owner.clone();
            let change = sheet.borrow_mut().reader.show_all(at);
            if let Some(change) = change {
                owner.with(|| untrack(|| sheet.borrow_mut().draw(&sheet, change)));
            }
        });
    el("p")
        .class("prose__rest")
        .test_id("markdown-rest")
        .child(told)
        .child(show)
}

/// Adds what `nodes` stand for, one child each.
pub(super) fn draw(ui: Controller, into: El, nodes: &[Node]) -> El {
    nodes.iter().fold(into, |into, node| match node {
        Node::Text(text) => into.text(text),
        node => into.child(draw_node(ui, node)),
    })
}

fn draw_node(ui: Controller, node: &Node) -> El {
    match node {
        Node::Text(text) => span("").text(text),
        Node::Code(code) => el("code").text(code),
        Node::Break => el("br"),
        Node::Rule => el("hr"),
        Node::Task(tick) => {
            let input = el("input").attr("type", "checkbox").attr("disabled", "");
            if *tick == Tick::Done {
                input.attr("checked", "")
            } else {
                input
            }
        }
        Node::CodeBlock { language, code } => code_block(ui, language, code),
        Node::Markup(text) => span("prose__tag").text(text),
        Node::Link { target, children } => draw(ui, link(target), children),
        Node::Image { target, alt } if alt.is_empty() => link(target).text(target.written()),
        Node::Image { target, alt } => link(target).text(alt),
        Node::Table { columns, rows } => draw_table(ui, columns, rows),
        Node::Element(element, children) => {
            let element = element_of(*element);
            let element = match is_task(children) {
                true => element.class("prose__task"),
                false => element,
            };
            draw(ui, element, children)
        }
    }
}

/// What leads to `target` if that is safe, and is text if it is not.
fn link(target: &Target) -> El {
    let link = match target.safe() {
        Some(address) => link_out("").attr("href", address),
        None => span(""),
    };
    match target.title() {
        Some(title) => link.attr("title", title),
        None => link,
    }
}

fn element_of(element: Element) -> El {
    match element {
        Element::Paragraph => el("p"),
        // The page's own headings stand above those of an answer.
        Element::Heading(1 | 2) => el("h3"),
        Element::Heading(3) => el("h4"),
        Element::Heading(_) => el("h5"),
        Element::Quote => el("blockquote"),
        Element::Bullets => el("ul"),
        Element::Numbers(first) => el("ol").attr("start", &first.to_string()),
        Element::Item => el("li"),
        Element::Emphasis => el("em"),
        Element::Strong => el("strong"),
        Element::Strike => el("s"),
        Element::Markup => el("p").class("prose__markup"),
    }
}

/// Whether `children` are those of a task's item.
pub(super) fn is_task(children: &[Node]) -> bool {
    matches!(children.first(), Some(Node::Task(_)))
}

fn draw_table(ui: Controller, columns: &[Column], rows: &[Vec<Vec<Node>>]) -> El {
    let rows = rows.iter().enumerate();
    let body = el("tbody").children(rows.map(|(at, cells)| draw_row(ui, columns, at, cells)));
    let table = el("table").child(body);
    div("prose__table").attr("tabindex", "0").child(table)
}

/// The row at `at` of a table; the first is the head.
pub(super) fn draw_row(ui: Controller, columns: &[Column], at: usize, cells: &[Vec<Node>]) -> El {
    let tag = if at == 0 { "th" } else { "td" };
    let cells = cells.iter().enumerate().map(|(at, cell)| {
        let class = match columns.get(at) {
            Some(Column::Center) => "prose__cell--center",
            Some(Column::End) => "prose__cell--end",
            _ => "prose__cell--start",
        };
        draw(ui, el(tag).class(class), cell)
    });
    el("tr").children(cells)
}

/// Code on lines of its own, with a button that copies it.
fn code_block(ui: Controller, language: &str, code: &str) -> El {
    let code = el("code").text(code);
    let shown = code.clone();
    let head = div("code__head")
        .child(span("code__language").text(language))
        .child(copy_button(ui, move || {
            shown.node().text_content().unwrap_or_default()
        }));
    let text = el("pre")
        .class("code__text")
        .attr("tabindex", "0")
        .child(code);
    div("code").child(head).child(text)
}
