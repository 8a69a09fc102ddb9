//! Looking at both sides: what files there are and what is in them, without those that
//! `.gitignore` names on either side, and without the inside of `.git`.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use super::plan::{Block, Side};
use super::{Disk, DiskError, Known, Link, Stat};
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
    /// What of the disk can't come here, by its path there.
    pub blocked: Vec<(String, Block)>,
}

/// Who looks.
pub struct Looking<'a> {
    /// What is looked at.
    pub link: &'a Link,
    /// One side.
    pub workspace: &'a Workspace,
    /// The other.
    pub disk: &'a Rc<dyn Disk>,
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
                seen.blocked.push((at, Block::TooLarge));
                // As long as it can't be compared, nothing is done to it.
                continue;
            }
            let (version, stat) = match known.get(&path).filter(|known| known.is_still(stat)) {
                Some(known) => (known.version.clone(), stat),
                None => match self.disk.read(&at).await {
                    Ok((content, stat)) => (Version::of(&content), stat),
                    Err(DiskError::Gone) => continue,
                    Err(error) => return Err(error.into()),
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
        self.leave_blocked_alone(&root, &mut seen);
        Ok(seen)
    }

    /// What could not be compared there is not taken for deleted.
    fn leave_blocked_alone(&self, root: &WorkspacePath, seen: &mut Seen) {
        for (at, _) in &seen.blocked {
            if let Some(path) = joined(root, at) {
                seen.here.remove(&path);
                seen.there.remove(&path);
            }
        }
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
                Err(DiskError::Gone) if !folder.is_empty() => continue,
                Err(error) => return Err(error.into()),
            };
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            if entries
                .iter()
                .any(|entry| entry.name == RULES && entry.stat.is_some())
            {
                self.read_rules(root, &folder, rules).await?;
            }
            for entry in entries {
                let at = match folder.as_str() {
                    "" => entry.name.clone(),
                    folder => format!("{folder}/{}", entry.name),
                };
                let Some(path) = joined(root, &at) else {
                    if !ignored::is_git(&entry.name) {
                        seen.blocked.push((at, Block::Name));
                    }
                    continue;
                };
                let is_out =
                    ignored::is_git(&entry.name) || rules.name(&path, entry.stat.is_none());
                match entry.stat {
                    _ if is_out => {}
                    None => folders.push(at),
                    Some(stat) => files.push((path, at, stat)),
                }
            }
            if looked % BREATH == 0 {
                self.clock.sleep(Duration::ZERO).await;
            }
        }
        Ok(files)
    }

    async fn read_rules(
        &self,
        root: &WorkspacePath,
        folder: &str,
        rules: &mut Rules,
    ) -> Result<(), Broken> {
        let at = match folder {
            "" => RULES.to_owned(),
            folder => format!("{folder}/{RULES}"),
        };
        let of = match folder {
            "" => Some(root.clone()),
            folder => joined(root, folder),
        };
        match (self.disk.read(&at).await, of) {
            (Ok((content, _)), Some(of)) => rules.add(&of, &String::from_utf8_lossy(&content)),
            (Err(DiskError::Gone), _) | (Ok(_), None) => {}
            (Err(error), _) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Whether a file of the workspace stays on its side.
fn is_left_out(rules: &Rules, path: &WorkspacePath, root: &WorkspacePath) -> bool {
    let is_below = |folder: &WorkspacePath| folder.depth_below(root).is_some();
    let mut above = path.ancestors().filter(is_below);
    above.any(|folder| ignored::is_git(folder.name()) || rules.name(&folder, true))
        || ignored::is_git(path.name())
        || rules.name(path, false)
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
