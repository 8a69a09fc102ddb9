//! From Markdown to a tree of nodes, and from a growing text to its blocks.
//! Plain: what a link may lead to and what becomes of markup is decided here.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Deepest nesting that is drawn; what lies deeper is drawn without it.
const MAX_DEPTH: usize = 24;

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

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH
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
    let starts = block_starts(tail);
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(tail.len());
        blocks.push(Block::new(from + start, tail[*start..end].trim_end()));
    }
    blocks
}

impl Block {
    fn new(start: usize, source: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (start, source).hash(&mut hasher);
        Self {
            start,
            key: hasher.finish(),
            source: source.into(),
        }
    }
}

/// The starts of the lines with which top-level blocks begin.
fn block_starts(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut depth = 0;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        if depth == 0 && !matches!(event, Event::End(_)) {
            let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            if starts.last() != Some(&line) {
                starts.push(line);
            }
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    starts
}

/// The tree of a text.
pub fn parse(text: &str) -> Vec<Node> {
    let mut tree = Tree::default();
    for event in Parser::new_ext(text, options()) {
        tree.take(event);
    }
    tree.finish()
}

/// The tree as far as it has been built: what is open, from the outside in.
#[derive(Default)]
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
    CodeBlock(String),
    Link(Option<String>),
    Image(String),
    Table(Vec<Column>, Vec<Vec<Vec<Node>>>),
    Row(Vec<Vec<Node>>),
    Cell,
}

impl Tree {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) => self.text(&text),
            Event::Code(code) | Event::InlineMath(code) | Event::DisplayMath(code) => {
                self.add(Node::Code(code.into_string()));
            }
            Event::InlineHtml(markup) if is_line_break(&markup) => self.add(Node::Break),
            Event::Html(markup) | Event::InlineHtml(markup) => self.text(&markup),
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.add(Node::Break),
            Event::Rule => self.add(Node::Rule),
            Event::TaskListMarker(done) => {
                self.add(Node::Task(if done { Tick::Done } else { Tick::Open }));
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let frame = match tag {
            Tag::Heading { level, .. } => Frame::Element(Element::Heading(level as u8)),
            Tag::BlockQuote(_) => Frame::Element(Element::Quote),
            Tag::CodeBlock(CodeBlockKind::Fenced(language)) => {
                let language = language.split_whitespace().next().unwrap_or_default();
                Frame::CodeBlock(language.to_owned())
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => Frame::CodeBlock(String::new()),
            Tag::HtmlBlock => Frame::Element(Element::Markup),
            Tag::List(None) => Frame::Element(Element::Bullets),
            Tag::List(Some(first)) => Frame::Element(Element::Numbers(first)),
            Tag::Item => Frame::Element(Element::Item),
            Tag::Emphasis => Frame::Element(Element::Emphasis),
            Tag::Strong => Frame::Element(Element::Strong),
            Tag::Strikethrough => Frame::Element(Element::Strike),
            Tag::Link { dest_url, .. } => Frame::Link(safe_address(&dest_url)),
            Tag::Image { dest_url, .. } => Frame::Image(dest_url.into_string()),
            Tag::Table(columns) => Frame::Table(columns.iter().map(column).collect(), Vec::new()),
            Tag::TableHead | Tag::TableRow => Frame::Row(Vec::new()),
            Tag::TableCell => Frame::Cell,
            _ => Frame::Element(Element::Paragraph),
        };
        if self.open.len() >= MAX_DEPTH {
            self.skipped += 1;
            return;
        }
        self.open.push(Open {
            frame,
            children: Vec::new(),
        });
    }

    fn end(&mut self, _: TagEnd) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(Open { frame, children }) = self.open.pop() else {
            return;
        };
        match frame {
            Frame::Element(element) => self.add(Node::Element(element, children)),
            Frame::CodeBlock(language) => {
                let code = plain(&children);
                self.add(Node::CodeBlock { language, code });
            }
            Frame::Link(Some(href)) => self.add(Node::Link { href, children }),
            Frame::Link(None) => children.into_iter().for_each(|child| self.add(child)),
            Frame::Image(address) => self.image(&address, &children),
            Frame::Table(columns, rows) => self.add(Node::Table { columns, rows }),
            Frame::Row(cells) => match self.open.last_mut().map(|open| &mut open.frame) {
                Some(Frame::Table(_, rows)) => rows.push(cells),
                _ => cells
                    .into_iter()
                    .flatten()
                    .for_each(|child| self.add(child)),
            },
            Frame::Cell => match self.open.last_mut().map(|open| &mut open.frame) {
                Some(Frame::Row(cells)) => cells.push(children),
                _ => children.into_iter().for_each(|child| self.add(child)),
            },
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
        let text = Node::Text(shown);
        match safe_address(address) {
            Some(href) => self.add(Node::Link {
                href,
                children: vec![text],
            }),
            None => self.add(text),
        }
    }

    fn text(&mut self, text: &str) {
        let children = self.children();
        match children.last_mut() {
            Some(Node::Text(before)) => before.push_str(text),
            _ => children.push(Node::Text(text.to_owned())),
        }
    }

    fn add(&mut self, node: Node) {
        self.children().push(node);
    }

    fn children(&mut self) -> &mut Vec<Node> {
        match self.open.last_mut() {
            Some(open) => &mut open.children,
            None => &mut self.top,
        }
    }

    fn finish(self) -> Vec<Node> {
        self.top
    }
}

fn column(alignment: &Alignment) -> Column {
    match alignment {
        Alignment::None | Alignment::Left => Column::Start,
        Alignment::Center => Column::Center,
        Alignment::Right => Column::End,
    }
}

fn is_line_break(markup: &str) -> bool {
    let inside = markup.trim_start_matches('<').trim_end_matches('>');
    inside
        .trim_end_matches('/')
        .trim()
        .eq_ignore_ascii_case("br")
}

/// The address if following it can do no more than open a page or a letter.
fn safe_address(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once(':')?;
    let is_safe = match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => rest.starts_with("//"),
        "mailto" => true,
        _ => false,
    };
    is_safe.then(|| address.to_owned())
}

/// The text in `nodes` without what wraps it.
fn plain(nodes: &[Node]) -> String {
    let text = nodes.iter().map(|node| match node {
        Node::Text(text) | Node::Code(text) => text.clone(),
        Node::Link { children, .. } | Node::Element(_, children) => plain(children),
        _ => String::new(),
    });
    text.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node {
        Node::Text(text.into())
    }

    fn paragraph(children: Vec<Node>) -> Node {
        Node::Element(Element::Paragraph, children)
    }

    #[test]
    fn markup_is_text_and_links_are_safe() {
        let check =
            |source: &str, expected: Vec<Node>| assert_eq!(parse(source), expected, "{source}");
        check(
            "a <b onclick=x>b</b>",
            vec![paragraph(vec![text("a <b onclick=x>b</b>")])],
        );
        check(
            "<script>alert(1)</script>",
            vec![Node::Element(
                Element::Markup,
                vec![text("<script>alert(1)</script>")],
            )],
        );
        check(
            "one<br/>two",
            vec![paragraph(vec![text("one"), Node::Break, text("two")])],
        );
        let link = |href: &str, shown: &str| Node::Link {
            href: href.into(),
            children: vec![text(shown)],
        };
        check(
            "[a](https://x.example/y)",
            vec![paragraph(vec![link("https://x.example/y", "a")])],
        );
        check(
            "<mailto:a@x.example>",
            vec![paragraph(vec![link(
                "mailto:a@x.example",
                "mailto:a@x.example",
            )])],
        );
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "JavaScript://x",
            "/x",
            "x.html",
            "blob:https://x",
        ] {
            check(&format!("[a]({bad})"), vec![paragraph(vec![text("a")])]);
        }
        check(
            "![a](https://x.example/p.png)",
            vec![paragraph(vec![link("https://x.example/p.png", "a")])],
        );
        check(
            "![a](data:image/png;base64,AA)",
            vec![paragraph(vec![text("a")])],
        );
    }

    #[test]
    fn code_tables_and_tasks() {
        assert_eq!(
            parse("```rust ignore\nfn x() {}\n```"),
            [Node::CodeBlock {
                language: "rust".into(),
                code: "fn x() {}\n".into(),
            }]
        );
        assert_eq!(
            parse("| a | b |\n|---|--:|\n| 1 | `2` |"),
            [Node::Table {
                columns: vec![Column::Start, Column::End],
                rows: vec![
                    vec![vec![text("a")], vec![text("b")]],
                    vec![vec![text("1")], vec![Node::Code("2".into())]],
                ],
            }]
        );
        let item = |children| Node::Element(Element::Item, children);
        assert_eq!(
            parse("3. [x] done\n4. [ ] open"),
            [Node::Element(
                Element::Numbers(3),
                vec![
                    item(vec![Node::Task(Tick::Done), text("done")]),
                    item(vec![Node::Task(Tick::Open), text("open")]),
                ],
            )]
        );
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = format!("{} deep", ">".repeat(10_000));
        let mut nodes = parse(&deep);
        let mut depth = 0;
        while let Some(Node::Element(_, children)) = nodes.pop() {
            nodes = children;
            depth += 1;
        }
        assert!((1..=MAX_DEPTH).contains(&depth), "{depth}");
    }

    const LONG: &str = "# Title\n\nOne\ntwo.\n\n- a\n\n  more of a\n- b\n\n```\ncode\n\nmore\n```\n| a |\n|---|\n| b |\n\n    indented\n\nlast";

    #[test]
    fn growing_text_comes_to_the_same_blocks() {
        let whole = blocks(&[], LONG);
        let sources: Vec<&str> = whole.iter().map(|block| &*block.source).collect();
        assert_eq!(
            sources,
            [
                "# Title",
                "One\ntwo.",
                "- a\n\n  more of a\n- b",
                "```\ncode\n\nmore\n```",
                "| a |\n|---|\n| b |",
                "    indented",
                "last"
            ]
        );
        let mut known = Vec::new();
        for end in 1..=LONG.len() {
            known = blocks(&known, &LONG[..end]);
        }
        assert_eq!(known, whole);
    }

    #[test]
    fn finished_blocks_keep_their_keys() {
        let before = blocks(&[], "One.\n\nTwo");
        let after = blocks(&before, "One.\n\nTwo and more.\n\nThree");
        assert_eq!(before[0], after[0]);
        assert_ne!(before[1].key, after[1].key);
        assert_eq!(after.len(), 3);
    }

    #[test]
    fn another_text_begins_anew() {
        let before = blocks(&[], "One.\n\nTwo");
        assert_eq!(blocks(&before, "Other"), blocks(&[], "Other"));
        assert_eq!(blocks(&before, ""), []);
    }
}
