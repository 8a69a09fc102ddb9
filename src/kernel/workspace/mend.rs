//! The check of a workspace that was opened: whether everything is there that should be.
//! What is not sound is put in order, what has no place goes to `/lost+found`, and the
//! user is told.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use super::change::{Expect, Plan};
use super::load::lost_place;
use super::node::{Node, Version};
use super::path::WorkspacePath;
use super::rows::{Row, Tree, chunk_count, content_key, number_of};
use super::tidy::{let_go, version_of, versions};
use super::{Along, FileChange, Workspace, WorkspaceError};
use crate::kernel::store::{Key, Part, StoreError, Table, Value};

/// Signs of a hash that name a content whose own name is lost.
const SHORT: usize = 16;

/// What was found not to be sound, and put in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mended {
    /// Things that were given another place: where they were, if that is known, and
    /// where they are now.
    pub moved: Vec<(Option<WorkspacePath>, WorkspacePath)>,
    /// Files of which nothing is left.
    pub gone: Vec<WorkspacePath>,
    /// Rows, or lines of them, that could not be read. What they told of is in
    /// `/lost+found`, as far as there is anything left of it.
    pub unreadable: usize,
}

impl Mended {
    /// Whether all was sound.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Which rows of each content are there.
type There = BTreeMap<Version, HashSet<u64>>;

impl Workspace {
    /// Looks whether all is there, and puts in order what is not. Only the one writer of
    /// the workspace may call it.
    ///
    /// # Errors
    /// What the store says; what was not put in order yet is found again then.
    pub async fn mend(&self) -> Result<Mended, WorkspaceError> {
        let _turn = self.committing.lock().await;
        self.take_over().await?;
        let there = self.contents_there().await?;
        if self.lacks_a_noted_commit().await? {
            self.damage.borrow_mut().unreadable += 1;
        }
        let damage = self.damage.borrow().clone();
        let mut mended = Mended {
            unreadable: damage.unreadable,
            ..Mended::default()
        };
        for (from, to) in &damage.moved {
            mended.moved.push((Some(from.clone()), to.clone()));
        }
        self.replace_cut_files(&there, &mut mended).await?;
        if damage.unreadable > 0 {
            self.adopt(&there, &mut mended).await?;
        }
        if damage.unreadable > 0 || !damage.moved.is_empty() {
            self.begin_anew().await?;
        }
        Ok(mended)
    }

    /// Whether a checkpoint tells of a commit behind the last one that is known.
    async fn lacks_a_noted_commit(&self) -> Result<bool, StoreError> {
        let keys = self
            .store
            .keys(Table::Checkpoints, self.state_key())
            .await?;
        let noted = keys.iter().filter_map(number_of).max();
        Ok(noted > Some(self.generation()))
    }

    async fn contents_there(&self) -> Result<There, StoreError> {
        let prefix = Key::new([self.id.as_str().into()]);
        let mut there = There::new();
        for key in self.store.keys(Table::Blobs, prefix).await? {
            if let (Some(version), Some(Part::Number(chunk))) = (version_of(&key), key.0.last()) {
                there.entry(version).or_default().insert(*chunk);
            }
        }
        for version in self.with_commits.borrow().keys() {
            there.entry(version.clone()).or_default().insert(0);
        }
        Ok(there)
    }

    /// Files whose content is not whole: what is left of it goes to `/lost+found`.
    async fn replace_cut_files(
        &self,
        there: &There,
        mended: &mut Mended,
    ) -> Result<(), WorkspaceError> {
        let is_cut = |node: &Node| {
            node.content().is_some_and(|(version, size)| {
                let rows = there.get(version);
                !(0..chunk_count(size) as u64).all(|n| rows.is_some_and(|rows| rows.contains(&n)))
            })
        };
        let cut: Vec<(WorkspacePath, Node)> = {
            let tree = self.nodes.borrow();
            let cut = tree.iter().filter(|(_, node)| is_cut(node));
            cut.map(|(path, node)| (path.clone(), node.clone()))
                .collect()
        };
        for (path, node) in cut {
            let rest = self.what_is_left(&node).await?;
            let place = match rest.is_empty() {
                true => None,
                false => lost_place(&self.nodes.borrow(), path.as_str()),
            };
            let planned = {
                let tree = self.nodes.borrow();
                let mut plan = Plan::new(&tree, self.clock.now_ms());
                plan.set(path.clone(), None);
                if let Some(place) = &place {
                    plan.add(&FileChange::Write {
                        path: place.clone(),
                        content: Rc::from(rest),
                        expect: Expect::Nothing,
                    })?;
                }
                plan.planned()
            };
            self.carry_out(planned, Along::strict()).await?;
            match place {
                Some(place) => mended.moved.push((Some(path), place)),
                None => mended.gone.push(path),
            }
        }
        Ok(())
    }

    async fn what_is_left(&self, node: &Node) -> Result<Vec<u8>, StoreError> {
        let mut rest = Vec::new();
        let Some((version, size)) = node.content() else {
            return Ok(rest);
        };
        for chunk in 0..chunk_count(size) {
            let key = content_key(&self.id, version, chunk);
            if let Some(Value::Bytes(bytes)) = self.store.get(Table::Blobs, key).await? {
                rest.extend(bytes);
            }
        }
        Ok(rest)
    }

    /// Names were lost: contents that nothing refers to may be theirs.
    async fn adopt(&self, there: &There, mended: &mut Mended) -> Result<(), WorkspaceError> {
        let mut known: HashSet<Version> = HashSet::new();
        let rows = self.all_rows().await?;
        let steps = rows.iter().flat_map(|row| &row.steps);
        let of_steps = steps.flat_map(|step| [&step.was, &step.is]).flatten();
        known.extend(of_steps.filter_map(|node| Some(node.content()?.0.clone())));
        let of_tree = |tree: &Tree| -> Vec<Version> {
            let versions = tree.values().filter_map(|node| node.content());
            versions.map(|(version, _)| version.clone()).collect()
        };
        known.extend(of_tree(&self.nodes.borrow()));
        for (version, chunks) in there
            .iter()
            .filter(|(version, _)| !known.contains(*version))
        {
            let mut content = Vec::new();
            for chunk in 0..chunks.len() {
                let key = content_key(&self.id, version, chunk);
                if let Some(Value::Bytes(bytes)) = self.store.get(Table::Blobs, key).await? {
                    content.extend(bytes);
                }
            }
            if Version::of(&content) != *version {
                continue;
            }
            let node = Node::File {
                size: content.len() as u64,
                modified_ms: self.clock.now_ms(),
                version: version.clone(),
            };
            let name = &version.as_str()[..SHORT];
            let Some(place) = lost_place(&self.nodes.borrow(), name) else {
                continue;
            };
            let planned = {
                let tree = self.nodes.borrow();
                let mut plan = Plan::new(&tree, self.clock.now_ms());
                plan.put_back(place.clone(), node)?;
                plan.planned()
            };
            self.carry_out(planned, Along::strict()).await?;
            mended.moved.push((None, place));
        }
        Ok(())
    }

    /// Writes all names anew, and lets go of commits, which no longer lead to them.
    async fn begin_anew(&self) -> Result<(), StoreError> {
        let mut changes = self.page_changes().await?;
        let used = versions(self.nodes.borrow().values());
        let cut = self.generation();
        let prefix = Key::new([self.id.as_str().into()]);
        for (key, value) in self.store.list(Table::Changes, prefix).await? {
            let row = Row::read(&key, &value);
            if let Some(row) = &row {
                changes.extend(self.contents_of_their_own(row, cut, &used));
            }
            changes.push(let_go(key, row.as_ref()));
        }
        let mut state = self.on_pages(self.state.get());
        state.cut = state.generation;
        changes.extend(self.old_checkpoints(state.cut).await?);
        self.put_state(state, changes).await?;
        self.damage.take();
        Ok(())
    }
}
