//! Keys kept on the device under a passphrase: kept, unlocked, locked, forgotten. The
//! passphrase lives as long as the command that brings it.

use std::cell::RefCell;
use std::rc::Rc;

use futures::lock::Mutex;

use super::Kernel;
use crate::kernel::store::{Batch, StoreError};
use crate::kernel::vault::{Derivation, Passphrase, SealedKeys, Sealer, Stored};
use crate::protocol::{Event, NoVault, Notice, Storage, VaultCommand, VaultProblem, VaultState};

/// The keys as they lie in the store, and what opens them.
pub(super) struct Vault {
    stored: RefCell<Stored>,
    /// There as long as the vault is open.
    opened: RefCell<Option<Opened>>,
    /// Held by whoever changes one of the two: one after the other, so that what a slow
    /// one finds is still so when it ends.
    turn: Mutex<()>,
}

/// The key that a passphrase gave.
#[derive(Clone)]
struct Opened {
    derivation: Derivation,
    sealer: Rc<dyn Sealer>,
}

impl Vault {
    pub fn new(stored: Stored) -> Self {
        Self {
            stored: RefCell::new(stored),
            opened: RefCell::default(),
            turn: Mutex::default(),
        }
    }
}

/// What comes of a command.
type Done = Result<(), VaultProblem>;

impl Kernel {
    pub(super) async fn vault_command(&self, command: VaultCommand) {
        let turn = self.0.vault.turn.lock().await;
        let before = self.vault_state();
        let done = match (command, before) {
            (VaultCommand::Keep(passphrase), VaultState::None) => self.keep_keys(passphrase).await,
            (VaultCommand::Unlock(passphrase), VaultState::Locked) => {
                self.unlock_keys(passphrase).await
            }
            (VaultCommand::Lock, VaultState::Open) => self.lock_keys().await,
            (VaultCommand::Change { old, new }, VaultState::Open) => {
                self.change_passphrase(old, new).await
            }
            (VaultCommand::Forget, _) => self.forget_keys().await,
            // It came too late: the answer shows how things are now.
            _ => Ok(()),
        };
        drop(turn);
        self.tell(Event::VaultAnswered {
            settings: self.settings_view(),
            problem: done.err(),
        });
        if (before, self.vault_state()) == (VaultState::Locked, VaultState::Open) {
            // Runs that wait for the user have waited for their keys too.
            self.resume_waiting().await;
        }
    }

    /// Where the vault stands.
    pub(super) fn vault_state(&self) -> VaultState {
        let (vault, platform) = (&self.0.vault, &self.0.platform);
        if matches!(platform.storage, Storage::Memory(_)) {
            return VaultState::Unavailable(NoVault::Storage);
        }
        if !platform.vault.derives() {
            return VaultState::Unavailable(NoVault::Cryptography);
        }
        match &*vault.stored.borrow() {
            _ if vault.opened.borrow().is_some() => VaultState::Open,
            Stored::Nothing => VaultState::None,
            Stored::Keys(_) => VaultState::Locked,
            Stored::Damaged => VaultState::Damaged,
        }
    }

    /// Takes in the keys as another tab has left them in the store; tells whether they are
    /// others than before.
    pub(super) fn put_sealed(&self, sealed: Stored) -> bool {
        let stored = &self.0.vault.stored;
        stored.replace(sealed) != *stored.borrow()
    }

    /// What a task that can't be sent for want of a key is answered with.
    pub(super) fn key_wanted(&self) -> Notice {
        match self.vault_state() {
            VaultState::Locked => Notice::KeysLocked,
            _ => Notice::KeyNeeded,
        }
    }

    /// Has the changed keys kept: in the store where the vault is open, else sealed by the
    /// page, for as long as the tab lives.
    pub(super) async fn keep_changed_keys(&self) {
        let _turn = self.0.vault.turn.lock().await;
        let opened = self.0.vault.opened.borrow().clone();
        if let Some(opened) = opened {
            if let Err(error) = self.write_vault(&opened).await {
                self.not_saved(error);
            }
            return;
        }
        let sealed = self.0.keys.seal(&*self.0.platform.vault).await;
        self.tell(Event::KeySealed(sealed));
    }

    async fn keep_keys(&self, passphrase: Passphrase) -> Done {
        let fresh = self.fresh(&passphrase).await?;
        self.write_vault(&fresh).await.map_err(not_saved)?;
        self.0.vault.opened.replace(Some(fresh));
        // What the page kept until now must not open any more, wherever copies of it lie.
        self.0.platform.vault.renew().await;
        self.tell(Event::KeySealed(None));
        Ok(())
    }

    async fn unlock_keys(&self, passphrase: Passphrase) -> Done {
        let vault = &self.0.vault;
        let (opened, text) = self.opens(&passphrase).await?;
        let profiles = self.settings().profiles;
        if self.0.keys.add(&text, &profiles).is_none() {
            vault.stored.replace(Stored::Damaged);
            return Ok(());
        }
        vault.opened.replace(Some(opened.clone()));
        // Keys may have been typed while it was locked, and profiles removed.
        if self.0.keys.text() != text
            && let Err(error) = self.write_vault(&opened).await
        {
            self.not_saved(error);
            return Ok(());
        }
        self.tell(Event::KeySealed(None));
        Ok(())
    }

    async fn lock_keys(&self) -> Done {
        let opened = self.0.vault.opened.borrow().clone();
        // Something may not have been saved when it changed.
        let written = match &opened {
            Some(opened) => self.write_vault(opened).await,
            None => Ok(()),
        };
        self.0.vault.opened.take();
        self.0.keys.clear();
        written.map_err(not_saved)
    }

    async fn change_passphrase(&self, old: Passphrase, new: Passphrase) -> Done {
        self.opens(&old).await?;
        let fresh = self.fresh(&new).await?;
        self.write_vault(&fresh).await.map_err(not_saved)?;
        self.0.vault.opened.replace(Some(fresh));
        Ok(())
    }

    /// Forgets all keys, those that the page keeps for this tab and others among them.
    async fn forget_keys(&self) -> Done {
        self.0.vault.opened.take();
        self.0.keys.clear();
        self.0.platform.vault.renew().await;
        self.tell(Event::KeySealed(None));
        let gone = Batch::of(vec![SealedKeys::delete()]).strict();
        self.store().apply(gone).await.map_err(not_saved)?;
        self.0.vault.stored.replace(Stored::Nothing);
        Ok(())
    }

    /// The key that a passphrase gives, and what it opens.
    async fn opens(&self, passphrase: &Passphrase) -> Result<(Opened, String), VaultProblem> {
        let Stored::Keys(stored) = self.0.vault.stored.borrow().clone() else {
            return Err(VaultProblem::WrongPassphrase);
        };
        let opened = self.derive(passphrase, stored.derivation).await?;
        let text = opened.sealer.open(&stored.sealed).await;
        Ok((opened, text.ok_or(VaultProblem::WrongPassphrase)?))
    }

    /// The key that a new passphrase gives.
    async fn fresh(&self, passphrase: &Passphrase) -> Result<Opened, VaultProblem> {
        if passphrase.is_short() {
            return Err(VaultProblem::TooShort);
        }
        self.derive(passphrase, Derivation::new(&*self.0.platform.random))
            .await
    }

    async fn derive(
        &self,
        passphrase: &Passphrase,
        derivation: Derivation,
    ) -> Result<Opened, VaultProblem> {
        let derived = self.0.platform.vault.derive(passphrase, &derivation).await;
        let sealer = derived.ok_or(VaultProblem::NoKey)?;
        Ok(Opened { derivation, sealer })
    }

    /// Seals all keys anew, and saves them.
    async fn write_vault(&self, with: &Opened) -> Result<(), StoreError> {
        let sealed = with.sealer.seal(&self.0.keys.text()).await;
        let not_sealed = || StoreError::Unavailable("the keys could not be sealed".into());
        let keys = SealedKeys::new(with.derivation.clone(), sealed.ok_or_else(not_sealed)?);
        let batch = Batch::of(vec![keys.put()]).strict();
        self.store().apply(batch).await?;
        self.0.vault.stored.replace(Stored::Keys(keys));
        Ok(())
    }
}

fn not_saved(error: StoreError) -> VaultProblem {
    VaultProblem::NotSaved(error.to_string())
}
