//! A text that grows: its blocks, and which of them are to be drawn anew.

use std::borrow::Cow;

use super::bidi::in_order;
use super::block;
use super::definition::References;
use super::grown::Grown;
use super::inline::Scope;
use super::open::{Ending, shown};
use super::{Element, Node};
use crate::ui::state::key_of;

/// Blocks at the end that may still change.
pub const OPEN: usize = 2;
/// Bytes that a block costs beside its own, since even an empty one has to be put up.
const COST: usize = 64;
/// Bytes and lines of a block that are shown at first: more of it at once would hold up
/// the page.
const MAX_SHOWN: (usize, usize) = (32_000, 1_000);
/// The same for code, which is drawn as one text.
const MAX_CODE: (usize, usize) = (200_000, 5_000);

/// How a block is to be drawn.
#[derive(Debug)]
pub enum Drawing {
    /// So.
    Anew(Vec<Node>),
    /// It is code, behind which this comes.
    MoreCode(String),
    /// As it is; only what is left out has changed.
    Same,
}

/// A block to be drawn anew.
#[derive(Debug)]
pub struct Change {
    /// Which one it is.
    pub at: usize,
    /// How it is to be drawn.
    pub drawing: Drawing,
    /// Bytes of it that are not shown.
    pub left_out: usize,
    /// Whether more of it is to come.
    pub ending: Ending,
}

/// What came of reading a text.
#[derive(Debug)]
pub struct Changes {
    /// How many blocks there are.
    pub count: usize,
    /// Those to be drawn anew.
    pub changed: Vec<Change>,
    /// Bytes that were read for that.
    pub spent: usize,
    /// Whether that is all; if not, the rest comes when the same text is read again.
    pub is_all: bool,
}

/// What is known of a block that is drawn.
struct Drawn {
    start: usize,
    /// Of what is shown of it.
    key: u64,
    ending: Ending,
    /// Bytes of it that are shown.
    shown: usize,
    left_out: usize,
    /// It is code that is as it is written, and has no end yet.
    is_open_code: bool,
    /// Keys of the names it asked for.
    asked: Vec<u64>,
    /// One of them stands for something else now.
    is_stale: bool,
}

/// Reads a text again and again as it grows. What is finished is read once, unless a name
/// it refers to is defined later.
#[derive(Default)]
pub struct Reader {
    grown: Grown,
    references: References,
    drawn: Vec<Drawn>,
    /// Up to here blocks are drawn as they will stay.
    finished: usize,
    /// Starts of the blocks of which all is to be shown.
    whole: Vec<usize>,
}

impl Reader {
    /// What to draw for `text`, and what is no longer there. Once more than `budget` bytes
    /// were read, the rest waits.
    pub fn read(&mut self, text: &str, ending: Ending, budget: usize) -> Changes {
        let settled = match self.grown.take(text) {
            true => self.grown.settled(),
            false => {
                self.begin_anew(text);
                0
            }
        };
        let length = match ending {
            Ending::Whole => text.len(),
            Ending::Open => shown(text, self.grown.is_in_code()).len(),
        };
        self.grown.split(length);
        self.drawn.truncate(self.grown.blocks().len());
        self.define(settled);
        self.changes(ending, budget)
    }

    fn begin_anew(&mut self, text: &str) {
        self.grown = Grown::default();
        self.grown.take(text);
        self.references = References::default();
        self.finished = 0;
        for drawn in &mut self.drawn {
            drawn.is_stale = true;
        }
    }

    /// Takes in what is defined in the blocks that were not settled before.
    fn define(&mut self, settled: usize) {
        let (done, open) = self.grown.blocks().split_at(self.grown.settled());
        let done = done[settled..].iter().flat_map(|block| &block.definitions);
        let open = open.iter().flat_map(|block| &block.definitions);
        let renamed = self.references.go_on(done, open);
        if renamed.is_empty() {
            return;
        }
        let is_renamed = |key: &u64| renamed.binary_search(key).is_ok();
        for (at, drawn) in self.drawn.iter_mut().enumerate() {
            if drawn.asked.iter().any(is_renamed) {
                drawn.is_stale = true;
                self.finished = self.finished.min(at);
            }
        }
    }

    fn changes(&mut self, ending: Ending, budget: usize) -> Changes {
        let mut changed = Vec::new();
        let mut spent = 0;
        let count = self.grown.blocks().len();
        let mut at = self.finished;
        while at < count && spent <= budget {
            let ending = if at + 1 == count {
                ending
            } else {
                Ending::Whole
            };
            if let Some(change) = self.change(at, ending) {
                spent += match &change.drawing {
                    Drawing::Anew(_) => COST + self.grown.source(at).len() - change.left_out,
                    Drawing::MoreCode(more) => more.len(),
                    Drawing::Same => 0,
                };
                changed.push(change);
            }
            at += 1;
            if at <= self.grown.settled() {
                self.finished = at;
            }
        }
        Changes {
            count: self.drawn.len(),
            is_all: at == count,
            changed,
            spent,
        }
    }

    /// What to draw when all of the block at `at` is to be shown.
    pub fn show_all(&mut self, at: usize) -> Option<Change> {
        self.whole.push(self.grown.blocks().get(at)?.start);
        let ending = self.drawn.get(at)?.ending;
        self.change(at, ending)
    }

    /// All of the code that is the `nth` in the block at `at`.
    pub fn code(&self, at: usize, nth: usize) -> Option<String> {
        self.grown.blocks().get(at)?;
        let mut scope = Scope::new(&self.references);
        let nodes = block::nodes(self.grown.source(at), &mut scope, Ending::Whole);
        let mut left = nth;
        code(nodes, &mut left)
    }

    /// What to draw of the block at `at`, if that is not what is drawn.
    fn change(&mut self, at: usize, ending: Ending) -> Option<Change> {
        if let Some((drawing, left_out)) = self.go_on(at, ending) {
            let is_same = matches!(drawing, Drawing::Same);
            let drawn = &mut self.drawn[at];
            let was_left_out = std::mem::replace(&mut drawn.left_out, left_out);
            return (!is_same || was_left_out != left_out).then_some(Change {
                at,
                drawing,
                left_out,
                ending,
            });
        }
        let block = &self.grown.blocks()[at];
        let all = self.grown.source(at);
        let source = match self.whole.contains(&block.start) {
            true => all,
            false => beginning(all),
        };
        let left_out = all.len() - source.len();
        let key = key_of(source);
        let is_known = self
            .drawn
            .get(at)
            .is_some_and(|drawn| drawn.key == key && drawn.ending == ending && !drawn.is_stale);
        let mut drawn = Drawn {
            start: block.start,
            key,
            ending,
            shown: source.len(),
            left_out,
            is_open_code: false,
            asked: Vec::new(),
            is_stale: false,
        };
        if is_known && let Some(before) = self.drawn.get_mut(at) {
            drawn.asked = std::mem::take(&mut before.asked);
            let before = std::mem::replace(before, drawn);
            return (before.left_out != left_out).then_some(Change {
                at,
                drawing: Drawing::Same,
                left_out,
                ending,
            });
        }
        let mut scope = Scope::new(&self.references);
        let mut nodes = block::nodes(source, &mut scope, ending);
        drawn.asked = scope.asked;
        if ending == Ending::Open
            && left_out == 0
            && self.grown.ends_in_code()
            && source.contains('\n')
            && let [Node::CodeBlock { code, .. }] = &mut nodes[..]
            && is_as_written(source)
        {
            drawn.is_open_code = true;
            // From here on it grows as it is written.
            if !source.ends_with('\n') {
                code.pop();
            }
        }
        match self.drawn.get_mut(at) {
            Some(before) => *before = drawn,
            None => self.drawn.push(drawn),
        }
        Some(Change {
            at,
            drawing: Drawing::Anew(nodes),
            left_out,
            ending,
        })
    }

    /// How the block at `at` goes on from what is drawn of it, where that can be told
    /// without reading it again, and how much of it is left out.
    fn go_on(&mut self, at: usize, ending: Ending) -> Option<(Drawing, usize)> {
        let source = self.grown.source(at);
        let is_open_code = self.grown.ends_in_code();
        let drawn = self.drawn.get_mut(at)?;
        if drawn.start != self.grown.blocks()[at].start || drawn.ending != ending || drawn.is_stale
        {
            return None;
        }
        if drawn.left_out > 0 {
            let is_cut = !self.whole.contains(&drawn.start) && source.len() > drawn.shown;
            return is_cut.then(|| (Drawing::Same, source.len() - drawn.shown));
        }
        let more = source.get(drawn.shown..)?;
        let goes_on = drawn.is_open_code && is_open_code && ending == Ending::Open;
        if !goes_on || source.len() > MAX_CODE.0 || !is_as_written(more) {
            return None;
        }
        drawn.shown = source.len();
        Some(match more {
            "" => (Drawing::Same, 0),
            more => (Drawing::MoreCode(more.to_owned()), 0),
        })
    }
}

/// Whether code is shown as it is written: without returns, and without characters that
/// turn the order.
fn is_as_written(code: &str) -> bool {
    !code.contains('\r') && matches!(in_order(code), Cow::Borrowed(_))
}

/// The code that is the `left`th in `nodes`, in the order in which they are shown.
fn code(nodes: Vec<Node>, left: &mut usize) -> Option<String> {
    nodes.into_iter().find_map(|node| match node {
        Node::CodeBlock { code, .. } => match left.checked_sub(1) {
            None => Some(code),
            Some(fewer) => {
                *left = fewer;
                None
            }
        },
        Node::Element(
            Element::Quote | Element::Bullets | Element::Numbers(_) | Element::Item,
            children,
        ) => code(children, left),
        _ => None,
    })
}

/// As much of a block as is shown at first.
fn beginning(source: &str) -> &str {
    let is_code = source.starts_with("```") || source.starts_with("~~~");
    let (bytes, lines) = if is_code { MAX_CODE } else { MAX_SHOWN };
    let near = &source[..source.floor_char_boundary(bytes + 1)];
    if let Some((line, _)) = near.match_indices('\n').nth(lines) {
        return &source[..line];
    }
    if near.len() == source.len() {
        return source;
    }
    let end = source.floor_char_boundary(bytes);
    // A whole line, if one is near.
    match source[..end].rfind('\n').filter(|line| *line > end / 2) {
        Some(line) => &source[..line],
        None => &source[..end],
    }
}
