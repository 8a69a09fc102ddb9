//! The blocks of a text, line by line: which containers a line goes on with,
//! what begins on it, and where what remains belongs.

use super::container::{Container, Kind, enter_item, enter_quote};
use super::definition;
use super::inline::Scope;
use super::leaf::{Leaf, MAX_DEFINING, Paragraph, Taken};
use super::line::Line;
use super::markup::End;
use super::open::Ending;
use super::scan::Start;
use super::sign::{Marker, heading, is_rule, task, underline};
use super::table::Table;
use super::{Element, MAX_BLOCK_DEPTH, Node, inline};

/// The tree of a text.
pub fn nodes(text: &str, scope: &mut Scope<'_>, ending: Ending) -> Vec<Node> {
    let mut blocks = Blocks::new(Some(scope), ending);
    blocks.read(text);
    blocks.top
}

/// The blocks of a text, as far as they have been read.
pub struct Blocks<'a, 'b> {
    /// What links by name refer to; `None` if only the starts are asked for.
    scope: Option<&'a mut Scope<'b>>,
    pub starts: Vec<Start>,
    /// Where the line begins that is being read.
    pub start: usize,
    top: Vec<Node>,
    pub open: Vec<Container>,
    pub leaf: Leaf,
    /// Whether more of the text is to come.
    ending: Ending,
    /// Whether more may come of the line that is being read.
    line_ending: Ending,
}

impl<'a, 'b> Blocks<'a, 'b> {
    pub fn new(scope: Option<&'a mut Scope<'b>>, ending: Ending) -> Self {
        Self {
            scope,
            starts: Vec::new(),
            start: 0,
            top: Vec::new(),
            open: Vec::new(),
            leaf: Leaf::None,
            ending,
            line_ending: Ending::Whole,
        }
    }

    fn read(&mut self, text: &str) {
        self.lines(text);
        self.finish();
    }

    pub fn finish(&mut self) {
        if self.ending == Ending::Open && self.leaf.is_begun_formula() {
            // What will be something else in a moment is not shown.
            self.leaf = Leaf::None;
        }
        if let Leaf::Paragraph(_) = self.leaf {
            self.line_ending = self.ending;
            self.close_paragraph();
        }
        self.close_to(0);
    }

    pub fn lines(&mut self, text: &str) {
        for whole in text.split_inclusive('\n') {
            let line = whole.strip_suffix('\n').unwrap_or(whole);
            if line.len() == whole.len() {
                self.line_ending = self.ending;
            }
            self.line(line.strip_suffix('\r').unwrap_or(line));
            self.start += whole.len();
            if self.scope.is_none() {
                self.leaf.forget();
            }
        }
    }

    fn line(&mut self, text: &str) {
        let mut line = Line::new(text);
        let mut depth = 0;
        while let Some(container) = self.open.get(depth) {
            if !container.goes_on(&mut line) {
                break;
            }
            depth += 1;
        }
        let is_blank = line.is_blank();
        if depth == self.open.len() && self.goes_on(line) {
            // The leaf has taken it.
        } else if is_blank {
            self.close_to(depth);
        } else {
            self.begin_on(line, depth);
        }
        if !is_blank {
            for container in &mut self.open {
                container.is_blank = false;
            }
        } else if !matches!(self.leaf, Leaf::Fenced { .. }) {
            self.note_blank();
        }
    }

    /// Remembers at which containers the line was blank.
    fn note_blank(&mut self) {
        for container in self.open.iter_mut().rev() {
            if matches!(container.kind, Kind::Quote) {
                break;
            }
            container.is_blank = true;
        }
    }

    /// Whether the open leaf takes the line whatever is written on it.
    fn goes_on(&mut self, line: Line<'_>) -> bool {
        let taken = self.leaf.take(line);
        if taken == Taken::Last {
            self.close_leaf();
        }
        taken != Taken::No
    }

    /// Begins what the line begins within the first `depth` containers.
    fn begin_on(&mut self, mut line: Line<'_>, mut depth: usize) {
        loop {
            if line.indent() >= 4 {
                break;
            }
            let marker = Marker::new(line.rest()).filter(|marker| {
                !is_rule(line.rest()) && self.may_begin(*marker, line.rest(), depth)
            });
            if line.rest().starts_with('>') && depth < MAX_BLOCK_DEPTH {
                self.begin(depth);
                enter_quote(&mut line);
                self.open.push(Container::new(Kind::Quote));
            } else if self.begin_leaf(line, depth) {
                return;
            } else if let Some(marker) = marker {
                self.begin_item(marker, depth);
                self.open.push(enter_item(&mut line, marker));
            } else {
                break;
            }
            depth = self.open.len();
            if line.is_blank() {
                return;
            }
        }
        self.begin_text(line, depth);
    }

    /// Whether a list can begin or go on with this marker.
    fn may_begin(&self, marker: Marker, rest: &str, depth: usize) -> bool {
        let is_next = depth > 0 && self.open[depth - 1].is_list_of(marker);
        let levels = if is_next { 1 } else { 2 };
        let is_apart = !self.is_in_paragraph(depth)
            || (marker.number.unwrap_or(1) == 1 && !rest[marker.length..].trim_ascii().is_empty());
        depth + levels <= MAX_BLOCK_DEPTH && is_apart
    }

    fn is_in_paragraph(&self, depth: usize) -> bool {
        depth == self.open.len() && matches!(self.leaf, Leaf::Paragraph(_))
    }

    /// Begins a block that the sign at the start of the line tells.
    fn begin_leaf(&mut self, line: Line<'_>, depth: usize) -> bool {
        let rest = line.rest();
        if let Some((level, text)) = heading(rest) {
            self.begin(depth);
            let children = self.inline(text, self.line_ending);
            self.add(Node::Element(Element::Heading(level), children));
        } else if let Some(leaf) = Leaf::fenced(line).or_else(|| Leaf::math(line)) {
            self.begin(depth);
            self.leaf = leaf;
        } else if self.begin_markup(line, depth) || self.turn_paragraph(rest, depth) {
            return true;
        } else if is_rule(rest) {
            self.begin(depth);
            self.add(Node::Rule);
        } else {
            return false;
        }
        true
    }

    fn begin_markup(&mut self, line: Line<'_>, depth: usize) -> bool {
        let end = match End::of(line.rest()) {
            Some(End::BlankAlone) if matches!(self.leaf, Leaf::Paragraph(_)) => return false,
            Some(end) => end,
            None => return false,
        };
        self.begin(depth);
        self.leaf = Leaf::Markup(end, String::new());
        self.goes_on(line);
        true
    }

    /// Makes a heading or a table of the paragraph before, if the line says so.
    fn turn_paragraph(&mut self, rest: &str, depth: usize) -> bool {
        if depth != self.open.len() {
            return false;
        }
        let Leaf::Paragraph(paragraph) = &mut self.leaf else {
            return false;
        };
        if let Some(level) = underline(rest) {
            let text = std::mem::take(&mut paragraph.text);
            self.leaf = Leaf::None;
            let text = self.define(text.trim_ascii_end());
            if text.is_empty() {
                return false;
            }
            let children = self.inline(text, Ending::Whole);
            self.add(Node::Element(Element::Heading(level), children));
            return true;
        }
        let head = &paragraph.text[paragraph.last..];
        let table = match self.line_ending {
            Ending::Whole => Table::new(head, rest),
            Ending::Open => Table::begun(head, rest),
        };
        let Some(mut table) = table else {
            return false;
        };
        let head = paragraph.text.split_off(paragraph.last);
        let start = paragraph.start;
        if paragraph.text.is_empty() {
            self.leaf = Leaf::None;
        } else {
            self.close_leaf();
            self.note_start(start);
        }
        if let Some(scope) = &mut self.scope {
            table.push(&head, scope, Ending::Whole);
        }
        self.leaf = Leaf::Table(table);
        true
    }

    /// Takes a line without a sign.
    fn begin_text(&mut self, line: Line<'_>, depth: usize) {
        let mut text = line.rest();
        if self.scope.is_none() {
            text = &text[..text.floor_char_boundary(MAX_DEFINING)];
        }
        if let Leaf::Paragraph(paragraph) = &mut self.leaf {
            paragraph.text.push('\n');
            paragraph.last = paragraph.text.len();
            paragraph.start = self.start;
            paragraph.text.push_str(text);
            return;
        }
        if line.indent() >= 4 {
            self.begin(depth);
            self.leaf = Leaf::indented(line);
            return;
        }
        match &mut self.leaf {
            Leaf::Table(table) if depth == self.open.len() => {
                if let Some(scope) = &mut self.scope {
                    table.push(line.rest(), scope, self.line_ending);
                }
            }
            _ => {
                self.begin(depth);
                self.leaf = Leaf::Paragraph(Paragraph {
                    text: text.to_owned(),
                    last: 0,
                    start: self.start,
                });
            }
        }
    }

    /// Makes room for a block within the first `depth` containers.
    fn begin(&mut self, depth: usize) {
        self.close_to(depth);
        if matches!(self.open.last(), Some(open) if matches!(open.kind, Kind::List { .. })) {
            self.close();
        }
        self.note_start(self.start);
        let Some(parent) = self.open.last_mut() else {
            return;
        };
        if let Kind::Item { is_filled, .. } = &mut parent.kind {
            let was_filled = std::mem::replace(is_filled, true);
            if parent.is_blank && was_filled {
                let list = self.open.len() - 2;
                self.loosen(list);
            }
        }
    }

    /// Makes room for an item, in the list before if it belongs there.
    fn begin_item(&mut self, marker: Marker, depth: usize) {
        if depth > 0 && self.open[depth - 1].is_list_of(marker) {
            self.close_to(depth);
            if self.open[depth - 1].is_blank {
                self.loosen(depth - 1);
            }
            return;
        }
        self.begin(depth);
        self.open.push(Container::new(Kind::List {
            marker,
            is_loose: false,
        }));
    }

    fn loosen(&mut self, list: usize) {
        if let Some(Container {
            kind: Kind::List { is_loose, .. },
            ..
        }) = self.open.get_mut(list)
        {
            *is_loose = true;
        }
    }

    fn note_start(&mut self, start: usize) {
        let before = self.starts.last().map(|last| last.0);
        if self.open.is_empty() && before != Some(start) {
            self.starts.push((start, Vec::new()));
        }
    }

    /// Closes the leaf and all but the first `depth` containers.
    fn close_to(&mut self, depth: usize) {
        self.close_leaf();
        while self.open.len() > depth {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(container) = self.open.pop() {
            self.add(container.finish());
        }
    }

    fn close_leaf(&mut self) {
        if let Leaf::Paragraph(_) = self.leaf {
            // Another block has begun, so that nothing more comes of this one.
            let ending = std::mem::replace(&mut self.line_ending, Ending::Whole);
            self.close_paragraph();
            self.line_ending = ending;
        } else if let Some(node) = std::mem::replace(&mut self.leaf, Leaf::None).finish() {
            self.add(node);
        }
    }

    fn close_paragraph(&mut self) {
        if let Leaf::Paragraph(paragraph) = std::mem::replace(&mut self.leaf, Leaf::None) {
            let text = self.define(paragraph.text.trim_ascii_end());
            if !text.is_empty() {
                self.add_paragraph(text);
            }
        }
    }

    /// What is left of a paragraph without the definitions it begins with.
    fn define<'t>(&mut self, mut text: &'t str) -> &'t str {
        while let Some((definition, length)) = definition::read(text) {
            if let Some((_, defined)) = self.starts.last_mut() {
                defined.push(definition);
            }
            text = &text[length..];
        }
        text
    }

    /// Adds a paragraph; the first one of an item may begin with a box to tick.
    fn add_paragraph(&mut self, text: &str) {
        let is_first = match self.open.last() {
            Some(open) => matches!(open.kind, Kind::Item { .. }) && open.children.is_empty(),
            None => false,
        };
        let task = if is_first { task(text) } else { None };
        let mut children = Vec::new();
        if let Some(tick) = task {
            children.push(Node::Task(tick));
            children.extend(self.inline(text[3..].trim_ascii_start(), self.line_ending));
        } else {
            children = self.inline(text, self.line_ending);
        }
        self.add(Node::Element(Element::Paragraph, children));
    }

    fn inline(&mut self, text: &str, ending: Ending) -> Vec<Node> {
        match &mut self.scope {
            None => Vec::new(),
            Some(scope) => inline::parse(text, scope, ending),
        }
    }

    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            _ if self.scope.is_none() => {}
            Some(open) => open.children.push(node),
            None => self.top.push(node),
        }
    }
}
