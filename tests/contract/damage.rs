//! What workspaces must do with rows that are not as this build wrote them: those of
//! earlier versions, and damaged ones. Runs natively and in a browser, as `store.rs` does.

use std::rc::Rc;

use tabloop::kernel::store::{Batch, Change, Durability, Key, Store, StoreError, Table, Value};
use tabloop::kernel::workspace::{Expect, Node, Origin, Version, WorkspaceError};

use crate::files::{NONE, all, commit, key, open, own, path, text_of, write};

/// Runs all of it over stores that `open` makes, each empty.
pub async fn check_all<S: Store + 'static>(open: impl AsyncFn() -> S) {
    the_first_form_is_taken_over(Rc::new(open().await)).await;
    what_the_first_form_had_no_name_for_is_kept(&open).await;
    what_is_damaged_is_mended(Rc::new(open().await)).await;
    missing_rows_are_noticed(Rc::new(open().await)).await;
    a_workspace_of_places_alone_can_be_written_to(Rc::new(open().await)).await;
    a_lost_end_is_noticed_by_its_checkpoint(Rc::new(open().await)).await;
    files_without_content_are_told(Rc::new(open().await)).await;
}

/// The rows of a workspace as the database's first two versions had them.
pub fn first_form(files: &[(&str, Vec<u8>)]) -> Vec<Change> {
    let mut changes = vec![Change::Put(
        Table::Workspaces,
        Key::new(["w".into()]),
        Value::Json("7".into()),
    )];
    for (name, content) in files {
        let version = Version::of(content);
        let hash = text_of(&version);
        for (n, chunk) in content.chunks(1 << 20).enumerate() {
            changes.push(Change::Put(
                Table::Blobs,
                key(&hash, n as u64),
                Value::Bytes(chunk.to_vec()),
            ));
        }
        let node = Node::File {
            size: content.len() as u64,
            modified_ms: 5,
            version,
        };
        let at = Key::new(["w".into(), (*name).into()]);
        changes.push(Change::Put(Table::Nodes, at, Value::record(&node)));
    }
    let folder = Key::new(["w".into(), "d".into()]);
    changes.push(Change::Put(
        Table::Nodes,
        folder,
        Value::record(&Node::Folder),
    ));
    changes
}

/// Checks that what [`first_form`] wrote is there, before and after it is taken over.
pub async fn check_taken_over(store: Rc<impl Store + 'static>, files: &[(&str, Vec<u8>)]) {
    // A tab that may not write only reads.
    let reader = open(&store).await;
    for (name, content) in files {
        assert_eq!(&reader.read(&path(name)).await.unwrap().0, content);
    }
    let writer = open(&store).await;
    assert_eq!(writer.generation(), 7);
    commit(&writer, write("new", b"1", Expect::Nothing))
        .await
        .unwrap();
    let again = open(&store).await;
    for workspace in [&writer, &again] {
        assert_eq!(workspace.generation(), 8);
        assert_eq!(workspace.node(&path("d")), Some(Node::Folder));
        for (name, content) in files {
            assert_eq!(&workspace.read(&path(name)).await.unwrap().0, content);
        }
    }
    assert!(again.mend().await.unwrap().is_nothing());
    let keys = store.keys(Table::Blobs, Key(Vec::new())).await.unwrap();
    assert!(keys.iter().all(|key| key.0.len() == 3));
    // A tab that has read the first form finds what it was brought into.
    reader.follow().await.unwrap();
    assert_eq!(*reader.nodes(), *again.nodes());
}

async fn the_first_form_is_taken_over(store: Rc<impl Store + 'static>) {
    let large: Vec<u8> = (0..2_500_000_u32).map(|n| (n % 251) as u8).collect();
    let files = [("d/large", large), ("d/small", b"1".to_vec())];
    store.apply(Batch::of(first_form(&files))).await.unwrap();
    check_taken_over(store, &files).await;
}

/// A name is damaged: its content is found again, also if files are written before it is
/// looked for, and if the tab is closed in between.
async fn what_the_first_form_had_no_name_for_is_kept<S: Store + 'static>(
    open_store: &impl AsyncFn() -> S,
) {
    let large: Vec<u8> = (0..1_500_000_u32).map(|n| (n % 251) as u8).collect();
    for writes_first in [false, true] {
        let store = Rc::new(open_store().await);
        let files = [("a", b"1".to_vec()), ("b", large.clone())];
        let mut rows = first_form(&files);
        let at = Key::new(["w".into(), "b".into()]);
        let unreadable = Value::Json("{".into());
        rows.push(Change::Put(Table::Nodes, at, unreadable));
        store.apply(Batch::of(rows)).await.unwrap();
        let mut workspace = open(&store).await;
        if writes_first {
            commit(&workspace, write("new", b"2", Expect::Nothing))
                .await
                .unwrap();
            workspace = open(&store).await;
            workspace.tidy(NONE).await.unwrap();
        }
        let mended = workspace.mend().await.unwrap();
        assert!(mended.unreadable > 0, "{writes_first}");
        let place = path(&format!(
            "lost+found/{}",
            &text_of(&Version::of(&large))[..16]
        ));
        assert_eq!(mended.moved, [(None, place.clone())], "{writes_first}");
        let again = open(&store).await;
        assert_eq!(again.read(&path("a")).await.unwrap().0, b"1");
        assert_eq!(again.read(&place).await.unwrap().0, large);
        assert!(again.mend().await.unwrap().is_nothing());
        let keys = store.keys(Table::Blobs, Key(Vec::new())).await.unwrap();
        assert!(keys.iter().all(|key| key.0.len() == 3));
    }
}

async fn what_is_damaged_is_mended(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    for name in ["a", "b/c", "b/d"] {
        commit(&workspace, write(name, name.as_bytes(), Expect::Nothing))
            .await
            .unwrap();
    }
    workspace.tidy(NONE).await.unwrap();
    commit(&workspace, write("e", b"e", Expect::Nothing))
        .await
        .unwrap();
    // The page: one line is not readable, one stands below a file, one has no folder.
    let at = key("w", 0);
    let page = store.get(Table::Nodes, at.clone()).await.unwrap();
    let Some(Value::Bytes(page)) = page else {
        panic!("no page");
    };
    let page = String::from_utf8(page).unwrap();
    let line = |of: &str| page.lines().find(|line| line.starts_with(of)).unwrap();
    let damaged = format!(
        "{}\n{}\n{}\n\u{1}!\n",
        line("a\t"),
        line("b/c\t").replace("b/c", "a/c"),
        line("b/d\t").replace("b/d", "new/d"),
    );
    let put = Change::Put(Table::Nodes, at, Value::Bytes(damaged.into_bytes()));
    let lost = Version::of(b"whose name is lost");
    let content = Key::new(["w".into(), text_of(&lost).as_str().into(), 0.into()]);
    let content = Change::Put(
        Table::Blobs,
        content,
        Value::Bytes(b"whose name is lost".to_vec()),
    );
    store.apply(Batch::of(vec![put, content])).await.unwrap();

    let workspace = open(&store).await;
    assert_eq!(workspace.read(&path("e")).await.unwrap().0, b"e");
    let mended = workspace.mend().await.unwrap();
    assert_eq!(mended.unreadable, 1);
    let short = format!("lost+found/{}", &text_of(&lost)[..16]);
    let wanted = [
        (Some(path("a/c")), path("lost+found/a/c")),
        (None, path(&short)),
    ];
    assert_eq!(mended.moved, wanted);
    let now = [
        own("a", "a"),
        own("e", "e"),
        own("lost+found/a/c", "b/c"),
        own(&short, "whose name is lost"),
        own("new/d", "b/d"),
    ];
    let again = open(&store).await;
    assert!(again.mend().await.unwrap().is_nothing());
    assert_eq!(*again.nodes(), *workspace.nodes());
    assert_eq!(all(&again).await, now);
    assert_eq!(again.node(&path("new")), Some(Node::Folder));
}

async fn missing_rows_are_noticed(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    for name in ["a", "b", "c"] {
        commit(&workspace, write(name, name.as_bytes(), Expect::Nothing))
            .await
            .unwrap();
        if name == "a" {
            workspace.tidy(NONE).await.unwrap();
        }
    }
    let left = [own("a", "a"), own("b", "b"), own("c", "c")];
    // Without the row that binds commits, all the same.
    let row = Change::Delete(Table::Workspaces, Key::new(["w".into()]));
    store.apply(Batch::of(vec![row])).await.unwrap();
    let workspace = open(&store).await;
    assert_eq!(workspace.generation(), 3);
    assert_eq!(all(&workspace).await, left);
    assert_eq!(workspace.mend().await.unwrap().unreadable, 1);
    commit(&workspace, write("d", b"d", Expect::Nothing))
        .await
        .unwrap();
    // Without the page: the contents are still there, without their names.
    let page = Change::Delete(Table::Nodes, key("w", 0));
    store.apply(Batch::of(vec![page])).await.unwrap();
    let workspace = open(&store).await;
    // Nothing is tidied away before it was looked at.
    workspace.tidy(NONE).await.unwrap();
    let mended = workspace.mend().await.unwrap();
    assert_eq!((mended.unreadable, mended.moved.len()), (1, 3));
    let again = open(&store).await;
    let contents: Vec<String> = all(&again)
        .await
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(contents.len(), 4);
    assert!(left.iter().all(|(_, text)| contents.contains(text)));
    assert!(again.mend().await.unwrap().is_nothing());
}

async fn a_workspace_of_places_alone_can_be_written_to(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    commit(&workspace, write("a", b"a", Expect::Nothing))
        .await
        .unwrap();
    workspace.tidy(NONE).await.unwrap();
    let row = Change::Delete(Table::Workspaces, Key::new(["w".into()]));
    store.apply(Batch::of(vec![row])).await.unwrap();
    let workspace = open(&store).await;
    workspace.mend().await.unwrap();
    commit(&workspace, write("b", b"b", Expect::Nothing))
        .await
        .unwrap();
    let again = open(&store).await;
    assert_eq!(all(&again).await, [own("a", "a"), own("b", "b")]);
}

async fn a_lost_end_is_noticed_by_its_checkpoint(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    commit(&workspace, write("a", b"a", Expect::Nothing))
        .await
        .unwrap();
    let round = Origin {
        session: "s".into(),
        run: 0,
        seq: 1,
        round: 1,
    };
    let large = "b".repeat(20_000);
    let changes = [write("b", large.as_bytes(), Expect::Nothing)];
    let done = workspace.commit_in(Some(round), &changes, Vec::new(), Durability::Relaxed);
    done.await.unwrap();
    let row = Change::Delete(Table::Changes, key("w", 2));
    store.apply(Batch::of(vec![row])).await.unwrap();
    let workspace = open(&store).await;
    let mended = workspace.mend().await.unwrap();
    assert_eq!((mended.unreadable, mended.moved.len()), (1, 1));
    let again = open(&store).await;
    let texts: Vec<String> = all(&again)
        .await
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts, ["a", large.as_str()]);
    assert!(again.mend().await.unwrap().is_nothing());
}

async fn files_without_content_are_told(store: Rc<impl Store + 'static>) {
    let large: Vec<u8> = (0..2_500_000_u32).map(|n| (n % 251) as u8).collect();
    let workspace = open(&store).await;
    for (name, content) in [("cut", large.as_slice()), ("gone", b"1"), ("whole", b"2")] {
        commit(&workspace, write(name, content, Expect::Nothing))
            .await
            .unwrap();
    }
    // Each content has a row of its own then.
    workspace.tidy(NONE).await.unwrap();
    let row = |content: &[u8], n: u64| {
        let hash = text_of(&Version::of(content));
        let key = Key::new(["w".into(), hash.as_str().into(), n.into()]);
        Change::Delete(Table::Blobs, key)
    };
    let lost = vec![row(&large, 1), row(b"1", 0)];
    store.apply(Batch::of(lost)).await.unwrap();
    let workspace = open(&store).await;
    assert!(matches!(
        workspace.read(&path("cut")).await,
        Err(WorkspaceError::Store(StoreError::Corrupt(_)))
    ));
    let mended = workspace.mend().await.unwrap();
    assert_eq!(mended.moved, [(Some(path("cut")), path("lost+found/cut"))]);
    assert_eq!(mended.gone, [path("gone")]);
    let rest = [&large[..1 << 20], &large[2 << 20..]].concat();
    let again = open(&store).await;
    assert_eq!(again.read(&path("lost+found/cut")).await.unwrap().0, rest);
    assert_eq!(again.read(&path("whole")).await.unwrap().0, b"2");
    assert_eq!(again.nodes().len(), 3);
    assert!(again.mend().await.unwrap().is_nothing());
}
