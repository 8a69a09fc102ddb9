//! The elements of a Markdown text. What is finished is drawn once; while a text
//! grows, only the end of its last blocks changes.

use leptos::prelude::untrack;

use super::grow::grow;
use super::parse::{Block, Column, Element, Node, Tick, blocks, parse};
use crate::ui::controller::Controller;
use crate::ui::copy_button::copy_button;
use crate::ui::element::{El, div, el, follow, here, span};

/// Blocks at the end that may still change.
const OPEN: usize = 2;

/// A block in the page.
struct Drawn {
    key: u64,
    el: El,
    /// What it was drawn from; empty once it can't change any more.
    nodes: Vec<Node>,
}

/// The text of a model, as far as `text` gives it.
pub fn markdown(ui: Controller, text: impl Fn() -> String + 'static) -> El {
    let prose = div("prose");
    let (into, owner) = (prose.clone(), here());
    let mut known: Vec<Block> = Vec::new();
    let mut drawn: Vec<Drawn> = Vec::new();
    follow(Box::new(move || {
        known = blocks(&known, &text());
        // What is drawn lives on when the text has grown again.
        owner.with(|| untrack(|| redraw(ui, &into, &mut drawn, &known)));
    }));
    prose
}

fn redraw(ui: Controller, into: &El, drawn: &mut Vec<Drawn>, blocks: &[Block]) {
    for (at, block) in blocks.iter().enumerate() {
        if at == drawn.len() {
            let el = div("prose__block");
            into.clone().child(el.clone());
            let nodes = Vec::new();
            drawn.push(Drawn { key: 0, el, nodes });
        }
        let place = &mut drawn[at];
        if place.key != block.key {
            let nodes = parse(&block.source);
            grow(ui, &place.el, &place.nodes, &nodes);
            place.key = block.key;
            place.nodes = nodes;
        }
    }
    for gone in drawn.drain(blocks.len()..) {
        gone.el.node().remove();
    }
    let open_from = drawn.len().saturating_sub(OPEN);
    for finished in &mut drawn[..open_from] {
        finished.nodes = Vec::new();
    }
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
        Node::Link { href, children } => {
            let link = el("a").attr("href", href);
            let link = link
                .attr("target", "_blank")
                .attr("rel", "noopener noreferrer");
            draw(ui, link, children)
        }
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
