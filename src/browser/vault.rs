//! The browser's cryptography for keys: AES-GCM by keys that never leave the browser's
//! key store (they are made not extractable), used in the kernel's worker alone.
//!
//! One such key lies in the database and seals what the page holds in `sessionStorage`
//! over a reload of the tab. Others are made from passphrases and lie nowhere.

use std::rc::Rc;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use js_sys::{Array, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CryptoKey, SubtleCrypto};

use super::clock::fill_random;
use super::indexed_db::IndexedDb;
use crate::kernel::vault::{Derivation, KeyVault, Passphrase, Sealer};

/// The browser's own key's name in the vault table.
const SEALING_KEY: &str = "sealing-key";
/// Bytes of the initialisation vector (NIST SP 800-38D recommends 12).
const IV: usize = 12;

/// Seals by a key that lies in the database.
pub struct BrowserVault {
    /// Where that key lies; without a database nothing is sealed by it.
    pub database: Option<Rc<IndexedDb>>,
}

impl Sealer for BrowserVault {
    fn seal<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Option<Vec<u8>>> {
        async { self.own().await.ok()?.seal(text).await }.boxed_local()
    }

    fn open<'a>(&'a self, sealed: &'a [u8]) -> LocalBoxFuture<'a, Option<String>> {
        async { self.own().await.ok()?.open(sealed).await }.boxed_local()
    }
}

impl KeyVault for BrowserVault {
    fn renew(&self) -> LocalBoxFuture<'_, ()> {
        async {
            if let Some(database) = &self.database {
                // A failure leaves it as it was, and what it sealed in the page is gone.
                drop(database.vault_forget(SEALING_KEY).await);
            }
        }
        .boxed_local()
    }

    fn derives(&self) -> bool {
        subtle().is_ok()
    }

    fn derive<'a>(
        &'a self,
        passphrase: &'a Passphrase,
        derivation: &'a Derivation,
    ) -> LocalBoxFuture<'a, Option<Rc<dyn Sealer>>> {
        let derived = derive(passphrase, derivation).map(Result::ok);
        derived
            .map(|key| Some(Rc::new(SubtleSealer(key?)) as Rc<dyn Sealer>))
            .boxed_local()
    }
}

impl BrowserVault {
    /// The key in the database, made on first use.
    async fn own(&self) -> Result<SubtleSealer, JsValue> {
        let none = |_| JsValue::NULL;
        let database = self.database.as_ref().ok_or(JsValue::NULL)?;
        let kept = database.vault_get(SEALING_KEY).await.map_err(none)?;
        if kept.is_truthy() {
            return Ok(SubtleSealer(kept.unchecked_into()));
        }
        let made = subtle()?.generate_key_with_object(&aes()?, false, &uses())?;
        let made = wait(made).await?;
        let kept = database
            .vault_keep(SEALING_KEY, &made)
            .await
            .map_err(none)?;
        Ok(SubtleSealer(kept.unchecked_into()))
    }
}

/// Seals by a key of the browser's key store.
struct SubtleSealer(CryptoKey);

impl Sealer for SubtleSealer {
    fn seal<'a>(&'a self, text: &'a str) -> LocalBoxFuture<'a, Option<Vec<u8>>> {
        self.try_seal(text).map(Result::ok).boxed_local()
    }

    fn open<'a>(&'a self, sealed: &'a [u8]) -> LocalBoxFuture<'a, Option<String>> {
        self.try_open(sealed).map(Result::ok).boxed_local()
    }
}

impl SubtleSealer {
    async fn try_seal(&self, text: &str) -> Result<Vec<u8>, JsValue> {
        let mut iv = [0; IV];
        fill_random(&mut iv);
        let sealed =
            subtle()?.encrypt_with_object_and_u8_array(&aes_gcm(&iv)?, &self.0, text.as_bytes())?;
        let sealed = Uint8Array::new(&wait(sealed).await?).to_vec();
        Ok([iv.as_slice(), &sealed].concat())
    }

    async fn try_open(&self, sealed: &[u8]) -> Result<String, JsValue> {
        let (iv, sealed) = sealed.split_at_checked(IV).ok_or(JsValue::NULL)?;
        let opened = subtle()?.decrypt_with_object_and_u8_array(&aes_gcm(iv)?, &self.0, sealed)?;
        let opened = Uint8Array::new(&wait(opened).await?).to_vec();
        String::from_utf8(opened).map_err(|_| JsValue::NULL)
    }
}

async fn derive(passphrase: &Passphrase, derivation: &Derivation) -> Result<CryptoKey, JsValue> {
    let subtle = subtle()?;
    let typed = Uint8Array::from(passphrase.bytes());
    let of_use = Array::of1(&"deriveKey".into());
    let typed = subtle.import_key_with_str("raw", &typed, "PBKDF2", false, &of_use)?;
    let typed: CryptoKey = wait(typed).await?.unchecked_into();
    let algorithm = named("PBKDF2")?;
    let salt = Uint8Array::from(derivation.salt.as_slice());
    Reflect::set(&algorithm, &"hash".into(), &"SHA-256".into())?;
    Reflect::set(&algorithm, &"salt".into(), &salt)?;
    Reflect::set(
        &algorithm,
        &"iterations".into(),
        &derivation.iterations.into(),
    )?;
    let derived =
        subtle.derive_key_with_object_and_object(&algorithm, &typed, &aes()?, false, &uses())?;
    Ok(wait(derived).await?.unchecked_into())
}

/// Missing where the page is not served securely.
fn subtle() -> Result<SubtleCrypto, JsValue> {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into())?;
    let subtle = Reflect::get(&crypto, &"subtle".into())?;
    if subtle.is_object() {
        Ok(subtle.unchecked_into())
    } else {
        Err(JsValue::NULL)
    }
}

fn named(algorithm: &str) -> Result<Object, JsValue> {
    let named = Object::new();
    Reflect::set(&named, &"name".into(), &algorithm.into())?;
    Ok(named)
}

/// What keys are made for.
fn aes() -> Result<Object, JsValue> {
    let algorithm = named("AES-GCM")?;
    Reflect::set(&algorithm, &"length".into(), &256.into())?;
    Ok(algorithm)
}

fn aes_gcm(iv: &[u8]) -> Result<Object, JsValue> {
    let algorithm = named("AES-GCM")?;
    Reflect::set(&algorithm, &"iv".into(), &Uint8Array::from(iv))?;
    Ok(algorithm)
}

fn uses() -> Array {
    Array::of2(&"encrypt".into(), &"decrypt".into())
}

async fn wait(promise: Promise) -> Result<JsValue, JsValue> {
    JsFuture::from(promise).await
}
