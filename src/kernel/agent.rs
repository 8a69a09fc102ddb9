//! The loop: ask the model, run the tools it wants, tell it the results, until
//! it wants none. Everything the user sees of it goes out as an event; every
//! run ends with exactly one [`StopReason`].

pub mod termination;
mod tool_calls;
pub mod transcript;

use std::pin::pin;
use std::rc::Rc;

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::LocalBoxStream;

pub use termination::Limits;
use transcript::Transcript;

use super::cancel::CancelToken;
use super::clock::Clock;
use super::event::{AgentEvent, Failure, FailureKind, StopReason};
use super::model::{Finish, ModelClient, ModelEvent, ModelRequest, Turn};
use super::session::{AssistantMessage, Ending, Entry, Topic, Usage};
use super::store::Durability;
use super::tool::{ToolRegistry, ToolSpec};
use super::workspace::WorkspaceError;

/// What the model is told about its place.
pub const SYSTEM_PROMPT: &str = include_str!("agent/system.md");

/// The result of a call that the user's Stop came before.
const STOPPED: &str =
    "Error: interrupted by the user before it ran to its end; nothing was changed";
/// The result of a call whose run ended otherwise.
const ENDED_FIRST: &str =
    "Error: no result, because the run ended before it could be saved; nothing was changed";

/// One run of a session.
pub struct Agent {
    /// What has been said, and where it is kept.
    pub transcript: Transcript,
    /// Who answers.
    pub client: Box<dyn ModelClient>,
    /// What can be done.
    pub tools: Rc<ToolRegistry>,
    /// When to stop.
    pub limits: Limits,
    /// The user's wish to stop.
    pub cancel: CancelToken,
    /// Time.
    pub clock: Rc<dyn Clock>,
}

/// How far a run has come.
struct Progress {
    /// Number of the last round that was begun, counted since the user's message.
    round: u32,
    /// Rounds of this run that were answered.
    answered: u32,
    usage: Option<Usage>,
    started_ms: u64,
}

impl Agent {
    /// Runs to the end. The transcript's last entry is the user's message, a
    /// nudge to go on, or whatever a failed run left behind.
    pub async fn run(mut self) -> StopReason {
        let mut progress = Progress {
            round: self.transcript.rounds_of_task(),
            answered: 0,
            usage: None,
            started_ms: self.clock.now_ms(),
        };
        let reason = match self.rounds(&mut progress).await {
            Ok(reason) | Err(reason) => reason,
        };
        let ending = Ending {
            reason: reason.clone(),
            rounds: progress.answered,
            usage: progress.usage,
            took_ms: self.clock.now_ms().saturating_sub(progress.started_ms),
            cost: None,
        };
        let told = match reason {
            StopReason::Cancelled => STOPPED,
            _ => ENDED_FIRST,
        };
        let mut entries = self.transcript.close_calls(told);
        entries.push(Entry::Stopped(ending));
        self.transcript.set_running(false);
        let saved = self
            .transcript
            .record(entries, &[], Durability::Strict)
            .await;
        if saved.is_err() {
            self.transcript
                .emit(AgentEvent::EndedUnsaved(reason.clone()));
        }
        reason
    }

    /// Goes round until there is a reason to stop. An `Err` is a reason too:
    /// one that ends the run in the middle of a round.
    async fn rounds(&mut self, progress: &mut Progress) -> Result<StopReason, StopReason> {
        let tools = self.tools.specs();
        loop {
            if let Some(reason) = self.limits.reached(progress.answered) {
                return self.last_word(progress, reason).await;
            }
            let turn = self.ask(progress, &tools).await?;
            let Turn { calls, finish, .. } = &turn;
            let (calls, finish) = (calls.clone(), *finish);
            self.record_turn(progress, turn).await?;
            if calls.is_empty() {
                return Ok(match finish {
                    Finish::Stop => StopReason::Completed,
                    Finish::Length => StopReason::LengthLimit,
                    Finish::ContentFilter => StopReason::ContentFilter,
                });
            }
            let cut = (finish == Finish::Length).then(|| calls.len() - 1);
            self.run_calls(progress.round, &calls, cut).await?;
        }
    }

    /// A limit was reached: the model may say where it stands, without tools.
    async fn last_word(
        &mut self,
        progress: &mut Progress,
        reason: StopReason,
    ) -> Result<StopReason, StopReason> {
        let text = termination::last_word_nudge(&reason);
        self.record(vec![Entry::Nudge {
            text,
            about: Topic::LastWord,
        }])
        .await?;
        match self.ask(progress, &[]).await {
            Ok(mut turn) => {
                // No tool was offered, so none is run.
                turn.calls.clear();
                self.record_turn(progress, turn).await?;
                // The report is beyond the limit, not one of the rounds it allowed.
                progress.answered -= 1;
                Ok(reason)
            }
            Err(StopReason::Cancelled) => Err(StopReason::Cancelled),
            // The limit is why the run ends; that the report is missing changes nothing.
            Err(_) => Ok(reason),
        }
    }

    /// One request, streamed to whoever watches.
    async fn ask(
        &mut self,
        progress: &mut Progress,
        tools: &[ToolSpec],
    ) -> Result<Turn, StopReason> {
        progress.round += 1;
        let round = progress.round;
        let request = ModelRequest {
            system: SYSTEM_PROMPT,
            records: self.transcript.records(),
            tools,
        };
        let mut stream = self.client.stream(request);
        let mut first = self.send_while_saving(&mut stream).await?;
        // The round before has ended: not even a power cut shall take it back.
        self.transcript.workspace().flush();
        self.transcript.emit(AgentEvent::RoundStarted { round });
        let (mut text, mut reasoning) = (String::new(), String::new());
        loop {
            let next = async {
                match first.take() {
                    Some(event) => event,
                    None => stream.next().await,
                }
            };
            let Ok(event) = self.cancel.guard(next).await else {
                drop(stream);
                self.record_partial(round, text, reasoning).await?;
                return Err(StopReason::Cancelled);
            };
            match event {
                Some(ModelEvent::Text(more)) => {
                    text.push_str(&more);
                    self.transcript.emit(AgentEvent::TextDelta(more));
                }
                Some(ModelEvent::Reasoning(more)) => {
                    reasoning.push_str(&more);
                    self.transcript.emit(AgentEvent::ReasoningDelta(more));
                }
                Some(ModelEvent::Call { index, name, bytes }) => {
                    self.transcript
                        .emit(AgentEvent::CallDelta { index, name, bytes });
                }
                Some(ModelEvent::Finished(turn)) => return Ok(turn),
                Some(ModelEvent::Failed {
                    failure,
                    text,
                    reasoning,
                }) => {
                    self.record_partial(round, text, reasoning).await?;
                    return Err(StopReason::Failed(failure));
                }
                None => {
                    self.record_partial(round, text, reasoning).await?;
                    let failure = Failure::new(FailureKind::Truncated, String::new());
                    return Err(StopReason::Failed(failure));
                }
            }
        }
    }

    /// Lets the request go out while what came before it is still being saved:
    /// were saving to fail, nothing the model says to it would be used. Gives the
    /// first event if it was that quick.
    async fn send_while_saving(
        &mut self,
        stream: &mut LocalBoxStream<'static, ModelEvent>,
    ) -> Result<Option<Option<ModelEvent>>, StopReason> {
        let (saved, first) = match select(pin!(self.transcript.settle()), stream.next()).await {
            Either::Left((saved, _)) => (saved, None),
            Either::Right((event, saving)) => (saving.await, Some(event)),
        };
        saved.map_err(|error| storage_failed(&error))?;
        Ok(first)
    }

    async fn record_turn(&mut self, progress: &mut Progress, turn: Turn) -> Result<(), StopReason> {
        progress.answered += 1;
        if let Some(usage) = turn.usage {
            progress.usage = Some(progress.usage.unwrap_or_default() + usage);
        }
        let message = AssistantMessage {
            round: progress.round,
            text: turn.text,
            reasoning: turn.reasoning,
            calls: turn.calls,
            usage: turn.usage,
            host: self.client.host(),
            finish: turn.finish,
            took_ms: 0,
            estimate: 0,
        };
        // The tools may begin while a message that asks for some is being saved.
        if message.calls.is_empty() {
            return self.record(vec![Entry::Assistant(message)]).await;
        }
        self.transcript.record_soon(vec![Entry::Assistant(message)]);
        Ok(())
    }

    /// What had come of a broken message is kept for the eye, never sent.
    async fn record_partial(
        &mut self,
        round: u32,
        text: String,
        reasoning: String,
    ) -> Result<(), StopReason> {
        if text.is_empty() && reasoning.is_empty() {
            return Ok(());
        }
        self.record(vec![Entry::Partial {
            round,
            text,
            reasoning,
        }])
        .await
    }

    async fn record(&mut self, entries: Vec<Entry>) -> Result<(), StopReason> {
        let saved = self
            .transcript
            .record(entries, &[], Durability::Relaxed)
            .await;
        saved.map_err(|error| storage_failed(&error))
    }
}

fn storage_failed(error: &WorkspaceError) -> StopReason {
    StopReason::Failed(Failure::new(FailureKind::Storage, error.to_string()))
}
