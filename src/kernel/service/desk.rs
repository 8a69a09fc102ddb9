//! What runs ask of those around them: the user's answers, rules, messages that
//! wait for the next round.

use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::LocalBoxFuture;

use super::{Inner, Kernel};
use crate::kernel::agent::{Desk, Order, Scope, is_shown_by_running};
use crate::kernel::approval::{self, ApprovalMode, Rule};
use crate::kernel::event::{About, AgentEvent, Question, Reply};
use crate::kernel::session::{self, Entry, Mode, SessionId};
use crate::kernel::store::{Batch, Change, StoreError, Table};
use crate::kernel::tool::Delegated;
use crate::kernel::twins::twins_of;
use crate::kernel::workspace::FileChange;
use crate::protocol::{Event, Notice, Waiting};

/// What is kept for a session while it has a run.
#[derive(Default)]
pub(super) struct Tray {
    /// Messages that wait for the next round.
    pub queue: Vec<String>,
    /// Rules of this session alone.
    pub rules: Vec<Rule>,
    /// Whether it is kept that a question is open.
    keeps_waiting: bool,
    waiting: Vec<(String, oneshot::Sender<Reply>)>,
}

/// A question as long as it is open.
struct Open {
    inner: Rc<Inner>,
    session: SessionId,
    call_id: String,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(tray) = self.inner.trays.borrow_mut().get_mut(&self.session) {
            tray.waiting.retain(|(call_id, _)| *call_id != self.call_id);
        }
        self.inner.tell_open_questions();
        let call_id = std::mem::take(&mut self.call_id);
        self.inner
            .agent_event(&self.session, AgentEvent::Answered { call_id });
    }
}

impl Inner {
    fn agent_event(&self, session: &str, event: AgentEvent) {
        (self.outlet)(Event::Agent {
            session: session.to_owned(),
            event,
        });
    }

    /// Tells which runs wait for an answer, if that has changed.
    fn tell_open_questions(&self) {
        let trays = self.trays.borrow();
        let asks = |id: &&String| trays.get(id).is_some_and(|tray| !tray.waiting.is_empty());
        let asking: Vec<SessionId> = trays.keys().filter(asks).cloned().collect();
        drop(trays);
        self.tell_waiting_runs(&asking);
    }

    /// Tells that the runs of these sessions wait for an answer, and no others.
    pub(super) fn tell_waiting_runs(&self, asking: &[SessionId]) {
        let mut waiting: Vec<Waiting> = asking
            .iter()
            .map(|id| self.root_of(id))
            .filter_map(|session| {
                let space = self.sessions.borrow().get(&session)?.workspace.clone();
                Some(Waiting { space, session })
            })
            .collect();
        waiting.sort();
        waiting.dedup();
        if *self.waiting.borrow() != waiting {
            self.waiting.replace(waiting.clone());
            (self.outlet)(Event::Waiting(waiting));
        }
    }

    /// The session itself, or the one that a sub-agent works for.
    fn root_of(&self, session: &str) -> SessionId {
        let sessions = self.sessions.borrow();
        let parent = sessions
            .get(session)
            .and_then(|session| session.parent.as_ref());
        parent.map_or_else(|| session.to_owned(), |parent| parent.session.clone())
    }
}

impl Kernel {
    /// Reads what the session keeps beside its transcript.
    pub(super) async fn open_tray(&self, id: &str) -> Result<(), StoreError> {
        if self.0.trays.borrow().contains_key(id) {
            return Ok(());
        }
        let (queue, rules) = session::journal(self.store(), id).await?;
        let kept = self.store().get(Table::Journal, session::waits_key(id));
        let tray = Tray {
            queue,
            rules,
            keeps_waiting: kept.await?.is_some(),
            waiting: Vec::new(),
        };
        let mut trays = self.0.trays.borrow_mut();
        // Another command may have been quicker.
        if !trays.contains_key(id) {
            trays.insert(id.to_owned(), tray);
        }
        Ok(())
    }

    /// Keeps whether the session waits for an answer, for those tabs that follow; `along`
    /// with something else.
    pub(super) async fn keep_waiting(&self, id: &str, along: Option<Change>) {
        let mut changes: Vec<Change> = along.into_iter().collect();
        if let Some(tray) = self.0.trays.borrow_mut().get_mut(id) {
            let waits = !tray.waiting.is_empty();
            if tray.keeps_waiting != waits {
                tray.keeps_waiting = waits;
                changes.push(session::waits_change(id, waits));
            }
        }
        if !changes.is_empty() {
            // Were it lost, another tab would not see it, or the run would wait for Resume.
            drop(self.store().apply(Batch::of(changes)).await);
        }
    }

    /// Gives a message to the open run.
    pub(super) async fn steer(&self, id: SessionId, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if !self.0.running.borrow().contains_key(&id) {
            // The run has just ended: the word begins another.
            let task = Entry::User {
                text,
                mode: Mode::Act,
                rounds: None,
            };
            return Box::pin(self.send(Some(id), task)).await;
        }
        if let Err(error) = self.open_tray(&id).await {
            return self.not_saved(error);
        }
        if let Some(tray) = self.0.trays.borrow_mut().get_mut(&id) {
            tray.queue.push(text);
        }
        self.keep_queue(&id).await;
    }

    /// Takes the waiting messages back.
    pub(super) async fn unsteer(&self, id: SessionId) {
        if let Some(tray) = self.0.trays.borrow_mut().get_mut(&id) {
            tray.queue.clear();
        }
        self.keep_queue(&id).await;
    }

    async fn keep_queue(&self, id: &str) {
        let texts = self.queue_of(id);
        let change = session::queue_change(id, &texts);
        let saved = self.store().apply(Batch::of(vec![change]).strict()).await;
        if let Err(error) = saved {
            self.not_saved(error);
        }
        self.tell_queue(id);
    }

    fn queue_of(&self, id: &str) -> Vec<String> {
        let trays = self.0.trays.borrow();
        trays
            .get(id)
            .map_or_else(Vec::new, |tray| tray.queue.clone())
    }

    /// Takes in the messages that wait as another tab has them.
    pub(super) fn take_in_queue(&self, id: &str, texts: Vec<String>) {
        let is_new = match self.0.trays.borrow_mut().get_mut(id) {
            Some(tray) if tray.queue != texts => {
                tray.queue = texts;
                true
            }
            _ => false,
        };
        if is_new {
            self.tell_queue(id);
        }
    }

    /// Tells which messages wait, if any do.
    pub(super) fn tell_waiting(&self, id: &str) {
        if !self.queue_of(id).is_empty() {
            self.tell_queue(id);
        }
    }

    /// Tells which messages wait.
    pub(super) fn tell_queue(&self, id: &str) {
        self.tell(Event::Queued {
            session: id.to_owned(),
            texts: self.queue_of(id),
        });
    }

    /// Hands the user's answer to whoever asked.
    pub(super) fn answer(&self, id: &str, call_id: &str, reply: Reply) {
        let mut trays = self.0.trays.borrow_mut();
        let waiting = trays.get_mut(id).and_then(|tray| {
            let is_asked = |(asked, _): &(String, _)| asked == call_id;
            let at = tray.waiting.iter().position(is_asked)?;
            Some(tray.waiting.swap_remove(at).1)
        });
        drop(trays);
        if waiting
            .and_then(|waiting| waiting.send(reply).ok())
            .is_none()
        {
            self.tell(Event::Notice(Notice::AnswerLate));
        }
    }
}

/// The desk of one kernel's runs.
pub(super) struct KernelDesk(pub Kernel);

impl Desk for KernelDesk {
    fn ask(&self, session: &str, question: Question) -> LocalBoxFuture<'static, Reply> {
        let (sender, answer) = oneshot::channel();
        let inner = Rc::clone(&self.0.0);
        let open = Open {
            inner: Rc::clone(&inner),
            session: session.to_owned(),
            call_id: question.call_id.clone(),
        };
        let mut trays = inner.trays.borrow_mut();
        let tray = trays.or_default(session);
        tray.waiting.push((question.call_id.clone(), sender));
        drop(trays);
        let is_approval = matches!(question.about, About::Approval { .. });
        let kept = (is_approval && is_shown_by_running(&question.tool))
            .then(|| session::asked_change(session, &question.call_id));
        inner.agent_event(session, AgentEvent::Asked(question));
        inner.tell_open_questions();
        let (kernel, session) = (self.0.clone(), session.to_owned());
        Box::pin(async move {
            kernel.keep_waiting(&session, kept).await;
            let reply = answer.await;
            drop(open);
            kernel.keep_waiting(&session, None).await;
            // Without a desk there is nobody to say yes.
            let nobody = Reply::No {
                word: String::new(),
            };
            reply.unwrap_or(nobody)
        })
    }

    fn permissions(&self, session: &str) -> (ApprovalMode, Vec<Rule>) {
        let inner = &self.0.0;
        let settings = inner.settings.borrow();
        let mut rules = settings.rules.clone();
        if let Some(tray) = inner.trays.borrow().get(&inner.root_of(session)) {
            rules.extend(tray.rules.iter().cloned());
        }
        (settings.approval, rules)
    }

    fn add_rule<'a>(
        &'a self,
        session: &'a str,
        rule: Rule,
        scope: Scope,
    ) -> LocalBoxFuture<'a, ()> {
        Box::pin(async move {
            if !approval::check(&rule) {
                return;
            }
            let kernel = &self.0;
            if scope == Scope::Everywhere {
                return kernel
                    .change_settings(|settings| settings.rules.push(rule))
                    .await;
            }
            let id = kernel.0.root_of(session);
            let rules = {
                let mut trays = kernel.0.trays.borrow_mut();
                let tray = trays.or_default(&id);
                tray.rules.push(rule);
                tray.rules.clone()
            };
            let change = session::rules_change(&id, &rules);
            if let Err(error) = kernel.store().apply(Batch::of(vec![change])).await {
                kernel.not_saved(error);
            }
        })
    }

    fn take_queue(&self, session: &str) -> Vec<String> {
        let mut trays = self.0.0.trays.borrow_mut();
        let queue = trays
            .get_mut(session)
            .map(|tray| std::mem::take(&mut tray.queue));
        queue.unwrap_or_default()
    }

    fn queue_taken(&self, session: &str) {
        self.0.tell_queue(session);
    }

    fn give_back_queue(&self, session: &str, texts: Vec<String>) {
        if let Some(tray) = self.0.0.trays.borrow_mut().get_mut(session) {
            tray.queue.splice(..0, texts);
        }
        self.0.tell_queue(session);
    }

    fn twins(&self, changes: &[FileChange]) -> Vec<(String, String)> {
        let inner = &self.0.0;
        twins_of(&inner.workspace, changes, inner.platform.compose)
    }

    fn delegate(&self, order: Order) -> LocalBoxFuture<'static, Delegated> {
        let kernel = self.0.clone();
        Box::pin(async move { kernel.delegate(order).await })
    }
}
