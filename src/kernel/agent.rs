//! The loop: ask the model, run the tools it wants, tell it the results, until
//! it wants none. Everything the user sees of it goes out as an event; every
//! run ends with exactly one [`StopReason`].
//!
//! What comes next is read from the transcript before each step
//! ([`run_view::next_step`]), so a run that was cut off anywhere is resumed by
//! running it.

mod admit;
mod ask;
pub mod compaction;
pub mod context;
mod handle;
mod known;
mod modes;
mod parts;
mod perform;
mod pictures;
mod rules;
pub mod run_view;
mod shown;
pub mod spending;
pub mod stopwatch;
pub mod termination;
mod terms;
pub mod title;
mod tool_calls;
mod tracing;
pub mod transcript;
mod writing;

use std::cell::RefCell;
use std::rc::Rc;

pub use self::admit::{is_asked_first, is_shown_by_running};
use self::context::Context;
pub use self::parts::{Desk, LookForSecrets, Order, Parts, Scope};
use self::perform::ResultCache;
use self::run_view::Step;
use self::spending::{Account, Spent};
use self::stopwatch::Stopwatch;
use self::termination::{Signatures, Verdict};
pub use self::terms::{Answers, Terms};
use self::tracing::{All, Tracer};
use self::writing::storage_failed;
use super::event::{AgentEvent, StopReason};
use super::model::Finish;
use super::session::{Entry, Mode, Topic};
use super::store::Durability;
use super::tool::{Locker, ToolSpec};
use super::workspace::Version;

/// What the model is told about its place.
pub const SYSTEM_PROMPT: &str = include_str!("agent/system.md");

/// The result of a call that the user's Stop came before.
const STOPPED: &str =
    "Error: interrupted by the user before it ran to its end; nothing was changed";
/// The result of a call whose run ended otherwise.
const ENDED_FIRST: &str =
    "Error: no result, because the run ended before it could be saved; nothing was changed";
/// Rounds without a word of the user after which the task is said again.
const REMIND_AFTER: usize = 5;

/// One run of a session.
pub struct Agent {
    parts: Parts,
    mode: Mode,
    /// Number of the last round that was begun, counted since the user's message.
    round: u32,
    specs: Vec<ToolSpec>,
    watch: Rc<Stopwatch>,
    account: Account,
    signatures: Signatures,
    context: Context,
    cache: Rc<RefCell<ResultCache>>,
    /// What tools keep for the run.
    locker: Rc<Locker>,
    tracer: Tracer,
    /// The generation of the files that the redactor knows.
    secrets_of: u64,
    /// Records whose images were looked at, and those that were handed over.
    looked_at: usize,
    given: Vec<Version>,
}

impl Agent {
    /// A run that goes on where the transcript's open run stands.
    pub fn new(mut parts: Parts) -> Self {
        let (mode, rounds) = run_view::task_of(parts.transcript.records());
        parts.limits.rounds = rounds.unwrap_or(parts.limits.rounds);
        let spent = Spent::of(parts.transcript.run(), &parts.limits);
        let account = match &parts.paid_by {
            Some((above, _)) => {
                above.add(spent.usage, &parts.limits);
                above.below(spent)
            }
            None => Account::new(spent),
        };
        let specs = parts.tools.specs();
        let mut tracer = Tracer::default();
        tracer.hide_with(&parts.redactor);
        let above = parts.paid_by.as_ref().map(|(_, watch)| Rc::clone(watch));
        let watch = Stopwatch::new(Rc::clone(&parts.clock), spent.worked_ms, above);
        Self {
            mode,
            round: parts.transcript.rounds_of_task(),
            context: Context::new(&specs, &parts.limits),
            specs,
            watch: Rc::new(watch),
            account,
            signatures: Signatures::default(),
            cache: Rc::default(),
            locker: Rc::default(),
            tracer,
            secrets_of: parts.transcript.workspace().generation(),
            looked_at: 0,
            given: Vec::new(),
            parts,
        }
    }

    /// What the run has used, also after its end.
    pub fn account(&self) -> Account {
        self.account.clone()
    }

    /// Runs to the end.
    pub async fn run(mut self) -> StopReason {
        let reason = match self.rounds().await {
            Ok(reason) | Err(reason) => reason,
        };
        // A sub-agent whose parent failed was not stopped by the user.
        let reason = match (reason, self.parts.cancel.failure()) {
            (StopReason::Cancelled, Some(failure)) => StopReason::Failed(failure),
            (reason, _) => reason,
        };
        self.account.set_worked(self.watch.worked_ms());
        let ending = self.account.spent().ending(reason.clone());
        let told = match reason {
            StopReason::Cancelled => STOPPED,
            _ => ENDED_FIRST,
        };
        // What the last answer took counts too.
        self.context.take_in(self.parts.transcript.records());
        let used = self.context.used(self.account.against_limits());
        let transcript = &mut self.parts.transcript;
        transcript.emit(AgentEvent::Context(used));
        let mut entries = transcript.close_calls(told);
        entries.push(Entry::Stopped(ending));
        transcript.set_running(false);
        let next_seq = transcript.next_seq();
        let trace = self
            .tracer
            .take(transcript.session_id(), next_seq, All::Yes);
        let saved = transcript
            .record_with(entries, &[], trace, Durability::Strict)
            .await;
        if saved.is_err() {
            transcript.emit(AgentEvent::EndedUnsaved(reason.clone()));
        }
        reason
    }

    /// Takes step after step until there is a reason to stop. An `Err` is a reason
    /// too: one that ends the run in the middle of a round.
    async fn rounds(&mut self) -> Result<StopReason, StopReason> {
        self.begin().await?;
        loop {
            let ended = match self.parts.transcript.next_step() {
                Step::Calls { seq, message, open } => {
                    self.run_calls(seq, &message, &open).await?;
                    self.read_rules_below().await?;
                    None
                }
                Step::Ask => self.round().await?,
                Step::Answered(finish) => self.answered(finish).await?,
                Step::Finished => self.judged(StopReason::Finished).await?,
            };
            match ended {
                // Words that came meanwhile are answered before the run ends well.
                Some(StopReason::Completed | StopReason::Finished) if self.take_queue().await? => {}
                Some(reason) => return Ok(reason),
                None => {}
            }
        }
    }

    /// One request and its message, unless something stands against it.
    async fn round(&mut self) -> Result<Option<StopReason>, StopReason> {
        self.take_queue().await?;
        self.account.set_worked(self.watch.worked_ms());
        self.signatures.take_in(self.parts.transcript.run());
        let verdict = termination::verdict(
            &self.parts.limits,
            &self.account.against_limits(),
            self.parts.transcript.run(),
            &self.signatures,
        );
        match verdict {
            Verdict::GoOn => {}
            Verdict::Nudge(about, text) => self.nudge(about, text),
            Verdict::LastWord(reason) => return self.last_word(reason).await.map(Some),
            Verdict::Stop(reason) => return Ok(Some(reason)),
        }
        self.remind();
        self.make_room().await?;
        let specs = std::mem::take(&mut self.specs);
        let turn = self.ask(&specs).await;
        self.specs = specs;
        self.record_turn(turn?).await?;
        Ok(None)
    }

    /// A limit was reached: the model may say where it stands, without tools.
    async fn last_word(&mut self, reason: StopReason) -> Result<StopReason, StopReason> {
        let is_told = self.parts.transcript.last_nudge() == Some(Topic::LastWord);
        if !is_told {
            let text = termination::last_word_nudge(&reason);
            self.nudge(Topic::LastWord, text);
        }
        match self.ask(&[]).await {
            Ok(mut turn) => {
                // No tool was offered, so none is run.
                turn.calls.clear();
                self.record_turn(turn).await?;
                self.account.uncount_round();
                Ok(reason)
            }
            Err(StopReason::Cancelled) => Err(StopReason::Cancelled),
            // The limit is why the run ends; that the report is missing changes nothing.
            Err(_) => Ok(reason),
        }
    }

    /// The model asked for no tool.
    async fn answered(&mut self, finish: Finish) -> Result<Option<StopReason>, StopReason> {
        if self.parts.transcript.answers_last_word() {
            let limit = self.parts.limits.rounds;
            return Ok(Some(StopReason::RoundLimit { limit }));
        }
        if self.take_queue().await? {
            return Ok(None);
        }
        match finish {
            Finish::ContentFilter => Ok(Some(StopReason::ContentFilter)),
            Finish::Stop => self.judged(StopReason::Completed).await,
            Finish::Length => match termination::after_cut(self.parts.transcript.run()) {
                Verdict::Nudge(about, text) => {
                    self.nudge(about, text);
                    Ok(None)
                }
                _ => Ok(Some(StopReason::LengthLimit)),
            },
        }
    }

    /// After some rounds without a word of the user, the task is said again.
    fn remind(&mut self) {
        let transcript = &self.parts.transcript;
        if transcript.rounds_since_reminder() >= REMIND_AFTER {
            let text = modes::reminder(transcript.records());
            self.nudge(Topic::Reminder, text);
        }
    }
}
