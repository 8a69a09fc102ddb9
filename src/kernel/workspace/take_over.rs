//! Taking over workspaces of the database's first versions: one row a name there,
//! contents by hash alone. It can be cut off anywhere: contents are copied first, which
//! may happen twice, and one batch turns to them.

use std::collections::HashSet;

use super::load::Form;
use super::rows::{chunk_count, content_key};
use super::{Version, Workspace};
use crate::kernel::store::{Batch, Change, Key, Part, Store, StoreError, Table, Value};
use crate::plain::from_json;

/// Bytes that are copied at once.
const AT_ONCE: usize = 8 << 20;

impl Workspace {
    /// Brings the workspace into the present form, for whoever has the turn to commit.
    pub(super) async fn take_over(&self) -> Result<(), StoreError> {
        if self.form.get() == Form::Present {
            return Ok(());
        }
        self.copy_contents().await?;
        let mut changes = self.page_changes().await?;
        if !self.others_need_contents().await? {
            let contents = self.store.keys(Table::Blobs, Key(Vec::new())).await?;
            let first = contents.into_iter().filter(|key| key.0.len() == 2);
            changes.extend(first.map(|key| Change::Delete(Table::Blobs, key)));
        }
        let mut state = self.on_pages(self.state.get());
        state.cut = state.generation;
        self.put_state(state, changes).await?;
        self.form.set(Form::Present);
        Ok(())
    }

    async fn copy_contents(&self) -> Result<(), StoreError> {
        let files: HashSet<(Version, u64)> = self
            .nodes
            .borrow()
            .values()
            .filter_map(|node| {
                node.content()
                    .map(|(version, size)| (version.clone(), size))
            })
            .collect();
        let (mut changes, mut bytes) = (Vec::new(), 0);
        for (version, size) in files {
            for chunk in 0..chunk_count(size) {
                let Some(value) = first_content(&*self.store, &version, chunk).await? else {
                    // It is missing already; whoever reads it is told.
                    continue;
                };
                if let Value::Bytes(content) = &value {
                    bytes += content.len();
                }
                let key = content_key(&self.id, &version, chunk);
                changes.push(Change::Put(Table::Blobs, key, value));
                if bytes >= AT_ONCE {
                    bytes = 0;
                    let batch = Batch::of(std::mem::take(&mut changes));
                    self.store.apply(batch).await?;
                }
            }
        }
        self.store.apply(Batch::of(changes)).await
    }

    /// Whether another workspace is still in the form of the first versions.
    async fn others_need_contents(&self) -> Result<bool, StoreError> {
        let rows = self.store.list(Table::Workspaces, Key(Vec::new())).await?;
        Ok(rows.iter().any(|(key, value)| {
            let is_mine = key.0 == [Part::from(self.id.as_str())];
            let is_first = match value {
                Value::Json(text) => from_json::<u64>(text).is_some(),
                Value::Bytes(_) => false,
            };
            !is_mine && is_first
        }))
    }
}

/// A row of a content as the first versions kept it.
pub(super) async fn first_content(
    store: &dyn Store,
    version: &Version,
    chunk: usize,
) -> Result<Option<Value>, StoreError> {
    let key = Key::new([version.as_str().into(), (chunk as u64).into()]);
    store.get(Table::Blobs, key).await
}
