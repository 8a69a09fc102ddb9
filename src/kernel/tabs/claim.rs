//! The claim: a row of the store that names the tab which may write. Every batch requires
//! that it still stands, in its own transaction, but for commits of files alone, which
//! happen only right behind the last one that their tab has seen. So who has lost it can write nothing any
//! more, whatever it still believes: a tab that was frozen in the middle of a run and wakes
//! up after another has taken over changes nothing.

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::{Channel, Hint};
use crate::kernel::clock::Random;
use crate::kernel::store::{Batch, Change, Key, Part, Room, Store, StoreError, Table, Value};

/// A store as the tab with the claim sees it. What is saved is told to the other tabs.
pub struct ClaimedStore {
    store: Rc<dyn Store>,
    channel: Rc<dyn Channel>,
    /// The claim as it must stand; `None`: nobody has ever taken it from another.
    claim: Option<Value>,
    lost: Cell<bool>,
    on_lost: Rc<dyn Fn()>,
}

fn key() -> Key {
    Key::new(["writer".into()])
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
        let claim = store.get(Table::Settings, key()).await?;
        Ok(Rc::new(Self {
            store,
            channel,
            claim,
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
        random: &dyn Random,
        on_lost: Rc<dyn Fn()>,
    ) -> Result<Rc<Self>, StoreError> {
        let claim = Value::record(&format!("{:016x}", random.next_u64()));
        let put = Change::Put(Table::Settings, key(), claim.clone());
        store.apply(Batch::of(vec![put])).await?;
        channel.tell(vec![Hint::TakenOver]);
        Ok(Rc::new(Self {
            store,
            channel,
            claim: Some(claim),
            lost: Cell::new(false),
            on_lost,
        }))
    }

    /// Looks whether another has taken the claim.
    pub async fn look(&self) {
        let stands = self.store.get(Table::Settings, key()).await;
        if stands.is_ok_and(|stands| stands != self.claim) {
            self.lose();
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
            if !follows_its_own(&batch) {
                let require = (Table::Settings, key(), self.claim.clone());
                batch.require.push(require);
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

/// Whether a batch is a commit of files alone. It takes the next number's place, so it
/// fails where another tab has committed since: it needs no claim, and what that costs to
/// read would be half of what a small change costs.
fn follows_its_own(batch: &Batch) -> bool {
    let is_of_files = |change: &Change| {
        let (Change::Put(table, ..) | Change::Delete(table, _)) = change;
        matches!(
            table,
            Table::Changes | Table::Blobs | Table::Checkpoints | Table::Workspaces
        )
    };
    batch.added().any(|(table, _)| table == Table::Changes) && batch.changes.iter().all(is_of_files)
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
