//! The keys of the endpoints. They live here and in the requests that carry them.

use std::cell::RefCell;

use crate::kernel::settings::{Profile, ProfileId};
use crate::kernel::vault::Sealer;
use crate::plain::{Plain, from_json, to_json};

/// A key, and what it is for.
#[derive(Clone, PartialEq, Eq, Plain)]
pub(super) struct KeptKey {
    profile: ProfileId,
    /// A key is for one host: it does not go to another that the profile has come to name
    /// while the key lay sealed.
    host: String,
    key: String,
}

impl KeptKey {
    fn is_for(&self, profile: &Profile) -> bool {
        self.profile == profile.id && self.host == profile.base_url.host()
    }
}

/// At most one for each profile.
#[derive(Default)]
pub(super) struct Keys(RefCell<Vec<KeptKey>>);

impl Keys {
    /// Those that an earlier kernel of this tab sealed.
    pub async fn open(vault: &dyn Sealer, sealed: Option<Vec<u8>>) -> Self {
        let opened = match &sealed {
            Some(sealed) => vault.open(sealed).await.unwrap_or_default(),
            None => String::new(),
        };
        Self(RefCell::new(from_json(&opened).unwrap_or_default()))
    }

    /// The key of a profile; empty if there is none for the host it names.
    pub fn get(&self, profile: &Profile) -> String {
        let keys = self.0.borrow();
        let found = keys.iter().find(|kept| kept.is_for(profile));
        found.map_or_else(String::new, |kept| kept.key.clone())
    }

    /// All of them.
    pub fn all(&self) -> Vec<String> {
        let keys = self.0.borrow();
        keys.iter().map(|kept| kept.key.clone()).collect()
    }

    /// Gives a profile a key for a host, or none if it is empty.
    pub fn set(&self, id: &str, host: &str, key: String) {
        let mut held = self.0.borrow_mut();
        held.retain(|kept| kept.profile != id);
        if !key.is_empty() {
            held.push(KeptKey {
                profile: id.to_owned(),
                host: host.to_owned(),
                key,
            });
        }
    }

    /// Takes all keys away. Runs that are open have their own copy to their end.
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// All of them as text, to be sealed.
    pub fn text(&self) -> String {
        to_json(self.0.borrow().as_slice())
    }

    /// Adds those in a text that [`Keys::text`] gave, as far as one of `profiles` still
    /// wants them; a key that is held already is the newer one. `None` if it is no such text.
    pub fn add(&self, text: &str, profiles: &[Profile]) -> Option<()> {
        let kept: Vec<KeptKey> = from_json(text)?;
        let mut held = self.0.borrow_mut();
        for kept in kept {
            let is_wanted = profiles.iter().any(|profile| kept.is_for(profile));
            let is_known = held.iter().any(|other| other.profile == kept.profile);
            if is_wanted && !is_known {
                held.push(kept);
            }
        }
        Some(())
    }

    /// All of them in a form that only this browser's kernel can open; `None` if there
    /// are none, or the browser can't seal.
    pub async fn seal(&self, vault: &dyn Sealer) -> Option<Vec<u8>> {
        let is_empty = self.0.borrow().is_empty();
        match is_empty {
            true => None,
            false => vault.seal(&self.text()).await,
        }
    }
}
