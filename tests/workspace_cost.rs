//! What work on a workspace costs in rows of the store: it must not grow with the number
//! of files that stay as they are.
#![cfg(not(target_arch = "wasm32"))]

use std::rc::Rc;

use futures::executor::block_on;
use tabloop::kernel::clock::ManualClock;
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::store::{Batch, Change, Durability, Key, Store, Table};
use tabloop::kernel::workspace::{
    Expect, FileChange, Keep, Node, Origin, Workspace, WorkspacePath,
};

const FILES: usize = 20_000;

fn open(store: &Rc<MemoryStore>) -> Workspace {
    let store = Rc::clone(store) as Rc<dyn Store>;
    block_on(Workspace::open(store, Rc::new(ManualClock::at(1)), "w")).unwrap()
}

fn write(n: usize, content: &str) -> FileChange {
    FileChange::Write {
        path: WorkspacePath::parse_file(&format!("src/{}/{n}.rs", n % 200)).unwrap(),
        content: content.as_bytes().into(),
        expect: Expect::Anything,
    }
}

/// Rows that `work` changes in the store.
fn cost(store: &MemoryStore, work: impl FnOnce()) -> u64 {
    let before = store.changes();
    work();
    store.changes() - before
}

fn commit(workspace: &Workspace, round: Option<u64>, changes: &[FileChange]) {
    let origin = round.map(|seq| Origin {
        session: "s".into(),
        run: 0,
        seq,
        round: 1,
    });
    let done = workspace.commit_in(origin, changes, Vec::new(), Durability::Relaxed);
    block_on(done).unwrap();
}

fn filled() -> (Rc<MemoryStore>, Workspace) {
    let store = Rc::new(MemoryStore::default());
    let workspace = open(&store);
    let all: Vec<FileChange> = (0..FILES).map(|n| write(n, &n.to_string())).collect();
    // One row a file, that of its content, one for the commit, and one once for the workspace.
    let rows = cost(&store, || commit(&workspace, None, &all));
    assert_eq!(rows, FILES as u64 + 2);
    block_on(workspace.tidy(Keep::default())).unwrap();
    (store, workspace)
}

#[test]
fn a_checkpoint_and_going_back_cost_what_changed() {
    let (store, workspace) = filled();
    let ten: Vec<FileChange> = (0..10).map(|n| write(n * 7, "changed")).collect();
    // The commit, with which so small contents stand, and the checkpoint.
    let rows = cost(&store, || commit(&workspace, Some(1), &ten));
    assert_eq!(rows, 2);
    // The second commit of a round needs no checkpoint.
    let rows = cost(&store, || commit(&workspace, Some(1), &ten[..1]));
    assert_eq!(rows, 0, "nothing has changed");
    let rows = cost(&store, || commit(&workspace, Some(1), &[write(0, "again")]));
    assert_eq!(rows, 1);
    let rows = cost(&store, || {
        block_on(workspace.restore(1, Vec::new())).unwrap();
    });
    assert_eq!(rows, 2);
    assert_eq!(*workspace.nodes(), *open(&store).nodes());
}

#[test]
fn opening_reads_no_content() {
    let (store, workspace) = filled();
    let contents = block_on(store.keys(Table::Blobs, Key(Vec::new()))).unwrap();
    let delete = |key| Change::Delete(Table::Blobs, key);
    let all = Batch::of(contents.into_iter().map(delete).collect());
    block_on(store.apply(all)).unwrap();
    let again = open(&store);
    assert_eq!(*again.nodes(), *workspace.nodes());
    let files = again.nodes();
    let files = files
        .values()
        .filter(|node| matches!(node, Node::File { .. }));
    assert_eq!(files.count(), FILES);
    let pages = block_on(store.keys(Table::Nodes, Key(Vec::new()))).unwrap();
    assert!(pages.len() < FILES / 500, "{} pages", pages.len());
}

#[test]
fn a_folder_is_moved_in_one_row() {
    let (store, workspace) = filled();
    let files = workspace.nodes().clone().into_iter();
    let moves: Vec<FileChange> = files
        .filter_map(|(path, node)| {
            let rest = path.as_str().strip_prefix("src/7/")?;
            let version = node.content()?.0.clone();
            let to = WorkspacePath::parse_file(&format!("moved/{rest}")).ok()?;
            Some([
                FileChange::Link {
                    path: to,
                    from: path.clone(),
                    version: version.clone(),
                },
                FileChange::Delete { path, version },
            ])
        })
        .flatten()
        .collect();
    assert_eq!(moves.len(), 200);
    assert_eq!(cost(&store, || commit(&workspace, None, &moves)), 1);
}
