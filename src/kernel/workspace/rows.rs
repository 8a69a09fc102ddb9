//! A workspace's rows in the store. Names stand in pages, many to a row, as they were
//! at some generation, the base; what each commit changed since stands in a row of its
//! own. So a file costs one row, that of its content, and a small change one alone, since
//! small contents stand with the commit until its names come onto pages. What was there
//! before is still told by the rows of changes.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::node::{self, Node, Version};
use super::path::WorkspacePath;
use crate::kernel::store::{Change, Key, Part, Table, Value};
use crate::plain::{Plain, from_json, to_json};

/// Bytes of one row of a content; larger contents are kept in several.
pub(super) const CHUNK: usize = 1 << 20;
/// Bytes of contents that stand with a commit at the most.
const WITH_COMMIT: usize = 16 << 10;
/// What parts the text of a commit's row from contents, and can't stand in it.
const TEXT_ENDS: u8 = 0;
/// What the row of a commit begins with that begins a turn.
const BEGINS_TURN: char = '>';
/// Names on one page.
const PAGE: usize = 1_000;

/// All paths and what stands there.
pub(super) type Tree = BTreeMap<WorkspacePath, Node>;

/// The row that tells where commits begin. It is written when rows are put in order and
/// not with each commit: there may be later ones behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub(super) struct State {
    /// Grows by one with every commit; in the store, that of when the row was written.
    pub generation: u64,
    /// The generation that the pages show.
    pub base: u64,
    /// Commits up to this one are let go.
    pub cut: u64,
    /// How many pages there are.
    pub pages: u64,
    /// How often contents were removed: whoever counts on one that is gone finds out.
    pub tidied: u64,
}

/// The round of a run that a commit belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Origin {
    /// The session.
    pub session: String,
    /// The record with which the run began.
    pub run: u64,
    /// The record with which the round began: the model's message.
    pub seq: u64,
    /// The round's number within the run, from 1.
    pub round: u32,
}

/// What a commit, or several, did at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The path.
    pub path: WorkspacePath,
    /// What was there before.
    pub was: Option<Node>,
    /// What is there now.
    pub is: Option<Node>,
}

/// What one commit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub generation: u64,
    /// Whether another than the maker of the commit before made it.
    pub begins_turn: bool,
    pub origin: Option<Origin>,
    pub steps: Vec<Step>,
    /// Contents that it brings along.
    pub contents: Vec<(Version, Rc<[u8]>)>,
}

impl Row {
    pub(super) fn put(&self, workspace: &str) -> Change {
        let mut text = match self.begins_turn {
            true => String::from(BEGINS_TURN),
            false => String::new(),
        };
        text.push_str(&to_json(&self.origin));
        for step in &self.steps {
            text.push('\n');
            text.push_str(step.path.as_str());
            for node in [&step.was, &step.is] {
                text.push('\t');
                node::write(node.as_ref(), &mut text);
            }
        }
        let mut bytes = text.into_bytes();
        for (version, content) in &self.contents {
            bytes.push(TEXT_ENDS);
            let head = format!("{} {}\n", version.as_str(), content.len());
            bytes.extend_from_slice(head.as_bytes());
            bytes.extend_from_slice(content);
        }
        let key = numbered(workspace, self.generation);
        Change::Put(Table::Changes, key, Value::Bytes(bytes))
    }

    /// Reads it back; `None` if it is damaged.
    pub(super) fn read(key: &Key, value: &Value) -> Option<Self> {
        let Value::Bytes(bytes) = value else {
            return None;
        };
        let end = bytes.iter().position(|byte| *byte == TEXT_ENDS);
        let (text, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        let mut lines = std::str::from_utf8(text).ok()?.split('\n');
        let head = lines.next()?;
        let (begins_turn, origin) = match head.strip_prefix(BEGINS_TURN) {
            Some(origin) => (true, origin),
            None => (false, head),
        };
        let origin = from_json(origin)?;
        let step = |line: &str| {
            let mut parts = line.split('\t');
            let path = path_of(parts.next()?)?;
            let was = node::read(parts.next()?)?;
            let is = node::read(parts.next()?)?;
            parts.next().is_none().then_some(Step { path, was, is })
        };
        Some(Self {
            generation: number_of(key)?,
            begins_turn,
            origin,
            steps: lines.map(step).collect::<Option<_>>()?,
            contents: read_contents(rest)?,
        })
    }
}

fn read_contents(mut rest: &[u8]) -> Option<Vec<(Version, Rc<[u8]>)>> {
    let mut contents = Vec::new();
    while let [TEXT_ENDS, of_content @ ..] = rest {
        let end = of_content.iter().position(|byte| *byte == b'\n')?;
        let (head, content) = of_content.split_at(end);
        let (hash, size) = std::str::from_utf8(head).ok()?.split_once(' ')?;
        let (content, more) = content[1..].split_at_checked(size.parse().ok()?)?;
        contents.push((Version::parse(hash)?, content.into()));
        rest = more;
    }
    rest.is_empty().then_some(contents)
}

/// Whether contents are so small that they stand with their commit.
pub(super) fn stand_with_commit(contents: &[(Version, Rc<[u8]>)]) -> bool {
    let bytes: usize = contents.iter().map(|(_, content)| content.len()).sum();
    bytes <= WITH_COMMIT
}

/// What stays of a row that was let go but must keep its place.
pub(super) fn place_of(key: Key) -> Change {
    Change::Put(Table::Changes, key, Value::Bytes(Vec::new()))
}

/// Whether a row is such a place.
pub(super) fn is_place(value: &Value) -> bool {
    matches!(value, Value::Bytes(bytes) if bytes.is_empty())
}

/// How many pages the names of so many nodes take.
pub(super) fn page_count(nodes: usize) -> u64 {
    nodes.div_ceil(PAGE) as u64
}

/// The rows of all pages.
pub(super) fn pages(workspace: &str, tree: &Tree) -> Vec<Change> {
    let mut pages = Vec::new();
    let mut nodes = tree.iter().peekable();
    while nodes.peek().is_some() {
        let mut text = String::new();
        for (path, node) in nodes.by_ref().take(PAGE) {
            text.push_str(path.as_str());
            text.push('\t');
            node::write(Some(node), &mut text);
            text.push('\n');
        }
        let key = numbered(workspace, pages.len() as u64);
        pages.push(Change::Put(
            Table::Nodes,
            key,
            Value::Bytes(text.into_bytes()),
        ));
    }
    pages
}

/// Adds what stands on a page to `tree`; gives how many lines could not be read.
pub(super) fn read_page(value: &Value, tree: &mut Tree) -> usize {
    let Some(text) = text_of(value) else {
        return 1;
    };
    let mut damaged = 0;
    for line in text.split_terminator('\n') {
        let node = line.split_once('\t').and_then(|(path, node)| {
            let node = node::read(node)??;
            Some((path_of(path)?, node))
        });
        match node {
            Some((path, node)) => {
                tree.insert(path, node);
            }
            None => damaged += 1,
        }
    }
    damaged
}

/// The rows of a content. An empty one has one empty row, so that a missing row is
/// always a fault.
pub(super) fn content_rows(workspace: &str, version: &Version, content: &[u8]) -> Vec<Change> {
    let chunk = |n: usize| {
        let bytes = &content[n * CHUNK..content.len().min((n + 1) * CHUNK)];
        let key = content_key(workspace, version, n);
        Change::Put(Table::Blobs, key, Value::Bytes(bytes.to_vec()))
    };
    (0..chunk_count(content.len() as u64)).map(chunk).collect()
}

/// As [`content_rows`], without a copy of what is small.
pub(super) fn content_rows_of(workspace: &str, version: &Version, content: Vec<u8>) -> Vec<Change> {
    if content.len() > CHUNK {
        return content_rows(workspace, version, &content);
    }
    let key = content_key(workspace, version, 0);
    vec![Change::Put(Table::Blobs, key, Value::Bytes(content))]
}

/// How many rows a content of `size` bytes has.
pub(super) fn chunk_count(size: u64) -> usize {
    (size as usize).div_ceil(CHUNK).max(1)
}

pub(super) fn content_key(workspace: &str, version: &Version, chunk: usize) -> Key {
    let chunk = Part::from(chunk as u64);
    Key::new([workspace.into(), version.as_str().into(), chunk])
}

/// The key of a page, a commit or a checkpoint.
pub(super) fn numbered(workspace: &str, n: u64) -> Key {
    Key::new([workspace.into(), n.into()])
}

/// The number in such a key.
pub(super) fn number_of(key: &Key) -> Option<u64> {
    match key.0.as_slice() {
        [_, Part::Number(n)] => Some(*n),
        _ => None,
    }
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        Value::Json(_) => None,
    }
}

/// A path as it was written; one that would be read as another is none.
fn path_of(text: &str) -> Option<WorkspacePath> {
    let path = WorkspacePath::parse_file(text).ok()?;
    (path.as_str() == text).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse_file(text).unwrap()
    }

    fn file(content: &[u8]) -> Node {
        Node::File {
            size: content.len() as u64,
            modified_ms: 7,
            version: Version::of(content),
        }
    }

    #[test]
    fn pages_hold_the_whole_tree_and_a_damaged_line_costs_only_itself() {
        let mut tree: Tree = (0..2_500)
            .map(|n| (path(&format!("d/é {n}")), file(b"x")))
            .collect();
        tree.insert(path("d"), Node::Folder);
        let rows = pages("w", &tree);
        assert_eq!(rows.len(), 3);
        let mut read = Tree::new();
        for row in &rows {
            let Change::Put(Table::Nodes, _, value) = row else {
                panic!("{row:?}");
            };
            assert_eq!(read_page(value, &mut read), 0);
        }
        assert_eq!(read, tree);
        let text = "a\t/\n../b\t/\n/c\t/\nd\t1 2 3\ne\n".as_bytes().to_vec();
        let mut read = Tree::new();
        assert_eq!(read_page(&Value::Bytes(text), &mut read), 4);
        assert_eq!(read, Tree::from([(path("a"), Node::Folder)]));
        assert_eq!(read_page(&Value::Bytes(vec![0xff]), &mut read), 1);
    }

    #[test]
    fn a_commit_is_read_back_whole_or_not_at_all() {
        let row = Row {
            generation: 3,
            begins_turn: true,
            origin: Some(Origin {
                session: "s\n\t\"".into(),
                run: 0,
                seq: 4,
                round: 2,
            }),
            steps: vec![
                Step {
                    path: path("a/b c"),
                    was: None,
                    is: Some(file(b"1")),
                },
                Step {
                    path: path("z"),
                    was: Some(Node::Folder),
                    is: None,
                },
            ],
            contents: [&b"1"[..], b"", b"\0\n2"]
                .map(|content| (Version::of(content), content.into()))
                .into(),
        };
        let Change::Put(_, key, value) = row.put("w") else {
            panic!();
        };
        assert_eq!(Row::read(&key, &value), Some(row));
        let Value::Bytes(mut bytes) = value else {
            panic!();
        };
        bytes.pop();
        assert_eq!(Row::read(&key, &Value::Bytes(bytes)), None);
    }
}
