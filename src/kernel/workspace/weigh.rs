//! How much of the store the files take up, and how much of it what they were before.

use std::collections::HashMap;

use super::Workspace;
use super::node::{Node, Version};
use super::rows::{Row, number_of};
use super::tidy::{Keep, commits_of, cut, versions};
use crate::kernel::store::{Key, StoreError, Table};

/// What files take up, and what would come free if less of what was were kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct History {
    /// Bytes of the files as they are now, each content once.
    pub now: u64,
    /// Bytes that are kept for what was alone, and would go.
    pub was: u64,
    /// Commits that would go.
    pub commits: usize,
}

impl Workspace {
    /// What would come free if [`Workspace::tidy`] kept only as much as `keep` says. No
    /// content is read for it.
    ///
    /// # Errors
    /// What the store says.
    pub async fn weigh(&self, keep: Keep) -> Result<History, StoreError> {
        let prefix = Key::new([self.id.as_str().into()]);
        let rows = self.store.list(Table::Changes, prefix).await?;
        let sizes_of_rows: HashMap<u64, u64> = rows
            .iter()
            .filter_map(|(key, value)| Some((number_of(key)?, value.size())))
            .collect();
        let rows = commits_of(&rows);
        let cut = cut(&rows, keep).max(self.state.get().cut);
        let (gone, kept): (Vec<_>, Vec<_>) = rows.iter().partition(|(n, _)| *n <= cut);
        let nodes = self.nodes.borrow();
        let mut used = versions(nodes.values());
        let mut history = History {
            now: sizes(nodes.values()).values().sum(),
            was: gone
                .iter()
                .map(|(n, row)| names_in(row, sizes_of_rows.get(n)))
                .sum(),
            commits: gone.len(),
        };
        used.extend(versions(kept.iter().flat_map(|(_, row)| of_row(row))));
        let old = sizes(gone.iter().flat_map(|(_, row)| of_row(row)));
        let only_old = old.iter().filter(|(version, _)| !used.contains(*version));
        history.was += only_old.map(|(_, size)| size).sum::<u64>();
        Ok(history)
    }
}

/// All that a commit changed, before and after.
fn of_row(row: &Option<Row>) -> impl Iterator<Item = &Node> {
    let steps = row.iter().flat_map(|row| &row.steps);
    steps.flat_map(|step| [&step.was, &step.is]).flatten()
}

/// Bytes of a commit's row, of `size` with the contents that stand in it, without these.
fn names_in(row: &Option<Row>, size: Option<&u64>) -> u64 {
    let contents = row.iter().flat_map(|row| &row.contents);
    let inside: usize = contents.map(|(_, content)| content.len()).sum();
    size.map_or(0, |size| size.saturating_sub(inside as u64))
}

fn sizes<'a>(nodes: impl Iterator<Item = &'a Node>) -> HashMap<&'a Version, u64> {
    nodes.filter_map(Node::content).collect()
}
