//! Sessions, transcripts and what is kept beside them, as rows of the store.

use super::{Record, Session};
use crate::kernel::approval::Rule;
use crate::kernel::store::{Change, Key, Part, Store, StoreError, Table, Value};

/// Where a session's rows lie, its own row aside.
pub const TABLES: [Table; 4] = [
    Table::Messages,
    Table::Traces,
    Table::Overflow,
    Table::Journal,
];

/// The change that keeps the messages that wait for a session's next round.
pub fn queue_change(session: &str, texts: &[String]) -> Change {
    let key = journal_key(session, QUEUE);
    match texts {
        [] => Change::Delete(Table::Journal, key),
        texts => Change::Put(Table::Journal, key, Value::record(texts)),
    }
}

/// The change that keeps the rules that hold for a session alone.
pub fn rules_change(session: &str, rules: &[Rule]) -> Change {
    Change::Put(
        Table::Journal,
        journal_key(session, RULES),
        Value::record(rules),
    )
}

/// The change that keeps which call of a session waits for the user's word on what it came
/// to. Once it has a result, that tells nothing more.
pub fn asked_change(session: &str, call_id: &str) -> Change {
    let key = journal_key(session, ASKED);
    Change::Put(Table::Journal, key, Value::record(call_id))
}

/// The change that keeps whether a run of a session waits for an answer of the user. It
/// tells that only as long as the run is open.
pub fn waits_change(session: &str, waits: bool) -> Change {
    let key = waits_key(session);
    match waits {
        true => Change::Put(Table::Journal, key, Value::record(&waits)),
        false => Change::Delete(Table::Journal, key),
    }
}

/// Where that is kept.
pub fn waits_key(session: &str) -> Key {
    journal_key(session, WAITS)
}

/// The call that waited last.
///
/// # Errors
/// What the store says.
pub async fn asked(store: &dyn Store, session: &str) -> Result<Option<String>, StoreError> {
    let row = store.get(Table::Journal, journal_key(session, ASKED));
    row.await?.map(|value| value.parse()).transpose()
}

/// What a session keeps beside its transcript: waiting messages and rules.
///
/// # Errors
/// What the store says.
pub async fn journal(
    store: &dyn Store,
    session: &str,
) -> Result<(Vec<String>, Vec<Rule>), StoreError> {
    let queue = store
        .get(Table::Journal, journal_key(session, QUEUE))
        .await?;
    let rules = store
        .get(Table::Journal, journal_key(session, RULES))
        .await?;
    let queue = queue.map(|value| value.parse()).transpose()?;
    let rules = rules.map(|value| value.parse()).transpose()?;
    Ok((queue.unwrap_or_default(), rules.unwrap_or_default()))
}

const QUEUE: &str = "queue";
const RULES: &str = "rules";
const ASKED: &str = "asked";
const WAITS: &str = "waits";

fn journal_key(session: &str, name: &str) -> Key {
    Key::new([session.into(), name.into()])
}

/// Reads the list of sessions, newest first.
///
/// # Errors
/// What the store says.
pub async fn list(store: &dyn Store) -> Result<Vec<Session>, StoreError> {
    let rows = store.list(Table::Sessions, Key(Vec::new())).await?;
    let mut sessions = rows
        .iter()
        .map(|(_, value)| value.parse())
        .collect::<Result<Vec<Session>, _>>()?;
    sessions.sort_by(|a, b| {
        b.updated_ms
            .cmp(&a.updated_ms)
            .then_with(|| b.id.cmp(&a.id))
    });
    Ok(sessions)
}

/// Reads a session's transcript.
///
/// # Errors
/// What the store says.
pub async fn records(store: &dyn Store, session: &str) -> Result<Vec<Record>, StoreError> {
    let prefix = Key::new([Part::from(session)]);
    let rows = store.list(Table::Messages, prefix).await?;
    rows.iter().map(|(_, value)| value.parse()).collect()
}
