//! A folder of the device that is kept the same as a folder of the workspace. The workspace
//! is what the agent works on; here is what must be known of the other side, and what is to
//! be done so that both become the same. Nothing here touches a disk: [`Disk`] does, whose
//! twin in memory is [`memory::MemoryDisk`].

pub mod guard;
pub mod look;
pub mod memory;
pub mod moved;
pub mod plan;

use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::store::{Change, Key, Store, StoreError, Table, Value};
use super::workspace::{Version, WorkspacePath};
use crate::plain::Plain;

/// Why something could not be done on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskError {
    /// The user has not allowed it, or not again since the page was loaded.
    Denied,
    /// It is not there.
    Gone,
    /// The disk, or the browser on its behalf, takes no such name.
    Refused,
    /// Something of another kind stands there.
    Kind,
    /// The disk is full.
    Full,
    /// It gave no answer in time when it was asked for this; empty: the folder itself.
    Silent(String),
    /// The user stopped it.
    Stopped,
    /// Nothing may be written any more, for what the store says.
    Claim(StoreError),
    /// Something else, in the browser's words.
    Other(String),
}

/// What tells whether a file was changed, without a look into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Bytes.
    pub size: u64,
    /// Milliseconds since the Unix epoch.
    pub modified_ms: u64,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub what: What,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A folder.
    Folder,
    /// A file.
    File(Stat),
    /// A file of which the disk tells nothing, for this reason.
    Unreadable(DiskError),
}

/// A folder of the device. Paths are relative to it, `/` between names.
pub trait Disk {
    /// Whether it may be read and written now.
    fn may(&self) -> LocalBoxFuture<'_, bool>;

    /// What lies in a folder; the empty path is the folder itself. What can't be looked at is
    /// among it.
    fn list(&self, folder: &str) -> LocalBoxFuture<'_, Result<Vec<Entry>, DiskError>>;

    /// A file's content, and what it was when that was read.
    fn read(&self, path: &str) -> LocalBoxFuture<'_, Result<(Vec<u8>, Stat), DiskError>>;

    /// What a file is now; `None` if there is none.
    fn stat(&self, path: &str) -> LocalBoxFuture<'_, Result<Option<Stat>, DiskError>>;

    /// Sets a file's content, at once or not at all: where it fails, or is given up, nothing
    /// is left of a file that was not there. Folders above are made.
    fn write(&self, path: &str, content: Vec<u8>) -> LocalBoxFuture<'_, Result<Stat, DiskError>>;

    /// Removes a file, and folders above it that are empty then.
    fn remove(&self, path: &str) -> LocalBoxFuture<'_, Result<(), DiskError>>;
}

/// The folders that the user let the page have.
pub trait Disks {
    /// One of them, by the name it was kept under; `None` if it is not kept.
    fn open(&self, id: &str) -> LocalBoxFuture<'_, Option<Rc<dyn Disk>>>;

    /// Gives one of them up.
    fn forget(&self, id: &str) -> LocalBoxFuture<'_, ()>;
}

/// Where there are none.
pub struct NoDisks;

impl Disks for NoDisks {
    fn open(&self, _id: &str) -> LocalBoxFuture<'_, Option<Rc<dyn Disk>>> {
        Box::pin(std::future::ready(None))
    }

    fn forget(&self, _id: &str) -> LocalBoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// What binds a folder of the workspace to one of the device.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Link {
    /// The workspace.
    pub workspace: String,
    /// Under which the other side is kept.
    pub id: String,
    /// What the user calls that.
    pub name: String,
    /// The folder of the workspace; empty: all of it.
    pub folder: String,
}

/// A file as both sides had it when they were the same.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Known {
    /// Its content.
    pub version: Version,
    /// Bytes.
    pub size: u64,
    /// When it was changed on the disk, as that tells.
    pub modified_ms: u64,
    /// When this was seen, by our clock.
    pub seen_ms: u64,
}

impl Known {
    /// Whether a file of this stat has still the same content. Clocks of disks are coarse:
    /// what was changed shortly before it was seen may have been changed again since.
    pub fn is_still(&self, stat: Stat) -> bool {
        const COARSE_MS: u64 = 2_500;
        self.size == stat.size
            && self.modified_ms == stat.modified_ms
            && self.modified_ms + COARSE_MS < self.seen_ms
    }
}

/// The first part of the keys of all [`Known`].
const ROWS: &str = "link";

impl Link {
    fn key(workspace: &str) -> Key {
        Key::new(["link".into(), workspace.into()])
    }

    /// The link of a workspace.
    ///
    /// # Errors
    /// What the store says.
    pub async fn load(store: &dyn Store, workspace: &str) -> Result<Option<Self>, StoreError> {
        let value = store.get(Table::Settings, Self::key(workspace)).await?;
        value.map(|value| value.parse()).transpose()
    }

    /// The change that keeps it.
    pub fn put(&self) -> Change {
        let key = Self::key(&self.workspace);
        Change::Put(Table::Settings, key, Value::record(self))
    }

    /// The same link with another folder of the workspace, and the changes that keep it and
    /// what is `known` of its files.
    pub fn moved(
        &self,
        to: &WorkspacePath,
        known: &[(WorkspacePath, Known)],
    ) -> (Self, Vec<Change>) {
        let moved = Self {
            folder: to.as_str().to_owned(),
            ..self.clone()
        };
        let root = self.root();
        let mut changes = vec![moved.put()];
        changes.extend(known.iter().map(|(path, _)| self.note(path, None)));
        let there = known.iter().filter_map(|(path, known)| {
            // One that would be no path there is compared anew, should it ever be.
            let path = path.moved(&root, to).ok()?;
            Some(moved.note(&path, Some(known)))
        });
        changes.extend(there);
        (moved, changes)
    }

    /// The changes that forget it, and all that is known of its files.
    ///
    /// # Errors
    /// What the store says.
    pub async fn forget(&self, store: &dyn Store) -> Result<Vec<Change>, StoreError> {
        let prefix = Key::new([ROWS.into(), self.id.as_str().into()]);
        let keys = store.keys(Table::Journal, prefix).await?;
        let rows = keys
            .into_iter()
            .map(|key| Change::Delete(Table::Journal, key));
        Ok(rows
            .chain([Change::Delete(Table::Settings, Self::key(&self.workspace))])
            .collect())
    }

    /// The folder of the workspace.
    pub fn root(&self) -> WorkspacePath {
        WorkspacePath::parse(&self.folder).unwrap_or_else(|_| WorkspacePath::root())
    }

    /// What is known of the files, by their paths in the workspace.
    ///
    /// # Errors
    /// What the store says.
    pub async fn known(
        &self,
        store: &dyn Store,
    ) -> Result<Vec<(WorkspacePath, Known)>, StoreError> {
        let prefix = Key::new([ROWS.into(), self.id.as_str().into()]);
        let rows = store.list(Table::Journal, prefix).await?;
        let read = |(key, value): &(Key, Value)| {
            let super::store::Part::Text(path) = key.0.last()? else {
                return None;
            };
            // What can't be read counts as not known: then both sides are looked at anew.
            Some((WorkspacePath::parse_file(path).ok()?, value.parse().ok()?))
        };
        Ok(rows.iter().filter_map(read).collect())
    }

    /// The change that notes what a file is on both sides; `None`: that it is on neither.
    pub fn note(&self, path: &WorkspacePath, known: Option<&Known>) -> Change {
        let parts = [ROWS, &self.id, path.as_str()];
        let key = Key::new(parts.map(Into::into));
        match known {
            Some(known) => Change::Put(Table::Journal, key, Value::record(known)),
            None => Change::Delete(Table::Journal, key),
        }
    }
}
