//! The kernel of this worker, and whether it may write. One tab of the browser does; the
//! others follow it. A tab becomes the writer when the one before it has ended, or when its
//! user has it take over; the other one then drops all it is at, as if it had been killed,
//! and follows. Each change begins with a new kernel over what stands in the store.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{Either, LocalBoxFuture, join as both, select};
use wasm_bindgen_futures::spawn_local;

use super::channel::BrowserChannel;
use super::clock::BrowserClock;
use super::folders::Folders;
use super::indexed_db::IndexedDb;
use super::locks::{self, Ask, Lock};
use super::rest;
use super::vault::BrowserVault;
use super::worker::{Outlet, platform};
use crate::kernel::clock::Clock;
use crate::kernel::link::NoDisks;
use crate::kernel::service::Kernel;
use crate::kernel::store::memory::MemoryStore;
use crate::kernel::store::{Store, StoreError};
use crate::kernel::tabs::{Channel, ClaimedStore, Hint};
use crate::protocol::{Access, Command, Event, Storage};

/// The database's name.
pub(super) const DATABASE: &str = "tabloop";
/// Held by the one kernel that may write.
const WRITER_LOCK: &str = "tabloop-writer";
/// How long the lock of a tab that just closed may take to come free.
const LOCK_PATIENCE: Duration = Duration::from_millis(800);

/// How a kernel comes to its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It writes, since whoever did has ended.
    Inherits,
    /// It writes, whoever did.
    Takes,
    /// It follows.
    Follows(Access),
}

/// See the module.
pub(super) struct Seat {
    outlet: Rc<Outlet>,
    channel: Rc<BrowserChannel>,
    kernel: RefCell<Option<Kernel>>,
    /// What the kernel saves through, if it may.
    claimed: RefCell<Option<Rc<ClaimedStore>>>,
    /// Dropping one ends a piece of the kernel's work.
    ends: RefCell<Vec<oneshot::Sender<()>>>,
    /// Counts the kernels: what an earlier one still says is not heard.
    turn: Cell<u32>,
    /// Whether the kernel may write.
    writes: Cell<bool>,
    /// Whether the lock is asked for in turn, and not granted yet.
    queues: Cell<bool>,
    /// Whether nothing is shared with other tabs, since the browser keeps nothing.
    alone: Cell<bool>,
    /// The workspace that the page shows.
    shown: RefCell<Option<String>>,
    /// The keys as the page keeps them.
    sealed: RefCell<Option<Vec<u8>>>,
}

impl Seat {
    pub(super) fn new(outlet: Rc<Outlet>) -> Rc<Self> {
        Rc::new(Self {
            outlet,
            channel: Rc::new(BrowserChannel::open()),
            kernel: RefCell::default(),
            claimed: RefCell::default(),
            ends: RefCell::default(),
            turn: Cell::default(),
            writes: Cell::default(),
            queues: Cell::default(),
            alone: Cell::default(),
            shown: RefCell::default(),
            sealed: RefCell::default(),
        })
    }

    /// The kernel, once there is one.
    pub(super) fn kernel(&self) -> Option<Kernel> {
        self.kernel.borrow().clone()
    }

    /// Carries out a command.
    pub(super) fn handle(self: &Rc<Self>, command: Command) {
        if matches!(command, Command::TakeOver) {
            return spawn_local(Rc::clone(self).take_over());
        }
        if let Some(kernel) = self.kernel() {
            self.drive(Box::pin(async move { kernel.handle(command).await }));
        }
    }

    /// Starts the first kernel. The page kept `sealed` for it.
    pub(super) async fn begin(self: Rc<Self>, sealed: Option<Vec<u8>>) {
        self.sealed.replace(sealed);
        let Some(mut lock) = locks::take_for_life(WRITER_LOCK, Ask::InTurn) else {
            // Without locks nobody knows whether another tab lives: the last one writes.
            return self.sit(Way::Takes).await;
        };
        let patience = BrowserClock.sleep(LOCK_PATIENCE);
        let is_free = matches!(select(&mut lock.granted, patience).await, Either::Left(_));
        if is_free {
            self.watch(lock);
            return self.sit(Way::Inherits).await;
        }
        self.await_turn(lock);
        self.sit(Way::Follows(Access::Reader)).await;
    }

    /// Takes the place of whoever writes.
    async fn take_over(self: Rc<Self>) {
        if self.writes.get() {
            return;
        }
        if let Some(mut lock) = locks::take_for_life(WRITER_LOCK, Ask::Steal) {
            if (&mut lock.granted).await.is_err() {
                return;
            }
            self.watch(lock);
        }
        self.sit(Way::Takes).await;
    }

    /// Becomes the writer once the lock is granted, since whoever wrote has ended.
    fn await_turn(self: &Rc<Self>, mut lock: Lock) {
        let seat = Rc::clone(self);
        self.queues.set(true);
        spawn_local(async move {
            let granted = (&mut lock.granted).await;
            seat.queues.set(false);
            if granted.is_ok() {
                seat.watch(lock);
                seat.sit(Way::Inherits).await;
            }
        });
    }

    /// Gives way once the lock is stolen.
    fn watch(self: &Rc<Self>, lock: Lock) {
        let seat = Rc::clone(self);
        spawn_local(async move {
            lock.stolen().await;
            seat.give_way();
        });
    }

    /// Another tab has taken over: this one follows from now on.
    fn give_way(self: &Rc<Self>) {
        if !self.writes.replace(false) {
            return;
        }
        if !self.queues.get()
            && let Some(lock) = locks::take_for_life(WRITER_LOCK, Ask::InTurn)
        {
            self.await_turn(lock);
        }
        let seat = Rc::clone(self);
        spawn_local(async move { seat.sit(Way::Follows(Access::Former)).await });
    }

    /// Ends the kernel with all it is at, and starts another.
    async fn sit(self: &Rc<Self>, way: Way) {
        if self.alone.get() {
            return;
        }
        let turn = self.turn.get() + 1;
        self.turn.set(turn);
        self.ends.take();
        if let Some(claimed) = self.claimed.take() {
            claimed.let_go();
        }
        if let Some(kernel) = self.kernel.take() {
            self.shown.replace(Some(kernel.shown_workspace()));
            kernel.retire();
        }
        let writes = !matches!(way, Way::Follows(_));
        self.writes.set(writes);
        let started = self.start(way, turn).await;
        let reason = match started {
            Ok(()) => return,
            Err(error) => error.to_string(),
        };
        if self.turn.get() != turn || self.writes.get() != writes {
            return;
        }
        // Nothing can be kept: at least there is something to work with.
        self.alone.set(true);
        let store = Rc::new(MemoryStore::default());
        let vault = BrowserVault { database: None };
        let kind = (Storage::Memory(reason), Access::Writer);
        let platform = platform(store, kind, vault, Rc::new(NoDisks));
        if let Ok(kernel) = Kernel::start(platform, None, self.outlet_of(turn)).await {
            self.put(kernel, turn);
        }
    }

    async fn start(self: &Rc<Self>, way: Way, turn: u32) -> Result<(), StoreError> {
        let database = Rc::new(IndexedDb::open(DATABASE).await?);
        let vault = BrowserVault {
            database: Some(Rc::clone(&database)),
        };
        let disks = Rc::new(Folders(Rc::clone(&database)));
        let store = self.store(database, way, turn).await?;
        let access = match way {
            Way::Inherits | Way::Takes => Access::Writer,
            Way::Follows(access) => access,
        };
        let platform = platform(store, (Storage::Browser, access), vault, disks);
        let sealed = self.sealed.borrow().clone();
        let shown = self.shown.borrow().clone();
        let kernel = Kernel::start_at(platform, sealed, self.outlet_of(turn), shown).await?;
        if !self.put(kernel.clone(), turn) {
            return Ok(());
        }
        let channel = Rc::clone(&self.channel);
        self.drive(Box::pin(async move {
            rest::arrival().await;
            match way {
                Way::Follows(_) => kernel.follow(&*channel).await,
                Way::Inherits | Way::Takes => {
                    both(kernel.tidy(), kernel.resume_waiting()).await;
                }
            }
        }));
        Ok(())
    }

    /// The store as the kernel shall see it.
    async fn store(
        self: &Rc<Self>,
        database: Rc<IndexedDb>,
        way: Way,
        turn: u32,
    ) -> Result<Rc<dyn Store>, StoreError> {
        let channel = Rc::clone(&self.channel);
        let on_lost = {
            let seat = Rc::clone(self);
            Rc::new(move || {
                if seat.turn.get() == turn {
                    seat.give_way();
                }
            })
        };
        let claimed = match way {
            Way::Follows(_) => return Ok(database),
            Way::Inherits => ClaimedStore::inherit(database, channel, on_lost).await?,
            Way::Takes => ClaimedStore::take(database, channel, on_lost).await?,
        };
        if self.turn.get() == turn {
            self.claimed.replace(Some(Rc::clone(&claimed)));
            let of_listener = Rc::downgrade(&claimed);
            self.channel.listen(Rc::new(move |hints| {
                if hints.contains(&Hint::TakenOver)
                    && let Some(claimed) = of_listener.upgrade()
                {
                    spawn_local(async move { claimed.look().await });
                }
            }));
        }
        Ok(claimed)
    }

    /// Makes it the kernel of this worker, unless another is on its way by now.
    fn put(&self, kernel: Kernel, turn: u32) -> bool {
        let is_wanted = self.turn.get() == turn;
        if is_wanted {
            self.kernel.replace(Some(kernel));
        }
        is_wanted
    }

    fn outlet_of(self: &Rc<Self>, turn: u32) -> Rc<dyn Fn(Event)> {
        let seat = Rc::clone(self);
        Rc::new(move |event| {
            if seat.turn.get() != turn {
                return;
            }
            if let Event::KeySealed(sealed) = &event {
                seat.sealed.replace(sealed.clone());
            }
            seat.outlet.push(event);
        })
    }

    /// Drives a piece of the kernel's work until it is done or the kernel has to go.
    fn drive(&self, work: LocalBoxFuture<'static, ()>) {
        let (end, ended) = oneshot::channel();
        let mut ends = self.ends.borrow_mut();
        ends.retain(|end: &oneshot::Sender<()>| !end.is_canceled());
        ends.push(end);
        spawn_local(async move {
            // The end is looked for first: then not one more step is taken.
            select(ended, pin!(work)).await;
        });
    }
}
