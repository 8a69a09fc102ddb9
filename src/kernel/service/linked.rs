//! A folder of the device that is kept the same as one of the workspace: when that is seen
//! to, and what the page is told of it. What is done to files is in [`carry`].

mod carry;

use std::cell::RefCell;

use futures::lock::Mutex;

use self::carry::{Carrier, Left};
use super::Kernel;
use crate::kernel::link::look::Broken;
use crate::kernel::link::{DiskError, Link};
use crate::kernel::store::{Batch, Change, StoreError};
use crate::kernel::workspace::{WorkspaceError, WorkspacePath};
use crate::protocol::{Event, LinkCommand, LinkState, LinkView, Settling};

/// How often both sides are compared anew when they change meanwhile.
const TRIES: usize = 4;

/// The link of a workspace.
#[derive(Default)]
pub(super) struct Linked {
    link: RefCell<Option<Link>>,
    turn: Mutex<()>,
    left: RefCell<Left>,
}

impl Kernel {
    /// Takes up the link that was there before.
    pub(super) async fn open_link(&self) {
        // Without it the rest works as ever.
        if let Ok(Some(link)) = Link::load(self.store(), self.0.workspace.id()).await {
            self.0.linked.link.replace(Some(link));
            self.sync_link(None).await;
        }
    }

    pub(super) async fn link_command(&self, command: LinkCommand) {
        match command {
            LinkCommand::Begin { id, name, folder } => self.link_folder(id, name, &folder).await,
            LinkCommand::End => self.unlink().await,
            LinkCommand::Sync => self.sync_link(None).await,
            LinkCommand::Settle(settling) => self.sync_link(Some(settling)).await,
        }
    }

    /// Links a folder of the workspace with one of the device; another link ends.
    async fn link_folder(&self, id: String, name: String, folder: &str) {
        let Ok(folder) = WorkspacePath::parse(folder) else {
            return;
        };
        if self.0.linked.link.borrow().is_some() {
            self.unlink().await;
        }
        let folder = folder.as_str().to_owned();
        let link = Link {
            workspace: self.0.workspace.id().to_owned(),
            id,
            name,
            folder,
        };
        let put = Batch::of(vec![link.put()]).strict();
        if let Err(error) = self.store().apply(put).await {
            self.0.platform.disks.forget(&link.id).await;
            return self.not_saved(error);
        }
        self.0.linked.link.replace(Some(link));
        self.sync_link(None).await;
    }

    /// Ends the link; both sides stay as they are.
    async fn unlink(&self) {
        let _turn = self.0.linked.turn.lock().await;
        let Some(link) = self.0.linked.link.borrow().clone() else {
            return;
        };
        let gone = async {
            let changes = link.forget(self.store()).await?;
            self.store().apply(Batch::of(changes).strict()).await
        };
        if let Err(error) = gone.await {
            return self.not_saved(error);
        }
        self.0.linked.link.take();
        self.0.linked.left.take();
        self.0.platform.disks.forget(&link.id).await;
        if self.0.is_shown() {
            self.tell(Event::Linked(None));
        }
    }

    /// The changes that forget the link along with its workspace.
    pub(super) async fn link_gone(&self) -> Result<Vec<Change>, StoreError> {
        let link = Link::load(self.store(), self.0.workspace.id()).await?;
        self.0.linked.link.replace(link.clone());
        match link {
            Some(link) => link.forget(self.store()).await,
            None => Ok(Vec::new()),
        }
    }

    /// Gives up the other side of the link, once its workspace is gone.
    pub(super) async fn forget_disk(&self) {
        let link = self.0.linked.link.take();
        if let Some(link) = link {
            self.0.platform.disks.forget(&link.id).await;
        }
    }

    /// Makes both sides the same, but for what the user must settle, and settles what the
    /// user has.
    pub(super) async fn sync_link(&self, settling: Option<Settling>) {
        if !self.may_write() {
            return;
        }
        let _turn = self.0.linked.turn.lock().await;
        let Some(link) = self.0.linked.link.borrow().clone() else {
            return;
        };
        self.tell_link(&link, LinkState::Syncing { done: 0, all: 0 });
        let state = match self.carry_all(&link, settling.as_ref()).await {
            Ok(()) => LinkState::InSync,
            Err(broken) => state_of(broken),
        };
        self.tell_link(&link, state);
    }

    async fn carry_all(&self, link: &Link, settling: Option<&Settling>) -> Result<(), Broken> {
        let disk = self.0.platform.disks.open(&link.id).await;
        let disk = disk.ok_or(DiskError::Gone)?;
        if !disk.may().await {
            return Err(DiskError::Denied.into());
        }
        for _ in 0..TRIES {
            let mut carrier = Carrier::new(self, link, &disk);
            let done = carrier.carry(settling).await;
            let is_settled = !carrier.again;
            self.0.linked.left.replace(carrier.left);
            done?;
            if is_settled {
                return Ok(());
            }
        }
        let busy = "files kept changing meanwhile";
        Err(DiskError::Other(busy.into()).into())
    }

    fn tell_link(&self, link: &Link, state: LinkState) {
        if !self.0.is_shown() {
            return;
        }
        let left = self.0.linked.left.borrow().clone();
        let link = link.clone();
        self.tell(Event::Linked(Some(Box::new(LinkView {
            id: link.id,
            name: link.name,
            folder: link.folder,
            state,
            conflicts: left.conflicts,
            gone_here: left.gone_here,
            gone_there: left.gone_there,
            blocked: left.blocked,
        }))));
    }
}

fn state_of(broken: Broken) -> LinkState {
    match broken {
        Broken::Disk(DiskError::Denied) => LinkState::Asks,
        Broken::Disk(DiskError::Gone) => LinkState::Gone,
        Broken::Disk(DiskError::Full) => LinkState::DiskFull,
        Broken::Disk(DiskError::Refused) => LinkState::Failed(String::new()),
        Broken::Disk(DiskError::Other(reason)) => LinkState::Failed(reason),
        Broken::Workspace(WorkspaceError::Store(StoreError::Full)) => LinkState::StoreFull,
        Broken::Workspace(error) => LinkState::Failed(error.to_string()),
    }
}
