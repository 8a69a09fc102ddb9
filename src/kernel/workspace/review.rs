//! What several commits did to the files, seen from now; and taking parts of it back.
//! What is taken back is bound to what was shown, and is one more commit.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::change::{Expect, FileChange, Planned};
use super::history::Begins;
use super::node::{Node, Version};
use super::path::WorkspacePath;
use super::rows::{Origin, Row, Step};
use super::{Committed, Workspace, WorkspaceError};
use crate::kernel::diff::without_hunk;
use crate::kernel::store::StoreError;

/// Signs of a version that a mark has.
const MARK: usize = 16;

/// Which commits are looked at.
pub enum Span<'a> {
    /// All behind the one of this generation.
    After(u64),
    /// Those of the rounds that it picks.
    Rounds(&'a dyn Fn(&Origin) -> bool),
}

/// A file, or an empty folder, that is not what it was before the commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Altered {
    /// Where it is, or was.
    pub path: WorkspacePath,
    /// Where it was, if it was moved.
    pub from: Option<WorkspacePath>,
    /// What was there, or where it came from, before the first of the commits.
    pub was: Option<Node>,
    /// What is there now.
    pub is: Option<Node>,
    /// The last commit that touched it, whoever made it.
    pub last: u64,
}

/// What the rows of a span come to.
#[derive(Default)]
struct Sum {
    /// What was at each path before the first commit that touched it.
    was: BTreeMap<WorkspacePath, Option<Node>>,
    /// The last commit of anybody that touched a path.
    last: BTreeMap<WorkspacePath, u64>,
    /// Where files that were moved came from, by where they are.
    moved: BTreeMap<WorkspacePath, WorkspacePath>,
}

impl Sum {
    fn of(rows: &[Row], is_meant: &dyn Fn(&Row) -> bool) -> Self {
        let mut sum = Self::default();
        for row in rows {
            for step in &row.steps {
                sum.last.insert(step.path.clone(), row.generation);
            }
            if is_meant(row) {
                sum.add(&row.steps);
            }
        }
        sum
    }

    fn add(&mut self, steps: &[Step]) {
        for step in steps {
            let first = || step.was.clone();
            self.was.entry(step.path.clone()).or_insert_with(first);
        }
        // A content that goes at one path and comes at another, in one commit, has moved.
        let mut gone: BTreeMap<&Version, Vec<&WorkspacePath>> = BTreeMap::new();
        for step in steps.iter().rev() {
            if let (Some(Node::File { version, .. }), None) = (&step.was, &step.is) {
                gone.entry(version).or_default().push(&step.path);
            }
        }
        for step in steps {
            let (None, Some(Node::File { version, .. })) = (&step.was, &step.is) else {
                continue;
            };
            if let Some(from) = gone.get_mut(version).and_then(Vec::pop) {
                let first = self.moved.remove(from).unwrap_or_else(|| from.clone());
                self.moved.insert(step.path.clone(), first);
            }
        }
    }
}

impl Workspace {
    /// What is not as it was before the commits of `span`, in the order of the paths.
    ///
    /// # Errors
    /// [`WorkspaceError::NotKept`], and what the store says.
    pub async fn altered(&self, span: &Span<'_>) -> Result<Vec<Altered>, WorkspaceError> {
        let rows = self.rows_until_now().await?;
        let sum = match *span {
            Span::After(first) => {
                let behind = rows.iter().map(|row| row.generation);
                let kept = behind.skip_while(|generation| *generation <= first);
                if !kept.eq(first + 1..self.generation() + 1) {
                    return Err(WorkspaceError::NotKept);
                }
                Sum::of(&rows, &|row| row.generation > first)
            }
            Span::Rounds(is_meant) => {
                Sum::of(&rows, &|row| row.origin.as_ref().is_some_and(is_meant))
            }
        };
        Ok(self.seen_from_now(sum))
    }

    /// All rows that are kept, up to the commit that the tree shows when they are here.
    async fn rows_until_now(&self) -> Result<Vec<Row>, StoreError> {
        loop {
            let generation = self.generation();
            let mut rows = self.all_rows().await?;
            if generation == self.generation() {
                rows.retain(|row| row.generation <= generation);
                return Ok(rows);
            }
        }
    }

    fn seen_from_now(&self, sum: Sum) -> Vec<Altered> {
        let tree = self.nodes.borrow();
        let Sum { was, last, moved } = sum;
        let is_file = |node: Option<&Node>| matches!(node, Some(Node::File { .. }));
        // A move counts as one where nothing else has come to either place.
        let moved: BTreeMap<WorkspacePath, WorkspacePath> = moved
            .into_iter()
            .filter(|(to, from)| {
                let left = is_file(was.get(from).and_then(Option::as_ref));
                let came = was.get(to).is_some_and(Option::is_none);
                left && came && !tree.contains_key(from) && is_file(tree.get(to))
            })
            .collect();
        let left: BTreeSet<&WorkspacePath> = moved.values().collect();
        let mut all = Vec::new();
        for (path, before) in &was {
            if left.contains(path) {
                continue;
            }
            let from = moved.get(path).cloned();
            let before = match &from {
                Some(from) => was.get(from).cloned().flatten(),
                None => before.clone(),
            };
            let is = tree.get(path).cloned();
            let is_same = match (&before, &is) {
                (Some(one), Some(other)) => one.is_like(other),
                (one, other) => one.is_none() && other.is_none(),
            };
            if from.is_some() || !is_same {
                let touched = |path: &WorkspacePath| last.get(path).copied().unwrap_or(0);
                all.push(Altered {
                    path: path.clone(),
                    last: touched(path).max(from.as_ref().map_or(0, touched)),
                    from,
                    was: before,
                    is,
                });
            }
        }
        all
    }

    /// Makes `altered` what they were before, where nothing touched them behind commit
    /// `shown`; new folders in which nothing is left go too, if they are among them.
    ///
    /// # Errors
    /// [`WorkspaceError::Changed`] if one was touched since, and what the store says; then
    /// nothing has happened.
    pub async fn revert(
        &self,
        altered: Vec<Altered>,
        shown: u64,
    ) -> Result<Committed, WorkspaceError> {
        let _turn = self.committing.lock().await;
        if let Some(late) = altered.iter().find(|altered| altered.last > shown) {
            return Err(WorkspaceError::Changed(late.path.clone()));
        }
        let steps = altered.into_iter().flat_map(Altered::steps).collect();
        let row = Row {
            generation: 0,
            begins_turn: false,
            contents: Vec::new(),
            origin: None,
            steps,
        };
        let planned = self.undoing(&[row])?;
        self.took_parts_back(planned).await
    }

    /// Makes the lines of hunk `at` of a file, counted from 0, what they were before. `shown`
    /// is the commit up to which the file was shown.
    ///
    /// # Errors
    /// [`WorkspaceError::Changed`] if the file was touched since or has no such hunk,
    /// [`WorkspaceError::NotKept`], and what the store says; then nothing has happened.
    pub async fn revert_hunk(
        &self,
        altered: Altered,
        at: usize,
        shown: u64,
    ) -> Result<Committed, WorkspaceError> {
        let path = altered.path.clone();
        let changed = || WorkspaceError::Changed(path.clone());
        let both = altered.was.as_ref().zip(altered.is.as_ref());
        let contents = both.and_then(|(was, is)| Some((was.content()?, is.content()?)));
        let Some(((was, was_size), (is, is_size))) = contents else {
            return self.revert(vec![altered], shown).await;
        };
        let old = self.content(was, was_size).await?;
        let new = self.content(is, is_size).await?;
        let (old, new) = (old.ok_or(WorkspaceError::NotKept)?, new.ok_or_else(lost)?);
        let content = without_hunk(&old, &new, at).ok_or_else(changed)?;
        let _turn = self.committing.lock().await;
        if altered.last > shown {
            return Err(changed());
        }
        let planned = self.plan(&[FileChange::Write {
            path: path.clone(),
            content: Rc::from(content),
            expect: Expect::Version(is.clone()),
        }])?;
        self.took_parts_back(planned).await
    }

    async fn took_parts_back(&self, planned: Planned) -> Result<Committed, WorkspaceError> {
        self.go_back(planned, None, Begins::Reverted, Vec::new())
            .await
    }
}

fn lost() -> WorkspaceError {
    StoreError::Corrupt("the content of a file is missing".into()).into()
}

impl Altered {
    /// Tells this change from a later one at the same path.
    pub fn mark(&self) -> String {
        let short = |node: &Option<Node>| match node {
            Some(Node::File { version, .. }) => version.as_str()[..MARK].to_owned(),
            Some(Node::Folder) => "/".to_owned(),
            None => "-".to_owned(),
        };
        format!("{} {}", short(&self.was), short(&self.is))
    }

    /// What was done at each path.
    fn steps(self) -> Vec<Step> {
        let Altered {
            path,
            from,
            was,
            is,
            ..
        } = self;
        match from {
            None => vec![Step { path, was, is }],
            Some(from) => vec![
                Step {
                    path: from,
                    was,
                    is: None,
                },
                Step {
                    path,
                    was: None,
                    is,
                },
            ],
        }
    }
}
