//! A session's transcript while a run works on it: grows in memory only after
//! it has grown in the store.

use std::rc::Rc;

use crate::kernel::clock::Clock;
use crate::kernel::event::AgentEvent;
use crate::kernel::session::{AssistantMessage, Entry, Outcome, Record, Session, ToolResult};
use crate::kernel::store::Durability;
use crate::kernel::workspace::{Committed, FileChange, Workspace, WorkspaceError};

/// Whoever watches a run.
pub trait Observer {
    /// Something happened in the run.
    fn agent(&self, session: &str, event: AgentEvent);
    /// The session's line in the list changed, and is saved.
    fn session(&self, session: &Session);
    /// Files changed, and are saved.
    fn files(&self, committed: &Committed);
}

/// The transcript of a session that has a run.
pub struct Transcript {
    session: Session,
    session_changed: bool,
    records: Vec<Record>,
    workspace: Rc<Workspace>,
    clock: Rc<dyn Clock>,
    observer: Rc<dyn Observer>,
}

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
            session,
            session_changed: false,
            records,
            workspace,
            clock,
            observer,
        }
    }

    /// What stands in it.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The files its tools work on.
    pub fn workspace(&self) -> &Rc<Workspace> {
        &self.workspace
    }

    /// Tells whoever watches.
    pub fn emit(&self, event: AgentEvent) {
        self.observer.agent(&self.session.id, event);
    }

    /// A way to tell whoever watches while the transcript is in use.
    pub fn watcher(&self) -> impl Fn(AgentEvent) + use<> {
        let (observer, session) = (Rc::clone(&self.observer), self.session.id.clone());
        move |event| observer.agent(&session, event)
    }

    /// Marks the session's run as open or ended; saved with the next record.
    pub fn set_running(&mut self, running: bool) {
        self.session.running = running;
        self.session.updated_ms = self.clock.now_ms();
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
        let at_ms = self.clock.now_ms();
        let first = self.records.last().map_or(0, |record| record.seq + 1);
        let records: Vec<Record> = (first..)
            .zip(entries)
            .map(|(seq, entry)| Record { seq, at_ms, entry })
            .collect();
        let mut puts: Vec<_> = records
            .iter()
            .map(|record| record.put(&self.session.id))
            .collect();
        if self.session_changed {
            puts.push(self.session.put());
        }
        let committed = self.workspace.commit(changes, puts, durability).await?;
        if std::mem::take(&mut self.session_changed) {
            self.observer.session(&self.session);
        }
        if !committed.changed.is_empty() {
            self.observer.files(&committed);
        }
        for record in records {
            self.emit(AgentEvent::Recorded(record.clone()));
            self.records.push(record);
        }
        Ok(())
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

    /// A result that says `told` for every call that has none yet.
    pub fn close_calls(&self, told: &str) -> Vec<Entry> {
        let is_message = |record: &Record| matches!(record.entry, Entry::Assistant(_));
        let Some(at) = self.records.iter().rposition(is_message) else {
            return Vec::new();
        };
        let Entry::Assistant(message) = &self.records[at].entry else {
            return Vec::new();
        };
        let answers = |record: &Record, id: &str| matches!(&record.entry, Entry::ToolResult(result) if result.call_id == id);
        let open = message.calls.iter().filter(|call| {
            !self.records[at..]
                .iter()
                .any(|record| answers(record, &call.id))
        });
        let results = open.map(|call| {
            Entry::ToolResult(ToolResult {
                round: message.round,
                call_id: call.id.clone(),
                name: call.name.clone(),
                outcome: Outcome::Error,
                text: told.to_owned(),
                took_ms: 0,
            })
        });
        results.collect()
    }
}
