//! Looking at both sides: what files there are and what is in them, without those that
//! `.gitignore` names on either side, and without the inside of `.git`.

use std::collections::{HashMap, HashSet};
use std::mem::take;
use std::time::Duration;

use super::guard::GuardedDisk;
use super::plan::{Block, Side};
use super::{DiskError, Entry, Known, Link, Stat, What};
use crate::kernel::clock::Clock;
use crate::kernel::tool::ignored::{self, Rules};
use crate::kernel::workspace::{MAX_FILE, Node, Version, Workspace, WorkspaceError, WorkspacePath};

/// The name of files with rules for what is left out.
const RULES: &str = ".gitignore";
/// Folders that are looked into; what holds more is no folder to work in.
const MOST_FOLDERS: usize = 20_000;

/// Folders after which others get their turn.
const BREATH: usize = 32;

/// Why both sides could not be made the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// For a reason of the disk's.
    Disk(DiskError),
    /// For a reason of the workspace's.
    Workspace(WorkspaceError),
    /// The folder of the workspace is gone, and nobody knows where to.
    Missing,
    /// Files kept changing meanwhile.
    Busy,
}

impl From<DiskError> for Broken {
    fn from(error: DiskError) -> Self {
        Broken::Disk(error)
    }
}

impl From<WorkspaceError> for Broken {
    fn from(error: WorkspaceError) -> Self {
        Broken::Workspace(error)
    }
}

/// Both sides as they are.
#[derive(Debug, Default)]
pub struct Seen {
    /// The workspace's files, and their sizes.
    pub here: Side,
    /// The disk's.
    pub there: Side,
    /// Of both: bytes here, what the disk tells there.
    pub sizes: HashMap<WorkspacePath, u64>,
    /// See `sizes`.
    pub stats: HashMap<WorkspacePath, Stat>,
    /// What can't be carried over, by its path here, or its path there if it can have none
    /// here.
    pub blocked: Vec<(String, Block)>,
    /// Whether something went away while it was looked at.
    pub is_torn: bool,
    /// What could not be looked at, with all below it.
    alone: HashSet<WorkspacePath>,
}

impl Seen {
    /// Whether a file could not be looked at: then nothing may be concluded of it.
    pub fn is_left_alone(&self, path: &WorkspacePath) -> bool {
        let is_alone = |path: &WorkspacePath| self.alone.contains(path);
        !self.alone.is_empty()
            && (is_alone(path)
                || is_alone(&WorkspacePath::root())
                || path.ancestors().any(|folder| is_alone(&folder)))
    }
}

/// Who looks.
pub struct Looking<'a> {
    /// What is looked at.
    pub link: &'a Link,
    /// One side.
    pub workspace: &'a Workspace,
    /// The other.
    pub disk: &'a GuardedDisk,
    /// For breathing in between.
    pub clock: &'a dyn Clock,
}

impl Looking<'_> {
    /// Looks at both sides. What is `known` and has not been touched since is not read.
    ///
    /// # Errors
    /// Why it could not be done: then nothing may be concluded.
    pub async fn look(&self, known: &HashMap<WorkspacePath, Known>) -> Result<Seen, Broken> {
        let root = self.link.root();
        let mut rules = ignored::rules_of(self.workspace).await?;
        let mut seen = Seen::default();
        let files = self.list_disk(&root, &mut rules, &mut seen).await?;
        for (path, at, stat) in files {
            if stat.size > MAX_FILE as u64 {
                // As long as it can't be compared, nothing is done to it.
                self.leave_alone(&at, Block::TooLarge, &mut seen);
                continue;
            }
            let (version, stat) = match known.get(&path).filter(|known| known.is_still(stat)) {
                Some(known) => (known.version.clone(), stat),
                None => match self.disk.read(&at).await {
                    Ok((content, stat)) => (Version::of(&content), stat),
                    Err(error) => {
                        self.pass_over(&at, error, &mut seen).await?;
                        continue;
                    }
                },
            };
            seen.stats.insert(path.clone(), stat);
            seen.there.insert(path, version);
        }
        for (path, node) in self.workspace.below(&root) {
            let Node::File { size, version, .. } = node else {
                continue;
            };
            if !is_left_out(&rules, &path, &root) {
                seen.sizes.insert(path.clone(), size);
                seen.here.insert(path, version);
            }
        }
        self.mind_unread(&rules, &root, &mut seen);
        let (mut here, mut there) = (take(&mut seen.here), take(&mut seen.there));
        here.retain(|path, _| !seen.is_left_alone(path));
        there.retain(|path, _| !seen.is_left_alone(path));
        (seen.here, seen.there) = (here, there);
        Ok(seen)
    }

    /// Where the rules of a folder could not be read, what is in it stays as it is.
    fn mind_unread(&self, rules: &Rules, root: &WorkspacePath, seen: &mut Seen) {
        for folder in &rules.unread {
            let is_above = root == folder || root.depth_below(folder).is_some();
            if !is_above && folder.depth_below(root).is_none() {
                continue;
            }
            if !is_above && is_folder_left_out(rules, folder, root) {
                continue;
            }
            let alone = if is_above { root } else { folder };
            seen.alone.insert(alone.clone());
            let file = below(folder.as_str(), RULES);
            let blocked = (file, Block::Rules);
            if !seen.blocked.contains(&blocked) {
                seen.blocked.push(blocked);
            }
        }
    }

    /// Leaves alone what could not be looked at, and names it; an error that is not of it
    /// alone is given back.
    async fn pass_over(&self, at: &str, error: DiskError, seen: &mut Seen) -> Result<(), Broken> {
        let reason = match self.disk.reason(error).await? {
            Some(reason) => reason,
            None => {
                seen.is_torn = true;
                seen.alone.extend(joined(&self.link.root(), at));
                return Ok(());
            }
        };
        self.leave_alone(at, Block::Unreadable(reason), seen);
        Ok(())
    }

    fn leave_alone(&self, at: &str, block: Block, seen: &mut Seen) {
        let path = joined(&self.link.root(), at);
        let name = path.as_ref().map_or(at, WorkspacePath::as_str).to_owned();
        seen.blocked.push((name, block));
        seen.alone.extend(path);
    }

    /// All files of the disk that count: the path here, the path there.
    async fn list_disk(
        &self,
        root: &WorkspacePath,
        rules: &mut Rules,
        seen: &mut Seen,
    ) -> Result<Vec<(WorkspacePath, String, Stat)>, Broken> {
        let mut files = Vec::new();
        let mut folders = vec![String::new()];
        let mut looked = 0;
        while let Some(folder) = folders.pop() {
            looked += 1;
            if looked > MOST_FOLDERS {
                return Err(DiskError::Other("the folder holds too many folders".into()).into());
            }
            let mut entries = match self.disk.list(&folder).await {
                Ok(entries) => entries,
                Err(error) if folder.is_empty() => return Err(error.into()),
                Err(error) => {
                    self.pass_over(&folder, error, seen).await?;
                    continue;
                }
            };
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            if !self.read_rules(&folder, &entries, rules, seen).await? {
                continue;
            }
            for entry in entries {
                let at = below(&folder, &entry.name);
                let Some(path) = joined(root, &at) else {
                    if !ignored::is_git(&entry.name) {
                        seen.blocked.push((at, Block::Name));
                    }
                    continue;
                };
                let is_folder = entry.what == What::Folder;
                let is_out = ignored::is_git(&entry.name) || rules.name(&path, is_folder);
                match entry.what {
                    _ if is_out => {}
                    What::Folder => folders.push(at),
                    What::File(stat) => files.push((path, at, stat)),
                    What::Unreadable(error) => self.pass_over(&at, error, seen).await?,
                }
            }
            if looked % BREATH == 0 {
                self.clock.sleep(Duration::ZERO).await;
            }
        }
        Ok(files)
    }

    /// Reads the rules of a folder, if it has any; `false` if nobody knows what they are, so
    /// that all in it stays as it is.
    async fn read_rules(
        &self,
        folder: &str,
        entries: &[Entry],
        rules: &mut Rules,
        seen: &mut Seen,
    ) -> Result<bool, Broken> {
        let mut of_folder = entries.iter().filter(|entry| entry.name == RULES);
        let Some(entry) = of_folder.next().filter(|one| one.what != What::Folder) else {
            return Ok(true);
        };
        let root = self.link.root();
        let Some(of) = (match folder {
            "" => Some(root),
            folder => joined(&root, folder),
        }) else {
            return Ok(true);
        };
        let at = below(folder, RULES);
        let failed = match &entry.what {
            What::File(stat) if stat.size > ignored::MAX_FILE => {
                rules.unread.push(of);
                return Ok(false);
            }
            What::Unreadable(error) => error.clone(),
            _ => match self.disk.read(&at).await {
                Ok((content, _)) => {
                    rules.add(&of, &String::from_utf8_lossy(&content));
                    return Ok(!rules.unread.contains(&of));
                }
                Err(error) => error,
            },
        };
        self.pass_over(&at, failed, seen).await?;
        seen.alone.insert(of);
        Ok(false)
    }
}

/// The path of what lies in a folder.
fn below(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// All files of a workspace but for those that are left out.
///
/// # Errors
/// What the store says.
pub async fn files_that_count(
    workspace: &Workspace,
) -> Result<Vec<(WorkspacePath, Version)>, WorkspaceError> {
    let rules = ignored::rules_of(workspace).await?;
    let root = WorkspacePath::root();
    let nodes = workspace.nodes();
    let files = nodes.iter().filter_map(|(path, node)| {
        let (version, _) = node.content()?;
        (!is_left_out(&rules, path, &root)).then(|| (path.clone(), version.clone()))
    });
    Ok(files.collect())
}

/// Whether a file of the workspace stays on its side.
fn is_left_out(rules: &Rules, path: &WorkspacePath, root: &WorkspacePath) -> bool {
    let above = path.ancestors().last();
    above.is_some_and(|folder| is_folder_left_out(rules, &folder, root))
        || ignored::is_git(path.name())
        || rules.name(path, false)
}

/// Whether a folder, or one above it, stays on its side.
fn is_folder_left_out(rules: &Rules, folder: &WorkspacePath, root: &WorkspacePath) -> bool {
    let is_below = |folder: &WorkspacePath| folder.depth_below(root).is_some();
    let mut above = folder.ancestors().chain([folder.clone()]).filter(is_below);
    above.any(|folder| ignored::is_git(folder.name()) || rules.name(&folder, true))
}

/// The path here of a file there; `None` if the workspace keeps no such name.
pub fn joined(root: &WorkspacePath, at: &str) -> Option<WorkspacePath> {
    let text = match root.is_root() {
        true => at.to_owned(),
        false => format!("{root}/{at}"),
    };
    let path = WorkspacePath::parse_file(&text).ok()?;
    // A name that would be read as another one is none.
    (path.as_str() == text).then_some(path)
}
