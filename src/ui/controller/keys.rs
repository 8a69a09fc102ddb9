//! Keys that are kept on this device: what is asked of the kernel, and what waits until
//! they are unlocked. A passphrase only passes through.

use leptos::prelude::*;

use super::{Controller, Pane};
use crate::kernel::session::SessionId;
use crate::protocol::{Command, SettingsView, VaultCommand, VaultProblem, VaultState};
use crate::ui::dom;
use crate::ui::signal::RwSignal;

/// The field over the composer.
pub const UNLOCK_FIELD: &str = "unlock-passphrase";

/// What the page knows of the keys beside the settings.
#[derive(Clone, Copy)]
pub struct KeysModel {
    /// Whether the kernel is at a command.
    pub at_work: RwSignal<bool>,
    /// Why the last command was not carried out.
    pub problem: RwSignal<Option<VaultProblem>>,
    /// What was to be done when they were found locked.
    then: RwSignal<Option<(Then, Option<SessionId>)>>,
}

/// What is done once the keys are unlocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// What stands in the composer is sent.
    Send,
    /// The run of the session goes on.
    GoOn,
}

impl KeysModel {
    pub(super) fn new() -> Self {
        Self {
            at_work: RwSignal::new(false),
            problem: RwSignal::new(None),
            then: RwSignal::new(None),
        }
    }

    /// The kernel is another one: nothing is under way.
    pub(super) fn restart(self) {
        self.at_work.set(false);
        self.problem.set(None);
    }
}

impl Controller {
    /// Whether the endpoint needs a key that the kernel does not have.
    pub fn lacks_key(self) -> bool {
        self.with_profile(|profile, has_key| profile.uses_key && !has_key)
            .unwrap_or(false)
    }

    /// Where the keys stand that are kept on this device.
    pub fn vault_state(self) -> VaultState {
        self.settings.with(|settings| {
            let settings = settings.as_ref();
            settings.map_or(VaultState::None, |settings| settings.vault)
        })
    }

    /// Whether the endpoint's key is there, but locked.
    pub fn is_locked(self) -> bool {
        self.vault_state() == VaultState::Locked && self.lacks_key()
    }

    /// What the session that is shown waits for the keys with.
    pub fn then(self) -> Option<Then> {
        let (then, session) = self.keys.then.get()?;
        (session == self.current.get()).then_some(then)
    }

    /// Sends a command about the keys, one at a time.
    pub fn vault(self, command: VaultCommand) {
        self.keys.problem.set(None);
        self.keys.at_work.set(true);
        self.command(Command::Vault(command));
    }

    pub(super) fn vault_answered(self, settings: SettingsView, problem: Option<VaultProblem>) {
        let is_open = settings.vault == VaultState::Open;
        let was_open = untrack(|| self.vault_state()) == VaultState::Open;
        self.settings.set(Some(settings));
        self.keys.problem.set(problem);
        self.keys.at_work.set(false);
        if is_open && !was_open {
            self.go_on_unlocked();
        }
    }

    /// Does what was to be done when the keys were found locked.
    fn go_on_unlocked(self) {
        let then = untrack(|| self.then());
        self.keys.then.set(None);
        match then {
            Some(Then::Send) => self.send_draft(),
            Some(Then::GoOn) => self.go_on(),
            None => {}
        }
        // The field is gone by now, and with it the focus.
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            if dom::focus_is_free_or_on(dom::COMPOSER) {
                dom::focus_composer();
            }
        });
    }

    /// If the keys are locked, asks for the passphrase and gives `true`: what was to be
    /// done is done after it.
    pub(super) fn waits_for_keys(self, then: Then) -> bool {
        let is_locked = untrack(|| self.is_locked());
        if is_locked {
            let session = self.current.get_untracked();
            self.keys.then.set(Some((then, session)));
            self.ask_passphrase();
        }
        is_locked
    }

    /// Leads to the field that takes the passphrase.
    pub fn ask_passphrase(self) {
        self.pane.set(Pane::Chat);
        dom::focus_later(format!("#{UNLOCK_FIELD}"));
    }
}
