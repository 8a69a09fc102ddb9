//! What travels between the kernel and the shell's worker: the twin of
//! `tabloop::kernel::tool::bash::link`, which writes and reads the same JSON. The bytes of
//! files travel beside it, one piece for each `content`, in order.

use serde::{Deserialize, Serialize};

/// From the kernel to the shell.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToShell {
    /// Run a command.
    Run {
        /// The command.
        command: String,
        /// The files as they are now, see [`crate::overlay::Overlay::begin`].
        index: String,
    },
    /// What [`FromShell::Need`] asked for, in its order.
    Contents(Vec<Given>),
}

/// The content of a file, or that there is none to be had.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// Whether it may be read and is there.
    pub is_there: bool,
    /// The content.
    pub content: Vec<u8>,
}

/// From the shell to the kernel.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromShell {
    /// The contents of these files are needed.
    Need(Vec<String>),
    /// More of what the command prints.
    Printed {
        /// To its standard output.
        stdout: String,
        /// To its standard error.
        stderr: String,
    },
    /// The command has ended.
    Done {
        /// Its exit code.
        exit_code: u32,
        /// All that it printed, the middle left out where that is too much.
        stdout: String,
        /// The same for its standard error.
        stderr: String,
        /// The current folder, as the shell names it.
        folder: String,
        /// What it did to files.
        changes: Vec<Changed>,
    },
}

/// What a command came to at one path, told against the files it began with.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Changed {
    /// Nothing is there any more.
    Gone {
        /// Where.
        path: String,
    },
    /// A folder is there.
    Folder {
        /// Where.
        path: String,
    },
    /// A file is there.
    File {
        /// Where.
        path: String,
        /// What it holds.
        content: Vec<u8>,
    },
    /// A file is there with the content that another had at the start.
    Same {
        /// Where.
        path: String,
        /// The other file.
        from: String,
    },
}

impl ToShell {
    /// Puts in what travelled beside.
    pub fn fill(&mut self, bytes: Vec<Vec<u8>>) {
        if let ToShell::Contents(given) = self {
            for (given, bytes) in given.iter_mut().zip(bytes) {
                given.content = bytes;
            }
        }
    }
}

impl FromShell {
    /// Takes out what travels beside.
    pub fn take_bytes(&mut self) -> Vec<Vec<u8>> {
        let FromShell::Done { changes, .. } = self else {
            return Vec::new();
        };
        let contents = changes.iter_mut().filter_map(|change| match change {
            Changed::File { content, .. } => Some(std::mem::take(content)),
            _ => None,
        });
        contents.collect()
    }
}
