//! The files as a script sees them while it runs: those of the workspace, and over
//! them what it wrote and deleted itself.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::text::size;
use super::super::tree::as_known;
use super::super::{ToolContext, ToolError};
use crate::kernel::workspace::{Expect, FileChange, Node, Version, WorkspaceError, WorkspacePath};

/// Largest file that a script is given or may write, in bytes.
const MAX_FILE: usize = 32 << 20;

/// See the module.
pub(super) struct Overlay<'a, 'b> {
    context: &'a ToolContext<'b>,
    /// Files that the script touched, as they were then.
    before: BTreeMap<WorkspacePath, Option<Version>>,
    /// What it made of files; `None`: deleted.
    now: BTreeMap<WorkspacePath, Option<Rc<[u8]>>>,
}

impl<'a, 'b> Overlay<'a, 'b> {
    /// Nothing is changed yet.
    pub fn new(context: &'a ToolContext<'b>) -> Self {
        Self {
            context,
            before: BTreeMap::new(),
            now: BTreeMap::new(),
        }
    }

    /// All files in a folder, at any depth.
    pub fn list(&self, folder: &str) -> Result<Vec<String>, ToolError> {
        let folder = WorkspacePath::parse(folder)?;
        let workspace = self.context.workspace;
        let is_in = |path: &WorkspacePath| folder.is_root() || path.depth_below(&folder).is_some();
        let mut paths: Vec<String> = Vec::new();
        for (path, node) in workspace.below(&folder) {
            if matches!(node, Node::File { .. }) && !self.now.contains_key(&path) {
                paths.push(path.as_str().to_owned());
            }
        }
        let own = self
            .now
            .iter()
            .filter(|(path, now)| now.is_some() && is_in(path));
        paths.extend(own.map(|(path, _)| path.as_str().to_owned()));
        if paths.is_empty() && workspace.node(&folder).is_none() {
            return Err(WorkspaceError::NotFound(folder).into());
        }
        paths.sort_unstable();
        Ok(paths)
    }

    /// What is in a file.
    pub async fn read(&mut self, path: &str) -> Result<Vec<u8>, ToolError> {
        let path = WorkspacePath::parse_file(path)?;
        match self.now.get(&path) {
            Some(Some(content)) => return Ok(content.to_vec()),
            Some(None) => return Err(WorkspaceError::NotFound(path).into()),
            None => {}
        }
        let workspace = self.context.workspace;
        let (bytes, _) = workspace.file(&path)?;
        if !self.context.run.may_read(path.as_str()) {
            return Err(ToolError::ForModel(format!(
                "the user's rules do not let a script read {path}; use read_file, which asks"
            )));
        }
        fits(&path, bytes as usize)?;
        let (content, version) = workspace.read(&path).await?;
        self.before.entry(path).or_insert(Some(version));
        Ok(content)
    }

    /// Sets what is in a file.
    pub fn write(&mut self, path: &str, content: Vec<u8>) -> Result<(), ToolError> {
        let path = WorkspacePath::parse_file(path)?;
        fits(&path, content.len())?;
        self.touch(&path)?;
        self.now.insert(path, Some(content.into()));
        Ok(())
    }

    /// Removes a file.
    pub fn delete(&mut self, path: &str) -> Result<(), ToolError> {
        let path = WorkspacePath::parse_file(path)?;
        self.touch(&path)?;
        let is_there = match self.now.get(&path) {
            Some(now) => now.is_some(),
            None => self.before.get(&path).is_some_and(Option::is_some),
        };
        if !is_there {
            return Err(WorkspaceError::NotFound(path).into());
        }
        self.now.insert(path, None);
        Ok(())
    }

    /// Notes what a file is before the script changes it for the first time.
    fn touch(&mut self, path: &WorkspacePath) -> Result<(), ToolError> {
        if !self.context.run.may_change(path.as_str()) {
            return Err(ToolError::ForModel(format!(
                "the user's rules do not let a script change {path}; use write_file or delete, which ask"
            )));
        }
        if self.before.contains_key(path) {
            return Ok(());
        }
        as_known(self.context, path)?;
        let version = match self.context.workspace.file(path) {
            Ok((_, version)) => Some(version),
            Err(WorkspaceError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        self.before.insert(path.clone(), version);
        Ok(())
    }

    /// What the script did to files, bound to what they were when it saw them.
    pub fn changes(&self) -> Vec<FileChange> {
        let change = |(path, now): (&WorkspacePath, &Option<Rc<[u8]>>)| {
            let path = path.clone();
            let before = self.before.get(&path).cloned().flatten();
            match (now, before) {
                (Some(content), Some(version)) if Version::of(content) == version => None,
                (Some(content), before) => Some(FileChange::Write {
                    path,
                    content: Rc::clone(content),
                    expect: before.map_or(Expect::Nothing, Expect::Version),
                }),
                (None, Some(version)) => Some(FileChange::Delete { path, version }),
                (None, None) => None,
            }
        };
        self.now.iter().filter_map(change).collect()
    }

    /// What it did to files, for the model.
    pub fn told(&self) -> Option<String> {
        let told = |change: &FileChange| match change {
            FileChange::Write { path, content, .. } => {
                format!("wrote {path} ({})", size(content.len()))
            }
            other => format!("deleted {}", other.path()),
        };
        let told: Vec<String> = self.changes().iter().map(told).collect();
        (!told.is_empty()).then(|| format!("[{}]", told.join(", ")))
    }
}

fn fits(path: &WorkspacePath, bytes: usize) -> Result<(), ToolError> {
    if bytes <= MAX_FILE {
        return Ok(());
    }
    Err(ToolError::ForModel(format!(
        "{path} has {}, and a script may read and write {} at most",
        size(bytes),
        size(MAX_FILE)
    )))
}
