//! A text that grows and the blocks it has so far. Each of its lines is read once.

use super::definition::Definition;
use super::line::without_blank_end;
use super::scan::{Scan, Start};

/// A top-level block of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it defines.
    pub definitions: Vec<Definition>,
}

/// A text and its blocks.
#[derive(Default)]
pub struct Grown {
    text: String,
    scan: Scan,
    /// Bytes of whole lines that were read.
    read: usize,
    blocks: Vec<Block>,
    /// Blocks to which nothing is added any more.
    settled: usize,
    ends_in_code: bool,
}

impl Grown {
    /// Takes `text` if it is what was there before with more at its end; whether it is.
    pub fn take(&mut self, text: &str) -> bool {
        let Some(more) = text.strip_prefix(&*self.text) else {
            return false;
        };
        self.text.push_str(more);
        // The last whole line is read again with the next: it may be the head of a table
        // that is held back.
        let lines = self.text.rfind('\n').unwrap_or_default();
        let until = self.text[..lines].rfind('\n').map_or(0, |at| at + 1);
        if until > self.read {
            self.scan.read(&self.text[self.read..until]);
            self.read = until;
        }
        true
    }

    /// Whether the last whole line stands in code.
    pub fn is_in_code(&self) -> bool {
        self.scan.is_in_code()
    }

    /// Finds the blocks of the first `length` bytes. Those that were settled before stay.
    pub fn split(&mut self, length: usize) {
        let rest = &self.text[self.read.min(length)..length];
        let (ends, ends_in_code) = self.scan.ends_with(rest);
        self.ends_in_code = ends_in_code;
        let settled = self.scan.starts().len().saturating_sub(1);
        self.blocks.truncate(self.settled);
        let starts = &self.scan.starts()[self.settled..settled];
        let mut starts = starts.iter().chain(&ends).peekable();
        while let Some((start, definitions)) = starts.next() {
            let next = starts.peek().map(|(next, _): &&Start| *next);
            // Whether the last line has its end matters as long as more is to come.
            let end = match next {
                Some(next) => start + without_blank_end(&self.text[*start..next]).len(),
                None => length,
            };
            self.blocks.push(Block {
                start: *start,
                end,
                definitions: definitions.clone(),
            });
        }
        self.settled = settled;
    }

    /// Whether the last block is code that is as it is written, and has no end yet.
    pub fn ends_in_code(&self) -> bool {
        self.ends_in_code
    }

    /// The blocks so far.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// How many of them are settled.
    pub fn settled(&self) -> usize {
        self.settled
    }

    /// The Markdown of the block at `at`.
    pub fn source(&self, at: usize) -> &str {
        let block = &self.blocks[at];
        &self.text[block.start..block.end]
    }
}
