//! A session's transcript while a run works on it. What it tells is saved; what
//! is on its way into the store may be sent to the model already, but is told
//! to nobody, and taken back if saving fails.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;

use futures::future::{Either, LocalBoxFuture, select};

use super::run_view::{self, Step};
use crate::kernel::clock::Clock;
use crate::kernel::event::AgentEvent;
use crate::kernel::session::{
    AssistantMessage, Entry, Outcome, Record, Session, ToolResult, Topic,
};
use crate::kernel::store::{Change, Durability, StoreError};
use crate::kernel::workspace::{Committed, FileChange, Origin, Workspace, WorkspaceError};

/// The result of a call that a sub-agent worked for when the run ended.
const SUB_AGENT_ENDED: &str =
    "Error: the run ended before the sub-agent was done; what it did to files stays";

/// The result of a call that reaches outside and had begun when the run ended.
const MAY_HAVE_HAPPENED: &str = "Error: this call was cut off after it had begun, so it may have happened; look before you call it again";

/// Whoever watches a run.
pub trait Observer {
    /// Something happened in the run.
    fn agent(&self, session: &str, event: AgentEvent);
    /// The session's line in the list changed, and is saved.
    fn session(&self, session: &Session);
    /// Gives the session what the user has said of it since the run began.
    fn mark(&self, session: &mut Session);
    /// Files changed, and are saved.
    fn files(&self, committed: &Committed);
}

/// The transcript of a session that has a run.
pub struct Transcript {
    session: Session,
    session_changed: bool,
    records: Vec<Record>,
    /// The first record of the open run.
    run_start: usize,
    /// How many records, of those behind the saved ones, are being saved.
    on_their_way: Option<(usize, Saving)>,
    /// How many records at the end wait for their turn, and their rows: what gathers
    /// while a batch is on its way is one batch, since each costs a transaction.
    waiting: (usize, Vec<Change>),
    /// Events that must not be told before those records; `None` if there are none.
    held_back: Rc<RefCell<Option<Vec<AgentEvent>>>>,
    workspace: Rc<Workspace>,
    clock: Rc<dyn Clock>,
    observer: Rc<dyn Observer>,
}

type Saving = LocalBoxFuture<'static, Result<(), StoreError>>;

impl Transcript {
    /// Goes on with `records`, which stand in the store.
    pub fn new(
        session: Session,
        records: Vec<Record>,
        workspace: Rc<Workspace>,
        clock: Rc<dyn Clock>,
        observer: Rc<dyn Observer>,
    ) -> Self {
        Self {
            run_start: records.len() - run_view::of_run(&records).len(),
            session,
            session_changed: false,
            records,
            on_their_way: None,
            waiting: (0, Vec::new()),
            held_back: Rc::default(),
            workspace,
            clock,
            observer,
        }
    }

    /// What stands in it.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Those of the open run.
    pub fn run(&self) -> &[Record] {
        &self.records[self.run_start..]
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What comes next in the open run.
    pub fn next_step(&self) -> Step {
        run_view::next_step_at(&self.records, self.run_start)
    }

    /// The records of the open run, and of what it takes up again.
    pub fn work(&self) -> &[Record] {
        run_view::work_at(&self.records, self.run_start)
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        &self.session.id
    }

    /// The session as it now is.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// The number that the next record gets.
    pub fn next_seq(&self) -> u64 {
        let next = self.records.last().map_or(0, |record| record.seq + 1);
        next.max(self.session.floor)
    }

    /// The files its tools work on.
    pub fn workspace(&self) -> &Rc<Workspace> {
        &self.workspace
    }

    /// Tells whoever watches.
    pub fn emit(&self, event: AgentEvent) {
        self.observer.agent(&self.session.id, event);
    }

    /// A way to tell whoever watches while the transcript is in use. What is
    /// told comes behind the records that are on their way.
    pub fn watcher(&self) -> impl Fn(AgentEvent) + use<> {
        let (observer, session) = (Rc::clone(&self.observer), self.session.id.clone());
        let held_back = Rc::clone(&self.held_back);
        move |event| match held_back.borrow_mut().as_mut() {
            Some(events) => events.push(event),
            None => observer.agent(&session, event),
        }
    }

    /// Marks the session's run as open or ended; saved with the next record.
    pub fn set_running(&mut self, running: bool) {
        self.session.running = running;
        self.session.interrupted = false;
        self.session.updated_ms = self.clock.now_ms();
        self.session_changed = true;
    }

    /// Gives the session another title; saved with the next record.
    pub fn set_title(&mut self, title: String) {
        self.session.title = title;
        self.session_changed = true;
    }

    /// Adds `entries`, together with the file changes that belong to them.
    /// Tells of them only once all is saved.
    ///
    /// # Errors
    /// What the workspace says; then nothing was added and no file changed.
    pub async fn record(
        &mut self,
        entries: Vec<Entry>,
        changes: &[FileChange],
        durability: Durability,
    ) -> Result<(), WorkspaceError> {
        self.record_with(entries, changes, Vec::new(), durability)
            .await
    }

    /// As [`Transcript::record`], together with other rows that belong to it.
    ///
    /// # Errors
    /// As [`Transcript::record`].
    pub async fn record_with(
        &mut self,
        entries: Vec<Entry>,
        changes: &[FileChange],
        mut puts: Vec<Change>,
        durability: Durability,
    ) -> Result<(), WorkspaceError> {
        self.settle().await?;
        let records = self.numbered(entries);
        puts.extend(records.iter().map(|record| record.put(&self.session.id)));
        if self.session_changed {
            self.observer.mark(&mut self.session);
            puts.push(self.session.put());
        }
        let origin = self.origin();
        let committed = self
            .workspace
            .commit_in(origin, changes, puts, durability)
            .await?;
        if std::mem::take(&mut self.session_changed) {
            self.observer.session(&self.session);
        }
        if !committed.changed.is_empty() || !committed.removed.is_empty() {
            self.observer.files(&committed);
        }
        for record in records {
            self.emit(AgentEvent::Recorded(record.clone()));
            self.records.push(record);
        }
        Ok(())
    }

    /// Adds `entries` at once and saves them while other work goes on: see
    /// [`Transcript::while_saving`] and [`Transcript::settle`].
    /// `puts` are other rows that belong to them.
    pub fn record_soon(&mut self, entries: Vec<Entry>, mut puts: Vec<Change>) {
        let records = self.numbered(entries);
        puts.extend(records.iter().map(|record| record.put(&self.session.id)));
        self.waiting.0 += records.len();
        self.waiting.1.append(&mut puts);
        self.held_back.borrow_mut().get_or_insert_default();
        self.records.extend(records);
    }

    /// Waits until everything is saved, and tells of it.
    ///
    /// # Errors
    /// What the store says; then the records that were not saved are gone.
    pub async fn settle(&mut self) -> Result<(), WorkspaceError> {
        loop {
            if self.on_their_way.is_none() && !self.waiting.1.is_empty() {
                let (count, puts) = std::mem::take(&mut self.waiting);
                self.on_their_way = Some((count, self.workspace.save(puts)));
            }
            // A batch stays in its place until it is saved, so that this can be dropped and begun again.
            let Some((count, saving)) = &mut self.on_their_way else {
                break;
            };
            let (count, saved) = (*count, saving.await);
            self.on_their_way = None;
            let from = self.records.len() - self.waiting.0 - count;
            if let Err(error) = saved {
                self.records.truncate(from);
                self.waiting = (0, Vec::new());
                self.held_back.replace(None);
                return Err(error.into());
            }
            for record in &self.records[from..from + count] {
                self.emit(AgentEvent::Recorded(record.clone()));
            }
        }
        let held_back = self.held_back.take();
        held_back
            .into_iter()
            .flatten()
            .for_each(|event| self.emit(event));
        Ok(())
    }

    /// Does `work` while what is on its way is being saved; some of it may still
    /// be on its way then.
    ///
    /// # Errors
    /// As [`Transcript::settle`].
    pub async fn while_saving<T>(
        &mut self,
        work: impl Future<Output = T>,
    ) -> Result<T, WorkspaceError> {
        // The work comes first: what is done at once shares a batch with what asked for it.
        let mut work = pin!(work);
        let saved = match select(work.as_mut(), pin!(self.settle())).await {
            Either::Left((value, _)) => return Ok(value),
            Either::Right((saved, _)) => saved,
        };
        saved?;
        Ok(work.await)
    }

    /// The round that file changes belong to: that of the model's last message.
    fn origin(&self) -> Option<Origin> {
        let (at, message) = run_view::last_message(self.run())?;
        Some(Origin {
            session: self.session.id.clone(),
            run: self.run().first()?.seq,
            seq: self.run()[at].seq,
            round: message.round,
        })
    }

    fn numbered(&self, entries: Vec<Entry>) -> Vec<Record> {
        let at_ms = self.clock.now_ms();
        let numbered = (self.next_seq()..).zip(entries);
        numbered
            .map(|(seq, entry)| Record { seq, at_ms, entry })
            .collect()
    }

    /// Number of the last round since the user's message.
    pub fn rounds_of_task(&self) -> u32 {
        let of_task = self
            .records
            .iter()
            .rev()
            .take_while(|record| !matches!(record.entry, Entry::User { .. }));
        let rounds = of_task.filter_map(|record| match &record.entry {
            Entry::Assistant(AssistantMessage { round, .. }) | Entry::Partial { round, .. } => {
                Some(*round)
            }
            _ => None,
        });
        rounds.max().unwrap_or(0)
    }

    /// What the last nudge was about, if nothing came behind it.
    pub fn last_nudge(&self) -> Option<Topic> {
        match self.run().last()?.entry {
            Entry::Nudge { about, .. } => Some(about),
            _ => None,
        }
    }

    /// Whether the last message is the last word that a limit allowed.
    pub fn answers_last_word(&self) -> bool {
        let run = self.run();
        let before = run_view::last_message(run).and_then(|(at, _)| run[..at].last());
        before.is_some_and(|record| {
            matches!(
                record.entry,
                Entry::Nudge {
                    about: Topic::LastWord,
                    ..
                }
            )
        })
    }

    /// Rounds since the user, or a reminder, last told the task.
    pub fn rounds_since_reminder(&self) -> usize {
        let told = |record: &&Record| match record.entry {
            Entry::User { .. } | Entry::Steer { .. } => true,
            Entry::Nudge { about, .. } => about == Topic::Reminder,
            _ => false,
        };
        let since = self.records.iter().rev().take_while(|record| !told(record));
        since
            .filter(|record| matches!(record.entry, Entry::Assistant(_)))
            .count()
    }

    /// A result that says `told` for every call that has none yet.
    pub fn close_calls(&self, told: &str) -> Vec<Entry> {
        let Some((at, message)) = run_view::last_message(&self.records) else {
            return Vec::new();
        };
        let open = run_view::open_calls(message, &self.records[at + 1..]);
        let begun = run_view::begun_call(&self.records).and(open.first().copied());
        let results = open.into_iter().map(|at| {
            let call = &message.calls[at];
            Entry::ToolResult(ToolResult {
                round: message.round,
                call_id: call.id.clone(),
                name: call.name.clone(),
                outcome: Outcome::Error,
                text: match call.name.as_str() {
                    "task" => SUB_AGENT_ENDED.to_owned(),
                    _ if begun == Some(at) => MAY_HAVE_HAPPENED.to_owned(),
                    _ => told.to_owned(),
                },
                ..ToolResult::default()
            })
        });
        results.collect()
    }
}
