//! Shutting out a writer that may be asleep: whatever it would commit next finds its place taken.

use super::Workspace;
use super::rows::{Row, State, number_of, place_of};
use crate::kernel::store::{Batch, Change, Key, Part, Store, StoreError, Table};

/// Adds to `batch` a commit of nothing for every workspace there is. Once that batch has
/// happened, no commit can that was worked out before it.
///
/// # Errors
/// What the store says.
pub async fn fence(store: &dyn Store, batch: &mut Batch) -> Result<(), StoreError> {
    for (key, state) in store.list(Table::Workspaces, Key(Vec::new())).await? {
        let [Part::Text(id)] = key.0.as_slice() else {
            continue;
        };
        // One in an earlier form is brought into the present one before its first commit,
        // and that is more than a commit.
        let Ok(state) = state.parse::<State>() else {
            continue;
        };
        let commits = store.keys(Table::Changes, key.clone()).await?;
        let last = commits.iter().filter_map(number_of).max();
        let row = Row {
            generation: last.unwrap_or(0).max(state.generation) + 1,
            begins_turn: true,
            origin: None,
            steps: Vec::new(),
            contents: Vec::new(),
        };
        if let Change::Put(table, key, value) = row.put(id) {
            batch.add(table, key, value);
        }
    }
    Ok(())
}

impl Workspace {
    /// The changes that remove the workspace. What shuts out writers that may be asleep
    /// stays, or they would commit to a workspace that is no more.
    ///
    /// # Errors
    /// What the store says.
    pub async fn removal(&self) -> Result<Vec<Change>, StoreError> {
        let mut changes = vec![Change::Delete(Table::Workspaces, self.state_key())];
        for table in [Table::Nodes, Table::Blobs, Table::Checkpoints] {
            let keys = self.store.keys(table, self.state_key()).await?;
            changes.extend(keys.into_iter().map(|key| Change::Delete(table, key)));
        }
        let commits = self.store.list(Table::Changes, self.state_key()).await?;
        changes.extend(commits.into_iter().map(|(key, value)| {
            match Row::read(&key, &value).is_some_and(|row| !row.steps.is_empty()) {
                true => Change::Delete(Table::Changes, key),
                false => place_of(key),
            }
        }));
        Ok(changes)
    }
}
