//! Starting runs, and closing those that a killed tab left open.

use std::rc::Rc;

use super::{Inner, Kernel, WORKSPACE};
use crate::kernel::agent::transcript::{Observer, Transcript};
use crate::kernel::agent::{Agent, Limits, termination};
use crate::kernel::cancel::CancelToken;
use crate::kernel::clock::unique_id;
use crate::kernel::event::{Failure, FailureKind, StopReason};
use crate::kernel::model::ModelClient;
use crate::kernel::model::conversation::NO_RESULT;
use crate::kernel::model::demo::DemoClient;
use crate::kernel::model::openai::OpenAiClient;
use crate::kernel::session::{self, Ending, Entry, Record, Session, SessionId, Topic};
use crate::kernel::settings::{Endpoint, ModelChoice, Settings};
use crate::kernel::store::{Durability, StoreError};
use crate::kernel::workspace::WorkspaceError;
use crate::protocol::{Event, Notice};

impl Kernel {
    pub(super) async fn send(&self, session: Option<SessionId>, first: Entry) {
        let Entry::User { text, .. } = &first else {
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let Some(client) = self.client() else {
            return self.tell(Event::Notice(Notice::KeyNeeded));
        };
        let platform = &self.0.platform;
        let now = platform.clock.now_ms();
        let (session, is_new) = match session {
            Some(id) => (self.session(&id), false),
            None => {
                let id = unique_id(&*platform.clock, &*platform.random);
                let title = session::title_of(text);
                let workspace = WORKSPACE.to_owned();
                let session = Session {
                    id,
                    workspace,
                    title,
                    created_ms: now,
                    updated_ms: now,
                    running: false,
                    interrupted: false,
                    parent: None,
                };
                (Some(session), true)
            }
        };
        let Some(session) = session else { return };
        if is_new {
            self.tell(Event::SessionStarted(session.id.clone()));
        }
        self.run(session, client, Some(first)).await;
    }

    pub(super) async fn go_on(&self, id: SessionId) {
        let Some(client) = self.client() else {
            return self.tell(Event::Notice(Notice::KeyNeeded));
        };
        if let Some(session) = self.session(&id) {
            self.run(session, client, None).await;
        }
    }

    fn session(&self, id: &str) -> Option<Session> {
        self.0.sessions.borrow().get(id).cloned()
    }

    /// Who answers now; `None` if nobody is set or a key is missing.
    fn client(&self) -> Option<Box<dyn ModelClient>> {
        let platform = &self.0.platform;
        let (clock, random) = (Rc::clone(&platform.clock), Rc::clone(&platform.random));
        match self.settings().model? {
            ModelChoice::Demo => Some(Box::new(DemoClient::new(clock, random))),
            ModelChoice::Endpoint(endpoint) => {
                let key = self.0.key.borrow().clone();
                if endpoint.uses_key && key.is_empty() {
                    return None;
                }
                let transport = Rc::clone(&platform.transport);
                let learned = Rc::clone(&self.0.learned.borrow());
                Some(Box::new(OpenAiClient::new(
                    endpoint, key, transport, learned, clock, random,
                )))
            }
        }
    }

    async fn run(&self, session: Session, client: Box<dyn ModelClient>, first: Option<Entry>) {
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
        self.keep_corrected_address().await;
        // What was replaced during the run is of no use any more; a failure costs only room.
        drop(self.0.workspace.sweep().await);
    }

    async fn run_inner(
        &self,
        session: Session,
        client: Box<dyn ModelClient>,
        first: Option<Entry>,
        cancel: CancelToken,
    ) -> Result<(), WorkspaceError> {
        let records = session::records(self.store(), &session.id).await?;
        let first = first.or_else(|| nudge_to_continue(&records));
        let mut transcript = self.transcript(session, records);
        transcript.set_running(true);
        transcript
            .record(first.into_iter().collect(), &[], Durability::Strict)
            .await?;
        let agent = Agent {
            transcript,
            client,
            tools: Rc::clone(&self.0.tools),
            limits: Limits {
                rounds: self.settings().limits.rounds,
            },
            cancel,
            clock: Rc::clone(&self.0.platform.clock),
        };
        agent.run().await;
        Ok(())
    }

    fn transcript(&self, session: Session, records: Vec<Record>) -> Transcript {
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

    /// If the client had to mend the address, the mended one is kept.
    async fn keep_corrected_address(&self) {
        let settings = self.settings();
        let corrected = self.0.learned.borrow().corrected();
        if let (Some(base_url), Some(ModelChoice::Endpoint(endpoint))) =
            (corrected, settings.model.clone())
            && base_url != endpoint.base_url
        {
            let model = Some(ModelChoice::Endpoint(Endpoint {
                base_url,
                ..endpoint
            }));
            self.save_settings(Settings { model, ..settings }).await;
        }
    }

    /// A run that is open when the kernel starts was cut off: its calls get
    /// results, and it gets its one reason.
    pub(super) async fn close_interrupted_runs(&self) -> Result<(), StoreError> {
        let cut_off: Vec<Session> = self
            .0
            .sessions
            .borrow()
            .values()
            .filter(|session| session.running)
            .cloned()
            .collect();
        for session in cut_off {
            let records = session::records(self.store(), &session.id).await?;
            let mut transcript = self.transcript(session, records);
            let mut entries = transcript.close_calls(NO_RESULT);
            entries.push(Entry::Stopped(Ending {
                reason: StopReason::Failed(Failure::new(FailureKind::Interrupted, "")),
                rounds: transcript.rounds_of_task(),
                usage: None,
                took_ms: 0,
                cost: None,
            }));
            transcript.set_running(false);
            match transcript.record(entries, &[], Durability::Strict).await {
                Err(WorkspaceError::Store(error)) => return Err(error),
                _ => continue,
            }
        }
        Ok(())
    }
}

/// Behind an answer the model needs a word to go on; behind anything else it does not.
fn nudge_to_continue(records: &[Record]) -> Option<Entry> {
    let last = records
        .iter()
        .rev()
        .find(|record| !matches!(record.entry, Entry::Stopped(_) | Entry::Partial { .. }));
    let is_answer = last.is_some_and(|record| matches!(record.entry, Entry::Assistant(_)));
    is_answer.then(|| Entry::Nudge {
        text: termination::CONTINUE_NUDGE.to_owned(),
        about: Topic::Other,
    })
}
