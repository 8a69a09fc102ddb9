//! Removing contents that no file has any more.

use std::collections::HashSet;

use super::{Node, Version, Workspace};
use crate::kernel::store::{Batch, Change, Key, Part, StoreError, Table};

impl Workspace {
    /// Removes contents that no file has any more: those replaced since the last sweep.
    ///
    /// # Errors
    /// What the store says; then nothing was removed.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        if self.replaced.borrow().is_empty() {
            return Ok(());
        }
        let _turn = self.committing.lock().await;
        let replaced = self.replaced.take();
        let used = self.versions();
        let mut rows = Vec::new();
        for version in replaced.difference(&used) {
            rows.extend(
                self.store
                    .keys(Table::Blobs, Key::new([version.0.as_str().into()]))
                    .await?,
            );
        }
        self.delete_blobs(rows).await
    }

    /// Removes every content that no file has: what a killed tab left behind.
    /// Only the one writer of the database may call it.
    ///
    /// # Errors
    /// What the store says; then nothing was removed.
    pub async fn sweep_all(&self) -> Result<(), StoreError> {
        let _turn = self.committing.lock().await;
        let used = self.versions();
        let mut rows = self.store.keys(Table::Blobs, Key(Vec::new())).await?;
        rows.retain(|key| {
            !matches!(key.0.first(), Some(Part::Text(hash)) if used.contains(&Version(hash.clone())))
        });
        self.delete_blobs(rows).await
    }

    async fn delete_blobs(&self, rows: Vec<Key>) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let changes = rows
            .into_iter()
            .map(|key| Change::Delete(Table::Blobs, key));
        self.store.apply(Batch::of(changes.collect())).await
    }

    fn versions(&self) -> HashSet<Version> {
        let nodes = self.nodes.borrow();
        let files = nodes.values().filter_map(|node| match node {
            Node::File { version, .. } => Some(version.clone()),
            Node::Folder => None,
        });
        files.collect()
    }
}
