//! What happened in each round, for whoever wants to know exactly: the request
//! as sent, the response as it came, times, tokens and cost. Kept apart from the
//! transcript, and removed without harm to it.

use serde::{Deserialize, Serialize};

use super::event::Retry;
use super::session::{ToolCall, Usage};

/// One round of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// From then to the response's head, milliseconds.
    pub head_ms: u64,
    /// From then to the first piece of the message, milliseconds.
    pub first_ms: u64,
    /// From then to the message's end, milliseconds.
    pub end_ms: u64,
    /// Bytes of the request that the one before had sent already, from its start.
    pub same_bytes: u64,
    /// The request's body behind those, secrets replaced.
    pub request: String,
    /// The HTTP status.
    pub status: u16,
    /// The response's body as it came, capped, secrets replaced.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// A round of the loop.
    #[default]
    Round,
    /// A summary of the conversation.
    Summary,
    /// A judgement of the work.
    Critique,
}

/// One call of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTrace {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// When it began, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// How long it worked, milliseconds.
    pub took_ms: u64,
    /// How long it waited for the user, milliseconds.
    pub waited_ms: u64,
    /// Whether it worked.
    pub ok: bool,
}

/// A form in which a trace is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    /// Our own, complete.
    Json,
    /// OpenTelemetry, by its conventions for generative models.
    Otlp,
}
