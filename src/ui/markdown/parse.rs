//! From Markdown to a tree of nodes: the language as models write it, which is
//! CommonMark with tables, task lists, struck-out text and bare addresses, and
//! without markup, footnotes and references.
//!
//! Our own reader, since the ready-made ones weigh more than the rest of the
//! interface together, and stress Chinese text wrongly.

use super::inline::inline;
use super::lines::{Kind, Marker, block, cells, dedent, fence, indent, marker};

/// Deepest nesting of quotes and lists; what lies deeper is one paragraph.
const MAX_DEPTH: usize = 10;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Plain text.
    Text(String),
    /// Code in a line.
    Code(String),
    /// A line break that the writer wanted.
    Break,
    /// A line across.
    Rule,
    /// The box of a task, ticked or not.
    Task(Tick),
    /// Code on lines of its own, and the language it was said to be in.
    CodeBlock {
        /// As written behind the fence; may be empty.
        language: String,
        /// The code.
        code: String,
    },
    /// Something that leads to a safe address.
    Link {
        /// `http`, `https` or `mailto`.
        href: String,
        /// What is shown.
        children: Vec<Node>,
    },
    /// Cells by row; the first row is the head.
    Table {
        /// How each column is aligned.
        columns: Vec<Column>,
        /// Rows of cells.
        rows: Vec<Vec<Vec<Node>>>,
    },
    /// Anything that only wraps its children.
    Element(Element, Vec<Node>),
}

/// The box of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    /// It is done.
    Done,
    /// It is not.
    Open,
}

/// How a column of a table is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// At its start.
    Start,
    /// In its middle.
    Center,
    /// At its end.
    End,
}

/// What wraps its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// A paragraph.
    Paragraph,
    /// A heading, 1 to 6.
    Heading(u8),
    /// A quotation.
    Quote,
    /// A list with bullets.
    Bullets,
    /// A list with numbers from this one on.
    Numbers(u64),
    /// An item of a list.
    Item,
    /// Stressed.
    Emphasis,
    /// Strongly stressed.
    Strong,
    /// Struck out.
    Strike,
}

/// The tree of a text.
pub fn parse(text: &str) -> Vec<Node> {
    let lines: Vec<&str> = text.lines().collect();
    parse_blocks(&lines, 0)
}

fn parse_blocks(lines: &[&str], depth: usize) -> Vec<Node> {
    if depth > MAX_DEPTH {
        return vec![paragraph(lines)];
    }
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if lines[at].trim().is_empty() {
            at += 1;
            continue;
        }
        let (kind, count) = block(&lines[at..]);
        nodes.push(parse_block(kind, &lines[at..at + count], depth));
        at += count;
    }
    nodes
}

fn parse_block(kind: Kind, lines: &[&str], depth: usize) -> Node {
    match kind {
        Kind::Heading(level) => heading(level, lines),
        Kind::Rule => Node::Rule,
        Kind::Fenced => fenced(lines),
        Kind::Indented => {
            let code = lines
                .iter()
                .map(|line| dedent(line, 4))
                .collect::<Vec<_>>()
                .join("\n");
            code_block("", code)
        }
        Kind::Quote => {
            let inside: Vec<&str> = lines.iter().map(|line| unquoted(line)).collect();
            Node::Element(Element::Quote, parse_blocks(&inside, depth + 1))
        }
        Kind::List(marker) => list(marker, lines, depth),
        Kind::Table => table(lines),
        Kind::Paragraph => paragraph(lines),
    }
}

fn text_of(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_start()).collect();
    lines.join("\n").trim_end().to_owned()
}

fn paragraph(lines: &[&str]) -> Node {
    Node::Element(Element::Paragraph, inline(&text_of(lines)))
}

fn heading(level: u8, lines: &[&str]) -> Node {
    let text = match lines {
        [line] => {
            let text = line.trim().trim_start_matches('#').trim();
            // Signs at the end belong to the heading if a blank stands before them.
            match text.trim_end_matches('#') {
                "" => String::new(),
                cut if cut.ends_with(' ') => cut.trim_end().to_owned(),
                _ => text.to_owned(),
            }
        }
        [text @ .., _] => text_of(text),
        [] => String::new(),
    };
    Node::Element(Element::Heading(level), inline(&text))
}

fn code_block(language: &str, mut code: String) -> Node {
    code.push('\n');
    let language = language.to_owned();
    Node::CodeBlock { language, code }
}

fn fenced(lines: &[&str]) -> Node {
    let first = lines[0];
    let (sign, length) = fence(first).unwrap_or(('`', 3));
    let info = first.trim_start().trim_start_matches(sign);
    let language = info.split_whitespace().next().unwrap_or_default();
    let is_end =
        |line: &&&str| fence(line).is_some_and(|(end, count)| end == sign && count >= length);
    let closed = lines.len() > 1 && lines.last().filter(is_end).is_some();
    let inside = &lines[1..lines.len() - usize::from(closed)];
    let columns = indent(first);
    let code: Vec<&str> = inside.iter().map(|line| dedent(line, columns)).collect();
    code_block(language, code.join("\n"))
}

/// A line of a quotation without its sign, which may be left out.
fn unquoted(line: &str) -> &str {
    match line.trim_start().strip_prefix('>') {
        Some(inside) => inside.strip_prefix(' ').unwrap_or(inside),
        None => line,
    }
}

fn list(first: Marker, lines: &[&str], depth: usize) -> Node {
    let mut items: Vec<Vec<&str>> = Vec::new();
    let mut current = first;
    for line in lines {
        let of_item = indent(line) >= current.inside() && !items.is_empty();
        match (marker(line), items.last_mut()) {
            (Some(marker), _) if !of_item => {
                current = marker;
                items.push(vec![
                    dedent(line, marker.indent)
                        .get(marker.width - marker.indent..)
                        .unwrap_or_default(),
                ]);
            }
            (_, Some(item)) => item.push(dedent(line, current.width)),
            (_, None) => {}
        }
    }
    let is_loose = items.iter().enumerate().any(|(at, item)| {
        let ends_blank = item[1..].last().is_some_and(|line| line.trim().is_empty());
        (ends_blank && at + 1 < items.len()) || has_gap(item)
    });
    let items = items.iter().map(|item| list_item(item, is_loose, depth));
    let element = match first.number {
        Some(number) => Element::Numbers(number),
        None => Element::Bullets,
    };
    Node::Element(element, items.collect())
}

/// Whether a blank line stands between two blocks that are not nested any deeper.
fn has_gap(lines: &[&str]) -> bool {
    lines
        .windows(2)
        .any(|pair| pair[0].trim().is_empty() && !pair[1].trim().is_empty() && indent(pair[1]) < 2)
}

fn list_item(lines: &[&str], is_loose: bool, depth: usize) -> Node {
    let mut lines = lines.to_vec();
    let tick = lines.first().and_then(|line| {
        let tick = match line.get(..4)? {
            "[ ] " => Tick::Open,
            "[x] " | "[X] " => Tick::Done,
            _ => return None,
        };
        Some((tick, &line[4..]))
    });
    if let Some((_, rest)) = tick {
        lines[0] = rest;
    }
    let mut children = parse_blocks(&lines, depth + 1);
    if !is_loose {
        children = children.into_iter().flat_map(tight).collect();
    }
    if let Some((tick, _)) = tick {
        children.insert(0, Node::Task(tick));
    }
    Node::Element(Element::Item, children)
}

/// A paragraph of a tight list is no paragraph of its own.
fn tight(node: Node) -> Vec<Node> {
    match node {
        Node::Element(Element::Paragraph, children) => children,
        node => vec![node],
    }
}

fn table(lines: &[&str]) -> Node {
    let column = |cell: &String| match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Column::Center,
        (false, true) => Column::End,
        _ => Column::Start,
    };
    let columns: Vec<Column> = cells(lines[1]).iter().map(column).collect();
    let rows = std::iter::once(&lines[0]).chain(&lines[2..]).map(|line| {
        let cells = cells(line).into_iter().take(columns.len());
        cells.map(|cell| inline(&cell)).collect()
    });
    let rows = rows.collect();
    Node::Table { columns, rows }
}

#[cfg(test)]
mod tests;
