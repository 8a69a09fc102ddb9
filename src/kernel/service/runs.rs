//! Starting runs, resuming those that were cut off, and ending them.

use std::rc::Rc;

use futures::future::join_all;

use super::delegates::Use;
use super::desk::KernelDesk;
use super::{Inner, Kernel};
use crate::kernel::agent::run_view::{self, Step};
use crate::kernel::agent::spending::Spent;
use crate::kernel::agent::transcript::{Observer, Transcript};
use crate::kernel::agent::{Agent, Terms, is_asked_first, is_shown_by_running, termination};
use crate::kernel::cancel::CancelToken;
use crate::kernel::clock::unique_id;
use crate::kernel::event::{Failure, FailureKind, StopReason};
use crate::kernel::model::conversation::NO_RESULT;
use crate::kernel::session::{self, Entry, Marks, Record, Session, SessionId, Topic, Usage};
use crate::kernel::store::{Batch, Durability, StoreError};
use crate::kernel::workspace::{Keep, WorkspaceError};
use crate::protocol::{Event, Notice, VaultState};

impl Kernel {
    pub(super) async fn send(&self, session: Option<SessionId>, first: Entry) {
        let Entry::User { text, .. } = &first else {
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let platform = &self.0.platform;
        let now = platform.clock.now_ms();
        let is_new = session.is_none();
        let session = match session {
            Some(id) => self.session(&id),
            None => {
                let session = Session {
                    id: unique_id(&*platform.clock, &*platform.random),
                    workspace: self.0.workspace.id().to_owned(),
                    title: session::title_of(text),
                    created_ms: now,
                    updated_ms: now,
                    running: false,
                    interrupted: false,
                    parent: None,
                    choice: self.0.settings.borrow().choice.clone(),
                    floor: 0,
                    marks: Marks::default(),
                };
                Some(session)
            }
        };
        let Some(session) = session else {
            return self.tell(Event::Notice(Notice::Left));
        };
        let Some(terms) = self.terms(&session) else {
            return self.tell(Event::Notice(self.key_wanted()));
        };
        if is_new {
            self.tell(Event::SessionStarted(session.id.clone()));
        }
        self.run(session, terms, Some(first)).await;
    }

    /// Goes on behind the end of a run, or where one was cut off.
    pub(super) async fn go_on(&self, id: SessionId) {
        let Some(session) = self.session(&id) else {
            return;
        };
        let Some(terms) = self.terms(&session) else {
            return self.tell(Event::Notice(self.key_wanted()));
        };
        self.run(session, terms, None).await;
    }

    /// Stops the open run; ends one that was cut off.
    pub(super) async fn stop(&self, id: &str) {
        if let Some(cancel) = self.0.running.borrow().get(id) {
            return cancel.cancel();
        }
        let cut_off = self
            .session(id)
            .filter(|session| session.interrupted || session.running);
        if let Some(session) = cut_off
            && let Err(error) = self.end_interrupted(session, StopReason::Cancelled).await
        {
            self.not_saved(error);
        }
    }

    /// A session, unless it was deleted.
    pub(super) fn session(&self, id: &str) -> Option<Session> {
        let sessions = self.0.sessions.borrow();
        let session = sessions.get(id);
        session
            .filter(|session| !session.marks.is_deleted())
            .cloned()
    }

    async fn run(&self, session: Session, terms: Rc<Terms>, first: Option<Entry>) {
        if let Some(cancel) = self.reserve(&session.id) {
            self.run_reserved(session, terms, first, cancel).await;
        }
    }

    /// Takes the session for a run, so that no other begins in it; tells if one has.
    pub(super) fn reserve(&self, id: &str) -> Option<CancelToken> {
        let cancel = CancelToken::default();
        let mut running = self.0.running.borrow_mut();
        if running.contains_key(id) {
            drop(running);
            self.tell(Event::Notice(Notice::AlreadyRunning));
            return None;
        }
        running.insert(id.to_owned(), cancel.clone());
        Some(cancel)
    }

    /// Runs in a session that was taken for it.
    pub(super) async fn run_reserved(
        &self,
        session: Session,
        terms: Rc<Terms>,
        first: Option<Entry>,
        cancel: CancelToken,
    ) {
        let id = session.id.clone();
        // The agent works on what the user has on the disk by now.
        self.sync_before_run(&cancel).await;
        let run = self.run_inner(session, Rc::clone(&terms), first, cancel);
        if let Err(error) = run.await {
            self.not_saved(error);
        }
        self.keep_waiting(&id, None).await;
        self.0.running.borrow_mut().remove(&id);
        self.meet_wish(&id).await;
        self.keep_marks(&id).await;
        self.sync_link(None).await;
        self.keep_what_was_learned().await;
        // What is not kept any more and old traces are of no use; a failure costs only room.
        if self.0.workspace.wants_tidying() {
            drop(self.0.workspace.tidy(Keep::default()).await);
        }
        drop(crate::kernel::trace::prune(self.store(), &id).await);
        self.give_title(&id, &terms).await;
    }

    async fn run_inner(
        &self,
        mut session: Session,
        terms: Rc<Terms>,
        first: Option<Entry>,
        cancel: CancelToken,
    ) -> Result<(), WorkspaceError> {
        // A title that was just being saved is the session's now.
        drop(self.0.saving_title.lock().await);
        session = self.session(&session.id).unwrap_or(session);
        self.open_tray(&session.id).await?;
        // A kernel that was killed may have left it.
        self.keep_waiting(&session.id, None).await;
        // One that is marked as running without being so ended unsaved.
        if (session.interrupted || session.running) && first.is_some() {
            let reason = StopReason::Failed(Failure::new(FailureKind::Interrupted, ""));
            session = self.end_interrupted(session, reason).await?;
        }
        let records = session::records(self.store(), &session.id).await?;
        let first = match session.interrupted {
            // The open run goes on where it stands.
            true => None,
            false => first.or_else(|| nudge_to_continue(&records)),
        };
        let mut transcript = self.transcript(session, records);
        transcript.set_running(true);
        // With something new, what was taken back can't be brought in again.
        let gone = session::rewind::forget(self.store(), transcript.session_id()).await?;
        let first = first.into_iter().collect();
        transcript
            .record_with(first, &[], gone, Durability::Strict)
            .await?;
        let parts = self.parts(transcript, terms, Use::Main, cancel).await;
        Agent::new(parts).run().await;
        Ok(())
    }

    pub(super) fn transcript(&self, session: Session, records: Vec<Record>) -> Transcript {
        let observer: Rc<Inner> = Rc::clone(&self.0);
        let clock = Rc::clone(&self.0.platform.clock);
        Transcript::new(
            session,
            records,
            Rc::clone(&self.0.workspace),
            clock,
            observer as Rc<dyn Observer>,
        )
    }

    /// A run that is open when the kernel starts was cut off: it is marked, so that
    /// the user can resume or end it.
    pub(super) async fn mark_interrupted_runs(&self) -> Result<(), StoreError> {
        let mut cut_off: Vec<Session> = self.0.sessions.borrow().values().cloned().collect();
        cut_off.retain(|session| session.running);
        if cut_off.is_empty() {
            return Ok(());
        }
        for session in &mut cut_off {
            session.running = false;
            session.interrupted = true;
        }
        let puts = cut_off.iter().map(Session::put).collect();
        match self.store().apply(Batch::of(puts).strict()).await {
            // Without room for it they are marked here alone: the user can make some, and
            // the next start marks them again.
            Ok(()) | Err(StoreError::Full) => {}
            Err(error) => return Err(error),
        }
        let mut sessions = self.0.sessions.borrow_mut();
        for session in cut_off {
            sessions.insert(session.id.clone(), session);
        }
        Ok(())
    }

    /// Takes up the runs that were cut off while they waited for the user: that costs
    /// nothing before the answer. Those whose key is locked wait on for that. Lasts as long
    /// as these runs.
    pub async fn resume_waiting(&self) {
        if !self.may_write() {
            return;
        }
        let is_locked = self.vault_state() == VaultState::Locked;
        let mut cut_off: Vec<Session> = self.0.sessions.borrow().values().cloned().collect();
        cut_off.retain(|session| {
            let is_free = !self.0.running.borrow().contains_key(&session.id)
                && (!is_locked || self.terms(session).is_some());
            let is_there = session.parent.is_none() && !session.marks.is_deleted();
            session.interrupted && is_there && is_free
        });
        let mut waiting = Vec::new();
        for session in cut_off {
            let Ok(view) = self.view(&session.workspace).await else {
                continue;
            };
            if self.open_tray(&session.id).await.is_err() {
                continue;
            }
            self.tell_waiting(&session.id);
            let records = session::records(self.store(), &session.id).await;
            if let Ok(records) = records
                && view.waits_for_user(&session.id, &records).await
            {
                waiting.push(async move { view.go_on(session.id).await });
            }
        }
        join_all(waiting).await;
    }

    /// Whether the next thing that the run does is to ask the user.
    async fn waits_for_user(&self, id: &str, records: &[Record]) -> bool {
        let run = run_view::of_run(records);
        let Step::Calls { message, open, .. } = run_view::next_step(run) else {
            return false;
        };
        let Some(call) = open.first().map(|at| &message.calls[*at]) else {
            return false;
        };
        // Whatever stands behind it waits until it is known what became of it.
        if run_view::begun_call(run).is_some() {
            return true;
        }
        // A sub-agent would go to work beside the question.
        if open.iter().any(|at| message.calls[*at].name == "task") {
            return false;
        }
        let Ok(prepared) = self.0.tools.prepare(&call.name, &call.arguments) else {
            return false;
        };
        // It was asked about after it had been run, on copies of the files: it is run again,
        // and asked about again.
        if is_shown_by_running(prepared.name) {
            let asked = session::asked(self.store(), id).await;
            return asked.ok().flatten().as_ref() == Some(&call.id);
        }
        let desk = KernelDesk(self.clone());
        is_asked_first(&desk, &self.0.workspace, (id, records), &prepared).await
    }

    /// Ends a run that was cut off, and those of its sub-agents: the calls get results,
    /// and each run its one reason. What the sub-agents used is in the account.
    async fn end_interrupted(
        &self,
        session: Session,
        reason: StopReason,
    ) -> Result<Session, WorkspaceError> {
        let is_open = |agent: &&Session| {
            let parent = agent.parent.as_ref();
            let works_for_it = parent.is_some_and(|parent| parent.session == session.id);
            works_for_it && (agent.interrupted || agent.running)
        };
        let agents: Vec<Session> = {
            let sessions = self.0.sessions.borrow();
            sessions.values().filter(is_open).cloned().collect()
        };
        let mut used = Usage::default();
        for agent in agents {
            let (_, spent) = self
                .end_one(agent, reason.clone(), Usage::default())
                .await?;
            used = used + spent;
        }
        let (session, _) = self.end_one(session, reason, used).await?;
        Ok(session)
    }

    /// Ends one run that was cut off, whose sub-agents have `used` so much that stands in
    /// no record of its own. Gives all that the run has used.
    async fn end_one(
        &self,
        session: Session,
        reason: StopReason,
        used: Usage,
    ) -> Result<(Session, Usage), WorkspaceError> {
        let records = session::records(self.store(), &session.id).await?;
        let settings = self.settings();
        let choice = settings.choice_for(session.choice.as_ref());
        let limits = settings.limits_for(choice.as_ref());
        let mut spent = Spent::of(run_view::of_run(&records), &limits);
        spent.add(used, &limits);
        let mut transcript = self.transcript(session, records);
        let mut entries = transcript.close_calls(NO_RESULT);
        entries.push(Entry::Stopped(spent.ending(reason)));
        transcript.set_running(false);
        transcript.record(entries, &[], Durability::Strict).await?;
        Ok((transcript.into_session(), spent.usage))
    }
}

/// Behind an answer the model needs a word to go on, unless a critic has to judge the
/// answer first; behind anything else it does not.
fn nudge_to_continue(records: &[Record]) -> Option<Entry> {
    if run_view::next_step_at(records, records.len()) != Step::Ask {
        return None;
    }
    let last = records.iter().rev().find(|record| {
        !matches!(
            record.entry,
            Entry::Stopped(_)
                | Entry::Titled { .. }
                | Entry::Partial { .. }
                | Entry::Critique { passed: true, .. }
        )
    });
    let is_answer = last.is_some_and(|record| matches!(record.entry, Entry::Assistant(_)));
    is_answer.then(|| Entry::Nudge {
        text: termination::CONTINUE_NUDGE.to_owned(),
        about: Topic::Other,
    })
}
