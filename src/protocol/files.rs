//! What page and kernel say of the user's own work on files: changes to the tree, and
//! texts that are edited.

use crate::kernel::workspace::{PathProblem, Version};
use crate::plain::Plain;

/// Who changed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Author {
    /// An agent, in a run.
    Agent,
    /// The user, or Tabloop on its own account.
    User,
}

/// A change to the tree that the user asks for. Each is one commit.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum TreeChange {
    /// An empty file where nothing is.
    NewFile(String),
    /// A folder where nothing is.
    NewFolder(String),
    /// A file, or a folder with all in it, gets another path.
    Move {
        /// Where it is.
        from: String,
        /// Where it shall be.
        to: String,
    },
    /// A file, or a folder with all in it, goes.
    Delete(String),
    /// What the commit of this generation did is undone.
    Undo(u64),
}

/// What became of a [`TreeChange`].
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum TreeOutcome {
    /// It is done.
    Done {
        /// Where what is new, or has another path, is.
        path: String,
        /// How many files it was about.
        files: usize,
        /// The commit that did it.
        generation: u64,
    },
    /// Nothing was changed.
    NotDone(FileProblem),
}

/// Why something was not done to a file.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum FileProblem {
    /// The path is none.
    Path(PathProblem),
    /// Something is at that path.
    Taken(String),
    /// Nothing is there any more.
    Gone(String),
    /// A file stands where a folder is meant.
    IsFile(String),
    /// A folder can't go into itself.
    Inside,
    /// It was changed since.
    Changed(String),
    /// It is larger than files may be, in bytes.
    TooLarge(usize),
    /// What was then is not kept any more.
    NotKept,
    /// It could not be saved, with the reason.
    NotSaved(String),
    /// It could not be saved, since the browser's storage is full.
    Full,
}

/// What became of a text that was to be saved.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum SaveOutcome {
    /// It is saved, and is this version.
    Saved(Version),
    /// The file is another one than the text was made from; nothing was changed.
    Changed,
    /// Nothing was changed.
    NotSaved(FileProblem),
}
