//! The workspace's files as signals: the tree, what changed of late, the files
//! that are open, what is asked about them.

use std::collections::BTreeSet;

use super::Controller;
use super::transfer::TransferModel;
use crate::protocol::{Author, FileProblem, FileRow, FileView};
use crate::ui::editing::{Edit, Starting};
use crate::ui::signal::RwSignal;
use crate::ui::state::file_tree::{self, Files, Turned};

/// Most tabs of files that are only looked at.
const MAX_TABS: usize = 12;

/// The file in the viewer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenFile {
    /// The file.
    pub path: String,
    /// Its content; `None` until it is here.
    pub view: Option<FileView>,
}

/// The menu of a file, a folder, or of the workspace itself, and where it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuAt {
    /// The file or folder; `None`: the workspace.
    pub path: Option<String>,
    /// Pixels from the window's left edge.
    pub x: i32,
    /// Pixels from its upper edge.
    pub y: i32,
}

/// A path that the user is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asking {
    /// That of a new file in this folder.
    NewFile(String),
    /// That of a new folder in this folder.
    NewFolder(String),
    /// Another one for what is at this path.
    Path(String),
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
    /// The files that have a tab in the viewer.
    pub tabs: RwSignal<Vec<String>>,
    /// What is typed to find files by.
    pub filter: RwSignal<String>,
    /// Folders that are folded among those found.
    pub filter_turned: RwSignal<Turned>,
    /// The row that had the focus last.
    pub focused: RwSignal<Option<String>>,
    /// The row that shall have it, once it is drawn.
    pub wanted: RwSignal<Option<String>>,
    /// The menu that is open.
    pub menu: RwSignal<Option<MenuAt>>,
    /// The path that is asked for.
    pub asking: RwSignal<Option<Asking>>,
    /// Why the last answer to that was not taken.
    pub refused: RwSignal<Option<FileProblem>>,
    /// The files in the editor.
    pub edits: RwSignal<Vec<Edit>>,
    /// The one that is about to be.
    pub starting: RwSignal<Option<Starting>>,
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
            tabs: RwSignal::new(Vec::new()),
            filter: RwSignal::new(String::new()),
            filter_turned: RwSignal::new(Turned::new()),
            focused: RwSignal::new(None),
            wanted: RwSignal::new(None),
            menu: RwSignal::new(None),
            asking: RwSignal::new(None),
            refused: RwSignal::new(None),
            edits: RwSignal::new(Vec::new()),
            starting: RwSignal::new(None),
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
        // Who changes a file has seen it.
        self.changed.update(|changed| {
            for row in rows.iter().filter(|row| row.size.is_some()) {
                match by {
                    Author::Agent => changed.insert(row.path.clone()),
                    Author::User => changed.remove(&row.path),
                };
            }
        });
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
        if !self.tabs.with_untracked(|tabs| tabs.contains(&path)) {
            let edits = self.edits;
            let is_idle = |tab: &String| {
                edits.with_untracked(|edits| edits.iter().all(|edit| edit.path() != *tab))
            };
            self.tabs.update(|tabs| {
                // The oldest that nothing depends on makes room.
                if tabs.len() >= MAX_TABS
                    && let Some(at) = tabs.iter().position(is_idle)
                {
                    tabs.remove(at);
                }
                tabs.push(path.clone());
            });
        }
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
        let set = match self.filter.with_untracked(|typed| typed.trim().is_empty()) {
            true => self.turned,
            false => self.filter_turned,
        };
        set.update(|turned| {
            if !turned.remove(path) {
                turned.insert(path.to_owned());
            }
        });
    }
}

impl Controller {
    /// Asks the user for a path.
    pub fn ask(self, asking: Asking) {
        self.files.refused.set(None);
        self.files.asking.set(Some(asking));
    }
}
