//! Workspaces as signals: the list, the one that is shown, and what is asked about them.

use super::changes::Scope;
use super::trace::View;
use super::{Controller, Pane};
use crate::kernel::session::Session;
use crate::kernel::spaces::{Space, SpaceId, Spaces};
use crate::protocol::{Command, Notice, Snapshot, SpaceCommand, SpaceCounts, Waiting};
use crate::ui::editing::Edit;
use crate::ui::signal::RwSignal;

/// What the user is asked about a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskSpace {
    /// The name of a new one.
    Create,
    /// Another name for it.
    Rename(SpaceId),
    /// Whether it shall go.
    Delete(SpaceId),
}

/// The signals.
#[derive(Debug, Clone, Copy)]
pub struct SpacesModel {
    /// The list, and which of them is shown.
    pub all: RwSignal<Spaces>,
    /// Where the menu is open, pixels from the window's left and upper edge.
    pub menu: RwSignal<Option<(i32, i32)>>,
    /// What is asked.
    pub asking: RwSignal<Option<AskSpace>>,
    /// The runs that wait for an answer, in whichever workspace.
    pub waiting: RwSignal<Vec<Waiting>>,
    /// What would go with the one that is asked about.
    pub counts: RwSignal<Option<SpaceCounts>>,
}

impl SpacesModel {
    /// The first workspace alone.
    pub fn new() -> Self {
        Self {
            all: RwSignal::new(Spaces::default()),
            menu: RwSignal::new(None),
            asking: RwSignal::new(None),
            waiting: RwSignal::new(Vec::new()),
            counts: RwSignal::new(None),
        }
    }
}

/// Whether a file in the editor holds what is nowhere else.
fn is_unsaved(edit: &Edit) -> bool {
    edit.unsaved().get_untracked() || edit.base().is_none()
}

impl Controller {
    /// What a workspace is called.
    pub fn space_name(self, space: &Space) -> String {
        match space.name.as_str() {
            "" => self.words().space_first().to_owned(),
            name => name.to_owned(),
        }
    }

    /// Whether a session belongs to the workspace that is shown.
    pub(super) fn is_of_space(self, session: &Session) -> bool {
        self.spaces
            .all
            .with_untracked(|spaces| spaces.open == session.workspace)
    }

    /// Has the kernel show another workspace, unless text in the editor would be lost by it.
    pub fn leave_space(self, command: SpaceCommand) {
        let unsaved = self.files.edits.with_untracked(|edits| {
            let mut edits = edits.iter();
            edits.find(|edit| is_unsaved(edit)).map(Edit::path)
        });
        self.spaces.asking.set(None);
        match unsaved {
            Some(path) => {
                self.open_file(path);
                self.toast(Notice::SpaceUnsaved);
            }
            None => self.command(Command::Spaces(command)),
        }
    }

    /// Asks about a workspace.
    pub fn ask_space(self, asking: AskSpace) {
        self.spaces.counts.set(None);
        if let AskSpace::Delete(id) = &asking {
            self.command(Command::Spaces(SpaceCommand::Count(id.clone())));
        }
        self.spaces.asking.set(Some(asking));
    }

    /// Another workspace is shown: nothing stays of the one before but what its runs do.
    #[inline(never)]
    pub(super) fn space_opened(self, snapshot: Snapshot) {
        let (agents, sessions): (Vec<Session>, Vec<Session>) = snapshot
            .sessions
            .into_iter()
            .partition(|session| session.parent.is_some());
        let files = self.files;
        // Another tab may have deleted what was shown: unsaved text stays, to be copied.
        let mut unsaved = files.edits.get_untracked();
        unsaved.retain(is_unsaved);
        files.tabs.set(unsaved.iter().map(Edit::path).collect());
        files.edits.set(unsaved);
        files.starting.set(None);
        files.opened.set(None);
        files.turned.set(Default::default());
        files.filter.set(String::new());
        files.focused.set(None);
        self.linked.is_open.set(false);
        self.linked.view.set(None);
        self.stage.clear();
        self.trace.view.set(View::Files);
        // What was shown of changes, and could be gone back in, was of the other one.
        let changes = self.changes;
        changes.scope.set(Scope::LastRun);
        changes.checkpoints.set(None);
        changes.shows_checkpoints.set(false);
        changes.list.set(None);
        changes.shown.set(Vec::new());
        self.toasts.set(Vec::new());
        let newest = sessions.first().map(|session| session.id.clone());
        self.spaces.all.set(snapshot.spaces);
        self.spaces.asking.set(None);
        self.sessions.set(sessions);
        self.agents.set(agents);
        files.set(snapshot.files);
        self.show(newest);
        self.changes_grew();
        self.check_edits();
        self.pane.set(Pane::Chat);
    }

    /// Whether a run waits for an answer in a workspace that is not shown.
    pub fn waits_elsewhere(self) -> bool {
        let open = self.spaces.all.with(|spaces| spaces.open.clone());
        let waiting = self.spaces.waiting;
        waiting.with(|all| all.iter().any(|run| run.space != open))
    }

    /// What would go with the workspace that is asked about.
    #[inline(never)]
    pub(super) fn space_counted(self, counts: SpaceCounts) {
        self.spaces.counts.set(Some(counts));
    }
}
