//! What page and kernel say of files that come in and go out.

use crate::plain::Plain;

/// A file the user brings in.
#[derive(Debug, Clone, Plain)]
pub struct ImportedFile {
    /// Its name, or its path inside the folder that was chosen.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// A file or folder that the page has handed over.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct HandedFile {
    /// Its name, or its path inside the folder that was chosen; a folder's ends with `/`.
    pub path: String,
    /// The number under which its bytes were handed over; 0 for a folder.
    pub id: u64,
}

/// How far a transfer is.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Progress {
    /// Whether files go out; else they come in.
    pub is_out: bool,
    /// What is at work: a file's or a folder's name; empty: the whole workspace.
    pub name: String,
    /// Files done.
    pub files: u64,
    /// Done and all, in bytes or, where these are not known, in files. All may be 0.
    pub done: u64,
    /// See `done`.
    pub all: u64,
}

/// What came of bringing files in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct Report {
    /// How many files are new.
    pub files: u64,
    /// How many were there already, with the same name and content.
    pub known: u64,
    /// Where they are: the folders and files at the top of the workspace, a few of them.
    pub places: Vec<String>,
    /// Those that got another name: old and new.
    pub renamed: Vec<(String, String)>,
    /// Names that differ only in form: in capitals, or in how accents are written. Some
    /// systems keep only one of them.
    pub alike: Vec<(String, String)>,
    /// What was not taken in.
    pub left_out: Vec<LeftOut>,
}

impl Report {
    /// Whether there is nothing to tell but the number.
    pub fn is_plain(&self) -> bool {
        self.renamed.is_empty() && self.alike.is_empty() && self.left_out.is_empty()
    }
}

/// Something that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: Why,
}

/// Why something was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Why {
    /// Its name leads out of the workspace.
    Outside,
    /// Its name is longer than the workspace keeps.
    TooLong,
    /// Its name is none.
    BadName,
    /// It is a link.
    Link,
    /// It is a device or the like.
    Special,
    /// It is locked with a password.
    Encrypted,
    /// It is packed in a way that is not known here.
    Unsupported,
    /// Its content is damaged.
    Damaged,
    /// Its end is missing.
    CutOff,
    /// It is no archive of the kind its name says.
    NotOne,
    /// It is larger than the workspace keeps.
    TooLarge,
    /// It would come to far more than its size tells.
    Bomb,
    /// It has more entries than are taken in at once.
    TooMany,
    /// The archive has it twice, and the later one counts.
    Twice,
    /// A file and a folder have the same name.
    Clash,
    /// The browser could not read it.
    Unreadable,
    /// It only serves the system the archive was made on.
    System,
    /// It is another repository.
    Submodule,
    /// The user stopped.
    Stopped,
    /// The store took nothing, with its reason.
    NotSaved(String),
    /// The browser's storage is full. How many bytes it lacks, if that is known.
    Full(Option<u64>),
    /// The address names no repository of GitHub's.
    NoRepository,
    /// GitHub has none there for everybody.
    NotFound,
    /// GitHub wants no more requests for now; how many minutes to wait, if it tells.
    RateLimited(Option<u64>),
    /// GitHub answered with this status.
    Refused(u16),
    /// GitHub was not reached, or the answer broke off.
    Network,
}
