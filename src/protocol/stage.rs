//! What page and kernel say to each other about foreign code: scripts that a model
//! wrote and pages of the workspace, which run in a closed frame of the page.
//!
//! The page is a pipe: what the frame says goes to the kernel as it is, which alone
//! reads it. Both count it.

use crate::plain::Plain;

/// What the kernel has the page do with a frame.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Order {
    /// Runs a script in a frame that nobody sees.
    Run {
        /// JavaScript.
        code: String,
    },
    /// Shows a page of the workspace, in the place of the one before.
    Show {
        /// Its file.
        path: String,
    },
    /// Goes to the frame as it is.
    Say(Parcel),
    /// Takes the frame away, with all that runs in it.
    Close,
}

/// Text with bytes beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct Parcel {
    /// JSON.
    pub text: String,
    /// What a file holds, where the text speaks of one.
    pub bytes: Vec<u8>,
}

/// What the page tells of a frame.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Said {
    /// What was said in it, as it is.
    Parcel(Parcel),
    /// It is no more.
    Gone(Gone),
}

/// Why a frame is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Gone {
    /// Its file could not be loaded.
    NotLoaded,
    /// It did not answer any more.
    Silent,
    /// It said more than may be said.
    TooMuch,
    /// The user closed it, or opened another page in its place.
    Closed,
}
