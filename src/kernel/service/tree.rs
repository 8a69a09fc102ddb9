//! The user's own work on files: new ones, other names, what goes, what is edited. Each
//! is one commit, bound to what the user saw.

use std::mem::take;

use super::Kernel;
use super::linked::root::Moving;
use crate::kernel::store::{Change, Durability, StoreError};
use crate::kernel::workspace::subtree::{Misplaced, Subtree};
use crate::kernel::workspace::{
    Committed, Expect, FileChange, Version, WorkspaceError, WorkspacePath,
};
use crate::protocol::{Event, FileProblem, SaveOutcome, TreeChange, TreeOutcome};

/// What was done.
struct Deed {
    committed: Committed,
    /// Where what it was done to is now.
    path: String,
    /// How many files it was about.
    files: usize,
}

impl Deed {
    fn at(path: &WorkspacePath, files: usize, committed: Committed) -> Self {
        let path = path.as_str().to_owned();
        Self {
            committed,
            path,
            files,
        }
    }
}

type Done = Result<Deed, FileProblem>;

impl Kernel {
    /// Changes the tree. What became of it is told before the files that changed, so that
    /// the page knows the new names by their old ones.
    pub(super) async fn change_tree(&self, change: TreeChange) {
        let mut moving = None;
        let done = match &change {
            TreeChange::NewFile(path) => self.new_file(path).await,
            TreeChange::NewFolder(path) => self.new_folder(path).await,
            TreeChange::Move { from, to } => self.move_tree(from, to, &mut moving).await,
            TreeChange::Delete(path) => self.delete_tree(path).await,
            TreeChange::Undo(generation) => {
                let undone = self.0.workspace.bring_back(*generation, Vec::new()).await;
                undone
                    .map(|done| Deed::at(&WorkspacePath::root(), 0, done))
                    .map_err(problem)
            }
        };
        match done {
            Ok(deed) => {
                let outcome = TreeOutcome::Done {
                    path: deed.path,
                    files: deed.files,
                    generation: deed.committed.generation,
                };
                self.tell(Event::TreeChanged { change, outcome });
                self.tell_changed(&deed.committed);
                if let Some(moving) = moving {
                    self.link_has_moved(moving).await;
                }
            }
            Err(problem) => {
                let outcome = TreeOutcome::NotDone(problem);
                self.tell(Event::TreeChanged { change, outcome });
            }
        }
    }

    async fn new_file(&self, path: &str) -> Done {
        let path = free(self, path)?;
        let content = Vec::new().into();
        let change = FileChange::Write {
            path: path.clone(),
            content,
            expect: Expect::Nothing,
        };
        Ok(Deed::at(&path, 1, self.commit_now(&[change]).await?))
    }

    async fn new_folder(&self, path: &str) -> Done {
        let path = free(self, path)?;
        let change = FileChange::MakeFolder { path: path.clone() };
        Ok(Deed::at(&path, 0, self.commit_now(&[change]).await?))
    }

    /// Moves a file or folder, and a link of it in the same commit, which is given back.
    async fn move_tree<'a>(
        &'a self,
        from: &str,
        to: &str,
        moving: &mut Option<Moving<'a>>,
    ) -> Done {
        let (from, to) = (parse(from)?, parse(to)?);
        let subtree = self.subtree(&from)?;
        let mut changes = subtree
            .put_at(&self.0.workspace, &to)
            .map_err(|misplaced| match misplaced {
                Misplaced::Inside => FileProblem::Inside,
                Misplaced::Path(error) => problem(error),
                Misplaced::Same | Misplaced::Folder | Misplaced::File => {
                    FileProblem::Taken(to.as_str().to_owned())
                }
            })?;
        changes.extend(subtree.remove());
        let mut going = self.link_moving(&from, &to).await;
        let along = going.as_mut().map(|going| take(&mut going.records));
        let committed = self.commit_with(&changes, along.unwrap_or_default());
        let committed = committed.await?;
        *moving = going;
        Ok(Deed::at(&to, subtree.file_count(), committed))
    }

    async fn delete_tree(&self, path: &str) -> Done {
        let path = parse(path)?;
        let subtree = self.subtree(&path)?;
        let committed = self.commit_now(&subtree.remove()).await?;
        Ok(Deed::at(&path, subtree.file_count(), committed))
    }

    fn subtree(&self, path: &WorkspacePath) -> Result<Subtree, FileProblem> {
        let gone = || FileProblem::Gone(path.as_str().to_owned());
        Subtree::at(&self.0.workspace, path).ok_or_else(gone)
    }

    async fn commit_now(&self, changes: &[FileChange]) -> Result<Committed, FileProblem> {
        self.commit_with(changes, Vec::new()).await
    }

    async fn commit_with(
        &self,
        changes: &[FileChange],
        along: Vec<Change>,
    ) -> Result<Committed, FileProblem> {
        let workspace = &self.0.workspace;
        let committed = workspace.commit(changes, along, Durability::Strict);
        committed.await.map_err(problem)
    }

    /// Hands out a file whole and the version it is, to be edited; nothing of one that is
    /// not there.
    pub(super) async fn edit_file(&self, path: String) {
        let read = match parse(&path) {
            Ok(parsed) => self.0.workspace.read(&parsed).await.ok(),
            Err(_) => None,
        };
        let (bytes, version) = match read {
            Some((bytes, version)) => (bytes, Some(version)),
            None => (Vec::new(), None),
        };
        self.tell(Event::FileToEdit {
            path,
            version,
            bytes,
        });
    }

    /// Saves an edited text, if the file is still the version it was made from.
    pub(super) async fn save_file(&self, path: String, content: Vec<u8>, base: Option<Version>) {
        let saved = self.write_over(&path, content, base).await;
        let (outcome, committed) = match saved {
            Ok((version, committed)) => (SaveOutcome::Saved(version), Some(committed)),
            Err(FileProblem::Changed(_) | FileProblem::Taken(_) | FileProblem::Gone(_)) => {
                (SaveOutcome::Changed, None)
            }
            Err(problem) => (SaveOutcome::NotSaved(problem), None),
        };
        self.tell(Event::FileSaved { path, outcome });
        if let Some(committed) = committed {
            self.tell_changed(&committed);
        }
    }

    async fn write_over(
        &self,
        path: &str,
        content: Vec<u8>,
        base: Option<Version>,
    ) -> Result<(Version, Committed), FileProblem> {
        let version = Version::of(&content);
        let change = FileChange::Write {
            path: parse(path)?,
            content: content.into(),
            expect: base.map_or(Expect::Nothing, Expect::Version),
        };
        Ok((version, self.commit_now(&[change]).await?))
    }
}

fn parse(path: &str) -> Result<WorkspacePath, FileProblem> {
    WorkspacePath::parse_file(path).map_err(|error| FileProblem::Path(error.problem()))
}

/// A path at which nothing is.
fn free(kernel: &Kernel, path: &str) -> Result<WorkspacePath, FileProblem> {
    let path = parse(path)?;
    match kernel.0.workspace.node(&path) {
        None => Ok(path),
        Some(_) => Err(FileProblem::Taken(path.as_str().to_owned())),
    }
}

fn problem(error: WorkspaceError) -> FileProblem {
    let text = |path: WorkspacePath| path.as_str().to_owned();
    match error {
        WorkspaceError::Path(error) => FileProblem::Path(error.problem()),
        WorkspaceError::NotFound(path) => FileProblem::Gone(text(path)),
        WorkspaceError::IsFolder(path) | WorkspaceError::Taken(path) => {
            FileProblem::Taken(text(path))
        }
        WorkspaceError::IsFile(path) => FileProblem::IsFile(text(path)),
        WorkspaceError::Changed(path) => FileProblem::Changed(text(path)),
        WorkspaceError::TooLarge { size, .. } => FileProblem::TooLarge(size),
        WorkspaceError::NotKept => FileProblem::NotKept,
        WorkspaceError::Store(StoreError::Full) => FileProblem::Full,
        WorkspaceError::Store(error) => FileProblem::NotSaved(error.to_string()),
    }
}
