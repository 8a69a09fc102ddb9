//! What a question for approval shows of a call's changes, and binds them to it.

use std::collections::BTreeSet;

use crate::kernel::diff::{DiffKind, FileDiff, diff};
use crate::kernel::workspace::{
    Expect, FileChange, Version, Workspace, WorkspaceError, WorkspacePath,
};

/// Most files that are shown one by one.
const MAX_SHOWN: usize = 50;

/// What changes have to do with each other.
#[derive(Default)]
struct Overview {
    /// Files that go.
    deleted: BTreeSet<WorkspacePath>,
    /// Files whose content comes to another place.
    linked: BTreeSet<WorkspacePath>,
    /// Folders in which something changes.
    above: BTreeSet<WorkspacePath>,
}

impl Overview {
    fn of(changes: &[FileChange]) -> Self {
        let mut all = Self::default();
        for change in changes {
            all.above.extend(change.path().ancestors());
            match change {
                FileChange::Delete { path, .. } => all.deleted.insert(path.clone()),
                FileChange::Link { from, .. } => all.linked.insert(from.clone()),
                _ => false,
            };
        }
        all
    }
}

/// What the changes do, as far as it is shown, and how many more there are. Each is
/// bound to the file as it is now: what the user says yes to is what happens.
pub(super) async fn shown(
    workspace: &Workspace,
    changes: &mut [FileChange],
) -> Result<(Vec<FileDiff>, usize), WorkspaceError> {
    let (mut shown, mut more) = (Vec::new(), 0);
    let of_all = Overview::of(changes);
    for change in changes {
        let is_full = shown.len() == MAX_SHOWN;
        let diff = match change {
            FileChange::Write {
                path,
                content,
                expect,
            } => {
                let old = content_of(workspace, path).await?;
                if *expect == Expect::Anything {
                    *expect = match &old {
                        Some((_, version)) => Expect::Version(version.clone()),
                        None => Expect::Nothing,
                    };
                }
                let old = old.as_ref().map(|(content, _)| content.as_slice());
                Some(diff(path.as_str(), old, Some(content)))
            }
            FileChange::Link { path, from, .. } => {
                let kind = match of_all.deleted.contains(from) {
                    true => DiffKind::Moved,
                    false => DiffKind::Copied,
                };
                Some(FileDiff::bare(path.as_str(), kind, Some(from.as_str())))
            }
            FileChange::Delete { path, .. } if of_all.linked.contains(path) => None,
            FileChange::Delete { path, .. } if is_full => {
                workspace.file(path)?;
                Some(FileDiff::bare(path.as_str(), DiffKind::Deleted, None))
            }
            FileChange::Delete { path, .. } => {
                let old = content_of(workspace, path).await?;
                let old = old.as_ref().map(|(content, _)| content.as_slice());
                Some(diff(path.as_str(), old, None))
            }
            // A folder goes without saying where something in it is shown.
            FileChange::MakeFolder { path } if !of_all.above.contains(path) => {
                Some(FileDiff::bare(path.as_str(), DiffKind::NewFolder, None))
            }
            FileChange::RemoveFolder { path } if !of_all.above.contains(path) => {
                Some(FileDiff::bare(path.as_str(), DiffKind::DeletedFolder, None))
            }
            FileChange::MakeFolder { .. } | FileChange::RemoveFolder { .. } => None,
        };
        match diff {
            Some(_) if is_full => more += 1,
            diff => shown.extend(diff),
        }
    }
    Ok((shown, more))
}

async fn content_of(
    workspace: &Workspace,
    path: &WorkspacePath,
) -> Result<Option<(Vec<u8>, Version)>, WorkspaceError> {
    match workspace.read(path).await {
        Ok(found) => Ok(Some(found)),
        Err(WorkspaceError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
