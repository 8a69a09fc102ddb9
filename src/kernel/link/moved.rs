//! Finding the folder of the workspace again when it is not where it was: whatever moved it,
//! what is in it tells.

use std::collections::HashMap;

use super::Known;
use crate::kernel::workspace::{Version, WorkspacePath};

/// Where the folder `root` is by now, of which the files `known` were in it, by all `files`
/// of the workspace that count. `None` if no folder holds half of them and little else, or
/// two hold equally many.
pub fn moved_to(
    files: &[(WorkspacePath, Version)],
    root: &WorkspacePath,
    known: &[(WorkspacePath, Known)],
) -> Option<WorkspacePath> {
    let mut by_name: HashMap<&str, Vec<(&str, &Version)>> = HashMap::new();
    for (path, known) in known {
        let of_name = by_name.entry(path.name()).or_default();
        of_name.push((path.below(root), &known.version));
    }
    let mut found: HashMap<&str, usize> = HashMap::new();
    for (path, version) in files {
        for (inside, known) in by_name.get(path.name()).into_iter().flatten() {
            let above = path.as_str().strip_suffix(inside);
            let folder = above.and_then(|above| above.strip_suffix('/'));
            if let Some(folder) = folder.filter(|_| *known == version) {
                *found.entry(folder).or_default() += 1;
            }
        }
    }
    let most = found.values().max().copied()?;
    let mut best = found.iter().filter(|(_, count)| **count == most);
    let (folder, _) = best.next()?;
    let is_alone = best.next().is_none();
    let folder = WorkspacePath::parse_file(folder).ok()?;
    // A folder that has a license in common with it is another one.
    let inside = files
        .iter()
        .filter(|(path, _)| path.depth_below(&folder).is_some());
    let is_clear = 2 * most >= known.len() && 2 * most >= inside.count();
    (is_alone && is_clear).then_some(folder)
}
