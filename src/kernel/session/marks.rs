//! What the user says of a session as a whole.

use crate::plain::Plain;

/// A session's marks in the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
#[plain(default)]
pub struct Marks {
    /// Whether the user gave it its title: then no model gives it another.
    pub named: bool,
    /// Whether it stands above all others.
    pub pinned: bool,
    /// Whether it is put away: kept, but not among the others.
    pub archived: bool,
    /// When it was deleted, milliseconds since the Unix epoch. Its rows are there for as
    /// long as that can be undone.
    pub deleted_ms: Option<u64>,
}

impl Marks {
    /// Whether it was deleted, and only waits for its rows to go.
    pub fn is_deleted(self) -> bool {
        self.deleted_ms.is_some()
    }
}
