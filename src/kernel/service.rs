//! The kernel as a whole: takes commands, tells events. The browser's worker
//! and the tests drive it in the same way.

mod by_id;
mod carrying;
mod checkups;
mod commands;
mod delegates;
mod desk;
mod files;
mod following;
mod forks;
mod keys;
mod linked;
mod models;
mod opening;
mod parts;
mod profiles;
mod review;
mod rewind;
mod room;
mod runs;
mod searching;
mod sessions;
mod spaces;
mod stage;
mod titles;
mod traces;
mod transfers;
mod tree;
mod vault;
mod watching;

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::lock::Mutex;

use self::by_id::ById;
use self::keys::Keys;
use self::linked::Linked;
use self::models::Lists;
use self::transfers::Transfers;
use self::vault::Vault;
use super::agent::title::Asked;
use super::approval::{self, ApprovalMode, Rule};
use super::cancel::CancelToken;
use super::clock::{Clock, Random};
use super::link::Disks;
use super::model::Transport;
use super::model::openai::Learned;
use super::session::{self, Session, SessionId};
use super::settings::{LimitSettings, ModelChoice, Problem, Settings};
use super::shrink::Shrink;
use super::spaces::Spaces;
use super::stage::Stage;
use super::store::{Batch, Store, StoreError};
use super::tabs::{Channel, could_take};
use super::tool::ToolRegistry;
use super::twins::Compose;
use super::vault::{KeyVault, SealedKeys};
use super::workspace::{Workspace, WorkspaceError};
use crate::protocol::{
    About, Access, Command, Event, Field, Notice, SettingsView, Snapshot, Storage, Waiting,
};

/// Everything the kernel needs from outside.
#[derive(Clone)]
pub struct Platform {
    /// Where things are kept.
    pub store: Rc<dyn Store>,
    /// What kind of place that is.
    pub storage: Storage,
    /// Whether this kernel may write; only one at a time may.
    pub access: Access,
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Chance.
    pub random: Rc<dyn Random>,
    /// The network.
    pub transport: Rc<dyn Transport>,
    /// What agents can do.
    pub tools: ToolRegistry,
    /// Seals keys.
    pub vault: Rc<dyn KeyVault>,
    /// Where foreign code runs.
    pub stage: Rc<Stage>,
    /// Folders of the device.
    pub disks: Rc<dyn Disks>,
    /// Tells which names are one on some systems.
    pub compose: Compose,
    /// Makes images smaller.
    pub shrink: Shrink,
}

/// The running kernel. Clones are the same one.
#[derive(Clone)]
pub struct Kernel(Rc<Inner>);

/// A kernel as it works on one workspace: what it does keeps its files, whichever workspace
/// the page shows.
struct Inner {
    workspace: Rc<Workspace>,
    linked: Linked,
    /// Whether it was looked through, and its link taken up.
    is_taken_up: Cell<bool>,
    core: Rc<Core>,
}

impl Deref for Inner {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

/// What is one for all workspaces.
struct Core {
    platform: Platform,
    outlet: Rc<dyn Fn(Event)>,
    /// The workspaces there are, and which of them the page shows.
    spaces: RefCell<Spaces>,
    /// The workspaces that were opened.
    views: RefCell<ById<Kernel>>,
    tools: Rc<ToolRegistry>,
    settings: RefCell<Settings>,
    keys: Keys,
    vault: Vault,
    learned: RefCell<ById<Rc<Learned>>>,
    /// Stops the examination of an endpoint that goes on.
    checkup: RefCell<Option<CancelToken>>,
    lists: Lists,
    transfers: Transfers,
    sessions: RefCell<ById<Session>>,
    running: RefCell<ById<CancelToken>>,
    /// Who shall answer in sessions once their open run has ended.
    wishes: RefCell<ById<ModelChoice>>,
    trays: RefCell<ById<desk::Tray>>,
    /// Titles that have come and are not saved yet.
    titles: RefCell<ById<Asked>>,
    /// Grows with every page of changes that is asked for.
    looks: Cell<u64>,
    /// Grows with every search of the sessions: the one before ends.
    searches: Cell<u64>,
    /// In a tab that only looks: the sessions that were opened, and the last record told.
    followed: RefCell<ById<Option<u64>>>,
    /// The runs that wait for an answer, as they were told last.
    waiting: RefCell<Vec<Waiting>>,
    /// Held while one is being saved: no run may begin then.
    saving_title: Mutex<()>,
    /// Held while the list of workspaces changes.
    changing_spaces: Mutex<()>,
}

impl Kernel {
    /// Reads what is stored, marks runs that a killed tab left open, and tells
    /// `Event::Ready`. Every later event goes to `outlet` too.
    ///
    /// # Errors
    /// What the store says; the page then may start the kernel over a store in memory.
    pub async fn start(
        platform: Platform,
        sealed_keys: Option<Vec<u8>>,
        outlet: Rc<dyn Fn(Event)>,
    ) -> Result<Self, StoreError> {
        Self::start_at(platform, sealed_keys, outlet, None).await
    }

    /// As [`Kernel::start`], with the workspace that the page shows already, if that is
    /// still there: what the page holds unsaved is of that one.
    ///
    /// # Errors
    /// As [`Kernel::start`].
    pub async fn start_at(
        platform: Platform,
        sealed_keys: Option<Vec<u8>>,
        outlet: Rc<dyn Fn(Event)>,
        shown: Option<String>,
    ) -> Result<Self, StoreError> {
        let store = Rc::clone(&platform.store);
        let settings = Settings::load(&*store).await?;
        let mut spaces = Spaces::load(&*store).await?;
        if let Some(shown) = shown.filter(|id| spaces.has(id)) {
            spaces.open = shown;
        }
        let clock = Rc::clone(&platform.clock);
        let workspace = Workspace::open(Rc::clone(&store), clock, &spaces.open).await?;
        let sessions = session::list(&*store).await?;
        let vault = Vault::new(SealedKeys::load(&*store).await?);
        let keys = Keys::open(&*platform.vault, sealed_keys).await;
        platform.stage.join(Rc::clone(&outlet));
        let core = Core {
            outlet,
            spaces: RefCell::new(spaces),
            views: RefCell::default(),
            tools: Rc::new(platform.tools.clone()),
            settings: RefCell::new(settings),
            keys,
            vault,
            learned: RefCell::default(),
            checkup: RefCell::default(),
            lists: Lists::default(),
            transfers: Transfers::default(),
            sessions: RefCell::new(
                sessions
                    .into_iter()
                    .map(|session| (session.id.clone(), session))
                    .collect(),
            ),
            running: RefCell::default(),
            wishes: RefCell::default(),
            trays: RefCell::default(),
            titles: RefCell::default(),
            looks: Cell::default(),
            searches: Cell::default(),
            followed: RefCell::default(),
            waiting: RefCell::default(),
            saving_title: Mutex::default(),
            changing_spaces: Mutex::default(),
            platform,
        };
        let kernel = Self(Rc::new(Inner {
            workspace: Rc::new(workspace),
            linked: Linked::default(),
            is_taken_up: Cell::default(),
            core: Rc::new(core),
        }));
        kernel.keep_view();
        if kernel.may_write() {
            kernel.mark_interrupted_runs().await?;
        }
        kernel.tell(Event::Ready(Box::new(kernel.snapshot())));
        Ok(kernel)
    }

    /// Looks whether the files are all there, and removes what earlier kernels left
    /// behind; the user need not wait for it.
    pub fn tidy(&self) -> LocalBoxFuture<'_, ()> {
        commands::tidy(self)
    }

    /// The workspace that the page shows.
    pub fn shown_workspace(&self) -> String {
        self.0.spaces.borrow().open.clone()
    }

    /// Whether the store would take the claim, were it taken now: see [`could_take`].
    ///
    /// # Errors
    /// What the store would say.
    pub fn could_write(&self) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        Box::pin(could_take(self.store()))
    }

    /// Lets go of what it holds, once nothing more is asked of it.
    pub fn retire(&self) {
        self.0.views.take();
    }

    /// Takes in what another tab saves, by the hints that come through `channel` and by
    /// looking now and then. Lasts as long as it is driven.
    pub fn follow<'a>(&'a self, channel: &'a dyn Channel) -> LocalBoxFuture<'a, ()> {
        following::follow(self, channel)
    }

    /// Carries out a command. For [`Command::Send`] and [`Command::Continue`]
    /// the future lasts as long as the run; drive it beside all others.
    pub fn handle(&self, command: Command) -> LocalBoxFuture<'static, ()> {
        self.handle_from(None, command)
    }

    /// As [`Kernel::handle`], for a page that showed the workspace `from` when its user
    /// acted. If another one is shown by now, what was meant for the files of that one is
    /// not done to those of this one.
    pub fn handle_from(&self, from: Option<&str>, command: Command) -> LocalBoxFuture<'static, ()> {
        let kernel = self.shown();
        let shown = kernel.0.workspace.id();
        match command.about() {
            About::Shown if from.is_some_and(|from| from != shown) => {
                // The page asks anew for what it looks at by then.
                if !command.only_looks() {
                    self.tell(Event::Notice(Notice::Left));
                }
                return Box::pin(async {});
            }
            About::Session(id) => {
                let space = self.session(id).map(|session| session.workspace);
                if let Some(space) = space.filter(|space| space != shown) {
                    return commands::carry_out_in(kernel, space, command);
                }
            }
            About::Shown | About::All => {}
        }
        kernel.carry_out(command)
    }

    fn carry_out(self, command: Command) -> LocalBoxFuture<'static, ()> {
        if !self.may_write() && !command.only_looks() {
            self.tell(Event::Notice(Notice::ReadOnly));
            return Box::pin(async {});
        }
        match command {
            Command::Ping => {
                self.tell(Event::Pong);
                Box::pin(async {})
            }
            Command::OpenSession(id) => Box::pin(async move { self.open_session(id).await }),
            Command::OpenFile(path) => Box::pin(async move { self.open_file(path).await }),
            Command::ReadFile(path) => Box::pin(async move { self.read_file(path).await }),
            other => commands::carry_out(self, other),
        }
    }

    /// The ids of all sessions.
    pub fn session_ids(&self) -> Vec<SessionId> {
        self.0.sessions.borrow().keys().cloned().collect()
    }

    fn may_write(&self) -> bool {
        self.0.platform.access == Access::Writer
    }

    fn store(&self) -> &dyn Store {
        &*self.0.platform.store
    }

    fn tell(&self, event: Event) {
        (self.0.outlet)(event);
    }

    fn not_saved(&self, error: impl Into<WorkspaceError>) {
        self.tell(Event::Notice(match error.into() {
            WorkspaceError::Store(StoreError::Full) => Notice::Full,
            error => Notice::NotSaved(error.to_string()),
        }));
    }

    fn snapshot(&self) -> Snapshot {
        let mut sessions: Vec<Session> = self.0.sessions.borrow().values().cloned().collect();
        let is_here = |session: &Session| {
            session.workspace == self.0.workspace.id() && !session.marks.is_deleted()
        };
        sessions.retain(is_here);
        sessions.sort_by(|a, b| {
            b.updated_ms
                .cmp(&a.updated_ms)
                .then_with(|| b.id.cmp(&a.id))
        });
        Snapshot {
            settings: self.settings_view(),
            sessions,
            files: self.file_rows(),
            spaces: self.0.spaces.borrow().clone(),
            access: self.0.platform.access,
            storage: self.0.platform.storage.clone(),
        }
    }

    fn settings_view(&self) -> SettingsView {
        let settings = self.0.settings.borrow();
        SettingsView {
            kept: settings.clone(),
            with_key: settings
                .profiles
                .iter()
                .filter(|profile| !self.0.keys.get(profile).is_empty())
                .map(|profile| profile.id.clone())
                .collect(),
            vault: self.vault_state(),
        }
    }

    async fn save_limits(&self, limits: LimitSettings, choice: Option<ModelChoice>) {
        let problems = limits.problems();
        if problems.is_empty() {
            self.change_settings(|settings| {
                let choice = choice.or(settings.choice.clone());
                settings.set_limits(limits, choice.as_ref());
            })
            .await;
        } else {
            let at_field = |(limit, problem)| (Field::Limit(limit), problem);
            self.tell(Event::Refused(problems.into_iter().map(at_field).collect()));
        }
    }

    async fn save_approval(&self, approval: ApprovalMode, rules: Vec<Rule>) {
        if !rules.iter().all(approval::check) {
            return self.tell(Event::Refused(vec![(Field::Rules, Problem::BadRule)]));
        }
        self.change_settings(|settings| {
            settings.approval = approval;
            settings.rules = rules;
        })
        .await;
    }

    fn settings(&self) -> Settings {
        self.0.settings.borrow().clone()
    }

    /// Changes settings and saves them. The change is made at once, so that two that come
    /// together do not undo each other.
    async fn change_settings(&self, change: impl FnOnce(&mut Settings)) {
        let put = {
            let mut settings = self.0.settings.borrow_mut();
            change(&mut settings);
            settings.put()
        };
        let saved = self.store().apply(Batch::of(vec![put]).strict()).await;
        if let Err(error) = saved {
            self.not_saved(error);
        }
        self.tell(Event::SettingsChanged(self.settings_view()));
    }
}
