//! Making room in a store that is full: what takes it up, and what can go. Traces, what was
//! taken back and sessions go by removing alone, for which there is room on a full disk too;
//! that done, there is some for the rest.

use std::collections::HashSet;

use super::Kernel;
use crate::kernel::session::{self, Session, SessionId, rewind};
use crate::kernel::store::{Batch, Change, Key, StoreError, Table};
use crate::kernel::workspace::{History, Keep};
use crate::protocol::{Event, Freeable, Weighed, Weight};

/// Commits that can still be gone back over when old history goes.
pub const RECENT: usize = 20;
/// Sessions that are told.
const MOST_SESSIONS: usize = 100;
/// The last commits alone.
const KEEP_RECENT: Keep = Keep {
    commits: RECENT,
    bytes: u64::MAX,
};
/// No commit.
const KEEP_NONE: Keep = Keep {
    commits: 0,
    bytes: 0,
};

impl Kernel {
    /// Removes what the user names, and what nothing refers to any more along with it, in
    /// all workspaces: they share the room.
    pub(super) async fn free(&self, what: Freeable) {
        // None is deleted meanwhile: tidying would put rows into one that is no more.
        let turn = self.0.changing_spaces.lock().await;
        let done = match &what {
            Freeable::OldHistory => self.tidy_all(KEEP_RECENT).await,
            Freeable::History => self.tidy_all(KEEP_NONE).await,
            Freeable::Traces => self.remove_rows(Table::Traces).await,
            Freeable::TakenBack => self.forget_taken_back().await,
            Freeable::Session(id) => self.remove_session(id, |_| true).await,
        };
        // A failure costs only room, and the next start tries again.
        drop(self.tidy_all(Keep::default()).await);
        drop(turn);
        self.weigh(done.err()).await;
    }

    /// The kernels of all workspaces, as these stand in the store by now.
    async fn all_views(&self) -> Result<Vec<Kernel>, StoreError> {
        let all = self.0.spaces.borrow().all.clone();
        let mut views = Vec::new();
        for space in all {
            let view = self.view(&space.id).await?;
            if !self.may_write() {
                view.take_in_files().await?;
            }
            views.push(view);
        }
        Ok(views)
    }

    /// Tidies all workspaces; one that fails does not keep the others from it.
    async fn tidy_all(&self, keep: Keep) -> Result<(), StoreError> {
        let mut done = Ok(());
        for view in self.all_views().await? {
            done = done.and(view.0.workspace.tidy(keep).await);
        }
        done
    }

    /// Tells what takes up room.
    pub(super) async fn weigh(&self, failed: Option<StoreError>) {
        let turn = self.0.changing_spaces.lock().await;
        let weighed = self.weighed().await;
        drop(turn);
        match weighed {
            Ok(mut weighed) => {
                weighed.failed = failed.map(|error| match error {
                    StoreError::Full => String::new(),
                    error => error.to_string(),
                });
                self.tell(Event::Weighed(Box::new(weighed)));
            }
            Err(error) => self.not_saved(error),
        }
    }

    async fn weighed(&self) -> Result<Weighed, StoreError> {
        let (mut old, mut all) = (History::default(), History::default());
        for view in self.all_views().await? {
            old = together(old, view.0.workspace.weigh(KEEP_RECENT).await?);
            all = together(all, view.0.workspace.weigh(KEEP_NONE).await?);
        }
        let mut parts = vec![
            weight(Freeable::OldHistory, old.was),
            weight(Freeable::History, all.was),
            weight(
                Freeable::Traces,
                self.size(Table::Traces, all_keys()).await?,
            ),
            weight(Freeable::TakenBack, self.taken_back().await?),
        ];
        // The one is the other where there is nothing recent.
        if old.commits == all.commits {
            parts.remove(0);
        }
        parts.retain(|part| part.bytes > 0);
        parts.extend(self.session_weights().await?);
        Ok(Weighed {
            room: self.store().room().await,
            files: all.now,
            parts,
            failed: None,
        })
    }

    /// Sessions that no run works in, the largest first.
    async fn session_weights(&self) -> Result<Vec<Weight>, StoreError> {
        let sessions: Vec<Session> = {
            let all = self.0.sessions.borrow();
            let of_user = all.values().filter(|session| session.parent.is_none());
            of_user.cloned().collect()
        };
        let mut weights = Vec::new();
        for session in sessions {
            let family = self.family(&session.id);
            if self.is_at_work(&family) {
                continue;
            }
            let mut bytes = 0;
            for id in &family {
                for table in session::TABLES {
                    bytes += self.size(table, Key::new([id.as_str().into()])).await?;
                }
            }
            weights.push(Weight {
                what: Freeable::Session(session.id),
                bytes,
                title: session.title,
                at_ms: session.updated_ms,
            });
        }
        weights.sort_by_key(|weight| (std::cmp::Reverse(weight.bytes), weight.at_ms));
        weights.truncate(MOST_SESSIONS);
        Ok(weights)
    }

    /// A session and those of its sub-agents, at any depth.
    pub(super) fn family(&self, id: &str) -> HashSet<SessionId> {
        let all = self.0.sessions.borrow();
        let mut family = HashSet::from([id.to_owned()]);
        loop {
            let is_below = |session: &&Session| {
                let parent = session.parent.as_ref();
                parent.is_some_and(|parent| family.contains(&parent.session))
                    && !family.contains(&session.id)
            };
            let more: Vec<SessionId> = all
                .values()
                .filter(is_below)
                .map(|session| session.id.clone())
                .collect();
            if more.is_empty() {
                return family;
            }
            family.extend(more);
        }
    }

    pub(super) fn is_at_work(&self, family: &HashSet<SessionId>) -> bool {
        let running = self.0.running.borrow();
        family.iter().any(|id| running.contains_key(id))
    }

    /// Removes a session for good with those of its sub-agents, if it `is_meant` still and
    /// none of them is at work.
    pub(super) async fn remove_session(
        &self,
        id: &str,
        is_meant: impl Fn(&Session) -> bool,
    ) -> Result<(), StoreError> {
        // A title that is just being saved would bring a session back.
        let _turn = self.0.saving_title.lock().await;
        let family = self.family(id);
        let is_meant = self.0.sessions.borrow().get(id).is_some_and(is_meant);
        if self.is_at_work(&family) || !is_meant {
            return Ok(());
        }
        // Nobody finds them from here on: so none begins to work while its rows are removed.
        let lines: Vec<Session> = {
            let mut sessions = self.0.sessions.borrow_mut();
            let lines = family.iter().filter_map(|id| sessions.remove(id));
            lines.collect()
        };
        if let Err(error) = self.remove_rows_of(&family).await {
            let mut sessions = self.0.sessions.borrow_mut();
            for line in lines {
                sessions.insert(line.id.clone(), line);
            }
            return Err(error);
        }
        for id in &family {
            self.0.trays.borrow_mut().remove(id);
        }
        self.tell(Event::SessionsRemoved(family.into_iter().collect()));
        Ok(())
    }

    async fn remove_rows_of(&self, family: &HashSet<SessionId>) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        for id in family {
            let key = Key::new([id.as_str().into()]);
            gone.push(Change::Delete(Table::Sessions, key.clone()));
            for table in session::TABLES {
                let keys = self.store().keys(table, key.clone()).await?;
                gone.extend(keys.into_iter().map(|key| Change::Delete(table, key)));
            }
        }
        self.store().apply(Batch::of(gone).strict()).await
    }

    async fn remove_rows(&self, table: Table) -> Result<(), StoreError> {
        let keys = self.store().keys(table, all_keys()).await?;
        let delete = |key| Change::Delete(table, key);
        let gone = keys.into_iter().map(delete).collect();
        self.store().apply(Batch::of(gone)).await
    }

    async fn forget_taken_back(&self) -> Result<(), StoreError> {
        for id in self.session_ids() {
            let Some(batch) = rewind::forgetting(self.store(), &id).await? else {
                continue;
            };
            match self.store().apply(batch).await {
                // It offers it no more.
                Ok(()) => self.open_session(id).await,
                // Its user has just gone back in it once more: that stays.
                Err(StoreError::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn taken_back(&self) -> Result<u64, StoreError> {
        let mut bytes = 0;
        for id in self.session_ids() {
            bytes += rewind::size(self.store(), &id).await?;
        }
        Ok(bytes)
    }

    async fn size(&self, table: Table, prefix: Key) -> Result<u64, StoreError> {
        let rows = self.store().list(table, prefix).await?;
        Ok(rows.iter().map(|(_, value)| value.size()).sum())
    }

    /// How many bytes more than there is room for `needs` is, now that what was broken off
    /// is swept; `None` if that can't be told.
    pub(super) async fn lacks(&self, needs: u64) -> Option<u64> {
        drop(self.0.workspace.tidy(Keep::default()).await);
        let room = self.store().room().await?;
        Some(needs.saturating_sub(room.free())).filter(|lacks| *lacks > 0)
    }
}

fn weight(what: Freeable, bytes: u64) -> Weight {
    let (title, at_ms) = (String::new(), 0);
    Weight {
        what,
        bytes,
        title,
        at_ms,
    }
}

fn together(one: History, other: History) -> History {
    History {
        now: one.now + other.now,
        was: one.was + other.was,
        commits: one.commits + other.commits,
    }
}

fn all_keys() -> Key {
    Key(Vec::new())
}
