//! Tables: rows, cells, and the line that says how columns are aligned.

use super::inline::{self, Scope};
use super::open::{Ending, is_delimiter};
use super::{Column, Node};

/// More columns are no table that anyone reads.
const MAX_COLUMNS: usize = 128;
/// With more cells a row that is too short stays short: a short text must not
/// become a huge table.
const MAX_FILLED: usize = 20_000;

/// A table whose rows are still coming.
#[derive(Clone)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Vec<Node>>>,
}

impl Table {
    /// The table whose head is `head`, if `line` says so.
    pub fn new(head: &str, line: &str) -> Option<Self> {
        let columns = columns(line)?;
        let has_bar = head.starts_with('|') || columns.len() > 1 || head.ends_with('|');
        (has_bar && cells(head).len() == columns.len()).then_some(Self {
            columns,
            rows: Vec::new(),
        })
    }

    /// The same while `line` is still coming.
    pub fn begun(head: &str, line: &str) -> Option<Self> {
        let count = cells(head).len();
        let is_one = is_delimiter(line) && (head.contains('|')) && count <= MAX_COLUMNS;
        is_one.then(|| {
            let whole = line.trim_ascii_end().trim_end_matches(['|', ':']);
            let mut columns = columns(&format!("{whole}|")).unwrap_or_default();
            columns.resize(count, Column::Start);
            Self {
                columns,
                rows: Vec::new(),
            }
        })
    }

    pub fn push(&mut self, line: &str, scope: &mut Scope<'_>, ending: Ending) {
        let mut row: Vec<Vec<Node>> = Vec::new();
        let cells = cells(line);
        // Cells with a bar behind them are finished.
        let open = match ending {
            Ending::Open if !is_closed(line) => cells.len() - 1,
            _ => cells.len(),
        };
        for (at, cell) in cells.iter().enumerate().take(self.columns.len()) {
            let ending = if at == open { ending } else { Ending::Whole };
            row.push(inline::parse(cell, scope, ending));
        }
        if (self.rows.len() + 1) * self.columns.len() <= MAX_FILLED {
            row.resize(self.columns.len(), Vec::new());
        }
        self.rows.push(row);
    }

    pub fn finish(self) -> Node {
        Node::Table {
            columns: self.columns,
            rows: self.rows,
        }
    }
}

/// How columns are aligned, if `line` is the one below a table's head.
fn columns(line: &str) -> Option<Vec<Column>> {
    let mut has_bar = false;
    for byte in line.bytes() {
        match byte {
            b'|' => has_bar = true,
            b'-' | b':' | b' ' | b'\t' => {}
            _ => return None,
        }
    }
    if !has_bar {
        return None;
    }
    let mut columns = Vec::new();
    for cell in cells(line) {
        let inside = cell.strip_prefix(':').unwrap_or(&cell);
        let dashes = inside.strip_suffix(':').unwrap_or(inside);
        if dashes.is_empty() || dashes.bytes().any(|byte| byte != b'-') {
            return None;
        }
        columns.push(
            match (inside.len() < cell.len(), dashes.len() < inside.len()) {
                (true, true) => Column::Center,
                (false, true) => Column::End,
                (true, false) => Column::Left,
                _ => Column::Start,
            },
        );
    }
    (columns.len() <= MAX_COLUMNS).then_some(columns)
}

/// Whether the last cell of `line` has its end.
fn is_closed(line: &str) -> bool {
    let line = line.trim_ascii_end();
    line.len() > 1 && line.ends_with('|') && !line.ends_with("\\|")
}

/// The texts of the cells in `line`. A bar behind a backslash is part of its cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim_ascii();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut from = 0;
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'|') => {
                cell.push_str(&line[from..at]);
                from = at + 1;
                at += 1;
            }
            b'|' => {
                cell.push_str(&line[from..at]);
                cells.push(cell.trim_ascii().to_owned());
                cell.clear();
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    cell.push_str(&line[from..]);
    if from < bytes.len() || cells.is_empty() {
        cells.push(cell.trim_ascii().to_owned());
    }
    cells
}
