//! What the user does about sessions as a whole: names, pins, archive, deleting.

use std::time::Duration;

use super::Kernel;
use super::forks::Again;
use crate::kernel::session::{Session, SessionId};
use crate::kernel::store::{Batch, Key, StoreError, Table};
use crate::protocol::{Event, Notice, SessionCommand};

/// How long a deleted session can be had back: longer than its message stays.
pub const KEPT_FOR: Duration = Duration::from_secs(60);
/// Characters that a title has at most.
const LONGEST_TITLE: usize = 10_000;

impl Kernel {
    pub(super) async fn session_command(&self, command: SessionCommand) {
        match command {
            SessionCommand::Rename { id, title } => {
                let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
                if title.is_empty() {
                    return;
                }
                let title: String = title.chars().take(LONGEST_TITLE).collect();
                let rename = |session: &mut Session| {
                    session.title.clone_from(&title);
                    session.marks.named = true;
                };
                self.mark_session(&id, &rename).await;
            }
            SessionCommand::Pin { id, pinned } => {
                let pin = |session: &mut Session| session.marks.pinned = pinned;
                self.mark_session(&id, &pin).await;
            }
            SessionCommand::Archive { id, archived } => {
                let archive = |session: &mut Session| {
                    session.marks.archived = archived;
                    session.marks.pinned &= !archived;
                };
                self.mark_session(&id, &archive).await;
            }
            SessionCommand::Delete(id) => self.delete_session(&id).await,
            SessionCommand::Restore(id) => self.restore_session(&id).await,
            SessionCommand::Search { words, from } => self.search(words, from).await,
            SessionCommand::Fork {
                session,
                task,
                text,
                files,
            } => self.fork(session, Again { task, text, files }).await,
            SessionCommand::Switch { session, branch } => self.switch(session, branch).await,
            SessionCommand::HandOut(id) => self.hand_out(&id).await,
            SessionCommand::ReadOut(id) => self.read_out(id).await,
            SessionCommand::TakeIn(bytes) => self.take_in_session(&bytes).await,
            SessionCommand::Copy { session, until } => self.copy_session(session, until).await,
        }
    }

    /// Changes what the user says of a session, and tells it.
    async fn mark_session(&self, id: &str, change: &dyn Fn(&mut Session)) {
        if self.session(id).is_none() {
            return;
        }
        match self.keep_mark(id, change).await {
            Ok(()) => {
                if let Some(session) = self.session(id) {
                    self.tell(Event::SessionChanged(session));
                }
            }
            Err(error) => self.not_saved(error),
        }
    }

    /// Changes what the user says of a session. A run may be saving it at the same time:
    /// what that says of the session stays.
    async fn keep_mark(&self, id: &str, change: &dyn Fn(&mut Session)) -> Result<(), StoreError> {
        let before = {
            let mut sessions = self.0.sessions.borrow_mut();
            let Some(session) = sessions.get_mut(id) else {
                return Ok(());
            };
            let before = session.clone();
            change(session);
            before
        };
        let saved = self.put_mark(id, change).await;
        if saved.is_err()
            && let Some(session) = self.0.sessions.borrow_mut().get_mut(id)
        {
            session.marks = before.marks;
            session.title = before.title;
        }
        saved
    }

    async fn put_mark(&self, id: &str, change: &dyn Fn(&mut Session)) -> Result<(), StoreError> {
        let key = Key::new([id.into()]);
        loop {
            let row = self.store().get(Table::Sessions, key.clone()).await?;
            let Some(kept) = &row else {
                // Its first record brings it.
                return Ok(());
            };
            let mut session: Session = kept.parse()?;
            change(&mut session);
            let mut batch = Batch::of(vec![session.put()]).strict();
            batch.require.push((Table::Sessions, key.clone(), row));
            match self.store().apply(batch).await {
                Err(StoreError::Conflict) => {}
                done => return done,
            }
        }
    }

    /// Behind a run: a line that it was saving when the user said something of the session
    /// may lack that.
    pub(super) async fn keep_marks(&self, id: &str) {
        let Some(known) = self.session(id) else {
            return;
        };
        let row = self
            .store()
            .get(Table::Sessions, Key::new([id.into()]))
            .await;
        let kept = row
            .ok()
            .flatten()
            .and_then(|row| row.parse::<Session>().ok());
        let is_wanting = kept.is_some_and(|kept| {
            kept.marks != known.marks || known.marks.named && kept.title != known.title
        });
        if is_wanting {
            let again = |session: &mut Session| {
                session.marks = known.marks;
                session.title.clone_from(&known.title);
            };
            if let Err(error) = self.put_mark(id, &again).await {
                self.not_saved(error);
            }
        }
    }

    /// Deletes a session: at once for whoever looks, and for good once it can't be had back
    /// any more. Lasts as long as that.
    async fn delete_session(&self, id: &str) {
        let family = self.family(id);
        if self.is_at_work(&family) {
            return self.tell(Event::Notice(Notice::SessionAtWork));
        }
        let Some(session) = self.session(id) else {
            return;
        };
        let clock = &self.0.platform.clock;
        let now = clock.now_ms();
        let delete = |session: &mut Session| session.marks.deleted_ms = Some(now);
        if let Err(error) = self.keep_mark(id, &delete).await {
            return self.not_saved(error);
        }
        self.tell(Event::SessionsRemoved(family.into_iter().collect()));
        self.tell(Event::Notice(Notice::SessionDeleted {
            id: session.id,
            title: session.title,
        }));
        clock.sleep(KEPT_FOR).await;
        self.remove_if_deleted(id, now).await;
    }

    async fn restore_session(&self, id: &str) {
        let restore = |session: &mut Session| session.marks.deleted_ms = None;
        if let Err(error) = self.keep_mark(id, &restore).await {
            return self.not_saved(error);
        }
        for id in self.family(id) {
            if let Some(session) = self.session(&id) {
                self.tell(Event::SessionChanged(session));
            }
        }
    }

    /// Removes the sessions that were deleted before this kernel began.
    pub(super) async fn remove_deleted(&self) {
        let deleted: Vec<(SessionId, u64)> = {
            let sessions = self.0.sessions.borrow();
            let deleted = sessions.values().filter_map(|session| {
                let at_ms = session.marks.deleted_ms?;
                Some((session.id.clone(), at_ms))
            });
            deleted.collect()
        };
        for (id, at_ms) in deleted {
            self.remove_if_deleted(&id, at_ms).await;
        }
    }

    /// Removes a session for good, unless it was had back since it was deleted then.
    async fn remove_if_deleted(&self, id: &str, at_ms: u64) {
        let is_deleted = |session: &Session| session.marks.deleted_ms == Some(at_ms);
        // A failure costs only room, and the next start tries again.
        drop(self.remove_session(id, is_deleted).await);
    }
}
