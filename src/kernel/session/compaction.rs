//! How a conversation was shortened, as its transcript tells.

use super::Usage;
use crate::plain::Plain;

/// How what is sent of the records before it was shortened. Each one replaces
/// those before it.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Compaction {
    /// Results and arguments of records before this one are sent by head and tail alone.
    pub prune_before: u64,
    /// Images of results before this one, or the one above, are not sent any more.
    #[plain(default)]
    pub pictures_before: u64,
    /// What stands for the oldest records, if they are left out.
    pub summary: Option<Summary>,
    /// Estimated tokens of a request before and after.
    pub tokens_before: u64,
    /// See `tokens_before`.
    pub tokens_after: u64,
}

/// What stands for records that are left out.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Summary {
    /// The first record that is sent again.
    pub until: u64,
    /// What happened before it.
    pub text: String,
    /// Whether the model wrote it; if not, it was put together from the records.
    pub by_model: bool,
    /// Tokens it took to write.
    #[plain(default)]
    pub spent: Option<Usage>,
}
