//! Nodes of the tree, the lines that tell of them, and names the workspace can hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Look;

/// Longest path and longest name, in bytes.
const MAX_PATH: usize = 1024;
const MAX_NAME: usize = 255;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A folder.
    Folder {
        /// Milliseconds since the Unix epoch.
        modified_ms: u64,
    },
    /// A file.
    File {
        /// Milliseconds since the Unix epoch.
        modified_ms: u64,
        /// What it holds.
        content: Content,
    },
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// What a file held when the command began.
    Base {
        /// That file.
        from: Arc<str>,
        /// The same for the same content.
        id: Arc<str>,
        /// Bytes.
        size: u64,
    },
    /// What the command wrote.
    Own(Arc<Vec<u8>>),
}

/// Reads a line of the index.
pub(super) fn read_line(line: &str) -> Option<(String, Node)> {
    if let Some(path) = line.strip_prefix("/ ") {
        return Some((path.to_owned(), Node::Folder { modified_ms: 0 }));
    }
    let mut parts = line.splitn(4, ' ');
    let size = parts.next()?.parse().ok()?;
    let modified_ms = parts.next()?.parse().ok()?;
    let (id, path) = (parts.next()?.into(), parts.next()?);
    let content = Content::Base {
        from: path.into(),
        id,
        size,
    };
    let file = Node::File {
        modified_ms,
        content,
    };
    Some((path.to_owned(), file))
}

pub(super) fn look(node: &Node, mode: Option<u32>) -> Look {
    match node {
        Node::Folder { modified_ms } => Look {
            is_folder: true,
            size: 0,
            modified_ms: *modified_ms,
            mode: mode.unwrap_or(0o755),
        },
        Node::File {
            modified_ms,
            content,
        } => Look {
            is_folder: false,
            size: match content {
                Content::Base { size, .. } => *size,
                Content::Own(bytes) => bytes.len() as u64,
            },
            modified_ms: *modified_ms,
            mode: mode.unwrap_or(0o644),
        },
    }
}

/// All that is in a folder, at any depth.
pub(super) fn below<'a>(
    tree: &'a BTreeMap<String, Node>,
    folder: &str,
) -> impl Iterator<Item = (&'a String, &'a Node)> + use<'a> {
    // The character behind the slash ends what begins with it.
    match folder {
        "" => tree.range(String::new()..),
        _ => tree.range(format!("{folder}/")..format!("{folder}0")),
    }
}

/// Why the workspace can't hold something of this name; the plain cases, which a command
/// shall hear of itself.
pub(super) fn problem_of(path: &str) -> Option<&'static str> {
    if path.chars().any(char::is_control) {
        return Some("the name holds a control character");
    }
    if path.contains('\\') {
        return Some("the name holds a backslash");
    }
    if path.len() > MAX_PATH || path.split('/').any(|name| name.len() > MAX_NAME) {
        return Some("File name too long");
    }
    let is_odd = |name: &str| name.ends_with(['.', ' ']) || name.starts_with(' ');
    if path.split('/').any(is_odd) {
        return Some("the name begins or ends with a space, or ends with a dot");
    }
    None
}
