//! Runs the open calls of one message and records one result for each, in order.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream;

use super::admit::{Past, decide};
use super::perform::{Done, Workshop};
use super::{Agent, run_view, storage_failed};
use crate::kernel::approval::Action;
use crate::kernel::event::{Failure, StopReason};
use crate::kernel::model::Finish;
use crate::kernel::session::{AssistantMessage, Entry, ToolCall};
use crate::kernel::store::{Change, Durability, Key, Table, Value};
use crate::kernel::tool::{Effect, MAX_RESULT, Manner, Prepared, cap_result};
use crate::kernel::trace::CallTrace;
use crate::kernel::workspace::WorkspaceError;

/// Read-only calls that run at the same time.
const AT_ONCE: usize = 4;
/// The part of the window, in percent, that the results of one message may fill.
const SHARE: u64 = 30;
/// Bytes of a result that are kept, however many there are.
const MIN_RESULT: usize = 1 << 10;

const CUT: &str = "the message was cut off at the endpoint's length limit, so this call was not run; send less in one call";

/// A call, and what it came to when it was read.
type Call<'a> = (&'a ToolCall, Result<Prepared, String>);

/// The open calls of one message.
struct Job<'a> {
    workshop: &'a Workshop,
    round: u32,
    /// Bytes that a result may have.
    cap: usize,
}

impl Agent {
    /// Runs the calls of `message`, the record `seq`, that are `open`, and records
    /// their results. The last call of a message that was cut off is not whole and is
    /// not run.
    ///
    /// # Errors
    /// The reason to end the run; calls may be open then, and the end closes them.
    pub(super) async fn run_calls(
        &mut self,
        seq: u64,
        message: &AssistantMessage,
        open: &[usize],
    ) -> Result<(), StopReason> {
        let calls = self.read_calls(message, open);
        let past = match run_view::begun_call(self.parts.transcript.run()) {
            Some(_) => Past::Begun,
            None => Past::Fresh,
        };
        // One call that changes something or has to be asked about is enough to keep
        // the order: others may depend on it.
        let session = self.parts.transcript.session_id();
        let (desk, workspace) = (&*self.parts.desk, &**self.parts.transcript.workspace());
        let any = |wanted: &dyn Fn(&Prepared) -> bool| {
            let mut read = calls.iter();
            read.any(|(_, call)| call.as_ref().is_ok_and(wanted))
        };
        let keeps_order = past == Past::Begun
            || any(&|call| {
                call.effect != Effect::ReadOnly
                    || decide(desk, workspace, session, call).action == Action::Ask
            });
        // Whoever is asked about a call has seen the message that it stands in.
        if keeps_order || any(&|call| call.manner == Manner::Patient) {
            let settled = self.parts.transcript.settle().await;
            settled.map_err(storage_failed)?;
        }
        let workshop = self.workshop(seq);
        let job = Job {
            workshop: &workshop,
            round: message.round,
            cap: self.cap(open.len()),
        };
        let fatal = match keeps_order {
            true => self.in_order(&job, calls, past).await?,
            false => self.side_by_side(&job, calls).await?,
        };
        self.secrets_of = workshop.secrets_of.get();
        self.parts.redactor = workshop.redactor.take();
        self.tracer.hide_with(&self.parts.redactor);
        match fatal {
            Some(failure) => Err(StopReason::Failed(failure)),
            None if self.parts.cancel.is_cancelled() => Err(StopReason::Cancelled),
            None => Ok(()),
        }
    }

    fn read_calls<'a>(&self, message: &'a AssistantMessage, open: &[usize]) -> Vec<Call<'a>> {
        let cut = (message.finish == Finish::Length).then(|| message.calls.len() - 1);
        let read = open.iter().map(|at| {
            let call = &message.calls[*at];
            let prepared = match cut == Some(*at) {
                true => Err(CUT.to_owned()),
                false => self.parts.tools.prepare(&call.name, &call.arguments),
            };
            (call, prepared)
        });
        read.collect()
    }

    /// Runs calls one after the other; the first of them may have a past.
    async fn in_order(
        &mut self,
        job: &Job<'_>,
        calls: Vec<Call<'_>>,
        mut past: Past,
    ) -> Result<Option<Failure>, StopReason> {
        let workshop = job.workshop;
        let cancel = self.parts.cancel.clone();
        for (call, prepared) in calls {
            // Whoever waits for the user lets others work.
            let takes_turn = prepared.as_ref().is_ok_and(|call| {
                call.effect == Effect::Writing && workshop.decide(call).action == Action::Allow
            });
            let _turn = match takes_turn {
                true => match cancel.guard(workshop.workspace.turn_to_change()).await {
                    Ok(turn) => Some(turn),
                    Err(_) => break,
                },
                false => None,
            };
            let of_call = std::mem::replace(&mut past, Past::Fresh);
            let admitted = workshop.admit(job.round, call, prepared, of_call);
            let Ok(admitted) = cancel.guard(admitted).await else {
                break;
            };
            if admitted.reaches_out() && of_call == Past::Fresh {
                self.mark_begun(call).await?;
            }
            // A change must be in the store before the next call looks.
            let mut work = pin!(workshop.carry_out(call, admitted));
            let Ok(done) = cancel.guard(work.as_mut()).await else {
                if workshop.has_sub_agents() {
                    work.await;
                }
                break;
            };
            let fatal = self.record_done(workshop, done, job.cap).await?;
            if fatal.is_some() || cancel.is_cancelled() {
                return Ok(fatal);
            }
        }
        Ok(None)
    }

    /// From here on the call may have happened. That outlives a power cut: its result,
    /// which takes the doubt away, comes later.
    async fn mark_begun(&mut self, call: &ToolCall) -> Result<(), StopReason> {
        let begun = Entry::Begun {
            call_id: call.id.clone(),
        };
        let transcript = &mut self.parts.transcript;
        let saved = transcript.record(vec![begun], &[], Durability::Strict);
        saved.await.map_err(storage_failed)
    }

    /// Runs calls that change nothing, some at a time.
    async fn side_by_side(
        &mut self,
        job: &Job<'_>,
        calls: Vec<Call<'_>>,
    ) -> Result<Option<Failure>, StopReason> {
        let workshop = job.workshop;
        let cancel = self.parts.cancel.clone();
        let work = calls
            .into_iter()
            .map(|(call, prepared)| workshop.perform(job.round, call, prepared));
        let mut results = stream::iter(work).buffered(AT_ONCE).ready_chunks(AT_ONCE);
        let ended = loop {
            let next = self.parts.transcript.while_saving(results.next());
            let done = match cancel.guard(next).await {
                Ok(Ok(Some(done))) => done,
                Ok(Ok(None)) | Err(_) => break Ok(None),
                Ok(Err(error)) => break Err(storage_failed(error)),
            };
            let fatal = done.iter().find_map(|done| done.fatal.clone());
            let (mut entries, mut puts) = (Vec::new(), Vec::new());
            for done in done {
                let seq = self.parts.transcript.next_seq() + entries.len() as u64;
                self.note_call(&done);
                workshop.keep(&done);
                workshop.learn(&done);
                self.add_result(&done, seq, job.cap, &mut entries, &mut puts);
            }
            self.parts.transcript.record_soon(entries, puts);
            if fatal.is_some() || cancel.is_cancelled() {
                break Ok(fatal);
            }
        };
        // Whatever ends the run ends its sub-agents, and they close what they opened.
        if workshop.has_sub_agents() {
            match &ended {
                Ok(Some(failure)) | Err(StopReason::Failed(failure)) => {
                    cancel.fail(failure.clone());
                }
                _ => cancel.cancel(),
            }
            while workshop.has_sub_agents() && results.next().await.is_some() {}
        }
        ended
    }

    fn workshop(&self, seq: u64) -> Workshop {
        let seconds = self.parts.limits.tool_seconds;
        Workshop {
            workspace: Rc::clone(self.parts.transcript.workspace()),
            clock: Rc::clone(&self.parts.clock),
            handle: self.handle(seq),
            desk: Rc::clone(&self.parts.desk),
            redactor: RefCell::new(Rc::clone(&self.parts.redactor)),
            secrets_of: Cell::new(self.secrets_of),
            look_for_secrets: Rc::clone(&self.parts.look_for_secrets),
            cache: Rc::clone(&self.cache),
            watch: Box::new(self.parts.transcript.watcher()),
            time: Duration::from_secs(u64::from(seconds)),
        }
    }

    /// Bytes that each result may have, so that all of a message fit the window.
    fn cap(&self, calls: usize) -> usize {
        // Four bytes to a token.
        let share = (self.context.window() * SHARE / 100 * 4) as usize / calls.max(1);
        share.clamp(MIN_RESULT, MAX_RESULT)
    }

    /// Records a result. File changes and the result that tells of them are one
    /// transaction, which no Stop interrupts.
    async fn record_done(
        &mut self,
        workshop: &Workshop,
        mut done: Done,
        cap: usize,
    ) -> Result<Option<Failure>, StopReason> {
        self.note_call(&done);
        let changes = std::mem::take(&mut done.changes);
        let seq = self.parts.transcript.next_seq();
        if !changes.is_empty() {
            let (mut entries, mut puts) = (Vec::new(), Vec::new());
            self.add_result(&done, seq, cap, &mut entries, &mut puts);
            let saved = self
                .parts
                .transcript
                .record_with(entries, &changes, puts, Durability::Relaxed)
                .await;
            match saved {
                Ok(()) => {
                    workshop.learn(&done);
                    return Ok(None);
                }
                Err(error @ WorkspaceError::Store(_)) => return Err(storage_failed(error)),
                Err(error) => done.fail(error.into(), &workshop.redactor.borrow()),
            }
        }
        workshop.keep(&done);
        workshop.learn(&done);
        let (mut entries, mut puts) = (Vec::new(), Vec::new());
        let fatal = done.fatal.clone();
        self.add_result(&done, seq, cap, &mut entries, &mut puts);
        let transcript = &mut self.parts.transcript;
        let saved = transcript.record_with(entries, &[], puts, Durability::Relaxed);
        saved.await.map_err(storage_failed)?;
        Ok(fatal)
    }

    /// The entries of a call that is done, the first of them the record `seq`; what
    /// is cut out of its result is kept to be recalled.
    fn add_result(
        &self,
        done: &Done,
        seq: u64,
        cap: usize,
        entries: &mut Vec<Entry>,
        puts: &mut Vec<Change>,
    ) {
        let mut result = done.result.clone();
        if let Some(short) = cap_result(&result.text, cap, seq) {
            let whole = std::mem::replace(&mut result.text, short);
            let session = self.parts.transcript.session_id();
            let key = Key::new([session.into(), seq.into()]);
            puts.push(Change::Put(
                Table::Overflow,
                key,
                Value::Bytes(whole.into_bytes()),
            ));
        }
        entries.push(Entry::ToolResult(result));
        let todo = done.todo.clone();
        entries.extend(todo.map(|items| Entry::Todo { items }));
    }

    fn note_call(&mut self, done: &Done) {
        let result = &done.result;
        self.tracer.call(CallTrace {
            call_id: result.call_id.clone(),
            name: result.name.clone(),
            started_ms: done.started_ms,
            took_ms: result.took_ms,
            waited_ms: done.waited_ms,
            ok: result.outcome == crate::kernel::session::Outcome::Ok,
        });
        self.watch.worked_ms();
    }
}
