//! The workspace: files and folders with one meaning over every store.
//!
//! Reading looks at an index in memory and fetches bytes from the store.
//! Changing happens in one place, [`Workspace::commit`]: file changes, whatever
//! records go with them and the next generation are one batch.

mod cache;
mod change;
pub mod path;
mod sweep;

use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::lock::{Mutex, MutexGuard};

use cache::Cache;
pub use change::{Expect, FileChange};
pub use path::{PathError, WorkspacePath};

use super::clock::Clock;
use super::store::{Batch, Change, Durability, Key, Part, Store, StoreError, Table, Value};
use crate::plain::Plain;

/// Bytes of one blob row; larger files are kept in several.
const CHUNK: usize = 1 << 20;
/// Largest file the workspace takes, in bytes.
pub const MAX_FILE: usize = 100 << 20;

/// The hash of a file's content (BLAKE3, hexadecimal): its version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Plain)]
pub struct Version(String);

impl Version {
    /// The version of a file with this content.
    pub fn of(content: &[u8]) -> Self {
        Self(blake3::hash(content).to_hex().to_string())
    }
}

/// What the tree holds at a path.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Node {
    /// A file.
    File {
        /// Bytes.
        size: u64,
        /// Milliseconds since the Unix epoch.
        modified_ms: u64,
        /// Its content's hash.
        version: Version,
    },
    /// A folder.
    Folder,
}

/// Why the workspace could not do what was asked, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// Not a path of the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Nothing is there.
    #[error("there is no file {0}; list_dir shows what is there")]
    NotFound(WorkspacePath),
    /// A folder stands where a file is meant.
    #[error("{0} is a directory, not a file; list_dir shows what is in it")]
    IsFolder(WorkspacePath),
    /// A file stands where a folder is meant.
    #[error("{0} is a file, not a directory; choose another path")]
    IsFile(WorkspacePath),
    /// Somebody changed the file since it was read.
    #[error("{0} changed since it was read; read it again before changing it")]
    Changed(WorkspacePath),
    /// Something stands where a file or folder is to be put.
    #[error("there is already something at {0}; choose another path, or delete it first")]
    Taken(WorkspacePath),
    /// Over [`MAX_FILE`].
    #[error("{path} would be {size} bytes, and the largest file is {MAX_FILE} bytes; split it")]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// Bytes it would have.
        size: usize,
    },
    /// The store failed; nothing was changed.
    #[error("{0}; nothing was changed")]
    Store(#[from] StoreError),
}

/// What a commit did, for whoever shows the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// Paths that are new or have new content, folders included.
    pub changed: Vec<WorkspacePath>,
    /// Paths at which there is nothing any more.
    pub removed: Vec<WorkspacePath>,
    /// The workspace's generation after it.
    pub generation: u64,
}

/// A workspace opened from a store.
pub struct Workspace {
    id: String,
    store: Rc<dyn Store>,
    clock: Rc<dyn Clock>,
    nodes: RefCell<BTreeMap<WorkspacePath, Node>>,
    generation: Cell<u64>,
    stored_generation: RefCell<Option<Value>>,
    /// Contents replaced since the last sweep.
    replaced: RefCell<HashSet<Version>>,
    cache: RefCell<Cache>,
    committing: Mutex<()>,
    changing: Mutex<()>,
}

impl Workspace {
    /// Reads the tree of workspace `id`; one that does not exist yet is empty.
    ///
    /// # Errors
    /// What the store says.
    pub async fn open(
        store: Rc<dyn Store>,
        clock: Rc<dyn Clock>,
        id: &str,
    ) -> Result<Self, StoreError> {
        let stored_generation = store.get(Table::Workspaces, Key::new([id.into()])).await?;
        let generation = match &stored_generation {
            Some(value) => value.parse()?,
            None => 0,
        };
        let mut nodes = BTreeMap::new();
        for (key, value) in store.list(Table::Nodes, Key::new([id.into()])).await? {
            if let [_, Part::Text(path)] = key.0.as_slice()
                && let Ok(path) = WorkspacePath::parse(path)
            {
                nodes.insert(path, value.parse()?);
            }
        }
        Ok(Self {
            id: id.to_owned(),
            store,
            clock,
            nodes: RefCell::new(nodes),
            generation: Cell::new(generation),
            stored_generation: RefCell::new(stored_generation),
            replaced: RefCell::default(),
            cache: RefCell::default(),
            committing: Mutex::new(()),
            changing: Mutex::new(()),
        })
    }

    /// Where it is kept.
    pub fn store(&self) -> &Rc<dyn Store> {
        &self.store
    }

    /// Grows by one with every commit that changes files.
    pub fn generation(&self) -> u64 {
        self.generation.get()
    }

    /// All files and folders, in the order of their paths.
    pub fn nodes(&self) -> Ref<'_, BTreeMap<WorkspacePath, Node>> {
        self.nodes.borrow()
    }

    /// What is at `path`; the root is a folder.
    pub fn node(&self, path: &WorkspacePath) -> Option<Node> {
        if path.is_root() {
            return Some(Node::Folder);
        }
        self.nodes.borrow().get(path).cloned()
    }

    /// The size and version of the file at `path`.
    ///
    /// # Errors
    /// [`WorkspaceError::NotFound`] or [`WorkspaceError::IsFolder`].
    pub fn file(&self, path: &WorkspacePath) -> Result<(u64, Version), WorkspaceError> {
        match self.node(path) {
            Some(Node::File { size, version, .. }) => Ok((size, version)),
            Some(Node::Folder) => Err(WorkspaceError::IsFolder(path.clone())),
            None => Err(WorkspaceError::NotFound(path.clone())),
        }
    }

    /// All that is in a folder, at any depth, in the order of the paths.
    pub fn below(&self, folder: &WorkspacePath) -> Vec<(WorkspacePath, Node)> {
        let nodes = self.nodes.borrow();
        let owned = |(path, node): (&WorkspacePath, &Node)| (path.clone(), node.clone());
        match folder.range_below() {
            None => nodes.iter().map(owned).collect(),
            Some(range) => nodes.range(range).map(owned).collect(),
        }
    }

    /// The content of the file at `path` and the version it is.
    ///
    /// # Errors
    /// As [`Workspace::file`], and what the store says.
    pub async fn read(&self, path: &WorkspacePath) -> Result<(Vec<u8>, Version), WorkspaceError> {
        loop {
            let (size, version) = self.file(path)?;
            match self.blob(&version, size).await? {
                Some(content) => return Ok((content, version)),
                // Replaced and swept away while we read: look again.
                None if self.file(path)?.1 != version => {}
                None => {
                    let lost = format!("the content of {path} is missing");
                    return Err(StoreError::Corrupt(lost).into());
                }
            }
        }
    }

    async fn blob(&self, version: &Version, size: u64) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(content) = self.cache.borrow_mut().get(version) {
            return Ok(Some(content));
        }
        let mut content = Vec::with_capacity(size as usize);
        for chunk in 0..chunk_count(size as usize) {
            match self
                .store
                .get(Table::Blobs, blob_key(version, chunk))
                .await?
            {
                Some(Value::Bytes(bytes)) => content.extend(bytes),
                _ => return Ok(None),
            }
        }
        self.cache.borrow_mut().put(version, &content);
        Ok(Some(content))
    }

    /// Makes `changes` and `records` happen together, or neither.
    ///
    /// # Errors
    /// If any change is not possible, or the store fails: then nothing has happened.
    pub async fn commit(
        &self,
        changes: &[FileChange],
        records: Vec<Change>,
        durability: Durability,
    ) -> Result<Committed, WorkspaceError> {
        if changes.is_empty() {
            // Records alone touch no file: they wait for nobody and need no generation.
            let batch = Batch {
                changes: records,
                durability,
                ..Batch::default()
            };
            self.store.apply(batch).await?;
            return Ok(Committed {
                generation: self.generation(),
                ..Committed::default()
            });
        }
        let _turn = self.committing.lock().await;
        let plan = self.plan(changes)?;
        let generation = self.generation.get() + 1;
        let key = Key::new([self.id.as_str().into()]);
        let stored = Value::record(&generation);
        let mut batch = Batch {
            changes: plan.puts(&self.id),
            require: vec![(
                Table::Workspaces,
                key.clone(),
                self.stored_generation.borrow().clone(),
            )],
            durability,
        };
        batch
            .changes
            .push(Change::Put(Table::Workspaces, key, stored.clone()));
        batch.changes.extend(records);
        self.store.apply(batch).await?;

        self.generation.set(generation);
        self.stored_generation.replace(Some(stored));
        for (version, content) in &plan.blobs {
            self.cache.borrow_mut().put(version, content);
        }
        self.replaced.borrow_mut().extend(plan.replaced);
        let mut committed = Committed {
            generation,
            ..Committed::default()
        };
        let mut nodes = self.nodes.borrow_mut();
        for (path, node) in plan.nodes {
            match node {
                Some(node) => {
                    committed.changed.push(path.clone());
                    nodes.insert(path, node);
                }
                None => {
                    if nodes.remove(&path).is_some() {
                        committed.removed.push(path);
                    }
                }
            }
        }
        Ok(committed)
    }

    /// Saves records that no file change belongs to, at its own pace: dropping
    /// the future before its end saves nothing.
    pub fn save(&self, records: Vec<Change>) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let store = Rc::clone(&self.store);
        Box::pin(async move { store.apply(Batch::of(records)).await })
    }

    /// Waits for the turn to look at files and change them by what was seen. Not needed
    /// for safety, which versions give, but for two runs not to get in each other's way.
    pub async fn turn_to_change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// See [`Store::flush`].
    pub fn flush(&self) {
        self.store.flush();
    }
}

fn chunk_count(size: usize) -> usize {
    size.div_ceil(CHUNK).max(1)
}

fn blob_key(version: &Version, chunk: usize) -> Key {
    Key::new([version.0.as_str().into(), (chunk as u64).into()])
}
