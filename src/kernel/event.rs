//! How runs end and how they fail, as data: the interface finds the words.

use super::approval::Rule;
use super::diff::FileDiff;
use super::session::{Record, Usage};
use super::settings::Lesson;
use crate::plain::Plain;

/// Why a run ended. Every run has exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum StopReason {
    /// The model answered without asking for a tool.
    Completed,
    /// The rounds allowed for the run were used up.
    RoundLimit {
        /// How many were allowed.
        limit: u32,
    },
    /// The model called `finish`.
    Finished,
    /// The tokens allowed for the run were used up.
    TokenBudget {
        /// How many were allowed.
        limit: u64,
    },
    /// The money allowed for the run was used up.
    CostCap {
        /// How much was allowed, in millionths of a dollar.
        limit: u64,
    },
    /// The time allowed for the run was used up.
    TimeLimit {
        /// How much was allowed, minutes.
        minutes: u32,
    },
    /// The same rounds came over and over, with the same results.
    NoProgress,
    /// A tool failed again and again.
    ToolFailures {
        /// The tool.
        tool: String,
    },
    /// The endpoint cut the answer off at its length limit, again and again.
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
            StopReason::Finished => "Finished",
            StopReason::TokenBudget { .. } => "TokenBudget",
            StopReason::CostCap { .. } => "CostCap",
            StopReason::TimeLimit { .. } => "TimeLimit",
            StopReason::NoProgress => "NoProgress",
            StopReason::ToolFailures { .. } => "ToolFailures",
            StopReason::LengthLimit => "LengthLimit",
            StopReason::ContentFilter => "ContentFilter",
            StopReason::Cancelled => "Cancelled",
            StopReason::Failed(_) => "Failed",
        }
    }
}

/// What went wrong with a run.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Failure {
    /// What kind of trouble it is: decides the words and the next step.
    pub kind: FailureKind,
    /// The host that was asked; empty if none was.
    pub host: String,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// What the other side said, capped and without markup or keys; may be empty.
    pub detail: String,
    /// The body that says so, as it came, capped and without keys; may be empty.
    #[plain(default)]
    pub body: String,
    /// The field of the request that the other side does not want, where it names one.
    #[plain(default)]
    pub parameter: Option<String>,
    /// How long the other side asks to wait before another try, milliseconds.
    #[plain(default)]
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// A failure without a host's words.
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            host: String::new(),
            status: None,
            detail: detail.into(),
            body: String::new(),
            parameter: None,
            retry_after_ms: None,
        }
    }

    /// The same without `secret`, which some hosts repeat.
    pub fn without(mut self, secret: &str) -> Self {
        if !secret.is_empty() {
            for text in [&mut self.detail, &mut self.body] {
                *text = text.replace(secret, "[key]");
            }
        }
        self
    }
}

/// The kinds of trouble a user can do something about, each in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum FailureKind {
    /// No answer at all: down, no CORS, no network, blocked.
    Network,
    /// The key is missing or not accepted.
    Unauthorized,
    /// The key may not do this.
    Forbidden,
    /// The address does not exist there.
    NotFound,
    /// The model does not exist there, or not for this key.
    UnknownModel,
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
    /// The host's filter refuses what was said.
    ContentFilter,
    /// The host refuses the request for another reason.
    BadRequest,
    /// The answer broke off.
    Truncated,
    /// Nothing came for too long.
    Idle,
    /// The tab was closed or the kernel ended in the middle of the run.
    Interrupted,
    /// The browser could not save.
    Storage,
    /// The browser could not save, since its storage is full.
    Full,
}

impl FailureKind {
    /// Whether looking at the endpoint may tell more.
    pub fn is_of_endpoint(self) -> bool {
        !matches!(
            self,
            FailureKind::Billing
                | FailureKind::RateLimited
                | FailureKind::ContextOverflow
                | FailureKind::ContentFilter
                | FailureKind::Interrupted
                | FailureKind::Storage
                | FailureKind::Full
        )
    }

    /// Whether the same request may work later.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            FailureKind::Network
                | FailureKind::RateLimited
                | FailureKind::Server
                | FailureKind::Truncated
                | FailureKind::Idle
        )
    }
}

/// What a run tells whoever watches it, in the order it happens.
#[derive(Debug, Clone, PartialEq, Plain)]
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
    /// A tool at work tells how far it is.
    ToolProgress {
        /// The call's id.
        call_id: String,
        /// How far.
        progress: Progress,
    },
    /// A record was added to the transcript and is saved; messages, results
    /// and the end of the run all come this way.
    Recorded(Record),
    /// The run's end could not be saved; it is told all the same.
    EndedUnsaved(StopReason),
    /// The request failed and is sent again after a while. What had come of the
    /// answer is void.
    Retrying(Retry),
    /// The endpoint refused a part of the request, which goes out again in another form
    /// at once.
    Learned {
        /// The host that refuses it.
        host: String,
        /// What it refuses.
        lesson: Lesson,
    },
    /// The run waits for the user's answer to this.
    Asked(Question),
    /// The question of this call is answered, or needs no answer any more.
    Answered {
        /// The call.
        call_id: String,
    },
    /// What the next request takes of the window, and what the run has used.
    Context(ContextUse),
    /// The conversation is being shortened by the model, which takes a while.
    Compacting,
    /// A critic looks at the work, which takes a while.
    Judging,
}

/// How far a tool at work is.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Progress {
    /// It loads what it needs.
    Loading {
        /// Bytes that have come.
        got: u64,
        /// Bytes in all.
        of: u64,
    },
    /// It has printed more.
    Printed(String),
}

/// A request that is sent again.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Retry {
    /// Which try is the next one, from 2.
    pub attempt: u32,
    /// How many there are at most.
    pub of: u32,
    /// Until then, milliseconds.
    pub wait_ms: u64,
    /// Why the last one failed.
    pub failure: Failure,
}

/// What a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Question {
    /// The call that asks.
    pub call_id: String,
    /// The tool it calls.
    pub tool: String,
    /// What is asked.
    pub about: About,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum About {
    /// May the call run?
    Approval {
        /// What it would do to files.
        changes: Vec<FileDiff>,
        /// How many more files it would change, which are not shown.
        more: usize,
        /// What it works on: paths or hosts.
        targets: Vec<String>,
        /// The rule that asks; none: the approval mode does.
        rule: Option<Rule>,
        /// The rule that "always" would add.
        always: Rule,
    },
    /// The call was cut off and may have happened: what now?
    CutOff {
        /// What it works on: paths or hosts.
        targets: Vec<String>,
    },
    /// The model asks something.
    Choice {
        /// The question.
        question: String,
        /// Answers to choose from; may be empty. Any other answer can be typed.
        options: Vec<String>,
    },
    /// Are these the steps to take?
    Plan {
        /// The steps.
        steps: Vec<String>,
    },
}

/// The user's answer to a [`Question`].
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Reply {
    /// The call may run, this once.
    Once,
    /// It may, and so may those like it in this session.
    Session,
    /// It may, and so may those like it in every session.
    Always,
    /// It may not, or not again.
    No {
        /// A word to the model; may be empty.
        word: String,
    },
    /// The call that was cut off shall be run again.
    Again,
    /// It counts as done.
    Done,
    /// An answer in words.
    Text(String),
    /// These are the steps to take.
    Plan(Vec<String>),
}

/// What takes the room in a request, in tokens as estimated and calibrated by the
/// endpoint's counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub struct ContextUse {
    /// The model's window.
    pub window: u64,
    /// The system prompt.
    pub system: u64,
    /// The rules of `AGENTS.md`.
    pub rules: u64,
    /// The tools' descriptions.
    pub tools: u64,
    /// What user and model said, and calls.
    pub history: u64,
    /// Tool results.
    pub results: u64,
    /// All tokens the run has used, sub-agents included.
    pub spent: Usage,
    /// What they cost, in millionths of a dollar, where prices are known.
    pub cost: Option<u64>,
}

impl ContextUse {
    /// All of the request.
    pub fn total(&self) -> u64 {
        self.system + self.rules + self.tools + self.history + self.results
    }
}
