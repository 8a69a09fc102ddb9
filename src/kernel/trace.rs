//! What happened in each round, for whoever wants to know exactly: the request
//! as sent, the response as it came, times, tokens and cost. Kept apart from the
//! transcript, and removed without harm to it.

mod export;
mod otlp;

use super::event::Retry;
use super::session::{ToolCall, Usage};
use super::store::{Batch, Change, Key, Store, StoreError, Table, Value};
use crate::plain::Plain;

pub use self::export::{export, export_json, file_name};
pub use self::otlp::export_otlp;

/// Rounds of a session that are kept; the oldest go first.
pub const MAX_ROUNDS: usize = 500;
/// Bytes of a request and of a response that are kept.
pub const MAX_BODY: usize = 256 * 1024;

/// One round of a session.
#[derive(Debug, Clone, Default, PartialEq, Plain)]
#[plain(default)]
pub struct RoundTrace {
    /// The record of the round's message: tells it from others of the session.
    pub seq: u64,
    /// Its number within the run, from 1.
    pub round: u32,
    /// What the request was for.
    pub purpose: Purpose,
    /// The host that was asked.
    pub host: String,
    /// The model that was asked.
    pub model: String,
    /// When the request went out, milliseconds since the Unix epoch.
    pub sent_ms: u64,
    /// From `sent_ms` to the response's head, milliseconds.
    pub head_ms: u64,
    /// From `sent_ms` to the first piece of the message, milliseconds.
    pub first_ms: u64,
    /// From `sent_ms` to the message's end, milliseconds.
    pub end_ms: u64,
    /// Bytes of the request that the one before had sent already, from its start.
    pub same_bytes: u64,
    /// The request's body behind those, secrets replaced.
    pub request: String,
    /// The HTTP status.
    pub status: u16,
    /// The response's body as it came, secrets replaced.
    pub response: String,
    /// The calls of the message.
    pub calls: Vec<ToolCall>,
    /// What became of them.
    pub results: Vec<CallTrace>,
    /// Tokens, where the endpoint counted.
    pub usage: Option<Usage>,
    /// Their cost in millionths of a dollar, where prices are known.
    pub cost: Option<u64>,
    /// Tries that failed before.
    pub retries: Vec<Retry>,
    /// Notes to the model and compactions that went before the request, in words.
    pub notes: Vec<String>,
    /// Why there is no message, if there is none.
    pub failure: Option<String>,
}

/// What a request was for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub enum Purpose {
    /// A round of the loop.
    #[default]
    Round,
    /// A summary of the conversation.
    Summary,
    /// A judgement of the work.
    Critique,
    /// A title for the session.
    Title,
}

/// One call of a round.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct CallTrace {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// When it began, the wait for the user included, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// How long it worked, milliseconds.
    pub took_ms: u64,
    /// How long it waited for the user, milliseconds.
    pub waited_ms: u64,
    /// Whether it worked.
    pub ok: bool,
}

/// A form in which a trace is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum ExportFormat {
    /// Our own, complete.
    Json,
    /// OpenTelemetry, by its conventions for generative models.
    Otlp,
}

/// The change that keeps a round, its bodies cut at [`MAX_BODY`].
pub fn put(session: &str, round: &RoundTrace) -> Change {
    let key = Key::new([session.into(), round.seq.into()]);
    let fits = |body: &String| body.len() <= MAX_BODY;
    let value = if fits(&round.request) && fits(&round.response) {
        Value::record(round)
    } else {
        let mut kept = round.clone();
        cap(&mut kept.request);
        cap(&mut kept.response);
        Value::record(&kept)
    };
    Change::Put(Table::Traces, key, value)
}

/// Cuts a body that is too long and says so at its end.
fn cap(body: &mut String) {
    let whole = body.len();
    if whole > MAX_BODY {
        let end = body.floor_char_boundary(MAX_BODY);
        body.truncate(end);
        body.push_str(&format!("\n… {} more bytes, not kept", whole - end));
    }
}

/// Reads a session's rounds, in order: the newest [`MAX_ROUNDS`]. A round that an
/// earlier version wrote in another form is left out.
///
/// # Errors
/// What the store says.
pub async fn load(store: &dyn Store, session: &str) -> Result<Vec<RoundTrace>, StoreError> {
    let prefix = Key::new([session.into()]);
    let rows = store.list(Table::Traces, prefix).await?;
    let old = rows.len().saturating_sub(MAX_ROUNDS);
    let rounds = rows[old..].iter();
    Ok(rounds.filter_map(|(_, value)| value.parse().ok()).collect())
}

/// Removes the rounds before the newest [`MAX_ROUNDS`].
///
/// # Errors
/// What the store says.
pub async fn prune(store: &dyn Store, session: &str) -> Result<(), StoreError> {
    let prefix = Key::new([session.into()]);
    let mut keys = store.keys(Table::Traces, prefix).await?;
    keys.truncate(keys.len().saturating_sub(MAX_ROUNDS));
    match keys.is_empty() {
        true => Ok(()),
        false => remove(store, keys).await,
    }
}

/// Removes all rounds of a session.
///
/// # Errors
/// What the store says.
pub async fn clear(store: &dyn Store, session: &str) -> Result<(), StoreError> {
    let prefix = Key::new([session.into()]);
    let keys = store.keys(Table::Traces, prefix).await?;
    remove(store, keys).await
}

async fn remove(store: &dyn Store, keys: Vec<Key>) -> Result<(), StoreError> {
    let delete = |key| Change::Delete(Table::Traces, key);
    let changes = keys.into_iter().map(delete).collect();
    store.apply(Batch::of(changes)).await
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;
    use crate::kernel::store::memory::MemoryStore;

    fn keep(store: &MemoryStore, session: &str, seq: u64) {
        let round = RoundTrace {
            seq,
            ..RoundTrace::default()
        };
        let batch = Batch::of(vec![put(session, &round)]);
        block_on(store.apply(batch)).unwrap();
    }

    fn seqs(store: &MemoryStore, session: &str) -> Vec<u64> {
        let rounds = block_on(load(store, session)).unwrap();
        rounds.iter().map(|round| round.seq).collect()
    }

    #[test]
    fn a_round_comes_back_as_it_was_put() {
        let store = MemoryStore::default();
        let round = RoundTrace {
            seq: 3,
            host: "api.example.com".into(),
            response: "data: 你好\n\n".into(),
            cost: Some(12),
            ..RoundTrace::default()
        };
        block_on(store.apply(Batch::of(vec![put("a", &round)]))).unwrap();
        assert_eq!(block_on(load(&store, "a")), Ok(vec![round]));
    }

    #[test]
    fn only_the_newest_rounds_stay() {
        let store = MemoryStore::default();
        let last = MAX_ROUNDS as u64 + 9;
        (0..=last).for_each(|seq| keep(&store, "a", seq));
        keep(&store, "b", 0);
        let expected: Vec<u64> = (10..=last).collect();
        assert_eq!(seqs(&store, "a"), expected);
        let keys = block_on(store.keys(Table::Traces, Key(Vec::new()))).unwrap();
        assert!(keys.len() > MAX_ROUNDS + 1, "looking removes nothing");
        block_on(prune(&store, "a")).unwrap();
        let keys = block_on(store.keys(Table::Traces, Key(Vec::new()))).unwrap();
        assert_eq!(keys.len(), MAX_ROUNDS + 1);
    }

    #[test]
    fn clearing_leaves_other_sessions_alone() {
        let store = MemoryStore::default();
        for (session, seq) in [("a", 0), ("a", 7), ("ab", 1)] {
            keep(&store, session, seq);
        }
        block_on(clear(&store, "a")).unwrap();
        assert_eq!((seqs(&store, "a"), seqs(&store, "ab")), (vec![], vec![1]));
    }

    #[test]
    fn a_row_of_another_form_does_not_hide_the_rest() {
        let store = MemoryStore::default();
        let row = Change::Put(
            Table::Traces,
            Key::new(["a".into(), 0.into()]),
            Value::Json("{\"seq\":\"0\"}".into()),
        );
        block_on(store.apply(Batch::of(vec![row]))).unwrap();
        keep(&store, "a", 1);
        assert_eq!(seqs(&store, "a"), [1]);
    }

    #[test]
    fn long_bodies_are_cut_between_characters() {
        let mut body = "长".repeat(MAX_BODY);
        cap(&mut body);
        let kept = MAX_BODY / 3;
        let more = (MAX_BODY - kept) * 3;
        let expected = format!("{}\n… {more} more bytes, not kept", "长".repeat(kept));
        assert!(body == expected, "{}", &body[body.len() - 60..]);
        let mut body = "a".repeat(MAX_BODY);
        cap(&mut body);
        assert_eq!(body.len(), MAX_BODY);
    }
}
