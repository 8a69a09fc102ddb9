//! What was changed, checkpoints and undoing as signals. Lists are here only while they
//! are looked at; how many files the last run changed is always known.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;

use super::trace::View;
use super::{Controller, Pane};
use crate::kernel::session::SessionId;
use crate::kernel::session::rewind::Extent;
use crate::protocol::{
    ChangeView, ChangedFile, Changes, Command, Event, ListedCheckpoint, Outlook, Reverting, Since,
};
use crate::ui::dom;
use crate::ui::signal::RwSignal;

/// How long a list is left alone before it is asked for again.
const REST: Duration = Duration::from_secs(1);
/// What was reviewed, kept in the tab.
const REVIEWED: &str = "tabloop.reviewed";
/// Whether changes stand side by side, kept in the browser.
const SIDE: &str = "tabloop.side-by-side";
/// Most reviewed changes that are remembered.
const REMEMBERED: usize = 2_000;

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The last run of the shown session.
    LastRun,
    /// The shown session.
    Session,
    /// All since a checkpoint.
    Checkpoint(u64),
}

/// A question whether to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// The session.
    pub session: SessionId,
    /// The record from which on it would be undone.
    pub seq: u64,
    /// The task, if the whole run is meant; it goes back to the composer with its message.
    pub task: Option<String>,
}

/// The change of a file as it was shown.
#[derive(Debug, PartialEq)]
pub struct ShownChange {
    /// The file.
    pub path: String,
    /// Tells the change from a later one.
    pub mark: String,
    /// The generation it was looked at.
    pub generation: u64,
    /// The change.
    pub view: ChangeView,
}

/// Whether the list may be asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    Ready,
    Resting,
    Wanted,
}

/// The changes' signals.
#[derive(Debug, Clone, Copy)]
pub struct ChangesModel {
    /// What is looked at.
    pub scope: RwSignal<Scope>,
    /// How many files the last run changed that changed any.
    pub count: RwSignal<usize>,
    /// The record with which that run began.
    pub run: RwSignal<Option<u64>>,
    /// What changed, as far as it was asked for; `None` until it is here.
    pub list: RwSignal<Option<Rc<Changes>>>,
    /// The changes that were unfolded.
    pub shown: RwSignal<Vec<Rc<ShownChange>>>,
    /// Files that the user folded or unfolded.
    pub turned: RwSignal<Vec<(String, bool)>>,
    /// Files and places that were reviewed, by their keys.
    pub reviewed: RwSignal<BTreeSet<u64>>,
    /// Whether lines stand side by side.
    pub side: RwSignal<bool>,
    /// The checkpoints, newest first, while they are looked at.
    pub checkpoints: RwSignal<Option<Rc<Vec<ListedCheckpoint>>>>,
    /// Whether they stand in the place of the changes.
    pub shows_checkpoints: RwSignal<bool>,
    /// What may be undone.
    pub asking: RwSignal<Option<Asking>>,
    /// What that would do; `None` until it is here.
    pub outlook: RwSignal<Option<Outlook>>,
    pace: StoredValue<Pace>,
}

impl ChangesModel {
    /// Nothing is known.
    pub fn new() -> Self {
        Self {
            scope: RwSignal::new(Scope::LastRun),
            count: RwSignal::new(0),
            run: RwSignal::new(None),
            list: RwSignal::new(None),
            shown: RwSignal::new(Vec::new()),
            turned: RwSignal::new(Vec::new()),
            reviewed: RwSignal::new(BTreeSet::new()),
            side: RwSignal::new(dom::kept(SIDE).is_some()),
            checkpoints: RwSignal::new(None),
            shows_checkpoints: RwSignal::new(false),
            asking: RwSignal::new(None),
            outlook: RwSignal::new(None),
            pace: StoredValue::new(Pace::Ready),
        }
    }

    /// Lets go of what is looked at.
    pub fn forget(self) {
        self.list.set(None);
        self.shown.set(Vec::new());
        self.turned.set(Vec::new());
    }

    /// What was reviewed before a reload.
    pub fn recall(self) {
        let kept = dom::kept_in_tab(REVIEWED).unwrap_or_default();
        let keys = kept.split(' ').filter_map(|key| key.parse().ok());
        self.reviewed.set(keys.collect());
    }

    /// Marks changes as reviewed, or not.
    pub fn review(self, keys: impl IntoIterator<Item = u64>, done: Reviewed) {
        self.reviewed.update(|reviewed| {
            for key in keys {
                match done {
                    Reviewed::Yes => reviewed.insert(key),
                    Reviewed::No => reviewed.remove(&key),
                };
            }
        });
        let keys = self.reviewed.with_untracked(|reviewed| {
            let keys = reviewed.iter().take(REMEMBERED);
            let keys: Vec<String> = keys.map(u64::to_string).collect();
            keys.join(" ")
        });
        dom::keep_in_tab(REVIEWED, (!keys.is_empty()).then_some(&*keys));
    }

    /// Puts lines side by side, or one below the other.
    pub fn turn_side(self) {
        let side = !self.side.get_untracked();
        self.side.set(side);
        dom::keep(SIDE, side.then_some("true"));
    }

    /// Folds or unfolds a file.
    pub fn turn(self, path: &str, open: bool) {
        self.turned.update(|turned| {
            turned.retain(|(other, _)| other != path);
            turned.push((path.to_owned(), open));
        });
    }

    /// Takes in a page of the list. `false`: it fits no page before, and all is to be asked
    /// for anew.
    fn take(self, page: Changes) -> bool {
        let from = page.from.unwrap_or(0);
        let files: Option<Vec<ChangedFile>> = match from {
            0 => Some(Vec::new()),
            from => self.list.with_untracked(|list| {
                let list = list.as_ref()?;
                let fits = list.generation == page.generation && list.files.len() == from;
                fits.then(|| list.files.clone())
            }),
        };
        let Some(mut files) = files else {
            return false;
        };
        files.extend(page.files);
        let list = Changes { files, ..page };
        self.list.set(Some(Rc::new(list)));
        true
    }
}

/// Whether a change was reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviewed {
    /// It was.
    Yes,
    /// It is to be looked at again.
    No,
}

impl Controller {
    /// Shows what the last run changed.
    pub fn open_changes(self) {
        self.pane.set(Pane::Files);
        self.changes.scope.set(Scope::LastRun);
        self.changes.shows_checkpoints.set(false);
        self.trace.view.set(View::Changes);
    }

    /// From when on changes are looked at; `None` where there is no session.
    pub fn since(self) -> Option<Since> {
        let session = self.current.get();
        match self.changes.scope.get() {
            Scope::LastRun => session.map(Since::LastRun),
            Scope::Session => session.map(Since::Session),
            Scope::Checkpoint(generation) => Some(Since::Checkpoint(generation)),
        }
    }

    /// Asks how many files the last run of the shown session changed.
    pub(super) fn count_changes(self) {
        match self.current.get_untracked() {
            None => self.changes.count.set(0),
            Some(id) => {
                let since = Since::LastRun(id);
                self.command(Command::ListChanges { since, from: None });
            }
        }
    }

    /// Asks for the list of changes, from the file `from` on.
    pub fn list_changes(self, from: usize) {
        if let Some(since) = untrack(|| self.since()) {
            let from = Some(from);
            self.command(Command::ListChanges { since, from });
        }
    }

    /// Asks for the change of a file.
    pub fn show_change(self, path: &str) {
        if let Some(since) = untrack(|| self.since()) {
            let path = path.to_owned();
            self.command(Command::ShowChange { since, path });
        }
    }

    /// Takes changes back, as they were shown at a generation.
    pub fn revert(self, shown: u64, meant: Reverting) {
        if let Some(since) = untrack(|| self.since()) {
            self.command(Command::Revert {
                since,
                shown,
                meant,
            });
        }
    }

    /// Whether changes may be taken back and rounds undone now.
    pub fn can_go_back(self) -> bool {
        self.can_send()
    }

    /// Asks whether to undo a session from a record on.
    pub fn ask_undo(self, asking: Asking) {
        let (session, seq) = (asking.session.clone(), asking.seq);
        self.changes.outlook.set(None);
        self.changes.asking.set(Some(asking));
        self.command(Command::LookBack { session, seq });
    }

    /// Undoes what was asked about.
    pub fn undo(self, extent: Extent) {
        let asking = self.changes.asking.get_untracked();
        self.changes.asking.set(None);
        if let Some(Asking { session, seq, task }) = asking {
            if extent.has_chat()
                && let Some(task) = task
            {
                self.draft.update(|draft| {
                    if draft.trim().is_empty() {
                        *draft = task;
                    }
                });
            }
            self.command(Command::Undo {
                session,
                seq: Some(seq),
                extent,
            });
        }
    }

    /// Takes in what the kernel tells of changes.
    #[inline(never)]
    pub(super) fn take_changes(self, event: Event) {
        match event {
            Event::ChangesListed(page) => self.changes_listed(*page),
            Event::ChangeShown {
                since,
                path,
                mark,
                generation,
                view,
            } if untrack(|| self.since()).as_ref() == Some(&since) => {
                let change = ShownChange {
                    path,
                    mark,
                    generation,
                    view,
                };
                self.changes.shown.update(|shown| {
                    shown.retain(|other| other.path != change.path);
                    shown.push(Rc::new(change));
                });
            }
            Event::Checkpoints(mut checkpoints) => {
                checkpoints.reverse();
                self.changes.checkpoints.set(Some(Rc::new(checkpoints)));
            }
            Event::LookedBack(outlook) => {
                self.looked_again(&outlook);
                let is_asked = self.changes.asking.with_untracked(|asking| {
                    let asking = asking.as_ref();
                    asking.is_some_and(|asking| {
                        asking.session == outlook.session && asking.seq == outlook.seq
                    })
                });
                if is_asked {
                    self.changes.outlook.set(Some(outlook));
                }
            }
            _ => {}
        }
    }

    fn changes_listed(self, page: Changes) {
        let of_run = self.current.get_untracked().map(Since::LastRun);
        if of_run.as_ref() == Some(&page.since) {
            self.changes.run.set(page.run);
            self.changes.count.set(page.total);
        }
        let is_wanted = page.from.is_some()
            && self.looks_at_changes()
            && untrack(|| self.since()).as_ref() == Some(&page.since);
        if is_wanted && !self.changes.take(page) {
            self.list_changes(0);
        }
    }

    fn looks_at_changes(self) -> bool {
        self.trace.view.get_untracked() == View::Changes
    }

    /// Files changed: asks for the list, but not more often than it can be read.
    pub(super) fn changes_grew(self) {
        let is_running = untrack(|| self.is_running());
        if !self.looks_at_changes() {
            // What a run changes is counted at its end.
            if !is_running {
                self.count_changes();
            }
            return;
        }
        let pace = self.changes.pace;
        if is_running && pace.get_value() != Pace::Ready {
            return pace.set_value(Pace::Wanted);
        }
        self.list_changes(0);
        if !is_running {
            return;
        }
        pace.set_value(Pace::Resting);
        let rested = move || {
            let was = pace.try_get_value();
            pace.try_set_value(Pace::Ready);
            if was == Some(Pace::Wanted) {
                self.changes_grew();
            }
        };
        set_timeout(rested, REST);
    }
}
