//! Starting runs, resuming those that were cut off, and ending them.

use std::rc::Rc;
use std::time::Duration;

use futures::future::join_all;

use super::delegates::Use;
use super::desk::KernelDesk;
use super::{Inner, Kernel, WORKSPACE};
use crate::kernel::agent::run_view::{self, Step};
use crate::kernel::agent::transcript::{Observer, Transcript};
use crate::kernel::agent::{Agent, Desk, Parts, termination};
use crate::kernel::approval::{self, Action};
use crate::kernel::cancel::CancelToken;
use crate::kernel::clock::unique_id;
use crate::kernel::event::{Failure, FailureKind, StopReason};
use crate::kernel::model::ModelClient;
use crate::kernel::model::conversation::NO_RESULT;
use crate::kernel::model::demo::DemoClient;
use crate::kernel::model::openai::{OpenAiClient, Wiring};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{
    self, Ending, Entry, Mode, Record, Session, SessionId, TodoState, Topic,
};
use crate::kernel::settings::Settings;
use crate::kernel::store::{Batch, Durability, StoreError};
use crate::kernel::trace::Purpose;
use crate::kernel::workspace::{Node, WorkspaceError};
use crate::protocol::{Event, Notice};

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
                    workspace: WORKSPACE.to_owned(),
                    title: session::title_of(text),
                    created_ms: now,
                    updated_ms: now,
                    running: false,
                    interrupted: false,
                    parent: None,
                    choice: self.0.settings.borrow().choice.clone(),
                };
                Some(session)
            }
        };
        let Some(session) = session else {
            return;
        };
        let Some(client) = self.client(&session, Use::Main) else {
            return self.tell(Event::Notice(Notice::KeyNeeded));
        };
        if is_new {
            self.tell(Event::SessionStarted(session.id.clone()));
        }
        self.run(session, client, Some(first)).await;
    }

    /// Goes on behind the end of a run, or where one was cut off.
    pub(super) async fn go_on(&self, id: SessionId) {
        let Some(session) = self.session(&id) else {
            return;
        };
        let Some(client) = self.client(&session, Use::Main) else {
            return self.tell(Event::Notice(Notice::KeyNeeded));
        };
        self.run(session, client, None).await;
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
            self.not_saved(&error);
        }
    }

    fn session(&self, id: &str) -> Option<Session> {
        self.0.sessions.borrow().get(id).cloned()
    }

    /// Who answers in a session; `None` if nobody is set or a key is missing.
    pub(super) fn client(&self, session: &Session, used_for: Use) -> Option<Rc<dyn ModelClient>> {
        self.client_with(&self.settings(), session, used_for, Rc::default())
    }

    fn client_with(
        &self,
        settings: &Settings,
        session: &Session,
        used_for: Use,
        redactor: Rc<Redactor>,
    ) -> Option<Rc<dyn ModelClient>> {
        let platform = &self.0.platform;
        let (clock, random) = (Rc::clone(&platform.clock), Rc::clone(&platform.random));
        let choice = settings.choice_for(session.choice.as_ref())?;
        let Some((profile, mut model)) = settings.chosen(&choice) else {
            return Some(Rc::new(DemoClient::new(clock, random)));
        };
        let key = self.0.keys.get(&profile.id);
        if profile.uses_key && key.is_empty() {
            return None;
        }
        if used_for != Use::Main && !profile.second_model.is_empty() {
            model.clone_from(&profile.second_model);
        }
        Some(Rc::new(OpenAiClient::new(Wiring {
            endpoint: profile.endpoint(model),
            key,
            transport: Rc::clone(&platform.transport),
            learned: self.learned(&profile.id),
            clock,
            random,
            idle: Duration::from_secs(u64::from(settings.limits.idle_seconds)),
            redactor,
        })))
    }

    async fn run(&self, session: Session, client: Rc<dyn ModelClient>, first: Option<Entry>) {
        let id = session.id.clone();
        let cancel = CancelToken::default();
        if self.0.running.borrow().contains_key(&id) {
            return self.tell(Event::Notice(Notice::AlreadyRunning));
        }
        self.0
            .running
            .borrow_mut()
            .insert(id.clone(), cancel.clone());
        if let Err(error) = self.run_inner(session, client, first, cancel).await {
            self.not_saved(&error);
        }
        self.0.running.borrow_mut().remove(&id);
        self.meet_wish(&id).await;
        self.keep_what_was_learned().await;
        // What was replaced during the run and old traces are of no use any more; a
        // failure costs only room.
        drop(self.0.workspace.sweep().await);
        drop(crate::kernel::trace::prune(self.store(), &id).await);
    }

    async fn run_inner(
        &self,
        mut session: Session,
        client: Rc<dyn ModelClient>,
        first: Option<Entry>,
        cancel: CancelToken,
    ) -> Result<(), WorkspaceError> {
        self.open_tray(&session.id).await?;
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
        transcript
            .record(first.into_iter().collect(), &[], Durability::Strict)
            .await?;
        let parts = self.parts(transcript, client, cancel).await;
        Agent::new(parts).run().await;
        Ok(())
    }

    /// What a run of the session is made of.
    pub(super) async fn parts(
        &self,
        transcript: Transcript,
        client: Rc<dyn ModelClient>,
        cancel: CancelToken,
    ) -> Parts {
        let platform = &self.0.platform;
        let redactor = self.redactor().await;
        // What is set later is for later runs.
        let settings = self.settings();
        let session = transcript.session().clone();
        let used_for = match session.parent {
            Some(_) => Use::SubAgent,
            None => Use::Main,
        };
        let client = self
            .client_with(&settings, &session, used_for, Rc::clone(&redactor))
            .unwrap_or(client);
        let choice = settings.choice_for(session.choice.as_ref());
        let limits = settings.limits_for(choice.as_ref());
        let side = {
            let (kernel, client) = (self.clone(), Rc::clone(&client));
            let (redactor, settings) = (Rc::clone(&redactor), settings.clone());
            move |purpose| {
                let used_for = match purpose {
                    Purpose::Summary => Use::Summary,
                    _ => Use::Main,
                };
                let fresh = kernel.client_with(&settings, &session, used_for, Rc::clone(&redactor));
                fresh.unwrap_or_else(|| Rc::clone(&client))
            }
        };
        let look_for_secrets = {
            let kernel = self.clone();
            move || {
                let kernel = kernel.clone();
                Box::pin(async move { kernel.redactor().await })
                    as futures::future::LocalBoxFuture<'static, Rc<Redactor>>
            }
        };
        Parts {
            transcript,
            client,
            side: Rc::new(side),
            tools: Rc::clone(&self.0.tools),
            limits,
            cancel,
            clock: Rc::clone(&platform.clock),
            random: Rc::clone(&platform.random),
            desk: Rc::new(KernelDesk(self.clone())),
            paid_by: None,
            redactor,
            look_for_secrets: Rc::new(look_for_secrets),
        }
    }

    /// What must not leave: the key, and the secrets in the workspace's `.env` files.
    pub(super) async fn redactor(&self) -> Rc<Redactor> {
        let mut redactor = Redactor::new();
        for key in self.0.keys.all() {
            redactor.add_secret("API key", &key);
        }
        let workspace = &self.0.workspace;
        let is_file = |node: &Node| matches!(node, Node::File { size, .. } if *size < 1 << 20);
        let files: Vec<_> = workspace
            .nodes()
            .iter()
            .filter(|(path, node)| path.holds_secrets() && is_file(node))
            .map(|(path, _)| path.clone())
            .collect();
        for path in files {
            if let Ok((content, _)) = workspace.read(&path).await {
                redactor.add_env_file(&String::from_utf8_lossy(&content));
            }
        }
        Rc::new(redactor)
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
        self.store().apply(Batch::of(puts).strict()).await?;
        let mut sessions = self.0.sessions.borrow_mut();
        for session in cut_off {
            sessions.insert(session.id.clone(), session);
        }
        Ok(())
    }

    /// Takes up the runs that were cut off while they waited for the user: that costs
    /// nothing before the answer. Lasts as long as these runs.
    pub async fn resume_waiting(&self) {
        if !self.may_write() {
            return;
        }
        let mut cut_off: Vec<Session> = self.0.sessions.borrow().values().cloned().collect();
        cut_off.retain(|session| session.interrupted && session.parent.is_none());
        let mut waiting = Vec::new();
        for session in cut_off {
            if self.open_tray(&session.id).await.is_err() {
                continue;
            }
            self.tell_waiting(&session.id);
            let records = session::records(self.store(), &session.id).await;
            if records.is_ok_and(|records| self.waits_for_user(&session.id, &records)) {
                waiting.push(self.go_on(session.id));
            }
        }
        join_all(waiting).await;
    }

    /// Whether the next thing that the run does is to ask the user.
    fn waits_for_user(&self, id: &str, records: &[Record]) -> bool {
        let run = run_view::of_run(records);
        let Step::Calls { message, open, .. } = run_view::next_step(run) else {
            return false;
        };
        let Some(call) = open.first().map(|at| &message.calls[*at]) else {
            return false;
        };
        // A sub-agent would go to work beside the question.
        if open.iter().any(|at| message.calls[*at].name == "task") {
            return false;
        }
        let Ok(prepared) = self.0.tools.prepare(&call.name, &call.arguments) else {
            return false;
        };
        let (mode, rules) = KernelDesk(self.clone()).permissions(id);
        let targets = prepared.targets();
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let decision = approval::decide(mode, &rules, prepared.effect, prepared.name, &targets);
        let plans = run_view::task_of(records).0 == Mode::Plan;
        let is_planned = run_view::todo_of(run)
            .iter()
            .any(|item| item.state != TodoState::Done);
        match prepared.name {
            "ask_user" => true,
            "todo" => plans && !is_planned,
            _ => decision.action == Action::Ask,
        }
    }

    /// Ends a run that was cut off: its calls get results, and it gets its one reason.
    async fn end_interrupted(
        &self,
        session: Session,
        reason: StopReason,
    ) -> Result<Session, WorkspaceError> {
        let id = session.id.clone();
        let records = session::records(self.store(), &id).await?;
        let settings = self.settings();
        let choice = settings.choice_for(session.choice.as_ref());
        let spent = crate::kernel::agent::spending::Spent::of(
            run_view::of_run(&records),
            &settings.limits_for(choice.as_ref()),
        );
        let mut transcript = self.transcript(session, records);
        let mut entries = transcript.close_calls(NO_RESULT);
        entries.push(Entry::Stopped(Ending {
            reason,
            rounds: spent.rounds,
            usage: spent.counted.then_some(spent.usage),
            took_ms: spent.worked_ms,
            cost: spent.cost.filter(|_| spent.rounds > 0),
        }));
        transcript.set_running(false);
        transcript.record(entries, &[], Durability::Strict).await?;
        Ok(transcript.into_session())
    }
}

/// Behind an answer the model needs a word to go on; behind anything else it does not.
fn nudge_to_continue(records: &[Record]) -> Option<Entry> {
    let last = records.iter().rev().find(|record| {
        !matches!(
            record.entry,
            Entry::Stopped(_) | Entry::Partial { .. } | Entry::Critique { passed: true, .. }
        )
    });
    let is_answer = last.is_some_and(|record| matches!(record.entry, Entry::Assistant(_)));
    is_answer.then(|| Entry::Nudge {
        text: termination::CONTINUE_NUDGE.to_owned(),
        about: Topic::Other,
    })
}
