//! The keys of the endpoints. They live here and in the requests that carry them.

use std::cell::RefCell;

use super::KeyVault;
use crate::kernel::settings::ProfileId;
use crate::plain::{from_json, to_json};

/// Of each profile that has one.
#[derive(Default)]
pub(super) struct Keys(RefCell<Vec<(ProfileId, String)>>);

impl Keys {
    /// Those that an earlier kernel of this tab sealed.
    pub async fn open(vault: &dyn KeyVault, sealed: Option<Vec<u8>>) -> Self {
        let opened = match &sealed {
            Some(sealed) => vault.open(sealed).await.unwrap_or_default(),
            None => String::new(),
        };
        Self(RefCell::new(from_json(&opened).unwrap_or_default()))
    }

    /// The key of a profile; empty if there is none.
    pub fn get(&self, id: &str) -> String {
        let keys = self.0.borrow();
        let key = keys.iter().find(|(of, _)| of == id);
        key.map_or_else(String::new, |(_, key)| key.clone())
    }

    /// All of them.
    pub fn all(&self) -> Vec<String> {
        self.0.borrow().iter().map(|(_, key)| key.clone()).collect()
    }

    /// The profiles that have one.
    pub fn holders(&self) -> Vec<ProfileId> {
        self.0.borrow().iter().map(|(id, _)| id.clone()).collect()
    }

    /// Gives a profile a key, or none if it is empty.
    pub fn set(&self, id: &str, key: String) {
        let mut keys = self.0.borrow_mut();
        keys.retain(|(of, _)| of != id);
        if !key.is_empty() {
            keys.push((id.to_owned(), key));
        }
    }

    /// All of them in a form that only this browser's kernel can open; `None` if there
    /// are none, or the browser can't seal.
    pub async fn seal(&self, vault: &dyn KeyVault) -> Option<Vec<u8>> {
        let keys = self.0.borrow().clone();
        match keys.is_empty() {
            true => None,
            false => vault.seal(&to_json(&keys)).await,
        }
    }
}
