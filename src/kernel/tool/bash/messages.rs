//! What is said between the kernel and a shell. The package `tabloop-shell` has this same
//! file as its module `messages`, so that what the one side writes the other can read.

use crate::plain::Plain;

/// From the kernel to a shell.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum ToShell {
    /// Run a command.
    Run {
        /// The command.
        command: String,
        /// The files, a line each: `/ path` for a folder, `size modified_ms id path` for a
        /// file, where the same id means the same content.
        index: String,
    },
    /// What [`FromShell::Need`] asked for, in its order.
    Contents(Vec<Given>),
}

/// The content of a file, or that there is none to be had.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Given {
    /// Whether it may be read and is there.
    pub is_there: bool,
    /// The content.
    pub content: Vec<u8>,
}

/// From a shell to the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum FromShell {
    /// So much of the shell has come.
    Loading {
        /// Bytes.
        got: u64,
        /// Bytes in all.
        of: u64,
    },
    /// It takes commands.
    Ready,
    /// It could not be loaded.
    Failed(String),
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
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
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
    /// The bytes of files in it, which travel beside the text.
    pub fn bytes(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            ToShell::Contents(given) => given.iter_mut().map(|given| &mut given.content).collect(),
            ToShell::Run { .. } => Vec::new(),
        }
    }
}

impl FromShell {
    /// The bytes of files in it, which travel beside the text.
    pub fn bytes(&mut self) -> Vec<&mut Vec<u8>> {
        let FromShell::Done { changes, .. } = self else {
            return Vec::new();
        };
        let contents = changes.iter_mut().filter_map(|change| match change {
            Changed::File { content, .. } => Some(content),
            _ => None,
        });
        contents.collect()
    }
}
