//! What was found, as it is told: as much as one answer holds, and a count of the rest.

use super::Mode;
use crate::kernel::tool::text::{count, floor_boundary};
use crate::kernel::workspace::WorkspacePath;

/// Bytes of lines and names in one answer.
const MAX_TEXT: usize = 14 << 10;
/// Bytes of a line that are shown.
const MAX_LINE: usize = 300;
/// Bytes that are shown before a match in a line that is cut.
const BEFORE: usize = 80;

/// How it is told.
pub struct Shape {
    /// What of it.
    pub mode: Mode,
    /// Lines around each match.
    pub around: usize,
}

/// What was found so far.
pub struct Hits {
    shape: Shape,
    shown: String,
    lines: usize,
    files: usize,
    lines_left_out: usize,
    files_left_out: usize,
    /// Files that were looked into.
    pub searched: usize,
}

impl Hits {
    /// Nothing.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            shown: String::new(),
            lines: 0,
            files: 0,
            lines_left_out: 0,
            files_left_out: 0,
            searched: 0,
        }
    }

    /// Adds the lines of a file that were found: their numbers from 0, and where in the
    /// line the match is.
    pub fn add(&mut self, path: &WorkspacePath, lines: &[&str], found: &[(usize, usize)]) {
        if found.is_empty() {
            return;
        }
        self.files += 1;
        self.lines += found.len();
        match self.shape.mode {
            Mode::Content => self.add_content(path, lines, found),
            Mode::Files => self.add_row(format!("{path}\n")),
            Mode::Count => self.add_row(format!("{path}\t{}\n", found.len())),
        }
    }

    fn add_row(&mut self, row: String) {
        if self.shown.len() + row.len() > MAX_TEXT {
            self.files_left_out += 1;
        } else {
            self.shown.push_str(&row);
        }
    }

    fn add_content(&mut self, path: &WorkspacePath, lines: &[&str], found: &[(usize, usize)]) {
        let around = self.shape.around;
        let mut told = format!("\n{path}\n");
        let mut fresh = 0;
        // The first line that was not looked at yet.
        let mut next = 0;
        for (n, (line, at)) in found.iter().enumerate() {
            let mut part = String::new();
            let start = line.saturating_sub(around).max(next);
            if around > 0 && next > 0 && start > next {
                part.push_str("--\n");
            }
            let until = found.get(n + 1).map_or(lines.len(), |(line, _)| *line);
            let end = (line + around + 1).min(until);
            for (at_line, text) in lines.iter().enumerate().take(end).skip(start) {
                let sign = if at_line == *line { ':' } else { '-' };
                let at = if at_line == *line { *at } else { 0 };
                part.push_str(&format!("{}{sign}{}\n", at_line + 1, cut(text, at)));
            }
            if self.shown.len() + told.len() + part.len() > MAX_TEXT {
                break;
            }
            told.push_str(&part);
            fresh += 1;
            next = end;
        }
        match fresh {
            0 => self.files_left_out += 1,
            _ => self.shown.push_str(&told),
        }
        self.lines_left_out += found.len() - fresh;
    }

    /// The answer.
    pub fn told(&self, pattern: &str) -> String {
        if self.lines == 0 {
            let hint = match pattern.contains("\\n") {
                true => " Each line is tried by itself, so \\n never matches.",
                false => "",
            };
            let files = count(self.searched, "file");
            return format!("No line of {files} matches.{hint}");
        }
        let mut told = format!(
            "{} in {}\n{}",
            count(self.lines, "matching line"),
            count(self.files, "file"),
            self.shown
        );
        if self.lines_left_out > 0 || self.files_left_out > 0 {
            let of = match self.shape.mode {
                Mode::Content => count(self.lines_left_out, "matching line"),
                _ => count(self.files_left_out, "file"),
            };
            told.push_str(&format!(
                "[… {of} more not shown; narrow it with path or glob …]"
            ));
        }
        told.truncate(told.trim_end().len());
        told
    }
}

/// A line as far as it is shown; what is shown of a long one holds the match.
fn cut(line: &str, at: usize) -> String {
    if line.len() <= MAX_LINE {
        return line.to_owned();
    }
    let from = match at + BEFORE > MAX_LINE {
        true => floor_boundary(line, at.saturating_sub(BEFORE)),
        false => 0,
    };
    let to = floor_boundary(line, from + MAX_LINE);
    let before = if from > 0 { "…" } else { "" };
    let after = if to < line.len() { "…" } else { "" };
    format!("{before}{}{after}", &line[from..to])
}
