//! Blocks without blocks in them, while their lines are still coming.

use super::bidi::in_order;
use super::line::{Line, without_blank_end};
use super::markup::End;
use super::sign::Fence;
use super::table::Table;
use super::{Element, Node, escape};

/// What is open.
pub enum Leaf {
    None,
    Paragraph(Paragraph),
    Fenced {
        fence: Fence,
        indent: usize,
        language: String,
        code: String,
    },
    Indented(String),
    Markup(End, String),
    Table(Table),
}

pub struct Paragraph {
    pub text: String,
    /// Where its last line begins in `text`.
    pub last: usize,
    /// Where the source has that line.
    pub start: usize,
}

/// Whether a leaf takes a line whatever is written on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    No,
    Yes,
    /// It does, and ends with it.
    Last,
}

impl Leaf {
    /// The code block that begins with this line.
    pub fn fenced(line: Line<'_>) -> Option<Self> {
        let (fence, info) = Fence::open(line.rest())?;
        let info = escape::unescape(info);
        let language = info.split_ascii_whitespace().next().unwrap_or_default();
        Some(Self::Fenced {
            fence,
            indent: line.indent(),
            language: language.to_owned(),
            code: String::new(),
        })
    }

    pub fn indented(mut line: Line<'_>) -> Self {
        let mut code = String::new();
        line.skip(4);
        push_line(line, &mut code);
        Self::Indented(code)
    }

    pub fn take(&mut self, mut line: Line<'_>) -> Taken {
        let columns = line.indent();
        match self {
            Self::Fenced { fence, .. } if columns < 4 && fence.is_closed_by(line.rest()) => {
                return Taken::Last;
            }
            Self::Fenced { indent, code, .. } => {
                line.skip(*indent);
                push_line(line, code);
            }
            Self::Indented(code) if columns >= 4 || line.is_blank() => {
                line.skip(4);
                push_line(line, code);
            }
            Self::Markup(End::Blank | End::BlankAlone, _) if line.is_blank() => return Taken::No,
            Self::Markup(end, text) => {
                push_line(line, text);
                if end.is_in(line.rest()) {
                    return Taken::Last;
                }
            }
            _ => return Taken::No,
        }
        Taken::Yes
    }

    /// The node of all but paragraphs.
    pub fn finish(self) -> Option<Node> {
        Some(match self {
            Self::None | Self::Paragraph(_) => return None,
            Self::Fenced { language, code, .. } => Node::CodeBlock {
                language: in_order(&language).into_owned(),
                code: in_order(&code).into_owned(),
            },
            Self::Indented(mut code) => {
                code.truncate(without_blank_end(&code).len());
                code.push('\n');
                Node::CodeBlock {
                    language: String::new(),
                    code: in_order(&code).into_owned(),
                }
            }
            Self::Markup(_, mut text) => {
                text.truncate(text.trim_ascii_end().len());
                Node::Element(
                    Element::Markup,
                    vec![Node::Text(in_order(&text).into_owned())],
                )
            }
            Self::Table(table) => table.finish(),
        })
    }
}

fn push_line(line: Line<'_>, text: &mut String) {
    line.push_to(text);
    text.push('\n');
}
