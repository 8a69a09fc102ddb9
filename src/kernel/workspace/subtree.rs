//! A file, or a folder with all that is in it, as one thing to move, copy or remove.

use super::path::WorkspacePath;
use super::{FileChange, Node, Workspace, WorkspaceError};

/// All that stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subtree {
    /// All of it, the folder itself first.
    pub nodes: Vec<(WorkspacePath, Node)>,
}

/// Why a subtree can't be put somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misplaced {
    /// It is there already.
    Same,
    /// The place lies inside of it.
    Inside,
    /// A folder is there.
    Folder,
    /// A file is there.
    File,
    /// A path would be none.
    Path(WorkspaceError),
}

impl Subtree {
    /// What is at `path`; `None` if that is nothing.
    pub fn at(workspace: &Workspace, path: &WorkspacePath) -> Option<Self> {
        let node = workspace.node(path)?;
        let mut nodes = vec![(path.clone(), node.clone())];
        if node == Node::Folder {
            nodes.extend(workspace.below(path));
        }
        Some(Self { nodes })
    }

    /// How many files it has.
    pub fn file_count(&self) -> usize {
        let is_file = |(_, node): &&(WorkspacePath, Node)| *node != Node::Folder;
        self.nodes.iter().filter(is_file).count()
    }

    /// Puts all of it at `to` too.
    ///
    /// # Errors
    /// Why that can't be.
    pub fn put_at(
        &self,
        workspace: &Workspace,
        to: &WorkspacePath,
    ) -> Result<Vec<FileChange>, Misplaced> {
        let (from, _) = &self.nodes[0];
        if from == to {
            return Err(Misplaced::Same);
        }
        if to.depth_below(from).is_some() {
            return Err(Misplaced::Inside);
        }
        match workspace.node(to) {
            None => {}
            Some(Node::Folder) => return Err(Misplaced::Folder),
            Some(Node::File { .. }) => return Err(Misplaced::File),
        }
        let put = self.nodes.iter().map(|(path, node)| {
            let new = path
                .moved(from, to)
                .map_err(|error| Misplaced::Path(error.into()))?;
            Ok(match node {
                Node::Folder => FileChange::MakeFolder { path: new },
                Node::File { version, .. } => FileChange::Link {
                    path: new,
                    from: path.clone(),
                    version: version.clone(),
                },
            })
        });
        put.collect()
    }

    /// Removes all of it.
    pub fn remove(&self) -> Vec<FileChange> {
        // What lies in a folder goes before it.
        let remove = self.nodes.iter().rev().map(|(path, node)| match node {
            Node::Folder => FileChange::RemoveFolder { path: path.clone() },
            Node::File { version, .. } => FileChange::Delete {
                path: path.clone(),
                version: version.clone(),
            },
        });
        remove.collect()
    }
}
