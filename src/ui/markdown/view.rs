//! The elements of a Markdown text. A block that is finished is drawn once; while
//! a text grows only its last blocks are drawn again.

use std::cell::RefCell;

use super::parse::{Block, Column, Element, Node, Tick, blocks, parse};
use crate::ui::controller::Controller;
use crate::ui::copy_button::copy_button;
use crate::ui::element::{El, div, el, span};

/// The text of a model, as far as `text` gives it.
pub fn markdown(ui: Controller, text: impl Fn() -> String + 'static) -> El {
    let known: RefCell<Vec<Block>> = RefCell::default();
    let items = move || {
        let mut known = known.borrow_mut();
        *known = blocks(&known, &text());
        known
            .iter()
            .map(|block| (block.key, block.source.clone()))
            .collect()
    };
    // A block may be several elements, so each has one around it, which takes no part in the layout.
    div("prose").each(items, move |source| {
        draw(ui, div("prose__block"), parse(&source))
    })
}

fn draw(ui: Controller, into: El, nodes: Vec<Node>) -> El {
    nodes.into_iter().fold(into, |into, node| match node {
        Node::Text(text) => into.text(&text),
        node => into.child(draw_node(ui, node)),
    })
}

fn draw_node(ui: Controller, node: Node) -> El {
    match node {
        Node::Text(text) => span("").text(&text),
        Node::Code(code) => el("code").text(&code),
        Node::Break => el("br"),
        Node::Rule => el("hr"),
        Node::Task(tick) => {
            let input = el("input").attr("type", "checkbox").attr("disabled", "");
            if tick == Tick::Done {
                input.attr("checked", "")
            } else {
                input
            }
        }
        Node::CodeBlock { language, code } => code_block(ui, &language, code),
        Node::Link { href, children } => {
            let link = el("a").attr("href", &href);
            let link = link
                .attr("target", "_blank")
                .attr("rel", "noopener noreferrer");
            draw(ui, link, children)
        }
        Node::Table { columns, rows } => draw_table(ui, &columns, rows),
        Node::Element(element, children) => draw(ui, element_of(element), children),
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

fn draw_table(ui: Controller, columns: &[Column], rows: Vec<Vec<Vec<Node>>>) -> El {
    let align = |at: usize| match columns.get(at) {
        Some(Column::Center) => "prose__cell--center",
        Some(Column::End) => "prose__cell--end",
        _ => "prose__cell--start",
    };
    let rows = rows.into_iter().enumerate().map(|(row, cells)| {
        let tag = if row == 0 { "th" } else { "td" };
        let cells = cells.into_iter().enumerate();
        el("tr").children(cells.map(|(at, cell)| draw(ui, el(tag).class(align(at)), cell)))
    });
    let table = el("table").child(el("tbody").children(rows));
    div("prose__table").attr("tabindex", "0").child(table)
}

/// Code on lines of its own, with a button that copies it.
fn code_block(ui: Controller, language: &str, code: String) -> El {
    let text = code.clone();
    let head = div("code__head")
        .child(span("code__language").text(language))
        .child(copy_button(ui, move || text.clone()));
    let code = el("code").text(&code);
    div("code").child(head).child(
        el("pre")
            .class("code__text")
            .attr("tabindex", "0")
            .child(code),
    )
}
