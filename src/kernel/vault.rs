//! How keys are kept: what the kernel needs of a browser's cryptography, and the form
//! in which keys lie in the store under a passphrase. What is done with it is the
//! service's affair.
//!
//! Two twins implement the traits: [`memory::MemoryVault`] and the edge in `browser`. One
//! contract test (`tests/contract/vault.rs`) runs on both.

pub mod memory;

use std::fmt;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

use super::clock::Random;
use super::store::{Change, Key, Store, StoreError, Table, Value};
use crate::plain::Plain;

/// Seals texts by one key, which it shows nobody.
pub trait Sealer {
    /// Seals text, each time in another form; `None` where the browser can't.
    fn seal<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Option<Vec<u8>>>;
    /// Opens what [`Sealer::seal`] gave; `None` if it was changed or sealed by another key.
    fn open<'a>(&'a self, sealed: &'a [u8]) -> LocalBoxFuture<'a, Option<String>>;
}

/// What a browser offers to keep keys. It seals by a key of its own, so that something
/// can lie in the page without being of use there.
pub trait KeyVault: Sealer {
    /// Forgets the browser's own key: what it sealed so far never opens again.
    fn renew(&self) -> LocalBoxFuture<'_, ()>;
    /// Whether it can make keys from passphrases.
    fn derives(&self) -> bool;
    /// Makes a key from a passphrase; `None` where the browser can't.
    fn derive<'a>(
        &'a self,
        passphrase: &'a Passphrase,
        derivation: &'a Derivation,
    ) -> LocalBoxFuture<'a, Option<Rc<dyn Sealer>>>;
}

/// A passphrase on its way from its field to the vault. It is kept nowhere.
#[derive(Clone, Plain)]
pub struct Passphrase(String);

impl Passphrase {
    /// Fewest characters of a new one (NIST SP 800-63B, section 5.1.1.1).
    pub const MIN_CHARS: usize = 8;

    /// As typed: a space at its end is a part of it.
    pub fn new(typed: String) -> Self {
        Self(typed)
    }

    /// Whether it has too few characters for a new one.
    pub fn is_short(&self) -> bool {
        self.0.chars().count() < Self::MIN_CHARS
    }

    /// What the key is made from.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Shows nothing of it.
impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase")
    }
}

/// How a key comes from a passphrase: by PBKDF2 with HMAC-SHA-256 (RFC 8018), for AES-GCM
/// with 256 bits.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Derivation {
    /// Chance, so that equal passphrases make different keys.
    pub salt: Vec<u8>,
    /// How often the hash is taken.
    pub iterations: u32,
}

/// OWASP's figure for PBKDF2 with HMAC-SHA-256 (Password Storage Cheat Sheet).
const ITERATIONS: u32 = 600_000;
/// More would only hold the browser up: nobody wrote such a number here.
const MOST_ITERATIONS: u32 = 10_000_000;
/// Bytes of the salt (NIST SP 800-132 asks for 16).
const SALT: usize = 16;

impl Derivation {
    /// A fresh one, at today's cost.
    pub fn new(random: &dyn Random) -> Self {
        let words = (0..SALT / 8).map(|_| random.next_u64().to_le_bytes());
        Self {
            salt: words.flatten().collect(),
            iterations: ITERATIONS,
        }
    }

    fn is_sound(&self) -> bool {
        self.salt.len() >= SALT && (1..=MOST_ITERATIONS).contains(&self.iterations)
    }
}

/// All keys as they lie in the store.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct SealedKeys {
    /// How the key comes from the passphrase.
    pub derivation: Derivation,
    /// What [`Sealer::seal`] gave.
    pub sealed: Vec<u8>,
    /// Of the rest, so that damage is not taken for a wrong passphrase. It says nothing
    /// about what is sealed.
    check: String,
}

/// What was found in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// Nothing.
    Nothing,
    /// Keys under a passphrase.
    Keys(SealedKeys),
    /// Something that can't be keys.
    Damaged,
}

impl SealedKeys {
    /// What `derivation` made a key for.
    pub fn new(derivation: Derivation, sealed: Vec<u8>) -> Self {
        Self {
            check: check_of(&derivation, &sealed),
            derivation,
            sealed,
        }
    }

    fn key() -> Key {
        Key::new(["keys".into()])
    }

    /// Reads what is stored.
    ///
    /// # Errors
    /// What the store says. Something unreadable is no error.
    pub async fn load(store: &dyn Store) -> Result<Stored, StoreError> {
        let found = match store.get(Table::Vault, Self::key()).await {
            Ok(None) => return Ok(Stored::Nothing),
            Ok(Some(value)) => value.parse::<Self>(),
            Err(error) => Err(error),
        };
        match found {
            Ok(keys) if keys.is_sound() => Ok(Stored::Keys(keys)),
            Ok(_) | Err(StoreError::Corrupt(_)) => Ok(Stored::Damaged),
            Err(error) => Err(error),
        }
    }

    /// The change that saves them.
    pub fn put(&self) -> Change {
        Change::Put(Table::Vault, Self::key(), Value::record(self))
    }

    /// The change that removes them, whatever they are.
    pub fn delete() -> Change {
        Change::Delete(Table::Vault, Self::key())
    }

    fn is_sound(&self) -> bool {
        self.derivation.is_sound() && self.check == check_of(&self.derivation, &self.sealed)
    }
}

fn check_of(derivation: &Derivation, sealed: &[u8]) -> String {
    let iterations = derivation.iterations.to_le_bytes();
    let all = [&iterations[..], &derivation.salt, sealed].concat();
    blake3::hash(&all).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::clock::SeededRandom;

    #[test]
    fn a_passphrase_is_not_shown_and_not_trimmed() {
        let passphrase = Passphrase::new(" seven77".into());
        assert_eq!(format!("{passphrase:?}"), "Passphrase");
        assert!(!passphrase.is_short());
        assert!(Passphrase::new("七个汉字不够长".into()).is_short());
        assert!(!Passphrase::new("八个汉字刚好够长".into()).is_short());
    }

    #[test]
    fn each_salt_is_another() {
        let random = SeededRandom::new(1);
        let (a, b) = (Derivation::new(&random), Derivation::new(&random));
        assert_eq!((a.salt.len(), a.iterations), (16, 600_000));
        assert_ne!(a.salt, b.salt);
    }

    #[test]
    fn damage_is_seen() {
        let derivation = Derivation::new(&SeededRandom::new(1));
        let whole = SealedKeys::new(derivation, vec![1, 2, 3]);
        assert!(whole.is_sound());
        let damaged: [fn(&mut SealedKeys); 5] = [
            |keys| keys.sealed[1] = 0,
            |keys| keys.sealed.truncate(2),
            |keys| keys.derivation.salt[0] ^= 1,
            |keys| keys.derivation.iterations += 1,
            |keys| keys.check.clear(),
        ];
        for damage in damaged {
            let mut keys = whole.clone();
            damage(&mut keys);
            assert!(!keys.is_sound(), "{keys:?}");
        }
        for (salt, iterations) in [(vec![7; 15], 1), (vec![7; 16], 0), (vec![7; 16], u32::MAX)] {
            let keys = SealedKeys::new(Derivation { salt, iterations }, vec![1]);
            assert!(!keys.is_sound(), "{keys:?}");
        }
    }
}
