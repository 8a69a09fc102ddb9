//! What a run writes down: the model's messages, words to it, and the user's words that
//! waited.

use super::Agent;
use super::tracing::All;
use crate::kernel::event::{Failure, FailureKind, StopReason};
use crate::kernel::model::Turn;
use crate::kernel::session::{self, AssistantMessage, Entry, Topic};
use crate::kernel::store::{Durability, StoreError};
use crate::kernel::workspace::WorkspaceError;

impl Agent {
    /// Messages that the user wrote meanwhile go in now; tells whether there were any.
    pub(super) async fn take_queue(&mut self) -> Result<bool, StopReason> {
        let transcript = &mut self.parts.transcript;
        let session = transcript.session_id().to_owned();
        let texts = self.parts.desk.take_queue(&session);
        if texts.is_empty() {
            return Ok(false);
        }
        let entry = |text: &String| Entry::Steer { text: text.clone() };
        let entries = texts.iter().map(entry).collect();
        let taken = vec![session::queue_change(&session, &[])];
        let saved = transcript
            .record_with(entries, &[], taken, Durability::Relaxed)
            .await;
        if let Err(error) = saved {
            self.parts.desk.give_back_queue(&session, texts);
            return Err(storage_failed(error));
        }
        self.parts.desk.queue_taken(&session);
        Ok(true)
    }

    /// A message is whole.
    pub(super) async fn record_turn(&mut self, turn: Turn) -> Result<(), StopReason> {
        let message = AssistantMessage {
            round: self.round,
            text: turn.text,
            reasoning: turn.reasoning,
            calls: turn.calls,
            usage: turn.usage,
            host: self.parts.client.host(),
            model: self.parts.client.model(),
            finish: turn.finish,
            took_ms: self.tracer.took_ms(),
            worked_ms: self.watch.worked_ms(),
            estimate: self.context.estimated(),
            remark: turn.remark.or_else(|| {
                let run = self.parts.transcript.run();
                self.context.remark(turn.usage, run)
            }),
        };
        self.account.add_round(&message, &self.parts.limits);
        let seq = self.parts.transcript.next_seq();
        self.tracer.message(seq, &message, &self.parts.limits);
        // The trace of the round before goes along: a transaction of its own would cost.
        let transcript = &mut self.parts.transcript;
        let trace = self.tracer.take(transcript.session_id(), seq, All::No);
        let is_answer = message.calls.is_empty();
        transcript.record_soon(vec![Entry::Assistant(message)], trace);
        // The tools may begin while a message that asks for some is being saved.
        if is_answer {
            transcript.settle().await.map_err(storage_failed)?;
        }
        Ok(())
    }

    /// Says something to the model, behind all that has been said.
    pub(super) fn nudge(&mut self, about: Topic, text: String) {
        self.tracer.note(&text);
        let transcript = &mut self.parts.transcript;
        transcript.record_soon(vec![Entry::Nudge { text, about }], Vec::new());
    }

    /// Saves `entries`, and tells of them.
    pub(super) async fn record(&mut self, entries: Vec<Entry>) -> Result<(), StopReason> {
        let transcript = &mut self.parts.transcript;
        let saved = transcript.record(entries, &[], Durability::Relaxed).await;
        saved.map_err(storage_failed)
    }
}

/// The end of a run whose records could not be saved.
pub(super) fn storage_failed(error: WorkspaceError) -> StopReason {
    let kind = match error {
        WorkspaceError::Store(StoreError::Full) => FailureKind::Full,
        _ => FailureKind::Storage,
    };
    StopReason::Failed(Failure::new(kind, error.to_string()))
}
