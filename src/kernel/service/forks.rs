//! Branches of conversations: working on a task again, going to another branch, beginning a
//! session with a part of another.

use std::collections::HashMap;

use super::Kernel;
use super::rewind::is_open;
use crate::kernel::agent::transcript::Observer;
use crate::kernel::clock::unique_id;
use crate::kernel::session::branches::{self, Branch};
use crate::kernel::session::{self, Entry, Marks, Record, Session, SessionId};
use crate::kernel::store::{Batch, Change, Key, StoreError, Table};
use crate::kernel::workspace::{Checkpoint, WorkspaceError};
use crate::protocol::{Event, Notice, SessionEvent};

/// A task that is to be worked on again.
pub(super) struct Again {
    /// The record of the task.
    pub task: u64,
    /// In other words; `None`: in the same.
    pub text: Option<String>,
    /// Whether what was done to files since is taken back first.
    pub files: bool,
}

impl Kernel {
    /// Has a task worked on again. What came of it so far is set aside in the one batch that
    /// puts the task in its place, with the files where that is wanted; then the run begins
    /// like one that was cut off there.
    pub(super) async fn fork(&self, id: SessionId, again: Again) {
        let Some(session) = self.session(&id) else {
            return;
        };
        let is_empty = |text: &String| text.trim().is_empty();
        if again.text.as_ref().is_some_and(is_empty) {
            return;
        }
        let Some(terms) = self.terms(&session) else {
            return self.tell(Event::Notice(self.key_wanted()));
        };
        let Some(cancel) = self.reserve(&id) else {
            return;
        };
        match self.set_aside(&id, again).await {
            Ok(session) => {
                self.open_session(id).await;
                self.run_reserved(session, terms, None, cancel).await;
            }
            Err(error) => {
                self.0.running.borrow_mut().remove(&id);
                self.not_undone(error);
            }
        }
    }

    async fn set_aside(&self, id: &str, again: Again) -> Result<Session, WorkspaceError> {
        drop(self.0.saving_title.lock().await);
        let mut session = self.session(id).ok_or(WorkspaceError::NotKept)?;
        let records = session::records(self.store(), id).await?;
        let at = records.iter().position(|record| record.seq == again.task);
        let (at, entry) = at
            .and_then(|at| Some((at, task_of(&records[at], again.text.as_deref())?)))
            .ok_or(WorkspaceError::NotKept)?;
        let is_meant = {
            let aside = branches::aside(self.store(), id).await?;
            self.0.rounds_from(id, again.task, aside)
        };
        let mut others = branches::branches(self.store(), id).await?;
        let mut changes =
            branches::keep_taken_back(self.store(), id, &records, &mut others).await?;
        let cut = match again.text {
            Some(_) => at,
            None => at + 1,
        };
        let was_cut_off = session.interrupted || session.running;
        let aside = branches::set_aside(id, &records, cut, was_cut_off, &mut others);
        changes.extend(aside);
        keep_numbers(&mut session, &records);
        if again.text.is_some() {
            let record = Record {
                seq: session.floor,
                at_ms: self.0.platform.clock.now_ms(),
                entry,
            };
            changes.push(record.put(id));
        }
        session.running = false;
        session.interrupted = true;
        self.0.mark(&mut session);
        changes.extend([branches::branches_change(id, &others), session.put()]);
        let checkpoints = match again.files {
            true => self.0.workspace.checkpoints().await?,
            false => Vec::new(),
        };
        let mut rounds = checkpoints.iter().filter_map(Checkpoint::round);
        match rounds.find(|round| is_meant(round)) {
            Some(first) => {
                let workspace = &self.0.workspace;
                let committed = workspace.take_back(first.clone(), &is_meant, changes);
                self.tell_changed(&committed.await?);
            }
            None => self.save_now(changes).await?,
        }
        let mut sessions = self.0.sessions.borrow_mut();
        sessions.insert(id.to_owned(), session.clone());
        Ok(session)
    }

    /// Goes to another branch of a session.
    pub(super) async fn switch(&self, id: SessionId, n: u64) {
        let Some(_cancel) = self.reserve(&id) else {
            return;
        };
        let done = self.change_places(&id, n).await;
        self.0.running.borrow_mut().remove(&id);
        match done {
            Ok(Some(session)) => {
                self.open_session(id).await;
                Observer::session(&*self.0, &session);
            }
            // The page shows what is no more.
            Ok(None) => self.open_session(id).await,
            Err(error) => self.not_saved(error),
        }
    }

    async fn change_places(&self, id: &str, n: u64) -> Result<Option<Session>, StoreError> {
        drop(self.0.saving_title.lock().await);
        let Some(mut session) = self.session(id) else {
            return Ok(None);
        };
        let records = session::records(self.store(), id).await?;
        let mut others = branches::branches(self.store(), id).await?;
        let mut changes =
            branches::keep_taken_back(self.store(), id, &records, &mut others).await?;
        let taken_up = branches::take_up(self.store(), id, n, &mut others).await?;
        let Some((branch, brought_in)) = taken_up else {
            return Ok(None);
        };
        let Some(at) = place(&records, &branch) else {
            return Ok(None);
        };
        let was_cut_off = session.interrupted || session.running;
        let aside = branches::set_aside(id, &records, at, was_cut_off, &mut others);
        changes.extend(aside);
        changes.extend(brought_in);
        keep_numbers(&mut session, &records);
        session.running = false;
        session.interrupted = branch.interrupted;
        self.0.mark(&mut session);
        changes.extend([branches::branches_change(id, &others), session.put()]);
        self.store().apply(Batch::of(changes).strict()).await?;
        Ok(Some(session))
    }

    /// Begins a session with the records of another before `until`.
    pub(super) async fn copy_session(&self, id: SessionId, until: Option<u64>) {
        match self.copied(&id, until).await {
            Ok(Some((sessions, draft))) => {
                let first = sessions.first().map(|session| session.id.clone());
                for session in &sessions {
                    Observer::session(&*self.0, session);
                }
                if let Some(id) = first {
                    self.tell(Event::Sessions(SessionEvent::Begun { id, draft }));
                }
            }
            Ok(None) => {}
            Err(error) => self.not_saved(error),
        }
    }

    /// The new session, those of the sub-agents that worked for it, and the words of the
    /// task at which it parts.
    async fn copied(
        &self,
        id: &str,
        until: Option<u64>,
    ) -> Result<Option<(Vec<Session>, String)>, StoreError> {
        let Some(session) = self.session(id) else {
            return Ok(None);
        };
        if self.0.running.borrow().contains_key(id) {
            self.tell(Event::Notice(Notice::AlreadyRunning));
            return Ok(None);
        }
        let until = until.unwrap_or(u64::MAX);
        let records = session::records(self.store(), id).await?;
        let draft = records.iter().find(|record| record.seq >= until);
        let draft = draft.and_then(|record| match &record.entry {
            Entry::User { text, .. } => Some(text.clone()),
            _ => None,
        });
        let is_cut_off = match until {
            u64::MAX => session.interrupted,
            until => is_open(&records, until),
        };
        let mut renamed: HashMap<SessionId, SessionId> = HashMap::new();
        let (mut copies, mut changes) = (Vec::new(), Vec::new());
        for mut of in self.line(session, until) {
            let (old, new) = (of.id.clone(), self.new_id());
            let is_whole = !copies.is_empty();
            let until = if is_whole { u64::MAX } else { until };
            changes.extend(self.rows_again(&old, &new, until).await?);
            renamed.insert(old, new.clone());
            if let Some(parent) = &mut of.parent
                && let Some(above) = renamed.get(&parent.session)
            {
                parent.session.clone_from(above);
            }
            of.id = new;
            if !is_whole {
                self.begin_copy(&mut of, is_cut_off);
            }
            changes.push(of.put());
            copies.push(of);
        }
        self.store().apply(Batch::of(changes).strict()).await?;
        Ok(Some((copies, draft.unwrap_or_default())))
    }

    fn begin_copy(&self, session: &mut Session, is_cut_off: bool) {
        let now = self.0.platform.clock.now_ms();
        session.created_ms = now;
        session.updated_ms = now;
        session.interrupted = is_cut_off;
        session.title = self.next_title(&session.title);
        // It would be lost to the title of the other otherwise.
        session.marks = Marks {
            named: true,
            ..Marks::default()
        };
    }

    /// A session and, each behind the one it works for, those of the sub-agents that were
    /// asked before `until`.
    pub(super) fn line(&self, session: Session, until: u64) -> Vec<Session> {
        let all = self.0.sessions.borrow();
        let mut line = vec![session];
        let mut at = 0;
        while at < line.len() {
            let of = line[at].id.clone();
            let below = all.values().filter(|session| {
                let parent = session.parent.as_ref();
                parent.is_some_and(|parent| parent.session == of && (at > 0 || parent.seq < until))
            });
            let below: Vec<Session> = below.cloned().collect();
            line.extend(below);
            at += 1;
        }
        line
    }

    /// The rows of a session's records before `until`, under another name.
    async fn rows_again(
        &self,
        old: &str,
        new: &str,
        until: u64,
    ) -> Result<Vec<Change>, StoreError> {
        let mut changes = Vec::new();
        for table in [Table::Messages, Table::Overflow] {
            let rows = self.store().list(table, Key::new([old.into()])).await?;
            for (key, value) in rows {
                let Some(seq) = seq_of(&key).filter(|seq| *seq < until) else {
                    continue;
                };
                let key = Key::new([new.into(), seq.into()]);
                changes.push(Change::Put(table, key, value));
            }
        }
        Ok(changes)
    }

    pub(super) fn new_id(&self) -> SessionId {
        let platform = &self.0.platform;
        unique_id(&*platform.clock, &*platform.random)
    }

    /// A title with a number that no other session has.
    fn next_title(&self, title: &str) -> String {
        let sessions = self.0.sessions.borrow();
        let is_taken = |title: &str| sessions.values().any(|session| session.title == title);
        let stem = without_number(title);
        let mut n = 2_usize;
        loop {
            let next = format!("{stem} ({n})");
            if !is_taken(&next) {
                return next;
            }
            n += 1;
        }
    }
}

/// The task of a record, in other words where there are some.
fn task_of(record: &Record, words: Option<&str>) -> Option<Entry> {
    let Entry::User { text, mode, rounds } = &record.entry else {
        return None;
    };
    Some(Entry::User {
        text: words.unwrap_or(text).to_owned(),
        mode: *mode,
        rounds: *rounds,
    })
}

/// Where a branch goes on among the records.
fn place(records: &[Record], branch: &Branch) -> Option<usize> {
    let Some(after) = branch.after else {
        return Some(0);
    };
    let at = records.iter().position(|record| record.seq == after)?;
    Some(at + 1)
}

/// Numbers are not given twice, also not those of records that are elsewhere now.
fn keep_numbers(session: &mut Session, records: &[Record]) {
    let next = records.last().map_or(0, |record| record.seq + 1);
    session.floor = session.floor.max(next);
}

fn seq_of(key: &Key) -> Option<u64> {
    match key.0.get(1)? {
        crate::kernel::store::Part::Number(seq) => Some(*seq),
        crate::kernel::store::Part::Text(_) => None,
    }
}

/// `Notes (3)` is another of `Notes`.
fn without_number(title: &str) -> &str {
    let stem = title
        .strip_suffix(')')
        .and_then(|title| title.rsplit_once(" ("));
    match stem {
        Some((stem, n)) if !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => title,
    }
}

#[cfg(test)]
mod tests {
    use super::without_number;

    #[test]
    fn only_a_number_at_the_end_is_one() {
        assert_eq!(without_number("Notes (3)"), "Notes");
        assert_eq!(without_number("Notes (old)"), "Notes (old)");
        assert_eq!(without_number("Notes ()"), "Notes ()");
        assert_eq!(without_number("Notes"), "Notes");
    }
}
