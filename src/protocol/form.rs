//! What page and kernel say of forms: the fields that were not taken, and what becomes of keys.

use crate::kernel::settings::{Limit, OptionField};
use crate::kernel::vault::Passphrase;
use crate::plain::Plain;

/// What becomes of the keys that are kept under a passphrase.
#[derive(Debug, Clone, Plain)]
pub enum VaultCommand {
    /// Keep all keys on this device, under a new passphrase.
    Keep(Passphrase),
    /// Make them usable.
    Unlock(Passphrase),
    /// Make them unusable until they are unlocked; open runs keep theirs to their end.
    Lock,
    /// Keep them under another passphrase.
    Change {
        /// The one in use.
        old: Passphrase,
        /// The one to come.
        new: Passphrase,
    },
    /// Forget all keys, those of tabs too.
    Forget,
}

/// A field of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Field {
    /// The endpoint's address.
    BaseUrl,
    /// The key.
    Key,
    /// The model's name.
    Model,
    /// Something that is sent beside the conversation.
    Option(OptionField),
    /// One of the limits.
    Limit(Limit),
    /// The rules for calls.
    Rules,
}
