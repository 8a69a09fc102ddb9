//! From Markdown to a tree of nodes, and from a growing text to its blocks.
//! Plain: what a link may lead to and what becomes of markup is decided here.

pub use self::math::Form;
pub use self::open::Ending;
pub use self::reader::{Change, Changes, Drawing, OPEN, Reader};
pub use self::target::Target;

mod bare;
mod bidi;
mod block;
mod container;
mod definition;
mod delimiter;
mod entities;
mod escape;
mod grown;
mod inline;
mod leaf;
mod line;
mod link;
mod markup;
mod math;
mod open;
mod reader;
mod scan;
mod sign;
mod table;
mod target;
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
    /// A formula, as it is written, with the signs around it.
    Math(String, Form),
    /// Markup in a line, shown as it is.
    Markup(String),
    /// Something that leads to an address.
    Link {
        /// Where it leads.
        target: Target,
        /// What is shown.
        children: Vec<Node>,
    },
    /// An image, which is never loaded: it would tell a stranger that it was looked at.
    Image {
        /// Where it lies.
        target: Target,
        /// What stands for it.
        alt: String,
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
    /// At its start, since nothing else is said.
    Start,
    /// At its left.
    Left,
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

/// The tree of a text.
pub fn parse(text: &str) -> Vec<Node> {
    let mut reader = Reader::default();
    let mut nodes = Vec::new();
    loop {
        let changes = reader.read(text, Ending::Whole, usize::MAX);
        let changed = changes.changed.into_iter();
        nodes.extend(changed.flat_map(|change| match change.drawing {
            Drawing::Anew(nodes) => nodes,
            Drawing::MoreCode(_) | Drawing::Same => Vec::new(),
        }));
        if changes.is_all {
            return nodes;
        }
    }
}
