//! What every store must do. Runs over the store in memory natively, and over
//! real IndexedDB in a browser; included by both.

use tabloop::kernel::store::{Batch, Change, Durability, Key, Store, StoreError, Table, Value};

fn key(session: &str, seq: u64) -> Key {
    Key::new([session.into(), seq.into()])
}

fn json(text: &str) -> Value {
    Value::Json(text.into())
}

fn put(key: Key, value: Value) -> Change {
    Change::Put(Table::Messages, key, value)
}

/// Runs all of it over stores that `open` makes, each empty.
pub async fn check_all<S: Store + 'static>(open: impl AsyncFn() -> S) {
    puts_and_gets(&open().await).await;
    lists_by_prefix_and_in_order(&open().await).await;
    lists_more_than_a_page(&open().await).await;
    a_batch_happens_whole_or_not_at_all(&open().await).await;
}

async fn puts_and_gets(store: &dyn Store) {
    let bytes = Value::Bytes(vec![0, 255, 10, 13]);
    let changes = vec![
        put(key("a", 0), json("{}")),
        Change::Put(Table::Blobs, key("h", 0), bytes.clone()),
    ];
    store.apply(Batch::of(changes).strict()).await.unwrap();
    assert_eq!(
        store.get(Table::Messages, key("a", 0)).await,
        Ok(Some(json("{}")))
    );
    assert_eq!(store.get(Table::Blobs, key("h", 0)).await, Ok(Some(bytes)));
    assert_eq!(store.get(Table::Messages, key("a", 1)).await, Ok(None));
    store
        .apply(Batch::of(vec![Change::Delete(
            Table::Messages,
            key("a", 0),
        )]))
        .await
        .unwrap();
    assert_eq!(store.get(Table::Messages, key("a", 0)).await, Ok(None));
}

async fn lists_by_prefix_and_in_order(store: &dyn Store) {
    let keys = [
        key("b", 2),
        key("a", 10),
        key("a", 9),
        key("ab", 1),
        key("中", 1),
    ];
    let puts = keys.iter().map(|key| put(key.clone(), json("1"))).collect();
    store.apply(Batch::of(puts)).await.unwrap();
    let listed = store
        .keys(Table::Messages, Key::new(["a".into()]))
        .await
        .unwrap();
    assert_eq!(listed, [key("a", 9), key("a", 10)]);
    let all = store.list(Table::Messages, Key(Vec::new())).await.unwrap();
    let all: Vec<Key> = all.into_iter().map(|(key, _)| key).collect();
    assert_eq!(
        all,
        [
            key("a", 9),
            key("a", 10),
            key("ab", 1),
            key("b", 2),
            key("中", 1)
        ]
    );
}

async fn lists_more_than_a_page(store: &dyn Store) {
    let puts = (0..2_500)
        .map(|n| put(key("a", n), json(&n.to_string())))
        .collect();
    store.apply(Batch::of(puts)).await.unwrap();
    let listed = store
        .list(Table::Messages, Key::new(["a".into()]))
        .await
        .unwrap();
    let expected: Vec<(Key, Value)> = (0..2_500)
        .map(|n| (key("a", n), json(&n.to_string())))
        .collect();
    assert_eq!(listed, expected);
    for (after, count) in [(key("a", 1_400), 1_099), (key("a", 9_999), 0)] {
        let behind = store
            .list_after(Table::Messages, Key::new(["a".into()]), after)
            .await
            .unwrap();
        assert_eq!(behind, expected[2_500 - count..]);
    }
}

async fn a_batch_happens_whole_or_not_at_all(store: &dyn Store) {
    store
        .apply(Batch::of(vec![put(key("g", 0), json("1"))]))
        .await
        .unwrap();
    let batch = |wanted: Option<Value>| Batch {
        changes: vec![
            put(key("x", 0), json("new")),
            Change::Delete(Table::Messages, key("g", 0)),
        ],
        require: vec![(Table::Messages, key("g", 0), wanted)],
        durability: Durability::Relaxed,
    };
    for wrong in [None, Some(json("2"))] {
        assert_eq!(store.apply(batch(wrong)).await, Err(StoreError::Conflict));
        assert_eq!(store.get(Table::Messages, key("x", 0)).await, Ok(None));
        assert_eq!(
            store.get(Table::Messages, key("g", 0)).await,
            Ok(Some(json("1")))
        );
    }
    // Nothing may be where something is put.
    let place = |value: &str| Batch {
        changes: vec![put(key("x", 0), json("new")), put(key("y", 0), json(value))],
        require: vec![
            (Table::Messages, key("y", 0), None),
            (Table::Messages, key("g", 0), Some(json("1"))),
        ],
        durability: Durability::Relaxed,
    };
    store.apply(place("1")).await.unwrap();
    let delete = Change::Delete(Table::Messages, key("x", 0));
    store.apply(Batch::of(vec![delete])).await.unwrap();
    assert_eq!(store.apply(place("2")).await, Err(StoreError::Conflict));
    for (at, wanted) in [("x", None), ("y", Some(json("1")))] {
        assert_eq!(store.get(Table::Messages, key(at, 0)).await, Ok(wanted));
    }
    store.apply(batch(Some(json("1")))).await.unwrap();
    assert_eq!(
        store.get(Table::Messages, key("x", 0)).await,
        Ok(Some(json("new")))
    );
}
