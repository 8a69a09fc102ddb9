//! The linked folder: how it stands, what changed here since, and what is pressed.

use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::{untrack, window_event_listener_untyped};

use super::Controller;
use crate::protocol::{Command, FileRow, LinkCommand, LinkState, LinkView, Settling, Storage};
use crate::ui::dom;
use crate::ui::signal::RwSignal;

/// The signals of the link.
#[derive(Debug, Clone, Copy)]
pub struct LinkModel {
    /// How it stands; none without a link.
    pub view: RwSignal<Option<Rc<LinkView>>>,
    /// Whether its dialog is open.
    pub is_open: RwSignal<bool>,
    /// Files that changed here since both sides were the same.
    pub ahead: RwSignal<BTreeSet<String>>,
    /// Whether the window is listened to.
    watches: RwSignal<bool>,
}

impl LinkModel {
    /// No link.
    pub fn new() -> Self {
        Self {
            view: RwSignal::new(None),
            is_open: RwSignal::new(false),
            ahead: RwSignal::new(BTreeSet::new()),
            watches: RwSignal::new(false),
        }
    }

    /// Whether there is one.
    pub fn is_there(self) -> bool {
        self.view.with(Option::is_some)
    }
}

impl Controller {
    /// Whether a folder can be linked: the browser must let pages have one, and keep it.
    pub fn can_link(self) -> bool {
        dom::has("showDirectoryPicker") && matches!(self.storage.get(), Storage::Browser)
    }

    /// Lets the user choose a folder of the device for one of the workspace.
    pub fn link_folder(self, folder: String) {
        if let Some(link) = self.link() {
            link.pick_folder(folder);
        }
    }

    /// Makes both sides the same; asks for leave first, where that is missing, and puts the
    /// folder back, where that is.
    pub fn sync_link(self) {
        let is_missing = |view: &Rc<LinkView>| view.state == LinkState::Missing;
        let view = self.linked.view;
        if view.with_untracked(|view| view.as_ref().is_some_and(is_missing)) {
            return self.settle_link(Settling::PutBack);
        }
        let asks = self.linked.view.with_untracked(|view| {
            let view = view.as_ref()?;
            (view.state == LinkState::Asks).then(|| view.id.clone())
        });
        match (asks, self.link()) {
            (Some(id), Some(link)) => link.ask_folder(id),
            _ => self.command(Command::Link(LinkCommand::Sync)),
        }
    }

    /// Settles something between both sides.
    pub fn settle_link(self, settling: Settling) {
        self.command(Command::Link(LinkCommand::Settle(settling)));
    }

    /// How the link stands was told.
    #[inline(never)]
    pub(super) fn linked(self, view: Option<LinkView>) {
        if view.is_none() {
            self.linked.is_open.set(false);
        }
        let is_same = |view: &LinkView| view.state == LinkState::InSync;
        if view.as_ref().is_none_or(is_same) {
            self.linked.ahead.set(BTreeSet::new());
        }
        self.linked.view.set(view.map(Rc::new));
        if !self.linked.watches.get_untracked() {
            self.linked.watches.set(true);
            // For as long as there is a page. What changed on the disk is seen when the user
            // comes back from there.
            drop(window_event_listener_untyped("focus", move |_| {
                self.come_back()
            }));
        }
    }

    fn come_back(self) {
        let is_free = untrack(|| {
            let is_running = self.sessions.with(|all| all.iter().any(|one| one.running));
            self.can_work() && !is_running
        });
        let is_linked = self.linked.view.with_untracked(|view| {
            let view = view.as_ref();
            let rests =
                |view: &LinkView| matches!(view.state, LinkState::Asks | LinkState::Stopped);
            view.is_some_and(|view| !rests(view))
        });
        if is_free && is_linked {
            self.command(Command::Link(LinkCommand::Sync));
        }
    }

    /// Files changed here that are to be written there.
    #[inline(never)]
    pub(super) fn link_grew(self, rows: &[FileRow], removed: &[String]) {
        let folder = self.linked.view.with_untracked(|view| {
            let view = view.as_ref();
            view.map(|view| view.folder.clone()).unwrap_or_default()
        });
        let files = rows.iter().filter(|row| row.size.is_some());
        let paths = files.map(|row| &row.path).chain(removed);
        let is_inside = |path: &&String| {
            let rest = path.strip_prefix(&folder);
            rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
        };
        let inside: Vec<String> = paths.filter(is_inside).cloned().collect();
        if !inside.is_empty() {
            self.linked.ahead.update(|ahead| ahead.extend(inside));
        }
    }
}
