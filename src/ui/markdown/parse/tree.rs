//! From the pieces of a text to its nodes.

use super::inline::Piece;
use super::link::safe_address;
use super::{Element, MAX_INLINE_DEPTH, Node};

/// The nodes of these pieces.
pub fn build(pieces: Vec<Piece<'_>>) -> Vec<Node> {
    let mut tree = Tree {
        top: Vec::new(),
        open: Vec::new(),
        skipped: 0,
    };
    for piece in pieces {
        tree.take(piece);
    }
    tree.top
}

/// The tree as far as it has been built: what is open, from the outside in.
struct Tree {
    top: Vec<Node>,
    open: Vec<Open>,
    /// Starts that were too deep to be opened.
    skipped: usize,
}

/// A node whose children are still coming.
struct Open {
    frame: Frame,
    children: Vec<Node>,
}

enum Frame {
    Element(Element),
    Link(Option<String>),
    Image(String),
}

impl Tree {
    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Text(text) => self.text(text),
            Piece::Char(char) => self.text(char.encode_utf8(&mut [0; 4])),
            Piece::Code(code) => self.add(Node::Code(code)),
            Piece::Break => self.add(Node::Break),
            Piece::Link(address) => self.start(Frame::Link(safe_address(&address))),
            Piece::Image(address) => self.start(Frame::Image(address)),
            Piece::Close => self.end(),
            Piece::Run(run) => {
                for _ in 0..run.closes {
                    self.end();
                }
                self.text(run.rest);
                for element in run.opens.into_iter().rev() {
                    self.start(Frame::Element(element));
                }
            }
        }
    }

    fn start(&mut self, frame: Frame) {
        if self.open.len() >= MAX_INLINE_DEPTH {
            self.skipped += 1;
            return;
        }
        self.open.push(Open {
            frame,
            children: Vec::new(),
        });
    }

    fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(Open { frame, children }) = self.open.pop() else {
            return;
        };
        match frame {
            Frame::Element(element) => self.add(Node::Element(element, children)),
            Frame::Link(address) => self.link(address, children),
            Frame::Image(address) => self.image(&address, &children),
        }
    }

    /// There is no link in a link.
    fn link(&mut self, address: Option<String>, children: Vec<Node>) {
        let is_inside = |open: &Open| matches!(open.frame, Frame::Link(Some(_)));
        match address {
            Some(href) if !self.open.iter().any(is_inside) => {
                self.add(Node::Link { href, children });
            }
            _ => children.into_iter().for_each(|child| self.add(child)),
        }
    }

    /// An image is never loaded: it would tell a stranger that it was looked at.
    fn image(&mut self, address: &str, alt: &[Node]) {
        let alt = plain(alt);
        let shown = if alt.is_empty() {
            address.to_owned()
        } else {
            alt
        };
        self.link(safe_address(address), vec![Node::Text(shown)]);
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let children = self.children();
        match children.last_mut() {
            Some(Node::Text(before)) => before.push_str(text),
            _ => children.push(Node::Text(text.to_owned())),
        }
    }

    fn add(&mut self, node: Node) {
        match node {
            Node::Text(text) => self.text(&text),
            node => self.children().push(node),
        }
    }

    fn children(&mut self) -> &mut Vec<Node> {
        match self.open.last_mut() {
            Some(open) => &mut open.children,
            None => &mut self.top,
        }
    }
}

/// The text in `nodes` without what wraps it.
fn plain(nodes: &[Node]) -> String {
    let mut out = String::new();
    for node in nodes {
        match node {
            Node::Text(text) | Node::Code(text) => out.push_str(text),
            Node::Link { children, .. } | Node::Element(_, children) => {
                out.push_str(&plain(children));
            }
            _ => {}
        }
    }
    out
}
