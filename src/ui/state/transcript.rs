//! A session as it is shown: records and live events folded into items. A
//! session that was watched and one that was loaded come out the same.

use std::sync::Arc;

use crate::kernel::event::AgentEvent;
use crate::kernel::session::{
    AssistantMessage, Ending, Entry, Outcome, Record, ToolCall, ToolResult, Usage,
};

/// One thing in the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// The user wrote.
    User(String),
    /// A request to the model and all that came of it.
    Round(RoundView),
    /// Tabloop said something to the model on its own account.
    Nudge(String),
    /// The end of a run.
    Stop(StopView),
}

/// One round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoundView {
    /// Its number within the run, from 1.
    pub number: u32,
    /// How far the model's message has come.
    pub stage: Stage,
    /// The answer so far.
    pub text: String,
    /// The thought so far.
    pub reasoning: String,
    /// The call that is being written.
    pub draft: Option<CallDraft>,
    /// The calls of the complete message.
    pub calls: Vec<Arc<CallView>>,
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
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
    /// How far it has come.
    pub state: CallState,
    /// What the model was told; empty until then.
    pub result: String,
    /// How long the tool worked, milliseconds.
    pub took_ms: u64,
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// Others come first.
    Waiting,
    /// The tool is at work.
    Running,
    /// It did what was asked.
    Ok,
    /// It could not.
    Error,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct StopView {
    /// Why, and after how much.
    pub ending: Ending,
    /// Whether it is in the store.
    pub kept: Kept,
}

/// Whether something is in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is.
    Saved,
    /// The browser could not save it.
    Unsaved,
}

/// Which items a step changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    /// None.
    Nothing,
    /// This one.
    Item(usize),
    /// All from here on; some may be new, some gone.
    From(usize),
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

/// A session's items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    items: Vec<Item>,
    tally: Tally,
    next_seq: u64,
}

impl CallView {
    fn new(call: &ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            state: CallState::Waiting,
            result: String::new(),
            took_ms: 0,
        }
    }

    /// Whether its result is still to come.
    pub fn is_open(&self) -> bool {
        matches!(self.state, CallState::Waiting | CallState::Running)
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

    fn is_blank(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty() && self.calls.is_empty()
    }
}

impl Transcript {
    /// The items that `records` come to.
    pub fn of(records: &[Record]) -> Self {
        let mut transcript = Self::default();
        for record in records {
            transcript.record(record);
        }
        transcript
    }

    /// The items, in order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Tokens of all rounds.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Folds in what happened in the session's run.
    pub fn apply(&mut self, event: &AgentEvent) -> Touched {
        match event {
            AgentEvent::RoundStarted { round } => self.start_round(*round),
            AgentEvent::TextDelta(more) => self.stream(|round| round.text.push_str(more)),
            AgentEvent::ReasoningDelta(more) => self.stream(|round| round.reasoning.push_str(more)),
            AgentEvent::CallDelta { name, bytes, .. } => self.stream(|round| {
                let (name, bytes) = (name.clone(), *bytes);
                round.draft = Some(CallDraft { name, bytes });
            }),
            AgentEvent::ToolStarted { call_id, .. } => {
                self.change_call(call_id, |call| call.state = CallState::Running)
            }
            AgentEvent::Recorded(record) => self.record(record),
            AgentEvent::EndedUnsaved(reason) => {
                let ending = Ending {
                    reason: reason.clone(),
                    rounds: 0,
                    usage: None,
                    took_ms: 0,
                    cost: None,
                };
                self.stop(ending, Kept::Unsaved)
            }
            AgentEvent::Retrying(_)
            | AgentEvent::Asked(_)
            | AgentEvent::Answered { .. }
            | AgentEvent::Context(_)
            | AgentEvent::Compacting
            | AgentEvent::Judging => Touched::Nothing,
        }
    }

    /// Folds in a record. One that is already in changes nothing.
    pub fn record(&mut self, record: &Record) -> Touched {
        if record.seq < self.next_seq {
            return self.already_in(record);
        }
        self.next_seq = record.seq + 1;
        match &record.entry {
            Entry::User { text, .. } | Entry::Steer { text } => self.push(Item::User(text.clone())),
            Entry::Nudge { text, .. } => self.push(Item::Nudge(text.clone())),
            Entry::Assistant(message) => self.complete(message),
            Entry::Partial {
                round,
                text,
                reasoning,
            } => self.end_stream(RoundView {
                number: *round,
                stage: Stage::Incomplete,
                text: text.clone(),
                reasoning: reasoning.clone(),
                ..RoundView::default()
            }),
            Entry::ToolResult(result) => self.result(result),
            Entry::Rules { .. }
            | Entry::Todo { .. }
            | Entry::Critique { .. }
            | Entry::Compaction(_) => Touched::Nothing,
            Entry::Stopped(ending) => self.stop(ending.clone(), Kept::Saved),
        }
    }

    /// Marks what was going on as broken off: the kernel is gone.
    pub fn break_off(&mut self) -> Touched {
        match self.open_round() {
            Some((at, round)) if round.is_blank() => {
                self.items.truncate(at);
                Touched::From(at)
            }
            Some((at, round)) => {
                round.stage = Stage::Incomplete;
                round.draft = None;
                Touched::Item(at)
            }
            None => Touched::Nothing,
        }
    }

    /// What streamed of a message that stands among the items already is of no use.
    fn already_in(&mut self, record: &Record) -> Touched {
        let is_message = matches!(record.entry, Entry::Assistant(_) | Entry::Partial { .. });
        match self.open_round() {
            Some((at, _)) if is_message => {
                self.items.truncate(at);
                Touched::From(at)
            }
            _ => Touched::Nothing,
        }
    }

    fn push(&mut self, item: Item) -> Touched {
        self.items.push(item);
        Touched::From(self.items.len() - 1)
    }

    fn start_round(&mut self, number: u32) -> Touched {
        self.push(Item::Round(RoundView {
            number,
            ..RoundView::default()
        }))
    }

    /// The round whose message is being written: the last item, if any.
    fn open_round(&mut self) -> Option<(usize, &mut RoundView)> {
        let at = self.items.len().checked_sub(1)?;
        match self.items.last_mut() {
            Some(Item::Round(round)) if round.stage == Stage::Streaming => Some((at, round)),
            _ => None,
        }
    }

    fn stream(&mut self, change: impl FnOnce(&mut RoundView)) -> Touched {
        if let Some((at, round)) = self.open_round() {
            change(round);
            return Touched::Item(at);
        }
        // Whoever began to watch in the middle of a round missed its start.
        let mut round = RoundView::default();
        change(&mut round);
        self.push(Item::Round(round))
    }

    /// Puts `round` in the place of what streamed.
    fn end_stream(&mut self, round: RoundView) -> Touched {
        match self.open_round() {
            Some((at, open)) => {
                *open = round;
                Touched::Item(at)
            }
            None => self.push(Item::Round(round)),
        }
    }

    fn complete(&mut self, message: &AssistantMessage) -> Touched {
        match message.usage {
            Some(usage) => {
                self.tally.usage = self.tally.usage + usage;
                self.tally.counted += 1;
            }
            None => self.tally.uncounted += 1,
        }
        let reasoning = message.reasoning.as_ref();
        self.end_stream(RoundView {
            number: message.round,
            stage: Stage::Complete,
            text: message.text.clone(),
            reasoning: reasoning.map_or_else(String::new, |reasoning| reasoning.text.clone()),
            draft: None,
            calls: message
                .calls
                .iter()
                .map(|call| Arc::new(CallView::new(call)))
                .collect(),
        })
    }

    fn result(&mut self, result: &ToolResult) -> Touched {
        self.change_call(&result.call_id, |call| {
            call.state = match result.outcome {
                Outcome::Ok => CallState::Ok,
                Outcome::Error | Outcome::Denied => CallState::Error,
            };
            call.result.clone_from(&result.text);
            call.took_ms = result.took_ms;
        })
    }

    fn change_call(&mut self, id: &str, change: impl FnOnce(&mut CallView)) -> Touched {
        for (at, item) in self.items.iter_mut().enumerate().rev() {
            let Item::Round(round) = item else { continue };
            // Some hosts give the same id twice: the first open call takes the result.
            let mut calls = round.calls.iter_mut();
            if let Some(call) = calls.find(|call| call.id == id && call.is_open()) {
                change(Arc::make_mut(call));
                return Touched::Item(at);
            }
        }
        Touched::Nothing
    }

    fn stop(&mut self, ending: Ending, kept: Kept) -> Touched {
        let first = match self.break_off() {
            Touched::Nothing => self.items.len(),
            Touched::Item(at) | Touched::From(at) => at,
        };
        let stop = StopView { ending, kept };
        self.push(Item::Stop(stop));
        Touched::From(first)
    }
}

#[cfg(test)]
mod tests;
