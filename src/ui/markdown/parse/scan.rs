//! Where the top-level blocks of a text begin, found line by line as it grows.

use super::block::Blocks;
use super::definition::Definition;
use super::leaf::Leaf;
use super::open::Ending;

/// Where a top-level block begins, and what it defines.
pub type Start = (usize, Vec<Definition>);

/// Finds where the top-level blocks of a text begin. It reads each line once, and keeps
/// nothing of it but what the next lines depend on.
pub struct Scan(Blocks<'static, 'static>);

impl Default for Scan {
    fn default() -> Self {
        Self(Blocks::new(None, Ending::Whole))
    }
}

impl Scan {
    /// Reads lines, the last of them with its end.
    pub fn read(&mut self, lines: &str) {
        self.0.lines(lines);
    }

    /// The starts so far. They stay, but for what the last block defines.
    pub fn starts(&self) -> &[Start] {
        &self.0.starts
    }

    /// The last of the starts and those behind it, if the text ended with `rest`, and
    /// whether it ends in code that is as it is written.
    pub fn ends_with(&self, rest: &str) -> (Vec<Start>, bool) {
        let scan = &self.0;
        let mut ending = Blocks::new(None, Ending::Whole);
        ending.starts = scan.starts.last().cloned().into_iter().collect();
        ending.start = scan.start;
        ending.open = scan.open.clone();
        ending.leaf = scan.leaf.clone();
        ending.lines(rest);
        let is_code =
            ending.open.is_empty() && matches!(ending.leaf, Leaf::Fenced { indent: 0, .. });
        ending.finish();
        (ending.starts, is_code)
    }

    /// Whether the next line belongs to code, unless it is a fence.
    pub fn is_in_code(&self) -> bool {
        matches!(self.0.leaf, Leaf::Fenced { .. })
    }
}
