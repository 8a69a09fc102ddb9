//! Notes down what happens in each round, for the trace.

use std::rc::Rc;

use super::Agent;
use crate::kernel::event::{Failure, Retry};
use crate::kernel::model::{ModelEvent, Tape};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{AssistantMessage, Usage};
use crate::kernel::settings::LimitSettings;
use crate::kernel::store::Change;
use crate::kernel::trace::{self, CallTrace, Purpose, RoundTrace};

/// The trace of the open round.
#[derive(Default)]
pub(super) struct Tracer {
    round: RoundTrace,
    tape: Rc<Tape>,
    /// Whether the round has come to a message or failed.
    is_told: bool,
    /// What comes before the next request.
    notes: Vec<String>,
    redactor: Rc<Redactor>,
    /// A round that is complete and not saved yet.
    ready: Option<RoundTrace>,
    /// What the round's first try sent: a later one repeats it.
    first_try: Option<Rc<Tape>>,
}

impl Tracer {
    /// A request goes out.
    pub fn begin(&mut self, tape: &Rc<Tape>, round: u32, now_ms: u64) {
        // A request that is sent again belongs to the same round.
        let mut before = match self.is_told {
            true if self.round.failure.is_some() && self.round.round == round => {
                let tried = Rc::clone(&self.tape);
                self.first_try.get_or_insert(tried);
                std::mem::take(&mut self.round)
            }
            true => {
                self.close();
                RoundTrace::default()
            }
            false => std::mem::take(&mut self.round),
        };
        before.notes.append(&mut self.notes);
        self.tape = Rc::clone(tape);
        self.is_told = false;
        self.round = RoundTrace {
            round,
            sent_ms: now_ms,
            retries: before.retries,
            notes: before.notes,
            ..RoundTrace::default()
        };
    }

    /// Uses this to hide secrets.
    pub fn hide_with(&mut self, redactor: &Rc<Redactor>) {
        self.redactor = Rc::clone(redactor);
    }

    /// A piece of the answer came.
    pub fn saw(&mut self, event: &Option<ModelEvent>, now_ms: u64) {
        let since = now_ms.saturating_sub(self.round.sent_ms);
        if self.round.first_ms == 0 {
            self.round.first_ms = since;
        }
        if matches!(
            event,
            Some(ModelEvent::Finished(_) | ModelEvent::Failed { .. }) | None
        ) {
            self.round.end_ms = since;
        }
    }

    /// How long the last request took, milliseconds.
    pub fn took_ms(&self) -> u64 {
        self.round.end_ms
    }

    /// The request is sent again.
    pub fn retry(&mut self, retry: &Retry) {
        self.round.retries.push(retry.clone());
    }

    /// The request failed.
    pub fn failed(&mut self, failure: &Failure) {
        let status = failure
            .status
            .map_or(String::new(), |status| format!("{status} "));
        self.round.status = failure.status.unwrap_or_default();
        self.round.host.clone_from(&failure.host);
        self.round.failure = Some(format!("{status}{}", failure.detail).trim().to_owned());
        self.is_told = true;
    }

    /// The message is complete; it is the record `seq`.
    pub fn message(&mut self, seq: u64, message: &AssistantMessage, limits: &LimitSettings) {
        self.round.seq = seq;
        self.round.host.clone_from(&message.host);
        self.round.calls.clone_from(&message.calls);
        self.round.usage = message.usage;
        self.round.cost = message.usage.and_then(|usage| limits.cost(usage));
        self.is_told = true;
    }

    /// A call has a result.
    pub fn call(&mut self, call: CallTrace) {
        self.round.results.push(call);
    }

    /// Something is said to the model before the next request.
    pub fn note(&mut self, text: &str) {
        self.notes.push(self.redactor.redact(text).into_owned());
    }

    /// A request beside the rounds.
    pub fn side(
        &self,
        purpose: Purpose,
        tape: &Tape,
        (sent_ms, now_ms): (u64, u64),
        usage: Option<Usage>,
        failure: Option<&String>,
    ) -> RoundTrace {
        let mut round = RoundTrace {
            round: self.round.round,
            purpose,
            sent_ms,
            end_ms: now_ms.saturating_sub(sent_ms),
            usage,
            failure: failure.cloned(),
            ..RoundTrace::default()
        };
        self.fill(&mut round, tape);
        round
    }

    fn fill(&self, round: &mut RoundTrace, tape: &Tape) {
        round.model.clone_from(&tape.model.borrow());
        round.same_bytes = tape.same_bytes.get() as u64;
        round.request = self.redactor.redact(&tape.request.borrow()).into_owned();
        if let Some(first) = self.first_try.as_ref().filter(|_| round.request.is_empty()) {
            round.same_bytes = first.same_bytes.get() as u64;
            round.request = self.redactor.redact(&first.request.borrow()).into_owned();
        }
        if tape.status.get() != 0 {
            round.status = tape.status.get();
            round.head_ms = tape.head_ms.get().saturating_sub(round.sent_ms);
        }
        let response = tape.response.borrow();
        let response = String::from_utf8_lossy(&response);
        round.response = self.redactor.redact(&response).into_owned();
    }

    fn close(&mut self) {
        let mut round = std::mem::take(&mut self.round);
        let tape = std::mem::take(&mut self.tape);
        // A model that needs no wire leaves no trace of one.
        self.fill(&mut round, &tape);
        self.first_try = None;
        self.is_told = false;
        self.ready = Some(round);
    }

    /// The changes that save a round that is complete; the open one too if `all`.
    pub fn take(&mut self, session: &str, next_seq: u64, all: All) -> Vec<Change> {
        if all == All::Yes && self.is_told {
            self.close();
        }
        let ready = self.ready.take().map(|mut round| {
            if round.failure.is_some() && round.seq == 0 {
                round.seq = next_seq;
            }
            trace::put(session, &round)
        });
        ready.into_iter().collect()
    }
}

/// Whether the open round is meant too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum All {
    /// Only rounds that are over.
    No,
    /// The run ends, and so does its last round.
    Yes,
}

impl Agent {
    /// Saves the trace of a request beside the rounds, under the number of the record
    /// that will tell what came of it.
    pub(super) fn keep_trace(&mut self, mut round: RoundTrace) {
        let transcript = &mut self.parts.transcript;
        round.seq = transcript.next_seq();
        let put = trace::put(transcript.session_id(), &round);
        transcript.record_soon(Vec::new(), vec![put]);
    }
}
