//! From what a command came to, path by path, to changes that the workspace makes together,
//! each bound to the file that the command began with.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::exchange::Base;
use super::link::Changed;
use crate::kernel::store::StoreError;
use crate::kernel::tool::{ToolContext, ToolError};
use crate::kernel::workspace::{Expect, FileChange, Node, Version, WorkspaceError, WorkspacePath};

type Wishes = BTreeMap<WorkspacePath, Wish>;

/// What shall be at a path.
enum Wish {
    Nothing,
    Folder,
    Content(Rc<[u8]>),
    /// What this file held at the start.
    Same(WorkspacePath),
}

/// The changes, in an order in which each is possible, and a sentence for each path that
/// the workspace can't have.
///
/// # Errors
/// If the store can't be read.
pub(super) async fn worked_out(
    base: &Base,
    changed: Vec<Changed>,
    context: &ToolContext<'_>,
) -> Result<(Vec<FileChange>, Vec<String>), ToolError> {
    let (wishes, refused) = wishes(changed);
    // What is copied or moved as it is was never asked for, so nothing has kept it back yet.
    let kept_back = wishes.iter().find_map(|(_, wish)| match wish {
        Wish::Same(from) if !context.run.may_read(from.as_str()) => Some(from),
        _ => None,
    });
    if let Some(from) = kept_back {
        let text = format!(
            "a rule of the user forbids reading {from}, which the command copied or moved; nothing was changed"
        );
        return Err(ToolError::ForModel(text));
    }
    let (mut links, mut folders, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    for (path, wish) in &wishes {
        let content = match wish {
            Wish::Nothing => continue,
            Wish::Folder => {
                folders.push(FileChange::MakeFolder { path: path.clone() });
                continue;
            }
            Wish::Content(content) => Rc::clone(content),
            Wish::Same(from) => match base.get(from).and_then(Node::content) {
                Some((version, _)) if is_free(base, path) => {
                    links.push(FileChange::Link {
                        path: path.clone(),
                        from: from.clone(),
                        version: version.clone(),
                    });
                    continue;
                }
                Some((version, size)) => {
                    let content = context.workspace.content(version, size).await;
                    let content = content.map_err(WorkspaceError::from)?;
                    let lost = || WorkspaceError::from(StoreError::Corrupt(from.to_string()));
                    content.ok_or_else(lost)?.into()
                }
                None => continue,
            },
        };
        writes.extend(write(base, path, content));
    }
    let all = [links, in_the_way(base, &wishes), folders, writes];
    Ok((all.into_iter().flatten().collect(), refused))
}

/// Sets a content, if it is another one than there was.
fn write(base: &Base, path: &WorkspacePath, content: Rc<[u8]>) -> Option<FileChange> {
    let expect = match base.get(path) {
        Some(Node::File { version, .. }) if *version == Version::of(&content) => return None,
        Some(Node::File { version, .. }) => Expect::Version(version.clone()),
        _ => Expect::Nothing,
    };
    Some(FileChange::Write {
        path: path.clone(),
        content,
        expect,
    })
}

/// What goes, or makes room for something of another kind: files before the folders that
/// they lie in.
fn in_the_way(base: &Base, wishes: &Wishes) -> Vec<FileChange> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for (path, wish) in wishes {
        let path = path.clone();
        match (base.get(&path), wish) {
            (Some(Node::File { version, .. }), Wish::Nothing | Wish::Folder) => {
                let version = version.clone();
                files.push(FileChange::Delete { path, version });
            }
            (Some(Node::Folder), Wish::Nothing | Wish::Content(_) | Wish::Same(_)) => {
                folders.push(FileChange::RemoveFolder { path });
            }
            _ => {}
        }
    }
    files.into_iter().chain(folders.into_iter().rev()).collect()
}

/// Whether a file can be put at a path before anything else happens.
fn is_free(base: &Base, path: &WorkspacePath) -> bool {
    let is_file = |at: WorkspacePath| matches!(base.get(&at), Some(Node::File { .. }));
    !base.contains_key(path) && !path.ancestors().any(is_file)
}

fn wishes(changed: Vec<Changed>) -> (Wishes, Vec<String>) {
    let (mut wishes, mut refused) = (BTreeMap::new(), Vec::new());
    for changed in changed {
        let (path, wish) = match changed {
            Changed::Gone { path } => (path, Wish::Nothing),
            Changed::Folder { path } => (path, Wish::Folder),
            Changed::File { path, content } => (path, Wish::Content(content.into())),
            Changed::Same { path, from } => match WorkspacePath::parse_file(&from) {
                Ok(from) => (path, Wish::Same(from)),
                Err(_) => continue,
            },
        };
        match WorkspacePath::parse_file(&path) {
            Ok(known) if known.as_str() == path => drop(wishes.insert(known, wish)),
            Ok(_) => refused.push(format!("the path {path:?} is not in its shortest form")),
            Err(error) => refused.push(error.to_string()),
        }
    }
    (wishes, refused)
}
