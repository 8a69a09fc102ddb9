//! Going back: checkpoints, what lies between two, taking a round back and bringing it
//! in again. All of it follows from the rows of changes; to go back is one more commit.

use std::collections::BTreeMap;

use super::change::{Plan, Planned};
use super::node::Node;
use super::path::WorkspacePath;
use super::rows::{Origin, Row, Step};
use super::{Along, Committed, Workspace, WorkspaceError};
use crate::kernel::store::{Change, Key, StoreError, Table};
use crate::plain::Plain;

/// A place to go back to: the files as they were before a commit.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Checkpoint {
    /// The first commit behind it. The files as they were then: those of the generation before.
    pub generation: u64,
    /// When that commit was made, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// What that commit began.
    pub begins: Begins,
}

/// What begins behind a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Begins {
    /// A round that writes; the first of its run stands for the run too.
    Round(Origin),
    /// The files were made what they were at another generation.
    Restored(u64),
    /// The files of a round, or of the whole run with that round, were taken back.
    TakenBack(Origin),
    /// What was taken back by the commit of that generation was brought in again.
    BroughtBack(u64),
    /// The user took back parts of what was changed.
    Reverted,
}

/// What one path had before the first and has behind the last of several commits.
type Net = BTreeMap<WorkspacePath, (Option<Node>, Option<Node>)>;

impl Workspace {
    /// The checkpoints that can be gone back to, the oldest first.
    ///
    /// # Errors
    /// What the store says.
    pub async fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        let mut checkpoints = self.noted_checkpoints().await?;
        checkpoints.retain(|checkpoint| checkpoint.generation > self.state.get().cut);
        Ok(checkpoints)
    }

    /// Those too of which only is known that they were.
    pub(super) async fn noted_checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        let prefix = Key::new([self.id.as_str().into()]);
        let rows = self.store.list(Table::Checkpoints, prefix).await?;
        // One that is damaged can't be offered; the files are not touched by that.
        let checkpoints = rows.iter().filter_map(|(_, value)| value.parse().ok());
        Ok(checkpoints.collect())
    }

    /// Whether the round has a checkpoint. What earlier kernels made is looked up once.
    pub(super) async fn is_marked(&self, origin: &Origin) -> Result<bool, StoreError> {
        if self.marked.borrow().is_none() {
            let checkpoints = self.noted_checkpoints().await?;
            let rounds = checkpoints.iter().filter_map(Checkpoint::round);
            let marked = rounds.map(|round| (round.session.clone(), round.seq));
            self.marked.replace(Some(marked.collect()));
        }
        let marked = self.marked.borrow();
        let last = marked
            .as_ref()
            .and_then(|marked| marked.get(&origin.session));
        Ok(last == Some(&origin.seq))
    }

    /// What leads from the files after commit `from` to those after commit `to`.
    ///
    /// # Errors
    /// [`WorkspaceError::NotKept`], and what the store says.
    pub async fn difference(&self, from: u64, to: u64) -> Result<Vec<Step>, WorkspaceError> {
        let (low, high) = (from.min(to), from.max(to));
        let net = net(&self.rows(low, high).await?)?;
        let step = |(path, (was, is)): (WorkspacePath, _)| match from <= to {
            true => Step { path, was, is },
            false => Step {
                path,
                was: is,
                is: was,
            },
        };
        let steps = net.into_iter().map(step);
        Ok(steps.filter(|step| step.was != step.is).collect())
    }

    /// Makes the files what they were after commit `to`, together with `records`.
    ///
    /// # Errors
    /// [`WorkspaceError::NotKept`], and what the store says; then nothing has happened.
    pub async fn restore(
        &self,
        to: u64,
        records: Vec<Change>,
    ) -> Result<Committed, WorkspaceError> {
        let _turn = self.committing.lock().await;
        let rows = self.rows(to, self.generation()).await?;
        let planned = {
            let tree = self.nodes.borrow();
            let mut plan = Plan::new(&tree, self.clock.now_ms());
            for (path, (was, _)) in net(&rows)? {
                plan.set(path, was);
            }
            plan.planned()
        };
        self.go_back(planned, None, Begins::Restored(to), records)
            .await
    }

    /// Takes back what was done to files in the rounds that `is_meant` picks, together
    /// with `records`. What others did to other files stays. `first` is the first of them;
    /// the commit counts as one of that round, so that both together come to nothing.
    ///
    /// # Errors
    /// [`WorkspaceError::Changed`] if a file was changed since, [`WorkspaceError::NotKept`]
    /// if a round did nothing to files or that is not kept, and what the store says; then
    /// nothing has happened.
    pub async fn take_back(
        &self,
        first: Origin,
        is_meant: &dyn Fn(&Origin) -> bool,
        records: Vec<Change>,
    ) -> Result<Committed, WorkspaceError> {
        let _turn = self.committing.lock().await;
        let planned = self.taking_back(&first, is_meant).await?;
        let origin = Some(first.clone());
        self.go_back(planned, origin, Begins::TakenBack(first), records)
            .await
    }

    /// The paths that [`Workspace::take_back`] would change, in their order.
    ///
    /// # Errors
    /// As that.
    pub async fn would_take_back(
        &self,
        first: &Origin,
        is_meant: &dyn Fn(&Origin) -> bool,
    ) -> Result<Vec<WorkspacePath>, WorkspaceError> {
        let planned = self.taking_back(first, is_meant).await?;
        let steps = planned.steps.into_iter();
        // A folder goes without saying where something in it is told.
        let is_file = |step: &Step| [&step.was, &step.is].iter().any(|node| is_file(node));
        Ok(steps.filter(is_file).map(|step| step.path).collect())
    }

    /// What takes back the rounds that `is_meant` picks, of which `first` is the first.
    async fn taking_back(
        &self,
        first: &Origin,
        is_meant: &dyn Fn(&Origin) -> bool,
    ) -> Result<Planned, WorkspaceError> {
        let mut rows = self.all_rows().await?;
        rows.retain(|row| row.origin.as_ref().is_some_and(is_meant));
        let checkpoints = self.checkpoints().await?;
        let rounds: Vec<&Origin> = checkpoints.iter().filter_map(Checkpoint::round).collect();
        let mut meant = rows.iter().filter_map(|row| row.origin.as_ref());
        // A round whose first commits were let go can't be taken back whole.
        if !rounds.contains(&first) || !meant.all(|origin| rounds.contains(&origin)) {
            return Err(WorkspaceError::NotKept);
        }
        self.undoing(&rows)
    }

    /// Undoes commit `generation`, which took something back or restored something,
    /// together with `records`.
    ///
    /// # Errors
    /// As [`Workspace::take_back`], and [`WorkspaceError::NotKept`].
    pub async fn bring_back(
        &self,
        generation: u64,
        records: Vec<Change>,
    ) -> Result<Committed, WorkspaceError> {
        let _turn = self.committing.lock().await;
        let before = generation.checked_sub(1).ok_or(WorkspaceError::NotKept)?;
        let rows = self.rows(before, generation).await?;
        let planned = self.undoing(&rows)?;
        let origin = rows.into_iter().find_map(|row| row.origin);
        self.go_back(planned, origin, Begins::BroughtBack(generation), records)
            .await
    }

    pub(super) async fn go_back(
        &self,
        planned: Planned,
        origin: Option<Origin>,
        begins: Begins,
        records: Vec<Change>,
    ) -> Result<Committed, WorkspaceError> {
        let along = Along {
            origin,
            begins: Some(begins),
            records,
            ..Along::strict()
        };
        self.carry_out(planned, along).await
    }

    /// The rows of the commits behind `after`, up to `last`.
    async fn rows(&self, after: u64, last: u64) -> Result<Vec<Row>, WorkspaceError> {
        let mut rows = match after == last {
            true => Vec::new(),
            false => self.all_rows().await?,
        };
        rows.retain(|row| after < row.generation && row.generation <= last);
        let wanted = after + 1..last + 1;
        let are_all = rows.iter().map(|row| row.generation).eq(wanted);
        let is_known = after <= last && last <= self.generation();
        (are_all && is_known)
            .then_some(rows)
            .ok_or(WorkspaceError::NotKept)
    }

    /// All rows that are kept and can be read.
    pub(super) async fn all_rows(&self) -> Result<Vec<Row>, StoreError> {
        let prefix = Key::new([self.id.as_str().into()]);
        let rows = self.store.list(Table::Changes, prefix).await?;
        Ok(rows
            .iter()
            .filter_map(|(key, value)| Row::read(key, value))
            .collect())
    }

    /// What undoes those of `rows`, where nobody has changed the same since.
    pub(super) fn undoing(&self, rows: &[Row]) -> Result<Planned, WorkspaceError> {
        let tree = self.nodes.borrow();
        let mut plan = Plan::new(&tree, self.clock.now_ms());
        let mut missing = Vec::new();
        // From the end: what is in a folder comes before the folder.
        for (path, (was, is)) in net(rows)?.into_iter().rev() {
            let here = tree.get(&path);
            if are_alike(here, was.as_ref()) {
                continue;
            }
            if !are_alike(here, is.as_ref()) {
                return Err(WorkspaceError::Changed(path));
            }
            let stays = here == Some(&Node::Folder) && plan.holds_more(&path);
            match was {
                // Somebody put something into a folder that the round made.
                None if stays => {}
                Some(Node::File { .. }) if stays => return Err(WorkspaceError::Changed(path)),
                None => plan.set(path, None),
                Some(node) => missing.push((path, node)),
            }
        }
        for (path, node) in missing.into_iter().rev() {
            plan.put_back(path, node)?;
        }
        Ok(plan.planned())
    }
}

impl Checkpoint {
    /// The round that begins behind it, if it is one that was worked in.
    pub fn round(&self) -> Option<&Origin> {
        match &self.begins {
            Begins::Round(origin) => Some(origin),
            _ => None,
        }
    }
}

fn is_file(node: &Option<Node>) -> bool {
    matches!(node, Some(Node::File { .. }))
}

fn are_alike(one: Option<&Node>, two: Option<&Node>) -> bool {
    match (one, two) {
        (None, None) => true,
        (Some(one), Some(two)) => one.is_like(two),
        _ => false,
    }
}

/// What `rows` come to. Where somebody else changed a file between two of them, it
/// can't be told what theirs alone would be.
fn net(rows: &[Row]) -> Result<Net, WorkspaceError> {
    let mut net = Net::new();
    for step in rows.iter().flat_map(|row| &row.steps) {
        match net.get_mut(&step.path) {
            None => {
                let both = (step.was.clone(), step.is.clone());
                net.insert(step.path.clone(), both);
            }
            Some((_, is)) if are_alike(is.as_ref(), step.was.as_ref()) => *is = step.is.clone(),
            Some(_) => return Err(WorkspaceError::Changed(step.path.clone())),
        }
    }
    Ok(net)
}
