//! What the native tests share: a scripted model, a kernel over a store in
//! memory, and the check that runs over every request any test sends.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod archives;
pub mod endpoint;
pub mod frame;
pub mod host;
pub mod invariants;
pub mod tools;

use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, Wake, Waker};

use futures::future::LocalBoxFuture;
use tabloop::kernel::clock::{ManualClock, SeededRandom};
use tabloop::kernel::event::{AgentEvent, Question, Reply, StopReason};
use tabloop::kernel::link::Disks;
use tabloop::kernel::service::{Kernel, Platform};
use tabloop::kernel::session::{Entry, Mode, Record, Session};
use tabloop::kernel::settings::{LimitSettings, ProfileDraft};
use tabloop::kernel::shrink::Shrunk;
use tabloop::kernel::stage::Stage;
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::store::{Store, StoreError};
use tabloop::kernel::tool::ToolRegistry;
use tabloop::kernel::tool::preview::Preview;
use tabloop::kernel::tool::run_js::RunJs;
use tabloop::kernel::vault::memory::MemoryVault;
use tabloop::protocol::{Access, Command, Event, FileView, SettingsView, Storage};
use unicode_normalization::UnicodeNormalization;

use self::endpoint::ScriptedEndpoint;

pub const BASE_URL: &str = "https://model.example/v1";
pub const KEY: &str = "sk-test-7f3a";

/// Runs `future` to its end. Whenever nothing moves any more, time goes on to the next
/// moment that somebody waits for.
pub fn run_on<T>(clock: &ManualClock, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = settle_on(future.as_mut()) {
            return value;
        }
        assert!(
            clock.advance_to_next(),
            "nothing moves and nobody waits for a time"
        );
    }
}

/// Polls `future` for as long as it moves without time going on.
pub fn settle_on<T>(mut future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    loop {
        woken.0.store(false, Relaxed);
        let polled = future.as_mut().poll(&mut context);
        if polled.is_ready() || !woken.0.load(Relaxed) {
            return polled;
        }
    }
}

/// Polls `future` once; tells also whether it would move again by itself.
pub fn poll_on<T>(future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> (Poll<T>, bool) {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let polled = future.poll(&mut Context::from_waker(&waker));
    (polled, woken.0.load(Relaxed))
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Relaxed);
    }
}

/// For what waits for no time.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    run_on(&ManualClock::default(), future)
}

/// A task as most tests send it.
pub fn task(session: Option<String>, text: &str) -> Command {
    Command::Send {
        session,
        text: text.into(),
        mode: Mode::Act,
        rounds: None,
    }
}

/// An endpoint as it is typed into the form.
pub fn draft(base_url: &str, key: &str, model: &str) -> ProfileDraft {
    ProfileDraft {
        base_url: base_url.into(),
        key: Some(key.into()),
        model: model.into(),
        ..ProfileDraft::default()
    }
}

/// A kernel, everything it told, and the endpoint it talks to.
pub struct World {
    pub kernel: Kernel,
    pub store: Rc<MemoryStore>,
    pub endpoint: Rc<ScriptedEndpoint>,
    pub events: Rc<RefCell<Vec<Event>>>,
    pub clock: ManualClock,
}

impl Drop for World {
    /// A kernel and what it holds for each workspace keep each other alive.
    fn drop(&mut self) {
        self.kernel.retire();
    }
}

impl World {
    /// A fresh kernel, connected to an endpoint that gives `replies` in turn.
    pub fn new(replies: Vec<endpoint::Reply>) -> Self {
        let world = Self::over(Rc::new(MemoryStore::default()), replies, Access::Writer);
        world.connect();
        world
    }

    /// A kernel over what another one left in `store`.
    pub fn over(store: Rc<MemoryStore>, replies: Vec<endpoint::Reply>, access: Access) -> Self {
        Self::with_tools(store, replies, access, ToolRegistry::standard())
    }

    /// The same, with tools of the test's own.
    pub fn with_tools(
        store: Rc<MemoryStore>,
        replies: Vec<endpoint::Reply>,
        access: Access,
        tools: ToolRegistry,
    ) -> Self {
        let endpoint = Rc::new(ScriptedEndpoint::new(replies));
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let clock = ManualClock::at(1_000);
        let kernel = block_on(start(
            Rc::clone(&store),
            Rc::clone(&endpoint),
            Rc::clone(&events),
            clock.clone(),
            (access, tools),
        ))
        .unwrap();
        Self {
            kernel,
            store,
            endpoint,
            events,
            clock,
        }
    }

    /// The kernel of one of several tabs, which sees `store` through `seen`.
    pub fn beside(
        store: Rc<MemoryStore>,
        seen: Rc<dyn Store>,
        replies: Vec<endpoint::Reply>,
        access: Access,
    ) -> Self {
        let endpoint = Rc::new(ScriptedEndpoint::new(replies));
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let clock = ManualClock::at(1_000);
        let tools = ToolRegistry::standard();
        let platform = platform(seen, Rc::clone(&endpoint), clock.clone(), access, tools);
        let started = Kernel::start(platform, sealed_in_page(), page(Rc::clone(&events)));
        Self {
            kernel: block_on(started).unwrap(),
            store,
            endpoint,
            events,
            clock,
        }
    }

    /// A kernel of a tab whose page shows this workspace already.
    pub fn at(store: Rc<MemoryStore>, access: Access, shown: &str) -> Self {
        let endpoint = Rc::new(ScriptedEndpoint::new(Vec::new()));
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let clock = ManualClock::at(1_000);
        let tools = ToolRegistry::standard();
        let seen = Rc::clone(&store) as Rc<dyn Store>;
        let platform = platform(seen, Rc::clone(&endpoint), clock.clone(), access, tools);
        let outlet = page(Rc::clone(&events));
        let started = Kernel::start_at(platform, sealed_in_page(), outlet, Some(shown.into()));
        Self {
            kernel: block_on(started).unwrap(),
            store,
            endpoint,
            events,
            clock,
        }
    }

    /// A connected kernel that has a place for foreign code.
    pub fn with_sandbox(replies: Vec<endpoint::Reply>) -> Self {
        let store: Rc<MemoryStore> = Rc::default();
        let endpoint = Rc::new(ScriptedEndpoint::new(replies));
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let clock = ManualClock::at(1_000);
        let stage: Rc<Stage> = Rc::default();
        let time = Rc::new(clock.clone());
        let tools = ToolRegistry::standard()
            .with(Rc::new(RunJs::new(Rc::clone(&stage), time.clone())))
            .with(Rc::new(Preview::new(Rc::clone(&stage), time)));
        let mut platform = platform(
            store.clone(),
            Rc::clone(&endpoint),
            clock.clone(),
            Access::Writer,
            tools,
        );
        platform.stage = stage;
        let started = Kernel::start(platform, None, page(Rc::clone(&events)));
        let world = Self {
            kernel: block_on(started).unwrap(),
            store,
            endpoint,
            events,
            clock,
        };
        world.connect();
        world
    }

    /// A kernel beside folders of a device, by their clock, after its start.
    pub fn beside_disks(
        store: Rc<MemoryStore>,
        replies: Vec<endpoint::Reply>,
        clock: ManualClock,
        disks: Rc<dyn Disks>,
    ) -> Self {
        let seen = Rc::clone(&store) as Rc<dyn Store>;
        Self::beside_disks_through(store, seen, replies, clock, disks)
    }

    /// The same, where the kernel sees `store` through `seen`.
    pub fn beside_disks_through(
        store: Rc<MemoryStore>,
        seen: Rc<dyn Store>,
        replies: Vec<endpoint::Reply>,
        clock: ManualClock,
        disks: Rc<dyn Disks>,
    ) -> Self {
        let endpoint = Rc::new(ScriptedEndpoint::new(replies));
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let mut platform = platform(
            seen,
            Rc::clone(&endpoint),
            clock.clone(),
            Access::Writer,
            ToolRegistry::standard(),
        );
        platform.disks = disks;
        let kernel = run_on(&clock, async {
            let started = Kernel::start(platform, None, page(Rc::clone(&events)));
            let kernel = started.await.unwrap();
            kernel.tidy().await;
            kernel
        });
        Self {
            kernel,
            store,
            endpoint,
            events,
            clock,
        }
    }

    /// A connected kernel in a browser that stores nothing.
    pub fn in_memory(replies: Vec<endpoint::Reply>) -> Self {
        let store: Rc<MemoryStore> = Rc::default();
        let endpoint = Rc::new(ScriptedEndpoint::new(replies));
        let events: Rc<RefCell<Vec<Event>>> = Rc::default();
        let clock = ManualClock::at(1_000);
        let mut platform = platform(
            store.clone(),
            Rc::clone(&endpoint),
            clock.clone(),
            Access::Writer,
            ToolRegistry::standard(),
        );
        platform.storage = Storage::Memory("a private window".into());
        let started = Kernel::start(platform, None, page(Rc::clone(&events)));
        let world = Self {
            kernel: block_on(started).unwrap(),
            store,
            endpoint,
            events,
            clock,
        };
        world.connect();
        world
    }

    pub fn connect(&self) {
        self.save(None, draft(BASE_URL, KEY, "test-model"));
    }

    /// Keeps an endpoint, which answers from then on.
    pub fn save(&self, id: Option<&str>, draft: ProfileDraft) {
        let id = id.map(str::to_owned);
        self.handle(Command::SaveProfile { id, draft });
    }

    /// The settings as the kernel told them last.
    pub fn settings(&self) -> SettingsView {
        let events = self.events.borrow();
        let told = events.iter().rev().find_map(|event| match event {
            Event::SettingsChanged(settings) | Event::VaultAnswered { settings, .. } => {
                Some(settings.clone())
            }
            Event::Ready(snapshot) => Some(snapshot.settings.clone()),
            _ => None,
        });
        told.expect("the settings are told")
    }

    /// Carries a command out to its end.
    pub fn handle(&self, command: Command) {
        run_on(&self.clock, self.kernel.handle(command));
    }

    /// Carries out a command of a page that shows the workspace `from`.
    pub fn handle_from(&self, from: &str, command: Command) {
        run_on(&self.clock, self.kernel.handle_from(Some(from), command));
    }

    /// The session as the kernel told it last.
    pub fn state(&self, id: &str) -> Session {
        let events = self.events.borrow();
        let told = events.iter().rev().find_map(|event| match event {
            Event::SessionChanged(session) if session.id == id => Some(session.clone()),
            Event::Ready(snapshot) => snapshot.sessions.iter().find(|s| s.id == id).cloned(),
            _ => None,
        });
        told.expect("the session is known")
    }

    /// Sets limits.
    pub fn limits(&self, change: impl FnOnce(&mut LimitSettings)) {
        let mut limits = LimitSettings::default();
        change(&mut limits);
        self.handle(Command::SaveLimits {
            limits,
            choice: None,
        });
    }

    /// Sends a message in a new session and gives the session's id.
    pub fn send(&self, text: &str) -> String {
        self.handle(task(None, text));
        self.session()
    }

    /// The session that was started last.
    pub fn session(&self) -> String {
        let events = self.events.borrow();
        let started = events.iter().rev().find_map(|event| match event {
            Event::SessionStarted(id) => Some(id.clone()),
            _ => None,
        });
        started.expect("a session was started")
    }

    pub fn put_file(&self, path: &str, content: impl Into<Vec<u8>>) {
        let file = tabloop::protocol::ImportedFile {
            path: path.into(),
            content: content.into(),
        };
        self.handle(Command::Import(vec![file]));
    }

    /// The text of a file, as the page would be shown it.
    pub fn file(&self, path: &str) -> Option<String> {
        self.handle(Command::OpenFile(path.into()));
        match self.events.borrow().last() {
            Some(Event::FileOpened {
                view: FileView::Text { text, .. },
                ..
            }) => Some(text.clone()),
            _ => None,
        }
    }

    /// The session's transcript, as a reload would find it.
    pub fn records(&self, session: &str) -> Vec<Record> {
        let store: &dyn Store = &*self.store;
        block_on(tabloop::kernel::session::records(store, session)).unwrap()
    }

    /// How the session's runs ended.
    pub fn reasons(&self, session: &str) -> Vec<StopReason> {
        let records = self.records(session);
        let ended = records.into_iter().filter_map(|record| match record.entry {
            Entry::Stopped(ending) => Some(ending.reason),
            _ => None,
        });
        ended.collect()
    }

    /// The texts of all results, in order.
    pub fn results(&self, session: &str) -> Vec<String> {
        let records = self.records(session);
        let results = records.into_iter().filter_map(|record| match record.entry {
            Entry::ToolResult(result) => Some(result.text),
            _ => None,
        });
        results.collect()
    }

    /// Every event of runs, in the order it was told.
    pub fn agent_events(&self) -> Vec<AgentEvent> {
        let events = self.events.borrow();
        let of_runs = events.iter().filter_map(|event| match event {
            Event::Agent { event, .. } => Some(event.clone()),
            _ => None,
        });
        of_runs.collect()
    }
}

/// A command that is being carried out.
pub struct Started {
    work: LocalBoxFuture<'static, ()>,
    clock: ManualClock,
    done: bool,
}

impl World {
    /// Begins a command and carries it out for as long as nothing is waited for.
    pub fn start(&self, command: Command) -> Started {
        let kernel = self.kernel.clone();
        let mut started = Started {
            work: Box::pin(async move { kernel.handle(command).await }),
            clock: self.clock.clone(),
            done: false,
        };
        started.settle();
        started
    }

    /// Begins to take up the runs that wait for the user.
    pub fn start_waiting(&self) -> Started {
        let kernel = self.kernel.clone();
        let mut started = Started {
            work: Box::pin(async move { kernel.resume_waiting().await }),
            clock: self.clock.clone(),
            done: false,
        };
        started.settle();
        started
    }

    /// Begins a command without carrying any of it out.
    pub fn start_slowly(&self, command: Command) -> LocalBoxFuture<'static, ()> {
        let kernel = self.kernel.clone();
        Box::pin(async move { kernel.handle(command).await })
    }

    /// Begins to take up the runs that wait for the user, without doing so.
    pub fn waiting_slowly(&self) -> LocalBoxFuture<'static, ()> {
        let kernel = self.kernel.clone();
        Box::pin(async move { kernel.resume_waiting().await })
    }

    /// The session that was started last, if one was.
    pub fn known_session(&self) -> Option<String> {
        let events = self.events.borrow();
        events.iter().rev().find_map(|event| match event {
            Event::SessionStarted(id) => Some(id.clone()),
            _ => None,
        })
    }

    /// The questions that are open, in the order they were asked, with their sessions.
    pub fn questions(&self) -> Vec<(String, Question)> {
        let mut open: Vec<(String, Question)> = Vec::new();
        for event in self.events.borrow().iter() {
            match event {
                Event::Agent {
                    session,
                    event: AgentEvent::Asked(question),
                } => open.push((session.clone(), question.clone())),
                Event::Agent {
                    session,
                    event: AgentEvent::Answered { call_id },
                } => open.retain(|(of, question)| of != session || question.call_id != *call_id),
                _ => {}
            }
        }
        open
    }

    /// Answers the first question that is open.
    pub fn answer(&self, reply: Reply) {
        let (session, question) = self.questions().remove(0);
        let call_id = question.call_id;
        self.handle(Command::Answer {
            session,
            call_id,
            reply,
        });
    }
}

impl Started {
    /// Goes on for as long as nothing is waited for; tells whether all is done.
    pub fn settle(&mut self) -> bool {
        self.done = self.done || settle_on(self.work.as_mut()).is_ready();
        self.done
    }

    /// Carries it out to its end.
    pub fn finish(self) {
        if !self.done {
            run_on(&self.clock, self.work);
        }
    }
}

/// Starts a kernel that was handed the keys.
pub async fn start(
    store: Rc<MemoryStore>,
    endpoint: Rc<ScriptedEndpoint>,
    events: Rc<RefCell<Vec<Event>>>,
    clock: ManualClock,
    (access, tools): (Access, ToolRegistry),
) -> Result<Kernel, StoreError> {
    let platform = platform(store, endpoint, clock, access, tools);
    Kernel::start(platform, sealed_in_page(), page(events)).await
}

/// Starts a kernel in a tab that never had the key.
pub async fn start_without_key(
    store: Rc<MemoryStore>,
    endpoint: Rc<ScriptedEndpoint>,
    events: Rc<RefCell<Vec<Event>>>,
) -> Result<Kernel, StoreError> {
    let clock = ManualClock::at(1_000);
    let tools = ToolRegistry::standard();
    Kernel::start(
        platform(store, endpoint, clock, Access::Writer, tools),
        None,
        page(events),
    )
    .await
}

/// Takes the kernel's events, and keeps the sealed keys as the page does.
fn page(events: Rc<RefCell<Vec<Event>>>) -> Rc<dyn Fn(Event)> {
    Rc::new(move |event| {
        if let Event::KeySealed(sealed) = &event {
            SEALED.set(sealed.clone());
        }
        events.borrow_mut().push(event);
    })
}

/// What the page keeps for the kernel over a reload.
pub fn sealed_in_page() -> Option<Vec<u8>> {
    SEALED.with_borrow(Clone::clone)
}

/// Has the page keep this.
pub fn keep_in_page(sealed: Option<Vec<u8>>) {
    SEALED.set(sealed);
}

/// Closes the tab: what the page kept is gone.
pub fn close_tab() {
    keep_in_page(None);
}

thread_local! {
    /// What the page keeps for the kernel over a reload.
    static SEALED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
    /// The browser's, which outlives kernels.
    static VAULT: Rc<MemoryVault> = Rc::default();
    static SEED: Cell<u64> = const { Cell::new(7) };
}

/// Another one for each kernel of a test: two must not give the same names.
fn next_seed() -> u64 {
    SEED.with(|seed| seed.replace(seed.get() + 1))
}

fn platform(
    store: Rc<dyn Store>,
    endpoint: Rc<ScriptedEndpoint>,
    clock: ManualClock,
    access: Access,
    tools: ToolRegistry,
) -> Platform {
    Platform {
        store,
        storage: Storage::Browser,
        access,
        clock: Rc::new(clock),
        random: Rc::new(SeededRandom::new(next_seed())),
        transport: endpoint,
        tools,
        vault: VAULT.with(Rc::clone),
        stage: Rc::default(),
        compose,
        shrink,
        disks: Rc::new(tabloop::kernel::link::NoDisks),
    }
}

/// What every image becomes that is made smaller; one that is called damaged can't be read.
pub const SHRUNK: &[u8] = b"small";

fn shrink(content: Vec<u8>, _: &str) -> LocalBoxFuture<'static, Option<Shrunk>> {
    let is_sound = !content.ends_with(b"damaged");
    let shrunk = is_sound.then(|| Shrunk {
        media_type: "image/jpeg",
        content: SHRUNK.to_vec(),
    });
    Box::pin(async move { shrunk })
}

/// A text in its composed form, as the browser gives it.
pub fn compose(text: &str) -> String {
    text.nfc().collect()
}
