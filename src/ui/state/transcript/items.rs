//! What a conversation is made of, as it is shown.

use std::sync::Arc;

use super::super::shell::Live;
use crate::kernel::event::Retry;
use crate::kernel::session::{
    Compaction, Ending, Mode, Picture, Remark, TodoItem, ToolCall, Usage,
};

/// One thing in the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// The user wrote.
    User(UserView),
    /// A request to the model and all that came of it.
    Round(RoundView),
    /// Tabloop said something to the model on its own account.
    Nudge(String),
    /// The rules of a folder were read.
    Rules {
        /// The file they stand in.
        path: String,
        /// Its text.
        text: String,
    },
    /// The run's list of steps as it is now.
    Todo(Vec<TodoItem>),
    /// A critic judged the work.
    Critique(CritiqueView),
    /// What is sent of the conversation before was shortened.
    Compaction(Compaction),
    /// The answer that the model handed in with `finish`.
    Answer(String),
    /// The end of a run.
    Stop(StopView),
}

/// What the user wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserView {
    /// The record it stands in.
    pub seq: u64,
    /// As written.
    pub text: String,
    /// What it was when it was written.
    pub sent: Sent,
}

/// What a message of the user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// The task of a run.
    Task {
        /// How the run works on it.
        mode: Mode,
        /// Rounds it may take, if not as many as the settings say.
        rounds: Option<u32>,
    },
    /// A word to the run that was under way.
    DuringRun,
}

/// A critic's judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CritiqueView {
    /// Which attempt was judged, from 1.
    pub attempt: u32,
    /// Whether the work will do.
    pub passed: bool,
    /// What is wanting; may be empty if it passed.
    pub text: String,
}

impl CritiqueView {
    /// Whether the critic could not be asked: then the text says so.
    pub fn is_unjudged(&self) -> bool {
        self.passed && !self.text.trim().is_empty()
    }
}

/// One round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoundView {
    /// Its number within the run, from 1.
    pub number: u32,
    /// The record of its message, once that is saved.
    pub seq: Option<u64>,
    /// How far the model's message has come.
    pub stage: Stage,
    /// The answer so far.
    pub text: String,
    /// The thought so far.
    pub reasoning: String,
    /// The call that is being written.
    pub draft: Option<CallDraft>,
    /// The try that is being waited for, after one that failed.
    pub retry: Option<Arc<Retry>>,
    /// The calls of the complete message.
    pub calls: Vec<Arc<CallView>>,
    /// What is odd about the complete message.
    pub remark: Option<Remark>,
}

/// How far a model's message has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// It is being waited for, or written.
    #[default]
    Streaming,
    /// It is complete and saved.
    Complete,
    /// It broke off.
    Incomplete,
}

/// A call whose arguments are still coming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDraft {
    /// The tool's name as far as known.
    pub name: String,
    /// Bytes of arguments so far.
    pub bytes: usize,
}

/// A tool call and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallView {
    /// The call's id.
    pub id: String,
    /// The record of the message it stands in.
    pub seq: u64,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
    /// How far it has come.
    pub state: CallState,
    /// What the model was told; empty until then.
    pub result: String,
    /// How far it is while it works, if it tells.
    pub live: Live,
    /// How long the tool worked, milliseconds.
    pub took_ms: u64,
    /// Whether the result of an earlier call served, since no file had changed.
    pub cached: bool,
    /// Images that it looked at.
    pub pictures: Vec<Picture>,
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// Others come first.
    Waiting,
    /// The user's answer comes first.
    Asking,
    /// The tool is at work.
    Running,
    /// It did what was asked.
    Ok,
    /// It could not.
    Error,
    /// The user or a rule did not allow it.
    Denied,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct StopView {
    /// Why, and after how much.
    pub ending: Ending,
    /// Whether it is in the store.
    pub kept: Kept,
    /// Rounds its task may take, if not as many as the settings say.
    pub rounds: Option<u32>,
}

/// Whether something is in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is.
    Saved,
    /// The browser could not save it.
    Unsaved,
}

/// Something that takes a while and is no round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Busy {
    /// The conversation is being shortened.
    Compacting,
    /// A critic looks at the work.
    Judging,
}

/// Tokens of a session as far as the endpoint counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The counted tokens together.
    pub usage: Usage,
    /// Rounds with a count.
    pub counted: u32,
    /// Rounds without one.
    pub uncounted: u32,
}

impl CallView {
    /// A call of the record `seq` of which nothing has come yet.
    pub fn new(seq: u64, call: &ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            seq,
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            state: CallState::Waiting,
            result: String::new(),
            live: Live::default(),
            took_ms: 0,
            cached: false,
            pictures: Vec::new(),
        }
    }

    /// Whether its result is still to come.
    pub fn is_open(&self) -> bool {
        self.state.is_open()
    }
}

impl CallState {
    /// Whether the result is still to come.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            CallState::Waiting | CallState::Asking | CallState::Running
        )
    }
}

impl RoundView {
    /// Whether something is still going on in it.
    pub fn is_open(&self) -> bool {
        self.stage == Stage::Streaming || self.calls.iter().any(|call| call.is_open())
    }

    /// Whether its text is an answer to the user, not a word on the way.
    pub fn is_answer(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether there is nothing to show of it.
    pub fn is_blank(&self) -> bool {
        let is_bare = self.text.is_empty() && self.reasoning.is_empty();
        is_bare && self.calls.is_empty() && self.remark.is_none()
    }
}
