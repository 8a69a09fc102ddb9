//! What the user settles of a linked folder: conflicts, and files that are gone on one side.

use super::{Carrier, Taken};
use crate::kernel::link::DiskError;
use crate::kernel::link::look::Broken;
use crate::kernel::link::plan::{Block, Plan};
use crate::kernel::workspace::{Expect, FileChange, WorkspaceError, WorkspacePath};
use crate::protocol::{Keep, Settling};

/// Numbers that a copy may get when its name is taken.
const MOST_COPIES: u32 = 100;

impl Carrier<'_> {
    /// Settles what still stands as it was shown, and takes it out of the plan.
    pub(super) async fn settle(
        &mut self,
        settling: &Settling,
        plan: &mut Plan,
    ) -> Result<(), Broken> {
        match settling {
            Settling::Delete(paths) => {
                let there = meant(&mut plan.gone_here, paths);
                let here = meant(&mut plan.gone_there, paths);
                for path in there {
                    self.delete_there(&path).await?;
                }
                self.delete_here(here).await
            }
            Settling::BringBack(paths) => {
                let mut back = meant(&mut plan.gone_here, paths);
                back.extend(meant(&mut plan.gone_there, paths));
                // One that was never the same on both sides comes from the side that has it.
                let notes = back.iter().map(|path| self.link.note(path, None)).collect();
                self.again |= !back.is_empty();
                self.save(notes).await
            }
            Settling::Conflict { path, mark, keep } => {
                let mut conflicts = plan.conflicts.iter();
                let at = conflicts.position(|other| other.as_str() == path);
                let Some(at) = at.filter(|at| self.conflict(&plan.conflicts[*at]).mark == *mark)
                else {
                    return Ok(());
                };
                let path = plan.conflicts[at].clone();
                self.end_conflict(&path, *keep).await?;
                // What could not be done leaves it a conflict.
                let is_blocked = self
                    .left
                    .blocked
                    .iter()
                    .any(|(other, _)| other == path.as_str());
                if !is_blocked {
                    plan.conflicts.remove(at);
                }
                Ok(())
            }
            // Done before both sides were looked at.
            Settling::PutBack => Ok(()),
        }
    }

    async fn end_conflict(&mut self, path: &WorkspacePath, keep: Keep) -> Result<(), Broken> {
        let is_here = self.seen.here.contains_key(path);
        let is_there = self.seen.there.contains_key(path);
        match (keep, is_here, is_there) {
            (Keep::Mine | Keep::Both, true, false) | (Keep::Mine, true, true) => {
                self.put_one_out(path).await
            }
            (Keep::Mine, false, _) => self.delete_there(path).await,
            (Keep::Theirs | Keep::Both, false, true) | (Keep::Theirs, true, true) => {
                let taken = self.read_there(path).await?;
                self.take_in(taken.into_iter().collect()).await
            }
            (Keep::Theirs, true, false) => self.delete_here(vec![path.clone()]).await,
            (Keep::Both, true, true) => self.keep_both(path).await,
            (_, false, false) => Ok(()),
        }
    }

    /// The disk's file gets another name here, then the workspace's is written over it
    /// there; the copy goes out as any new file.
    async fn keep_both(&mut self, path: &WorkspacePath) -> Result<(), Broken> {
        let Some(Taken {
            content, version, ..
        }) = self.read_there(path).await?
        else {
            return Ok(());
        };
        let workspace = &self.kernel.0.workspace;
        for n in 1..=MOST_COPIES {
            let Some(copy) = copy_name(path, n) else {
                break;
            };
            if let Ok((_, there)) = workspace.file(&copy) {
                if there == version {
                    // Broken off behind this step the last time.
                    return self.finish_both(path).await;
                }
                continue;
            }
            let change = FileChange::Write {
                path: copy,
                content: content.clone(),
                expect: Expect::Nothing,
            };
            match self.commit(&[change], Vec::new()).await {
                Ok(()) => return self.finish_both(path).await,
                Err(error @ WorkspaceError::Store(_)) => return Err(error.into()),
                Err(_) => {}
            }
        }
        // There is no name for the copy.
        self.block(path, Block::Name);
        Ok(())
    }

    async fn finish_both(&mut self, path: &WorkspacePath) -> Result<(), Broken> {
        self.again = true;
        self.put_one_out(path).await
    }

    /// Removes a file of the disk, if it is still what was looked at.
    async fn delete_there(&mut self, path: &WorkspacePath) -> Result<(), Broken> {
        let removed = match self.is_still_there(path).await {
            Ok(false) if self.seen.stats.contains_key(path) => {
                self.again = true;
                return Ok(());
            }
            Ok(_) => self.disk.remove(path.below(&self.root)).await,
            Err(error) => Err(error),
        };
        match removed {
            Ok(()) | Err(DiskError::Gone) => self.save(vec![self.link.note(path, None)]).await,
            Err(error) => self.not_written(path, error).await,
        }
    }

    /// Deletes files here in one commit, which can be undone, and folders that are empty then.
    async fn delete_here(&mut self, paths: Vec<WorkspacePath>) -> Result<(), Broken> {
        let change = |path: &WorkspacePath| {
            let version = self.seen.here.get(path)?.clone();
            let path = path.clone();
            Some(FileChange::Delete { path, version })
        };
        let changes: Vec<FileChange> = paths.iter().filter_map(change).collect();
        if changes.is_empty() {
            return Ok(());
        }
        let notes = paths
            .iter()
            .map(|path| self.link.note(path, None))
            .collect();
        match self.commit(&changes, notes).await {
            Ok(()) => self.remove_empty(&paths).await,
            Err(error @ WorkspaceError::Store(_)) => Err(error.into()),
            // One was changed meanwhile.
            Err(_) => {
                self.again = true;
                Ok(())
            }
        }
    }

    async fn remove_empty(&self, gone: &[WorkspacePath]) -> Result<(), Broken> {
        let workspace = &self.kernel.0.workspace;
        let is_below = |folder: &WorkspacePath| folder.depth_below(&self.root).is_some();
        let above = gone
            .iter()
            .flat_map(|path| path.ancestors().collect::<Vec<_>>());
        let mut folders: Vec<WorkspacePath> = above.filter(is_below).collect();
        folders.sort_unstable();
        folders.dedup();
        // A folder's folders come before it.
        folders.reverse();
        let mut empty: Vec<WorkspacePath> = Vec::new();
        for folder in folders {
            let below = workspace.below(&folder);
            if below.iter().all(|(path, _)| empty.contains(path)) {
                empty.push(folder);
            }
        }
        let change = |path| FileChange::RemoveFolder { path };
        let changes: Vec<FileChange> = empty.into_iter().map(change).collect();
        match self.commit(&changes, Vec::new()).await {
            Err(error @ WorkspaceError::Store(_)) => Err(error.into()),
            // Something came into one of them: then it stays.
            _ => Ok(()),
        }
    }
}

/// Those of `list` that are meant, taken out of it.
fn meant(list: &mut Vec<WorkspacePath>, paths: &[String]) -> Vec<WorkspacePath> {
    let is_meant = |path: &WorkspacePath| paths.iter().any(|other| other == path.as_str());
    let (meant, rest) = std::mem::take(list).into_iter().partition(is_meant);
    *list = rest;
    meant
}

/// `notes (from disk).md`, and with a number where that is taken.
fn copy_name(path: &WorkspacePath, n: u32) -> Option<WorkspacePath> {
    let (folder, name) = match path.as_str().rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), path.as_str()),
    };
    let (stem, ending) = match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    let mark = match n {
        1 => "(from disk)".to_owned(),
        n => format!("(from disk {n})"),
    };
    WorkspacePath::parse_file(&format!("{folder}{stem} {mark}{ending}")).ok()
}
