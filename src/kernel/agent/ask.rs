//! One request to the model: streamed to whoever watches, sent again when that
//! may help, shortened and sent again when it was too long.

use std::pin::{Pin, pin};
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::LocalBoxStream;

use super::compaction::Force;
use super::termination::{self, Verdict};
use super::{Agent, SYSTEM_PROMPT, storage_failed};
use crate::kernel::event::{AgentEvent, Failure, FailureKind, Retry, StopReason};
use crate::kernel::model::{Finish, ModelEvent, ModelRequest, Tape, Turn, errors};
use crate::kernel::session::Entry;
use crate::kernel::settings::Lesson;
use crate::kernel::tool::ToolSpec;
use crate::kernel::trace::Purpose;

/// How often a request is sent at most.
const TRIES: u32 = 5;
/// The wait before the second try, doubled for each further one.
const FIRST_WAIT_MS: u64 = 1_000;
/// The longest wait of our own, and the longest that a host may ask for.
const LONGEST_WAIT_MS: u64 = 32_000;
const LONGEST_ASKED_MS: u64 = 300_000;

/// How often a request is sent in another form at most.
pub(super) const FORMS: u32 = 8;

/// What came of a request.
pub(super) enum Outcome {
    /// A whole message.
    Turn(Turn),
    /// None.
    Broken(Broken),
    /// The endpoint refused a part of it, and is to be asked in another form.
    Learned(Lesson, Failure),
}

/// An answer that did not come to its end.
pub(super) struct Broken {
    /// Why.
    pub failure: Failure,
    text: String,
    reasoning: String,
}

impl Broken {
    /// Nothing had come of it, or nothing that is of use.
    pub fn without_words(failure: Failure) -> Self {
        let (text, reasoning) = Default::default();
        Self {
            failure,
            text,
            reasoning,
        }
    }
}

/// Some hosts cut an answer off before its first word when the request fills the window.
fn had_no_room(turn: &Turn) -> bool {
    let wrote_nothing = turn.usage.is_some_and(|usage| usage.completion_tokens == 0);
    let is_blank = turn.text.is_empty() && turn.calls.is_empty() && turn.reasoning.is_none();
    turn.finish == Finish::Length && is_blank && wrote_nothing
}

impl Agent {
    /// Asks until there is a whole message.
    ///
    /// # Errors
    /// The reason to end the run.
    pub(super) async fn ask(&mut self, offer: &[ToolSpec]) -> Result<Turn, StopReason> {
        self.round += 1;
        let mut may_shorten = true;
        let (mut attempt, mut forms) = (1, 0);
        loop {
            let is_first = attempt == 1 && may_shorten && forms == 0;
            let mut broken = match self.ask_once(offer, is_first).await? {
                Outcome::Turn(turn) if may_shorten && had_no_room(&turn) => {
                    may_shorten = false;
                    if !self.shorten(Force::Overflow(None)).await? {
                        return Ok(turn);
                    }
                    let usage = turn.usage.unwrap_or_default();
                    self.account.add(usage, &self.parts.limits);
                    continue;
                }
                Outcome::Turn(turn) => return Ok(turn),
                Outcome::Learned(lesson, failure) if forms < FORMS => {
                    forms += 1;
                    self.learned(lesson, &failure);
                    continue;
                }
                Outcome::Learned(_, failure) => Broken::without_words(failure),
                Outcome::Broken(broken) => broken,
            };
            if self.is_unlikely(&broken.failure) {
                broken.failure.kind = FailureKind::BadRequest;
            }
            let failure = &broken.failure;
            if failure.kind == FailureKind::ContextOverflow && may_shorten {
                may_shorten = false;
                let told = errors::told_window(&failure.detail);
                if self.shorten(Force::Overflow(told)).await? {
                    continue;
                }
            }
            attempt += 1;
            let wait_ms = match self.wait_before(attempt, failure) {
                Some(wait_ms) => wait_ms,
                None => {
                    let failure = broken.failure.clone();
                    self.record_partial(broken.text, broken.reasoning).await?;
                    return Err(StopReason::Failed(failure));
                }
            };
            let retry = Retry {
                attempt,
                of: TRIES,
                wait_ms,
                failure: broken.failure,
            };
            self.tracer.retry(&retry);
            self.parts.transcript.emit(AgentEvent::Retrying(retry));
            let wait = self.watch.pause(Duration::from_millis(wait_ms));
            if self.parts.cancel.guard(wait).await.is_err() {
                return Err(StopReason::Cancelled);
            }
        }
    }

    /// A refusal without a word is taken for an overfull window, as some hosts tell that;
    /// but not where there was plenty of room.
    fn is_unlikely(&self, failure: &Failure) -> bool {
        let is_mute = failure.status == Some(400) && failure.detail.is_empty();
        let has_room = self.context.total() * 2 < self.context.window();
        failure.kind == FailureKind::ContextOverflow && is_mute && has_room
    }

    /// How long to wait before try number `attempt`; `None` if there is to be none.
    pub(super) fn wait_before(&self, attempt: u32, failure: &Failure) -> Option<u64> {
        if attempt > TRIES || !failure.kind.is_retryable() {
            return None;
        }
        if let Some(asked) = failure.retry_after_ms {
            return (asked <= LONGEST_ASKED_MS).then_some(asked);
        }
        let base = (FIRST_WAIT_MS << (attempt - 2)).min(LONGEST_WAIT_MS);
        // A quarter more or less, so that many tabs do not come back at once.
        let jitter = self.parts.random.next_u64() % (base / 2);
        Some(base - base / 4 + jitter)
    }

    async fn ask_once(
        &mut self,
        offer: &[ToolSpec],
        is_first: bool,
    ) -> Result<Outcome, StopReason> {
        self.look_again().await;
        self.hand_over_pictures().await;
        let tape = Rc::new(Tape::default());
        self.tracer
            .begin(&tape, self.round, self.parts.clock.now_ms());
        let transcript = &self.parts.transcript;
        self.context.take_in(transcript.records());
        self.context.offer(offer);
        let request = ModelRequest {
            system: SYSTEM_PROMPT,
            records: transcript.records(),
            tools: offer,
            purpose: Purpose::Round,
            redactor: &self.parts.redactor,
            tape: Some(Rc::clone(&tape)),
        };
        let mut stream = self.parts.client.stream(request);
        let mut first = self.send_while_saving(&mut stream).await?;
        // The round before has ended: not even a power cut shall take it back.
        let transcript = &self.parts.transcript;
        transcript.workspace().flush();
        if is_first {
            let round = self.round;
            transcript.emit(AgentEvent::RoundStarted { round });
        }
        let spent = self.account.against_limits();
        let used = self.context.used(spent);
        transcript.emit(AgentEvent::Context(used));
        let (mut text, mut reasoning) = (String::new(), String::new());
        let watch = Rc::clone(&self.watch);
        let mut time_is_up = pin!(watch.has_worked(self.time_ms()));
        loop {
            let next = async {
                match first.take() {
                    Some(event) => event,
                    None => stream.next().await,
                }
            };
            let event = match self.while_it_may(next, time_is_up.as_mut()).await {
                Ok(event) => event,
                Err(reason) => {
                    drop(stream);
                    self.record_partial(text, reasoning).await?;
                    return Err(reason);
                }
            };
            self.tracer.saw(&event, self.parts.clock.now_ms());
            let transcript = &self.parts.transcript;
            match event {
                Some(ModelEvent::Text(more)) => {
                    text.push_str(&more);
                    transcript.emit(AgentEvent::TextDelta(more));
                }
                Some(ModelEvent::Reasoning(more)) => {
                    reasoning.push_str(&more);
                    transcript.emit(AgentEvent::ReasoningDelta(more));
                }
                Some(ModelEvent::Call { index, name, bytes }) => {
                    transcript.emit(AgentEvent::CallDelta { index, name, bytes });
                }
                Some(ModelEvent::Alive) => {}
                Some(ModelEvent::Finished(turn)) => return Ok(Outcome::Turn(turn)),
                Some(ModelEvent::Learned { lesson, failure }) => {
                    return Ok(Outcome::Learned(lesson, failure));
                }
                Some(ModelEvent::Failed { failure, partial }) => {
                    self.tracer.failed(&failure);
                    let thought = partial.reasoning.unwrap_or_default();
                    return Ok(Outcome::Broken(Broken {
                        failure,
                        text: partial.text,
                        reasoning: thought.text,
                    }));
                }
                None => {
                    let failure = Failure::new(FailureKind::Truncated, String::new());
                    return Ok(Outcome::Broken(Broken {
                        failure,
                        text,
                        reasoning,
                    }));
                }
            }
            if let Some(reason) = self.out_of_time() {
                drop(stream);
                self.record_partial(text, reasoning).await?;
                return Err(reason);
            }
        }
    }

    /// Files may have come that hold secrets: from the user, or from another run.
    pub(super) async fn look_again(&mut self) {
        let generation = self.parts.transcript.workspace().generation();
        if std::mem::replace(&mut self.secrets_of, generation) != generation {
            self.parts.redactor = (self.parts.look_for_secrets)().await;
            self.tracer.hide_with(&self.parts.redactor);
        }
    }

    /// Tells of what the endpoint refused.
    pub(super) fn learned(&mut self, lesson: Lesson, failure: &Failure) {
        self.tracer.note(&format!(
            "{} refused: {}. Sent again in another form. Its words: {}",
            failure.host,
            lesson.refused.name(),
            failure.detail
        ));
        let host = failure.host.clone();
        let event = AgentEvent::Learned { host, lesson };
        self.parts.transcript.emit(event);
    }

    /// What `work` gives, unless the user stops the run or its time is up before.
    pub(super) async fn while_it_may<T>(
        &self,
        work: impl Future<Output = T>,
        time_is_up: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<T, StopReason> {
        match select(pin!(self.parts.cancel.guard(work)), time_is_up).await {
            Either::Left((done, _)) => done.map_err(|_| StopReason::Cancelled),
            Either::Right(_) => Err(StopReason::TimeLimit {
                minutes: self.parts.limits.minutes,
            }),
        }
    }

    /// How long the run may work, milliseconds.
    pub(super) fn time_ms(&self) -> u64 {
        u64::from(self.parts.limits.minutes) * 60_000
    }

    /// A message that never ends does not carry the run past its time.
    pub(super) fn out_of_time(&self) -> Option<StopReason> {
        let mut spent = self.account.spent();
        spent.worked_ms = self.watch.worked_ms();
        match termination::time(&self.parts.limits, &spent) {
            Verdict::Stop(reason) => Some(reason),
            _ => None,
        }
    }

    /// Lets the request go out while what came before it is still being saved:
    /// were saving to fail, nothing the model says to it would be used. Gives the
    /// first event if it was that quick.
    async fn send_while_saving(
        &mut self,
        stream: &mut LocalBoxStream<'static, ModelEvent>,
    ) -> Result<Option<Option<ModelEvent>>, StopReason> {
        let transcript = &mut self.parts.transcript;
        let (saved, first) = match select(stream.next(), pin!(transcript.settle())).await {
            Either::Left((event, saving)) => (saving.await, Some(event)),
            Either::Right((saved, _)) => (saved, None),
        };
        saved.map_err(storage_failed)?;
        Ok(first)
    }

    /// What had come of a broken message is kept for the eye, never sent.
    async fn record_partial(&mut self, text: String, reasoning: String) -> Result<(), StopReason> {
        if text.is_empty() && reasoning.is_empty() {
            return Ok(());
        }
        let round = self.round;
        self.record(vec![Entry::Partial {
            round,
            text,
            reasoning,
        }])
        .await
    }
}
