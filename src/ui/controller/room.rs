//! The room that stored things take up: how it stands, and what is pressed to make some.

use std::rc::Rc;

use leptos::task::spawn_local;

use super::Controller;
use crate::kernel::session::SessionId;
use crate::protocol::{Command, Freeable, Notice, Room, Weighed};
use crate::ui::signal::RwSignal;
use crate::ui::storage::{self, room};

/// What is left when the user is told that it is little: this much, or this part of all.
const LITTLE: u64 = 64 << 20;
const LITTLE_PART: u64 = 20;

/// Something that can be pressed to make room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Letting {
    /// The kernel removes it.
    Kept(Freeable),
    /// The shell's code, which is fetched again when it is needed.
    Shell,
}

/// The signals of the dialog.
#[derive(Debug, Clone, Copy)]
pub struct RoomModel {
    /// Whether it is open.
    pub is_open: RwSignal<bool>,
    /// What takes up room.
    pub weighed: RwSignal<Option<Rc<Weighed>>>,
    /// Bytes of the shell's code.
    pub shell: RwSignal<u64>,
    /// What was pressed once, and is removed when it is pressed again.
    pub asked: RwSignal<Option<Letting>>,
    /// Whether something is being removed.
    pub is_busy: RwSignal<bool>,
}

impl RoomModel {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self {
            is_open: RwSignal::new(false),
            weighed: RwSignal::new(None),
            shell: RwSignal::new(0),
            asked: RwSignal::new(None),
            is_busy: RwSignal::new(false),
        }
    }
}

impl Controller {
    /// Opens the dialog.
    pub fn make_room(self) {
        self.room.weighed.set(None);
        self.room.asked.set(None);
        self.room.is_busy.set(false);
        self.room.is_open.set(true);
        self.command(Command::Weigh);
        spawn_local(async move { self.room.shell.set(storage::shell_size().await) });
    }

    /// What takes up room was told.
    #[inline(never)]
    pub(super) fn weighed(self, weighed: Weighed) {
        self.room.is_busy.set(false);
        self.room.weighed.set(Some(Rc::new(weighed)));
    }

    /// Removes something, once it was pressed a second time.
    pub fn let_go_of(self, what: Letting) {
        if self
            .room
            .asked
            .with_untracked(|asked| asked.as_ref() != Some(&what))
        {
            return self.room.asked.set(Some(what));
        }
        self.room.asked.set(None);
        self.room.is_busy.set(true);
        match what {
            Letting::Kept(what) => self.command(Command::Free(what)),
            Letting::Shell => spawn_local(async move {
                storage::drop_shell().await;
                self.room.shell.set(0);
                self.command(Command::Weigh);
            }),
        }
    }

    /// Sessions are no more.
    #[inline(never)]
    pub(super) fn sessions_removed(self, ids: &[SessionId]) {
        for list in [self.sessions, self.agents] {
            list.update(|all| all.retain(|session| !ids.contains(&session.id)));
        }
        self.forget_models(ids);
        let is_shown = |id: &Option<SessionId>| id.as_ref().is_some_and(|id| ids.contains(id));
        if self.current.with_untracked(is_shown) {
            self.new_session();
        }
    }

    /// Looks whether there is room for more work, and tells if there is little.
    pub(super) fn watch_room(self) {
        spawn_local(async move {
            let Some(room) = room().await else { return };
            let room = Room {
                used: room.used,
                quota: room.quota,
            };
            if room.free() < LITTLE.min(room.quota / LITTLE_PART) {
                let is_low = |notice: &Notice| matches!(notice, Notice::Low(_));
                self.toasts
                    .update(|toasts| toasts.retain(|toast| !is_low(&toast.notice)));
                self.toast(Notice::Low(room.free()));
            }
        });
    }
}
