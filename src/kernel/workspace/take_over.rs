//! Taking over workspaces of the database's first versions: one row a name there,
//! contents by hash alone. It can be cut off anywhere: contents are copied first, which
//! may happen twice, and one batch turns to them.

use std::collections::HashSet;

use super::load::Form;
use super::rows::{chunk_count, content_key};
use super::{Node, Version, Workspace, WorkspacePath};
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
        let nameless = self.nameless_rows().await?;
        self.copy_contents(!nameless.is_empty()).await?;
        let mut changes = self.page_changes().await?;
        // What can't be read stays until mending has seen it: were it gone, nobody would
        // know that there are contents whose names are lost.
        let is_nameless = |change: &Change| matches!(change, Change::Delete(Table::Nodes, key) if nameless.contains(key));
        changes.retain(|change| !is_nameless(change));
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

    /// The keys of names that can't be read.
    async fn nameless_rows(&self) -> Result<HashSet<Key>, StoreError> {
        let prefix = Key::new([self.id.as_str().into()]);
        let rows = self.store.list(Table::Nodes, prefix).await?;
        let nameless = rows
            .into_iter()
            .filter(|(key, value)| named(key, value).is_none());
        Ok(nameless.map(|(key, _)| key).collect())
    }

    /// Gives the contents keys of this workspace; with those that no name is left of, if
    /// there are such: mending finds them by that.
    async fn copy_contents(&self, with_nameless: bool) -> Result<(), StoreError> {
        let files: HashSet<(Version, u64)> = self
            .nodes
            .borrow()
            .values()
            .filter_map(|node| {
                node.content()
                    .map(|(version, size)| (version.clone(), size))
            })
            .collect();
        let chunks = |(version, size): (Version, u64)| {
            (0..chunk_count(size)).map(move |chunk| (version.clone(), chunk))
        };
        let mut rows: Vec<(Version, usize)> = files.into_iter().flat_map(chunks).collect();
        if with_nameless {
            rows.extend(self.nameless_contents().await?);
        }
        let (mut changes, mut bytes) = (Vec::new(), 0);
        for (version, chunk) in rows {
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
        self.store.apply(Batch::of(changes)).await
    }

    /// Contents of the first form that no name of any workspace tells of.
    async fn nameless_contents(&self) -> Result<Vec<(Version, usize)>, StoreError> {
        let names = self.store.list(Table::Nodes, Key(Vec::new())).await?;
        let known = names.iter().filter_map(|(key, value)| named(key, value));
        let known: HashSet<Version> = known
            .filter_map(|node| Some(node.content()?.0.clone()))
            .collect();
        let contents = self.store.keys(Table::Blobs, Key(Vec::new())).await?;
        let version = |key: &Key| match key.0.as_slice() {
            [Part::Text(hash), Part::Number(chunk)] => {
                Some((Version::parse(hash)?, usize::try_from(*chunk).ok()?))
            }
            _ => None,
        };
        let nameless = contents.iter().filter_map(version);
        Ok(nameless
            .filter(|(version, _)| !known.contains(version))
            .collect())
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

/// What a row of the first versions names, if it can be read.
fn named(key: &Key, value: &Value) -> Option<Node> {
    match key.0.as_slice() {
        [_, Part::Text(path)] => {
            WorkspacePath::parse_file(path).ok()?;
            value.parse().ok()
        }
        _ => None,
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
