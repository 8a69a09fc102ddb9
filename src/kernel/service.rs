//! The kernel as a whole: takes commands, tells events. The browser's worker
//! and the tests drive it in the same way.

mod by_id;
mod checkups;
mod delegates;
mod desk;
mod files;
mod keys;
mod models;
mod parts;
mod profiles;
mod rewind;
mod runs;
mod titles;
mod traces;
mod vault;

use std::cell::RefCell;
use std::rc::Rc;

use futures::lock::Mutex;

use self::by_id::ById;
use self::keys::Keys;
use self::models::Lists;
use self::vault::Vault;
use super::agent::title::Asked;
use super::agent::transcript::Observer;
use super::approval::{self, ApprovalMode, Rule};
use super::cancel::CancelToken;
use super::clock::{Clock, Random};
use super::event::AgentEvent;
use super::model::Transport;
use super::model::openai::Learned;
use super::session::{self, Entry, Session, SessionId};
use super::settings::{LimitSettings, ModelChoice, Problem, Settings};
use super::store::{Batch, Store, StoreError};
use super::tool::ToolRegistry;
use super::vault::{KeyVault, SealedKeys};
use super::workspace::{Committed, Keep, Workspace};
use crate::protocol::{Access, Command, Event, Field, Notice, SettingsView, Snapshot, Storage};

/// The one workspace there is so far.
const WORKSPACE: &str = "default";

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
}

/// The running kernel. Clones are the same one.
#[derive(Clone)]
pub struct Kernel(Rc<Inner>);

struct Inner {
    platform: Platform,
    outlet: Rc<dyn Fn(Event)>,
    workspace: Rc<Workspace>,
    tools: Rc<ToolRegistry>,
    settings: RefCell<Settings>,
    keys: Keys,
    vault: Vault,
    learned: RefCell<ById<Rc<Learned>>>,
    /// Stops the examination of an endpoint that goes on.
    checkup: RefCell<Option<CancelToken>>,
    lists: Lists,
    sessions: RefCell<ById<Session>>,
    running: RefCell<ById<CancelToken>>,
    /// Who shall answer in sessions once their open run has ended.
    wishes: RefCell<ById<ModelChoice>>,
    trays: RefCell<ById<desk::Tray>>,
    /// Titles that have come and are not saved yet.
    titles: RefCell<ById<Asked>>,
    /// Held while one is being saved: no run may begin then.
    saving_title: Mutex<()>,
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
        let store = Rc::clone(&platform.store);
        let settings = Settings::load(&*store).await?;
        let workspace =
            Workspace::open(Rc::clone(&store), Rc::clone(&platform.clock), WORKSPACE).await?;
        let sessions = session::list(&*store).await?;
        let vault = Vault::new(SealedKeys::load(&*store).await?);
        let keys = Keys::open(&*platform.vault, sealed_keys).await;
        let kernel = Self(Rc::new(Inner {
            outlet,
            workspace: Rc::new(workspace),
            tools: Rc::new(platform.tools.clone()),
            settings: RefCell::new(settings),
            keys,
            vault,
            learned: RefCell::default(),
            checkup: RefCell::default(),
            lists: Lists::default(),
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
            saving_title: Mutex::default(),
            platform,
        }));
        if kernel.may_write() {
            kernel.mark_interrupted_runs().await?;
        }
        kernel.tell(Event::Ready(Box::new(kernel.snapshot())));
        Ok(kernel)
    }

    /// Looks whether the files are all there, and removes what earlier kernels left
    /// behind; the user need not wait for it.
    pub async fn tidy(&self) {
        if self.may_write() {
            let is_cut_off = |session: &Session| session.interrupted;
            let was_killed = self.0.sessions.borrow().values().any(is_cut_off);
            if was_killed {
                self.store().renew().await;
            }
            self.mend_files().await;
            // A failure costs only room, and the next start tries again.
            let _ = self.0.workspace.tidy(Keep::default()).await;
        }
    }

    /// Carries out a command. For [`Command::Send`] and [`Command::Continue`]
    /// the future lasts as long as the run; drive it beside all others.
    pub async fn handle(&self, command: Command) {
        if !self.may_write() && !only_looks(&command) {
            return self.tell(Event::Notice(Notice::ReadOnly));
        }
        match command {
            Command::Ping => self.tell(Event::Pong),
            Command::UseDemo => self.use_demo().await,
            Command::SaveProfile { id, draft } => self.save_profile(id, draft).await,
            Command::RemoveProfile(id) => self.remove_profile(&id).await,
            Command::Vault(command) => self.vault_command(command).await,
            Command::CheckUp { id, draft, origin } => self.check_up(id, draft, &origin).await,
            Command::StopCheckUp => self.stop_check_up(),
            Command::ForgetLessons(id) => self.forget_lessons(&id).await,
            Command::ListModels { id, draft } => self.list_models(id, draft).await,
            Command::Choose { session, choice } => self.choose(session, choice).await,
            Command::SaveLimits { limits, choice } => self.save_limits(limits, choice).await,
            Command::SaveApproval { mode, rules } => self.save_approval(mode, rules).await,
            Command::OpenSession(id) => self.open_session(id).await,
            Command::Send {
                session,
                text,
                mode,
                rounds,
            } => self.send(session, Entry::User { text, mode, rounds }).await,
            Command::Steer { session, text } => self.steer(session, text).await,
            Command::Unsteer(session) => self.unsteer(session).await,
            Command::Answer {
                session,
                call_id,
                reply,
            } => self.answer(&session, &call_id, reply),
            Command::OpenTrace(session) => self.open_trace(session).await,
            Command::ExportTrace { session, format } => self.export_trace(session, format).await,
            Command::ClearTrace(session) => self.clear_trace(session).await,
            Command::Continue(id) => self.go_on(id).await,
            Command::Stop(id) => self.stop(&id).await,
            Command::OpenFile(path) => self.open_file(path).await,
            Command::ReadFile(path) => self.read_file(path).await,
            Command::Import(files) => self.import(files).await,
            Command::ListCheckpoints => self.list_checkpoints().await,
            Command::Undo {
                session,
                seq,
                extent,
            } => self.undo(session, seq, extent).await,
            Command::Redo(session) => self.redo(session).await,
            Command::Restore(generation) => self.restore(generation).await,
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

    fn not_saved(&self, error: &impl ToString) {
        self.tell(Event::Notice(Notice::NotSaved(error.to_string())));
    }

    fn snapshot(&self) -> Snapshot {
        let mut sessions: Vec<Session> = self.0.sessions.borrow().values().cloned().collect();
        sessions.sort_by(|a, b| {
            b.updated_ms
                .cmp(&a.updated_ms)
                .then_with(|| b.id.cmp(&a.id))
        });
        Snapshot {
            settings: self.settings_view(),
            sessions,
            files: self.file_rows(),
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

    async fn open_session(&self, id: SessionId) {
        match session::records(self.store(), &id).await {
            Ok(records) => {
                self.tell(Event::SessionOpened {
                    id: id.clone(),
                    records,
                });
                if self.open_tray(&id).await.is_ok() {
                    self.tell_waiting(&id);
                }
            }
            Err(error) => self.not_saved(&error),
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
            self.not_saved(&error);
        }
        self.tell(Event::SettingsChanged(self.settings_view()));
    }
}

/// Whether a tab that may not write can carry a command out.
fn only_looks(command: &Command) -> bool {
    matches!(
        command,
        Command::Ping
            | Command::CheckUp { .. }
            | Command::StopCheckUp
            | Command::ListModels { .. }
            | Command::OpenSession(_)
            | Command::OpenFile(_)
            | Command::ReadFile(_)
            | Command::ListCheckpoints
            | Command::OpenTrace(_)
            | Command::ExportTrace { .. }
    )
}

impl Observer for Inner {
    fn agent(&self, session: &str, event: AgentEvent) {
        (self.outlet)(Event::Agent {
            session: session.to_owned(),
            event,
        });
    }

    fn session(&self, session: &Session) {
        let mut session = session.clone();
        if let Some(choice) = self.wishes.borrow().get(&session.id) {
            session.choice = Some(choice.clone());
        }
        self.sessions
            .borrow_mut()
            .insert(session.id.clone(), session.clone());
        (self.outlet)(Event::SessionChanged(session));
    }

    fn files(&self, committed: &Committed) {
        (self.outlet)(files::changed(&self.workspace, committed));
    }
}
