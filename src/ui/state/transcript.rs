//! A session as it is shown: records and live events folded into items. A
//! session that was watched and one that was loaded come out the same.

mod broken;
mod items;

pub use items::{
    Busy, CallDraft, CallState, CallView, CritiqueView, Item, Kept, RoundView, Sent, Stage,
    StopView, Tally, UserView,
};

use std::sync::Arc;

use super::calls::text_argument;
use super::shell::Live;
use crate::kernel::event::{AgentEvent, Question, Retry, StopReason};
use crate::kernel::session::{
    AssistantMessage, Ending, Entry, Outcome, Record, TodoItem, ToolResult,
};

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

/// A session's items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    items: Vec<Item>,
    tally: Tally,
    next_seq: u64,
    questions: Vec<Arc<Question>>,
    busy: Option<Busy>,
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

    /// What the run waits for, in the order it was asked.
    pub fn questions(&self) -> &[Arc<Question>] {
        &self.questions
    }

    /// What takes a while right now, besides rounds.
    pub fn busy(&self) -> Option<Busy> {
        self.busy
    }

    /// The last call with this id.
    pub fn call(&self, id: &str) -> Option<&Arc<CallView>> {
        let mut rounds = self.items.iter().rev().filter_map(|item| match item {
            Item::Round(round) => Some(round),
            _ => None,
        });
        rounds.find_map(|round| round.calls.iter().find(|call| call.id == id))
    }

    /// Where the run stands: the number of the round that is open or comes next,
    /// and the tools of the calls in it that have no result yet.
    pub fn place(&self) -> (u32, Vec<&str>) {
        for item in self.items.iter().rev() {
            match item {
                Item::Round(round) => {
                    let open = round.calls.iter().filter(|call| call.is_open());
                    let open: Vec<&str> = open.map(|call| call.name.as_str()).collect();
                    let is_over = round.stage == Stage::Complete && open.is_empty();
                    return (round.number + u32::from(is_over), open);
                }
                Item::User(user) if user.sent != Sent::DuringRun => break,
                _ => {}
            }
        }
        (1, Vec::new())
    }

    /// Folds in what happened in the session's run.
    pub fn apply(&mut self, event: &AgentEvent) -> Touched {
        if !matches!(event, AgentEvent::Context(_) | AgentEvent::Learned { .. }) {
            self.busy = None;
        }
        match event {
            AgentEvent::RoundStarted { round } => self.start_round(*round),
            AgentEvent::TextDelta(more) => self.stream(|round| round.text.push_str(more)),
            AgentEvent::ReasoningDelta(more) => self.stream(|round| round.reasoning.push_str(more)),
            AgentEvent::CallDelta { name, bytes, .. } => self.stream(|round| {
                let (name, bytes) = (name.clone(), *bytes);
                round.draft = Some(CallDraft { name, bytes });
            }),
            AgentEvent::ToolStarted { call_id, .. } => self.start_call(call_id),
            AgentEvent::ToolProgress { call_id, progress } => {
                self.change_call(call_id, |call| call.live.take(progress))
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
            AgentEvent::Retrying(retry) => self.retry(retry),
            AgentEvent::Asked(question) => self.ask(question),
            AgentEvent::Answered { call_id } => {
                self.forget_question(call_id);
                self.start_call(call_id)
            }
            AgentEvent::Compacting => self.work_on(Busy::Compacting),
            AgentEvent::Judging => self.work_on(Busy::Judging),
            AgentEvent::Context(_) | AgentEvent::Learned { .. } => Touched::Nothing,
        }
    }

    /// Folds in a record. One that is already in changes nothing.
    pub fn record(&mut self, record: &Record) -> Touched {
        if record.seq < self.next_seq {
            return self.already_in(record);
        }
        self.next_seq = record.seq + 1;
        match &record.entry {
            Entry::User { text, mode, rounds } => self.push(Item::User(UserView {
                seq: record.seq,
                text: text.clone(),
                sent: Sent::Task {
                    mode: *mode,
                    rounds: *rounds,
                },
            })),
            Entry::Steer { text } => self.push(Item::User(UserView {
                seq: record.seq,
                text: text.clone(),
                sent: Sent::DuringRun,
            })),
            Entry::Nudge { text, .. } => self.push(Item::Nudge(text.clone())),
            Entry::Rules { path, text } => self.push(Item::Rules {
                path: path.clone(),
                text: text.clone(),
            }),
            Entry::Assistant(message) => self.complete(record.seq, message),
            Entry::Partial {
                round,
                text,
                reasoning,
            } => self.end_stream(RoundView {
                number: *round,
                seq: Some(record.seq),
                stage: Stage::Incomplete,
                text: text.clone(),
                reasoning: reasoning.clone(),
                ..RoundView::default()
            }),
            Entry::Begun { .. } | Entry::Titled { .. } => Touched::Nothing,
            Entry::ToolResult(result) => self.result(result),
            Entry::Todo { items } => self.todo(items),
            Entry::Critique {
                attempt,
                passed,
                text,
                ..
            } => self.push(Item::Critique(CritiqueView {
                attempt: *attempt,
                passed: *passed,
                text: text.clone(),
            })),
            Entry::Compaction(compaction) => self.push(Item::Compaction(compaction.clone())),
            Entry::Stopped(ending) => self.stop(ending.clone(), Kept::Saved),
        }
    }

    /// What streamed of a message that stands among the items already is of no use.
    fn already_in(&mut self, record: &Record) -> Touched {
        let is_message = matches!(record.entry, Entry::Assistant(_) | Entry::Partial { .. });
        match self.open_round() {
            Some((at, _)) if is_message => self.remove(at),
            _ => Touched::Nothing,
        }
    }

    fn push(&mut self, item: Item) -> Touched {
        self.items.push(item);
        Touched::From(self.items.len() - 1)
    }

    fn remove(&mut self, at: usize) -> Touched {
        self.items.remove(at);
        Touched::From(at)
    }

    fn start_round(&mut self, number: u32) -> Touched {
        let round = RoundView {
            number,
            ..RoundView::default()
        };
        // A try that failed had begun it already.
        self.end_stream(round)
    }

    /// The round whose message is being written, if any: the last one of the run.
    fn open_round(&mut self) -> Option<(usize, &mut RoundView)> {
        let last = self.items.iter_mut().enumerate().rev();
        let mut rounds = last.take_while(|(_, item)| !matches!(item, Item::Stop(_)));
        rounds.find_map(|(at, item)| match item {
            Item::Round(round) if round.stage == Stage::Streaming => Some((at, round)),
            _ => None,
        })
    }

    /// Changes the round that is being written.
    fn write(&mut self, change: impl FnOnce(&mut RoundView)) -> Touched {
        if let Some((at, round)) = self.open_round() {
            change(round);
            return Touched::Item(at);
        }
        // Whoever began to watch in the middle of a round missed its start.
        let mut round = RoundView {
            number: self.place().0,
            ..RoundView::default()
        };
        change(&mut round);
        self.push(Item::Round(round))
    }

    fn stream(&mut self, change: impl FnOnce(&mut RoundView)) -> Touched {
        self.write(|round| {
            round.retry = None;
            change(round);
        })
    }

    /// What had come of the round is void.
    fn retry(&mut self, retry: &Retry) -> Touched {
        self.write(|round| {
            *round = RoundView {
                number: round.number,
                retry: Some(Arc::new(retry.clone())),
                ..RoundView::default()
            };
        })
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

    fn complete(&mut self, seq: u64, message: &AssistantMessage) -> Touched {
        match message.usage {
            Some(usage) => {
                self.tally.usage = self.tally.usage + usage;
                self.tally.counted += 1;
            }
            None => self.tally.uncounted += 1,
        }
        let reasoning = message.reasoning.as_ref();
        let calls = message.calls.iter().map(|call| {
            let mut view = CallView::new(seq, call);
            // A question may be asked before its message is saved.
            if self.asks(&call.id) {
                view.state = CallState::Asking;
            }
            Arc::new(view)
        });
        let calls = calls.collect();
        self.end_stream(RoundView {
            number: message.round,
            seq: Some(seq),
            stage: Stage::Complete,
            text: message.text.clone(),
            reasoning: reasoning.map_or_else(String::new, |reasoning| reasoning.text.clone()),
            calls,
            remark: message.remark.clone(),
            ..RoundView::default()
        })
    }

    fn result(&mut self, result: &ToolResult) -> Touched {
        self.forget_question(&result.call_id);
        self.change_call(&result.call_id, |call| {
            call.state = match result.outcome {
                Outcome::Ok => CallState::Ok,
                Outcome::Error => CallState::Error,
                Outcome::Denied => CallState::Denied,
            };
            call.result.clone_from(&result.text);
            call.live = Live::default();
            call.took_ms = result.took_ms;
            call.cached = result.cached;
            call.pictures.clone_from(&result.pictures);
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

    /// The tool works, unless the user's answer comes first.
    fn start_call(&mut self, id: &str) -> Touched {
        let state = match self.asks(id) {
            true => CallState::Asking,
            false => CallState::Running,
        };
        self.change_call(id, |call| call.state = state)
    }

    fn asks(&self, id: &str) -> bool {
        self.questions.iter().any(|asked| asked.call_id == id)
    }

    fn ask(&mut self, question: &Question) -> Touched {
        self.forget_question(&question.call_id);
        self.questions.push(Arc::new(question.clone()));
        self.change_call(&question.call_id, |call| call.state = CallState::Asking)
    }

    fn forget_question(&mut self, call_id: &str) {
        self.questions.retain(|other| other.call_id != call_id);
    }

    fn work_on(&mut self, busy: Busy) -> Touched {
        self.busy = Some(busy);
        Touched::Nothing
    }

    /// A run has one list of steps, where it first stood.
    fn todo(&mut self, items: &[TodoItem]) -> Touched {
        for (at, item) in self.items.iter_mut().enumerate().rev() {
            match item {
                Item::Todo(known) => {
                    *known = items.to_vec();
                    return Touched::Item(at);
                }
                Item::User(user) if user.sent != Sent::DuringRun => break,
                _ => {}
            }
        }
        self.push(Item::Todo(items.to_vec()))
    }

    fn stop(&mut self, ending: Ending, kept: Kept) -> Touched {
        let first = match self.break_off() {
            Touched::Nothing => self.items.len(),
            Touched::Item(at) | Touched::From(at) => at,
        };
        let (answer, rounds) = self.of_this_run();
        if ending.reason == StopReason::Finished {
            self.items.extend(answer.map(Item::Answer));
        }
        self.push(Item::Stop(StopView {
            ending,
            kept,
            rounds,
        }));
        Touched::From(first)
    }

    /// The answer that was handed in last, and the rounds the task may take.
    fn of_this_run(&self) -> (Option<String>, Option<u32>) {
        let mut answer = None;
        for item in self.items.iter().rev() {
            match item {
                Item::Round(round) if answer.is_none() => {
                    let mut calls = round.calls.iter().rev();
                    answer = calls
                        .find(|call| call.name == "finish" && call.state == CallState::Ok)
                        .and_then(|call| text_argument(&call.arguments, "answer"));
                }
                Item::User(UserView {
                    sent: Sent::Task { rounds, .. },
                    ..
                }) => return (answer, *rounds),
                _ => {}
            }
        }
        (answer, None)
    }
}

#[cfg(test)]
mod tests;
