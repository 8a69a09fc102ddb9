//! What every store must do. Runs over the store in memory natively, and over
//! real IndexedDB in a browser; included by both.

use std::rc::Rc;

use tabloop::kernel::clock::ManualClock;
use tabloop::kernel::store::{Batch, Change, Durability, Key, Store, StoreError, Table, Value};
use tabloop::kernel::workspace::{
    Expect, FileChange, Node, Workspace, WorkspaceError, WorkspacePath,
};

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
    a_file_and_its_record_are_one(Rc::new(open().await)).await;
    files_survive_a_new_kernel(Rc::new(open().await)).await;
    changes_that_do_not_fit_change_nothing(Rc::new(open().await)).await;
    a_second_writer_is_found_out(Rc::new(open().await)).await;
    sweeping_removes_what_no_file_has(Rc::new(open().await)).await;
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
    store.apply(batch(Some(json("1")))).await.unwrap();
    assert_eq!(
        store.get(Table::Messages, key("x", 0)).await,
        Ok(Some(json("new")))
    );
}

async fn open(store: &Rc<impl Store + 'static>) -> Workspace {
    let store: Rc<dyn Store> = Rc::clone(store) as Rc<dyn Store>;
    Workspace::open(store, Rc::new(ManualClock::at(1)), "w")
        .await
        .unwrap()
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

fn write(to: &str, content: &[u8], expect: Expect) -> FileChange {
    FileChange::Write {
        path: path(to),
        content: content.into(),
        expect,
    }
}

async fn commit(workspace: &Workspace, change: FileChange) -> Result<(), WorkspaceError> {
    workspace
        .commit(&[change], Vec::new(), Durability::Relaxed)
        .await
        .map(drop)
}

async fn a_file_and_its_record_are_one(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    let changes = [write("a/b.md", b"1", Expect::Nothing)];
    let record = put(key("s", 0), json("done"));
    let committed = workspace
        .commit(&changes, vec![record], Durability::Strict)
        .await
        .unwrap();
    assert_eq!(committed.changed, [path("a"), path("a/b.md")]);
    assert_eq!(
        store.get(Table::Messages, key("s", 0)).await,
        Ok(Some(json("done")))
    );
    // A change that does not fit takes its record down with it.
    let changes = [
        write("c.md", b"1", Expect::Anything),
        write("a", b"1", Expect::Anything),
    ];
    let record = put(key("s", 1), json("done"));
    let refused = workspace
        .commit(&changes, vec![record], Durability::Strict)
        .await;
    assert_eq!(refused, Err(WorkspaceError::IsFolder(path("a"))));
    assert_eq!(store.get(Table::Messages, key("s", 1)).await, Ok(None));
    assert_eq!(workspace.node(&path("c.md")), None);
}

async fn files_survive_a_new_kernel(store: Rc<impl Store + 'static>) {
    let large: Vec<u8> = (0..2_500_000_u32).map(|n| (n % 251) as u8).collect();
    let workspace = open(&store).await;
    for (name, content) in [
        ("large.bin", large.as_slice()),
        ("dir/empty", b""),
        ("名.md", "早".as_bytes()),
    ] {
        commit(&workspace, write(name, content, Expect::Nothing))
            .await
            .unwrap();
    }
    let generation = workspace.generation();
    let again = open(&store).await;
    assert_eq!(again.generation(), generation);
    assert_eq!(*again.nodes(), *workspace.nodes());
    assert_eq!(again.read(&path("large.bin")).await.unwrap().0, large);
    assert_eq!(again.read(&path("dir/empty")).await.unwrap().0, b"");
    assert_eq!(again.read(&path("名.md")).await.unwrap().0, "早".as_bytes());
    assert_eq!(again.node(&path("dir")), Some(Node::Folder));
}

async fn changes_that_do_not_fit_change_nothing(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    commit(&workspace, write("a/f", b"1", Expect::Nothing))
        .await
        .unwrap();
    let (_, version) = workspace.file(&path("a/f")).unwrap();
    commit(
        &workspace,
        write("a/f", b"2", Expect::Version(version.clone())),
    )
    .await
    .unwrap();
    for (change, error) in [
        (
            write("a/f", b"3", Expect::Version(version)),
            WorkspaceError::Changed(path("a/f")),
        ),
        (
            write("a/f", b"3", Expect::Nothing),
            WorkspaceError::Changed(path("a/f")),
        ),
        (
            write("a", b"3", Expect::Anything),
            WorkspaceError::IsFolder(path("a")),
        ),
        (
            write("a/f/g", b"3", Expect::Anything),
            WorkspaceError::IsFile(path("a/f")),
        ),
    ] {
        assert_eq!(commit(&workspace, change).await, Err(error));
    }
    assert_eq!(workspace.read(&path("a/f")).await.unwrap().0, b"2");
    assert_eq!(
        workspace.read(&path("a")).await,
        Err(WorkspaceError::IsFolder(path("a")))
    );
    assert_eq!(
        workspace.read(&path("b")).await,
        Err(WorkspaceError::NotFound(path("b")))
    );
}

async fn a_second_writer_is_found_out(store: Rc<impl Store + 'static>) {
    let (one, two) = (open(&store).await, open(&store).await);
    commit(&one, write("f", b"one", Expect::Anything))
        .await
        .unwrap();
    let refused = commit(&two, write("f", b"two", Expect::Anything)).await;
    assert_eq!(refused, Err(WorkspaceError::Store(StoreError::Conflict)));
    assert_eq!(open(&store).await.read(&path("f")).await.unwrap().0, b"one");
}

async fn sweeping_removes_what_no_file_has(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    for content in ["1", "2", "1", "3"] {
        commit(&workspace, write("f", content.as_bytes(), Expect::Anything))
            .await
            .unwrap();
    }
    commit(&workspace, write("g", b"2", Expect::Anything))
        .await
        .unwrap();
    let orphan = Change::Put(Table::Blobs, key("left behind", 0), Value::Bytes(vec![1]));
    store.apply(Batch::of(vec![orphan])).await.unwrap();
    let blobs = async || {
        store
            .keys(Table::Blobs, Key(Vec::new()))
            .await
            .unwrap()
            .len()
    };
    assert_eq!(blobs().await, 4);
    workspace.sweep().await.unwrap();
    assert_eq!(blobs().await, 3);
    workspace.sweep_all().await.unwrap();
    assert_eq!(blobs().await, 2);
    assert_eq!(workspace.read(&path("f")).await.unwrap().0, b"3");
    assert_eq!(workspace.read(&path("g")).await.unwrap().0, b"2");
}
