//! The contract of stores, over real IndexedDB in a browser.
#![cfg(target_arch = "wasm32")]

#[path = "contract/store.rs"]
mod contract;
#[path = "contract/damage.rs"]
mod damage;
#[path = "contract/files.rs"]
mod files;
#[path = "contract/model.rs"]
mod model;

use std::cell::Cell;
use std::rc::Rc;

use tabloop::browser::indexed_db::IndexedDb;
use tabloop::kernel::store::{Batch, Change, Key, Store, Table, Value};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// A name no earlier run has used.
fn fresh_name(part: &str) -> String {
    format!(
        "test-{part}-{}-{}",
        js_sys::Date::now(),
        js_sys::Math::random()
    )
}

#[wasm_bindgen_test]
async fn indexed_db_keeps_the_contract() {
    let count = Cell::new(0);
    contract::check_all(async || {
        count.set(count.get() + 1);
        IndexedDb::open(&fresh_name(&count.get().to_string()))
            .await
            .unwrap()
    })
    .await;
}

#[wasm_bindgen_test]
async fn workspaces_in_indexed_db_keep_the_contract() {
    let count = Cell::new(0);
    let open = async || {
        count.set(count.get() + 1);
        let name = fresh_name(&format!("files-{}", count.get()));
        IndexedDb::open(&name).await.unwrap()
    };
    files::check_all(&open).await;
    damage::check_all(&open).await;
}

#[wasm_bindgen_test]
async fn whatever_goes_wrong_the_database_is_the_tree_before_or_after() {
    for seed in 0..6 {
        let name = fresh_name(&format!("model-{seed}"));
        let store = Rc::new(IndexedDb::open(&name).await.unwrap());
        model::walk(store, seed, 40).await;
    }
}

/// The tables that each earlier version of the database had.
const EARLIER: [(u32, &str); 4] = [
    (1, "workspaces nodes blobs sessions messages settings"),
    (
        2,
        "workspaces nodes blobs sessions messages settings traces overflow journal flushed",
    ),
    (
        2,
        "workspaces nodes blobs sessions messages settings traces overflow journal vault flushed",
    ),
    (
        3,
        "workspaces nodes blobs changes checkpoints sessions messages settings traces overflow journal vault flushed",
    ),
];

#[wasm_bindgen_test]
async fn every_earlier_version_is_taken_over() {
    for (n, (version, tables)) in EARLIER.into_iter().enumerate() {
        let name = fresh_name(&format!("earlier-{n}"));
        let large: Vec<u8> = (0..1_500_000_u32).map(|n| (n % 251) as u8).collect();
        let files = [("d/large", large), ("d/small", b"1".to_vec())];
        make_database(&name, version, tables).await;
        let store = Rc::new(IndexedDb::open(&name).await.unwrap());
        for table in Table::ALL {
            let rows = store.keys(table, Key(Vec::new())).await;
            assert_eq!(rows, Ok(Vec::new()), "{table:?} after version {version}");
        }
        let rows = damage::first_form(&files);
        store.apply(Batch::of(rows)).await.unwrap();
        damage::check_taken_over(store, &files).await;
    }
}

/// Makes a database as an earlier build would have.
async fn make_database(name: &str, version: u32, tables: &str) {
    use js_sys::{Array, Function, Promise};
    let make = Function::new_with_args(
        "name, version, tables",
        "return new Promise((done, fail) => { \
           const r = indexedDB.open(name, version); \
           r.onupgradeneeded = () => tables.split(' ').forEach((t) => r.result.createObjectStore(t)); \
           r.onsuccess = () => { r.result.close(); done(); }; \
           r.onerror = fail; })",
    );
    let arguments = Array::of3(&name.into(), &version.into(), &tables.into());
    let promise: Promise = make
        .apply(&wasm_bindgen::JsValue::NULL, &arguments)
        .unwrap()
        .into();
    wasm_bindgen_futures::JsFuture::from(promise).await.unwrap();
}

#[wasm_bindgen_test]
async fn a_connection_closed_by_a_deletion_elsewhere_is_opened_anew() {
    let name = fresh_name("closed");
    let store = IndexedDb::open(&name).await.unwrap();
    let put = |n: u64| {
        Batch::of(vec![Change::Put(
            Table::Messages,
            Key::new([n.into()]),
            Value::Json("1".into()),
        )])
    };
    store.apply(put(1)).await.unwrap();
    delete_database(&name).await;
    store.apply(put(2)).await.unwrap();
    assert_eq!(
        store.keys(Table::Messages, Key(Vec::new())).await.unwrap(),
        [Key::new([2.into()])]
    );
}

#[wasm_bindgen_test]
async fn a_batch_that_is_dropped_half_way_changes_nothing() {
    let name = fresh_name("dropped");
    let store = IndexedDb::open(&name).await.unwrap();
    let key = Key::new(["k".into()]);
    let other = Key::new(["other".into()]);
    let there = Value::Json("1".into());
    let put = Change::Put(Table::Messages, other.clone(), there.clone());
    store.apply(Batch::of(vec![put])).await.unwrap();
    let batch = Batch {
        changes: vec![Change::Put(
            Table::Messages,
            key.clone(),
            Value::Json("1".into()),
        )],
        require: vec![(Table::Messages, other, Some(there))],
        ..Batch::default()
    };
    // Polled once: the transaction is open and waits for its check.
    assert!(futures::FutureExt::now_or_never(store.apply(batch)).is_none());
    assert_eq!(store.get(Table::Messages, key).await, Ok(None));
}

/// Deletes a database as another tab would.
async fn delete_database(name: &str) {
    use js_sys::{Function, Promise};
    let wait = Function::new_with_args(
        "name",
        "return new Promise((done, fail) => { const r = indexedDB.deleteDatabase(name); r.onsuccess = done; r.onerror = fail; })",
    );
    let promise: Promise = wait
        .call1(&wasm_bindgen::JsValue::NULL, &name.into())
        .unwrap()
        .into();
    wasm_bindgen_futures::JsFuture::from(promise).await.unwrap();
}
