//! What a change does to a file, by lines.

use serde::{Deserialize, Serialize};

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// The file.
    pub path: String,
    /// What kind of change.
    pub kind: DiffKind,
    /// Lines that come.
    pub added: usize,
    /// Lines that go.
    pub removed: usize,
    /// The places that change.
    pub hunks: Vec<Hunk>,
    /// Whether there is more than is shown.
    pub cut: bool,
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiffKind {
    /// The file is new.
    New,
    /// Its content changes.
    Changed,
    /// It goes.
    Deleted,
    /// It is no text.
    Binary,
}

/// Lines around a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// Its first line before, from 1.
    pub old_start: usize,
    /// Its first line after, from 1.
    pub new_start: usize,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    /// Whether it stays, comes or goes.
    pub sign: Sign,
    /// Its text.
    pub text: String,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sign {
    /// It stays.
    Same,
    /// It comes.
    Add,
    /// It goes.
    Del,
}
