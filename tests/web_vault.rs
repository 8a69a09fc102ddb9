//! The contract of vaults, over the browser's own cryptography.
#![cfg(target_arch = "wasm32")]

#[path = "contract/vault.rs"]
mod contract;

use std::rc::Rc;

use tabloop::browser::indexed_db::IndexedDb;
use tabloop::browser::vault::BrowserVault;
use tabloop::kernel::clock::SeededRandom;
use tabloop::kernel::store::{Key, Store, Table};
use tabloop::kernel::vault::{Derivation, KeyVault, Passphrase, SealedKeys, Sealer, Stored};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

async fn database() -> Rc<IndexedDb> {
    let name = format!("vault-{}-{}", js_sys::Date::now(), js_sys::Math::random());
    Rc::new(IndexedDb::open(&name).await.unwrap())
}

async fn vault() -> BrowserVault {
    BrowserVault {
        database: Some(database().await),
    }
}

#[wasm_bindgen_test]
async fn the_browser_s_vault_keeps_the_contract() {
    contract::check_all(vault).await;
}

#[wasm_bindgen_test]
async fn without_a_database_only_a_passphrase_seals() {
    let vault = BrowserVault { database: None };
    assert_eq!(vault.seal("sk-1").await, None);
    let derivation = Derivation::new(&SeededRandom::new(1));
    let passphrase = Passphrase::new("correct horse".into());
    let sealer = vault.derive(&passphrase, &derivation).await.unwrap();
    let sealed = sealer.seal("sk-1").await.unwrap();
    assert_eq!(sealer.open(&sealed).await.as_deref(), Some("sk-1"));
}

#[wasm_bindgen_test]
async fn rows_and_the_browser_s_own_key_lie_in_one_table() {
    let database = database().await;
    let vault = BrowserVault {
        database: Some(Rc::clone(&database)),
    };
    let of_tab = vault.seal("sk-1").await.unwrap();
    let keys = SealedKeys::new(Derivation::new(&SeededRandom::new(1)), vec![0, 255]);
    let batch = tabloop::kernel::store::Batch::of(vec![keys.put()]);
    database.apply(batch.strict()).await.unwrap();
    let stored = SealedKeys::load(&*database).await;
    assert_eq!(stored, Ok(Stored::Keys(keys)));
    let rows = database.keys(Table::Vault, Key(Vec::new())).await.unwrap();
    assert_eq!(rows, [Key::new(["keys".into()])]);
    assert_eq!(vault.open(&of_tab).await.as_deref(), Some("sk-1"));
}
