//! A folder of the device that is kept the same as one of the workspace: when that is seen
//! to, and what the page is told of it. What is done to files is in [`carry`].

mod carry;
pub(super) mod root;

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;

use futures::lock::{Mutex, MutexGuard};

use self::carry::{Carrier, Left};
use super::Kernel;
use crate::kernel::cancel::CancelToken;
use crate::kernel::link::guard::GuardedDisk;
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
    /// Stops the comparison that goes on.
    stop: RefCell<CancelToken>,
    /// Counts the stops: what waited for its turn at one of them is not begun.
    stops: Cell<u64>,
    /// Whether the disk gave no answer the last time.
    is_silent: Cell<bool>,
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
            LinkCommand::Stop => self.stop_link(),
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
        let _turn = self.hush_link().await;
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

    /// Stops making both sides the same: what goes on, and what waits for its turn.
    fn stop_link(&self) {
        let linked = &self.0.linked;
        linked.stops.set(linked.stops.get() + 1);
        linked.stop.borrow().cancel();
    }

    /// Stops it, and has nothing be carried over for as long as what is given is held.
    pub(super) async fn hush_link(&self) -> MutexGuard<'_, ()> {
        self.stop_link();
        self.0.linked.turn.lock().await
    }

    /// Makes both sides the same, but for what the user must settle, and settles what the
    /// user has.
    pub(super) async fn sync_link(&self, settling: Option<Settling>) {
        self.sync_under(settling, CancelToken::default()).await;
    }

    /// The same, before a run, which the user may stop meanwhile. A disk that gave no answer
    /// the last time holds up no run.
    pub(super) async fn sync_before_run(&self, run: &CancelToken) {
        if self.0.linked.is_silent.get() {
            return;
        }
        let token = CancelToken::default();
        let mut work = pin!(self.sync_under(None, token.clone()));
        if run.guard(work.as_mut()).await.is_err() {
            token.cancel();
            work.await;
        }
    }

    async fn sync_under(&self, settling: Option<Settling>, token: CancelToken) {
        if !self.may_write() {
            return;
        }
        let linked = &self.0.linked;
        let stops = linked.stops.get();
        let Ok(_turn) = token.guard(linked.turn.lock()).await else {
            return;
        };
        let link = linked.link.borrow().clone();
        let Some(link) = link.filter(|_| linked.stops.get() == stops) else {
            return;
        };
        linked.stop.replace(token.clone());
        self.tell_link(&link, LinkState::Syncing { done: 0, all: 0 });
        let state = match self.carry_all(&link.id, settling.as_ref(), token).await {
            Ok(()) => LinkState::InSync,
            Err(broken) => state_of(broken),
        };
        linked.is_silent.set(matches!(state, LinkState::Silent(_)));
        // Its folder may have been found in another place.
        let link = linked.link.borrow().clone().unwrap_or(link);
        self.tell_link(&link, state);
    }

    async fn carry_all(
        &self,
        id: &str,
        settling: Option<&Settling>,
        token: CancelToken,
    ) -> Result<(), Broken> {
        let platform = &self.0.platform;
        let disk = token.guard(platform.disks.open(id)).await;
        let disk = disk
            .map_err(|_| DiskError::Stopped)?
            .ok_or(DiskError::Gone)?;
        let (clock, store) = (Rc::clone(&platform.clock), Rc::clone(&platform.store));
        let disk = GuardedDisk::new(disk, clock, store, token);
        if !disk.may().await? {
            return Err(DiskError::Denied.into());
        }
        for _ in 0..TRIES {
            let Some(link) = self.0.linked.link.borrow().clone() else {
                return Ok(());
            };
            let link = match self.follow_root(link, settling).await {
                Err(Broken::Missing) => {
                    self.0.linked.left.take();
                    return Err(Broken::Missing);
                }
                link => link?,
            };
            let mut carrier = Carrier::new(self, &link, &disk);
            let done = carrier.carry(settling).await;
            let is_settled = !carrier.again;
            self.0.linked.left.replace(carrier.left);
            done?;
            if is_settled {
                return Ok(());
            }
        }
        Err(Broken::Busy)
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
            is_emptied: left.is_emptied,
        }))));
    }
}

fn state_of(broken: Broken) -> LinkState {
    match broken {
        // A folder that takes nothing any more is one whose leave was taken away.
        Broken::Disk(DiskError::Denied | DiskError::Refused) => LinkState::Asks,
        Broken::Disk(DiskError::Gone | DiskError::Kind) => LinkState::Gone,
        Broken::Disk(DiskError::Full) => LinkState::DiskFull,
        Broken::Disk(DiskError::Silent(at)) => LinkState::Silent(at),
        Broken::Disk(DiskError::Stopped) => LinkState::Stopped,
        Broken::Disk(DiskError::Claim(error)) => LinkState::Failed(error.to_string()),
        Broken::Disk(DiskError::Other(reason)) => LinkState::Failed(reason),
        Broken::Missing => LinkState::Missing,
        Broken::Busy => LinkState::Busy,
        Broken::Workspace(WorkspaceError::Store(StoreError::Full)) => LinkState::StoreFull,
        Broken::Workspace(error) => LinkState::Failed(error.to_string()),
    }
}
