//! Carrying files over between a workspace and a linked folder, one plan at a time. What a
//! file is on both sides is noted once it is done: in the commit that takes it in, or behind
//! the write that put it out. Broken off anywhere, what is not noted is compared anew.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::Kernel;
use crate::kernel::link::guard::GuardedDisk;
use crate::kernel::link::look::{Broken, Looking, Seen};
use crate::kernel::link::plan::{Block, Plan, Side, plan};
use crate::kernel::link::{DiskError, Known, Link, Stat};
use crate::kernel::store::{Batch, Change, Durability};
use crate::kernel::workspace::{Expect, FileChange, Node, Version, WorkspaceError, WorkspacePath};
use crate::protocol::{Conflict, LinkState, Settling};

mod settle;

/// Bytes and files of one commit.
const COMMIT_BYTES: usize = 8 << 20;
const COMMIT_FILES: usize = 500;
/// Files after which it is told how far it is.
const TELL_EVERY: u64 = 50;

/// What is left to the user.
#[derive(Debug, Clone, Default)]
pub(super) struct Left {
    pub conflicts: Vec<Conflict>,
    pub gone_here: Vec<String>,
    pub gone_there: Vec<String>,
    pub blocked: Vec<(String, Block)>,
    /// Whether nothing at all is left on the disk of what was on both sides.
    pub is_emptied: bool,
}

/// A file that was read from the disk.
struct Taken {
    path: WorkspacePath,
    content: Rc<[u8]>,
    version: Version,
    stat: Stat,
}

/// Who carries.
pub(super) struct Carrier<'a> {
    kernel: &'a Kernel,
    link: &'a Link,
    disk: &'a GuardedDisk,
    root: WorkspacePath,
    seen: Seen,
    /// Files done and all.
    progress: (u64, u64),
    /// What is left to the user.
    pub left: Left,
    /// Whether something changed meanwhile, so that both sides must be compared anew.
    pub again: bool,
}

impl<'a> Carrier<'a> {
    pub(super) fn new(kernel: &'a Kernel, link: &'a Link, disk: &'a GuardedDisk) -> Self {
        Self {
            kernel,
            link,
            disk,
            root: link.root(),
            seen: Seen::default(),
            progress: (0, 0),
            left: Left::default(),
            again: false,
        }
    }

    /// Compares both sides and does what there is to do.
    ///
    /// # Errors
    /// Why it was broken off; what was done until then stays and is noted.
    pub(super) async fn carry(&mut self, settling: Option<&Settling>) -> Result<(), Broken> {
        let store = self.kernel.store();
        let known = self.link.known(store).await.map_err(WorkspaceError::from)?;
        let known: HashMap<WorkspacePath, Known> = known.into_iter().collect();
        let looking = Looking {
            link: self.link,
            workspace: &self.kernel.0.workspace,
            disk: self.disk,
            clock: &*self.kernel.0.platform.clock,
        };
        self.seen = looking.look(&known).await?;
        self.again = self.seen.is_torn;
        // What can't be looked at is not taken for deleted, nor forgotten.
        let base: Side = known
            .iter()
            .filter(|(path, _)| !self.seen.is_left_alone(path))
            .map(|(path, known)| (path.clone(), known.version.clone()))
            .collect();
        let nothing_there = self.seen.there.is_empty() && self.seen.blocked.is_empty();
        self.left.is_emptied = nothing_there && !base.is_empty() && !self.seen.is_torn;
        let mut plan = plan(&base, &self.seen.here, &self.seen.there);
        self.note_same(&plan, &known).await?;
        if let Some(settling) = settling {
            self.settle(settling, &mut plan).await?;
        }
        self.tell_left(&plan);
        self.progress.1 = (plan.take.len() + plan.out.len()) as u64;
        self.take(&plan.take).await?;
        self.put_out(&plan.out).await
    }

    /// What is left to the user, before anything is carried: that may be broken off.
    fn tell_left(&mut self, plan: &Plan) {
        let text = |path: &WorkspacePath| path.as_str().to_owned();
        self.left.gone_here = plan.gone_here.iter().map(text).collect();
        self.left.gone_there = plan.gone_there.iter().map(text).collect();
        self.left.conflicts = plan
            .conflicts
            .iter()
            .map(|path| self.conflict(path))
            .collect();
        self.left.blocked.extend(self.seen.blocked.iter().cloned());
        let planned = plan.blocked.iter();
        let planned = planned.map(|(path, block)| (text(path), block.clone()));
        self.left.blocked.extend(planned);
    }

    fn conflict(&self, path: &WorkspacePath) -> Conflict {
        let (here, there) = (self.seen.here.get(path), self.seen.there.get(path));
        let short = |version: Option<&Version>| {
            let hash = version.map(|version| &version.as_str()[..16]);
            hash.unwrap_or("none").to_owned()
        };
        Conflict {
            path: path.as_str().to_owned(),
            here: here.and_then(|_| self.seen.sizes.get(path).copied()),
            there: there.and_then(|_| self.seen.stats.get(path).map(|stat| stat.size)),
            mark: format!("{}-{}", short(here), short(there)),
        }
    }

    /// Notes what is the same on both sides, where that is not noted yet.
    async fn note_same(
        &self,
        plan: &Plan,
        known: &HashMap<WorkspacePath, Known>,
    ) -> Result<(), Broken> {
        let mut notes = Vec::new();
        for path in &plan.settle {
            let known = self
                .seen
                .here
                .get(path)
                .map(|version| self.known_now(path, version));
            notes.push(self.link.note(path, known.as_ref()));
        }
        for (path, known) in known {
            // Touched, but the same: so that it needs no look next time.
            let stat = self.seen.stats.get(path);
            let is_same = self.seen.there.get(path) == Some(&known.version)
                && self.seen.here.get(path) == Some(&known.version);
            if is_same && stat.is_some_and(|stat| !known.is_still(*stat)) {
                let now = self.known_now(path, &known.version);
                if stat.is_some_and(|stat| now.is_still(*stat)) {
                    notes.push(self.link.note(path, Some(&now)));
                }
            }
        }
        for notes in notes.chunks(2 * COMMIT_FILES) {
            self.save(notes.to_vec()).await?;
        }
        Ok(())
    }

    fn known_now(&self, path: &WorkspacePath, version: &Version) -> Known {
        let stat = self.seen.stats.get(path).copied().unwrap_or(Stat {
            size: 0,
            modified_ms: 0,
        });
        self.known_of(version, stat)
    }

    fn known_of(&self, version: &Version, stat: Stat) -> Known {
        Known {
            version: version.clone(),
            size: stat.size,
            modified_ms: stat.modified_ms,
            seen_ms: self.kernel.0.platform.clock.now_ms(),
        }
    }

    async fn save(&self, changes: Vec<Change>) -> Result<(), Broken> {
        let saved = self.kernel.store().apply(Batch::of(changes)).await;
        saved.map_err(|error| WorkspaceError::from(error).into())
    }

    /// Takes files in, many in a commit.
    async fn take(&mut self, paths: &[WorkspacePath]) -> Result<(), Broken> {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        for path in paths {
            if self.stands_in_the_way(path) {
                self.block(path, Block::Kind);
            } else if let Some(one) = self.read_there(path).await? {
                bytes += one.content.len();
                taken.push(one);
            }
            if bytes >= COMMIT_BYTES || taken.len() >= COMMIT_FILES {
                self.take_in(std::mem::take(&mut taken)).await?;
                bytes = 0;
            }
            self.count();
        }
        self.take_in(taken).await
    }

    /// Whether a file or folder of the workspace, be it an empty or an ignored one, stands
    /// against taking a file in.
    fn stands_in_the_way(&self, path: &WorkspacePath) -> bool {
        let nodes = self.kernel.0.workspace.nodes();
        let is_file = |folder: &WorkspacePath| matches!(nodes.get(folder), Some(Node::File { .. }));
        nodes.get(path) == Some(&Node::Folder) || path.ancestors().any(|above| is_file(&above))
    }

    fn block(&mut self, path: &WorkspacePath, block: Block) {
        self.left.blocked.push((path.as_str().to_owned(), block));
    }

    /// A file of the disk, if it is still what was looked at.
    async fn read_there(&mut self, path: &WorkspacePath) -> Result<Option<Taken>, Broken> {
        match self.disk.read(path.below(&self.root)).await {
            Ok((content, stat)) => {
                let version = Version::of(&content);
                if self.seen.there.get(path) == Some(&version) {
                    let (path, content) = (path.clone(), content.into());
                    return Ok(Some(Taken {
                        path,
                        content,
                        version,
                        stat,
                    }));
                }
            }
            Err(error) => {
                if let Some(reason) = self.disk.reason(error).await? {
                    self.block(path, Block::Unreadable(reason));
                    return Ok(None);
                }
            }
        }
        self.again = true;
        Ok(None)
    }

    /// Makes the workspace's files what was read, and notes it in the same commit.
    async fn take_in(&mut self, taken: Vec<Taken>) -> Result<(), Broken> {
        if taken.is_empty() {
            return Ok(());
        }
        match self.commit_taken(&taken).await {
            Err(WorkspaceError::Store(error)) => return Err(WorkspaceError::from(error).into()),
            Ok(()) => return Ok(()),
            Err(_) => {}
        }
        // One of them was changed here meanwhile: the others are not held up by it.
        for one in &taken {
            let block = match self.commit_taken(std::slice::from_ref(one)).await {
                Err(error @ WorkspaceError::Store(_)) => return Err(error.into()),
                Ok(()) => continue,
                Err(WorkspaceError::TooLarge { .. }) => Block::TooLarge,
                Err(WorkspaceError::Path(_)) => Block::Name,
                Err(WorkspaceError::IsFile(_) | WorkspaceError::IsFolder(_)) => Block::Kind,
                Err(_) => {
                    self.again = true;
                    continue;
                }
            };
            self.block(&one.path, block);
        }
        Ok(())
    }

    async fn commit_taken(&self, taken: &[Taken]) -> Result<(), WorkspaceError> {
        let change = |one: &Taken| FileChange::Write {
            path: one.path.clone(),
            content: Rc::clone(&one.content),
            expect: self.expected(&one.path),
        };
        let note = |one: &Taken| {
            let known = self.known_of(&one.version, one.stat);
            self.link.note(&one.path, Some(&known))
        };
        let changes: Vec<FileChange> = taken.iter().map(change).collect();
        let notes = taken.iter().map(note).collect();
        self.commit(&changes, notes).await
    }

    /// What must be at a path here for what was planned to be right.
    fn expected(&self, path: &WorkspacePath) -> Expect {
        let here = self.seen.here.get(path).cloned();
        here.map_or(Expect::Nothing, Expect::Version)
    }

    async fn commit(
        &self,
        changes: &[FileChange],
        notes: Vec<Change>,
    ) -> Result<(), WorkspaceError> {
        let workspace = &self.kernel.0.workspace;
        let committed = workspace.commit(changes, notes, Durability::Strict).await?;
        self.kernel.tell_changed(&committed);
        Ok(())
    }

    async fn put_out(&mut self, paths: &[WorkspacePath]) -> Result<(), Broken> {
        for path in paths {
            self.put_one_out(path).await?;
            self.count();
        }
        Ok(())
    }

    /// Writes a file to the disk, if neither side has changed since it was looked at.
    async fn put_one_out(&mut self, path: &WorkspacePath) -> Result<(), Broken> {
        let at = path.below(&self.root);
        let read = match self.kernel.0.workspace.read(path).await {
            Ok(read) => Some(read),
            Err(error @ WorkspaceError::Store(_)) => return Err(error.into()),
            Err(_) => None,
        };
        let (content, version) = match read {
            Some((content, version)) if self.seen.here.get(path) == Some(&version) => {
                (content, version)
            }
            _ => {
                self.again = true;
                return Ok(());
            }
        };
        let written = match self.is_still_there(path).await {
            Ok(true) => self.disk.write(at, content).await,
            Ok(false) => {
                self.again = true;
                return Ok(());
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(stat) => {
                let known = self.known_of(&version, stat);
                self.save(vec![self.link.note(path, Some(&known))]).await
            }
            Err(error) => self.not_written(path, error).await,
        }
    }

    /// Names what the disk does not take; an error that is not of it alone ends all.
    async fn not_written(&mut self, path: &WorkspacePath, error: DiskError) -> Result<(), Broken> {
        let block = match error {
            DiskError::Kind => Block::Kind,
            DiskError::Refused => Block::Name,
            error => match self.disk.reason(error).await? {
                Some(reason) => Block::NotWritten(reason),
                // The folder above went away while it was written.
                None => {
                    self.again = true;
                    return Ok(());
                }
            },
        };
        self.block(path, block);
        Ok(())
    }

    /// Whether the disk's file is what it was when it was looked at.
    async fn is_still_there(&self, path: &WorkspacePath) -> Result<bool, DiskError> {
        let stat = self.disk.stat(path.below(&self.root)).await?;
        Ok(stat == self.seen.stats.get(path).copied())
    }

    fn count(&mut self) {
        self.progress.0 += 1;
        if self.progress.0.is_multiple_of(TELL_EVERY) {
            let (done, all) = self.progress;
            let state = LinkState::Syncing { done, all };
            self.kernel.tell_link(self.link, state);
        }
    }
}
