//! Keeping the store small: names are brought onto pages, old commits are let go, and
//! contents that nothing refers to any more are removed. Each time it is one batch,
//! bound to the state it was worked out from: a commit of another tab in between makes
//! it fail, and a commit that was planned before it fails in its turn.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::history::Checkpoint;
use super::node::{Node, Version};
use super::rows::{
    Row, State, content_rows, is_place, number_of, numbered, page_count, pages, place_of,
};
use super::{Follows, Workspace};
use crate::kernel::store::{Batch, Change, Key, Part, StoreError, Table, Value};

/// Commits behind the pages at which these are written anew, since opening reads each.
const MAX_TAIL: usize = 400;

/// Bytes of contents that stand with commits at which they get rows of their own.
const MAX_TAIL_BYTES: usize = 2 << 20;

/// How much of what was is kept to go back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Commits.
    pub commits: usize,
    /// Bytes of contents that were replaced or removed by them.
    pub bytes: u64,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            commits: 1_000,
            bytes: 256 << 20,
        }
    }
}

impl Workspace {
    /// Whether there is so much to tidy that it should not wait for the next start.
    pub fn wants_tidying(&self) -> bool {
        let tail = self.tail.get();
        let many = MAX_TAIL.max(self.nodes.borrow().len() / 4);
        tail.commits >= MAX_TAIL || tail.steps >= many || tail.bytes >= MAX_TAIL_BYTES
    }

    /// Removes what is not kept any more: commits, and contents that neither a file nor a
    /// commit refers to.
    ///
    /// # Errors
    /// What the store says; then nothing was removed.
    pub async fn tidy(&self, keep: Keep) -> Result<(), StoreError> {
        let _turn = self.committing.lock().await;
        if self.damage.borrow().unreadable > 0 {
            // What nothing refers to may be what a name was lost of: see `mend`.
            return Ok(());
        }
        self.take_over().await?;
        let prefix = || Key::new([self.id.as_str().into()]);
        let rows = self.store.list(Table::Changes, prefix()).await?;
        let rows = commits_of(&rows);
        let cut = cut(&rows, keep).max(self.state.get().cut);
        let (gone, kept): (Vec<_>, Vec<_>) = rows.iter().partition(|(n, _)| *n <= cut);
        let mut used = versions(self.nodes.borrow().values());
        for step in kept.iter().filter_map(|(_, row)| row.as_ref()) {
            let nodes = step.steps.iter().flat_map(|step| [&step.was, &step.is]);
            used.extend(versions(nodes.flatten()));
        }
        let mut changes: Vec<Change> = gone
            .iter()
            .map(|(n, row)| let_go(numbered(&self.id, *n), row.as_ref()))
            .collect();
        changes.extend(self.old_checkpoints(cut).await?);
        let contents = self.store.keys(Table::Blobs, prefix()).await?;
        let unused = contents.into_iter().filter(|key| {
            !version_of(key)
                .is_some_and(|version| used.contains(&version) || self.is_held(&version))
        });
        changes.extend(unused.map(|key| Change::Delete(Table::Blobs, key)));
        // Commits that are let go must stand on the pages.
        let writes_pages = self.wants_tidying() || cut > self.state.get().base;
        if writes_pages {
            changes.extend(self.page_changes().await?);
            for row in rows.iter().filter_map(|(_, row)| row.as_ref()) {
                changes.extend(self.contents_of_their_own(row, cut, &used));
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let mut state = self.state.get();
        state.tidied += 1;
        state.cut = cut;
        if writes_pages {
            state = self.on_pages(state);
        }
        self.put_state(state, changes).await
    }

    /// The changes that give contents that stand with a commit rows of their own, as far
    /// as something refers to them, and the commit a row without them if it is kept.
    pub(super) fn contents_of_their_own(
        &self,
        row: &Row,
        cut: u64,
        used: &HashSet<Version>,
    ) -> Vec<Change> {
        let is_used = |(version, _): &&(Version, Rc<[u8]>)| used.contains(version);
        let contents = row.contents.iter().filter(is_used);
        let mut changes: Vec<Change> = contents
            .flat_map(|(version, content)| content_rows(&self.id, version, content))
            .collect();
        if row.generation > cut && !row.contents.is_empty() {
            let alone = Row {
                contents: Vec::new(),
                ..row.clone()
            };
            changes.push(alone.put(&self.id));
        }
        changes
    }

    /// The changes that remove checkpoints which can't be gone back to. The last of each
    /// session stays: without it, the rest of a round would look like a whole one.
    pub(super) async fn old_checkpoints(&self, cut: u64) -> Result<Vec<Change>, StoreError> {
        let checkpoints = self.noted_checkpoints().await?;
        let rounds = checkpoints.iter().filter_map(Checkpoint::round);
        let last: HashMap<&str, u64> = rounds
            .map(|round| (round.session.as_str(), round.seq))
            .collect();
        let is_last = |checkpoint: &&Checkpoint| {
            let round = checkpoint.round();
            round.is_some_and(|round| last.get(round.session.as_str()) == Some(&round.seq))
        };
        let stays: HashSet<u64> = checkpoints
            .iter()
            .filter(is_last)
            .map(|checkpoint| checkpoint.generation)
            .collect();
        let prefix = Key::new([self.id.as_str().into()]);
        let keys = self.store.keys(Table::Checkpoints, prefix).await?;
        let is_old = |key: &Key| number_of(key).is_none_or(|n| n <= cut && !stays.contains(&n));
        let old = keys.into_iter().filter(is_old);
        Ok(old
            .map(|key| Change::Delete(Table::Checkpoints, key))
            .collect())
    }

    /// The state once all names are on pages.
    pub(super) fn on_pages(&self, state: State) -> State {
        State {
            base: state.generation,
            pages: page_count(self.nodes.borrow().len()),
            ..state
        }
    }

    /// The changes that bring all names onto pages, and remove pages that are not needed.
    pub(super) async fn page_changes(&self) -> Result<Vec<Change>, StoreError> {
        let mut changes = pages(&self.id, &self.nodes.borrow());
        let count = changes.len() as u64;
        let prefix = Key::new([self.id.as_str().into()]);
        let there = self.store.keys(Table::Nodes, prefix).await?;
        let more = there
            .into_iter()
            .filter(|key| number_of(key).is_none_or(|n| n >= count));
        changes.extend(more.map(|key| Change::Delete(Table::Nodes, key)));
        Ok(changes)
    }

    /// Makes `changes` and the new state happen together, if the state is still what it was.
    pub(super) async fn put_state(
        &self,
        state: State,
        mut changes: Vec<Change>,
    ) -> Result<(), StoreError> {
        let stored = Value::record(&state);
        changes.push(self.state_row(stored.clone()));
        let batch = Batch {
            changes,
            require: self.what_holds(Follows::Everything),
            ..Batch::default()
        };
        self.store.apply(batch).await?;
        if state.base == state.generation {
            self.tail.take();
            self.with_commits.take();
        }
        self.state.set(state);
        self.stored.replace(Some(stored));
        Ok(())
    }
}

/// The change that lets go of a commit. One that begins a turn, or may, leaves its place
/// behind: whoever made the commit before it and was asleep since shall not take that.
pub(super) fn let_go(key: Key, row: Option<&Row>) -> Change {
    match row.is_some_and(|row| !row.begins_turn) {
        true => Change::Delete(Table::Changes, key),
        false => place_of(key),
    }
}

/// The commits of which rows tell, `None` for one that is damaged.
pub(super) fn commits_of(rows: &[(Key, Value)]) -> Vec<(u64, Option<Row>)> {
    rows.iter()
        .filter(|(_, value)| !is_place(value))
        .filter_map(|(key, value)| Some((number_of(key)?, Row::read(key, value))))
        .collect()
}

/// The last commit that is not kept: what is damaged can't be gone back over.
pub(super) fn cut(rows: &[(u64, Option<Row>)], keep: Keep) -> u64 {
    let (mut commits, mut bytes, mut next) = (0, 0, None);
    for (n, row) in rows.iter().rev() {
        let Some(row) = row
            .as_ref()
            .filter(|_| next.is_none_or(|next| n + 1 == next))
        else {
            return *n;
        };
        commits += 1;
        let replaced = row.steps.iter().filter_map(|step| step.was.as_ref());
        bytes += replaced
            .filter_map(Node::content)
            .map(|(_, size)| size)
            .sum::<u64>();
        if commits > keep.commits || bytes > keep.bytes {
            return *n;
        }
        next = Some(*n);
    }
    0
}

/// The contents that files have.
pub(super) fn versions<'a>(nodes: impl Iterator<Item = &'a Node>) -> HashSet<Version> {
    nodes
        .filter_map(|node| Some(node.content()?.0.clone()))
        .collect()
}

/// The content that a row belongs to.
pub(super) fn version_of(key: &Key) -> Option<Version> {
    match key.0.as_slice() {
        [_, Part::Text(hash), Part::Number(_)] => Version::parse(hash),
        _ => None,
    }
}
