//! Which files a search leaves out: `.git`, and what `.gitignore` files name, as
//! git reads them (<https://git-scm.com/docs/gitignore>).

use std::collections::HashSet;

use super::wildcard::Wildcard;
use crate::kernel::workspace::{Node, Workspace, WorkspaceError, WorkspacePath};

/// The name of the files with such rules.
const FILE: &str = ".gitignore";
/// Most rules that are read.
const MAX_RULES: usize = 5_000;
/// Bytes of the largest file whose rules are read.
pub(in crate::kernel) const MAX_FILE: u64 = 256 << 10;

/// The rules of all folders, those of inner ones last.
#[derive(Default)]
pub(in crate::kernel) struct Rules {
    rules: Vec<Rule>,
    /// The folders whose rules are too many to be read, or to be read all.
    pub unread: Vec<WorkspacePath>,
}

struct Rule {
    /// The folder it holds in.
    folder: WorkspacePath,
    pattern: Wildcard,
    only_folders: bool,
    brings_back: bool,
}

/// A file that a search may look at.
pub(super) struct Found {
    /// The file.
    pub path: WorkspacePath,
    /// Bytes.
    pub size: u64,
    /// Milliseconds since the Unix epoch.
    pub modified_ms: u64,
}

/// The files below `folder` that are not left out, in the order of their paths, and
/// how many are. A folder that is named itself is searched whatever the rules say.
///
/// # Errors
/// What the store says.
pub(super) async fn files_below(
    workspace: &Workspace,
    folder: &WorkspacePath,
) -> Result<(Vec<Found>, usize), WorkspaceError> {
    let rules = rules_of(workspace).await?;
    let is_named = rules.leave_out(folder);
    let (mut found, mut left_out) = (Vec::new(), 0);
    let mut closed: HashSet<WorkspacePath> = HashSet::new();
    for (path, node) in workspace.below(folder) {
        let is_folder = node == Node::Folder;
        let in_closed = path
            .ancestors()
            .last()
            .is_some_and(|of| closed.contains(&of));
        let is_out =
            in_closed || is_git(path.name()) || (!is_named && rules.name(&path, is_folder));
        match node {
            Node::Folder if is_out => {
                closed.insert(path);
            }
            Node::Folder => {}
            Node::File { .. } if is_out => left_out += 1,
            Node::File {
                size, modified_ms, ..
            } => found.push(Found {
                path,
                size,
                modified_ms,
            }),
        }
    }
    Ok((found, left_out))
}

/// The rules of all `.gitignore` files of a workspace.
///
/// # Errors
/// What the store says.
pub(in crate::kernel) async fn rules_of(workspace: &Workspace) -> Result<Rules, WorkspaceError> {
    let mut files: Vec<(WorkspacePath, u64)> = Vec::new();
    for (path, node) in workspace.nodes().iter() {
        if let (FILE, Node::File { size, .. }) = (path.name(), node) {
            files.push((path.clone(), *size));
        }
    }
    files.sort_by_key(|(path, _)| path.ancestors().count());
    let mut rules = Rules::default();
    for (file, size) in files {
        let folder = file.ancestors().last().unwrap_or_else(WorkspacePath::root);
        if size > MAX_FILE {
            rules.unread.push(folder);
            continue;
        }
        let content = match workspace.read(&file).await {
            Ok((content, _)) => content,
            Err(WorkspaceError::NotFound(_)) => continue,
            Err(error) => return Err(error),
        };
        rules.add(&folder, &String::from_utf8_lossy(&content));
    }
    Ok(rules)
}

/// Whether a file or folder of this name is Git's own, on whatever disk: some mind no
/// capitals, drop signs that are not seen, dots and spaces at the end, or know a short name
/// (CVE-2014-9390).
pub fn is_git(name: &str) -> bool {
    let is_seen = |sign: &char| !matches!(sign, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(is_seen).collect();
    let name = seen.trim_end_matches([' ', '.']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

fn rule(folder: &WorkspacePath, line: &str) -> Option<Rule> {
    let line = match line.trim_end() {
        // A space that was escaped is meant.
        cut if cut.ends_with('\\') && cut.len() < line.len() => {
            let space = line[cut.len()..].chars().next();
            &line[..cut.len() + space.map_or(0, char::len_utf8)]
        }
        cut => cut,
    };
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (brings_back, line) = match line.strip_prefix('!') {
        Some(line) => (true, line),
        None => (false, line),
    };
    let (only_folders, line) = match line.strip_suffix('/') {
        Some(line) => (true, line),
        None => (false, line),
    };
    let pattern = Wildcard::without_braces(line.trim_start_matches('/'), !line.contains('/'));
    Some(Rule {
        folder: folder.clone(),
        pattern,
        only_folders,
        brings_back,
    })
}

impl Rules {
    /// Adds those that stand in a file of `folder`.
    pub(in crate::kernel) fn add(&mut self, folder: &WorkspacePath, text: &str) {
        let mut read = text.lines().filter_map(|line| rule(folder, line));
        let room = MAX_RULES.saturating_sub(self.rules.len());
        self.rules.extend(read.by_ref().take(room));
        if read.next().is_some() {
            self.unread.push(folder.clone());
        }
    }

    /// Whether the last rule that fits leaves `path` out.
    pub(in crate::kernel) fn name(&self, path: &WorkspacePath, is_folder: bool) -> bool {
        let fits = |rule: &&Rule| {
            path.depth_below(&rule.folder).is_some()
                && (is_folder || !rule.only_folders)
                && rule.pattern.fits(path.below(&rule.folder))
        };
        let last = self.rules.iter().rev().find(fits);
        last.is_some_and(|rule| !rule.brings_back)
    }

    /// Whether a folder, or one above it, is left out.
    fn leave_out(&self, folder: &WorkspacePath) -> bool {
        let mut above = folder.ancestors().chain([folder.clone()]);
        above.any(|folder| !folder.is_root() && self.name(&folder, true))
    }
}
