//! The file tree: flat paths become rows, folders first, folded ones closed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Bound;

/// Paths and sizes of all files; folders have no size.
pub type Files = BTreeMap<String, Option<u64>>;

/// With more entries than this, folders begin folded.
const MANY: usize = 200;

/// One visible row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TreeRow {
    /// Relative to the workspace.
    pub path: String,
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
    walk(files, "", 1, &is_folded, None, &mut rows);
    rows
}

/// The rows of what matches a filter, and of the folders on the way there, which begin
/// unfolded; and how many files match.
#[inline(never)]
pub fn rows_matching(files: &Files, filter: &Filter, turned: &Turned) -> (Vec<TreeRow>, usize) {
    let mut kept: HashSet<&str> = HashSet::new();
    let mut count = 0;
    for (path, size) in files {
        if filter.takes(path) {
            count += usize::from(size.is_some());
            let mut on_the_way = path.as_str();
            while !on_the_way.is_empty() && kept.insert(on_the_way) {
                on_the_way = parent(on_the_way);
            }
        }
    }
    let is_folded = |path: &str| turned.contains(path);
    let mut rows = Vec::new();
    walk(files, "", 1, &is_folded, Some(&kept), &mut rows);
    (rows, count)
}

/// What the user looks for among the files: parts of their paths, parted by spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Small letters.
    parts: Vec<String>,
}

impl Filter {
    /// As typed; `None` if that is nothing.
    pub fn of(typed: &str) -> Option<Self> {
        let typed = typed.to_lowercase();
        let parts: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
        (!parts.is_empty()).then_some(Self { parts })
    }

    /// Whether all parts are in the path, whatever the case.
    pub fn takes(&self, path: &str) -> bool {
        if path.is_ascii() {
            let path = path.as_bytes();
            let has = |part: &String| {
                let mut places = path.windows(part.len());
                places.any(|place| place.eq_ignore_ascii_case(part.as_bytes()))
            };
            return self.parts.iter().all(has);
        }
        let path = path.to_lowercase();
        self.parts.iter().all(|part| path.contains(part.as_str()))
    }
}

/// An entry of a folder: whether it is a file, and its name in small letters, by which it
/// is sorted; its path, and the size if it is a file.
type Entry<'a> = (bool, String, &'a String, Option<u64>);

/// What lies directly in a folder, folders first, then by name. Whatever is in its folders
/// is jumped over.
fn entries<'a>(files: &'a Files, folder: &str) -> Vec<Entry<'a>> {
    let (mut from, end) = match folder {
        "" => (String::new(), None),
        folder => (format!("{folder}/"), Some(format!("{folder}0"))),
    };
    let start = from.len();
    let mut found: Vec<Entry<'a>> = Vec::new();
    'jumps: loop {
        let rest = (Bound::Included(from.as_str()), Bound::Unbounded);
        for (path, size) in files.range::<str, _>(rest) {
            if end.as_ref().is_some_and(|end| path >= end) {
                break 'jumps;
            }
            match path[start..].find('/') {
                None => {
                    let name = path[start..].to_lowercase();
                    found.push((size.is_some(), name, path, *size));
                }
                Some(slash) => {
                    // The character behind the slash.
                    from = format!("{}0", &path[..start + slash]);
                    continue 'jumps;
                }
            }
        }
        break;
    }
    found.sort_unstable();
    found
}

fn walk(
    files: &Files,
    folder: &str,
    level: usize,
    is_folded: &dyn Fn(&str) -> bool,
    kept: Option<&HashSet<&str>>,
    rows: &mut Vec<TreeRow>,
) {
    let mut entries = entries(files, folder);
    if let Some(kept) = kept {
        entries.retain(|(_, _, path, _)| kept.contains(path.as_str()));
    }
    let siblings = entries.len();
    for (n, (_, _, path, size)) in entries.into_iter().enumerate() {
        let kind = match size {
            Some(size) => RowKind::File(size),
            None if is_folded(path) => RowKind::Folded,
            None => RowKind::Unfolded,
        };
        rows.push(TreeRow {
            path: path.clone(),
            level,
            kind,
            position: n + 1,
            siblings,
        });
        if kind == RowKind::Unfolded {
            walk(files, path, level + 1, is_folded, kept, rows);
        }
    }
}

/// `path`, if what was at `from` is at `to`: itself or what is below it.
pub fn moved(path: &str, from: &str, to: &str) -> Option<String> {
    match path.strip_prefix(from)? {
        rest if rest.is_empty() || rest.starts_with('/') => Some(format!("{to}{rest}")),
        _ => None,
    }
}

/// The path of something called `name` in `folder`.
pub fn join(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
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
