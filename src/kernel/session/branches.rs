//! Branches of a conversation. What stands in a transcript is the one that is shown and
//! sent; the others are kept beside it, each as the records from where it parts. To go to
//! another one is to change places, in one batch. So whatever reads a transcript, the
//! builds before this one too, reads one straight conversation, and numbers of records
//! grow along each branch and are never given twice.

use super::{Entry, Record, rewind};
use crate::kernel::store::{Change, Key, Part, Store, StoreError, Table, Value};
use crate::plain::Plain;

/// The name in the journal under which all of it is kept.
const BRANCHES: &str = "branches";

/// A branch that is kept aside.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Branch {
    /// Tells it from all others of the session, also those there were: its last record.
    pub n: u64,
    /// The record that it follows, wherever that is now; `None`: it begins the conversation.
    pub after: Option<u64>,
    /// Its first record.
    pub first: u64,
    /// Whether its run was cut off.
    pub interrupted: bool,
}

/// A place where the conversation that is shown could go on in other ways.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Fork {
    /// The task at which it is told.
    pub task: u64,
    /// Whether the ways begin with other words of that task, and not with other answers.
    pub is_of_task: bool,
    /// Which of the ways is shown, from 0.
    pub at: usize,
    /// The branches, the oldest first; `None`: the one that is shown.
    pub ways: Vec<Option<u64>>,
}

/// The branches of a session that are kept aside.
///
/// # Errors
/// What the store says.
pub async fn branches(store: &dyn Store, session: &str) -> Result<Vec<Branch>, StoreError> {
    let row = store.get(Table::Journal, list_key(session)).await?;
    let branches = row.map(|value| value.parse()).transpose()?;
    Ok(branches.unwrap_or_default())
}

/// The change that keeps the list of them.
pub fn branches_change(session: &str, branches: &[Branch]) -> Change {
    let key = list_key(session);
    match branches {
        [] => Change::Delete(Table::Journal, key),
        branches => Change::Put(Table::Journal, key, Value::record(branches)),
    }
}

/// Takes the records behind `at` out of the transcript, as a branch of the list, and gives
/// the changes to the rows. Where nothing stands behind it there is no branch.
pub fn set_aside(
    session: &str,
    records: &[Record],
    at: usize,
    interrupted: bool,
    branches: &mut Vec<Branch>,
) -> Vec<Change> {
    let (Some(first), Some(last)) = (records.get(at), records.last()) else {
        return Vec::new();
    };
    let n = last.seq;
    branches.push(Branch {
        n,
        after: at.checked_sub(1).map(|before| records[before].seq),
        first: first.seq,
        interrupted,
    });
    let moved = records[at..].iter().flat_map(|record| {
        let from = Key::new([session.into(), record.seq.into()]);
        [
            put(session, n, record),
            Change::Delete(Table::Messages, from),
        ]
    });
    moved.collect()
}

/// Takes branch `n` out of the list, and gives it with the changes that put its records
/// into the transcript. They come behind those that set the other one aside.
///
/// # Errors
/// What the store says.
pub async fn take_up(
    store: &dyn Store,
    session: &str,
    n: u64,
    branches: &mut Vec<Branch>,
) -> Result<Option<(Branch, Vec<Change>)>, StoreError> {
    let Some(at) = branches.iter().position(|branch| branch.n == n) else {
        return Ok(None);
    };
    let rows = store.list(Table::Journal, records_key(session, n)).await?;
    let mut changes = Vec::new();
    for (key, value) in rows {
        let record: Record = value.parse()?;
        changes.push(Change::Delete(Table::Journal, key));
        changes.push(record.put(session));
    }
    Ok(Some((branches.remove(at), changes)))
}

/// The changes that make what was taken back a branch of the list: the conversation goes on
/// elsewhere, and it can be gone back to from there.
///
/// # Errors
/// What the store says.
pub async fn keep_taken_back(
    store: &dyn Store,
    session: &str,
    records: &[Record],
    branches: &mut Vec<Branch>,
) -> Result<Vec<Change>, StoreError> {
    let steps = rewind::undone(store, session).await?;
    let taken_back = rewind::records(store, session).await?;
    let mut changes = rewind::rows_gone(store, session).await?;
    let (Some(first), Some(last)) = (taken_back.first(), taken_back.last()) else {
        return Ok(changes);
    };
    let (first, n) = (first.seq, last.seq);
    let of_chat = steps.iter().find(|step| step.extent.has_chat());
    branches.push(Branch {
        n,
        after: last_before(records, first),
        first,
        interrupted: of_chat.is_some_and(|step| step.interrupted),
    });
    changes.extend(taken_back.iter().map(|record| put(session, n, record)));
    Ok(changes)
}

/// The changes that give records which are forgotten to the branches that follow them;
/// nothing else has them then.
pub(super) fn adopt(
    session: &str,
    records: &[Record],
    forgotten: &[Record],
    branches: &mut [Branch],
) -> Vec<Change> {
    let Some(first) = forgotten.first().map(|record| record.seq) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    for branch in branches.iter_mut() {
        let follows = |record: &Record| branch.after == Some(record.seq);
        if let Some(last) = forgotten.iter().position(follows) {
            let own = forgotten[..=last].iter();
            changes.extend(own.map(|record| put(session, branch.n, record)));
            branch.first = first;
            branch.after = last_before(records, first);
        }
    }
    if !changes.is_empty() {
        changes.push(branches_change(session, branches));
    }
    changes
}

/// The records of branch `n`.
///
/// # Errors
/// What the store says.
pub async fn records(store: &dyn Store, session: &str, n: u64) -> Result<Vec<Record>, StoreError> {
    let rows = store.list(Table::Journal, records_key(session, n)).await?;
    rows.iter().map(|(_, value)| value.parse()).collect()
}

/// The numbers of all records that stand aside.
///
/// # Errors
/// What the store says.
pub async fn aside(store: &dyn Store, session: &str) -> Result<Vec<u64>, StoreError> {
    let keys = store.keys(Table::Journal, list_key(session)).await?;
    let seq = |key: Key| match key.0.get(3) {
        Some(Part::Number(seq)) => Some(*seq),
        _ => None,
    };
    Ok(keys.into_iter().filter_map(seq).collect())
}

/// The places where the conversation of `records` could go on in other ways. Behind a task
/// at the end an answer is about to come, which is the newest way from there.
pub fn forks(records: &[Record], branches: &[Branch]) -> Vec<Fork> {
    // A title that came late says nothing of the conversation.
    let is_said = |record: &&Record| !matches!(record.entry, Entry::Titled { .. });
    let is_task = |record: &Record| matches!(record.entry, Entry::User { .. });
    let mut forks: Vec<Fork> = Vec::new();
    for at in 0..=records.len() {
        let before = at.checked_sub(1).map(|before| &records[before]);
        let after = before.map(|record| record.seq);
        let others = branches.iter().filter(|branch| branch.after == after);
        let mut ways: Vec<(u64, Option<u64>)> = others
            .map(|branch| (branch.first, Some(branch.n)))
            .collect();
        if ways.is_empty() {
            continue;
        }
        let shown = records[at..].iter().find(is_said);
        let (task, is_of_task) = match (shown, before) {
            (Some(task), _) if is_task(task) => (task.seq, true),
            (Some(_), Some(before)) => (before.seq, false),
            (None, Some(before)) if is_task(before) => (before.seq, false),
            _ => continue,
        };
        let first = records.get(at).map_or(u64::MAX, |record| record.seq);
        ways.push((first, None));
        ways.sort_unstable();
        let ways: Vec<Option<u64>> = ways.into_iter().map(|(_, way)| way).collect();
        let at = ways.iter().position(Option::is_none).unwrap_or_default();
        forks.push(Fork {
            task,
            is_of_task,
            at,
            ways,
        });
    }
    forks
}

fn list_key(session: &str) -> Key {
    Key::new([session.into(), BRANCHES.into()])
}

fn records_key(session: &str, n: u64) -> Key {
    Key::new([session.into(), BRANCHES.into(), n.into()])
}

/// The change that keeps a record of branch `n`.
pub fn put(session: &str, n: u64, record: &Record) -> Change {
    let key = Key::new([session.into(), BRANCHES.into(), n.into(), record.seq.into()]);
    Change::Put(Table::Journal, key, Value::record(record))
}

/// The last record that stands before `seq`.
fn last_before(records: &[Record], seq: u64) -> Option<u64> {
    let mut before = records.iter().rev();
    let last = before.find(|record| record.seq < seq);
    last.map(|record| record.seq)
}
