//! The vault: a sealed key opens in this browser alone, and tells nothing.
#![cfg(target_arch = "wasm32")]

use std::rc::Rc;

use tabloop::browser::indexed_db::IndexedDb;
use tabloop::browser::vault::BrowserVault;
use tabloop::kernel::service::KeyVault;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

const KEY: &str = "sk-test-vault-4711";

async fn vault() -> BrowserVault {
    let name = format!("vault-{}-{}", js_sys::Date::now(), js_sys::Math::random());
    let database = IndexedDb::open(&name).await.unwrap();
    BrowserVault {
        database: Some(Rc::new(database)),
    }
}

#[wasm_bindgen_test]
async fn a_sealed_key_opens_again_and_shows_nothing() {
    let vault = vault().await;
    let sealed = vault.seal(KEY).await.unwrap();
    assert!(
        !sealed
            .windows(8)
            .any(|part| KEY.as_bytes().windows(8).any(|of_key| of_key == part))
    );
    assert_eq!(vault.open(&sealed).await.as_deref(), Some(KEY));
    assert_ne!(
        vault.seal(KEY).await.unwrap(),
        sealed,
        "sealed twice, it looks different"
    );
}

#[wasm_bindgen_test]
async fn what_was_changed_or_sealed_elsewhere_does_not_open() {
    let vault = vault().await;
    let mut sealed = vault.seal(KEY).await.unwrap();
    let elsewhere = self::vault().await;
    assert_eq!(elsewhere.open(&sealed).await, None);
    *sealed.last_mut().unwrap() ^= 1;
    assert_eq!(vault.open(&sealed).await, None);
    assert_eq!(vault.open(&[1, 2, 3]).await, None);
}

#[wasm_bindgen_test]
async fn without_a_database_nothing_is_sealed() {
    let vault = BrowserVault { database: None };
    assert_eq!(vault.seal(KEY).await, None);
}
