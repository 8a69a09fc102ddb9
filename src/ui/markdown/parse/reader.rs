//! A text that grows: its blocks, and which of them are to be drawn anew.

use std::sync::Arc;

use super::definition::{Definition, References};
use super::inline::Scope;
use super::line::without_blank_end;
use super::open::{Ending, shown};
use super::{Node, block};
use crate::ui::state::key_of;

/// Blocks at the end that may still change.
pub const OPEN: usize = 2;
/// Bytes and lines of a block that are shown at first: more of it at once would hold up
/// the page.
const MAX_SHOWN: (usize, usize) = (32_000, 1_000);
/// The same for code, which is drawn as one text.
const MAX_CODE: (usize, usize) = (200_000, 5_000);
/// Bytes that are read at once; what is more comes a little later.
const AT_ONCE: usize = 48_000;

/// A top-level block of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Tells it from other blocks and from itself with other content.
    pub key: u64,
    /// Its Markdown.
    pub source: Arc<str>,
    /// What it defines.
    definitions: Vec<Definition>,
}

/// A block to be drawn anew.
#[derive(Debug)]
pub struct Change {
    /// Which one it is.
    pub at: usize,
    /// What is to be shown.
    pub nodes: Vec<Node>,
    /// Bytes of it that are not shown.
    pub left_out: usize,
}

/// What came of reading a text.
#[derive(Debug)]
pub struct Changes {
    /// How many blocks there are.
    pub count: usize,
    /// Those to be drawn anew.
    pub changed: Vec<Change>,
    /// Whether that is all; if not, the rest comes when the same text is read again.
    pub is_all: bool,
}

/// What is known of a block that is drawn.
struct Drawn {
    key: u64,
    ending: Ending,
    /// Keys of the names it asked for.
    asked: Vec<u64>,
    /// One of them stands for something else now.
    is_stale: bool,
}

/// Reads a text again and again as it grows. What is finished is read once, unless a name
/// it refers to is defined later.
#[derive(Default)]
pub struct Reader {
    blocks: Vec<Block>,
    references: References,
    drawn: Vec<Drawn>,
    /// Starts of the blocks of which all is to be shown.
    whole: Vec<usize>,
}

impl Reader {
    /// What to draw for `text`, and what is no longer there.
    pub fn read(&mut self, text: &str, ending: Ending) -> Changes {
        let text = match ending {
            Ending::Whole => text,
            Ending::Open => shown(text),
        };
        self.blocks = blocks(std::mem::take(&mut self.blocks), text);
        let mut references = References::default();
        for block in &self.blocks {
            references.add(&block.definitions);
        }
        let renamed = references.changed_since(&self.references);
        self.references = references;
        self.drawn.truncate(self.blocks.len());
        if !renamed.is_empty() {
            let is_renamed = |key: &u64| renamed.binary_search(key).is_ok();
            for drawn in &mut self.drawn {
                drawn.is_stale |= drawn.asked.iter().any(is_renamed);
            }
        }
        self.changes(ending)
    }

    fn changes(&mut self, ending: Ending) -> Changes {
        let mut changed = Vec::new();
        let mut spent = 0;
        for at in 0..self.blocks.len() {
            let is_last = at + 1 == self.blocks.len();
            let ending = if is_last { ending } else { Ending::Whole };
            let is_known = self.drawn.get(at).is_some_and(|drawn| {
                drawn.key == self.blocks[at].key && drawn.ending == ending && !drawn.is_stale
            });
            if is_known {
                continue;
            }
            if spent > AT_ONCE {
                break;
            }
            let change = self.change(at, ending);
            spent += self.blocks[at].source.len() - change.left_out;
            changed.push(change);
        }
        Changes {
            count: self.drawn.len(),
            is_all: spent <= AT_ONCE,
            changed,
        }
    }

    /// What to draw when all of the block at `at` is to be shown.
    pub fn show_all(&mut self, at: usize) -> Option<Change> {
        self.whole.push(self.blocks.get(at)?.start);
        let ending = self.drawn.get(at)?.ending;
        Some(self.change(at, ending))
    }

    fn change(&mut self, at: usize, ending: Ending) -> Change {
        let block = &self.blocks[at];
        let source: &str = if self.whole.contains(&block.start) {
            &block.source
        } else {
            beginning(&block.source)
        };
        let left_out = block.source.len() - source.len();
        let mut scope = Scope::new(&self.references);
        let nodes = block::nodes(source, &mut scope, ending);
        let drawn = Drawn {
            key: block.key,
            ending,
            asked: scope.asked,
            is_stale: false,
        };
        match self.drawn.get_mut(at) {
            Some(before) => *before = drawn,
            None => self.drawn.push(drawn),
        }
        Change {
            at,
            nodes,
            left_out,
        }
    }
}

/// As much of a block as is shown at first.
fn beginning(source: &str) -> &str {
    let is_code = source.starts_with("```") || source.starts_with("~~~");
    let (bytes, lines) = if is_code { MAX_CODE } else { MAX_SHOWN };
    let mut end = source.len();
    if let Some((at, _)) = source.match_indices('\n').nth(lines) {
        end = at;
    }
    if end > bytes {
        end = source.floor_char_boundary(bytes);
        // A whole line, if one is near.
        if let Some(line) = source[..end].rfind('\n').filter(|line| *line > end / 2) {
            end = line;
        }
    }
    &source[..end]
}

/// The blocks of `text`. When `text` is what `known` came from with more at its end, only
/// the last of `known` and what follows are read again.
pub(super) fn blocks(known: Vec<Block>, text: &str) -> Vec<Block> {
    let is_same = |block: &Block| {
        let rest = text.get(block.start..).unwrap_or_default();
        rest.starts_with(&*block.source)
    };
    let mut blocks = if known.iter().all(is_same) {
        known
    } else {
        Vec::new()
    };
    // The last block's first line may not be whole, and then belongs to the one before.
    let done = blocks.len().saturating_sub(OPEN);
    let from = blocks.get(done).map_or(0, |open| open.start);
    blocks.truncate(done);
    let tail = &text[from..];
    let mut starts = block::starts(tail).into_iter().peekable();
    while let Some((start, definitions)) = starts.next() {
        // Whether the last line has its end matters as long as more is to come.
        let source = match starts.peek() {
            Some((next, _)) => without_blank_end(&tail[start..*next]),
            None => &tail[start..],
        };
        let start = from + start;
        blocks.push(Block {
            start,
            key: key_of(&(start, source)),
            source: source.into(),
            definitions,
        });
    }
    blocks
}
