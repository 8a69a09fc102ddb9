//! What page and kernel say of a folder of the device that is linked with the workspace.

use crate::kernel::link::plan::Block;
use crate::plain::Plain;

/// What is to be done about a folder of the device that is linked with the workspace.
#[derive(Debug, Clone, Plain)]
pub enum LinkCommand {
    /// Link one, which is kept under an id, with one of the workspace.
    Begin {
        /// Under which it is kept.
        id: String,
        /// What the user calls it.
        name: String,
        /// The folder of the workspace; empty: all of it.
        folder: String,
    },
    /// Unlink it; both sides stay as they are.
    End,
    /// Make both sides the same.
    Sync,
    /// Stop that; what was carried over stays.
    Stop,
    /// Settle something between both sides.
    Settle(Settling),
}

/// How a linked folder stands.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct LinkView {
    /// Under which the device's folder is kept.
    pub id: String,
    /// What the user calls it.
    pub name: String,
    /// The folder of the workspace; empty: all of it.
    pub folder: String,
    /// What goes on.
    pub state: LinkState,
    /// Files that both sides changed.
    pub conflicts: Vec<Conflict>,
    /// Files that were deleted here, and are still there.
    pub gone_here: Vec<String>,
    /// Files that were deleted there, and are still here.
    pub gone_there: Vec<String>,
    /// Files that are not carried over, by their paths.
    pub blocked: Vec<(String, Block)>,
    /// Whether nothing at all is left there of what was on both sides.
    pub is_emptied: bool,
}

/// What goes on with a linked folder.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum LinkState {
    /// Both sides are being compared, or files are carried over.
    Syncing {
        /// Files done.
        done: u64,
        /// Of so many; 0 while it is compared.
        all: u64,
    },
    /// Both sides are the same, but for what the user must settle, and what is blocked.
    InSync,
    /// The user stopped it.
    Stopped,
    /// The folder of the workspace is gone, and was not found elsewhere.
    Missing,
    /// The disk gave no answer in time, when it was asked for this path; empty: the folder
    /// itself.
    Silent(String),
    /// Files kept changing on one side.
    Busy,
    /// The user must allow it anew.
    Asks,
    /// The folder is not there any more.
    Gone,
    /// The device's disk is full: the rest is not written.
    DiskFull,
    /// There is no room for what is to be taken in.
    StoreFull,
    /// It was broken off, for this reason.
    Failed(String),
}

/// A file that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Conflict {
    /// Its path in the workspace.
    pub path: String,
    /// Bytes here; `None`: it was deleted here.
    pub here: Option<u64>,
    /// Bytes there; `None`: it was deleted there.
    pub there: Option<u64>,
    /// Tells these two from later ones.
    pub mark: String,
}

/// Which of two files shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Keep {
    /// The workspace's.
    Mine,
    /// The disk's.
    Theirs,
    /// Both: the disk's gets another name.
    Both,
}

/// What the user settles.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Settling {
    /// What shall become of a conflict.
    Conflict {
        /// Its path.
        path: String,
        /// Its mark.
        mark: String,
        /// Which file shall be.
        keep: Keep,
    },
    /// Files that are gone on one side go on the other too.
    Delete(Vec<String>),
    /// They come back from the other side.
    BringBack(Vec<String>),
    /// The folder of the workspace, which is gone, comes back from the disk.
    PutBack,
}
