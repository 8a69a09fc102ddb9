//! From the pieces of a text to its nodes.

use super::bidi::in_order;
use super::inline::Piece;
use super::target::Target;
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
    // Those that only what is still coming closes.
    while !tree.open.is_empty() {
        tree.skipped = 0;
        tree.end();
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
    Link(Target),
    Image(Target),
}

impl Tree {
    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Text(text) => self.text(text),
            Piece::Char(char) => self.text(char.encode_utf8(&mut [0; 4])),
            Piece::Code(code) => self.add(Node::Code(in_order(&code).into_owned())),
            Piece::Math(text, form) => self.add(Node::Math(in_order(text).into_owned(), form)),
            Piece::Markup(text) => self.add(Node::Markup(in_order(text).into_owned())),
            Piece::Break => self.add(Node::Break),
            Piece::Link(target) => self.start(Frame::Link(target)),
            Piece::Image(target) => self.start(Frame::Image(target)),
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
            Frame::Link(target) => self.link(target, children),
            Frame::Image(target) => {
                let alt = plain(&children);
                let target = match self.is_in_link() {
                    true => target.within_link(),
                    false => target,
                };
                self.add(Node::Image { target, alt });
            }
        }
    }

    /// There is no link in a link.
    fn link(&mut self, target: Target, children: Vec<Node>) {
        if self.is_in_link() {
            children.into_iter().for_each(|child| self.add(child));
        } else {
            self.add(Node::Link { target, children });
        }
    }

    fn is_in_link(&self) -> bool {
        let is_link = |open: &Open| matches!(open.frame, Frame::Link(_));
        self.open.iter().any(is_link)
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = in_order(text);
        let children = self.children();
        match children.last_mut() {
            Some(Node::Text(before)) => before.push_str(&text),
            _ => children.push(Node::Text(text.into_owned())),
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
            Node::Text(text) | Node::Code(text) | Node::Math(text, _) => out.push_str(text),
            Node::Image { alt, .. } => out.push_str(alt),
            Node::Break => out.push('\n'),
            Node::Link { children, .. } | Node::Element(_, children) => {
                out.push_str(&plain(children));
            }
            _ => {}
        }
    }
    out
}
