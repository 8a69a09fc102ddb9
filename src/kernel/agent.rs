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
mod modes;
mod perform;
mod rules;
pub mod run_view;
pub mod spending;
pub mod stopwatch;
pub mod termination;
mod terms;
pub mod title;
mod tool_calls;
mod tracing;
pub mod transcript;

use std::cell::RefCell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

pub use self::admit::is_asked_first;
use self::context::Context;
use self::handle::Handle;
use self::perform::ResultCache;
use self::run_view::Step;
use self::spending::{Account, Spent};
use self::stopwatch::Stopwatch;
use self::termination::{Signatures, Verdict};
pub use self::terms::{Answers, Terms};
use self::tracing::{All, Tracer};
use self::transcript::Transcript;
use super::approval::{ApprovalMode, Rule};
use super::cancel::CancelToken;
use super::clock::{Clock, Random};
use super::event::{AgentEvent, Failure, FailureKind, Question, Reply, StopReason};
use super::model::{Finish, ModelClient, Turn};
use super::redact::Redactor;
use super::session::{AssistantMessage, Entry, Mode, Topic};
use super::settings::LimitSettings;
use super::store::Durability;
use super::tool::{Delegated, ToolRegistry, ToolSpec};
use super::trace::Purpose;
use super::workspace::WorkspaceError;

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

/// What a run needs of those around it.
pub trait Desk {
    /// Puts a question to the user, and waits for as long as it takes.
    fn ask(&self, session: &str, question: Question) -> LocalBoxFuture<'static, Reply>;

    /// What is asked about, and the rules; later ones count for more.
    fn permissions(&self, session: &str) -> (ApprovalMode, Vec<Rule>);

    /// Adds a rule: for the session, or for every session.
    fn add_rule<'a>(&'a self, session: &'a str, rule: Rule, scope: Scope)
    -> LocalBoxFuture<'a, ()>;

    /// Takes the messages that wait for the session's next round.
    fn take_queue(&self, session: &str) -> Vec<String>;

    /// The messages that were taken are saved.
    fn queue_taken(&self, session: &str);

    /// Puts them back: they could not be saved.
    fn give_back_queue(&self, session: &str, texts: Vec<String>);

    /// Runs a sub-agent to its end.
    fn delegate(&self, order: Order) -> LocalBoxFuture<'static, Delegated>;
}

/// How far a rule reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This session.
    Session,
    /// Every session.
    Everywhere,
}

/// What a sub-agent is to do.
pub struct Order {
    /// The session that has it done.
    pub session: String,
    /// The call that asks for it.
    pub call_id: String,
    /// The record of the message that the call stands in.
    pub seq: u64,
    /// The task.
    pub prompt: String,
    /// What it may use.
    pub tools: ToolRegistry,
    /// Who pays for it.
    pub account: Account,
    /// Whose time it takes.
    pub watch: Rc<Stopwatch>,
    /// When it must end.
    pub limits: LimitSettings,
    /// What the run it works for was begun with.
    pub terms: Rc<Terms>,
    /// Cancels it together with its parent.
    pub cancel: CancelToken,
}

/// What a run is made of.
pub struct Parts {
    /// What has been said, and where it is kept.
    pub transcript: Transcript,
    /// Who answers.
    pub client: Rc<dyn ModelClient>,
    /// Gives someone who answers requests beside the conversation.
    pub side: Rc<dyn Fn(Purpose) -> Rc<dyn ModelClient>>,
    /// What can be done.
    pub tools: Rc<ToolRegistry>,
    /// When to stop.
    pub limits: LimitSettings,
    /// What the run was begun with.
    pub terms: Rc<Terms>,
    /// The user's wish to stop.
    pub cancel: CancelToken,
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Chance.
    pub random: Rc<dyn Random>,
    /// Those around.
    pub desk: Rc<dyn Desk>,
    /// For a sub-agent: the account and the watch of the run it works for.
    pub paid_by: Option<(Account, Rc<Stopwatch>)>,
    /// What hides secrets.
    pub redactor: Rc<Redactor>,
    /// Builds it anew, after files have changed.
    pub look_for_secrets: LookForSecrets,
}

/// Builds what hides secrets anew, from the files as they are.
pub type LookForSecrets = Rc<dyn Fn() -> LocalBoxFuture<'static, Rc<Redactor>>>;

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
    tracer: Tracer,
    /// The generation of the files that the redactor knows.
    secrets_of: u64,
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
            tracer,
            secrets_of: parts.transcript.workspace().generation(),
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

    /// Messages that the user wrote meanwhile go in now; tells whether there were any.
    async fn take_queue(&mut self) -> Result<bool, StopReason> {
        let transcript = &mut self.parts.transcript;
        let session = transcript.session_id().to_owned();
        let texts = self.parts.desk.take_queue(&session);
        if texts.is_empty() {
            return Ok(false);
        }
        let entry = |text: &String| Entry::Steer { text: text.clone() };
        let entries = texts.iter().map(entry).collect();
        let taken = vec![super::session::queue_change(&session, &[])];
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

    /// After some rounds without a word of the user, the task is said again.
    fn remind(&mut self) {
        let transcript = &self.parts.transcript;
        if transcript.rounds_since_reminder() >= REMIND_AFTER {
            let text = modes::reminder(transcript.records());
            self.nudge(Topic::Reminder, text);
        }
    }

    async fn record_turn(&mut self, turn: Turn) -> Result<(), StopReason> {
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
            remark: turn.remark,
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
    fn nudge(&mut self, about: Topic, text: String) {
        self.tracer.note(&text);
        let transcript = &mut self.parts.transcript;
        transcript.record_soon(vec![Entry::Nudge { text, about }], Vec::new());
    }

    async fn record(&mut self, entries: Vec<Entry>) -> Result<(), StopReason> {
        let transcript = &mut self.parts.transcript;
        let saved = transcript.record(entries, &[], Durability::Relaxed).await;
        saved.map_err(storage_failed)
    }

    /// What tools may ask of this run.
    fn handle(&self, seq: u64) -> Handle {
        let transcript = &self.parts.transcript;
        Handle {
            session: transcript.session_id().to_owned(),
            seq,
            live: std::cell::Cell::new(0),
            store: Rc::clone(transcript.workspace().store()),
            desk: Rc::clone(&self.parts.desk),
            watch: Rc::clone(&self.watch),
            clock: Rc::clone(&self.parts.clock),
            tools: Rc::clone(&self.parts.tools),
            account: self.account.clone(),
            limits: self.parts.limits.clone(),
            terms: Rc::clone(&self.parts.terms),
            cancel: self.parts.cancel.clone(),
            approved: modes::approved_steps(self.mode, transcript.records()),
            waits: RefCell::default(),
            spent: RefCell::default(),
        }
    }
}

fn storage_failed(error: WorkspaceError) -> StopReason {
    StopReason::Failed(Failure::new(FailureKind::Storage, error.to_string()))
}
