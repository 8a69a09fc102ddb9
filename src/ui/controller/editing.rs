//! The user's own work on files: what becomes of changes to the tree, and the files in the
//! editor, from being opened to being saved or let go.

use leptos::prelude::untrack;

use super::Controller;
use crate::kernel::workspace::Version;
use crate::protocol::{Command, FileRow, Notice, SaveOutcome, TreeChange, TreeOutcome};
use crate::ui::dom;
use crate::ui::editing::{self, Edit, Starting, State, Step, Theirs};
use crate::ui::file_tree::focus_row;
use crate::ui::state::file_tree::moved;
use crate::ui::state::text_form::read;

impl Controller {
    /// A change to the tree was made, or not. The files that changed are told after it.
    #[inline(never)]
    pub(super) fn tree_changed(self, change: TreeChange, outcome: TreeOutcome) {
        let is_asked = !matches!(change, TreeChange::Delete(_) | TreeChange::Undo(_))
            && self.files.asking.with_untracked(Option::is_some);
        match outcome {
            TreeOutcome::NotDone(problem) if is_asked => self.files.refused.set(Some(problem)),
            TreeOutcome::NotDone(problem) => self.toast(Notice::NotDone(problem)),
            TreeOutcome::Done {
                path,
                files,
                generation,
            } => {
                if is_asked {
                    self.files.asking.set(None);
                }
                self.after(change, path, files, generation);
            }
        }
    }

    fn after(self, change: TreeChange, path: String, files: usize, generation: u64) {
        match change {
            TreeChange::NewFile(_) => {
                self.open_file(path.clone());
                self.edit(path);
            }
            TreeChange::NewFolder(_) => focus_row(self, &path),
            TreeChange::Move { from, .. } => {
                self.moved(&from, &path);
                focus_row(self, &path);
                self.toast(Notice::Moved {
                    from,
                    to: path,
                    generation,
                });
            }
            TreeChange::Delete(_) => {
                keep_focus();
                self.toast(Notice::Deleted {
                    path,
                    files,
                    generation,
                });
            }
            TreeChange::Undo(_) => {}
        }
    }

    /// What is known of files by their paths goes with them.
    fn moved(self, from: &str, to: &str) {
        let files = self.files;
        for set in [files.turned, files.changed] {
            set.update(|set| {
                let old: Vec<String> = set.iter().cloned().collect();
                for path in old {
                    if let Some(new) = moved(&path, from, to) {
                        set.remove(&path);
                        set.insert(new);
                    }
                }
            });
        }
        let edits = files.edits.get_untracked();
        for edit in &edits {
            if let Some(new) = moved(&edit.path(), from, to) {
                edit.move_to(new);
            }
        }
        files.edits.set(edits);
        files.tabs.update(|tabs| {
            for tab in tabs {
                if let Some(new) = moved(tab, from, to) {
                    *tab = new;
                }
            }
        });
        let opened = files.opened.get_untracked();
        if let Some(mut opened) = opened
            && let Some(new) = moved(&opened.path, from, to)
        {
            opened.path = new;
            files.opened.set(Some(opened));
        }
    }

    /// Opens a file in the editor, which is fetched for it the first time.
    pub fn edit(self, path: String) {
        if !untrack(|| self.can_work()) || self.edit_of(&path).is_some() {
            return;
        }
        self.files.starting.set(Some(Starting {
            path: path.clone(),
            step: Step::Loading,
        }));
        leptos::task::spawn_local(async move {
            match editing::load().await {
                Ok(()) => self.command(Command::EditFile(path)),
                Err(_) => self.stop_starting(&path, Some(Step::NotLoaded)),
            }
        });
    }

    /// The file in the editor at `path`.
    pub fn edit_of(self, path: &str) -> Option<Edit> {
        let edits = self.files.edits;
        edits.with_untracked(|edits| edits.iter().find(|edit| edit.path() == path).cloned())
    }

    fn stop_starting(self, path: &str, step: Option<Step>) {
        let starting = self.files.starting;
        let is_meant = |starting: &Option<Starting>| {
            starting
                .as_ref()
                .is_some_and(|starting| starting.path == path)
        };
        if starting.with_untracked(is_meant) {
            let path = path.to_owned();
            starting.set(step.map(|step| Starting { path, step }));
        }
    }

    /// A file came that is edited or shall be.
    #[inline(never)]
    pub(super) fn file_to_edit(self, path: &str, version: Option<Version>, bytes: &[u8]) {
        if let Some(edit) = self.edit_of(path) {
            return self.look_at(&edit, version, bytes);
        }
        let starting = self.files.starting.get_untracked();
        if starting.is_none_or(|starting| starting.path != path) {
            return;
        }
        let text = match read(bytes) {
            Ok(text) => text,
            Err(not) => return self.stop_starting(path, Some(Step::NotText(not))),
        };
        let is_first = self.files.edits.with_untracked(Vec::is_empty);
        let save = move || self.save_open();
        let Some(edit) = Edit::new(self, path, version, text, save) else {
            return self.stop_starting(path, Some(Step::NotLoaded));
        };
        if is_first {
            editing::guard(self);
        }
        self.files.edits.update(|edits| edits.push(edit.clone()));
        self.stop_starting(path, None);
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            edit.focus();
        });
    }

    /// What an edited file is now.
    fn look_at(self, edit: &Edit, version: Option<Version>, bytes: &[u8]) {
        if version == edit.base() {
            return;
        }
        let state = edit.state();
        let is_same = version.is_some() && edit.bytes() == bytes;
        if is_same {
            edit.settle();
            edit.set_base(version);
            state.set(State::Open);
        } else if edit.unsaved().get_untracked() || edit.base().is_none() {
            let bytes = bytes.to_vec();
            state.set(State::Changed(Theirs { version, bytes }));
        } else if version.is_none() || edit.take(version, bytes).is_err() {
            // Deleted, or no text any more: the viewer tells.
            self.let_go(&edit.path());
        }
    }

    /// Files changed: those that are edited are looked at.
    #[inline(never)]
    pub(super) fn follow_edits(self, rows: &[FileRow], removed: &[String]) {
        for edit in self.files.edits.get_untracked() {
            let path = edit.path();
            if rows.iter().any(|row| row.path == path) || removed.binary_search(&path).is_ok() {
                self.command(Command::EditFile(path));
            }
        }
    }

    /// All files may be others.
    #[inline(never)]
    pub(super) fn check_edits(self) {
        for edit in self.files.edits.get_untracked() {
            // Whether it was saved is told by what the file is now.
            if matches!(edit.state().get_untracked(), State::Saving) {
                edit.state().set(State::Open);
            }
            self.command(Command::EditFile(edit.path()));
        }
    }

    /// Saves the file that is shown.
    pub fn save_open(self) {
        let open = self.files.opened.get_untracked();
        if let Some(edit) = open.and_then(|open| self.edit_of(&open.path)) {
            self.save_edit(&edit);
        }
    }

    /// Saves an edited file, if there is anything to save.
    pub fn save_edit(self, edit: &Edit) {
        let may = untrack(|| self.can_work());
        let is_conflict = matches!(edit.state().get_untracked(), State::Changed(_));
        if !may || is_conflict || !(edit.unsaved().get_untracked() || edit.base().is_none()) {
            return;
        }
        edit.state().set(State::Saving);
        self.command(Command::SaveFile {
            path: edit.path(),
            content: edit.bytes(),
            base: edit.base(),
        });
    }

    /// What became of saving.
    #[inline(never)]
    pub(super) fn file_saved(self, path: &str, outcome: SaveOutcome) {
        let Some(edit) = self.edit_of(path) else {
            return;
        };
        match outcome {
            SaveOutcome::Saved(version) => {
                edit.set_base(Some(version));
                edit.settle();
                edit.state().set(State::Open);
                if edit.closes().get() {
                    self.close_now(path);
                }
            }
            SaveOutcome::Changed => {
                edit.closes().set(false);
                self.command(Command::EditFile(path.to_owned()));
            }
            SaveOutcome::NotSaved(problem) => {
                edit.closes().set(false);
                edit.state().set(State::NotSaved(problem));
            }
        }
    }

    /// The user's text is saved over what the file has become.
    pub fn keep_mine(self, edit: &Edit, theirs: &Theirs) {
        edit.set_base(theirs.version.clone());
        edit.state().set(State::Saving);
        self.command(Command::SaveFile {
            path: edit.path(),
            content: edit.bytes(),
            base: edit.base(),
        });
    }

    /// The user's text goes for what the file has become.
    pub fn take_theirs(self, edit: &Edit, theirs: &Theirs) {
        edit.state().set(State::Open);
        let version = theirs.version.clone();
        if version.is_none() || edit.take(version, &theirs.bytes).is_err() {
            self.let_go(&edit.path());
        }
    }

    /// A file is in the editor no more.
    pub fn let_go(self, path: &str) {
        self.files
            .edits
            .update(|edits| edits.retain(|edit| edit.path() != path));
    }

    /// Closes the tab of a file; asks before unsaved text would be lost.
    pub fn close_file(self, path: &str) {
        match self.edit_of(path) {
            Some(edit) if edit.unsaved().get_untracked() => {
                self.open_file(path.to_owned());
                edit.state().set(State::Closing);
            }
            _ => self.close_now(path),
        }
    }

    /// Closes the tab of a file.
    pub fn close_now(self, path: &str) {
        self.let_go(path);
        self.stop_starting(path, None);
        let files = self.files;
        let tabs = files.tabs.get_untracked();
        let at = tabs.iter().position(|tab| tab == path);
        files.tabs.update(|tabs| tabs.retain(|tab| tab != path));
        let is_open = files
            .opened
            .with_untracked(|open| open.as_ref().is_some_and(|open| open.path == path));
        if !is_open {
            return;
        }
        let at = at.unwrap_or(0);
        let next = tabs.get(at + 1).or_else(|| tabs.get(at.checked_sub(1)?));
        match next {
            Some(next) => {
                self.open_file(next.clone());
                dom::focus_later("[data-testid=file-tab][aria-selected=true]".to_owned());
            }
            None => {
                files.opened.set(None);
                focus_row(self, path);
            }
        }
    }
}

/// Where the row goes that had the focus, the tree gets it.
fn keep_focus() {
    leptos::task::spawn_local(async move {
        // Until the files that changed are told and drawn.
        leptos::task::tick().await;
        leptos::task::tick().await;
        if dom::focus_is_free_or_on("dialog") {
            dom::focus("[data-testid=file-row][tabindex=\"0\"]");
        }
    });
}
