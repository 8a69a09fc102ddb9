//! How runs end and how they fail, as data: the interface finds the words.

use serde::{Deserialize, Serialize};

use super::session::Record;

/// Why a run ended. Every run has exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// The model answered without asking for a tool.
    Completed,
    /// The rounds allowed for the run were used up.
    RoundLimit {
        /// How many were allowed.
        limit: u32,
    },
    /// The endpoint cut the answer off at its length limit.
    LengthLimit,
    /// The endpoint held the answer back.
    ContentFilter,
    /// The user pressed Stop.
    Cancelled,
    /// Something went wrong.
    Failed(Failure),
}

impl StopReason {
    /// The reason's name, as tests and traces see it.
    pub fn name(&self) -> &'static str {
        match self {
            StopReason::Completed => "Completed",
            StopReason::RoundLimit { .. } => "RoundLimit",
            StopReason::LengthLimit => "LengthLimit",
            StopReason::ContentFilter => "ContentFilter",
            StopReason::Cancelled => "Cancelled",
            StopReason::Failed(_) => "Failed",
        }
    }
}

/// What went wrong with a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of trouble it is: decides the words and the next step.
    pub kind: FailureKind,
    /// The host that was asked; empty if none was.
    pub host: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// What the other side said, capped and without markup or keys; may be empty.
    pub detail: String,
}

impl Failure {
    /// A failure without a host's words.
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            host: String::new(),
            status: None,
            detail: detail.into(),
        }
    }
}

/// The kinds of trouble a user can do something about, each in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// No answer at all: down, no CORS, no network, blocked.
    Network,
    /// The key is missing or not accepted.
    Unauthorized,
    /// The key may not do this.
    Forbidden,
    /// The address or the model does not exist there.
    NotFound,
    /// The answer is not one of a chat endpoint (a web page, say).
    BadEndpoint,
    /// No credit left.
    Billing,
    /// Too many requests; later it may work.
    RateLimited,
    /// The host failed.
    Server,
    /// The conversation is longer than the model's window.
    ContextOverflow,
    /// The model can't call tools.
    ToolsUnsupported,
    /// The host refuses a field of the request.
    UnsupportedParameter,
    /// The host refuses the request for another reason.
    BadRequest,
    /// The answer broke off.
    Truncated,
    /// The tab was closed or the kernel ended in the middle of the run.
    Interrupted,
    /// The browser could not save.
    Storage,
}

impl FailureKind {
    /// Whether the same request may work later.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            FailureKind::Network
                | FailureKind::RateLimited
                | FailureKind::Server
                | FailureKind::Truncated
        )
    }
}

/// What a run tells whoever watches it, in the order it happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum AgentEvent {
    /// A request goes out.
    RoundStarted {
        /// The round's number within the run, from 1.
        round: u32,
    },
    /// More of the answer.
    TextDelta(String),
    /// More of the thought before it.
    ReasoningDelta(String),
    /// A call is being written.
    CallDelta {
        /// Its place in the message, from 0.
        index: usize,
        /// The tool's name as far as known.
        name: String,
        /// Bytes of arguments so far.
        bytes: usize,
    },
    /// A tool starts to work.
    ToolStarted {
        /// The round it belongs to.
        round: u32,
        /// The call's id.
        call_id: String,
    },
    /// A record was added to the transcript and is saved; messages, results
    /// and the end of the run all come this way.
    Recorded(Record),
    /// The run's end could not be saved; it is told all the same.
    EndedUnsaved(StopReason),
}
