//! What blocks stand in: quotations, lists and their items.

use super::line::Line;
use super::sign::Marker;
use super::{Element, Node};

/// A container whose children are still coming.
#[derive(Clone)]
pub struct Container {
    pub kind: Kind,
    /// The line before was blank.
    pub is_blank: bool,
    pub children: Vec<Node>,
}

/// What a container is.
#[derive(Clone)]
pub enum Kind {
    Quote,
    List {
        /// Of its first item.
        marker: Marker,
        /// There is a blank line between its parts.
        is_loose: bool,
    },
    Item {
        /// Columns by which what belongs to it is indented.
        offset: usize,
        /// Something stands in it.
        is_filled: bool,
    },
}

impl Container {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            is_blank: false,
            children: Vec::new(),
        }
    }

    /// Whether what follows on `line` is still within it; reads up to there.
    pub fn goes_on(&self, line: &mut Line<'_>) -> bool {
        match self.kind {
            Kind::Quote => enter_quote(line),
            Kind::List { .. } => true,
            Kind::Item { offset, is_filled } => {
                let is_in = if line.is_blank() {
                    is_filled
                } else {
                    line.indent() >= offset
                };
                if is_in {
                    line.skip(offset);
                }
                is_in
            }
        }
    }

    /// Whether an item with this marker belongs to it.
    pub fn is_list_of(&self, other: Marker) -> bool {
        match self.kind {
            Kind::List { marker, .. } => marker.byte == other.byte,
            _ => false,
        }
    }

    pub fn finish(self) -> Node {
        let element = match self.kind {
            Kind::Quote => Element::Quote,
            Kind::Item { .. } => Element::Item,
            Kind::List { marker, .. } => match marker.number {
                Some(first) => Element::Numbers(first),
                None => Element::Bullets,
            },
        };
        let is_tight = matches!(
            self.kind,
            Kind::List {
                is_loose: false,
                ..
            }
        );
        let mut children = self.children;
        if is_tight {
            for child in &mut children {
                if let Node::Element(Element::Item, parts) = child {
                    *parts = without_paragraphs(std::mem::take(parts));
                }
            }
        }
        Node::Element(element, children)
    }
}

/// Reads the sign of a quotation.
pub fn enter_quote(line: &mut Line<'_>) -> bool {
    let indent = line.indent();
    let is_quote = indent < 4 && line.rest().starts_with('>');
    if is_quote {
        line.skip(indent);
        line.take(1);
        line.skip(1);
    }
    is_quote
}

/// Reads the marker of an item and gives the item.
pub fn enter_item(line: &mut Line<'_>, marker: Marker) -> Container {
    let indent = line.indent();
    line.skip(indent);
    line.take(marker.length);
    let after = line.indent();
    let padding = if line.is_blank() || after > 4 {
        1
    } else {
        after
    };
    line.skip(padding);
    Container::new(Kind::Item {
        offset: indent + marker.length + padding,
        is_filled: false,
    })
}

fn without_paragraphs(nodes: Vec<Node>) -> Vec<Node> {
    let mut out = Vec::with_capacity(nodes.len());
    for node in nodes {
        match node {
            Node::Element(Element::Paragraph, children) => out.extend(children),
            other => out.push(other),
        }
    }
    out
}
