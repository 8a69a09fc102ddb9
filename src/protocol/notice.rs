//! What the kernel wants the user to know outside of any run.

use super::{FileProblem, Report, WentBack};
use crate::kernel::session::SessionId;
use crate::kernel::session::portable::NotTaken;
use crate::kernel::settings::Lesson;
use crate::plain::Plain;

/// Something the user should know, outside any run.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Notice {
    /// The endpoint's key was for an earlier tab; it must be given again.
    KeyNeeded,
    /// The key is kept on this device, and locked.
    KeysLocked,
    /// A part of the app could not be fetched yet.
    NotLoaded,
    /// Text in the editor is not saved, so the workspace is not left.
    SpaceUnsaved,
    /// This tab only looks.
    ReadOnly,
    /// The session already has a run.
    AlreadyRunning,
    /// A run is at work on the files that were to be gone back in.
    FilesAtWork,
    /// What was asked for was not done: what it was meant for is not shown any more.
    Left,
    /// This tab did not become the one that writes, and follows as before: the store's
    /// reason; empty if there is no room.
    NotTakenOver(String),
    /// The answer came for a question that is no longer open.
    AnswerLate,
    /// Something could not be saved, with the reason.
    NotSaved(String),
    /// Something could not be saved, since the browser's storage is full.
    Full,
    /// There is room for no more than this, in bytes.
    Low(u64),
    /// An endpoint refused a part of a request, which was sent again in another form.
    Learned {
        /// The host that refuses it.
        host: String,
        /// What it refuses.
        lesson: Lesson,
    },
    /// What came of bringing files in.
    Imported(Box<Report>),
    /// Nothing was handed out; the store's reason, empty if it is too much for a zip.
    NotExported(String),
    /// Nothing was taken back or brought in again.
    NotUndone {
        /// The file that was changed since; `None`: what was then is not kept.
        path: Option<String>,
    },
    /// It was gone back, or forward again.
    WentBack(WentBack),
    /// The files were not all as they had been saved; they are in order now.
    Mended {
        /// Files that were given another place: where they were, if that is known, and
        /// where they are.
        moved: Vec<(Option<String>, String)>,
        /// Files of which nothing is left.
        gone: Vec<String>,
        /// Whether there may be more of which not even the name is left.
        more: bool,
    },
    /// The user deleted a file or a folder.
    Deleted {
        /// What.
        path: String,
        /// How many files.
        files: usize,
        /// The commit, to be undone.
        generation: u64,
    },
    /// The user moved a file or a folder.
    Moved {
        /// Where it was.
        from: String,
        /// Where it is.
        to: String,
        /// The commit, to be undone.
        generation: u64,
    },
    /// A session was deleted, and can be had back for a while.
    SessionDeleted {
        /// Which.
        id: SessionId,
        /// What it was called.
        title: String,
    },
    /// The file of a session was not taken in, and nothing has happened.
    SessionNotTaken(NotTaken),
    /// A session has a run, so it was not deleted.
    SessionAtWork,
    /// A change to the files that the user asked for was not made.
    NotDone(FileProblem),
}
