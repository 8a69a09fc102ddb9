//! The keys of the endpoints. They live here and in the requests that carry them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::KeyVault;
use crate::kernel::settings::ProfileId;
use crate::plain::{from_json, to_json};

/// Of each profile that has one.
#[derive(Default)]
pub(super) struct Keys(RefCell<BTreeMap<ProfileId, String>>);

impl Keys {
    /// Those that an earlier kernel of this tab sealed.
    pub async fn open(vault: &dyn KeyVault, sealed: Option<Vec<u8>>) -> Self {
        let opened = match &sealed {
            Some(sealed) => vault.open(sealed).await.unwrap_or_default(),
            None => String::new(),
        };
        let keys: Vec<(ProfileId, String)> = from_json(&opened).unwrap_or_default();
        Self(RefCell::new(keys.into_iter().collect()))
    }

    /// The key of a profile; empty if there is none.
    pub fn get(&self, id: &str) -> String {
        self.0.borrow().get(id).cloned().unwrap_or_default()
    }

    /// All of them.
    pub fn all(&self) -> Vec<String> {
        self.0.borrow().values().cloned().collect()
    }

    /// The profiles that have one.
    pub fn holders(&self) -> Vec<ProfileId> {
        self.0.borrow().keys().cloned().collect()
    }

    /// Gives a profile a key, or none if it is empty.
    pub fn set(&self, id: &str, key: String) {
        let mut keys = self.0.borrow_mut();
        match key.is_empty() {
            true => keys.remove(id),
            false => keys.insert(id.to_owned(), key),
        };
    }

    /// All of them in a form that only this browser's kernel can open; `None` if there
    /// are none, or the browser can't seal.
    pub async fn seal(&self, vault: &dyn KeyVault) -> Option<Vec<u8>> {
        let keys: Vec<(ProfileId, String)> = self.0.borrow().clone().into_iter().collect();
        match keys.is_empty() {
            true => None,
            false => vault.seal(&to_json(&keys)).await,
        }
    }
}
