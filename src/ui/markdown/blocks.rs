//! From a growing text to its top-level blocks, so that what is finished is not
//! parsed and drawn again.

use std::sync::Arc;

use super::lines::block;
use crate::ui::state::key_of;

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
        Self {
            start,
            key: key_of(&(start, source)),
            source: source.into(),
        }
    }
}

/// The starts of the lines with which top-level blocks begin.
fn block_starts(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut starts = Vec::new();
    let (mut line, mut start) = (0, 0);
    while line < lines.len() {
        let count = match lines[line].trim().is_empty() {
            true => 1,
            false => {
                starts.push(start);
                block(&lines[line..]).1
            }
        };
        start += lines[line..line + count]
            .iter()
            .map(|line| line.len())
            .sum::<usize>();
        line += count;
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

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
