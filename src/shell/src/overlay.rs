//! The workspace as a command sees it: the files as they were when it began, and what it
//! did to them since, which stays here until the kernel is told. Contents are fetched when
//! they are needed, those of neighbours along with them.
//!
//! Paths are those of the workspace, without a leading slash; the empty one is the root.

mod change;
mod tree;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::messages::Changed;
pub use change::{Parents, What};
pub use tree::{Content, Node};

/// Bytes of fetched contents that are kept from one command to the next.
const MAX_KEPT: usize = 48 << 20;
/// Most files and bytes that are fetched at once.
const MAX_AHEAD: usize = 256;
const MAX_AHEAD_BYTES: u64 = 2 << 20;

/// Why something can't be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Nothing is there.
    NotFound,
    /// A folder is there.
    IsFolder,
    /// No folder is there.
    NotFolder,
    /// Something is in the folder.
    NotEmpty,
    /// Something is there already.
    Exists,
    /// The user's rules keep the file to themselves.
    Forbidden,
    /// The workspace can't hold a file of this name.
    BadName(&'static str),
    /// The command has written too much.
    Full,
    /// A folder can't be moved into itself.
    IntoItself,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Bytes; 0 for a folder.
    pub size: u64,
    /// Milliseconds since the Unix epoch.
    pub modified_ms: u64,
    /// Its permissions, as Unix counts them.
    pub mode: u32,
}

/// A content, or what has to be fetched first.
#[derive(Debug, PartialEq, Eq)]
pub enum Got {
    /// It is here.
    Here(Arc<Vec<u8>>),
    /// These files have to be asked for: the one that is wanted, and those that will be next.
    Fetch(Vec<String>),
}

/// See the module.
#[derive(Default)]
pub struct Overlay {
    base: BTreeMap<String, Node>,
    now: BTreeMap<String, Node>,
    fetched: HashMap<Arc<str>, Arc<Vec<u8>>>,
    fetched_bytes: usize,
    /// Files whose content was refused.
    refused: HashSet<Arc<str>>,
    modes: HashMap<String, u32>,
    /// How many files are fetched the next time.
    ahead: usize,
    /// The time as it was told last.
    clock_ms: u64,
}

impl Overlay {
    /// Begins with the files that `index` tells of, a line each: `/ path` for a folder,
    /// `size modified_ms id path` for a file, where the same id means the same content.
    pub fn begin(&mut self, index: &str) {
        self.base = index.lines().filter_map(tree::read_line).collect();
        self.now = self.base.clone();
        self.refused.clear();
        self.ahead = 1;
        if self.fetched_bytes > MAX_KEPT {
            self.fetched.clear();
            self.fetched_bytes = 0;
        }
        let now = &self.now;
        self.modes.retain(|path, _| now.contains_key(path));
    }

    /// Tells the time, in milliseconds since the Unix epoch.
    pub fn set_time(&mut self, now_ms: u64) {
        self.clock_ms = now_ms;
    }

    /// What is at `path`.
    ///
    /// # Errors
    /// [`Problem::NotFound`].
    pub fn look(&self, path: &str) -> Result<Look, Problem> {
        if path.is_empty() {
            return Ok(tree::look(&Node::Folder { modified_ms: 0 }, None));
        }
        let node = self.now.get(path).ok_or(Problem::NotFound)?;
        Ok(tree::look(node, self.modes.get(path).copied()))
    }

    /// What is in a folder, by name.
    ///
    /// # Errors
    /// [`Problem::NotFound`] or [`Problem::NotFolder`].
    pub fn list(&self, folder: &str) -> Result<Vec<(String, Look)>, Problem> {
        if !self.look(folder)?.is_folder {
            return Err(Problem::NotFolder);
        }
        let children = tree::below(&self.now, folder).filter_map(|(path, node)| {
            let name = path[folder.len()..].trim_start_matches('/');
            let look = || tree::look(node, self.modes.get(path).copied());
            (!name.contains('/')).then(|| (name.to_owned(), look()))
        });
        Ok(children.collect())
    }

    /// The content of a file.
    ///
    /// # Errors
    /// If there is none, or it may not be read.
    pub fn content(&mut self, path: &str) -> Result<Got, Problem> {
        let (from, id) = match self.now.get(path) {
            Some(Node::File { content, .. }) => match content {
                Content::Own(bytes) => return Ok(Got::Here(Arc::clone(bytes))),
                Content::Base { from, id, size } => match (self.fetched.get(id), size) {
                    (Some(bytes), _) => return Ok(Got::Here(Arc::clone(bytes))),
                    (None, 0) => return Ok(Got::Here(Arc::default())),
                    _ => (from.to_string(), Arc::clone(id)),
                },
            },
            Some(Node::Folder { .. }) => return Err(Problem::IsFolder),
            None if path.is_empty() => return Err(Problem::IsFolder),
            None => return Err(Problem::NotFound),
        };
        if self.refused.contains(&id) {
            return Err(Problem::Forbidden);
        }
        Ok(Got::Fetch(self.wanted(&from)))
    }

    /// The file `from`, and those behind it that are not here: more of them each time.
    fn wanted(&mut self, from: &str) -> Vec<String> {
        let mut wanted = Vec::new();
        let mut bytes = 0;
        for (path, node) in self.base.range(from.to_owned()..) {
            let Node::File {
                content: Content::Base { id, size, .. },
                ..
            } = node
            else {
                continue;
            };
            if self.fetched.contains_key(id) || self.refused.contains(id) || *size == 0 {
                continue;
            }
            bytes += size;
            let is_enough = wanted.len() >= self.ahead || bytes > MAX_AHEAD_BYTES;
            if is_enough && !wanted.is_empty() {
                break;
            }
            wanted.push(path.clone());
        }
        self.ahead = (self.ahead * 4).min(MAX_AHEAD);
        wanted
    }

    /// Takes in the content of the file that stood at `path` at the start, or that it may
    /// not be read.
    pub fn take(&mut self, path: &str, content: Option<Vec<u8>>) {
        let Some(Node::File {
            content: Content::Base { id, .. },
            ..
        }) = self.base.get(path)
        else {
            return;
        };
        match content {
            Some(bytes) => {
                self.fetched_bytes += bytes.len();
                self.fetched.insert(Arc::clone(id), Arc::new(bytes));
            }
            None => drop(self.refused.insert(Arc::clone(id))),
        }
    }

    /// What the command came to, in the order of the paths.
    pub fn changes(&self) -> Vec<Changed> {
        let gone = self
            .base
            .keys()
            .filter(|path| !self.now.contains_key(*path));
        let gone = gone.map(|path| Changed::Gone { path: path.clone() });
        let come = self.now.iter().filter_map(|(path, node)| {
            let path = path.clone();
            match (node, self.base.get(&path)) {
                (Node::Folder { .. }, Some(Node::Folder { .. })) => None,
                (Node::Folder { .. }, _) => Some(Changed::Folder { path }),
                (
                    Node::File {
                        content: Content::Base { from, .. },
                        ..
                    },
                    _,
                ) => {
                    let from = from.to_string();
                    (from != path).then_some(Changed::Same { path, from })
                }
                (
                    Node::File {
                        content: Content::Own(bytes),
                        ..
                    },
                    _,
                ) => {
                    let content = bytes.to_vec();
                    Some(Changed::File { path, content })
                }
            }
        });
        gone.chain(come).collect()
    }
}

#[cfg(test)]
mod tests;
