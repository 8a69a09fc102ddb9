//! Blocks without blocks in them, while their lines are still coming.

use super::bidi::in_order;
use super::line::{Line, without_blank_end};
use super::markup::End;
use super::math::{self, Form, MAX_DISPLAY};
use super::sign::Fence;
use super::table::Table;
use super::{Element, Node, escape};

/// Bytes of a paragraph that may define what names stand for.
pub const MAX_DEFINING: usize = 64_000;

/// Bytes of a formula that are held back until its end is there.
const MAX_HELD_BACK: usize = 1_000;

/// What is open.
#[derive(Clone)]
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
    /// A formula: what ends it, whether that has come, and all of it.
    Math {
        end: &'static str,
        is_closed: bool,
        text: String,
    },
    Table(Table),
}

#[derive(Clone)]
pub struct Paragraph {
    pub text: String,
    /// Where its last line begins in `text`.
    pub last: usize,
    /// Where the source has that line.
    pub start: usize,
}

impl Paragraph {
    /// Keeps its last line, which may be a table's head, and all of it as long as it may
    /// define something.
    fn forget(&mut self) {
        let may_define = self.text.starts_with('[') && self.text.len() <= MAX_DEFINING;
        if !may_define && self.last > BEFORE.len() {
            self.text.replace_range(..self.last, BEFORE);
            self.last = BEFORE.len();
        }
        let longest = self.text.floor_char_boundary(MAX_DEFINING);
        self.text.truncate(longest.max(self.last));
    }
}

/// What stands for the lines of a paragraph that were dropped.
const BEFORE: &str = "-\n";

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

    /// The formula that begins with this line alone.
    pub fn math(line: Line<'_>) -> Option<Self> {
        math::begun(line.rest()).map(|end| Self::Math {
            end,
            is_closed: false,
            text: line.rest().trim_ascii_end().to_owned(),
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
            Self::Math { .. } if line.is_blank() => return Taken::No,
            Self::Math {
                end,
                is_closed,
                text,
            } => {
                if text.len() > MAX_DISPLAY {
                    return Taken::No;
                }
                text.push('\n');
                text.push_str(line.rest().trim_ascii_end());
                if text.ends_with(*end) {
                    *is_closed = true;
                    return Taken::Last;
                }
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

    /// Whether it is a formula whose end may come soon.
    pub fn is_begun_formula(&self) -> bool {
        match self {
            Self::Math {
                is_closed, text, ..
            } => !is_closed && text.len() <= MAX_HELD_BACK,
            _ => false,
        }
    }

    /// Drops what no line to come depends on.
    pub fn forget(&mut self) {
        match self {
            Self::Fenced { code: text, .. } | Self::Indented(text) | Self::Markup(_, text) => {
                text.clear();
            }
            Self::Math { .. } => {}
            Self::Paragraph(paragraph) => paragraph.forget(),
            Self::None | Self::Table(_) => {}
        }
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
            Self::Math {
                is_closed, text, ..
            } => {
                let text = in_order(&text).into_owned();
                let node = match is_closed {
                    true => Node::Math(text, Form::Display),
                    false => Node::Text(text),
                };
                Node::Element(Element::Paragraph, vec![node])
            }
            Self::Table(table) => table.finish(),
        })
    }
}

fn push_line(line: Line<'_>, text: &mut String) {
    line.push_to(text);
    text.push('\n');
}
