//! The raw store below workspace and sessions: tables of keys and values, and
//! one atomic batch. It knows nothing of files or conversations.
//!
//! Two twins implement it: [`memory::MemoryStore`] and the IndexedDB edge in
//! `browser`. One contract test (`tests/contract/store.rs`) runs on both.

pub mod memory;

use futures::future::LocalBoxFuture;

use crate::plain::{FromJson, Plain, ToJson, from_json, to_json};

/// The tables, one IndexedDB object store each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// `[workspace]` → its generation, and which of them the pages show.
    Workspaces,
    /// `[workspace, page]` → what stood at many paths: kind, size, time, hash.
    Nodes,
    /// `[workspace, hash, chunk]` → bytes.
    Blobs,
    /// `[workspace, generation]` → what one commit changed, before and after, and small
    /// contents that it brought.
    Changes,
    /// `[workspace, generation]` → the round that begins with this commit.
    Checkpoints,
    /// `[session]` → title, times, state.
    Sessions,
    /// `[session, seq]` → one record of the transcript.
    Messages,
    /// `[name]` → a setting.
    Settings,
    /// `[session, seq]` → what happened in one round.
    Traces,
    /// `[session, id]` → the whole text of a result that was cut.
    Overflow,
    /// `[session, name…]` → what a run keeps beside its transcript.
    Journal,
    /// `[name]` → keys under a passphrase.
    Vault,
}

impl Table {
    /// Every table there is.
    pub const ALL: [Table; 12] = [
        Table::Workspaces,
        Table::Nodes,
        Table::Blobs,
        Table::Changes,
        Table::Checkpoints,
        Table::Sessions,
        Table::Messages,
        Table::Settings,
        Table::Traces,
        Table::Overflow,
        Table::Journal,
        Table::Vault,
    ];

    /// The object store's name.
    pub const fn name(self) -> &'static str {
        match self {
            Table::Workspaces => "workspaces",
            Table::Nodes => "nodes",
            Table::Blobs => "blobs",
            Table::Changes => "changes",
            Table::Checkpoints => "checkpoints",
            Table::Sessions => "sessions",
            Table::Messages => "messages",
            Table::Settings => "settings",
            Table::Traces => "traces",
            Table::Overflow => "overflow",
            Table::Journal => "journal",
            Table::Vault => "vault",
        }
    }
}

/// One part of a key. Numbers sort before texts, as in IndexedDB.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A whole number up to 2^53.
    Number(u64),
    /// A text.
    Text(String),
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Part::Text(text.to_owned())
    }
}

impl From<u64> for Part {
    fn from(number: u64) -> Self {
        Part::Number(number)
    }
}

/// A key: its parts in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub Vec<Part>);

impl Key {
    /// A key of the given parts.
    pub fn new<const N: usize>(parts: [Part; N]) -> Self {
        Self(parts.into())
    }
}

/// What is kept under a key: a record as JSON text, or bytes as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A record.
    Json(String),
    /// File content.
    Bytes(Vec<u8>),
}

impl Value {
    /// Bytes of what is kept, without its key.
    pub fn size(&self) -> u64 {
        match self {
            Value::Json(text) => text.len() as u64,
            Value::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Writes a record.
    pub fn record<T: ToJson + ?Sized>(record: &T) -> Self {
        Value::Json(to_json(record))
    }

    /// Reads a record back.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it is not one of `T`.
    pub fn parse<T: FromJson>(&self) -> Result<T, StoreError> {
        let flaw = match self {
            Value::Json(text) => match from_json(text) {
                Some(record) => return Ok(record),
                None => "a record of another form",
            },
            Value::Bytes(_) => "bytes where a record is meant",
        };
        Err(StoreError::Corrupt(flaw.into()))
    }
}

/// One change of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Sets the value under a key.
    Put(Table, Key, Value),
    /// Removes a key; one that is not there is no error.
    Delete(Table, Key),
}

/// How sure the disk must be before a batch counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Handed to the operating system: survives a killed browser.
    #[default]
    Relaxed,
    /// Flushed to the disk: survives a power cut too.
    Strict,
}

/// Changes that happen all or not at all.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// Values that must stand in the store for the batch to happen (`None`: no value).
    pub require: Vec<(Table, Key, Option<Value>)>,
    /// See [`Durability`].
    pub durability: Durability,
}

impl Batch {
    /// A batch of `changes` that needs nothing.
    pub fn of(changes: Vec<Change>) -> Self {
        Self {
            changes,
            ..Self::default()
        }
    }

    /// The same batch, flushed to the disk.
    pub fn strict(mut self) -> Self {
        self.durability = Durability::Strict;
        self
    }

    /// Puts a value under a key under which nothing may be.
    pub fn add(&mut self, table: Table, key: Key, value: Value) {
        self.require.push((table, key.clone(), None));
        self.changes.push(Change::Put(table, key, value));
    }

    /// What is put where it is required that nothing is, if it is put there once.
    pub fn added(&self) -> impl Iterator<Item = (Table, &Key)> {
        let nothing = self.require.iter().filter(|(.., value)| value.is_none());
        nothing.map(|(table, key, _)| (*table, key)).filter(|at| {
            let of = |change: &&Change| match change {
                Change::Put(table, key, _) | Change::Delete(table, key) => (*table, key) == *at,
            };
            let mut changes = self.changes.iter().filter(of);
            matches!(changes.next(), Some(Change::Put(..))) && changes.next().is_none()
        })
    }

    /// The tables the batch touches, each once.
    pub fn tables(&self) -> Vec<Table> {
        let changed = self.changes.iter().map(|change| match change {
            Change::Put(table, ..) | Change::Delete(table, _) => *table,
        });
        let mut tables: Vec<Table> = changed
            .chain(self.require.iter().map(|(table, ..)| *table))
            .collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }
}

/// Why the store could not do what was asked. Nothing of the batch has happened then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The disk, or the browser's share of it, is full.
    #[error("the browser's storage is full")]
    Full,
    /// A required value was another one: somebody else wrote.
    #[error("another tab changed the workspace")]
    Conflict,
    /// Another tab has taken the claim: see `kernel::tabs`.
    #[error("another tab has taken over")]
    TakenOver,
    /// The database was closed under us (cleared, deleted, or upgraded by another tab).
    #[error("the browser closed the storage")]
    Closed,
    /// What was read is not what was written.
    #[error("the storage holds something unreadable: {0}")]
    Corrupt(String),
    /// The transaction was aborted, with the browser's reason.
    #[error("the browser refused to save: {0}")]
    Aborted(String),
    /// The database can't be opened at all.
    #[error("the browser offers no storage: {0}")]
    Unavailable(String),
}

/// How full the place is in which a store lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub struct Room {
    /// Bytes in use.
    pub used: u64,
    /// Bytes that there may be at most.
    pub quota: u64,
}

impl Room {
    /// Bytes that still fit.
    pub fn free(self) -> u64 {
        self.quota.saturating_sub(self.used)
    }
}

/// A transactional key-value store.
pub trait Store {
    /// The value under `key`, if there is one.
    fn get(&self, table: Table, key: Key) -> LocalBoxFuture<'_, Result<Option<Value>, StoreError>>;

    /// The values under several keys of a table, in the order of the keys.
    fn get_all(
        &self,
        table: Table,
        keys: Vec<Key>,
    ) -> LocalBoxFuture<'_, Result<Vec<Option<Value>>, StoreError>> {
        Box::pin(async move {
            let mut values = Vec::new();
            for key in keys {
                values.push(self.get(table, key).await?);
            }
            Ok(values)
        })
    }

    /// All keys that begin with the parts of `prefix`, with their values, in the order of the keys.
    fn list(
        &self,
        table: Table,
        prefix: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>>;

    /// As [`Store::list`], but only what comes behind the key `after`.
    fn list_after(
        &self,
        table: Table,
        prefix: Key,
        after: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>>;

    /// As [`Store::list`], without reading the values.
    fn keys(&self, table: Table, prefix: Key) -> LocalBoxFuture<'_, Result<Vec<Key>, StoreError>>;

    /// Makes all changes of the batch, or none. Resolves once they are durable
    /// to the degree asked for. Batches handed in first happen first.
    fn apply(&self, batch: Batch) -> LocalBoxFuture<'_, Result<(), StoreError>>;

    /// Begins a new log where the store has one. Behind a kill the log's end may be torn,
    /// and what follows a torn end can be lost with the next kill.
    fn renew(&self) -> LocalBoxFuture<'_, ()>;

    /// Whether what is handed in now would be taken, as far as claims go. For what is done
    /// outside of the store, which knows of none.
    fn check_claim(&self) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// How full the place is, if it tells.
    fn room(&self) -> LocalBoxFuture<'_, Option<Room>> {
        Box::pin(std::future::ready(None))
    }

    /// Has everything that was applied so far flushed to the disk, without
    /// making anybody wait. If that fails, so will the batches to come.
    fn flush(&self);
}
