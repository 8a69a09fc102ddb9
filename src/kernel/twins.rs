//! Names that are two here and may be one elsewhere: they differ only in capitals, or in
//! how accents are written (as one character, or as a letter and a mark). Both are kept;
//! whoever makes such a pair is told.

use super::workspace::{FileChange, Workspace, WorkspacePath};

/// Writes a text in its composed form (NFC, <https://www.unicode.org/reports/tr15/>).
pub type Compose = fn(&str) -> String;

/// What names have in common that are one on some systems.
pub fn key(name: &str, compose: Compose) -> String {
    match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        false => compose(&name.to_lowercase()),
    }
}

/// The pairs that paths of `all` make with `new` ones; what lies in a folder that has a twin
/// is not told besides. The new path stands last; of two new ones the later.
pub fn twins<'a>(
    all: impl Iterator<Item = &'a WorkspacePath>,
    new: &[WorkspacePath],
    compose: Compose,
) -> Vec<(String, String)> {
    let of_new = |path| (key(WorkspacePath::as_str(path), compose), path);
    let mut of_key: Vec<(String, &WorkspacePath)> = new.iter().map(of_new).collect();
    of_key.sort_unstable();
    let mut pairs = Vec::new();
    if of_key.is_empty() {
        return pairs;
    }
    for path in all {
        let key = key(path.as_str(), compose);
        let from = of_key.partition_point(|(of, _)| *of < key);
        let same = of_key[from..].iter().take_while(|(of, _)| *of == key);
        let is_new = same.clone().any(|(_, new)| *new == path);
        for (_, new) in same {
            let is_pair = *new != path && folder(new) == folder(path);
            if is_pair && (!is_new || path < *new) {
                pairs.push((path.as_str().to_owned(), new.as_str().to_owned()));
            }
        }
    }
    pairs
}

/// The pairs that `changes` would make with what is there, and with each other.
pub fn twins_of(
    workspace: &Workspace,
    changes: &[FileChange],
    compose: Compose,
) -> Vec<(String, String)> {
    let nodes = workspace.nodes();
    let mut new = Vec::new();
    for change in changes {
        if matches!(
            change,
            FileChange::Delete { .. } | FileChange::RemoveFolder { .. }
        ) {
            continue;
        }
        let path = change.path();
        let paths = path.ancestors().chain([path.clone()]);
        new.extend(paths.filter(|path| !path.is_root() && !nodes.contains_key(path)));
    }
    new.sort_unstable();
    new.dedup();
    // What goes away with the same changes is no twin: a file may be moved to a name that
    // differs in capitals alone.
    let goes = |path: &WorkspacePath| {
        changes.iter().any(|change| {
            let is_going = matches!(
                change,
                FileChange::Delete { .. } | FileChange::RemoveFolder { .. }
            );
            is_going && change.path() == path
        })
    };
    let mut pairs = twins(nodes.keys().chain(&new), &new, compose);
    let is_gone = |path: &str| WorkspacePath::parse(path).is_ok_and(|path| goes(&path));
    pairs.retain(|(other, _)| !is_gone(other));
    pairs
}

fn folder(path: &WorkspacePath) -> &str {
    path.as_str()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder)
}
