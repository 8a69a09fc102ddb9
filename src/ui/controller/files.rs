//! The workspace's files as signals: the tree, what changed of late, the file
//! that is open.

use std::collections::BTreeSet;

use super::transfer::TransferModel;
use crate::protocol::{FileRow, FileView};
use crate::ui::signal::RwSignal;
use crate::ui::state::file_tree::{self, Files, Turned};

/// The file in the viewer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenFile {
    /// The file.
    pub path: String,
    /// Its content; `None` until it is here.
    pub view: Option<FileView>,
}

/// Who changed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The agent, in a run.
    Agent,
    /// The user.
    User,
}

/// The files' signals.
#[derive(Debug, Clone, Copy)]
pub struct FilesModel {
    /// All files and folders.
    pub all: RwSignal<Files>,
    /// Those that a run changed and the user has not looked at since.
    pub changed: RwSignal<BTreeSet<String>>,
    /// Folders that are not as they begin.
    pub turned: RwSignal<Turned>,
    /// The file in the viewer.
    pub opened: RwSignal<Option<OpenFile>>,
    /// Files that come in or go out.
    pub transfer: TransferModel,
}

impl FilesModel {
    /// No files.
    pub fn new() -> Self {
        Self {
            all: RwSignal::new(Files::new()),
            changed: RwSignal::new(BTreeSet::new()),
            turned: RwSignal::new(Turned::new()),
            opened: RwSignal::new(None),
            transfer: TransferModel::new(),
        }
    }

    /// Replaces all files.
    pub fn set(self, rows: Vec<FileRow>) {
        let mut files = Files::new();
        for row in rows {
            file_tree::put(&mut files, row.path, row.size);
        }
        self.all.set(files);
        self.changed.set(BTreeSet::new());
    }

    /// Takes in new and changed files, and leaves out those that are gone. Gives back the
    /// open one, if it is among them. `removed` is in order.
    pub fn merge(self, rows: Vec<FileRow>, removed: Vec<String>, by: Author) -> Option<String> {
        let opened = self
            .opened
            .with_untracked(|open| open.as_ref().map(|open| open.path.clone()));
        let follow = opened
            .filter(|path| rows.iter().any(|row| row.path == *path) || removed.contains(path));
        if !removed.is_empty() {
            for set in [self.changed, self.turned] {
                set.update(|set| set.retain(|path| removed.binary_search(path).is_err()));
            }
        }
        if by == Author::Agent {
            self.changed.update(|changed| {
                let files = rows.iter().filter(|row| row.size.is_some());
                changed.extend(files.map(|row| row.path.clone()));
            });
        }
        self.all.update(|all| {
            for path in &removed {
                all.remove(path);
            }
            for row in rows {
                file_tree::put(all, row.path, row.size);
            }
        });
        follow
    }

    /// Nothing counts as changed any more.
    pub fn forget_changes(self) {
        if self.changed.with_untracked(|changed| !changed.is_empty()) {
            self.changed.set(BTreeSet::new());
        }
    }

    /// Opens the viewer; the content comes later.
    pub fn open(self, path: String) {
        let is_open = |open: &Option<OpenFile>| open.as_ref().is_some_and(|open| open.path == path);
        if !self.opened.with_untracked(is_open) {
            self.opened.set(Some(OpenFile { path, view: None }));
        }
    }

    /// Shows content, if it is still wanted.
    pub fn show(self, path: &str, view: FileView) {
        self.opened.update(|open| {
            if let Some(open) = open.as_mut().filter(|open| open.path == path) {
                open.view = Some(view);
            }
        });
    }

    /// Folds or unfolds a folder.
    pub fn turn(self, path: &str) {
        self.turned.update(|turned| {
            if !turned.remove(path) {
                turned.insert(path.to_owned());
            }
        });
    }

    /// Closes the viewer.
    pub fn close(self) {
        self.opened.set(None);
    }
}
