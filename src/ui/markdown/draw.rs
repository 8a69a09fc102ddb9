//! The elements of a Markdown tree.

use super::code::code_block;
use super::parse::{Column, Element, Form, Node, Target, Tick};
use super::view::Pen;
use crate::ui::element::{El, div, el, link_out, span};

/// Adds what `nodes` stand for, one child each.
pub(super) fn draw(pen: &Pen, into: El, nodes: &[Node]) -> El {
    nodes.iter().fold(into, |into, node| match node {
        Node::Text(text) => into.text(text),
        node => into.child(draw_node(pen, node)),
    })
}

fn draw_node(pen: &Pen, node: &Node) -> El {
    match node {
        Node::Text(text) => span("").text(text),
        Node::Code(code) => el("code").text(code),
        Node::Math(source, form) => {
            let math = span("prose__math").text(source);
            match form {
                Form::Inline => math,
                Form::Display => math.attr("data-display", ""),
            }
        }
        Node::Break => el("br"),
        Node::Rule => el("hr"),
        Node::Task(tick) => {
            let input = el("input")
                .class("prose__box")
                .attr("type", "checkbox")
                .attr("disabled", "");
            match tick {
                Tick::Done => input
                    .attr("checked", "")
                    .say_as("aria-label", pen.ui, |words| words.box_done()),
                Tick::Open => input.say_as("aria-label", pen.ui, |words| words.box_open()),
            }
        }
        Node::CodeBlock { language, code } => code_block(pen, language, code),
        Node::Markup(text) => span("prose__tag").text(text),
        Node::Link { target, children } => draw(pen, link(target), children),
        Node::Image { target, alt } if alt.is_empty() => link(target).text(target.written()),
        Node::Image { target, alt } => link(target).text(alt),
        Node::Table { columns, rows } => draw_table(pen, columns, rows),
        Node::Element(element, children) => {
            let is_task = *element == Element::Item && is_task(children);
            let element = element_of(*element);
            let element = match is_task {
                true => element.class("prose__task"),
                false => element,
            };
            draw(pen, element, children)
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

/// Whether `children` are those of a task's item, in whose paragraph the box stands if
/// there is a blank line between the items.
pub(super) fn is_task(children: &[Node]) -> bool {
    match children.first() {
        Some(Node::Task(_)) => true,
        Some(Node::Element(Element::Paragraph, within)) => is_task(within),
        _ => false,
    }
}

fn draw_table(pen: &Pen, columns: &[Column], rows: &[Vec<Vec<Node>>]) -> El {
    let rows = rows.iter().enumerate();
    let body = el("tbody").children(rows.map(|(at, cells)| draw_row(pen, columns, at, cells)));
    let table = el("table").child(body);
    div("prose__table").child(table)
}

/// The row at `at` of a table; the first is the head.
pub(super) fn draw_row(pen: &Pen, columns: &[Column], at: usize, cells: &[Vec<Node>]) -> El {
    let tag = if at == 0 { "th" } else { "td" };
    let cells = cells.iter().enumerate().map(|(at, cell)| {
        let class = match columns.get(at) {
            Some(Column::Center) => "prose__cell--center",
            Some(Column::End) => "prose__cell--end",
            _ => "prose__cell--start",
        };
        draw(pen, el(tag).class(class), cell)
    });
    el("tr").children(cells)
}
