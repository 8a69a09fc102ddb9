//! Changes to the files as they are asked for, checked all together before any of
//! them happens.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::path::WorkspacePath;
use super::{CHUNK, MAX_FILE, Node, Version, Workspace, WorkspaceError, blob_key, chunk_count};
use crate::kernel::store::{Change, Key, Table, Value};

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
        self.plan(changes).map(|_| ())
    }

    pub(super) fn plan(&self, changes: &[FileChange]) -> Result<Plan, WorkspaceError> {
        let mut plan = Plan::default();
        for change in changes {
            match change {
                FileChange::Write {
                    path,
                    content,
                    expect,
                } => self.plan_write(&mut plan, path, content, expect)?,
                FileChange::Link {
                    path,
                    from,
                    version,
                } => self.plan_link(&mut plan, path, from, version)?,
                FileChange::Delete { path, version } => {
                    self.file_of(&plan, path, version)?;
                    plan.replaced.push(version.clone());
                    plan.nodes.insert(path.clone(), None);
                }
                FileChange::MakeFolder { path } => {
                    self.plan_folders(&mut plan, path.ancestors().chain([path.clone()]))?;
                }
                FileChange::RemoveFolder { path } => {
                    if !self.is_empty_folder(&plan, path) {
                        return Err(WorkspaceError::Changed(path.clone()));
                    }
                    plan.nodes.insert(path.clone(), None);
                }
            }
        }
        Ok(plan)
    }

    fn plan_write(
        &self,
        plan: &mut Plan,
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
        let here = match self.planned(plan, path) {
            Some(Node::Folder) => return Err(WorkspaceError::IsFolder(path.clone())),
            Some(Node::File { version, .. }) => Some(version),
            None => None,
        };
        match (expect, &here) {
            (Expect::Anything, _) | (Expect::Nothing, None) => {}
            (Expect::Version(wanted), Some(version)) if wanted == version => {}
            _ => return Err(WorkspaceError::Changed(path.clone())),
        }
        self.plan_folders(plan, path.ancestors())?;
        let version = Version::of(content);
        plan.replaced.extend(here);
        plan.blobs.push((version.clone(), Rc::clone(content)));
        let node = Node::File {
            size: content.len() as u64,
            modified_ms: self.clock.now_ms(),
            version,
        };
        plan.nodes.insert(path.clone(), Some(node));
        Ok(())
    }

    /// The content is there as long as a file has it: no sweep comes between this and
    /// the commit.
    fn plan_link(
        &self,
        plan: &mut Plan,
        path: &WorkspacePath,
        from: &WorkspacePath,
        version: &Version,
    ) -> Result<(), WorkspaceError> {
        let node = self.file_of(plan, from, version)?;
        if self.planned(plan, path).is_some() {
            return Err(WorkspaceError::Taken(path.clone()));
        }
        self.plan_folders(plan, path.ancestors())?;
        plan.nodes.insert(path.clone(), Some(node));
        Ok(())
    }

    fn plan_folders(
        &self,
        plan: &mut Plan,
        folders: impl Iterator<Item = WorkspacePath>,
    ) -> Result<(), WorkspaceError> {
        for folder in folders {
            match self.planned(plan, &folder) {
                Some(Node::File { .. }) => return Err(WorkspaceError::IsFile(folder)),
                Some(Node::Folder) => {}
                None => {
                    plan.nodes.insert(folder, Some(Node::Folder));
                }
            }
        }
        Ok(())
    }

    /// What is at `path` once the changes so far are made.
    fn planned(&self, plan: &Plan, path: &WorkspacePath) -> Option<Node> {
        match plan.nodes.get(path) {
            Some(node) => node.clone(),
            None => self.node(path),
        }
    }

    /// The file at `path`, if it is still `version`.
    fn file_of(
        &self,
        plan: &Plan,
        path: &WorkspacePath,
        version: &Version,
    ) -> Result<Node, WorkspaceError> {
        match self.planned(plan, path) {
            Some(node @ Node::File { .. }) if matches!(&node, Node::File { version: here, .. } if here == version) => {
                Ok(node)
            }
            Some(Node::File { .. }) => Err(WorkspaceError::Changed(path.clone())),
            Some(Node::Folder) => Err(WorkspaceError::IsFolder(path.clone())),
            None => Err(WorkspaceError::NotFound(path.clone())),
        }
    }

    fn is_empty_folder(&self, plan: &Plan, path: &WorkspacePath) -> bool {
        let Some(range) = path.range_below() else {
            return false;
        };
        let nodes = self.nodes();
        let stays = |path: &WorkspacePath| plan.nodes.get(path).is_none_or(Option::is_some);
        let comes = |(_, node): (&WorkspacePath, &Option<Node>)| node.is_some();
        self.planned(plan, path) == Some(Node::Folder)
            && !nodes.range(range.clone()).any(|(path, _)| stays(path))
            && !plan.nodes.range(range).any(comes)
    }
}

/// A checked set of changes, ready to be put.
#[derive(Default)]
pub(super) struct Plan {
    /// What is at each path then; `None`: nothing.
    pub(super) nodes: BTreeMap<WorkspacePath, Option<Node>>,
    pub(super) blobs: Vec<(Version, Rc<[u8]>)>,
    pub(super) replaced: Vec<Version>,
}

impl Plan {
    pub(super) fn puts(&self, workspace: &str) -> Vec<Change> {
        let nodes = self.nodes.iter().map(|(path, node)| {
            let key = Key::new([workspace.into(), path.as_str().into()]);
            match node {
                Some(node) => Change::Put(Table::Nodes, key, Value::record(node)),
                None => Change::Delete(Table::Nodes, key),
            }
        });
        let blobs = self.blobs.iter().flat_map(|(version, content)| {
            // An empty file has one empty chunk, so that a missing blob is always a fault.
            (0..chunk_count(content.len())).map(move |chunk| {
                let bytes = &content[chunk * CHUNK..content.len().min((chunk + 1) * CHUNK)];
                Change::Put(
                    Table::Blobs,
                    blob_key(version, chunk),
                    Value::Bytes(bytes.to_vec()),
                )
            })
        });
        blobs.chain(nodes).collect()
    }
}
