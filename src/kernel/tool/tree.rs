//! What the tools share that work on a file or a folder with all in it.

use super::text::{count, size};
use super::{ToolContext, ToolError};
use crate::kernel::workspace::subtree::{Misplaced, Subtree};
use crate::kernel::workspace::{FileChange, Node, Workspace, WorkspaceError, WorkspacePath};

/// Most files and folders that one call moves, copies or deletes.
const MAX_NODES: usize = 20_000;

/// A file, or a folder with all that is in it.
pub(super) struct Tree {
    subtree: Subtree,
}

impl Tree {
    /// What is at `path`.
    ///
    /// # Errors
    /// A sentence for the model if there is nothing, or too much.
    pub fn at(workspace: &Workspace, path: &WorkspacePath) -> Result<Self, ToolError> {
        let Some(subtree) = Subtree::at(workspace, path) else {
            return Err(ToolError::ForModel(format!(
                "there is no file or directory {path}; list_dir shows what is there"
            )));
        };
        if subtree.nodes.len() > MAX_NODES {
            return Err(ToolError::ForModel(format!(
                "{path} holds {} entries, and one call may touch 20,000; take the directories in it one by one",
                subtree.nodes.len() - 1
            )));
        }
        Ok(Self { subtree })
    }

    /// All of it, the folder itself first.
    pub fn nodes(&self) -> &[(WorkspacePath, Node)] {
        &self.subtree.nodes
    }

    /// `a.md (340 bytes)`, `src/ (12 files, 4.5 KB)`.
    pub fn told(&self) -> String {
        let (path, node) = &self.nodes()[0];
        match node {
            Node::File { size: bytes, .. } => format!("{path} ({})", size(*bytes as usize)),
            Node::Folder => {
                let files = self.nodes().iter().filter_map(|(_, node)| match node {
                    Node::File { size, .. } => Some(*size as usize),
                    Node::Folder => None,
                });
                let sizes: Vec<usize> = files.collect();
                let (files, bytes) = (count(sizes.len(), "file"), size(sizes.iter().sum()));
                format!("{path}/ ({files}, {bytes})")
            }
        }
    }

    /// Puts all of it at `to` too.
    ///
    /// # Errors
    /// A sentence for the model if something is there, or `to` lies inside.
    pub fn put_at(
        &self,
        workspace: &Workspace,
        to: &WorkspacePath,
    ) -> Result<Vec<FileChange>, ToolError> {
        let (from, _) = &self.nodes()[0];
        let misplaced = match self.subtree.put_at(workspace, to) {
            Ok(changes) => return Ok(changes),
            Err(misplaced) => misplaced,
        };
        Err(match misplaced {
            Misplaced::Same => {
                let problem = format!("from and to are the same path {to}; give another one");
                ToolError::ForModel(problem)
            }
            Misplaced::Inside => {
                let problem = format!("{to} lies inside {from}; give a path outside of it");
                ToolError::ForModel(problem)
            }
            Misplaced::Folder => {
                let inside = match to.is_root() {
                    true => from.name().to_owned(),
                    false => format!("{to}/{}", from.name()),
                };
                ToolError::ForModel(format!(
                    "{to} is a directory that is there already; to put {from} into it give {inside:?}"
                ))
            }
            Misplaced::File => WorkspaceError::Taken(to.clone()).into(),
            Misplaced::Path(error) => error.into(),
        })
    }

    /// Removes all of it.
    pub fn remove(&self) -> Vec<FileChange> {
        self.subtree.remove()
    }
}

/// Checks that a file is still as the model knows it, before it is written over,
/// edited or deleted. One that the model never saw is not held against it.
pub(super) fn as_known(context: &ToolContext<'_>, path: &WorkspacePath) -> Result<(), ToolError> {
    match (
        context.run.known(path.as_str()),
        context.workspace.file(path),
    ) {
        (Some(known), Ok((_, now))) if known != now => Err(ToolError::ForModel(format!(
            "{path} changed since you last read it, so nothing was changed; read it again first"
        ))),
        _ => Ok(()),
    }
}
