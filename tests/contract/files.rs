//! What workspaces must do on every store: commits, going back, tidying. Runs natively and
//! in a browser, as `store.rs` does.

use std::rc::Rc;

use tabloop::kernel::clock::ManualClock;
use tabloop::kernel::store::{Batch, Change, Durability, Key, Store, StoreError, Table, Value};
use tabloop::kernel::workspace::{
    Begins, Expect, FileChange, Keep, Node, Origin, Version, Workspace, WorkspaceError,
    WorkspacePath,
};

/// Runs all of it over stores that `open` makes, each empty.
pub async fn check_all<S: Store + 'static>(open: impl AsyncFn() -> S) {
    a_file_and_its_record_are_one(Rc::new(open().await)).await;
    files_survive_a_new_kernel(Rc::new(open().await)).await;
    changes_that_do_not_fit_change_nothing(Rc::new(open().await)).await;
    files_are_deleted_and_linked(Rc::new(open().await)).await;
    a_second_writer_is_found_out(Rc::new(open().await)).await;
    another_tab_follows(Rc::new(open().await)).await;
    many_commits_are_brought_onto_pages(Rc::new(open().await)).await;
    checkpoints_are_gone_back_to(Rc::new(open().await)).await;
    a_round_is_taken_back_and_brought_back(Rc::new(open().await)).await;
    tidying_removes_what_nothing_refers_to(Rc::new(open().await)).await;
    small_contents_stand_with_their_commits(Rc::new(open().await)).await;
}

pub const NONE: Keep = Keep {
    commits: 0,
    bytes: 0,
};

pub async fn open(store: &Rc<impl Store + 'static>) -> Workspace {
    let store: Rc<dyn Store> = Rc::clone(store) as Rc<dyn Store>;
    Workspace::open(store, Rc::new(ManualClock::at(1)), "w")
        .await
        .unwrap()
}

pub fn key(first: &str, n: u64) -> Key {
    Key::new([first.into(), n.into()])
}

/// A record that goes with files.
fn message(seq: u64) -> Change {
    Change::Put(Table::Messages, key("s", seq), Value::Json("done".into()))
}

pub fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

pub fn write(to: &str, content: &[u8], expect: Expect) -> FileChange {
    FileChange::Write {
        path: path(to),
        content: content.into(),
        expect,
    }
}

pub async fn commit(workspace: &Workspace, change: FileChange) -> Result<(), WorkspaceError> {
    workspace
        .commit(&[change], Vec::new(), Durability::Relaxed)
        .await
        .map(drop)
}

async fn a_file_and_its_record_are_one(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    let changes = [write("a/b.md", b"1", Expect::Nothing)];
    let record = message(0);
    let committed = workspace
        .commit(&changes, vec![record], Durability::Strict)
        .await
        .unwrap();
    assert_eq!(committed.changed, [path("a"), path("a/b.md")]);
    assert_eq!(
        store.get(Table::Messages, key("s", 0)).await,
        Ok(Some(Value::Json("done".into())))
    );
    // A change that does not fit takes its record down with it.
    let changes = [
        write("c.md", b"1", Expect::Anything),
        write("a", b"1", Expect::Anything),
    ];
    let record = message(1);
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
    // It knows now what the other did, and its next change stands on that.
    assert_eq!(two.read(&path("f")).await.unwrap().0, b"one");
    commit(&two, write("g", b"two", Expect::Nothing))
        .await
        .unwrap();
    assert_eq!(
        all(&open(&store).await).await,
        [own("f", "one"), own("g", "two")]
    );
}

/// All files with their contents, in order.
pub async fn all(workspace: &Workspace) -> Vec<(String, String)> {
    let paths: Vec<WorkspacePath> = workspace.nodes().keys().cloned().collect();
    let mut files = Vec::new();
    for path in paths {
        if let Ok((content, _)) = workspace.read(&path).await {
            let text = String::from_utf8(content).unwrap();
            files.push((path.as_str().to_owned(), text));
        }
    }
    files
}

async fn write_in(
    workspace: &Workspace,
    origin: &Origin,
    files: &[(&str, &str)],
) -> Result<u64, WorkspaceError> {
    let changes: Vec<FileChange> = files
        .iter()
        .map(|(to, content)| write(to, content.as_bytes(), Expect::Anything))
        .collect();
    let origin = Some(origin.clone());
    let committed = workspace
        .commit_in(origin, &changes, Vec::new(), Durability::Relaxed)
        .await?;
    Ok(committed.generation)
}

fn round(session: &str, seq: u64) -> Origin {
    Origin {
        session: session.into(),
        run: 0,
        seq,
        round: seq as u32,
    }
}

async fn rows(store: &Rc<impl Store + 'static>, table: Table) -> usize {
    store.keys(table, Key(Vec::new())).await.unwrap().len()
}

async fn files_are_deleted_and_linked(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    commit(&workspace, write("d/f", b"1", Expect::Nothing))
        .await
        .unwrap();
    let (_, version) = workspace.file(&path("d/f")).unwrap();
    let link = FileChange::Link {
        path: path("e/g"),
        from: path("d/f"),
        version: version.clone(),
    };
    let delete = FileChange::Delete {
        path: path("d/f"),
        version,
    };
    let remove = FileChange::RemoveFolder { path: path("d") };
    let refused = commit(&workspace, remove.clone()).await;
    assert_eq!(refused, Err(WorkspaceError::Changed(path("d"))));
    let changes = [link.clone(), delete, remove];
    assert_eq!(workspace.check(&changes), Ok(()));
    let committed = workspace
        .commit(&changes, Vec::new(), Durability::Relaxed)
        .await
        .unwrap();
    assert_eq!(committed.changed, [path("e"), path("e/g")]);
    assert_eq!(committed.removed, [path("d"), path("d/f")]);
    let again = open(&store).await;
    assert_eq!(*again.nodes(), *workspace.nodes());
    assert_eq!(all(&again).await, [own("e/g", "1")]);
    let refused = commit(&again, link).await;
    assert_eq!(refused, Err(WorkspaceError::NotFound(path("d/f"))));
}

pub fn own(path: &str, content: &str) -> (String, String) {
    (path.into(), content.into())
}

async fn another_tab_follows(store: Rc<impl Store + 'static>) {
    let (one, two) = (open(&store).await, open(&store).await);
    for n in 0..3 {
        let name = format!("d/{n}");
        commit(&one, write(&name, b"x", Expect::Nothing))
            .await
            .unwrap();
    }
    let (_, version) = one.file(&path("d/1")).unwrap();
    let delete = FileChange::Delete {
        path: path("d/1"),
        version,
    };
    commit(&one, delete).await.unwrap();
    let told = two.follow().await.unwrap();
    assert!(told.changed.contains(&path("d/2")));
    assert_eq!(told.removed, [path("d/1")]);
    assert_eq!(*two.nodes(), *one.nodes());
    // Also where commits it has not seen were let go.
    commit(&one, write("e", b"y", Expect::Nothing))
        .await
        .unwrap();
    one.tidy(NONE).await.unwrap();
    let told = two.follow().await.unwrap();
    assert_eq!((told.changed, told.removed), (vec![path("e")], Vec::new()));
    assert_eq!(two.generation(), one.generation());
    commit(&two, write("e", b"z", Expect::Anything))
        .await
        .unwrap();
    assert_eq!(all(&two).await, all(&open(&store).await).await);
}

async fn many_commits_are_brought_onto_pages(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    for n in 0..420 {
        let name = format!("d/{}", n % 70);
        let content = n.to_string();
        commit(
            &workspace,
            write(&name, content.as_bytes(), Expect::Anything),
        )
        .await
        .unwrap();
    }
    assert!(workspace.wants_tidying());
    workspace.tidy(Keep::default()).await.unwrap();
    assert!(!workspace.wants_tidying());
    assert_eq!(rows(&store, Table::Nodes).await, 1);
    let again = open(&store).await;
    assert_eq!(again.generation(), 420);
    assert_eq!(*again.nodes(), *workspace.nodes());
    // What was before is kept all the same.
    again.restore(70, Vec::new()).await.unwrap();
    assert_eq!(again.read(&path("d/3")).await.unwrap().0, b"3");
    assert_eq!(again.generation(), 421);
    assert_eq!(*open(&store).await.nodes(), *again.nodes());
}

async fn checkpoints_are_gone_back_to(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    commit(&workspace, write("mine", b"0", Expect::Nothing))
        .await
        .unwrap();
    write_in(&workspace, &round("s", 1), &[("a", "1"), ("b/c", "1")])
        .await
        .unwrap();
    write_in(&workspace, &round("s", 1), &[("a", "2")])
        .await
        .unwrap();
    write_in(&workspace, &round("s", 5), &[("a", "3"), ("d", "3")])
        .await
        .unwrap();
    let checkpoints = workspace.checkpoints().await.unwrap();
    let told: Vec<_> = checkpoints
        .iter()
        .map(|checkpoint| (checkpoint.generation, checkpoint.begins.clone()))
        .collect();
    let begins = |seq| Begins::Round(round("s", seq));
    assert_eq!(told, [(2, begins(1)), (4, begins(5))]);

    let changed: Vec<_> = workspace.difference(1, 3).await.unwrap();
    let changed: Vec<_> = changed
        .iter()
        .map(|step| (step.path.as_str(), step.was.is_some(), step.is.is_some()))
        .collect();
    assert_eq!(
        changed,
        [("a", false, true), ("b", false, true), ("b/c", false, true)]
    );
    let step = &workspace.difference(4, 3).await.unwrap()[0];
    let content = async |node: &Option<Node>| {
        let (version, size) = node.as_ref().unwrap().content().unwrap();
        workspace.content(version, size).await.unwrap().unwrap()
    };
    assert_eq!(content(&step.was).await, b"3");
    assert_eq!(content(&step.is).await, b"2");

    // Before the second round, then before the first, and forth again.
    let committed = workspace.restore(3, vec![message(9)]).await.unwrap();
    assert_eq!(committed.removed, [path("d")]);
    assert_eq!(
        all(&workspace).await,
        [own("a", "2"), own("b/c", "1"), own("mine", "0")]
    );
    let message = store.get(Table::Messages, key("s", 9)).await.unwrap();
    assert!(message.is_some());
    workspace.restore(1, Vec::new()).await.unwrap();
    assert_eq!(all(&workspace).await, [own("mine", "0")]);
    assert_eq!(workspace.nodes().len(), 1);
    workspace.restore(4, Vec::new()).await.unwrap();
    let last = [
        own("a", "3"),
        own("b/c", "1"),
        own("d", "3"),
        own("mine", "0"),
    ];
    assert_eq!(all(&workspace).await, last);
    assert_eq!(all(&open(&store).await).await, last);
    let kept = workspace.checkpoints().await.unwrap();
    assert_eq!(kept.last().unwrap().begins, Begins::Restored(4));
    let future = workspace.restore(99, Vec::new()).await;
    assert_eq!(future, Err(WorkspaceError::NotKept));
}

async fn a_round_is_taken_back_and_brought_back(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    write_in(&workspace, &round("s", 1), &[("a", "1"), ("b", "1")])
        .await
        .unwrap();
    write_in(&workspace, &round("s", 3), &[("a", "2"), ("d/e", "2")])
        .await
        .unwrap();
    // Another session, and the user, work on other files.
    write_in(&workspace, &round("t", 3), &[("b", "9"), ("d/f", "9")])
        .await
        .unwrap();
    let third = |origin: &Origin| origin.session == "s" && origin.seq == 3;
    let undone = workspace
        .take_back(round("s", 3), &third, Vec::new())
        .await
        .unwrap();
    assert_eq!(undone.removed, [path("d/e")]);
    let after = [own("a", "1"), own("b", "9"), own("d/f", "9")];
    assert_eq!(all(&workspace).await, after);
    // Once more is nothing more.
    let again = workspace
        .take_back(round("s", 3), &third, Vec::new())
        .await
        .unwrap();
    assert_eq!(again.generation, undone.generation);
    // A new kernel brings it back.
    let workspace = open(&store).await;
    workspace
        .bring_back(undone.generation, Vec::new())
        .await
        .unwrap();
    let before = [
        own("a", "2"),
        own("b", "9"),
        own("d/e", "2"),
        own("d/f", "9"),
    ];
    assert_eq!(all(&workspace).await, before);
    // What the user has changed since is not overwritten.
    commit(&workspace, write("a", b"mine", Expect::Anything))
        .await
        .unwrap();
    let refused = workspace
        .take_back(round("s", 3), &third, vec![message(8)])
        .await;
    assert_eq!(refused, Err(WorkspaceError::Changed(path("a"))));
    let record = store.get(Table::Messages, key("s", 8)).await.unwrap();
    assert_eq!(record, None);
    let refused = workspace
        .take_back(
            round("s", 1),
            &|origin| origin.session == "s" && origin.seq == 1,
            Vec::new(),
        )
        .await;
    assert!(matches!(refused, Err(WorkspaceError::Changed(_))));
}

async fn tidying_removes_what_nothing_refers_to(store: Rc<impl Store + 'static>) {
    // Too large to stand with their commits.
    let [one, two, three] = ["1", "2", "3"].map(|text| text.repeat(20_000));
    let workspace = open(&store).await;
    for content in [&one, &two, &one, &three] {
        write_in(&workspace, &round("s", 1), &[("f", content)])
            .await
            .unwrap();
    }
    commit(&workspace, write("g", two.as_bytes(), Expect::Anything))
        .await
        .unwrap();
    let other = Workspace::open(
        Rc::clone(&store) as Rc<dyn Store>,
        Rc::new(ManualClock::at(1)),
        "other",
    )
    .await
    .unwrap();
    commit(&other, write("f", one.as_bytes(), Expect::Nothing))
        .await
        .unwrap();
    let stray = Version::of(b"left behind by nobody");
    let stray = Key::new(["w".into(), text_of(&stray).as_str().into(), 0.into()]);
    let orphan = Change::Put(Table::Blobs, stray, Value::Bytes(vec![1]));
    store.apply(Batch::of(vec![orphan])).await.unwrap();
    assert_eq!(rows(&store, Table::Blobs).await, 5);
    workspace.tidy(Keep::default()).await.unwrap();
    assert_eq!(rows(&store, Table::Blobs).await, 4);
    // A writer that has seen the store before that finds out.
    let late = open(&store).await;
    let keep = Keep {
        commits: 2,
        bytes: 100_000,
    };
    workspace.tidy(keep).await.unwrap();
    // The last two, the other workspace's, and the place of the one that began the turn.
    assert_eq!(rows(&store, Table::Changes).await, 4);
    assert_eq!(rows(&store, Table::Blobs).await, 4);
    let conflict = commit(&late, write("h", b"1", Expect::Nothing)).await;
    assert_eq!(conflict, Err(WorkspaceError::Store(StoreError::Conflict)));
    workspace.tidy(NONE).await.unwrap();
    assert_eq!(rows(&store, Table::Changes).await, 2);
    assert_eq!(workspace.checkpoints().await, Ok(Vec::new()));
    // "2" and "3" here, "1" in the other workspace.
    assert_eq!(rows(&store, Table::Blobs).await, 3);
    for workspace in [workspace, open(&store).await] {
        assert_eq!(all(&workspace).await, [own("f", &three), own("g", &two)]);
    }
    assert_eq!(all(&other).await, [own("f", &one)]);
}

async fn small_contents_stand_with_their_commits(store: Rc<impl Store + 'static>) {
    let workspace = open(&store).await;
    let first = round("s", 1);
    for content in ["1", "2"] {
        let files = [("f", content), ("g", "same")];
        write_in(&workspace, &first, &files).await.unwrap();
    }
    assert_eq!(rows(&store, Table::Blobs).await, 0);
    // Tabs that read before they get rows of their own, and after.
    let early = open(&store).await;
    let keep = Keep {
        commits: 1,
        bytes: 100,
    };
    workspace.tidy(keep).await.unwrap();
    assert_eq!(rows(&store, Table::Blobs).await, 3);
    let now = [own("f", "2"), own("g", "same")];
    for tab in [&early, &open(&store).await, &workspace] {
        assert_eq!(all(tab).await, now);
    }
    // What was before is still there.
    let late = open(&store).await;
    late.restore(1, Vec::new()).await.unwrap();
    assert_eq!(all(&late).await, [own("f", "1"), own("g", "same")]);
    early.follow().await.unwrap();
    assert_eq!(all(&early).await, [own("f", "1"), own("g", "same")]);
    late.tidy(NONE).await.unwrap();
    assert_eq!(rows(&store, Table::Blobs).await, 2);
    assert!(open(&store).await.mend().await.unwrap().is_nothing());
}

/// The hash as it stands in keys.
pub fn text_of(version: &Version) -> String {
    tabloop::plain::to_json(version)
        .trim_matches('"')
        .to_owned()
}
