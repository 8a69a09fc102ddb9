//! Between kernel and views: events become signals, the user's doings become
//! commands. What the signals hold is worked out in `state`; what is drawn from
//! them is the views' affair.

mod asking;
pub mod changes;
mod checkups;
pub mod drafts;
mod editing;
pub mod endpoints;
mod events;
pub mod files;
pub mod keys;
pub mod link;
pub mod listing;
pub mod room;
pub mod rows;
pub mod session;
pub mod spaces;
pub mod stage;
pub mod trace;
pub mod transfer;
pub mod writing;

use std::ops::Deref;
use std::rc::Rc;

use leptos::prelude::*;

use super::KernelLink;
use super::dom;
use super::picture::PicturesModel;
use super::preferences::Preferences;
use super::signal::RwSignal;
use super::state::way::WayOfWork;
use super::words::Words;
use crate::kernel::doctor::Checkup;
use crate::kernel::session::{Session, SessionId};
use crate::kernel::settings::{ModelChoice, Problem, Profile};
use crate::protocol::{Access, Command, Field, Notice, SettingsView, Storage};
use asking::{Taken, kept_way};
use changes::ChangesModel;
use endpoints::EndpointsModel;
use files::FilesModel;
use keys::KeysModel;
use link::LinkModel;
use listing::ListingModel;
use room::RoomModel;
use session::SessionModel;
use spaces::SpacesModel;
use stage::StageModel;
pub use trace::Pane;
use trace::{TraceModel, View};
use writing::{Attached, Over};

const SHOWN_SESSION: &str = "tabloop.session";

/// Whether there is a kernel to talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelState {
    /// It has not told anything yet.
    Starting,
    /// It answers.
    Up,
    /// It ended, with words of the platform.
    Died(String),
    /// It has not answered for a while.
    Silent,
}

/// A message that stays until it is dismissed or has been there for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    /// Tells it from others.
    pub id: u64,
    /// What it says.
    pub notice: Notice,
}

/// All the page knows. Copies are the same one, and as small as a pointer: nearly every
/// closure of the views holds one.
#[derive(Clone, Copy)]
pub struct Controller(&'static Known);

impl Deref for Controller {
    type Target = Known;

    fn deref(&self) -> &Known {
        self.0
    }
}

/// What the page knows.
pub struct Known {
    /// What the user likes to see.
    pub preferences: Preferences,
    /// Whether all of the page's code is there.
    pub loaded: RwSignal<bool>,
    /// Whether there is a kernel to talk to.
    pub kernel: RwSignal<KernelState>,
    /// The settings; none before the kernel is up for the first time.
    pub settings: RwSignal<Option<SettingsView>>,
    /// Whether this tab may write.
    pub access: RwSignal<Access>,
    /// Where things are kept.
    pub storage: RwSignal<Storage>,
    /// The workspaces.
    pub spaces: SpacesModel,
    /// All sessions of the shown one, newest first, but for those of sub-agents.
    pub sessions: RwSignal<Vec<Session>>,
    /// The sessions of sub-agents.
    pub agents: RwSignal<Vec<Session>>,
    /// What is done about them.
    pub listing: ListingModel,
    /// The session that is shown; `None`: a new one.
    pub current: RwSignal<Option<SessionId>>,
    /// What it shows.
    pub shown: RwSignal<Option<SessionModel>>,
    /// What stands in the composer.
    pub draft: RwSignal<String>,
    /// What lies over the page for a moment: the palette and the like.
    pub over: RwSignal<Option<Over>>,
    /// Files that were attached and are not in the workspace yet.
    attached: StoredValue<Vec<Attached>, LocalStorage>,
    /// How the next task of the shown session is worked on.
    pub way: RwSignal<WayOfWork>,
    /// The files.
    pub files: FilesModel,
    /// Images in the conversation.
    pub pictures: PicturesModel,
    /// What was changed, checkpoints and undoing.
    pub changes: ChangesModel,
    /// The trace of the shown session.
    pub trace: TraceModel,
    /// Frames in which foreign code runs.
    pub stage: StageModel,
    /// What a small window shows.
    pub pane: RwSignal<Pane>,
    /// The endpoints' lists and forms.
    pub endpoints: EndpointsModel,
    /// The linked folder.
    pub linked: LinkModel,
    /// The room that stored things take up.
    pub room: RoomModel,
    /// Whether the settings are open.
    pub settings_open: RwSignal<bool>,
    /// What was wrong with the settings that were to be saved.
    pub refused: RwSignal<Vec<(Field, Problem)>>,
    /// The keys that are kept on this device.
    pub keys: KeysModel,
    /// How the examination of an endpoint stands, while it is looked at.
    pub checkup: RwSignal<Option<Rc<Checkup>>>,
    /// While settings are being saved: those that are to be sent when the last one is answered.
    saving: StoredValue<Option<Vec<Command>>, LocalStorage>,
    /// Messages.
    pub toasts: RwSignal<Vec<Toast>>,
    /// The message that was sent and is not recorded yet.
    sending: RwSignal<Option<Sending>>,
    /// The waiting messages that were asked back.
    taking_back: StoredValue<Option<Taken>, LocalStorage>,
    link: StoredValue<Option<Rc<dyn KernelLink>>, LocalStorage>,
    models: StoredValue<Vec<(SessionId, SessionModel)>, LocalStorage>,
    drafts: StoredValue<Vec<(Option<SessionId>, String)>, LocalStorage>,
}

/// A message on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sending {
    session: Option<SessionId>,
    text: String,
}

impl Controller {
    /// A controller that has heard nothing yet.
    pub fn new() -> Self {
        let known = Known {
            preferences: Preferences::load(),
            loaded: RwSignal::new(false),
            kernel: RwSignal::new(KernelState::Starting),
            settings: RwSignal::new(None),
            access: RwSignal::new(Access::Writer),
            storage: RwSignal::new(Storage::Browser),
            spaces: SpacesModel::new(),
            sessions: RwSignal::new(Vec::new()),
            agents: RwSignal::new(Vec::new()),
            listing: ListingModel::new(),
            current: RwSignal::new(None),
            shown: RwSignal::new(None),
            draft: RwSignal::new(String::new()),
            over: RwSignal::new(None),
            attached: StoredValue::new_local(Vec::new()),
            way: RwSignal::new(WayOfWork::default()),
            files: FilesModel::new(),
            pictures: PicturesModel::new(),
            changes: ChangesModel::new(),
            trace: TraceModel::new(),
            stage: StageModel::new(),
            pane: RwSignal::new(Pane::Chat),
            endpoints: EndpointsModel::new(),
            linked: LinkModel::new(),
            room: RoomModel::new(),
            settings_open: RwSignal::new(false),
            refused: RwSignal::new(Vec::new()),
            keys: KeysModel::new(),
            checkup: RwSignal::new(None),
            saving: StoredValue::new_local(None),
            toasts: RwSignal::new(Vec::new()),
            sending: RwSignal::new(None),
            taking_back: StoredValue::new_local(None),
            link: StoredValue::new_local(None),
            models: StoredValue::new_local(Vec::new()),
            drafts: StoredValue::new_local(Vec::new()),
        };
        // There is one as long as there is a page.
        Self(Box::leak(Box::new(known)))
    }

    /// The texts in the language in use.
    pub fn words(self) -> &'static Words {
        self.preferences.words()
    }

    /// Gives it the way to the kernel.
    pub fn join(self, link: Rc<dyn KernelLink>) {
        self.link.set_value(Some(link));
    }

    fn link(self) -> Option<Rc<dyn KernelLink>> {
        self.link.try_get_value().flatten()
    }

    /// Sends a command as it is.
    pub fn command(self, command: Command) {
        if let Some(link) = self.link() {
            link.send(command);
        }
    }

    /// Ends the kernel if it still runs and starts a new one.
    pub fn restart(self) {
        dom::set_root("data-ready", None);
        self.break_off_runs();
        self.kernel.set(KernelState::Starting);
        if let Some(link) = self.link() {
            link.restart();
        }
    }

    /// Saves settings and closes them; what is wrong with them comes as
    /// [`Controller::refused`], and keeps them open.
    pub fn save(self, commands: Vec<Command>) {
        self.refused.set(Vec::new());
        self.saving.set_value(Some(commands));
        self.save_next();
    }

    /// Sends the next of the settings, now that there is an answer to the one before.
    fn save_next(self) {
        let next = self.saving.try_update_value(|saving| {
            let rest = saving.as_mut()?;
            if rest.is_empty() {
                *saving = None;
                return Some(None);
            }
            Some(Some(rest.remove(0)))
        });
        match next.flatten() {
            Some(Some(command)) => self.command(command),
            Some(None) if self.refused.with_untracked(Vec::is_empty) => self.leave_endpoint(),
            _ => {}
        }
    }

    /// Marks fields as wrong without asking the kernel.
    pub fn refuse(self, problems: Vec<(Field, Problem)>) {
        self.refused.set(problems);
    }

    /// Opens the settings, without old errors.
    pub fn open_settings(self) {
        self.refused.set(Vec::new());
        self.saving.set_value(None);
        self.checkup.set(None);
        self.endpoints.editing.set(None);
        self.settings_open.set(true);
    }

    /// Shows a session.
    pub fn open_session(self, id: SessionId) {
        self.pane.set(Pane::Chat);
        if self
            .current
            .with_untracked(|current| current.as_ref() == Some(&id))
        {
            return;
        }
        self.show(Some(id));
    }

    /// Shows an empty session; it is created with its first task.
    pub fn new_session(self) {
        self.pane.set(Pane::Chat);
        self.show(None);
        dom::focus_composer();
    }

    /// Makes `id` the session that is shown, loading it where it is not known.
    fn show(self, id: Option<SessionId>) {
        let before = self.current.get_untracked();
        let draft = self.draft.get_untracked();
        self.keep_draft(before, draft);
        let next = self.kept_draft(id.as_deref());
        dom::keep_in_tab(SHOWN_SESSION, id.as_deref());
        let model = id.as_ref().map(|id| self.loaded_model(id));
        self.draft.set(next);
        self.way.set(kept_way(id.as_deref()));
        self.shown.set(model);
        self.current.set(id);
        self.changes.asking.set(None);
        self.changes.count.set(0);
        self.count_changes();
    }

    /// Sessions are known no more.
    fn forget_models(self, ids: &[SessionId]) {
        self.models
            .update_value(|models| models.retain(|(id, _)| !ids.contains(id)));
    }

    /// The model of a session; a new one if it is not known.
    pub fn model(self, id: &str) -> SessionModel {
        let known = self.models.try_update_value(|models| {
            if let Some((_, model)) = models.iter().find(|(of, _)| of == id) {
                return model.clone();
            }
            let model = SessionModel::unloaded(id);
            models.push((id.to_owned(), model.clone()));
            model
        });
        known.unwrap_or_else(|| SessionModel::unloaded(id))
    }

    /// The model of a session, whose records are asked for if they are not here.
    pub fn loaded_model(self, id: &str) -> SessionModel {
        let model = self.model(id);
        if !model.is_loaded() {
            self.command(Command::OpenSession(id.to_owned()));
        }
        model
    }

    /// Whether a run of the shown session is open or about to be.
    pub fn is_running(self) -> bool {
        let current = self.current.get();
        let is_open = |session: &Session| Some(&session.id) == current.as_ref() && session.running;
        let on_its_way = |sending: &Sending| sending.session == current;
        self.sessions.with(|sessions| sessions.iter().any(is_open))
            || self
                .sending
                .with(|sending| sending.as_ref().is_some_and(on_its_way))
    }

    /// Whether the kernel is up and this tab may write.
    pub fn can_work(self) -> bool {
        self.kernel.get() == KernelState::Up && self.access.get() == Access::Writer
    }

    /// Whether a task can be sent now.
    pub fn can_send(self) -> bool {
        self.can_work() && !self.is_running()
    }

    /// Whether a word can be given to the open run.
    pub fn can_steer(self) -> bool {
        self.can_work() && self.is_running() && self.current.with(Option::is_some)
    }

    fn can_send_untracked(self) -> bool {
        untrack(move || self.can_send())
    }

    /// Whether the last run of this session was cut off and can be resumed.
    pub fn is_interrupted(self, id: &str) -> bool {
        let is_cut =
            |session: &Session| session.id == id && session.interrupted && !session.running;
        self.sessions.with(|sessions| sessions.iter().any(is_cut))
    }

    /// How many rounds a run may take.
    pub fn round_limit(self) -> u32 {
        self.settings.with(|settings| {
            let settings = settings.as_ref();
            settings.map_or(0, |settings| settings.kept.limits.rounds)
        })
    }

    /// Whether the demo model answers.
    pub fn is_demo(self) -> bool {
        self.choice() == Some(ModelChoice::Demo)
    }

    /// Who answers in the session that is shown, or in a new one.
    pub fn choice(self) -> Option<ModelChoice> {
        let current = self.current.get();
        let wish = self.sessions.with(|sessions| {
            let mut of_all = sessions.iter();
            let shown = of_all.find(|session| Some(&session.id) == current.as_ref());
            shown.and_then(|session| session.choice.clone())
        });
        self.settings
            .with(|settings| settings.as_ref()?.kept.choice_for(wish.as_ref()))
    }

    /// The endpoint that answers, and whether the kernel has its key.
    pub fn with_profile<T>(self, look: impl FnOnce(&Profile, bool) -> T) -> Option<T> {
        let choice = self.choice()?;
        self.settings.with(|settings| {
            let settings = settings.as_ref()?;
            let (profile, _) = settings.kept.chosen(&choice)?;
            Some(look(profile, settings.with_key.contains(&profile.id)))
        })
    }

    /// Opens a file in the viewer.
    pub fn open_file(self, path: String) {
        self.pane.set(Pane::Files);
        self.trace.view.set(View::Files);
        self.files.open(path.clone());
        self.command(Command::OpenFile(path));
    }

    /// Takes a message away.
    pub fn dismiss(self, id: u64) {
        self.toasts
            .try_update(|toasts| toasts.retain(|toast| toast.id != id));
    }
}
