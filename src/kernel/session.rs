//! Sessions and their transcripts: what is kept, and how it is put in the store.
//!
//! A transcript only grows. What a model is sent is derived from it
//! (`model::conversation`), what the interface shows is too (`ui::state`).

pub mod branches;
mod compaction;
mod marks;
mod picture;
pub mod portable;
pub mod rewind;
mod rows;
mod title;

pub use self::compaction::{Compaction, Summary};
pub use self::marks::Marks;
pub use self::picture::Picture;
use serde_json::{Map, Value as Json};

use super::event::StopReason;
use super::model::Finish;
use super::settings::ModelChoice;
use super::store::{Change, Key, Table, Value};
use super::workspace::Version;
use crate::plain::Plain;
pub use rows::{
    TABLES, asked, asked_change, journal, list, queue_change, records, rules_change, waits_change,
    waits_key,
};
pub use title::{MAX_TITLE, title_of};

/// Names a session.
pub type SessionId = String;

/// What the list of sessions shows.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The workspace its tools work on.
    pub workspace: String,
    /// The first line of its first task, or what a model calls it.
    pub title: String,
    /// Milliseconds since the Unix epoch.
    pub created_ms: u64,
    /// When a run last started or ended, milliseconds since the Unix epoch.
    pub updated_ms: u64,
    /// Whether a run is open.
    pub running: bool,
    /// Whether the last run was cut off by the end of its kernel and can be resumed.
    #[plain(default)]
    pub interrupted: bool,
    /// For a sub-agent's session: the session and the call it works for. Such
    /// sessions are not listed.
    #[plain(default)]
    pub parent: Option<Parent>,
    /// Who answers in it; `None`: whoever answers in new sessions.
    #[plain(default)]
    pub choice: Option<ModelChoice>,
    /// The number that its next record gets at least: what was taken back keeps its own.
    #[plain(default)]
    pub floor: u64,
    /// What the user says of it.
    #[plain(default)]
    pub marks: Marks,
}

/// The call a sub-agent works for.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Parent {
    /// The session the call stands in.
    pub session: SessionId,
    /// The call.
    pub call_id: String,
    /// The record of the message that the call stands in.
    pub seq: u64,
}

impl Session {
    /// The change that saves it.
    pub fn put(&self) -> Change {
        let key = Key::new([self.id.as_str().into()]);
        Change::Put(Table::Sessions, key, Value::record(self))
    }
}

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Plain)]
pub struct Record {
    /// Its place in the transcript, from 0.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// What it says.
    pub entry: Entry,
}

impl Record {
    /// The one message of a request beside the conversation; it is not saved.
    pub fn alone(text: String) -> Self {
        let (mode, rounds) = (Mode::Act, None);
        Self {
            seq: 0,
            at_ms: 0,
            entry: Entry::User { text, mode, rounds },
        }
    }

    /// The change that saves it.
    pub fn put(&self, session: &str) -> Change {
        let key = Key::new([session.into(), self.seq.into()]);
        Change::Put(Table::Messages, key, Value::record(self))
    }
}

/// What can stand in a transcript.
#[derive(Debug, Clone, PartialEq, Plain)]
pub enum Entry {
    /// The user wrote a task: a run begins.
    User {
        /// As written.
        text: String,
        /// How the run works on it.
        #[plain(default)]
        mode: Mode,
        /// Rounds it may take, if not as many as the settings say.
        #[plain(default)]
        rounds: Option<u32>,
    },
    /// The user wrote while the run was under way.
    Steer {
        /// As written.
        text: String,
    },
    /// Tabloop said something to the model on its own account.
    Nudge {
        /// As sent.
        text: String,
        /// What it is about.
        #[plain(default)]
        about: Topic,
    },
    /// The rules of a folder, as its `AGENTS.md` had them when they were read.
    Rules {
        /// The file.
        path: String,
        /// Its text.
        text: String,
    },
    /// The model's message was complete.
    Assistant(AssistantMessage),
    /// The model's message broke off: shown, never sent.
    Partial {
        /// The round's number within the run.
        round: u32,
        /// What had come of the answer.
        text: String,
        /// What had come of the thought.
        reasoning: String,
    },
    /// A call that reaches outside is carried out from here on: as long as it has no
    /// result, it may have happened.
    Begun {
        /// The call.
        call_id: String,
    },
    /// A call's one result.
    ToolResult(ToolResult),
    /// The list of steps as it now is; what the model is told of it is a result.
    Todo {
        /// The steps.
        items: Vec<TodoItem>,
    },
    /// A critic judged the work.
    Critique {
        /// Which attempt was judged, from 1.
        attempt: u32,
        /// Whether the work will do.
        passed: bool,
        /// What is wanting, for the model. If it passed: empty, or why it was not judged.
        text: String,
        /// Tokens it took to judge.
        #[plain(default)]
        spent: Option<Usage>,
    },
    /// What is sent of all that came before was shortened.
    Compaction(Compaction),
    /// The run ended.
    Stopped(Ending),
    /// A model was asked for a title of the session.
    Titled {
        /// The title, if it gave one.
        title: Option<String>,
        /// Tokens it took.
        spent: Option<Usage>,
    },
}

/// How a run works on its task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub enum Mode {
    /// Rounds of asking and doing until the model is done.
    #[default]
    Act,
    /// First a plan that the user approves, then its steps.
    Plan,
    /// A critic judges what was done, and the model may mend it.
    Reflect,
}

/// What a nudge is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub enum Topic {
    /// Going on, or anything that the loop does not need to know again.
    #[default]
    Other,
    /// A limit is reached: a last word without tools.
    LastWord,
    /// The message was cut at the length limit.
    Length,
    /// The same rounds over and over.
    NoProgress,
    /// A tool that fails again and again.
    ToolFailures,
    /// Most of a budget is used.
    Budget,
    /// The task, said again.
    Reminder,
    /// The mode's way of working.
    Mode,
}

/// One step of the list that the `todo` tool keeps.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct TodoItem {
    /// What is to be done.
    pub text: String,
    /// How far it has come.
    pub state: TodoState,
}

/// How far a step has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
#[plain(lowercase)]
pub enum TodoState {
    /// Not begun.
    Open,
    /// Being worked on.
    Doing,
    /// Done.
    Done,
}

/// A complete message of the model.
#[derive(Debug, Clone, Default, PartialEq, Plain)]
pub struct AssistantMessage {
    /// The round's number within the run, from 1.
    pub round: u32,
    /// The answer; may be empty when there are calls.
    pub text: String,
    /// The thought before it, and the field it came in.
    pub reasoning: Option<Box<Reasoning>>,
    /// The tools it asks for.
    pub calls: Vec<ToolCall>,
    /// What the endpoint counted.
    pub usage: Option<Usage>,
    /// The host it came from: what only that host understands goes back to it alone.
    pub host: String,
    /// The model it came from: so does what only that model understands.
    #[plain(default)]
    pub model: String,
    /// How it ended.
    #[plain(default)]
    pub finish: Finish,
    /// From the request to the end of the message, milliseconds.
    #[plain(default)]
    pub took_ms: u64,
    /// How long the run had worked then, milliseconds.
    #[plain(default)]
    pub worked_ms: u64,
    /// Tokens of the request as estimated before it was sent, not calibrated.
    #[plain(default)]
    pub estimate: u64,
    /// What is odd about it.
    #[plain(default)]
    pub remark: Option<Remark>,
}

/// What is odd about a message that is whole all the same.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Remark {
    /// The host gave a reason for its end that nobody knows.
    EndedWith(String),
    /// The server passed calls on as text that could not be read: it lacks a parser for
    /// this model's calls.
    UnreadCalls,
    /// The server counted no more than so many tokens of a request that is far longer: it
    /// has likely cut the conversation to its window, without a word.
    CutTo(u64),
}

/// A model's thought, and what else the host wants to see again beside the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct Reasoning {
    /// The field of the message it came in; empty if it was part of the text.
    pub field: String,
    /// The thought.
    pub text: String,
    /// Other fields of the message that go back as they came: the thought in structured
    /// pieces, what the host signed or sealed.
    #[plain(default)]
    pub extra: Map<String, Json>,
}

impl Reasoning {
    /// Whether there is nothing to show and nothing to send back.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.extra.is_empty()
    }
}

/// A model's wish to run a tool.
#[derive(Debug, Clone, Default, PartialEq, Plain)]
pub struct ToolCall {
    /// The endpoint's id, or one of ours where it gave none. Not empty.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments as JSON text; may be invalid, never empty.
    pub arguments: String,
    /// Fields of the call that are not ours, to be sent back as they came.
    #[plain(default)]
    pub extra: Map<String, Json>,
}

/// What became of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct ToolResult {
    /// The round's number within the run.
    pub round: u32,
    /// The call it answers.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// Whether it worked.
    pub outcome: Outcome,
    /// What the model is told.
    pub text: String,
    /// How long the tool worked, milliseconds.
    pub took_ms: u64,
    /// Whether the result of an earlier call served, since no file has changed.
    #[plain(default)]
    pub cached: bool,
    /// Tokens that a sub-agent used for it.
    #[plain(default)]
    pub spent: Option<Usage>,
    /// What the model knows of files by it; not sent.
    #[plain(default)]
    pub known: Vec<Known>,
    /// Pictures that the model is shown with it.
    #[plain(default)]
    pub pictures: Vec<Picture>,
}

/// What the model knows of a file.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Known {
    /// The file.
    pub path: String,
    /// As it read or wrote it; `None`: that it is gone.
    pub version: Option<Version>,
}

/// Whether a tool worked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub enum Outcome {
    /// It did what was asked.
    #[default]
    Ok,
    /// It could not; the text begins with "Error:".
    Error,
    /// The user or a rule did not allow it; the text begins with "Error:".
    Denied,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Ending {
    /// Why it ended.
    pub reason: StopReason,
    /// How many requests were answered.
    pub rounds: u32,
    /// Tokens of all rounds together, where the endpoint counted.
    pub usage: Option<Usage>,
    /// How long it worked, without waiting for the user, milliseconds.
    pub took_ms: u64,
    /// What it cost, in millionths of a dollar, where prices are known.
    #[plain(default)]
    pub cost: Option<u64>,
}

/// Tokens, as the endpoint counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub struct Usage {
    /// Tokens of the request.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Tokens of the request that the provider had in its cache.
    #[plain(default)]
    pub cached_tokens: u64,
}

impl Usage {
    /// Request and answer together.
    pub fn total(self) -> u64 {
        self.prompt_tokens + self.completion_tokens
    }
}

impl std::ops::Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        Usage {
            prompt_tokens: self.prompt_tokens + other.prompt_tokens,
            completion_tokens: self.completion_tokens + other.completion_tokens,
            cached_tokens: self.cached_tokens + other.cached_tokens,
        }
    }
}
