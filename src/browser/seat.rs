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
use crate::kernel::store::StoreError;
use crate::kernel::store::memory::MemoryStore;
use crate::kernel::tabs::{Channel, ClaimedStore, Hint, Way, come_to};
use crate::protocol::{Access, Command, Event, Notice, Storage};

/// The database's name.
pub(super) const DATABASE: &str = "tabloop";
/// Held by the one kernel that may write.
const WRITER_LOCK: &str = "tabloop-writer";
/// How long the lock of a tab that just closed may take to come free.
const LOCK_PATIENCE: Duration = Duration::from_millis(800);

/// Pauses between attempts where the store fails: each twice the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

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
    /// Whether the claim is being taken.
    takes: Cell<bool>,
    /// Counts the locks that were held: that an earlier one was stolen says nothing.
    locks: Cell<u32>,
    /// Whether there has been a kernel over the database.
    has_begun: Cell<bool>,
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
            takes: Cell::default(),
            locks: Cell::default(),
            has_begun: Cell::default(),
            alone: Cell::default(),
            shown: RefCell::default(),
            sealed: RefCell::default(),
        })
    }

    /// The kernel, once there is one.
    pub(super) fn kernel(&self) -> Option<Kernel> {
        self.kernel.borrow().clone()
    }

    /// Carries out a command of the page, which showed the workspace `from`.
    pub(super) fn handle(self: &Rc<Self>, from: Option<String>, command: Command) {
        if matches!(command, Command::TakeOver) {
            return spawn_local(Rc::clone(self).take_over());
        }
        if let Some(kernel) = self.kernel() {
            let work = kernel.handle_from(from.as_deref(), command);
            self.drive(work);
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

    /// Takes the place of whoever writes, if it can: else nothing changes for anyone.
    async fn take_over(self: Rc<Self>) {
        if self.writes.get() || self.takes.replace(true) {
            return;
        }
        let turn = self.turn.get();
        if self.may_take(turn).await {
            self.steal().await;
        }
        self.takes.set(false);
    }

    /// Whether the store would take the claim; tells why not.
    async fn may_take(self: &Rc<Self>, turn: u32) -> bool {
        let Some(kernel) = self.kernel() else {
            return false;
        };
        let could = kernel.could_write().await;
        if self.turn.get() != turn {
            return false;
        }
        could.map_err(|error| self.not_taken(&error, turn)).is_ok()
    }

    async fn steal(self: &Rc<Self>) {
        if let Some(mut lock) = locks::take_for_life(WRITER_LOCK, Ask::Steal) {
            if (&mut lock.granted).await.is_err() {
                return;
            }
            self.watch(lock);
        }
        self.sit(Way::Takes).await;
    }

    /// Tells that this tab does not write though it was to.
    fn not_taken(self: &Rc<Self>, error: &StoreError, turn: u32) {
        let reason = match error {
            StoreError::Full => String::new(),
            error => error.to_string(),
        };
        self.outlet_of(turn)(Event::Notice(Notice::NotTakenOver(reason)));
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
        let number = self.locks.get() + 1;
        self.locks.set(number);
        spawn_local(async move {
            lock.stolen().await;
            if seat.locks.get() == number {
                seat.give_way();
            }
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
        let (mut way, mut pause) = (way, FIRST_PAUSE);
        while !self.alone.get() {
            let turn = self.end_kernel(way);
            let Err(error) = self.start(way, turn).await else {
                return;
            };
            if self.turn.get() != turn {
                return;
            }
            if !self.has_begun.get() {
                return self.sit_alone(&error, turn).await;
            }
            // What is kept is not given up for an empty workspace: it is there again once
            // the store answers.
            self.not_taken(&error, turn);
            BrowserClock.sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            if self.turn.get() != turn {
                return;
            }
            // Another may have had the claim meanwhile: it is nothing to be inherited any more.
            if way == Way::Inherits {
                way = Way::Takes;
            }
        }
    }

    /// Ends the kernel with all it is at; gives the number of the next one.
    fn end_kernel(&self, way: Way) -> u32 {
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
        self.writes.set(!matches!(way, Way::Follows(_)));
        turn
    }

    /// Nothing can be kept: at least there is something to work with.
    async fn sit_alone(self: &Rc<Self>, error: &StoreError, turn: u32) {
        self.alone.set(true);
        let store = Rc::new(MemoryStore::default());
        let vault = BrowserVault { database: None };
        let kind = (Storage::Memory(error.to_string()), Access::Writer);
        let platform = platform(store, kind, vault, Rc::new(NoDisks));
        if let Ok(kernel) = Kernel::start(platform, None, self.outlet_of(turn)).await {
            self.put(kernel, turn);
        }
    }

    /// Starts a kernel, unless it is overtaken by another start: then it ends quietly,
    /// wherever it is.
    async fn start(self: &Rc<Self>, way: Way, turn: u32) -> Result<(), StoreError> {
        let on_lost = {
            let seat = Rc::clone(self);
            Rc::new(move || {
                if seat.turn.get() == turn {
                    seat.give_way();
                }
            })
        };
        let channel = Rc::clone(&self.channel);
        let open = async { IndexedDb::open(DATABASE).await.map(Rc::new) };
        let is_wanted = || self.turn.get() == turn;
        let Some(place) = come_to(way, open, channel, on_lost, is_wanted).await? else {
            return Ok(());
        };
        self.writes.set(place.access == Access::Writer);
        if let Some(claimed) = &place.claimed {
            self.keep_claim(claimed);
        }
        let vault = BrowserVault {
            database: Some(Rc::clone(&place.database)),
        };
        let disks = Rc::new(Folders(Rc::clone(&place.database)));
        let kind = (Storage::Browser, place.access);
        let platform = platform(place.store(), kind, vault, disks);
        let sealed = self.sealed.borrow().clone();
        let shown = self.shown.borrow().clone();
        let kernel = Kernel::start_at(platform, sealed, self.outlet_of(turn), shown).await?;
        if !self.put(kernel.clone(), turn) {
            return Ok(());
        }
        self.has_begun.set(true);
        if let Some(error) = &place.refused {
            self.not_taken(error, turn);
            spawn_local(Rc::clone(self).try_again(turn));
        }
        let channel = Rc::clone(&self.channel);
        self.drive(Box::pin(async move {
            rest::arrival().await;
            match place.access {
                Access::Writer => {
                    both(kernel.tidy(), kernel.resume_waiting()).await;
                }
                _ => kernel.follow(&*channel).await,
            }
        }));
        Ok(())
    }

    /// Saves through it from now on, and hears when another takes it.
    fn keep_claim(&self, claimed: &Rc<ClaimedStore>) {
        self.claimed.replace(Some(Rc::clone(claimed)));
        let of_listener = Rc::downgrade(claimed);
        self.channel.listen(Rc::new(move |hints| {
            if hints.contains(&Hint::TakenOver)
                && let Some(claimed) = of_listener.upgrade()
            {
                spawn_local(async move { claimed.look().await });
            }
        }));
    }

    /// Takes the claim as soon as that can be, since nobody else will: this tab has the lock.
    async fn try_again(self: Rc<Self>, turn: u32) {
        loop {
            BrowserClock.sleep(FIRST_PAUSE).await;
            let kernel = self.kernel().filter(|_| self.turn.get() == turn);
            let Some(kernel) = kernel else { return };
            let could = kernel.could_write().await;
            if self.turn.get() != turn {
                return;
            }
            if could.is_ok() {
                return self.sit(Way::Takes).await;
            }
        }
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
