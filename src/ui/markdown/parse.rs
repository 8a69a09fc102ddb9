//! From Markdown to a tree of nodes, and from a growing text to its blocks.
//! Plain: what a link may lead to and what becomes of markup is decided here.

use std::sync::Arc;

use crate::ui::state::key_of;

mod block;
mod container;
mod delimiter;
mod escape;
mod inline;
mod leaf;
mod line;
mod link;
mod markup;
mod sign;
mod table;
#[cfg(test)]
mod tests;
mod tree;

/// Deepest nesting that is drawn.
const MAX_DEPTH: usize = 24;
/// Deepest nesting within a line; what lies deeper is drawn without it.
const MAX_INLINE_DEPTH: usize = 7;
/// Deepest nesting of quotations, lists and items; signs of deeper ones are text.
const MAX_BLOCK_DEPTH: usize = MAX_DEPTH - MAX_INLINE_DEPTH - 1;

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
    /// Markup on lines of its own, shown as it is.
    Markup,
}

/// A top-level block of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Tells it from other blocks and from itself with other content.
    pub key: u64,
    /// Its Markdown.
    pub source: Arc<str>,
}

/// The blocks of `text`. When `text` is what `known` came from with more at its
/// end, only the last two of `known` and what follows are parsed again.
pub fn blocks(known: &[Block], text: &str) -> Vec<Block> {
    // The last block's first line may not be whole, and then belong to the one before.
    let done = known.len().saturating_sub(2);
    let is_same = |block: &Block| {
        let rest = text.get(block.start..).unwrap_or_default();
        rest.starts_with(&*block.source)
    };
    let grew = known.iter().all(is_same);
    let (mut blocks, from) = match known.get(done) {
        Some(open) if grew => (known[..done].to_vec(), open.start),
        _ => (Vec::new(), 0),
    };
    let tail = &text[from..];
    let starts = block::starts(tail);
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(tail.len());
        blocks.push(Block::new(from + start, tail[*start..end].trim_end()));
    }
    blocks
}

impl Block {
    fn new(start: usize, source: &str) -> Self {
        Self {
            start,
            key: key_of(&(start, source)),
            source: source.into(),
        }
    }
}

/// The tree of a text.
pub fn parse(text: &str) -> Vec<Node> {
    block::nodes(text)
}
