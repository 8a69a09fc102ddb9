//! All that page and kernel say to each other. The page never asks the kernel
//! to draw, the kernel never touches the page, and no key comes back.

mod changes;
mod command;
mod files;
mod form;
mod link;
mod notice;
mod room;
mod sessions;
mod spaces;
mod stage;
mod state;
mod transfer;

pub use self::changes::{
    ChangeView, ChangedFile, Changes, ListedCheckpoint, Outlook, Refusal, Reverting, Since,
    WentBack,
};
pub use self::command::About;
pub use self::files::{Author, FileProblem, SaveOutcome, TreeChange, TreeOutcome};
pub use self::form::{Field, VaultCommand};
pub use self::link::{Conflict, Keep, LinkCommand, LinkState, LinkView, Settling};
pub use self::notice::Notice;
pub use self::room::{Freeable, Weighed, Weight};
pub use self::sessions::{Found, Hit, SessionCommand, SessionEvent, Snippet};
pub use self::spaces::{SpaceCommand, SpaceCounts, Waiting};
pub use self::stage::{Gone, Order, Parcel, Said};
pub use self::state::{
    Access, FileRow, FileView, ListedModel, ModelList, NoVault, SettingsView, Snapshot, Storage,
    VaultProblem, VaultState,
};
pub use self::transfer::{HandedFile, ImportedFile, LeftOut, Progress, Report, Why};
use crate::kernel::approval::{ApprovalMode, Rule};
use crate::kernel::doctor::Checkup;
use crate::kernel::event::{AgentEvent, Reply};
use crate::kernel::session::branches::Fork;
use crate::kernel::session::rewind::Extent;
use crate::kernel::session::{Mode, Picture, Record, Session, SessionId};
use crate::kernel::settings::{
    LimitSettings, ModelChoice, Problem, ProfileDraft, ProfileId, Prompt,
};
use crate::kernel::spaces::Spaces;
pub use crate::kernel::store::Room;
use crate::kernel::trace::{ExportFormat, RoundTrace};
use crate::kernel::workspace::Version;
use crate::plain::Plain;

/// What the page asks for.
#[derive(Debug, Clone, Plain)]
pub enum Command {
    /// Are you there? Answered by [`Event::Pong`].
    Ping,
    /// Let this tab write, in the place of the one that does. Answered by [`Event::Ready`].
    TakeOver,
    /// Do something about the workspaces.
    Spaces(SpaceCommand),
    /// Do something about sessions.
    Sessions(SessionCommand),
    /// Use the demo model; puts its files into the workspace where they are missing.
    UseDemo,
    /// Keep an endpoint, and let it answer in new sessions. Answered by
    /// [`Event::SettingsChanged`] or [`Event::Refused`].
    SaveProfile {
        /// The one that is changed; `None`: a new one.
        id: Option<ProfileId>,
        /// As it stands in the form.
        draft: ProfileDraft,
    },
    /// Forget an endpoint and its key. Answered by [`Event::SettingsChanged`].
    RemoveProfile(ProfileId),
    /// Keep keys on this device, or stop it. Answered by [`Event::VaultAnswered`].
    Vault(VaultCommand),
    /// Try anew what an endpoint refused. Answered by [`Event::SettingsChanged`].
    ForgetLessons(ProfileId),
    /// List an endpoint's models. Answered by [`Event::ModelsListed`] or [`Event::Refused`].
    ListModels {
        /// The endpoint; `None`: one that is not kept yet.
        id: Option<ProfileId>,
        /// As it stands in the form, if it does.
        draft: Option<ProfileDraft>,
    },
    /// Choose who answers: in a session from its next run on, and in new ones. Answered by
    /// [`Event::SettingsChanged`] and [`Event::SessionChanged`].
    Choose {
        /// The session; `None`: only in new ones.
        session: Option<SessionId>,
        /// Who.
        choice: ModelChoice,
    },
    /// Find out why an endpoint does not work, by about six small requests. Answered by
    /// [`Event::CheckUp`], again and again, or [`Event::Refused`].
    CheckUp {
        /// The one whose key and options are used where the form has none.
        id: Option<ProfileId>,
        /// As it stands in the form.
        draft: ProfileDraft,
        /// The page's own origin, as the browser writes it.
        origin: String,
    },
    /// Stop that. Answered by [`Event::CheckUpStopped`], if it was not over.
    StopCheckUp,
    /// Sets when runs end; what is said about the model, for the one that `choice` names.
    /// Answered as [`Command::SaveProfile`].
    SaveLimits {
        /// The limits.
        limits: LimitSettings,
        /// Whose window and prices they tell; `None`: whoever answers in new sessions.
        choice: Option<ModelChoice>,
    },
    /// Sets what is asked about. Answered by [`Event::SettingsChanged`].
    SaveApproval {
        /// Where no rule matches.
        mode: ApprovalMode,
        /// All rules.
        rules: Vec<Rule>,
    },
    /// Keep these prompts. Answered by [`Event::SettingsChanged`].
    SavePrompts(Vec<Prompt>),
    /// Show a session. Answered by [`Event::SessionOpened`].
    OpenSession(SessionId),
    /// Start a run with a message; in a new session if none is named.
    Send {
        /// The session to go on with.
        session: Option<SessionId>,
        /// As typed.
        text: String,
        /// How to work on it.
        mode: Mode,
        /// Rounds it may take; `None`: as many as the settings say.
        rounds: Option<u32>,
    },
    /// Give a message to the open run, for its next round. Answered by [`Event::Queued`].
    Steer {
        /// The session.
        session: SessionId,
        /// As typed.
        text: String,
    },
    /// Take the waiting messages back. Answered by [`Event::Queued`].
    Unsteer(SessionId),
    /// Start a run that goes on where the last one ended or was cut off.
    Continue(SessionId),
    /// Stop the session's run; end one that was cut off.
    Stop(SessionId),
    /// Answer a question of the session's run.
    Answer {
        /// The session.
        session: SessionId,
        /// The call that asks.
        call_id: String,
        /// The answer.
        reply: Reply,
    },
    /// Show the trace of a session. Answered by [`Event::TraceOpened`].
    OpenTrace(SessionId),
    /// Hand out the trace of a session as a file. Answered by [`Event::FileBytes`].
    ExportTrace {
        /// The session.
        session: SessionId,
        /// In which form.
        format: ExportFormat,
    },
    /// Remove the trace of a session; its conversation stays. Answered by [`Event::TraceOpened`].
    ClearTrace(SessionId),
    /// Show a file. Answered by [`Event::FileOpened`].
    OpenFile(String),
    /// Hand out a file's bytes. Answered by [`Event::FileBytes`].
    ReadFile(String),
    /// Hand out an image that a call looked at. Answered by [`Event::PictureRead`].
    ReadPicture(Picture),
    /// Put files where their paths say, with a number where another one is. Answered by
    /// [`Notice::Imported`].
    Import(Vec<ImportedFile>),
    /// Put files and folders into the workspace that were handed over beside the command;
    /// what is taken at the top gets a number, zip and tar are unpacked. Tells [`Event::Transfer`] if it takes long.
    BringIn(Vec<HandedFile>),
    /// The same with a public repository of GitHub's, by its address.
    BringInRepository(String),
    /// Hand out a folder as a zip; `None`: the whole workspace. Answered by
    /// [`Event::ExportPiece`], any number of times, and [`Event::Exported`] or
    /// [`Event::ExportGivenUp`].
    Export(Option<String>),
    /// Stop the import or export that goes on.
    StopTransfer,
    /// Tell what takes up room. Answered by [`Event::Weighed`].
    Weigh,
    /// Remove something to make room. Answered by [`Event::Weighed`].
    Free(Freeable),
    /// Do something about a linked folder. Answered by [`Event::Linked`].
    Link(LinkCommand),
    /// Change the tree of files. Answered by [`Event::TreeChanged`].
    ChangeTree(TreeChange),
    /// Hand out a file to be edited. Answered by [`Event::FileToEdit`].
    EditFile(String),
    /// Save an edited file, if nobody changed it meanwhile. Answered by [`Event::FileSaved`].
    SaveFile {
        /// The file.
        path: String,
        /// Its whole new content.
        content: Vec<u8>,
        /// What it was made from; `None`: nothing may be there.
        base: Option<Version>,
    },
    /// Tell what can be gone back to. Answered by [`Event::Checkpoints`].
    ListCheckpoints,
    /// Take back rounds of a session that has no run. Answered by [`Event::SessionOpened`].
    Undo {
        /// The session.
        session: SessionId,
        /// The message of the first round that is taken back; `None`: the last round that
        /// changed files, or else the last.
        seq: Option<u64>,
        /// In what.
        extent: Extent,
    },
    /// Bring in again what was taken back last in a session, as long as nothing new was
    /// said in it. Answered by [`Event::SessionOpened`].
    Redo(SessionId),
    /// Make all files what they were before the commit of this generation, which can be
    /// undone in the same way. Answered by [`Event::Checkpoints`].
    Restore(u64),
    /// Tell what taking back the rounds of a session from a record on would do. Answered by
    /// [`Event::LookedBack`].
    LookBack {
        /// The session.
        session: SessionId,
        /// The first record that would be taken back.
        seq: u64,
    },
    /// Tell what changed. Answered by [`Event::ChangesListed`], for the last page asked for.
    ListChanges {
        /// From when on.
        since: Since,
        /// The first file of the page, counted from 0; `None`: only how many there are.
        from: Option<usize>,
    },
    /// Show what changed in a file. Answered by [`Event::ChangeShown`].
    ShowChange {
        /// From when on.
        since: Since,
        /// The file.
        path: String,
    },
    /// Take back what changed, where nothing touched it since it was shown.
    Revert {
        /// From when on.
        since: Since,
        /// The generation of the files as they were shown.
        shown: u64,
        /// What.
        meant: Reverting,
    },
    /// Undo the commit of this generation, by which files were reverted or restored.
    GoForward(u64),
    /// Show a page of the workspace as it runs. Answered by [`Event::Stage`].
    OpenPreview(String),
    /// Something came of a frame with foreign code.
    Staged {
        /// Which.
        scene: u32,
        /// What.
        said: Said,
    },
}

/// What the kernel tells.
#[derive(Debug, Clone, PartialEq, Plain)]
pub enum Event {
    /// Answers [`Command::Ping`].
    Pong,
    /// The kernel has started, or started anew: this is all there is.
    Ready(Box<Snapshot>),
    /// The settings are now these, and saved.
    SettingsChanged(SettingsView),
    /// Answers [`Command::Vault`]: the settings are now these.
    VaultAnswered {
        /// The settings.
        settings: SettingsView,
        /// Why it was not done.
        problem: Option<VaultProblem>,
    },
    /// Another workspace is shown: this is all there is in it.
    SpaceOpened(Box<Snapshot>),
    /// The list of workspaces is now this.
    SpacesChanged(Spaces),
    /// All runs that wait for an answer, in whichever workspace.
    Waiting(Vec<Waiting>),
    /// What would go with a workspace.
    SpaceCounted(SpaceCounts),
    /// A setting was not taken.
    Refused(Vec<(Field, Problem)>),
    /// The key in a form that only this browser's kernel can open; the page
    /// keeps it for as long as the tab lives. `None`: forget it.
    KeySealed(Option<Vec<u8>>),
    /// How the examination of an endpoint stands.
    CheckUp(Box<Checkup>),
    /// It was stopped.
    CheckUpStopped,
    /// The models that an endpoint has.
    ModelsListed {
        /// The endpoint; `None`: one that is not kept yet.
        id: Option<ProfileId>,
        /// The models, or why there are none.
        list: ModelList,
    },
    /// A session is new or its line in the list changed.
    SessionChanged(Session),
    /// The session that a message without one was given.
    SessionStarted(SessionId),
    /// A session's whole transcript.
    SessionOpened {
        /// The session.
        id: SessionId,
        /// Its records, in order.
        records: Vec<Record>,
        /// In what rounds were taken back that can be brought in again.
        undone: Option<Extent>,
        /// Where it could go on in other ways.
        forks: Vec<Fork>,
    },
    /// Something happened in a session's run.
    Agent {
        /// The session.
        session: SessionId,
        /// What happened.
        event: AgentEvent,
    },
    /// The messages that wait for the session's next round.
    Queued {
        /// The session.
        session: SessionId,
        /// The messages, in order.
        texts: Vec<String>,
    },
    /// A session's trace.
    TraceOpened {
        /// The session.
        session: SessionId,
        /// Its rounds, in order.
        rounds: Vec<RoundTrace>,
    },
    /// Files and folders changed.
    FilesChanged {
        /// Those that are new or have new content.
        rows: Vec<FileRow>,
        /// Paths at which there is nothing any more.
        removed: Vec<String>,
        /// Who changed them.
        by: Author,
    },
    /// What can be gone back to, the oldest first.
    Checkpoints(Vec<ListedCheckpoint>),
    /// What taking back rounds would do.
    LookedBack(Outlook),
    /// What changed.
    ChangesListed(Box<Changes>),
    /// What changed in a file.
    ChangeShown {
        /// From when on.
        since: Since,
        /// The file.
        path: String,
        /// Tells this change from a later one.
        mark: String,
        /// The generation of the files as they were looked at.
        generation: u64,
        /// The change.
        view: ChangeView,
    },
    /// What is in a file.
    FileOpened {
        /// The file.
        path: String,
        /// Its content, as far as it can be shown.
        view: FileView,
    },
    /// A file's bytes, to be saved by the user.
    FileBytes {
        /// The file.
        path: String,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// An image that a call looked at.
    PictureRead {
        /// Which.
        picture: Picture,
        /// Its content; `None`: it is not kept any more.
        bytes: Option<Vec<u8>>,
    },
    /// How far an import or export is; `None`: it is over.
    Transfer(Option<Progress>),
    /// The next piece of a zip.
    ExportPiece {
        /// The piece.
        bytes: Vec<u8>,
    },
    /// The last piece of a zip, to be saved by the user with those before it.
    Exported {
        /// The zip's name.
        name: String,
        /// The piece.
        bytes: Vec<u8>,
    },
    /// No more pieces come, and those that came are of no use.
    ExportGivenUp,
    /// How the linked folder stands; `None`: there is none.
    Linked(Option<Box<LinkView>>),
    /// What takes up room.
    Weighed(Box<Weighed>),
    /// Sessions are no more.
    SessionsRemoved(Vec<SessionId>),
    /// Answers [`Command::Sessions`].
    Sessions(SessionEvent),
    /// What became of a change to the tree; the files that changed are told after it.
    TreeChanged {
        /// The change.
        change: TreeChange,
        /// What became of it.
        outcome: TreeOutcome,
    },
    /// A file to be edited.
    FileToEdit {
        /// The file.
        path: String,
        /// What it is; `None`: it is not there.
        version: Option<Version>,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// What became of an edited file that was to be saved.
    FileSaved {
        /// The file.
        path: String,
        /// What became of it.
        outcome: SaveOutcome,
    },
    /// Something the user should know.
    Notice(Notice),
    /// A frame with foreign code is wanted, or spoken to.
    Stage {
        /// Which; a new one where it is opened.
        scene: u32,
        /// What to do.
        order: Order,
    },
}
