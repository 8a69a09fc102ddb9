//! What the kernel tells the page of how things stand: files, keys, lists of
//! models, and all of it at the start.

use crate::kernel::event::Failure;
use crate::kernel::session::Session;
use crate::kernel::settings::{ProfileId, Settings};
use crate::kernel::spaces::Spaces;
use crate::plain::Plain;

/// What came of asking an endpoint for its models.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum ModelList {
    /// These, by name.
    Models(Vec<ListedModel>),
    /// No list.
    Failed(Failure),
}

/// A model in an endpoint's list.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct ListedModel {
    /// Its name.
    pub name: String,
    /// What it takes in, in tokens; 0: that is not known.
    pub window: u32,
}

/// Everything the page needs to draw itself.
#[derive(Debug, Clone, PartialEq, Plain)]
pub struct Snapshot {
    /// The settings.
    pub settings: SettingsView,
    /// The workspaces, and which of them is shown.
    pub spaces: Spaces,
    /// All sessions of that workspace, newest first.
    pub sessions: Vec<Session>,
    /// All files and folders, by path.
    pub files: Vec<FileRow>,
    /// Whether this tab may write.
    pub access: Access,
    /// Where things are kept.
    pub storage: Storage,
}

/// The settings as the page may know them.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct SettingsView {
    /// All that is kept.
    pub kept: Settings,
    /// The endpoints that the kernel holds a key for.
    pub with_key: Vec<ProfileId>,
    /// Where the keys stand that are kept on this device.
    pub vault: VaultState,
}

/// Where the keys stand that are kept on this device under a passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum VaultState {
    /// They can't be kept.
    Unavailable(NoVault),
    /// None are: keys are kept for their tab only.
    None,
    /// They are of no use without the passphrase.
    Locked,
    /// They can be used, and what changes is saved.
    Open,
    /// They can't be read any more.
    Damaged,
}

/// Why no keys can be kept on this device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum NoVault {
    /// The browser offers its cryptography to pages that are served securely only.
    Cryptography,
    /// The browser keeps nothing for this page.
    Storage,
}

/// Why a [`VaultCommand`] was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum VaultProblem {
    /// The passphrase is another one.
    WrongPassphrase,
    /// The new passphrase has fewer than [`Passphrase::MIN_CHARS`] characters.
    TooShort,
    /// The browser made no key of the passphrase.
    NoKey,
    /// It could not be saved, with the reason.
    NotSaved(String),
}

/// Whether this tab may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Access {
    /// It may.
    Writer,
    /// Another tab does; this one only looks.
    Reader,
    /// It could until another tab took over; now it only looks.
    Former,
}

/// Where things are kept.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Storage {
    /// In the browser's database.
    Browser,
    /// In memory, until the tab is closed; with the browser's reason.
    Memory(String),
}

/// One line of the file tree.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct FileRow {
    /// Relative to the workspace.
    pub path: String,
    /// Bytes; `None` for a folder.
    pub size: Option<u64>,
}

/// A file as it can be shown.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum FileView {
    /// Text.
    Text {
        /// As much as is shown.
        text: String,
        /// Bytes of the whole file.
        size: u64,
        /// Whether there is more.
        cut: bool,
    },
    /// An image of a kind that browsers show.
    Image {
        /// Its media type.
        mime: String,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// A PDF.
    Pdf(Vec<u8>),
    /// None of these.
    Binary {
        /// Bytes.
        size: u64,
        /// Its first bytes.
        head: Vec<u8>,
    },
    /// The file is not there, or can't be read.
    Missing,
}
