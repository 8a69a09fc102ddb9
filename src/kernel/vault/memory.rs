//! The vault without a browser: the twin for native tests. It really seals, by BLAKE3 in
//! the place of AES-GCM and PBKDF2: what was changed or sealed by another key does not open.

use std::cell::Cell;
use std::rc::Rc;

use blake3::Hasher;
use futures::future::{LocalBoxFuture, ready};

use super::{Derivation, KeyVault, Passphrase, Sealer};

/// Bytes of the number that makes each sealing another.
const NONCE: usize = 8;
/// Bytes of the mark that tells whether something was changed.
const MARK: usize = 32;

/// A vault that seals for as long as it lives.
#[derive(Default)]
pub struct MemoryVault {
    /// How often its own key was forgotten.
    renewed: Cell<u64>,
    nonce: Rc<Cell<u64>>,
}

impl MemoryVault {
    fn own(&self) -> MemorySealer {
        MemorySealer {
            key: blake3::derive_key("tabloop own key", &self.renewed.get().to_le_bytes()),
            nonce: Rc::clone(&self.nonce),
        }
    }
}

impl Sealer for MemoryVault {
    fn seal<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(ready(Some(self.own().sealed(text))))
    }

    fn open<'a>(&'a self, sealed: &'a [u8]) -> LocalBoxFuture<'a, Option<String>> {
        Box::pin(ready(self.own().opened(sealed)))
    }
}

impl KeyVault for MemoryVault {
    fn renew(&self) -> LocalBoxFuture<'_, ()> {
        self.renewed.set(self.renewed.get() + 1);
        Box::pin(ready(()))
    }

    fn derives(&self) -> bool {
        true
    }

    fn derive<'a>(
        &'a self,
        passphrase: &'a Passphrase,
        derivation: &'a Derivation,
    ) -> LocalBoxFuture<'a, Option<Rc<dyn Sealer>>> {
        let mut hash = Hasher::new_derive_key("tabloop passphrase");
        hash.update(&derivation.iterations.to_le_bytes());
        hash.update(&derivation.salt);
        hash.update(passphrase.bytes());
        let sealer = MemorySealer {
            key: hash.finalize().into(),
            nonce: Rc::clone(&self.nonce),
        };
        Box::pin(ready(Some(Rc::new(sealer) as Rc<dyn Sealer>)))
    }
}

struct MemorySealer {
    key: [u8; 32],
    nonce: Rc<Cell<u64>>,
}

impl MemorySealer {
    fn sealed(&self, text: &str) -> Vec<u8> {
        let nonce = self.nonce.get();
        self.nonce.set(nonce + 1);
        let mut sealed = nonce.to_le_bytes().to_vec();
        sealed.extend(self.mixed(&nonce.to_le_bytes(), text.as_bytes()));
        let mark = self.mark(&sealed);
        sealed.extend(mark);
        sealed
    }

    fn opened(&self, sealed: &[u8]) -> Option<String> {
        let (rest, mark) = sealed.split_at_checked(sealed.len().checked_sub(MARK)?)?;
        if self.mark(rest) != mark {
            return None;
        }
        let (nonce, mixed) = rest.split_at_checked(NONCE)?;
        String::from_utf8(self.mixed(nonce, mixed)).ok()
    }

    fn mark(&self, of: &[u8]) -> [u8; MARK] {
        blake3::keyed_hash(&self.key, of).into()
    }

    /// The bytes and a stream that only the key gives, one over the other; twice is once.
    fn mixed(&self, nonce: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut stream = vec![0; bytes.len()];
        let mut hash = Hasher::new_keyed(&self.key);
        hash.update(b"stream").update(nonce);
        hash.finalize_xof().fill(&mut stream);
        bytes.iter().zip(stream).map(|(a, b)| a ^ b).collect()
    }
}

impl Sealer for MemorySealer {
    fn seal<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(ready(Some(self.sealed(text))))
    }

    fn open<'a>(&'a self, sealed: &'a [u8]) -> LocalBoxFuture<'a, Option<String>> {
        Box::pin(ready(self.opened(sealed)))
    }
}
