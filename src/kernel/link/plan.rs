//! What is to be done so that both sides are the same, from three lists of what files are:
//! as they were when both were the same, here, and there. It changes what one side alone
//! changed; what both changed is the user's to settle, and so is what shall be deleted.

use std::collections::{BTreeMap, HashMap};

use crate::kernel::workspace::{Version, WorkspacePath};
use crate::plain::Plain;

/// Files and their contents.
pub type Side = BTreeMap<WorkspacePath, Version>;

/// Why a file is not carried over.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Plain)]
pub enum Block {
    /// Its name, or that of a folder above, is another one's but for capitals, of which
    /// many disks keep only one.
    Case,
    /// A file stands where the other side has a folder.
    Kind,
    /// It is larger than the workspace keeps.
    TooLarge,
    /// The other side takes no such name.
    Name,
    /// It can't be read on the disk, for this reason; empty: the device does not allow it.
    Unreadable(String),
    /// It can't be written or deleted on the disk, for this reason; empty: the device does
    /// not allow it.
    NotWritten(String),
    /// It holds more rules than are read: then its folder stays as it is, since nobody knows
    /// what is to be left out.
    Rules,
}

/// What is to be done, by paths in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Both sides are the same, which is not noted yet; what is on neither is forgotten.
    pub settle: Vec<WorkspacePath>,
    /// To be written to the disk.
    pub out: Vec<WorkspacePath>,
    /// To be taken from the disk.
    pub take: Vec<WorkspacePath>,
    /// Deleted here, and still as it was there.
    pub gone_here: Vec<WorkspacePath>,
    /// Deleted there, and still as it was here.
    pub gone_there: Vec<WorkspacePath>,
    /// Changed on both sides, or changed on one and deleted on the other.
    pub conflicts: Vec<WorkspacePath>,
    /// What can't be carried over, and why.
    pub blocked: Vec<(WorkspacePath, Block)>,
}

/// Compares three ways.
pub fn plan(base: &Side, here: &Side, there: &Side) -> Plan {
    let mut plan = Plan::default();
    let empty = Version::of(&[]);
    let mut names = Names::of(there);
    let mut paths: Vec<&WorkspacePath> =
        base.keys().chain(here.keys()).chain(there.keys()).collect();
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let (was, is, other) = (base.get(path), here.get(path), there.get(path));
        if is == other {
            if was != is {
                plan.settle.push(path.clone());
            }
            continue;
        }
        match (is, other) {
            // An empty file on the disk alone loses nothing; so a write looks that was killed
            // between making the file and giving it its content.
            (Some(_), _) if other == was || (was.is_none() && other == Some(&empty)) => {
                match names.block(path, there) {
                    Some(block) => plan.blocked.push((path.clone(), block)),
                    None => plan.out.push(path.clone()),
                }
            }
            (None, _) if other == was => plan.gone_here.push(path.clone()),
            (_, Some(_)) if is == was => match stands_in_the_way(path, here) {
                true => plan.blocked.push((path.clone(), Block::Kind)),
                false => plan.take.push(path.clone()),
            },
            (_, None) if is == was => plan.gone_there.push(path.clone()),
            _ => plan.conflicts.push(path.clone()),
        }
    }
    plan
}

/// Whether a file stands where `path` needs a folder, or a folder where it is to stand.
fn stands_in_the_way(path: &WorkspacePath, side: &Side) -> bool {
    // Paths such as `a.b` sort between `a` and `a/b`.
    let from = format!("{path}/");
    let mut from_here = side.range(path..).map(|(other, _)| other);
    let next = from_here.find(|other| other.as_str() >= from.as_str());
    next.is_some_and(|next| next.depth_below(path).is_some())
        || path.ancestors().any(|folder| side.contains_key(&folder))
}

/// The names of files and folders on the disk, as one that minds no capitals keeps them.
struct Names {
    folded: HashMap<String, String>,
    /// Whether the disk holds two that are the same but for capitals: then it minds them.
    minds_case: bool,
}

impl Names {
    fn of(there: &Side) -> Self {
        let mut names = Self {
            folded: HashMap::new(),
            minds_case: false,
        };
        for path in there.keys() {
            names.minds_case |= !names.add(path);
        }
        names
    }

    /// Adds a path and the folders above it; `false` if one of them is another's but for
    /// capitals, and then adds nothing more.
    fn add(&mut self, path: &WorkspacePath) -> bool {
        for part in path.ancestors().chain([path.clone()]) {
            let name = part.as_str();
            let there = self.folded.entry(name.to_lowercase());
            if there.or_insert_with(|| name.to_owned()).as_str() != name {
                return false;
            }
        }
        true
    }

    /// What stands against writing `path`.
    fn block(&mut self, path: &WorkspacePath, there: &Side) -> Option<Block> {
        if stands_in_the_way(path, there) {
            return Some(Block::Kind);
        }
        let is_new = !there.contains_key(path);
        (is_new && !self.minds_case && !self.add(path)).then_some(Block::Case)
    }
}

#[cfg(test)]
mod tests;
