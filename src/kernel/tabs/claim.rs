//! The claim: which tab may write. Each tab that takes it from another puts a row under the
//! next number, and every batch requires, in its own transaction, that there is none behind
//! its tab's: that nothing is there can be had without waiting for an answer. A commit of
//! files alone is spared even that: whoever takes the claim puts a commit of its own into
//! every workspace, in the place that the next one would have. So who has lost the claim can
//! write nothing any more, whatever it still believes: a tab that was frozen in the middle of
//! a run and wakes up after another has taken over changes nothing.

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::{Channel, Hint};
use crate::kernel::store::{Batch, Change, Key, Part, Room, Store, StoreError, Table, Value};
use crate::kernel::workspace::fence;

/// A store as the tab with the claim sees it. What is saved is told to the other tabs.
pub struct ClaimedStore {
    store: Rc<dyn Store>,
    channel: Rc<dyn Channel>,
    /// How often the claim had been taken from another when this tab got it.
    turn: u64,
    lost: Cell<bool>,
    on_lost: Rc<dyn Fn()>,
}

/// What the keys of all claims begin with.
const WRITER: &str = "writer";

fn key(turn: u64) -> Key {
    Key::new([WRITER.into(), turn.into()])
}

/// The last claim that was taken.
async fn last_turn(store: &dyn Store) -> Result<u64, StoreError> {
    let prefix = Key::new([WRITER.into()]);
    let keys = store.keys(Table::Settings, prefix).await?;
    let turn = |key: &Key| match key.0.last() {
        Some(Part::Number(turn)) => *turn,
        _ => 0,
    };
    Ok(keys.iter().map(turn).max().unwrap_or(0))
}

impl ClaimedStore {
    /// Goes on under the claim that stands. For who knows that whoever had it has ended.
    ///
    /// # Errors
    /// What the store says.
    pub async fn inherit(
        store: Rc<dyn Store>,
        channel: Rc<dyn Channel>,
        on_lost: Rc<dyn Fn()>,
    ) -> Result<Rc<Self>, StoreError> {
        let turn = last_turn(&*store).await?;
        Ok(Rc::new(Self {
            store,
            channel,
            turn,
            lost: Cell::new(false),
            on_lost,
        }))
    }

    /// Takes the claim from whoever has it: what that one has not saved by now, it never
    /// will. `on_lost` is called once when another takes it in turn.
    ///
    /// # Errors
    /// What the store says; then the claim is where it was.
    pub async fn take(
        store: Rc<dyn Store>,
        channel: Rc<dyn Channel>,
        on_lost: Rc<dyn Fn()>,
    ) -> Result<Rc<Self>, StoreError> {
        let turn = loop {
            let turn = last_turn(&*store).await? + 1;
            let mut batch = Batch::default();
            batch.add(Table::Settings, key(turn), Value::record(&turn));
            fence(&*store, &mut batch).await?;
            match store.apply(batch).await {
                // Another was quicker, or wrote once more: this one takes it from that.
                Err(StoreError::Conflict) => {}
                applied => break applied.map(|()| turn)?,
            }
        };
        channel.tell(vec![Hint::TakenOver]);
        Ok(Rc::new(Self {
            store,
            channel,
            turn,
            lost: Cell::new(false),
            on_lost,
        }))
    }

    /// Looks whether another has taken the claim.
    pub async fn look(&self) {
        // What can't be told is told by the next batch.
        drop(self.check().await);
    }

    async fn check(&self) -> Result<(), StoreError> {
        if self.lost.get() {
            return Err(StoreError::TakenOver);
        }
        let next = self.store.get(Table::Settings, key(self.turn + 1)).await?;
        if next.is_some() {
            self.lose();
        }
        match self.lost.get() {
            true => Err(StoreError::TakenOver),
            false => Ok(()),
        }
    }

    /// Saves nothing from now on.
    pub fn let_go(&self) {
        self.lost.set(true);
    }

    fn lose(&self) {
        if !self.lost.replace(true) {
            (self.on_lost)();
        }
    }
}

impl Store for ClaimedStore {
    fn get(&self, table: Table, key: Key) -> LocalBoxFuture<'_, Result<Option<Value>, StoreError>> {
        self.store.get(table, key)
    }

    fn get_all(
        &self,
        table: Table,
        keys: Vec<Key>,
    ) -> LocalBoxFuture<'_, Result<Vec<Option<Value>>, StoreError>> {
        self.store.get_all(table, keys)
    }

    fn list(
        &self,
        table: Table,
        prefix: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        self.store.list(table, prefix)
    }

    fn list_after(
        &self,
        table: Table,
        prefix: Key,
        after: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        self.store.list_after(table, prefix, after)
    }

    fn keys(&self, table: Table, prefix: Key) -> LocalBoxFuture<'_, Result<Vec<Key>, StoreError>> {
        self.store.keys(table, prefix)
    }

    fn apply(&self, mut batch: Batch) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            if self.lost.get() {
                return Err(StoreError::TakenOver);
            }
            let hints = hints_of(&batch);
            if !is_commit_alone(&batch) {
                let next = (Table::Settings, key(self.turn + 1), None);
                batch.require.push(next);
            }
            let applied = self.store.apply(batch).await;
            if applied == Err(StoreError::Conflict) {
                self.look().await;
                if self.lost.get() {
                    return Err(StoreError::TakenOver);
                }
            }
            applied?;
            if !hints.is_empty() {
                self.channel.tell(hints);
            }
            Ok(())
        })
    }

    fn check_claim(&self) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.check())
    }

    fn room(&self) -> LocalBoxFuture<'_, Option<Room>> {
        self.store.room()
    }

    fn renew(&self) -> LocalBoxFuture<'_, ()> {
        self.store.renew()
    }

    fn flush(&self) {
        self.store.flush();
    }
}

/// Whether it is a commit of files and nothing else, which the next commit's place binds to
/// the claim: see [`fence`]. The first of a workspace writes that workspace's row too.
fn is_commit_alone(batch: &Batch) -> bool {
    let mut tables = batch.tables().into_iter();
    let of_files = [Table::Blobs, Table::Changes, Table::Checkpoints];
    tables.all(|table| of_files.contains(&table))
        && batch.added().any(|(table, _)| table == Table::Changes)
}

/// Where it is worth looking once the batch has happened.
fn hints_of(batch: &Batch) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    for change in &batch.changes {
        let (Change::Put(table, key, _) | Change::Delete(table, key)) = change;
        let name = match key.0.first() {
            Some(Part::Text(name)) => name.as_str(),
            _ => "",
        };
        let hint = match table {
            Table::Workspaces | Table::Changes => Hint::Files(name.to_owned()),
            // Thousands of one session may be in a batch, one behind the other.
            Table::Sessions | Table::Messages | Table::Journal => match hints.last() {
                Some(Hint::Session(last)) if last == name => continue,
                _ => Hint::Session(name.to_owned()),
            },
            Table::Settings | Table::Vault => Hint::Settings,
            Table::Nodes | Table::Blobs | Table::Checkpoints | Table::Traces | Table::Overflow => {
                continue;
            }
        };
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}
