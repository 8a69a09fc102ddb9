//! Contents that are brought in before their names, for more files than one batch should
//! hold. Until the names come, nobody sees them: what is broken off leaves contents that
//! the next tidying removes. As long as the stock is held, it leaves them alone.

use super::change::{Plan, Planned};
use super::node::{Node, Version};
use super::path::WorkspacePath;
use super::rows::{CHUNK, content_key, content_rows_of};
use super::{Along, Committed, MAX_FILE, Workspace, WorkspaceError};
use crate::kernel::store::{Batch, Change, StoreError, Table, Value};

/// Bytes and rows of one batch of contents.
const BATCH_BYTES: usize = 8 << 20;
const BATCH_ROWS: usize = 2_500;

/// Contents on their way into a workspace.
pub struct Stock<'a> {
    workspace: &'a Workspace,
    held: Vec<Version>,
    waiting: Vec<Change>,
    waiting_bytes: usize,
}

impl Workspace {
    /// Begins to bring in many files.
    pub fn stock(&self) -> Stock<'_> {
        Stock {
            workspace: self,
            held: Vec::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
        }
    }

    /// Whether a content waits for its name.
    pub(super) fn is_held(&self, version: &Version) -> bool {
        self.held.borrow().contains_key(version)
    }
}

impl Stock<'_> {
    /// Takes a content in, and tells what a file of it is.
    ///
    /// # Errors
    /// What the store says; what was taken in before is then of no use either.
    pub async fn put(&mut self, content: Vec<u8>, modified_ms: u64) -> Result<Node, StoreError> {
        let version = Version::of(&content);
        let size = content.len() as u64;
        let is_new = {
            let mut held = self.workspace.held.borrow_mut();
            let count = held.entry(version.clone()).or_insert(0);
            *count += 1;
            *count == 1
        };
        self.held.push(version.clone());
        if is_new && content.len() > CHUNK {
            self.put_large(&version, content).await?;
        } else if is_new {
            let bytes = content.len();
            let rows = content_rows_of(&self.workspace.id, &version, content);
            self.wait(rows, bytes).await?;
        }
        Ok(Node::File {
            size,
            modified_ms,
            version,
        })
    }

    /// Takes in a content of several rows a few rows at a time, so that it never lies in
    /// memory twice.
    async fn put_large(&mut self, version: &Version, content: Vec<u8>) -> Result<(), StoreError> {
        for (n, bytes) in content.chunks(CHUNK).enumerate() {
            let key = content_key(&self.workspace.id, version, n);
            let row = Change::Put(Table::Blobs, key, Value::Bytes(bytes.to_vec()));
            self.wait(vec![row], bytes.len()).await?;
        }
        Ok(())
    }

    /// Has rows wait for others, until they are enough for a batch.
    async fn wait(&mut self, rows: Vec<Change>, bytes: usize) -> Result<(), StoreError> {
        self.waiting_bytes += bytes;
        self.waiting.extend(rows);
        match self.waiting_bytes >= BATCH_BYTES || self.waiting.len() >= BATCH_ROWS {
            true => self.flush().await,
            false => Ok(()),
        }
    }

    /// Gives the contents their names, in one commit. Folders above are made.
    ///
    /// # Errors
    /// [`WorkspaceError::Taken`] if something stands at one of the paths: other names may be
    /// given. Or what the store says. In either case nothing has happened.
    pub async fn name(
        &mut self,
        nodes: &[(WorkspacePath, Node)],
    ) -> Result<Committed, WorkspaceError> {
        let workspace = self.workspace;
        let _turn = workspace.committing.lock().await;
        let planned = self.plan(nodes)?;
        let along = Along {
            records: std::mem::take(&mut self.waiting),
            ..Along::strict()
        };
        workspace.carry_out(planned, along).await
    }

    fn plan(&self, nodes: &[(WorkspacePath, Node)]) -> Result<Planned, WorkspaceError> {
        let tree = self.workspace.nodes();
        let mut plan = Plan::new(&tree, 0);
        for (path, node) in nodes {
            if let Some((_, size)) = node.content().filter(|(_, size)| *size > MAX_FILE as u64) {
                let (path, size) = (path.clone(), size as usize);
                return Err(WorkspaceError::TooLarge { path, size });
            }
            match plan.node(path) {
                None => plan.put_back(path.clone(), node.clone())?,
                Some(Node::Folder) if *node == Node::Folder => {}
                Some(_) => return Err(WorkspaceError::Taken(path.clone())),
            }
        }
        Ok(plan.planned())
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        let rows = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        // Not while others commit or tidy: they look first what is there.
        let _turn = self.workspace.committing.lock().await;
        self.workspace.take_over().await?;
        self.workspace.store.apply(Batch::of(rows)).await
    }
}

impl Drop for Stock<'_> {
    fn drop(&mut self) {
        let mut held = self.workspace.held.borrow_mut();
        for version in &self.held {
            if let Some(count) = held.get_mut(version) {
                *count -= 1;
                if *count == 0 {
                    held.remove(version);
                }
            }
        }
    }
}
