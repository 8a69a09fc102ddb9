//! Reading the tree from the store, and whether it is sound: what does not fit is put
//! where it can be looked at, never dropped.

use std::collections::HashMap;

use super::node::{Node, Version};
use super::path::WorkspacePath;
use super::rows::{Row, State, Step, Tree, is_place, number_of, numbered, read_page};
use super::{Committed, Workspace};
use crate::kernel::store::{Key, Part, Store, StoreError, Table, Value};
use crate::plain::from_json;

/// Where things go that have no place in the tree.
const LOST_AND_FOUND: &str = "lost+found";
/// How often reading begins again when another tab writes meanwhile.
const TRIES: usize = 8;

/// In which form the store has the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As this build writes it.
    Present,
    /// As the first versions of the database had it: one row a name, contents by hash alone.
    First,
}

/// A workspace as it was read.
pub(super) struct Loaded {
    pub tree: Tree,
    pub state: State,
    /// The row that `state` was read from.
    pub stored: Option<Value>,
    pub form: Form,
    /// Commits that no page shows yet, and what they changed.
    pub tail: Tail,
    /// See [`Workspace::with_commits`].
    pub with_commits: HashMap<Version, u64>,
    pub damage: Damage,
}

/// Commits that are not on the pages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tail {
    pub commits: usize,
    pub steps: usize,
    /// Bytes of contents that stand with them.
    pub bytes: usize,
}

impl Tail {
    pub(super) fn add(&mut self, row: &Row) {
        self.commits += 1;
        self.steps += row.steps.len();
        let contents = row.contents.iter();
        self.bytes += contents.map(|(_, content)| content.len()).sum::<usize>();
    }
}

/// What is not as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Damage {
    /// Rows, or lines of them, that could not be read or are missing.
    pub unreadable: usize,
    /// What stood where nothing can stand, and where it is now.
    pub moved: Vec<(WorkspacePath, WorkspacePath)>,
}

/// Reads workspace `id` as it was at one moment; one that does not exist yet is empty.
pub(super) async fn load(store: &dyn Store, id: &str) -> Result<Loaded, StoreError> {
    for _ in 0..TRIES {
        let stored = stored_state(store, id).await?;
        let loaded = read(store, id, stored).await?;
        if stored_state(store, id).await? == loaded.stored {
            return Ok(loaded);
        }
    }
    Err(StoreError::Conflict)
}

/// The row that tells where commits begin.
async fn stored_state(store: &dyn Store, id: &str) -> Result<Option<Value>, StoreError> {
    store.get(Table::Workspaces, Key::new([id.into()])).await
}

async fn read(store: &dyn Store, id: &str, stored: Option<Value>) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded {
        tree: Tree::new(),
        state: State::default(),
        stored,
        form: Form::Present,
        tail: Tail::default(),
        with_commits: HashMap::new(),
        damage: Damage::default(),
    };
    let text = match &loaded.stored {
        Some(Value::Json(text)) => Some(text.as_str()),
        _ => None,
    };
    if let Some(generation) = text.and_then(from_json::<u64>) {
        loaded.form = Form::First;
        loaded.state.generation = generation;
    }
    let state = text.and_then(from_json::<State>);
    loaded.state = state.unwrap_or(loaded.state);
    let names = store.list(Table::Nodes, Key::new([id.into()])).await?;
    let is_by_path = |(key, _): &(Key, Value)| matches!(key.0.as_slice(), [_, Part::Text(_)]);
    if state.is_none() && names.iter().any(is_by_path) {
        loaded.form = Form::First;
    }
    for (key, value) in &names {
        loaded.take_names(key, value);
    }
    if loaded.form == Form::Present {
        let prefix = Key::new([id.into()]);
        let is_known = state.is_some();
        // Without the row it is not known what the pages show; all commits, one after
        // the other, end where the last one did.
        let after = numbered(id, loaded.state.base);
        let rows = match is_known {
            true => store.list_after(Table::Changes, prefix, after).await?,
            false => store.list(Table::Changes, prefix).await?,
        };
        let is_new = loaded.stored.is_none() && names.is_empty() && rows.is_empty();
        let is_whole = is_known && names.len() as u64 == loaded.state.pages;
        loaded.damage.unreadable += usize::from(!is_whole && !is_new);
        loaded.take_changes(&rows, is_known);
    }
    let tree = std::mem::take(&mut loaded.tree);
    (loaded.tree, loaded.damage.moved) = settled(tree);
    Ok(loaded)
}

impl Loaded {
    fn take_names(&mut self, key: &Key, value: &Value) {
        match (self.form, key.0.as_slice()) {
            (Form::Present, [_, Part::Number(_)]) => {
                self.damage.unreadable += read_page(value, &mut self.tree);
            }
            (Form::First, [_, Part::Text(path)]) => {
                match (WorkspacePath::parse_file(path), value.parse::<Node>()) {
                    (Ok(path), Ok(node)) => drop(self.tree.insert(path, node)),
                    _ => self.damage.unreadable += 1,
                }
            }
            _ => self.damage.unreadable += 1,
        }
    }

    fn take_changes(&mut self, rows: &[(Key, Value)], is_known: bool) {
        let mut next = self.state.base + 1;
        for (key, value) in rows {
            let Some(generation) = number_of(key) else {
                self.damage.unreadable += 1;
                continue;
            };
            if is_place(value) {
                // What comes next comes behind it, also where no commit is left to tell.
                next = next.max(generation + 1);
                continue;
            }
            self.damage.unreadable += usize::from(is_known && generation != next);
            next = generation + 1;
            match Row::read(key, value) {
                Some(row) => {
                    self.tail.add(&row);
                    let contents = row.contents.into_iter();
                    let contents = contents.map(|(version, _)| (version, generation));
                    self.with_commits.extend(contents);
                    carry_over(&mut self.tree, row.steps);
                }
                None => self.damage.unreadable += 1,
            }
        }
        let is_short = next <= self.state.generation;
        self.damage.unreadable += usize::from(is_known && is_short);
        self.state.generation = self.state.generation.max(next - 1);
        if !is_known {
            self.state.base = 0;
        }
    }
}

/// Makes the tree what it was after the steps.
pub(super) fn carry_over(tree: &mut Tree, steps: Vec<Step>) {
    for step in steps {
        match step.is {
            Some(node) => drop(tree.insert(step.path, node)),
            None => drop(tree.remove(&step.path)),
        }
    }
}

/// A tree in which everything stands in a folder. Folders that are missing are made;
/// what stands below a file is given another place.
fn settled(tree: Tree) -> (Tree, Vec<(WorkspacePath, WorkspacePath)>) {
    let mut sound = Tree::new();
    let mut misfits = Vec::new();
    let mut last_folder = String::new();
    for (path, node) in tree {
        // A folder comes before what is in it, so what is not there is missing.
        let folder = path
            .as_str()
            .rfind('/')
            .map_or("", |at| &path.as_str()[..at]);
        if folder != last_folder {
            let above: Vec<WorkspacePath> = path.ancestors().collect();
            let is_file = |at: &WorkspacePath| matches!(sound.get(at), Some(Node::File { .. }));
            if above.iter().any(is_file) {
                misfits.push((path, node));
                continue;
            }
            last_folder = folder.to_owned();
            for folder in above {
                sound.insert(folder, Node::Folder);
            }
        }
        sound.insert(path, node);
    }
    let mut moved = Vec::new();
    for (path, node) in misfits {
        let Some(place) = lost_place(&sound, path.as_str()) else {
            continue;
        };
        for folder in place.ancestors() {
            sound.insert(folder, Node::Folder);
        }
        sound.insert(place.clone(), node);
        moved.push((path, place));
    }
    (sound, moved)
}

/// A free place in `/lost+found` for what was at `path`, or was called so.
pub(super) fn lost_place(tree: &Tree, path: &str) -> Option<WorkspacePath> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_free = |place: &WorkspacePath| {
        let is_file = |at: WorkspacePath| matches!(tree.get(&at), Some(Node::File { .. }));
        !tree.contains_key(place) && !place.ancestors().any(is_file)
    };
    let root = WorkspacePath::parse_file(LOST_AND_FOUND).ok()?;
    (1..1_000).find_map(|n| {
        let folder = if n == 1 {
            Ok(root.clone())
        } else {
            root.numbered(n)
        };
        let folder = folder.ok()?;
        let place = |rest: &str| WorkspacePath::parse_file(&format!("{folder}/{rest}")).ok();
        // A path that would get too long keeps its last name.
        place(path).or_else(|| place(name)).filter(is_free)
    })
}

impl Workspace {
    /// Takes in what another tab has committed; tells what changed by it.
    ///
    /// # Errors
    /// What the store says; then nothing was taken in.
    pub async fn follow(&self) -> Result<Committed, StoreError> {
        let _turn = self.committing.lock().await;
        self.catch_up().await
    }

    /// As [`Workspace::follow`], for whoever has the turn.
    pub(super) async fn catch_up(&self) -> Result<Committed, StoreError> {
        let stored = stored_state(&*self.store, &self.id).await?;
        let steps = match self.rows_since(stored.as_ref()).await? {
            Some((rows, state)) => {
                self.state.set(state);
                self.stored.replace(stored);
                self.is_ours.set(self.is_ours.get() && rows.is_empty());
                rows.into_iter()
                    .flat_map(|row| self.take_row(row))
                    .collect()
            }
            None => {
                let loaded = load(&*self.store, &self.id).await?;
                let steps = between(&self.nodes.borrow(), &loaded.tree);
                self.take(loaded);
                steps
            }
        };
        Ok(self.committed(steps))
    }

    /// What was committed behind this tab's generation, if all of it is told by rows.
    async fn rows_since(
        &self,
        stored: Option<&Value>,
    ) -> Result<Option<(Vec<Row>, State)>, StoreError> {
        let Some(state) = stored.and_then(|value| value.parse::<State>().ok()) else {
            return Ok(None);
        };
        let mine = self.generation();
        let prefix = Key::new([self.id.as_str().into()]);
        let after = numbered(&self.id, mine);
        let rows = self.store.list_after(Table::Changes, prefix, after).await?;
        let rows = rows.iter().map(|(key, value)| Row::read(key, value));
        let Some(rows) = rows.collect::<Option<Vec<Row>>>() else {
            return Ok(None);
        };
        let last = mine + rows.len() as u64;
        let are_all = self.form.get() == Form::Present
            && state.generation <= last
            && rows.iter().map(|row| row.generation).eq(mine + 1..=last);
        let state = State {
            generation: last,
            ..state
        };
        Ok(are_all.then_some((rows, state)))
    }
}

/// What leads from one tree to another.
fn between(old: &Tree, new: &Tree) -> Vec<Step> {
    let gone = old.iter().filter(|(path, _)| !new.contains_key(*path));
    let gone = gone.map(|(path, node)| Step {
        path: path.clone(),
        was: Some(node.clone()),
        is: None,
    });
    let come = new.iter().map(|(path, node)| Step {
        path: path.clone(),
        was: old.get(path).cloned(),
        is: Some(node.clone()),
    });
    gone.chain(come.filter(|step| step.was != step.is))
        .collect()
}
