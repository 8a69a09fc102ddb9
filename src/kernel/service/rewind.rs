//! Going back: taking rounds back and bringing them in again, in files and conversation.

use std::collections::BTreeMap;

use super::{Inner, Kernel};
use crate::kernel::agent::transcript::Observer;
use crate::kernel::session::branches::aside;
use crate::kernel::session::rewind::{self, Extent, Undone};
use crate::kernel::session::{self, Entry, Record, Session, SessionId};
use crate::kernel::store::{Batch, Change, Key, Table};
use crate::kernel::workspace::{Begins, Checkpoint, Origin, WorkspaceError};
use crate::protocol::{Event, ListedCheckpoint, Notice, WentBack};

/// Characters of a task that are told.
const TASK_WORDS: usize = 120;

impl Kernel {
    pub(super) async fn list_checkpoints(&self) {
        match self.0.workspace.checkpoints().await {
            Ok(checkpoints) => {
                let listed = self.with_tasks(checkpoints).await;
                self.tell(Event::Checkpoints(listed));
            }
            Err(error) => self.not_saved(error),
        }
    }

    /// The checkpoints with the tasks that were worked on; each task is looked up once.
    async fn with_tasks(&self, checkpoints: Vec<Checkpoint>) -> Vec<ListedCheckpoint> {
        let mut known: BTreeMap<(SessionId, u64), String> = BTreeMap::new();
        let mut listed = Vec::new();
        for checkpoint in checkpoints {
            let task = match &checkpoint.begins {
                Begins::Round(origin) | Begins::TakenBack(origin) => {
                    let run = (origin.session.clone(), origin.run);
                    if !known.contains_key(&run) {
                        let task = self.task(&run.0, run.1).await;
                        known.insert(run.clone(), task);
                    }
                    known.get(&run).cloned().unwrap_or_default()
                }
                _ => String::new(),
            };
            listed.push(ListedCheckpoint { checkpoint, task });
        }
        listed
    }

    /// How the task begins that stands in a record; empty if none stands there any more.
    async fn task(&self, session: &str, seq: u64) -> String {
        let key = Key::new([session.into(), seq.into()]);
        let found = self.store().get(Table::Messages, key).await;
        let record = found.ok().flatten().and_then(|value| value.parse().ok());
        match record {
            Some(Record {
                entry: Entry::User { text, .. },
                ..
            }) => text.trim().chars().take(TASK_WORDS).collect(),
            _ => String::new(),
        }
    }

    /// Takes back the rounds of a session from that of the message `seq` on; without one,
    /// the last that changed files, or else the last.
    pub(super) async fn undo(&self, id: SessionId, seq: Option<u64>, extent: Extent) {
        if let Some(session) = self.resting(&id) {
            let done = self.take_back(session, seq, extent).await;
            self.went_back(id, done).await;
        }
    }

    /// Brings in again what was taken back last.
    pub(super) async fn redo(&self, id: SessionId) {
        if let Some(session) = self.resting(&id) {
            let done = self.bring_back(session).await;
            self.went_back(id, done).await;
        }
    }

    /// Makes all files what they were before a commit, whoever changed them since.
    pub(super) async fn restore(&self, generation: u64) {
        // What goes on in other workspaces is at work on other files.
        if self.runs_in(self.0.workspace.id()) {
            return self.tell(Event::Notice(Notice::FilesAtWork));
        }
        let to = generation.saturating_sub(1);
        let before = self.0.workspace.generation();
        match self.0.workspace.restore(to, Vec::new()).await {
            Ok(committed) => {
                self.tell_changed(&committed);
                let generation = Some(committed.generation).filter(|now| *now != before);
                let back = WentBack::Restored { generation };
                self.tell(Event::Notice(Notice::WentBack(back)));
            }
            Err(error) => self.not_undone(error),
        }
        self.list_checkpoints().await;
    }

    /// The session, if it has no run at the moment.
    fn resting(&self, id: &str) -> Option<Session> {
        if self.0.running.borrow().contains_key(id) {
            self.tell(Event::Notice(Notice::AlreadyRunning));
            return None;
        }
        self.session(id)
    }

    async fn take_back(
        &self,
        mut session: Session,
        seq: Option<u64>,
        extent: Extent,
    ) -> Result<WentBack, WorkspaceError> {
        let id = session.id.clone();
        let mut steps = rewind::undone(self.store(), &id).await?;
        let records = session::records(self.store(), &id).await?;
        let checkpoints = self.0.workspace.checkpoints().await?;
        let before = steps.last().map_or(u64::MAX, |step| step.seq);
        let Some(seq) = seq.or_else(|| last_round(&id, &checkpoints, &records, before)) else {
            return Err(WorkspaceError::NotKept);
        };
        let is_meant = self
            .0
            .rounds_from(&id, seq, aside(self.store(), &id).await?);
        let mut rounds = checkpoints.iter().filter_map(Checkpoint::round);
        let first = rounds.find(|round| extent.has_files() && is_meant(round));
        let done = match (first, extent.has_chat()) {
            (None, false) => return Err(WorkspaceError::NotKept),
            (None, true) => Extent::Chat,
            (Some(_), _) => extent,
        };
        let mut changes = Vec::new();
        let undone = Undone {
            seq,
            extent: done,
            generation: self.0.workspace.generation(),
            interrupted: session.interrupted,
        };
        if done.has_chat() {
            changes = rewind::take_out(&id, &records, seq, steps.len());
            let last = records.last().map_or(0, |record| record.seq + 1);
            session.floor = session.floor.max(last);
            session.interrupted = is_open(&records, seq);
        }
        steps.push(undone);
        changes.extend([rewind::undone_change(&id, &steps), session.put()]);
        match first {
            Some(first) => {
                let workspace = &self.0.workspace;
                let committed = workspace.take_back(first.clone(), &is_meant, changes);
                self.tell_changed(&committed.await?);
            }
            None => self.save_now(changes).await?,
        }
        self.0.session(&session);
        Ok(WentBack::Undone {
            session: id,
            extent: done,
        })
    }

    async fn bring_back(&self, mut session: Session) -> Result<WentBack, WorkspaceError> {
        let id = session.id.clone();
        let mut steps = rewind::undone(self.store(), &id).await?;
        let Some(undone) = steps.pop() else {
            return Err(WorkspaceError::NotKept);
        };
        let mut changes = vec![rewind::undone_change(&id, &steps)];
        if undone.extent.has_chat() {
            changes.extend(rewind::bring_in(self.store(), &id, steps.len()).await?);
            session.interrupted = undone.interrupted;
        }
        changes.push(session.put());
        let checkpoints = self.0.workspace.checkpoints().await?;
        let took_back = |checkpoint: &&Checkpoint| {
            checkpoint.generation > undone.generation
                && matches!(&checkpoint.begins, Begins::TakenBack(first) if first.seq >= undone.seq)
        };
        match checkpoints.iter().find(took_back) {
            Some(commit) if undone.extent.has_files() => {
                let workspace = &self.0.workspace;
                let committed = workspace.bring_back(commit.generation, changes);
                self.tell_changed(&committed.await?);
            }
            _ => self.save_now(changes).await?,
        }
        self.0.session(&session);
        Ok(WentBack::Redone(undone.extent))
    }

    pub(super) async fn save_now(&self, changes: Vec<Change>) -> Result<(), WorkspaceError> {
        Ok(self.store().apply(Batch::of(changes).strict()).await?)
    }

    /// Shows the session as it is now, or tells why nothing has happened.
    async fn went_back(&self, id: SessionId, done: Result<WentBack, WorkspaceError>) {
        match done {
            Ok(back) => {
                self.open_session(id).await;
                self.tell(Event::Notice(Notice::WentBack(back)));
            }
            Err(error) => self.not_undone(error),
        }
    }

    pub(super) fn not_undone(&self, error: WorkspaceError) {
        match error {
            WorkspaceError::Store(error) => self.not_saved(error),
            WorkspaceError::Changed(path) => {
                let path = path.as_str().to_owned();
                self.tell(Event::Notice(Notice::NotUndone { path: Some(path) }));
            }
            _ => self.tell(Event::Notice(Notice::NotUndone { path: None })),
        }
    }
}

impl Inner {
    /// Picks the rounds of a session from the message `seq` on, and those of the
    /// sub-agents that worked for them; but none whose records stand `aside`, in branches
    /// that are not shown.
    pub(super) fn rounds_from(
        &self,
        id: &str,
        seq: u64,
        aside: Vec<u64>,
    ) -> impl Fn(&Origin) -> bool + use<> {
        let sessions = self.sessions.borrow();
        let works_for = |session: &&Session| {
            let parent = session.parent.as_ref();
            let is_meant = |of: u64| of >= seq && !aside.contains(&of);
            parent.is_some_and(|parent| parent.session == id && is_meant(parent.seq))
        };
        let agents = sessions.values().filter(works_for);
        let agents: Vec<SessionId> = agents.map(|session| session.id.clone()).collect();
        let id = id.to_owned();
        move |origin| match origin.session == id {
            true => origin.seq >= seq && !aside.contains(&origin.seq),
            false => agents.contains(&origin.session),
        }
    }
}

/// The message of the last round of a session before `before` that changed files; or, if
/// none did, of the last one.
fn last_round(
    id: &str,
    checkpoints: &[Checkpoint],
    records: &[Record],
    before: u64,
) -> Option<u64> {
    let rounds = checkpoints.iter().rev().filter_map(Checkpoint::round);
    let mut of_session = rounds.filter(|round| round.session == id);
    let is_there = |seq: u64| seq < before && records.iter().any(|record| record.seq == seq);
    let changed = of_session.find(|round| is_there(round.seq));
    let is_message =
        |record: &&Record| record.seq < before && matches!(record.entry, Entry::Assistant(_));
    let last = || records.iter().rev().find(is_message);
    changed.map(|round| round.seq).or_else(|| Some(last()?.seq))
}

/// Whether a run is open in what stands before record `seq`.
pub(super) fn is_open(records: &[Record], seq: u64) -> bool {
    let last = records.iter().rev().find(|record| record.seq < seq);
    last.is_some_and(|record| !matches!(record.entry, Entry::Stopped(_) | Entry::Titled { .. }))
}
