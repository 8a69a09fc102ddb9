//! The store in memory: the twin for native tests, and what serves a browser
//! that offers no IndexedDB.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::task::Poll;

use futures::future::{LocalBoxFuture, ready};

use super::{Batch, Change, Key, Room, Store, StoreError, Table, Value};

/// A store that forgets everything when it is dropped.
#[derive(Default)]
pub struct MemoryStore {
    rows: RefCell<BTreeMap<(Table, Key), Value>>,
    applied: Cell<u64>,
    changed: Cell<u64>,
    asked: Cell<u64>,
    fault: Cell<Option<(u64, Fault)>>,
    quota: Cell<Option<u64>>,
}

/// What [`MemoryStore::fail_at`] makes go wrong.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// That batch alone finds the disk full.
    Full,
    /// From that batch on the store is closed.
    Closed,
}

impl MemoryStore {
    /// Makes the batch with number `n` (the first is 0) fail.
    pub fn fail_at(&self, n: u64, fault: Fault) {
        self.fault.set(Some((n, fault)));
    }

    /// Bounds the bytes of all values together. What only removes always has room.
    pub fn set_quota(&self, bytes: Option<u64>) {
        self.quota.set(bytes);
    }

    /// Bytes of all values together.
    pub fn used(&self) -> u64 {
        self.rows.borrow().values().map(Value::size).sum()
    }

    /// Whether `batch` comes to more than there may be.
    fn is_too_much(&self, batch: &Batch) -> bool {
        let puts = batch.changes.iter().filter_map(|change| match change {
            Change::Put(_, _, value) => Some(value.size()),
            Change::Delete(..) => None,
        });
        let more: u64 = puts.sum();
        let quota = self.quota.get().unwrap_or(u64::MAX);
        more > 0 && self.used() + more > quota
    }

    /// How many batches were handed in.
    pub fn batches(&self) -> u64 {
        self.applied.get()
    }

    /// How many changes were made, of all batches together.
    pub fn changes(&self) -> u64 {
        self.changed.get()
    }

    /// How often rows were asked for by their keys; several at once count as one.
    pub fn asked(&self) -> u64 {
        self.asked.get()
    }

    /// A store with the same rows: what a killed kernel leaves behind.
    pub fn snapshot(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            ..Self::default()
        }
    }

    /// Everything it holds, as text to be searched.
    pub fn dump(&self) -> String {
        format!("{:?}", self.rows.borrow())
    }

    fn check(&self, batch: &Batch) -> Result<(), StoreError> {
        let n = self.applied.replace(self.applied.get() + 1);
        match self.fault.get() {
            Some((at, Fault::Full)) if n == at => return Err(StoreError::Full),
            Some((at, Fault::Closed)) if n >= at => return Err(StoreError::Closed),
            _ => {}
        }
        if self.is_too_much(batch) {
            return Err(StoreError::Full);
        }
        let rows = self.rows.borrow();
        let met = batch
            .require
            .iter()
            .all(|(table, key, wanted)| rows.get(&(*table, key.clone())) == wanted.as_ref());
        if met {
            Ok(())
        } else {
            Err(StoreError::Conflict)
        }
    }

    fn write(&self, batch: Batch) -> Result<(), StoreError> {
        self.check(&batch)?;
        let mut rows = self.rows.borrow_mut();
        self.changed
            .set(self.changed.get() + batch.changes.len() as u64);
        for change in batch.changes {
            match change {
                Change::Put(table, key, value) => rows.insert((table, key), value),
                Change::Delete(table, key) => rows.remove(&(table, key)),
            };
        }
        Ok(())
    }

    fn under(&self, table: Table, prefix: &Key) -> Vec<(Key, Value)> {
        self.rows
            .borrow()
            .range((table, prefix.clone())..)
            .take_while(|((at, key), _)| *at == table && key.0.starts_with(&prefix.0))
            .map(|((_, key), value)| (key.clone(), value.clone()))
            .collect()
    }
}

impl Store for MemoryStore {
    fn get(&self, table: Table, key: Key) -> LocalBoxFuture<'_, Result<Option<Value>, StoreError>> {
        Box::pin(async move {
            self.asked.set(self.asked.get() + 1);
            yield_once().await;
            Ok(self.rows.borrow().get(&(table, key)).cloned())
        })
    }

    fn get_all(
        &self,
        table: Table,
        keys: Vec<Key>,
    ) -> LocalBoxFuture<'_, Result<Vec<Option<Value>>, StoreError>> {
        Box::pin(async move {
            self.asked.set(self.asked.get() + 1);
            yield_once().await;
            let rows = self.rows.borrow();
            let row = |key| rows.get(&(table, key)).cloned();
            Ok(keys.into_iter().map(row).collect())
        })
    }

    fn list(
        &self,
        table: Table,
        prefix: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        Box::pin(ready(Ok(self.under(table, &prefix))))
    }

    fn list_after(
        &self,
        table: Table,
        prefix: Key,
        after: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        let mut rows = self.under(table, &prefix);
        rows.retain(|(key, _)| *key > after);
        Box::pin(ready(Ok(rows)))
    }

    fn keys(&self, table: Table, prefix: Key) -> LocalBoxFuture<'_, Result<Vec<Key>, StoreError>> {
        let rows = self.under(table, &prefix);
        Box::pin(ready(Ok(rows.into_iter().map(|(key, _)| key).collect())))
    }

    fn room(&self) -> LocalBoxFuture<'_, Option<Room>> {
        let used = self.used();
        let room = self.quota.get().map(|quota| Room { used, quota });
        Box::pin(ready(room))
    }

    fn flush(&self) {}

    fn renew(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(ready(()))
    }

    fn apply(&self, batch: Batch) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            yield_once().await;
            self.write(batch)?;
            yield_once().await;
            Ok(())
        })
    }
}

/// Gives way once, as a real store would: tests can kill the kernel before a
/// batch and between a batch and the news of it.
async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
