//! What the model knows of files: the version of each as it last read or wrote it.
//! It stands in the results, so that a resumed run knows it too.

use std::collections::BTreeMap;

use crate::kernel::session::{Entry, Known, Record};
use crate::kernel::tool::ToolOutput;
use crate::kernel::workspace::{FileChange, Version, Workspace};

/// Versions by path.
pub(super) type KnownFiles = BTreeMap<String, Version>;

/// What the model knows after these records.
pub(super) fn known_files(records: &[Record]) -> KnownFiles {
    let mut files = KnownFiles::new();
    for record in records {
        if let Entry::ToolResult(result) = &record.entry {
            learn(&mut files, &result.known);
        }
    }
    files
}

/// Takes in what a call taught.
pub(super) fn learn(files: &mut KnownFiles, learnt: &[Known]) {
    for Known { path, version } in learnt {
        match version {
            Some(version) => files.insert(path.clone(), version.clone()),
            None => files.remove(path),
        };
    }
}

/// What the model knows of files by a call, told before its changes are made.
pub(super) fn learnt(workspace: &Workspace, files: &KnownFiles, output: &ToolOutput) -> Vec<Known> {
    let read = output.read.iter().map(|(path, version)| Known {
        path: path.as_str().to_owned(),
        version: Some(version.clone()),
    });
    let mut learnt: Vec<Known> = read.collect();
    for change in &output.changes {
        let path = change.path().as_str();
        let version = match change {
            // Who adds to a file that changed does not know it for that.
            FileChange::Write { path, content, .. } => {
                let before = workspace.file(path).ok().map(|(_, version)| version);
                let known = files.get(path.as_str());
                match known.is_some() && before.is_some() && known != before.as_ref() {
                    true => continue,
                    false => Some(Version::of(content)),
                }
            }
            FileChange::Link { from, version, .. } => match files.get(from.as_str()) {
                Some(known) if known == version => Some(version.clone()),
                _ => continue,
            },
            FileChange::Delete { .. } if files.contains_key(path) => None,
            _ => continue,
        };
        let path = path.to_owned();
        learnt.push(Known { path, version });
    }
    learnt
}
