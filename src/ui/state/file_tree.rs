//! The file tree: flat paths become rows, folders first, folded ones closed.

use std::collections::{BTreeMap, BTreeSet};

/// Paths and sizes of all files; folders have no size.
pub type Files = BTreeMap<String, Option<u64>>;

/// With more entries than this, folders begin folded.
const MANY: usize = 200;

/// One visible row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TreeRow {
    /// Relative to the workspace.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    /// From 1.
    pub level: usize,
    /// What it is.
    pub kind: RowKind,
    /// Its place among the entries of its folder, from 1.
    pub position: usize,
    /// How many entries its folder has.
    pub siblings: usize,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// A file of this many bytes.
    File(u64),
    /// A folder whose content is hidden.
    Folded,
    /// A folder whose content is shown.
    Unfolded,
}

/// Which folders the user has turned from how they begin.
pub type Turned = BTreeSet<String>;

/// Puts a file or a folder in, and the folders on the way to it, which may not be
/// told of themselves.
pub fn put(files: &mut Files, path: String, size: Option<u64>) {
    let folder = parent(&path);
    if !folder.is_empty() && !files.contains_key(folder) {
        put(files, folder.to_owned(), None);
    }
    files.insert(path, size);
}

/// The rows to show.
pub fn rows(files: &Files, turned: &Turned) -> Vec<TreeRow> {
    let begin_folded = files.len() > MANY;
    let is_folded = |path: &str| begin_folded != turned.contains(path);
    let mut rows = Vec::new();
    walk(files, "", 1, &is_folded, &mut rows);
    rows
}

fn walk(
    files: &Files,
    folder: &str,
    level: usize,
    is_folded: &dyn Fn(&str) -> bool,
    rows: &mut Vec<TreeRow>,
) {
    let below = match folder {
        "" => files.range::<str, _>(..),
        folder => files.range(format!("{folder}/")..format!("{folder}0")),
    };
    let mut entries: Vec<(bool, String, &String, Option<u64>)> = below
        .filter(|(path, _)| parent(path) == folder)
        .map(|(path, size)| (size.is_some(), name(path).to_lowercase(), path, *size))
        .collect();
    // Folders first, then by name.
    entries.sort_unstable();
    let siblings = entries.len();
    for (n, (_, _, path, size)) in entries.into_iter().enumerate() {
        let kind = match size {
            Some(size) => RowKind::File(size),
            None if is_folded(path) => RowKind::Folded,
            None => RowKind::Unfolded,
        };
        rows.push(TreeRow {
            path: path.clone(),
            name: name(path).to_owned(),
            level,
            kind,
            position: n + 1,
            siblings,
        });
        if kind == RowKind::Unfolded {
            walk(files, path, level + 1, is_folded, rows);
        }
    }
}

/// The folder a path lies in; empty for the workspace itself.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// How many files there are, and their bytes together.
pub fn totals(files: &Files) -> (usize, u64) {
    let sizes = || files.values().flatten();
    (sizes().count(), sizes().sum())
}

/// Where the focus goes from a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// One row down.
    Down,
    /// One row up.
    Up,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Into an unfolded folder, or unfold it.
    In,
    /// Fold the folder, or go to the one around.
    Out,
}

/// What a key does in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The focus goes to this path.
    Focus(String),
    /// This folder is folded or unfolded.
    Turn(String),
    /// Nothing.
    Stay,
}

/// What moving from the row of `path` comes to.
pub fn step(rows: &[TreeRow], path: &str, to: Move) -> Step {
    let at = rows.iter().position(|row| row.path == path).unwrap_or(0);
    let focus = |at: Option<usize>| match at.and_then(|at| rows.get(at)) {
        Some(row) => Step::Focus(row.path.clone()),
        None => Step::Stay,
    };
    let kind = rows.get(at).map(|row| row.kind);
    match (to, kind) {
        (Move::Down, _) => focus(Some(at + 1)),
        (Move::Up, _) => focus(at.checked_sub(1)),
        (Move::First, _) => focus(Some(0)),
        (Move::Last, _) => focus(rows.len().checked_sub(1)),
        (Move::In, Some(RowKind::Folded)) | (Move::Out, Some(RowKind::Unfolded)) => {
            Step::Turn(path.to_owned())
        }
        (Move::In, Some(RowKind::Unfolded)) => focus(Some(at + 1)),
        (Move::In, _) => Step::Stay,
        (Move::Out, _) => focus(rows.iter().position(|row| row.path == parent(path))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Files {
        let mut files = Files::new();
        for path in paths {
            match path.strip_suffix('/') {
                Some(folder) => put(&mut files, folder.to_owned(), None),
                None => put(&mut files, (*path).to_owned(), Some(2)),
            }
        }
        files
    }

    fn shown(rows: &[TreeRow]) -> Vec<String> {
        let mark = |row: &TreeRow| match row.kind {
            RowKind::File(_) => "",
            RowKind::Folded => "/…",
            RowKind::Unfolded => "/",
        };
        let line =
            |row: &TreeRow| format!("{}{}{}", "  ".repeat(row.level - 1), row.name, mark(row));
        rows.iter().map(line).collect()
    }

    #[test]
    fn folders_come_first_and_can_be_folded() {
        let files = files(&[
            "b.md",
            "A.md",
            "src/",
            "src/main.rs",
            "src/a/deep.rs",
            "docs/x.md",
        ]);
        let all = rows(&files, &Turned::new());
        assert_eq!(
            shown(&all),
            [
                "docs/",
                "  x.md",
                "src/",
                "  a/",
                "    deep.rs",
                "  main.rs",
                "A.md",
                "b.md"
            ]
        );
        assert_eq!((all[2].position, all[2].siblings), (2, 4));
        let folded = rows(&files, &Turned::from(["src".to_owned()]));
        assert_eq!(shown(&folded), ["docs/", "  x.md", "src/…", "A.md", "b.md"]);
        assert_eq!(totals(&files), (5, 10));
    }

    #[test]
    fn many_files_begin_folded() {
        let names: Vec<String> = (0..300).map(|n| format!("d/{n}.txt")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let files = files(&names);
        assert_eq!(shown(&rows(&files, &Turned::new())), ["d/…"]);
        assert_eq!(rows(&files, &Turned::from(["d".to_owned()])).len(), 301);
    }

    #[test]
    fn the_arrows_walk_the_tree() {
        let files = files(&["src/a.rs", "src/b.rs", "z.md"]);
        let all = rows(&files, &Turned::new());
        let check =
            |from, to, expected| assert_eq!(step(&all, from, to), expected, "{from} {to:?}");
        let focus = |path: &str| Step::Focus(path.to_owned());
        check("src", Move::Down, focus("src/a.rs"));
        check("src", Move::In, focus("src/a.rs"));
        check("src", Move::Out, Step::Turn("src".into()));
        check("src", Move::Up, Step::Stay);
        check("src/b.rs", Move::Out, focus("src"));
        check("src/b.rs", Move::In, Step::Stay);
        check("z.md", Move::Down, Step::Stay);
        check("z.md", Move::First, focus("src"));
        check("src", Move::Last, focus("z.md"));
        check("z.md", Move::Out, Step::Stay);
        let folded = rows(&files, &Turned::from(["src".to_owned()]));
        assert_eq!(step(&folded, "src", Move::In), Step::Turn("src".into()));
    }
}
