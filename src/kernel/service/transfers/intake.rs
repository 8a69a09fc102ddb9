//! What is to come into the workspace as one whole: contents go into the store at once,
//! names are settled at the end.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Halt;
use crate::kernel::archive::names::{NameFlaw, clean};
use crate::kernel::store::StoreError;
use crate::kernel::twins::{Compose, key, twins};
use crate::kernel::workspace::{
    Committed, MAX_FILE, Node, Stock, Workspace, WorkspaceError, WorkspacePath,
};
use crate::protocol::{LeftOut, Report, Why};

/// Places that are told.
const MAX_PLACES: usize = 3;
/// How often names are settled anew when somebody took them meanwhile.
const TRIES: usize = 5;

/// Whether what comes in gets a folder of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Under {
    /// It lies where its paths say; what is taken at the top gets a number.
    Paths,
    /// The same, but only files get numbers: folders may be there already.
    Existing,
    /// In a folder of this name, if it is more than one file or folder.
    Folder(String),
}

/// A file as it will be.
struct Taken {
    given: String,
    node: Node,
}

/// Files on their way in.
pub(super) struct Intake<'a> {
    workspace: &'a Workspace,
    compose: Compose,
    stock: Stock<'a>,
    under: Under,
    files: BTreeMap<WorkspacePath, Taken>,
    folders: BTreeMap<WorkspacePath, ()>,
    renamed: Vec<(String, String)>,
    left_out: Vec<LeftOut>,
}

impl<'a> Intake<'a> {
    pub(super) fn new(workspace: &'a Workspace, under: Under, compose: Compose) -> Self {
        Self {
            workspace,
            compose,
            stock: workspace.stock(),
            under,
            files: BTreeMap::new(),
            folders: BTreeMap::new(),
            renamed: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Something is not taken in.
    pub(super) fn leave_out(&mut self, name: &str, why: Why) {
        let name = name.chars().take(300).collect();
        self.left_out.push(LeftOut { name, why });
    }

    /// Where a file of this name goes, if it can be taken in.
    pub(super) fn place(&mut self, given: &str, size: u64) -> Option<WorkspacePath> {
        let path = self.path(given)?;
        if size > MAX_FILE as u64 {
            self.leave_out(given, Why::TooLarge);
            return None;
        }
        let is_below_file = path
            .ancestors()
            .any(|folder| self.files.contains_key(&folder));
        if is_below_file || self.folders.contains_key(&path) {
            self.leave_out(given, Why::Clash);
            return None;
        }
        match self.files.get(&path) {
            // Two names that became one, or files of several folders: all are kept.
            Some(other) if other.given != given || self.under == Under::Paths => {
                let is_free = |path: &WorkspacePath| {
                    !self.files.contains_key(path) && !self.folders.contains_key(path)
                };
                let numbered = (2..).map_while(|n| path.numbered(n).ok());
                let other = { numbered }.find(is_free)?;
                let is = other.as_str().to_owned();
                self.renamed.push((given.to_owned(), is));
                Some(other)
            }
            _ => Some(path),
        }
    }

    /// A file with its content. Of two with the same name the later one counts.
    pub(super) async fn put(
        &mut self,
        given: &str,
        path: WorkspacePath,
        content: Vec<u8>,
        modified_ms: u64,
    ) -> Result<(), StoreError> {
        let node = self.stock.put(content, modified_ms).await?;
        self.set(given, path, node);
        Ok(())
    }

    /// A file with the content of an earlier one; `false` if there is none.
    pub(super) fn link(&mut self, given: &str, path: WorkspacePath, earlier: &str) -> bool {
        let earlier = clean(earlier).ok();
        let node = earlier.and_then(|earlier| Some(self.files.get(&earlier.path)?.node.clone()));
        match node {
            Some(node) => {
                self.set(given, path, node);
                true
            }
            None => false,
        }
    }

    /// A folder, in which there may be nothing.
    pub(super) fn folder(&mut self, given: &str) {
        // The archive's own root is told as a folder too.
        if given
            .split(['/', '\\'])
            .all(|part| matches!(part, "" | "."))
        {
            return;
        }
        let Some(path) = self.path(given) else { return };
        let mut above = path.ancestors().chain([path.clone()]);
        if above.any(|folder| self.files.contains_key(&folder)) {
            return self.leave_out(given, Why::Clash);
        }
        self.folders.extend(
            path.ancestors()
                .chain([path.clone()])
                .map(|folder| (folder, ())),
        );
    }

    fn set(&mut self, given: &str, path: WorkspacePath, node: Node) {
        self.folders
            .extend(path.ancestors().map(|folder| (folder, ())));
        let given = given.to_owned();
        if let Some(before) = self.files.insert(path, Taken { given, node }) {
            self.leave_out(&before.given, Why::Twice);
        }
    }

    fn path(&mut self, given: &str) -> Option<WorkspacePath> {
        match clean(given) {
            Ok(cleaned) => {
                if cleaned.is_other {
                    let path = cleaned.path.as_str().to_owned();
                    self.renamed.push((given.to_owned(), path));
                }
                Some(cleaned.path)
            }
            Err(flaw) => {
                self.leave_out(
                    given,
                    match flaw {
                        NameFlaw::Outside => Why::Outside,
                        NameFlaw::TooLong => Why::TooLong,
                        NameFlaw::Bad => Why::BadName,
                    },
                );
                None
            }
        }
    }

    /// Gives everything its names, all at once, and tells of it.
    pub(super) async fn finish(mut self, report: &mut Report) -> Result<Option<Committed>, Halt> {
        let mut tries = 0;
        loop {
            let settled = self.settle();
            let result = match settled.nodes.is_empty() {
                true => Ok(None),
                false => self.stock.name(&settled.nodes).await.map(Some),
            };
            match result {
                Err(WorkspaceError::Taken(_)) if tries < TRIES => tries += 1,
                Err(error) => return Err(error.into()),
                Ok(committed) => {
                    report.files += settled.files();
                    report.known += settled.known;
                    report.alike.extend(self.alike(&settled));
                    report.renamed.append(&mut self.renamed);
                    report.renamed.extend(settled.renamed);
                    report.left_out.append(&mut self.left_out);
                    report.left_out.extend(settled.left_out);
                    let room = MAX_PLACES.saturating_sub(report.places.len());
                    report.places.extend(settled.places.into_iter().take(room));
                    return Ok(committed);
                }
            }
        }
    }

    /// The names as they are free now. What stands at the top of the workspace is never
    /// written over: what comes gets a number.
    fn settle(&self) -> Settled {
        let tops = self.tops();
        let mut settled = Settled::new(self.workspace, self.compose);
        if self.under == Under::Existing {
            self.settle_each(&mut settled);
            return settled;
        }
        let folder = match &self.under {
            Under::Folder(name) if tops.len() > 1 => clean(name).ok().map(|cleaned| cleaned.path),
            _ => None,
        };
        if let Some(folder) = folder {
            let to = settled.free(&folder, None, self.workspace);
            for (path, node) in self.nodes() {
                let moved = to.as_ref().map(|to| format!("{to}/{path}"));
                settled.add(path, node, moved.as_deref());
            }
            return settled;
        }
        let mut moved = HashMap::new();
        for top in tops {
            let file = self.files.get(&top).map(|taken| &taken.node);
            let to = settled.free(&top, file, self.workspace);
            moved.insert(top, to);
        }
        for (path, node) in self.nodes() {
            let top = top_of(path);
            if let Some(to) = moved.get(&top).and_then(Option::as_ref) {
                let rest = &path.as_str()[top.as_str().len()..];
                settled.add(path, node, Some(&format!("{to}{rest}")));
            }
        }
        settled
    }

    fn settle_each(&self, settled: &mut Settled) {
        for (path, node) in self.nodes() {
            let to = match node {
                Node::Folder if self.workspace.node(path) == Some(Node::Folder) => None,
                Node::Folder => Some(path.clone()),
                Node::File { .. } => settled.free(path, Some(&node), self.workspace),
            };
            if let Some(to) = to {
                settled.add(path, node, Some(to.as_str()));
            }
        }
    }

    fn nodes(&self) -> impl Iterator<Item = (&WorkspacePath, Node)> {
        let folders = self.folders.keys().map(|path| (path, Node::Folder));
        let files = self.files.iter();
        folders.chain(files.map(|(path, taken)| (path, taken.node.clone())))
    }

    /// The files and folders at the top, in order.
    fn tops(&self) -> Vec<WorkspacePath> {
        let paths = self.files.keys().chain(self.folders.keys());
        let mut tops: Vec<WorkspacePath> = paths.map(top_of).collect();
        tops.sort_unstable();
        tops.dedup();
        tops
    }

    /// Pairs of paths, of which at least one is new, that differ in form alone.
    fn alike(&self, settled: &Settled) -> Vec<(String, String)> {
        let new: Vec<_> = settled.nodes.iter().map(|(path, _)| path.clone()).collect();
        twins(self.workspace.nodes().keys(), &new, self.compose)
    }
}

/// The names that things get.
struct Settled {
    /// Names at the top that are not free, without regard to their form.
    taken: HashSet<String>,
    compose: Compose,
    nodes: Vec<(WorkspacePath, Node)>,
    renamed: Vec<(String, String)>,
    places: Vec<String>,
    left_out: Vec<LeftOut>,
    known: u64,
}

impl Settled {
    fn new(workspace: &Workspace, compose: Compose) -> Self {
        let nodes = workspace.nodes();
        let tops = nodes.keys().filter(|path| !path.as_str().contains('/'));
        Self {
            taken: tops.map(|path| key(path.as_str(), compose)).collect(),
            compose,
            nodes: Vec::new(),
            renamed: Vec::new(),
            places: Vec::new(),
            left_out: Vec::new(),
            known: 0,
        }
    }

    /// The first of a name and its numbered ones that is free; `None` if the file is there
    /// already.
    fn free(
        &mut self,
        wanted: &WorkspacePath,
        file: Option<&Node>,
        workspace: &Workspace,
    ) -> Option<WorkspacePath> {
        let mut path = wanted.clone();
        for n in 2.. {
            let there = workspace.node(&path);
            if let (Some(there), Some(file)) = (there, file)
                && there.is_like(file)
            {
                self.known += 1;
                return None;
            }
            if workspace.node(&path).is_none()
                && self.taken.insert(key(path.as_str(), self.compose))
            {
                break;
            }
            let numbered = match file {
                Some(_) => wanted.numbered(n).ok(),
                None => WorkspacePath::parse_file(&format!("{wanted} ({n})")).ok(),
            };
            path = numbered.unwrap_or(path);
        }
        if path != *wanted {
            let text = |path: &WorkspacePath| path.as_str().to_owned();
            self.renamed.push((text(wanted), text(&path)));
        }
        self.places.push(path.as_str().to_owned());
        Some(path)
    }

    fn add(&mut self, path: &WorkspacePath, node: Node, to: Option<&str>) {
        match to.and_then(|to| WorkspacePath::parse_file(to).ok()) {
            Some(to) => self.nodes.push((to, node)),
            None if node == Node::Folder => {}
            None => self.left_out.push(LeftOut {
                name: path.as_str().to_owned(),
                why: Why::TooLong,
            }),
        }
    }

    /// How many files are new.
    fn files(&self) -> u64 {
        let files = self.nodes.iter().filter(|(_, node)| *node != Node::Folder);
        files.count() as u64
    }
}

fn top_of(path: &WorkspacePath) -> WorkspacePath {
    path.ancestors().next().unwrap_or_else(|| path.clone())
}
