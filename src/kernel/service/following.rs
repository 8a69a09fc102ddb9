//! Following another tab that writes: what it has saved is read from the store and told to
//! the page as if it had happened here. Hints tell when to look and where; since they may get
//! lost, it is looked everywhere now and then. Nobody needs it before the page takes input:
//! see scripts/later.txt.

use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc::unbounded;
use futures::future::{Either, LocalBoxFuture, select};
use std::rc::Rc;

use super::{Kernel, SealedKeys, Settings};
use crate::kernel::event::AgentEvent;
use crate::kernel::session::{self, Record, Session, SessionId};
use crate::kernel::store::{Key, StoreError, Table};
use crate::kernel::tabs::{Channel, Hint};
use crate::protocol::Event;

/// How often it is looked everywhere, without a hint.
const LOOK: Duration = Duration::from_secs(3);
/// How long hints are gathered: quick rounds come by the hundred in a second.
const GATHER: Duration = Duration::from_millis(60);

/// Where it is to be looked.
enum Where {
    Everywhere,
    At(Vec<Hint>),
}

/// See [`Kernel::follow`].
#[inline(never)]
pub(super) fn follow<'a>(kernel: &'a Kernel, channel: &'a dyn Channel) -> LocalBoxFuture<'a, ()> {
    Box::pin(async move {
        let (sender, mut hints) = unbounded();
        channel.listen(Rc::new(move |told| drop(sender.unbounded_send(told))));
        let clock = &kernel.0.platform.clock;
        // Something may have been saved between reading all and listening.
        let mut place = Where::Everywhere;
        loop {
            // What can't be read now is looked for again at the latest in a while.
            let _ = kernel.catch_up(place).await;
            clock.sleep(GATHER).await;
            place = match select(hints.next(), clock.sleep(LOOK)).await {
                Either::Left((Some(mut told), _)) => {
                    while let Ok(more) = hints.try_recv() {
                        told.extend(more);
                    }
                    Where::At(told)
                }
                Either::Left((None, asleep)) => {
                    asleep.await;
                    Where::Everywhere
                }
                Either::Right(_) => Where::Everywhere,
            };
        }
    })
}

impl Kernel {
    async fn catch_up(&self, place: Where) -> Result<(), StoreError> {
        let hints = match place {
            Where::Everywhere => return self.catch_up_with_all().await,
            Where::At(hints) => hints,
        };
        let files = |hint: &Hint| matches!(hint, Hint::Files(_));
        let settings = |hint: &Hint| matches!(hint, Hint::Settings);
        if hints.iter().any(settings) {
            self.catch_up_with_settings().await?;
        }
        if hints.iter().any(files) {
            self.catch_up_with_files().await?;
        }
        let mut sessions: Vec<&String> = Vec::new();
        for hint in &hints {
            if let Hint::Session(id) = hint
                && !sessions.contains(&id)
            {
                sessions.push(id);
            }
        }
        let mut is_of_sessions = false;
        for id in sessions {
            let key = Key::new([id.as_str().into()]);
            let line = self.store().get(Table::Sessions, key).await?;
            match line {
                Some(line) => {
                    self.take_line(line.parse()?);
                    self.catch_up_with_session(id).await?;
                }
                None => self.sessions_gone(vec![id.clone()]),
            }
            is_of_sessions = true;
        }
        match is_of_sessions {
            true => self.catch_up_with_waiting().await,
            false => Ok(()),
        }
    }

    /// Tells which runs wait for an answer in the other tab.
    async fn catch_up_with_waiting(&self) -> Result<(), StoreError> {
        let mut open: Vec<SessionId> = {
            let sessions = self.0.sessions.borrow();
            let open = sessions.values().filter(|session| session.running);
            open.map(|session| session.id.clone()).collect()
        };
        let keys = open.iter().map(|id| session::waits_key(id)).collect();
        let kept = self.store().get_all(Table::Journal, keys).await?;
        let mut waits = kept.iter().map(Option::is_some);
        open.retain(|_| waits.next().unwrap_or_default());
        self.0.tell_waiting_runs(&open);
        Ok(())
    }

    async fn catch_up_with_all(&self) -> Result<(), StoreError> {
        self.catch_up_with_settings().await?;
        self.catch_up_with_files().await?;
        let lines = session::list(self.store()).await?;
        let mut gone: Vec<String> = self.session_ids();
        gone.retain(|id| !lines.iter().any(|line| line.id == *id));
        self.sessions_gone(gone);
        for line in lines {
            self.take_line(line);
        }
        let followed: Vec<String> = self.0.followed.borrow().keys().cloned().collect();
        for id in followed {
            self.catch_up_with_session(&id).await?;
        }
        self.catch_up_with_waiting().await
    }

    async fn catch_up_with_settings(&self) -> Result<(), StoreError> {
        self.catch_up_with_spaces().await?;
        let settings = Settings::load(self.store()).await?;
        let sealed = SealedKeys::load(self.store()).await?;
        let is_new = settings != *self.0.settings.borrow();
        self.0.settings.replace(settings);
        if self.put_sealed(sealed) || is_new {
            self.tell(Event::SettingsChanged(self.settings_view()));
        }
        Ok(())
    }

    async fn catch_up_with_files(&self) -> Result<(), StoreError> {
        self.shown().take_in_files().await
    }

    /// Takes in the files of this kernel's workspace as they stand in the store.
    pub(super) async fn take_in_files(&self) -> Result<(), StoreError> {
        let committed = self.0.workspace.follow().await?;
        if !committed.changed.is_empty() || !committed.removed.is_empty() {
            self.tell_changed(&committed);
        }
        Ok(())
    }

    /// Sessions were removed, by themselves or with their workspace.
    fn sessions_gone(&self, mut ids: Vec<SessionId>) {
        ids.retain(|id| self.0.sessions.borrow_mut().remove(id).is_some());
        for id in &ids {
            self.0.followed.borrow_mut().remove(id);
            self.0.trays.borrow_mut().remove(id);
        }
        if !ids.is_empty() {
            self.tell(Event::SessionsRemoved(ids));
        }
    }

    /// Takes in a session's line in the list.
    fn take_line(&self, line: Session) {
        let known = self.0.sessions.borrow().get(&line.id).cloned();
        if known.as_ref() != Some(&line) {
            let mut sessions = self.0.sessions.borrow_mut();
            sessions.insert(line.id.clone(), line.clone());
            drop(sessions);
            self.tell(match line.marks.is_deleted() {
                true => Event::SessionsRemoved(vec![line.id]),
                false => Event::SessionChanged(line),
            });
        }
    }

    /// Tells the new records of a session that was opened, and the messages that wait.
    async fn catch_up_with_session(&self, id: &str) -> Result<(), StoreError> {
        let last_told = || self.0.followed.borrow().get(id).copied();
        let Some(last) = last_told() else {
            return Ok(());
        };
        let records = match last {
            Some(last) => self.records_behind(id, last).await?,
            None => Some(session::records(self.store(), id).await?),
        };
        let (queue, _) = session::journal(self.store(), id).await?;
        if last_told() != Some(last) {
            // The page had the session opened meanwhile.
            return Ok(());
        }
        let Some(records) = records else {
            // Something was taken back.
            self.open_session(id.to_owned()).await;
            return Ok(());
        };
        if let Some(record) = records.last() {
            let mut followed = self.0.followed.borrow_mut();
            followed.insert(id.to_owned(), Some(record.seq));
        }
        for record in records {
            self.tell(Event::Agent {
                session: id.to_owned(),
                event: AgentEvent::Recorded(record),
            });
        }
        self.take_in_queue(id, queue);
        Ok(())
    }

    /// The records behind `last`; `None` if that one is not there any more.
    async fn records_behind(&self, id: &str, last: u64) -> Result<Option<Vec<Record>>, StoreError> {
        let key = Key::new([id.into(), last.into()]);
        let there = self.store().get(Table::Messages, key.clone()).await?;
        if there.is_none() {
            return Ok(None);
        }
        let prefix = Key::new([id.into()]);
        let rows = self
            .store()
            .list_after(Table::Messages, prefix, key)
            .await?;
        let records = rows.iter().map(|(_, value)| value.parse());
        records.collect::<Result<_, _>>().map(Some)
    }
}
