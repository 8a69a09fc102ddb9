//! A workspace against a plain tree: random operations, and faults at their steps. What
//! the store holds is always the tree before or after an operation, never between, and
//! what is kept of the past can be read. Runs natively and in a browser.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use tabloop::kernel::clock::{ManualClock, Random, SeededRandom};
use tabloop::kernel::store::{Batch, Durability, Key, Store, StoreError, Table, Value};
use tabloop::kernel::workspace::{
    Committed, Expect, FileChange, Keep, Node, Origin, Version, Workspace, WorkspaceError,
    WorkspacePath,
};

/// What goes wrong at one step of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// This step fails, as on a full disk.
    Full,
    /// This step fails, as when the browser aborts a transaction.
    Aborted,
    /// This step and all behind it fail.
    Closed,
    /// This step happens, but is told as failed, and all behind it fail.
    Unheard,
    /// The kernel is killed before this step.
    Killed,
}

/// All of them.
pub const FAULTS: [Fault; 5] = [
    Fault::Full,
    Fault::Aborted,
    Fault::Closed,
    Fault::Unheard,
    Fault::Killed,
];

/// A store that fails at one step.
pub struct Faulty {
    inner: Rc<dyn Store>,
    steps: Cell<usize>,
    fault: Option<(usize, Fault)>,
}

impl Faulty {
    async fn step<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let n = self.steps.replace(self.steps.get() + 1);
        match self.fault {
            Some((at, Fault::Full)) if n == at => Err(StoreError::Full),
            Some((at, Fault::Aborted)) if n == at => Err(StoreError::Aborted("a test".into())),
            Some((at, Fault::Closed)) if n >= at => Err(StoreError::Closed),
            Some((at, Fault::Unheard)) if n == at => {
                work.await?;
                Err(StoreError::Closed)
            }
            Some((at, Fault::Unheard)) if n > at => Err(StoreError::Closed),
            Some((at, Fault::Killed)) if n >= at => std::future::pending().await,
            _ => work.await,
        }
    }
}

impl Store for Faulty {
    fn get(&self, table: Table, key: Key) -> LocalBoxFuture<'_, Result<Option<Value>, StoreError>> {
        Box::pin(self.step(self.inner.get(table, key)))
    }

    fn list(
        &self,
        table: Table,
        prefix: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        Box::pin(self.step(self.inner.list(table, prefix)))
    }

    fn list_after(
        &self,
        table: Table,
        prefix: Key,
        after: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        Box::pin(self.step(self.inner.list_after(table, prefix, after)))
    }

    fn keys(&self, table: Table, prefix: Key) -> LocalBoxFuture<'_, Result<Vec<Key>, StoreError>> {
        Box::pin(self.step(self.inner.keys(table, prefix)))
    }

    fn apply(&self, batch: Batch) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.step(self.inner.apply(batch)))
    }

    fn renew(&self) -> LocalBoxFuture<'_, ()> {
        self.inner.renew()
    }

    fn flush(&self) {}
}

/// A plain tree: contents of files, `None` for folders.
type Tree = BTreeMap<String, Option<Rc<[u8]>>>;

/// One operation.
#[derive(Debug, Clone)]
pub enum Operation {
    Commit(Option<u64>, Vec<Plain>),
    Restore(u64),
    TakeBack(u64),
    BringBack(u64),
    Tidy(Keep),
    /// Another tab commits first.
    Conflict(Vec<Plain>),
}

/// One change, as the plain tree takes it.
#[derive(Debug, Clone)]
pub enum Plain {
    Write(String, Rc<[u8]>),
    Link(String, String),
    Delete(String),
    MakeFolder(String),
    RemoveFolder(String),
}

/// What the store should hold: the tree after each commit, and whose commit it was.
#[derive(Clone, Default)]
pub struct Model {
    past: Vec<(Tree, Option<u64>)>,
}

impl Model {
    fn tree(&self) -> Tree {
        self.past
            .last()
            .map(|(tree, _)| tree.clone())
            .unwrap_or_default()
    }

    fn at(&self, generation: u64) -> Tree {
        match generation {
            0 => Tree::new(),
            n => self.past[n as usize - 1].0.clone(),
        }
    }
}

fn ancestors(path: &str) -> Vec<String> {
    path.match_indices('/')
        .map(|(at, _)| path[..at].to_owned())
        .collect()
}

/// Makes the changes, or none.
fn changed(tree: &Tree, changes: &[Plain]) -> Option<Tree> {
    let mut tree = tree.clone();
    fn folders(tree: &mut Tree, folders: Vec<String>) -> Option<()> {
        for folder in folders {
            if tree.entry(folder).or_insert(None).is_some() {
                return None;
            }
        }
        Some(())
    }
    for change in changes {
        match change {
            Plain::Write(path, content) => {
                if tree.get(path) == Some(&None) {
                    return None;
                }
                folders(&mut tree, ancestors(path))?;
                tree.insert(path.clone(), Some(Rc::clone(content)));
            }
            Plain::Link(path, from) => {
                let content = tree.get(from)?.clone()?;
                if tree.contains_key(path) {
                    return None;
                }
                folders(&mut tree, ancestors(path))?;
                tree.insert(path.clone(), Some(content));
            }
            Plain::Delete(path) => {
                tree.get(path)?.as_ref()?;
                tree.remove(path);
            }
            Plain::MakeFolder(path) => {
                let mut all = ancestors(path);
                all.push(path.clone());
                folders(&mut tree, all)?;
            }
            Plain::RemoveFolder(path) => {
                let below = format!("{path}/");
                let is_empty = !tree.keys().any(|other| other.starts_with(&below));
                if tree.get(path)?.is_some() || !is_empty {
                    return None;
                }
                tree.remove(path);
            }
        }
    }
    Some(tree)
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse_file(text).unwrap()
}

/// The same changes for the workspace, with the versions they were worked out from.
fn asked(tree: &Tree, changes: &[Plain]) -> Vec<FileChange> {
    let mut versions: BTreeMap<&str, Version> = BTreeMap::new();
    for (path, content) in tree {
        if let Some(content) = content {
            versions.insert(path, Version::of(content));
        }
    }
    let nothing = Version::of(b"there is no such file");
    let mut asked = Vec::new();
    for change in changes {
        let version_of = |path: &str| versions.get(path).cloned().unwrap_or(nothing.clone());
        let (change, new) = match change {
            Plain::Write(to, content) => {
                let change = FileChange::Write {
                    path: path(to),
                    content: Rc::clone(content),
                    expect: Expect::Anything,
                };
                (change, Some((to, Version::of(content))))
            }
            Plain::Link(to, from) => {
                let version = version_of(from);
                let change = FileChange::Link {
                    path: path(to),
                    from: path(from),
                    version: version.clone(),
                };
                (change, Some((to, version)))
            }
            Plain::Delete(at) => {
                let change = FileChange::Delete {
                    path: path(at),
                    version: version_of(at),
                };
                (change, None)
            }
            Plain::MakeFolder(at) => (FileChange::MakeFolder { path: path(at) }, None),
            Plain::RemoveFolder(at) => (FileChange::RemoveFolder { path: path(at) }, None),
        };
        asked.push(change);
        if let Some((to, version)) = new {
            versions.insert(to, version);
        }
    }
    asked
}

fn origin(round: u64) -> Origin {
    Origin {
        session: "s".into(),
        run: 0,
        seq: round,
        round: 1,
    }
}

fn below(random: &SeededRandom, n: u64) -> u64 {
    random.next_u64() % n
}

fn some_path(random: &SeededRandom) -> String {
    const NAMES: [&str; 6] = ["a", "a-b", "b", "é f", "c.md", "a.b"];
    let depth = 1 + below(random, 3);
    let name = |_| NAMES[below(random, NAMES.len() as u64) as usize];
    (0..depth).map(name).collect::<Vec<_>>().join("/")
}

fn some_change(random: &SeededRandom, tree: &Tree) -> Plain {
    let there = || {
        let paths: Vec<&String> = tree.keys().collect();
        match paths.len() as u64 {
            0 => some_path(random),
            n => paths[below(random, n) as usize].clone(),
        }
    };
    match below(random, 14) {
        0..6 => {
            // Some contents are the same, some are large, some do not stand with their commit.
            let size = match below(random, 200) {
                0 => (1 << 20) + 1,
                1..20 => 0,
                20..50 => (16 << 10) + 1,
                n => 1 + n as usize % 3,
            };
            let content = vec![below(random, 5) as u8; size];
            Plain::Write(some_path(random), content.into())
        }
        6..8 => {
            let content = below(random, 1_000).to_string().into_bytes();
            Plain::Write(there(), content.into())
        }
        8..10 => Plain::Link(some_path(random), there()),
        10..12 => Plain::Delete(there()),
        12 => Plain::MakeFolder(some_path(random)),
        _ => Plain::RemoveFolder(there()),
    }
}

/// An operation that is likely to come to something.
pub fn some_operation(random: &SeededRandom, model: &Model) -> Operation {
    let generation = model.past.len() as u64;
    let changes = || {
        let count = 1 + below(random, 3);
        let tree = model.tree();
        (0..count).map(|_| some_change(random, &tree)).collect()
    };
    match below(random, 20) {
        0..11 => {
            // Rounds one after the other, a few commits each, and the user in between.
            let round = (below(random, 4) > 0).then_some(generation / 4);
            Operation::Commit(round, changes())
        }
        11..13 => Operation::Restore(below(random, generation + 1)),
        13..15 => Operation::TakeBack(below(random, generation / 4 + 1)),
        15 => Operation::BringBack(below(random, generation + 1)),
        16 => Operation::Conflict(changes()),
        _ => Operation::Tidy(Keep {
            commits: below(random, 12) as usize,
            bytes: [0, 20, 4 << 20][below(random, 3) as usize],
        }),
    }
}

/// Opens the workspace that all of this is about.
pub async fn open(store: Rc<dyn Store>) -> Result<Workspace, StoreError> {
    Workspace::open(store, Rc::new(ManualClock::at(1)), "w").await
}

/// Does an operation on the workspace.
async fn carry_out(
    workspace: &Workspace,
    inner: &Rc<dyn Store>,
    model: &Model,
    operation: &Operation,
) -> Result<Option<Committed>, WorkspaceError> {
    let tree = model.tree();
    match operation {
        Operation::Commit(round, changes) => {
            let asked = asked(&tree, changes);
            let origin = round.map(origin);
            workspace
                .commit_in(origin, &asked, Vec::new(), Durability::Relaxed)
                .await
                .map(Some)
        }
        Operation::Restore(to) => workspace.restore(*to, Vec::new()).await.map(Some),
        Operation::TakeBack(round) => {
            let is_meant = |of: &Origin| of.seq == *round;
            workspace
                .take_back(origin(*round), &is_meant, Vec::new())
                .await
                .map(Some)
        }
        Operation::BringBack(generation) => workspace
            .bring_back(*generation, Vec::new())
            .await
            .map(Some),
        Operation::Tidy(keep) => {
            workspace.tidy(*keep).await?;
            Ok(None)
        }
        Operation::Conflict(changes) => {
            let other = open(Rc::clone(inner)).await?;
            let asked = asked(&tree, changes);
            let done = other.commit(&asked, Vec::new(), Durability::Relaxed).await;
            let grown = |done: &Committed| done.generation > model.past.len() as u64;
            if done.as_ref().is_ok_and(grown) {
                let mine = [FileChange::MakeFolder {
                    path: path("never"),
                }];
                let refused = workspace
                    .commit(&mine, Vec::new(), Durability::Relaxed)
                    .await;
                refused.expect_err("two writers at once");
            }
            done.map(Some)
        }
    }
}

/// Takes in what an operation that was told as done has come to.
fn take_in(model: &mut Model, operation: &Operation, now: Tree) {
    let before = model.tree();
    let round = match operation {
        Operation::Commit(round, changes) => {
            assert_eq!(Some(&now), changed(&before, changes).as_ref());
            *round
        }
        Operation::Conflict(changes) => {
            assert_eq!(Some(&now), changed(&before, changes).as_ref());
            None
        }
        Operation::Restore(to) => {
            assert_eq!(now, model.at(*to));
            None
        }
        Operation::TakeBack(round) => {
            check_taken_back(model, &|of| of == Some(*round), &now);
            Some(*round)
        }
        Operation::BringBack(generation) => {
            let n = *generation as usize - 1;
            let one = Model {
                past: model.past[n..=n].to_vec(),
            };
            let mut picked = model.clone();
            picked.past.iter_mut().for_each(|(_, of)| *of = None);
            picked.past[n].1 = Some(u64::MAX);
            assert_eq!(one.past.len(), 1);
            check_taken_back(&picked, &|of| of == Some(u64::MAX), &now);
            model.past[n].1
        }
        Operation::Tidy(_) => {
            assert_eq!(now, before);
            return;
        }
    };
    model.past.push((now, round));
}

/// Every file that the picked commits changed is what it was before the first of them;
/// all others are what they are.
fn check_taken_back(model: &Model, is_meant: &dyn Fn(Option<u64>) -> bool, now: &Tree) {
    let mut was: BTreeMap<String, Option<Option<Rc<[u8]>>>> = BTreeMap::new();
    let mut old = Tree::new();
    for (tree, of) in &model.past {
        let paths: BTreeSet<&String> = old.keys().chain(tree.keys()).collect();
        for path in paths.into_iter().filter(|_| is_meant(*of)) {
            if old.get(path) != tree.get(path) {
                was.entry(path.clone()).or_insert(old.get(path).cloned());
            }
        }
        old = tree.clone();
    }
    let before = model.tree();
    for path in before.keys().chain(now.keys()) {
        let is_folder = |tree: &Tree| tree.get(path).is_none_or(|node| node.is_none());
        match was.get(path) {
            Some(was) if was != &Some(None) && was.is_some() => {
                assert_eq!(now.get(path), was.as_ref(), "{path}");
            }
            Some(_) => assert!(is_folder(now), "{path}"),
            // Folders that are missing above what comes back are made.
            None if is_folder(&before) => assert!(is_folder(now), "{path}"),
            None => assert_eq!(now.get(path), before.get(path), "{path}"),
        }
    }
}

/// The tree as a workspace shows it, each content read.
async fn shown(workspace: &Workspace) -> Tree {
    let nodes: Vec<(WorkspacePath, Node)> = workspace
        .nodes()
        .iter()
        .map(|(path, node)| (path.clone(), node.clone()))
        .collect();
    let mut tree = Tree::new();
    for (path, node) in nodes {
        let content = match node {
            Node::Folder => None,
            Node::File { .. } => Some(workspace.read(&path).await.unwrap().0.into()),
        };
        tree.insert(path.as_str().to_owned(), content);
    }
    tree
}

/// Everything of the past that is kept is what it was, down to the bytes. Gives the
/// first generation that is.
async fn check_past(workspace: &Workspace, model: &Model) -> u64 {
    let now = model.past.len() as u64;
    assert_eq!(workspace.generation(), now);
    for then in (0..now).rev() {
        let steps = match workspace.difference(now, then).await {
            Ok(steps) => steps,
            Err(WorkspaceError::NotKept) => return then + 1,
            Err(error) => panic!("{error}"),
        };
        let mut tree = model.tree();
        for step in steps {
            let name = step.path.as_str().to_owned();
            match step.is {
                None => tree.remove(&name),
                Some(node) => {
                    let content = match node.content() {
                        None => None,
                        Some((version, size)) => {
                            let content = workspace.content(version, size).await.unwrap();
                            Some(content.expect("a content is lost").into())
                        }
                    };
                    tree.insert(name, content)
                }
            };
        }
        assert_eq!(tree, model.at(then), "generation {then}");
    }
    0
}

/// Does an operation with a fault, and looks at what the store holds then. Gives the
/// model of that, and whether the fault came to pass.
pub async fn step(
    store: &Rc<dyn Store>,
    model: &Model,
    operation: &Operation,
    fault: Option<(usize, Fault)>,
) -> (Model, bool) {
    let faulty = Rc::new(Faulty {
        inner: Rc::clone(store),
        steps: Cell::new(0),
        fault,
    });
    let result = RefCell::new(None);
    let work = async {
        let workspace = open(Rc::clone(&faulty) as Rc<dyn Store>).await?;
        let done = carry_out(&workspace, store, model, operation).await?;
        if fault.is_none_or(|(at, _)| faulty.steps.get() <= at) {
            let again = open(Rc::clone(store)).await?;
            assert_eq!(*workspace.nodes(), *again.nodes());
        }
        Ok::<_, WorkspaceError>(done)
    };
    let at = fault.map_or(usize::MAX, |(at, _)| at);
    drive(work, &result, || {
        faulty.steps.get() > at && fault.is_some_and(|(_, fault)| fault == Fault::Killed)
    })
    .await;
    let happened = faulty.steps.get() > at;
    let workspace = open(Rc::clone(store)).await.unwrap();
    let now = shown(&workspace).await;
    let mut after = model.clone();
    if workspace.generation() > model.past.len() as u64 {
        take_in(&mut after, operation, now);
    } else {
        assert_eq!(now, model.tree(), "{operation:?} {fault:?}");
    }
    check_past(&workspace, &after).await;
    if !happened {
        let result = result.take().expect("no result without a fault");
        check_told(model, &after, operation, &result);
    }
    (after, happened)
}

/// What was told is what happened, where nothing went wrong below.
fn check_told(
    before: &Model,
    after: &Model,
    operation: &Operation,
    result: &Result<Option<Committed>, WorkspaceError>,
) {
    let grew = after.past.len() > before.past.len();
    match result {
        Ok(Some(committed)) => assert_eq!(committed.generation, after.past.len() as u64),
        Ok(None) => assert!(!grew),
        Err(WorkspaceError::Store(error)) => panic!("{error}"),
        Err(_) => assert!(!grew),
    }
    if let Operation::Commit(_, changes) | Operation::Conflict(changes) = operation {
        let possible = changed(&before.tree(), changes).is_some();
        assert_eq!(result.is_ok(), possible, "{operation:?}");
    }
}

/// Waits for `work`, or until the kernel is killed.
async fn drive<T>(
    work: impl Future<Output = T>,
    result: &RefCell<Option<T>>,
    is_killed: impl Fn() -> bool,
) {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| match work.as_mut().poll(context) {
        std::task::Poll::Ready(done) => {
            result.replace(Some(done));
            std::task::Poll::Ready(())
        }
        std::task::Poll::Pending if is_killed() => std::task::Poll::Ready(()),
        std::task::Poll::Pending => std::task::Poll::Pending,
    })
    .await;
}

/// So many operations of a seed over an empty store, each with a fault now and then.
pub async fn walk(store: Rc<dyn Store>, seed: u64, operations: usize) {
    let random = SeededRandom::new(seed);
    let mut model = Model::default();
    for _ in 0..operations {
        let operation = some_operation(&random, &model);
        let fault = FAULTS[below(&random, FAULTS.len() as u64) as usize];
        let fault = (below(&random, 2) == 0).then(|| (below(&random, 12) as usize, fault));
        (model, _) = step(&store, &model, &operation, fault).await;
    }
}
