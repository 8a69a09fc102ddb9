//! The workspace: files and folders with one meaning over every store.
//!
//! Reading looks at an index in memory and fetches bytes from the store.
//! Changing happens in one place, [`Workspace::commit`]: file changes, whatever
//! records go with them and the next generation are one batch.

mod cache;
mod change;
mod fence;
mod history;
mod load;
mod mend;
mod node;
pub mod path;
mod reading;
mod review;
mod rows;
mod stock;
pub mod subtree;
mod take_over;
mod tidy;
mod weigh;

use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::lock::{Mutex, MutexGuard};

use self::cache::Cache;
use self::change::Planned;
pub use self::change::{Expect, FileChange};
pub use self::fence::fence;
pub use self::history::{Begins, Checkpoint};
use self::load::{Damage, Form, Loaded, Tail, carry_over, load};
pub use self::mend::Mended;
pub use self::node::{Node, Version};
pub use self::path::{PathError, PathProblem, WorkspacePath};
pub use self::review::{Altered, Span};
pub use self::rows::{Origin, Step};
use self::rows::{Row, State, Tree, content_rows, numbered, stand_with_commit};
pub use self::stock::Stock;
pub use self::tidy::Keep;
pub use self::weigh::History;
use super::clock::Clock;
use super::store::{Batch, Change, Durability, Key, Store, StoreError, Table, Value};

/// Largest file the workspace takes, in bytes.
pub const MAX_FILE: usize = 100 << 20;

/// Why the workspace could not do what was asked, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// Not a path of the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Nothing is there.
    #[error("there is no file {0}; list_dir shows what is there")]
    NotFound(WorkspacePath),
    /// A folder stands where a file is meant.
    #[error("{0} is a directory, not a file; list_dir shows what is in it")]
    IsFolder(WorkspacePath),
    /// A file stands where a folder is meant.
    #[error("{0} is a file, not a directory; choose another path")]
    IsFile(WorkspacePath),
    /// Somebody changed the file since it was read.
    #[error("{0} changed since it was read; read it again before changing it")]
    Changed(WorkspacePath),
    /// Something stands where a file or folder is to be put.
    #[error("there is already something at {0}; choose another path, or delete it first")]
    Taken(WorkspacePath),
    /// Over [`MAX_FILE`].
    #[error("{path} would be {size} bytes, and the largest file is {MAX_FILE} bytes; split it")]
    TooLarge {
        /// The file.
        path: WorkspacePath,
        /// Bytes it would have.
        size: usize,
    },
    /// What the files were then is not kept any more.
    #[error("what the files were then is not kept any more; nothing was changed")]
    NotKept,
    /// The store failed; nothing was changed.
    #[error("{0}; nothing was changed")]
    Store(#[from] StoreError),
}

/// What a commit did, for whoever shows the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// Paths that are new or have new content, folders included.
    pub changed: Vec<WorkspacePath>,
    /// Paths at which nothing is any more.
    pub removed: Vec<WorkspacePath>,
    /// The workspace's generation after it.
    pub generation: u64,
}

/// A workspace opened from a store.
pub struct Workspace {
    id: String,
    store: Rc<dyn Store>,
    clock: Rc<dyn Clock>,
    nodes: RefCell<Tree>,
    state: Cell<State>,
    /// The row that `state` was read from; commits go on from there without it.
    stored: RefCell<Option<Value>>,
    /// Whether the last commit was made here.
    is_ours: Cell<bool>,
    form: Cell<Form>,
    tail: Cell<Tail>,
    damage: RefCell<Damage>,
    /// The last round of each session that has a checkpoint, by its message, once it was
    /// looked up.
    marked: RefCell<Option<HashMap<String, u64>>>,
    cache: RefCell<Cache>,
    /// The commits with which contents stand that have no row of their own yet.
    with_commits: RefCell<HashMap<Version, u64>>,
    /// Contents that wait for their names, and how many of those who bring them in do.
    held: RefCell<HashMap<Version, usize>>,
    committing: Mutex<()>,
    changing: Mutex<()>,
}

/// What happens together with steps.
struct Along {
    origin: Option<Origin>,
    begins: Option<Begins>,
    records: Vec<Change>,
    durability: Durability,
    follows: Follows,
}

/// What a batch holds on to: it fails where that is not as it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// The last commit.
    Commit,
    /// The last commit and all that is kept: nothing was tidied away since.
    Everything,
}

impl Along {
    /// Nothing, but flushed to the disk, and of contents that no file may have now.
    fn strict() -> Self {
        Self {
            origin: None,
            begins: None,
            records: Vec::new(),
            durability: Durability::Strict,
            follows: Follows::Everything,
        }
    }
}

impl Workspace {
    /// Reads the tree of workspace `id`; one that does not exist yet is empty.
    ///
    /// # Errors
    /// What the store says.
    pub async fn open(
        store: Rc<dyn Store>,
        clock: Rc<dyn Clock>,
        id: &str,
    ) -> Result<Self, StoreError> {
        let loaded = load(&*store, id).await?;
        let workspace = Self {
            id: id.to_owned(),
            store,
            clock,
            nodes: RefCell::default(),
            state: Cell::default(),
            stored: RefCell::default(),
            is_ours: Cell::default(),
            form: Cell::new(Form::Present),
            tail: Cell::default(),
            damage: RefCell::default(),
            marked: RefCell::default(),
            cache: RefCell::default(),
            with_commits: RefCell::default(),
            held: RefCell::default(),
            committing: Mutex::new(()),
            changing: Mutex::new(()),
        };
        workspace.take(loaded);
        Ok(workspace)
    }

    fn take(&self, loaded: Loaded) {
        self.nodes.replace(loaded.tree);
        self.state.set(loaded.state);
        self.stored.replace(loaded.stored);
        self.is_ours.set(false);
        self.form.set(loaded.form);
        self.tail.set(loaded.tail);
        self.with_commits.replace(loaded.with_commits);
        self.damage.replace(loaded.damage);
    }

    /// Tells it from other workspaces.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where it is kept.
    pub fn store(&self) -> &Rc<dyn Store> {
        &self.store
    }

    /// Grows by one with every commit that changes files.
    pub fn generation(&self) -> u64 {
        self.state.get().generation
    }

    /// All files and folders, in the order of their paths.
    pub fn nodes(&self) -> Ref<'_, BTreeMap<WorkspacePath, Node>> {
        self.nodes.borrow()
    }

    /// What is at `path`; the root is a folder.
    pub fn node(&self, path: &WorkspacePath) -> Option<Node> {
        if path.is_root() {
            return Some(Node::Folder);
        }
        self.nodes.borrow().get(path).cloned()
    }

    /// The size and version of the file at `path`.
    ///
    /// # Errors
    /// [`WorkspaceError::NotFound`] or [`WorkspaceError::IsFolder`].
    pub fn file(&self, path: &WorkspacePath) -> Result<(u64, Version), WorkspaceError> {
        match self.node(path) {
            Some(Node::File { size, version, .. }) => Ok((size, version)),
            Some(Node::Folder) => Err(WorkspaceError::IsFolder(path.clone())),
            None => Err(WorkspaceError::NotFound(path.clone())),
        }
    }

    /// All that is in a folder, at any depth, in the order of the paths.
    pub fn below(&self, folder: &WorkspacePath) -> Vec<(WorkspacePath, Node)> {
        let nodes = self.nodes.borrow();
        let owned = |(path, node): (&WorkspacePath, &Node)| (path.clone(), node.clone());
        match folder.range_below() {
            None => nodes.iter().map(owned).collect(),
            Some(range) => nodes.range(range).map(owned).collect(),
        }
    }

    /// Makes `changes` and `records` happen together, or neither.
    ///
    /// # Errors
    /// If any change is not possible, or the store fails: then nothing has happened.
    pub async fn commit(
        &self,
        changes: &[FileChange],
        records: Vec<Change>,
        durability: Durability,
    ) -> Result<Committed, WorkspaceError> {
        self.commit_in(None, changes, records, durability).await
    }

    /// As [`Workspace::commit`], for a round of a run. The first of a round makes a
    /// checkpoint, which holds the files as they were before it.
    ///
    /// # Errors
    /// As [`Workspace::commit`].
    pub async fn commit_in(
        &self,
        origin: Option<Origin>,
        changes: &[FileChange],
        records: Vec<Change>,
        durability: Durability,
    ) -> Result<Committed, WorkspaceError> {
        // Records alone touch no file: they wait for nobody and need no generation.
        let _turn = match changes {
            [] => None,
            _ => Some(self.committing.lock().await),
        };
        let planned = self.plan(changes)?;
        let begins = match &origin {
            Some(origin) if !planned.steps.is_empty() && !self.is_marked(origin).await? => {
                Some(Begins::Round(origin.clone()))
            }
            _ => None,
        };
        let along = Along {
            origin,
            begins,
            records,
            durability,
            follows: Follows::Commit,
        };
        self.carry_out(planned, along).await
    }

    /// Makes what was planned happen, for whoever has the turn to commit.
    async fn carry_out(&self, planned: Planned, along: Along) -> Result<Committed, WorkspaceError> {
        let Planned { steps, contents } = planned;
        if steps.is_empty() {
            let batch = Batch {
                changes: along.records,
                durability: along.durability,
                ..Batch::default()
            };
            self.store.apply(batch).await?;
            return Ok(self.committed(steps));
        }
        self.take_over().await?;
        let mut state = self.state.get();
        let require = self.what_holds(match self.is_ours.get() {
            true => along.follows,
            false => Follows::Everything,
        });
        state.generation += 1;
        let mut row = Row {
            generation: state.generation,
            begins_turn: !self.is_ours.get(),
            origin: along.origin,
            steps,
            contents,
        };
        let contents = match stand_with_commit(&row.contents) {
            true => Vec::new(),
            false => std::mem::take(&mut row.contents),
        };
        let contents_rows = contents
            .iter()
            .flat_map(|(version, content)| content_rows(&self.id, version, content));
        let mut changes: Vec<Change> = contents_rows.collect();
        changes.push(row.put(&self.id));
        let first = self.stored.borrow().is_none();
        let first = first.then(|| Value::record(&state));
        changes.extend(first.clone().map(|value| self.state_row(value)));
        let begins_round = matches!(along.begins, Some(Begins::Round(_)));
        changes.extend(along.begins.map(|begins| self.checkpoint(state, begins)));
        changes.extend(along.records);
        let batch = Batch {
            changes,
            require,
            durability: along.durability,
        };
        if let Err(error) = self.store.apply(batch).await {
            self.is_ours.set(false);
            if error == StoreError::Conflict {
                // Nothing is known of what the other did; the next try shall know it.
                drop(self.catch_up().await);
            }
            return Err(error.into());
        }
        if let (Some(origin), Some(marked)) = (&row.origin, self.marked.borrow_mut().as_mut())
            && begins_round
        {
            marked.insert(origin.session.clone(), origin.seq);
        }
        self.state.set(state);
        self.is_ours.set(true);
        if first.is_some() {
            self.stored.replace(first);
        }
        for (version, content) in contents.iter().chain(&row.contents) {
            self.cache.borrow_mut().put(version, Rc::clone(content));
        }
        let steps = self.take_row(row);
        Ok(self.committed(steps))
    }

    /// Makes the tree what it is after a commit; gives its steps.
    fn take_row(&self, row: Row) -> Vec<Step> {
        let mut tail = self.tail.get();
        tail.add(&row);
        self.tail.set(tail);
        let contents = row.contents.into_iter();
        let contents = contents.map(|(version, _)| (version, row.generation));
        self.with_commits.borrow_mut().extend(contents);
        carry_over(&mut self.nodes.borrow_mut(), row.steps.clone());
        row.steps
    }

    /// What must be in the store for a batch to be right that was worked out from what is
    /// known here.
    ///
    /// That nobody has taken the next commit's place is enough for one that follows our
    /// own: whoever commits behind it has read it, so their first row begins a turn, and
    /// such rows keep their places for ever (see `tidy`).
    fn what_holds(&self, follows: Follows) -> Vec<(Table, Key, Option<Value>)> {
        let next = numbered(&self.id, self.generation() + 1);
        let mut require = vec![(Table::Changes, next, None)];
        if follows == Follows::Everything {
            let stored = self.stored.borrow().clone();
            require.push((Table::Workspaces, self.state_key(), stored));
        }
        require
    }

    fn state_key(&self) -> Key {
        Key::new([self.id.as_str().into()])
    }

    fn state_row(&self, value: Value) -> Change {
        Change::Put(Table::Workspaces, self.state_key(), value)
    }

    fn checkpoint(&self, state: State, begins: Begins) -> Change {
        let checkpoint = Checkpoint {
            generation: state.generation,
            at_ms: self.clock.now_ms(),
            begins,
        };
        let key = numbered(&self.id, state.generation);
        Change::Put(Table::Checkpoints, key, Value::record(&checkpoint))
    }

    fn committed(&self, steps: Vec<Step>) -> Committed {
        let (changed, removed): (Vec<_>, Vec<_>) =
            steps.into_iter().partition(|step| step.is.is_some());
        let path = |step: Step| step.path;
        Committed {
            changed: changed.into_iter().map(path).collect(),
            removed: removed.into_iter().map(path).collect(),
            generation: self.generation(),
        }
    }

    /// Saves records that no file change belongs to, at its own pace. Dropped before its
    /// end, it may have saved them or not.
    pub fn save(&self, records: Vec<Change>) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let store = Rc::clone(&self.store);
        Box::pin(async move { store.apply(Batch::of(records)).await })
    }

    /// Waits for the turn to look at files and change them by what was seen. Not needed
    /// for safety, which versions give, but for two runs not to get in each other's way.
    pub async fn turn_to_change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// See [`Store::flush`].
    pub fn flush(&self) {
        self.store.flush();
    }
}
