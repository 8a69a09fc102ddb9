//! Keeps the endpoint's key over a reload of the tab, and no longer: the page
//! holds it sealed (AES-GCM) in `sessionStorage`, which ends with the tab; the
//! key that opens it never leaves the browser's key store (it is made not
//! extractable) and is used in the kernel's worker alone.

use std::rc::Rc;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use js_sys::{Array, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CryptoKey, SubtleCrypto};

use super::clock::fill_random;
use super::indexed_db::IndexedDb;
use crate::kernel::service::KeyVault;

/// The sealing key's name in the vault table.
const SEALING_KEY: &str = "sealing-key";
/// Bytes of the initialisation vector (NIST SP 800-38D recommends 12).
const IV: usize = 12;

/// Seals by a key that lies in the database.
pub struct BrowserVault {
    /// Where the sealing key lies; without a database nothing is sealed.
    pub database: Option<Rc<IndexedDb>>,
}

impl KeyVault for BrowserVault {
    fn seal<'a>(&'a self, key: &'a str) -> LocalBoxFuture<'a, Option<Vec<u8>>> {
        self.try_seal(key).map(Result::ok).boxed_local()
    }

    fn open<'a>(&'a self, sealed: &'a [u8]) -> LocalBoxFuture<'a, Option<String>> {
        self.try_open(sealed).map(Result::ok).boxed_local()
    }
}

impl BrowserVault {
    async fn try_seal(&self, key: &str) -> Result<Vec<u8>, JsValue> {
        let mut iv = [0; IV];
        fill_random(&mut iv);
        let sealing_key = self.sealing_key().await?;
        let sealed = subtle()?.encrypt_with_object_and_u8_array(
            &aes_gcm(&iv)?,
            &sealing_key,
            key.as_bytes(),
        )?;
        let sealed = Uint8Array::new(&wait(sealed).await?).to_vec();
        Ok([iv.as_slice(), &sealed].concat())
    }

    async fn try_open(&self, sealed: &[u8]) -> Result<String, JsValue> {
        let (iv, sealed) = sealed.split_at_checked(IV).ok_or(JsValue::NULL)?;
        let sealing_key = self.sealing_key().await?;
        let opened =
            subtle()?.decrypt_with_object_and_u8_array(&aes_gcm(iv)?, &sealing_key, sealed)?;
        let opened = Uint8Array::new(&wait(opened).await?).to_vec();
        String::from_utf8(opened).map_err(|_| JsValue::NULL)
    }

    /// The key in the vault, made on first use.
    async fn sealing_key(&self) -> Result<CryptoKey, JsValue> {
        let none = |_| JsValue::NULL;
        let database = self.database.as_ref().ok_or(JsValue::NULL)?;
        let kept = database.vault_get(SEALING_KEY).await.map_err(none)?;
        if kept.is_truthy() {
            return Ok(kept.unchecked_into());
        }
        let algorithm = Object::new();
        Reflect::set(&algorithm, &"name".into(), &"AES-GCM".into())?;
        Reflect::set(&algorithm, &"length".into(), &256.into())?;
        let uses: Array = ["encrypt", "decrypt"]
            .into_iter()
            .map(JsValue::from_str)
            .collect();
        let made = subtle()?.generate_key_with_object(&algorithm, false, uses.as_ref())?;
        let made = wait(made).await?;
        let kept = database
            .vault_keep(SEALING_KEY, &made)
            .await
            .map_err(none)?;
        Ok(kept.unchecked_into())
    }
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

fn aes_gcm(iv: &[u8]) -> Result<Object, JsValue> {
    let algorithm = Object::new();
    Reflect::set(&algorithm, &"name".into(), &"AES-GCM".into())?;
    Reflect::set(&algorithm, &"iv".into(), &Uint8Array::from(iv))?;
    Ok(algorithm)
}

async fn wait(promise: Promise) -> Result<JsValue, JsValue> {
    JsFuture::from(promise).await
}
