//! What page and kernel say to each other of what was changed, and of going back in it.

use crate::kernel::diff::{DiffKind, FileDiff};
use crate::kernel::session::SessionId;
use crate::kernel::session::rewind::Extent;
use crate::kernel::workspace::Checkpoint;
use crate::plain::Plain;

/// From when on changes are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Since {
    /// Those of the session's last run that changed files, and of its sub-agents.
    LastRun(SessionId),
    /// Those of all runs of the session.
    Session(SessionId),
    /// All, whoever made them, from the commit of this generation on.
    Checkpoint(u64),
}

/// What changed, or a page of it.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Changes {
    /// From when on.
    pub since: Since,
    /// The generation of the files as they were looked at.
    pub generation: u64,
    /// With which record the run began, if it is what one run changed.
    pub run: Option<u64>,
    /// How many files changed.
    pub total: usize,
    /// The files from this one on, counted from 0; `None`: only their number was asked for.
    pub from: Option<usize>,
    /// The files, by path; at most [`Changes::PAGE`].
    pub files: Vec<ChangedFile>,
    /// Whether what was there then is still kept.
    pub kept: bool,
}

impl Changes {
    /// Most files told at once.
    pub const PAGE: usize = 200;
}

/// A file that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct ChangedFile {
    /// Where it is, or was.
    pub path: String,
    /// Where it was, if it was moved.
    pub from: Option<String>,
    /// What has become of it.
    pub kind: DiffKind,
    /// Lines that it has more.
    pub added: usize,
    /// Lines that it had and has no more.
    pub removed: usize,
    /// Tells this change from a later one of the same file.
    pub mark: String,
}

/// A change to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum ChangeView {
    /// Line by line.
    Lines(FileDiff),
    /// An image, before and after.
    Image {
        /// Its media type.
        mime: String,
        /// Before; `None`: there was none.
        was: Option<Vec<u8>>,
        /// Now; `None`: there is none.
        is: Option<Vec<u8>>,
    },
    /// Neither text nor an image that browsers show, or larger than is compared: the sizes
    /// in bytes.
    Sizes {
        /// Before; `None`: there was none.
        was: Option<u64>,
        /// Now; `None`: there is none.
        is: Option<u64>,
    },
    /// It is as it was, or what it was is not kept.
    Nothing,
}

/// What is taken back of changes.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Reverting {
    /// All.
    All,
    /// What was done to one file.
    File(String),
    /// One place of a file.
    Hunk {
        /// The file.
        path: String,
        /// Which, counted from 0.
        at: usize,
    },
}

/// What taking back rounds of a session would come to.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Outlook {
    /// The session.
    pub session: SessionId,
    /// The record from which on it would be taken back.
    pub seq: u64,
    /// How many rounds that is.
    pub rounds: usize,
    /// Files that would change, the first few.
    pub files: Vec<String>,
    /// How many that are in all.
    pub total: usize,
    /// Why files can't be gone back in.
    pub refusal: Option<Refusal>,
}

/// Why files can't be gone back in.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Refusal {
    /// This one was changed since, by somebody else.
    Changed(String),
    /// What they were is not kept.
    NotKept,
}

/// A checkpoint, in a list.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct ListedCheckpoint {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// How the task begins that its round worked on; empty if there is none, or no more.
    pub task: String,
}

/// A step back that was made, or undone.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum WentBack {
    /// Rounds of a session were taken back.
    Undone {
        /// The session.
        session: SessionId,
        /// In what.
        extent: Extent,
    },
    /// They were brought in again.
    Redone(Extent),
    /// Parts of what was changed were taken back.
    Reverted {
        /// In how many files.
        files: usize,
        /// The commit that did it.
        generation: u64,
    },
    /// The files were made what they were at a checkpoint.
    Restored {
        /// The commit that did it; `None`: they were that already.
        generation: Option<u64>,
    },
    /// A commit that went back was undone.
    Forward,
}
