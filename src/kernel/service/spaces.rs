//! Several workspaces: showing another one, making, naming and deleting them. All share one
//! kernel, its settings and its keys; each has its own files and sessions, and what is at
//! work in one goes on while another is shown.

use std::cell::Cell;
use std::rc::Rc;

use super::linked::Linked;
use super::{Inner, Kernel};
use crate::kernel::clock::unique_id;
use crate::kernel::session::{self, Session};
use crate::kernel::settings::ModelChoice;
use crate::kernel::spaces::{Space, Spaces, space_name};
use crate::kernel::store::{Batch, Change, Key, StoreError, Table};
use crate::kernel::workspace::{Keep, Node, Workspace};
use crate::protocol::{Event, SpaceCommand, SpaceCounts};

impl Inner {
    /// Whether the page shows this kernel's workspace.
    pub(super) fn is_shown(&self) -> bool {
        self.spaces.borrow().open == self.workspace.id()
    }
}

impl Kernel {
    /// The kernel that works on the workspace which the page shows.
    pub(super) fn shown(&self) -> Kernel {
        let views = self.0.views.borrow();
        let shown = views.get(&self.0.spaces.borrow().open);
        shown.unwrap_or(self).clone()
    }

    /// Keeps this one, so that there is one for each workspace.
    pub(super) fn keep_view(&self) {
        let id = self.0.workspace.id().to_owned();
        self.0.views.borrow_mut().insert(id, self.clone());
    }

    /// The kernel that works on a workspace.
    pub(super) async fn view(&self, id: &str) -> Result<Kernel, StoreError> {
        if self.0.workspace.id() == id {
            return Ok(self.clone());
        }
        if let Some(view) = self.0.views.borrow().get(id) {
            return Ok(view.clone());
        }
        let platform = &self.0.platform;
        let (store, clock) = (Rc::clone(&platform.store), Rc::clone(&platform.clock));
        let workspace = Workspace::open(store, clock, id).await?;
        // Another command may have been quicker: two would not know of each other's commits.
        if let Some(view) = self.0.views.borrow().get(id) {
            return Ok(view.clone());
        }
        let view = Self(Rc::new(Inner {
            workspace: Rc::new(workspace),
            linked: Linked::default(),
            is_taken_up: Cell::default(),
            core: Rc::clone(&self.0.core),
        }));
        view.keep_view();
        Ok(view)
    }

    pub(super) async fn space_command(&self, command: SpaceCommand) {
        // Each puts back the whole list: one after the other.
        let _turn = self.0.changing_spaces.lock().await;
        let done = match command {
            SpaceCommand::Open(id) => self.open_space(&id).await,
            SpaceCommand::Create(name) => self.create_space(&name).await,
            SpaceCommand::Rename { id, name } => self.rename_space(&id, &name).await,
            SpaceCommand::Count(id) => self.count_space(&id).await,
            SpaceCommand::Delete(id) => self.delete_space(&id).await,
        };
        if let Err(error) = done {
            self.not_saved(error);
        }
    }

    fn spaces(&self) -> Spaces {
        self.0.spaces.borrow().clone()
    }

    /// Makes the list what is given, in the store first, together with a batch.
    async fn keep_spaces(&self, spaces: Spaces, along: Batch) -> Result<(), StoreError> {
        let mut batch = along.strict();
        batch.changes.push(spaces.put());
        self.store().apply(batch).await?;
        self.0.spaces.replace(spaces);
        Ok(())
    }

    async fn open_space(&self, id: &str) -> Result<(), StoreError> {
        let mut spaces = self.spaces();
        if !spaces.has(id) || spaces.open == id {
            return Ok(());
        }
        let view = self.view(id).await?;
        id.clone_into(&mut spaces.open);
        match self.may_write() {
            true => self.keep_spaces(spaces, Batch::default()).await?,
            // Each tab that looks may look elsewhere.
            false => {
                view.0.workspace.follow().await?;
                self.0.spaces.replace(spaces);
            }
        }
        view.tell_opened();
        view.take_up().await;
        Ok(())
    }

    /// Looks through the files and takes up the link, once; from then on both sides of the
    /// link are made the same whenever the workspace is shown.
    pub(super) async fn take_up(&self) {
        if !self.may_write() {
            return;
        }
        if self.0.is_taken_up.replace(true) {
            return self.sync_link(None).await;
        }
        self.mend_files().await;
        // A failure costs only room, and the next start tries again.
        let _ = self.0.workspace.tidy(Keep::default()).await;
        self.open_link().await;
    }

    /// Tells all there is in this kernel's workspace.
    pub(super) fn tell_opened(&self) {
        self.tell(Event::SpaceOpened(Box::new(self.snapshot())));
    }

    async fn create_space(&self, name: &str) -> Result<(), StoreError> {
        let Some(name) = space_name(name) else {
            return Ok(());
        };
        let platform = &self.0.platform;
        let id = unique_id(&*platform.clock, &*platform.random);
        let view = self.view(&id).await?;
        let mut spaces = self.spaces();
        spaces.open.clone_from(&id);
        spaces.all.push(Space { id, name });
        self.keep_spaces(spaces, Batch::default()).await?;
        view.tell_opened();
        if self.settings().choice == Some(ModelChoice::Demo) {
            view.put_demo_files().await;
        }
        Ok(())
    }

    async fn rename_space(&self, id: &str, name: &str) -> Result<(), StoreError> {
        let mut spaces = self.spaces();
        let found = spaces.all.iter_mut().find(|space| space.id == id);
        if let (Some(space), Some(name)) = (found, space_name(name)) {
            space.name = name;
            self.keep_spaces(spaces, Batch::default()).await?;
            self.tell(Event::SpacesChanged(self.spaces()));
        }
        Ok(())
    }

    /// The sessions of a workspace, those of sub-agents too.
    fn sessions_in(&self, id: &str) -> Vec<Session> {
        let sessions = self.0.sessions.borrow();
        let of_space = sessions.values().filter(|session| session.workspace == id);
        of_space.cloned().collect()
    }

    /// Whether a run of the workspace is open.
    pub(super) fn runs_in(&self, id: &str) -> bool {
        let is_running = |session: &Session| self.0.running.borrow().contains_key(&session.id);
        self.sessions_in(id).iter().any(is_running)
    }

    /// Whether a run of the workspace is open, or files come in or go out anywhere.
    fn works_in(&self, id: &str) -> bool {
        self.runs_in(id) || self.is_transferring()
    }

    async fn count_space(&self, id: &str) -> Result<(), StoreError> {
        let view = self.view(id).await?;
        let is_file = |node: &&Node| matches!(node, Node::File { .. });
        let files = view.0.workspace.nodes().values().filter(is_file).count();
        let sessions = self.sessions_in(id);
        let own = sessions.iter().filter(|session| session.parent.is_none());
        self.tell(Event::SpaceCounted(SpaceCounts {
            id: id.to_owned(),
            files,
            sessions: own.count(),
            at_work: self.works_in(id),
        }));
        Ok(())
    }

    /// Deletes a workspace with its files and sessions, in one batch: whatever comes between
    /// leaves all of it or nothing.
    async fn delete_space(&self, id: &str) -> Result<(), StoreError> {
        let mut spaces = self.spaces();
        if !spaces.has(id) || spaces.all.len() == 1 {
            return Ok(());
        }
        // Nothing is noted of a link's files once their rows are gone.
        let linked = self.view(id).await?;
        let _hush = linked.hush_link().await;
        let sessions = self.sessions_in(id);
        let rows = self.rows_of(id, &sessions).await?;
        spaces.all.retain(|space| space.id != id);
        let was_open = spaces.open == id;
        if was_open {
            spaces.open.clone_from(&spaces.all[0].id);
        }
        let next = self.view(&spaces.open).await?;
        if self.works_in(id) {
            return self.count_space(id).await;
        }
        self.keep_spaces(spaces, rows).await?;
        let gone = self.0.views.borrow_mut().remove(id);
        if let Some(gone) = gone {
            gone.forget_disk().await;
        }
        for session in sessions {
            self.0.sessions.borrow_mut().remove(&session.id);
            self.0.trays.borrow_mut().remove(&session.id);
        }
        match was_open {
            true => {
                next.tell_opened();
                next.take_up().await;
            }
            false => self.tell(Event::SpacesChanged(self.spaces())),
        }
        Ok(())
    }

    /// Removes all rows of a workspace and of its sessions, if no file of it changes meanwhile.
    async fn rows_of(&self, id: &str, sessions: &[Session]) -> Result<Batch, StoreError> {
        let mut changes = Vec::new();
        let key = |name: &str| Key::new([name.into()]);
        let view = self.view(id).await?;
        changes.extend(view.link_gone().await?);
        let state = self.store().get(Table::Workspaces, key(id)).await?;
        let next = Key::new([id.into(), (view.0.workspace.generation() + 1).into()]);
        changes.extend(view.0.workspace.removal().await?);
        for session in sessions {
            for table in session::TABLES {
                let keys = self.store().keys(table, key(&session.id)).await?;
                changes.extend(keys.into_iter().map(|key| Change::Delete(table, key)));
            }
            changes.push(Change::Delete(Table::Sessions, key(&session.id)));
        }
        let mut batch = Batch::of(changes);
        batch.require.push((Table::Workspaces, key(id), state));
        batch.require.push((Table::Changes, next, None));
        Ok(batch)
    }

    /// Takes in the list as another tab has left it.
    pub(super) async fn catch_up_with_spaces(&self) -> Result<(), StoreError> {
        let mut spaces = Spaces::load(self.store()).await?;
        let known = self.spaces();
        if spaces.has(&known.open) {
            spaces.open = known.open;
            if spaces.all != known.all {
                self.0.spaces.replace(spaces.clone());
                self.tell(Event::SpacesChanged(spaces));
            }
            return Ok(());
        }
        let view = self.view(&spaces.open).await?;
        view.0.workspace.follow().await?;
        self.0.views.borrow_mut().remove(&known.open);
        self.0.spaces.replace(spaces);
        view.tell_opened();
        Ok(())
    }
}
