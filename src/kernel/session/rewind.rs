//! Going back in a transcript. The records behind the place are taken out of it and kept
//! beside it, so that they can be brought in again as long as nothing new was said.

use super::{Record, branches};
use crate::kernel::store::{Batch, Change, Key, Part, Store, StoreError, Table, Value};
use crate::plain::Plain;

/// The name in the journal under which all of it is kept.
const UNDONE: &str = "undone";

/// What is gone back in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Extent {
    /// The files alone.
    Files,
    /// The conversation alone.
    Chat,
    /// Both, in one step.
    Both,
}

impl Extent {
    /// Whether files are meant.
    pub fn has_files(self) -> bool {
        self != Extent::Chat
    }

    /// Whether the conversation is meant.
    pub fn has_chat(self) -> bool {
        self != Extent::Files
    }
}

/// One step back that can be undone.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Undone {
    /// The message with which the rounds begin that were taken back.
    pub seq: u64,
    /// What was taken back.
    pub extent: Extent,
    /// The generation of the files before that.
    pub generation: u64,
    /// Whether the session's run was cut off then.
    pub interrupted: bool,
}

/// The steps back that can be undone, the last one at the end.
///
/// # Errors
/// What the store says.
pub async fn undone(store: &dyn Store, session: &str) -> Result<Vec<Undone>, StoreError> {
    let steps = store.get(Table::Journal, step_key(session)).await?;
    let steps = steps.map(|value| value.parse()).transpose()?;
    Ok(steps.unwrap_or_default())
}

/// The change that keeps them.
pub fn undone_change(session: &str, steps: &[Undone]) -> Change {
    let key = step_key(session);
    match steps {
        [] => Change::Delete(Table::Journal, key),
        steps => Change::Put(Table::Journal, key, Value::record(steps)),
    }
}

/// The changes that take the records from `seq` on out of the transcript; `n` numbers the
/// step, from 0.
pub fn take_out(session: &str, records: &[Record], seq: u64, n: usize) -> Vec<Change> {
    let behind = records.iter().filter(|record| record.seq >= seq);
    let moved = behind.flat_map(|record| {
        let mut key = step_records(session, n);
        key.0.push(record.seq.into());
        let from = Key::new([session.into(), record.seq.into()]);
        [
            Change::Put(Table::Journal, key, Value::record(record)),
            Change::Delete(Table::Messages, from),
        ]
    });
    moved.collect()
}

/// The changes that bring the records of step `n` in again.
///
/// # Errors
/// What the store says.
pub async fn bring_in(
    store: &dyn Store,
    session: &str,
    n: usize,
) -> Result<Vec<Change>, StoreError> {
    let rows = store.list(Table::Journal, step_records(session, n)).await?;
    let mut changes = Vec::new();
    for (key, value) in rows {
        let record: Record = value.parse()?;
        changes.push(record.put(session));
        changes.push(Change::Delete(Table::Journal, key));
    }
    Ok(changes)
}

/// The changes that give up bringing anything in again: something new is being said. What
/// other branches follow of it stays with these.
///
/// # Errors
/// What the store says.
pub async fn forget(store: &dyn Store, session: &str) -> Result<Vec<Change>, StoreError> {
    let mut changes = rows_gone(store, session).await?;
    if changes.is_empty() {
        return Ok(changes);
    }
    let mut others = branches::branches(store, session).await?;
    if !others.is_empty() {
        let forgotten = records(store, session).await?;
        let stays = super::records(store, session).await?;
        changes.extend(branches::adopt(session, &stays, &forgotten, &mut others));
    }
    Ok(changes)
}

/// The changes that remove all that is kept of it.
pub(super) async fn rows_gone(store: &dyn Store, session: &str) -> Result<Vec<Change>, StoreError> {
    let keys = store.keys(Table::Journal, step_key(session)).await?;
    let delete = |key| Change::Delete(Table::Journal, key);
    Ok(keys.into_iter().map(delete).collect())
}

/// All records that can be brought in again in a session, in order.
///
/// # Errors
/// What the store says.
pub async fn records(store: &dyn Store, session: &str) -> Result<Vec<Record>, StoreError> {
    let rows = store.list(Table::Journal, step_key(session)).await?;
    let of_record = rows.iter().filter(|(key, _)| key.0.len() > 3);
    let records = of_record.map(|(_, value)| value.parse());
    let mut records = records.collect::<Result<Vec<Record>, _>>()?;
    // The last step took back what came first.
    records.sort_by_key(|record| record.seq);
    Ok(records)
}

/// The batch that gives up bringing anything in again, if there is anything. It fails if
/// something was taken back or brought in meanwhile.
///
/// # Errors
/// What the store says.
pub async fn forgetting(store: &dyn Store, session: &str) -> Result<Option<Batch>, StoreError> {
    let steps = store.get(Table::Journal, step_key(session)).await?;
    let gone = forget(store, session).await?;
    if gone.is_empty() {
        return Ok(None);
    }
    let mut batch = Batch::of(gone);
    let known = (Table::Journal, step_key(session), steps);
    batch.require.push(known);
    Ok(Some(batch))
}

/// Bytes of all that can be brought in again in a session.
///
/// # Errors
/// What the store says.
pub async fn size(store: &dyn Store, session: &str) -> Result<u64, StoreError> {
    let rows = store.list(Table::Journal, step_key(session)).await?;
    Ok(rows.iter().map(|(_, value)| value.size()).sum())
}

fn step_key(session: &str) -> Key {
    Key::new([session.into(), UNDONE.into()])
}

fn step_records(session: &str, n: usize) -> Key {
    Key::new([session.into(), UNDONE.into(), Part::from(n as u64)])
}
