//! Changes to the files as they are asked for, checked all together before any of
//! them happens, and what they come to at each path.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::node::{Node, Version};
use super::path::WorkspacePath;
use super::rows::{Step, Tree};
use super::{MAX_FILE, Workspace, WorkspaceError};

/// One change to the files, as a tool asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Sets a file's content, makes the folders above it where they are missing.
    Write {
        /// The file.
        path: WorkspacePath,
        /// Its whole new content.
        content: Rc<[u8]>,
        /// What must be there now for the change to be right.
        expect: Expect,
    },
    /// Puts a file where nothing is, with the content of another and its time. The
    /// folders above are made.
    Link {
        /// The new file.
        path: WorkspacePath,
        /// The file that has the content.
        from: WorkspacePath,
        /// What that file must still be.
        version: Version,
    },
    /// Removes a file.
    Delete {
        /// The file.
        path: WorkspacePath,
        /// What it must still be.
        version: Version,
    },
    /// Makes a folder and those above it, where they are missing.
    MakeFolder {
        /// The folder.
        path: WorkspacePath,
    },
    /// Removes a folder in which nothing is any more.
    RemoveFolder {
        /// The folder.
        path: WorkspacePath,
    },
}

/// What a change was worked out from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// Whatever is there is replaced.
    Anything,
    /// No file may be there.
    Nothing,
    /// The file must still be this version.
    Version(Version),
}

impl FileChange {
    /// The file or folder it changes.
    pub fn path(&self) -> &WorkspacePath {
        match self {
            FileChange::Write { path, .. }
            | FileChange::Link { path, .. }
            | FileChange::Delete { path, .. }
            | FileChange::MakeFolder { path }
            | FileChange::RemoveFolder { path } => path,
        }
    }
}

impl Workspace {
    /// Whether `changes` could be made as things are now.
    ///
    /// # Errors
    /// As [`Workspace::commit`].
    pub fn check(&self, changes: &[FileChange]) -> Result<(), WorkspaceError> {
        self.plan(changes).map(drop)
    }

    /// What `changes` come to.
    pub(super) fn plan(&self, changes: &[FileChange]) -> Result<Planned, WorkspaceError> {
        let tree = self.nodes();
        let mut plan = Plan::new(&tree, self.clock.now_ms());
        changes.iter().try_for_each(|change| plan.add(change))?;
        Ok(plan.planned())
    }
}

/// Checked changes.
pub(super) struct Planned {
    /// What they do at each path.
    pub steps: Vec<Step>,
    /// Contents that the store may not have.
    pub contents: Vec<(Version, Rc<[u8]>)>,
}

/// Changes as they are put together over a tree that stays as it is.
pub(super) struct Plan<'a> {
    tree: &'a Tree,
    now_ms: u64,
    /// What will stand at the paths that change.
    new: BTreeMap<WorkspacePath, Option<Node>>,
    contents: Vec<(Version, Rc<[u8]>)>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(tree: &'a Tree, now_ms: u64) -> Self {
        Self {
            tree,
            now_ms,
            new: BTreeMap::new(),
            contents: Vec::new(),
        }
    }

    /// Adds a change to those before it.
    pub(super) fn add(&mut self, change: &FileChange) -> Result<(), WorkspaceError> {
        match change {
            FileChange::Write {
                path,
                content,
                expect,
            } => self.write(path, content, expect),
            FileChange::Link {
                path,
                from,
                version,
            } => self.link(path, from, version),
            FileChange::Delete { path, version } => {
                self.file_of(path, version)?;
                self.set(path.clone(), None);
                Ok(())
            }
            FileChange::MakeFolder { path } => self.folders(path.ancestors().chain([path.clone()])),
            FileChange::RemoveFolder { path } => {
                if self.node(path) != Some(&Node::Folder) || self.holds_more(path) {
                    return Err(WorkspaceError::Changed(path.clone()));
                }
                self.set(path.clone(), None);
                Ok(())
            }
        }
    }

    /// Puts a node where it is told, whatever was there.
    pub(super) fn set(&mut self, path: WorkspacePath, node: Option<Node>) {
        self.new.insert(path, node);
    }

    /// Puts a node back where it was, and makes the folders above it that are missing.
    pub(super) fn put_back(
        &mut self,
        path: WorkspacePath,
        node: Node,
    ) -> Result<(), WorkspaceError> {
        self.folders(path.ancestors())?;
        self.set(path, Some(node));
        Ok(())
    }

    /// Whether anything will be in a folder.
    pub(super) fn holds_more(&self, folder: &WorkspacePath) -> bool {
        let Some(range) = folder.range_below() else {
            return true;
        };
        let stays = |path: &WorkspacePath| self.new.get(path).is_none_or(Option::is_some);
        let mut old = self.tree.range(range.clone());
        old.any(|(path, _)| stays(path)) || self.new.range(range).any(|(_, node)| node.is_some())
    }

    /// What it comes to.
    pub(super) fn planned(self) -> Planned {
        let tree = self.tree;
        let steps = self.new.into_iter().map(|(path, is)| {
            let was = tree.get(&path).cloned();
            Step { path, was, is }
        });
        Planned {
            steps: steps.filter(|step| step.was != step.is).collect(),
            contents: self.contents,
        }
    }

    /// What will be at `path`.
    pub(super) fn node(&self, path: &WorkspacePath) -> Option<&Node> {
        if path.is_root() {
            return Some(&Node::Folder);
        }
        match self.new.get(path) {
            Some(node) => node.as_ref(),
            None => self.tree.get(path),
        }
    }

    fn write(
        &mut self,
        path: &WorkspacePath,
        content: &Rc<[u8]>,
        expect: &Expect,
    ) -> Result<(), WorkspaceError> {
        if content.len() > MAX_FILE {
            return Err(WorkspaceError::TooLarge {
                path: path.clone(),
                size: content.len(),
            });
        }
        let here = match self.node(path) {
            Some(Node::Folder) => return Err(WorkspaceError::IsFolder(path.clone())),
            Some(Node::File { version, .. }) => Some(version),
            None => None,
        };
        match (expect, here) {
            (Expect::Anything, _) | (Expect::Nothing, None) => {}
            (Expect::Version(wanted), Some(version)) if wanted == version => {}
            _ => return Err(WorkspaceError::Changed(path.clone())),
        }
        self.folders(path.ancestors())?;
        let version = Version::of(content);
        self.contents.push((version.clone(), Rc::clone(content)));
        let file = Node::File {
            size: content.len() as u64,
            modified_ms: self.now_ms,
            version,
        };
        self.set(path.clone(), Some(file));
        Ok(())
    }

    /// The content is there as long as a file has it: nothing is tidied between this and
    /// the commit.
    fn link(
        &mut self,
        path: &WorkspacePath,
        from: &WorkspacePath,
        version: &Version,
    ) -> Result<(), WorkspaceError> {
        let node = self.file_of(from, version)?;
        if self.node(path).is_some() {
            return Err(WorkspaceError::Taken(path.clone()));
        }
        self.put_back(path.clone(), node)
    }

    fn folders(
        &mut self,
        folders: impl Iterator<Item = WorkspacePath>,
    ) -> Result<(), WorkspaceError> {
        for folder in folders {
            match self.node(&folder) {
                Some(Node::File { .. }) => return Err(WorkspaceError::IsFile(folder)),
                Some(Node::Folder) => {}
                None => self.set(folder, Some(Node::Folder)),
            }
        }
        Ok(())
    }

    /// The file at `path`, if it is still `version`.
    fn file_of(&self, path: &WorkspacePath, version: &Version) -> Result<Node, WorkspaceError> {
        match self.node(path) {
            Some(node) => match node.content() {
                Some((here, _)) if here == version => Ok(node.clone()),
                Some(_) => Err(WorkspaceError::Changed(path.clone())),
                None => Err(WorkspaceError::IsFolder(path.clone())),
            },
            None => Err(WorkspaceError::NotFound(path.clone())),
        }
    }
}
