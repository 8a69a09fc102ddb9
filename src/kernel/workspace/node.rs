//! What stands at a path, and its form in the store: a short text, without any sign
//! that parts fields or lines there.

use crate::plain::Plain;

/// Signs of a hash in hexadecimal.
const HASH_LEN: usize = 64;

/// The hash of a file's content (BLAKE3, hexadecimal): its version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Plain)]
pub struct Version(String);

impl Version {
    /// The version of a file with this content.
    pub fn of(content: &[u8]) -> Self {
        Self(blake3::hash(content).to_hex().to_string())
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_hash = text.len() == HASH_LEN && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self(text.to_owned()))
    }

    /// The hash as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the tree holds at a path.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Node {
    /// A file.
    File {
        /// Bytes.
        size: u64,
        /// Milliseconds since the Unix epoch.
        modified_ms: u64,
        /// Its content's hash.
        version: Version,
    },
    /// A folder.
    Folder,
}

impl Node {
    /// The version and the size of a file's content.
    pub fn content(&self) -> Option<(&Version, u64)> {
        match self {
            Node::File { version, size, .. } => Some((version, *size)),
            Node::Folder => None,
        }
    }

    /// Whether both are the same but for the time of the last change.
    pub fn is_like(&self, other: &Node) -> bool {
        self.content() == other.content()
    }
}

/// Writes what stands at a path, or that nothing does.
pub(super) fn write(node: Option<&Node>, out: &mut String) {
    match node {
        None => out.push('-'),
        Some(Node::Folder) => out.push('/'),
        Some(Node::File {
            size,
            modified_ms,
            version,
        }) => {
            for part in [&size.to_string(), &modified_ms.to_string()] {
                out.push_str(part);
                out.push(' ');
            }
            out.push_str(version.as_str());
        }
    }
}

/// Reads it back; the outer `None` if it is none.
pub(super) fn read(text: &str) -> Option<Option<Node>> {
    match text {
        "-" => return Some(None),
        "/" => return Some(Some(Node::Folder)),
        _ => {}
    }
    let mut parts = text.split(' ');
    let size = parts.next()?.parse().ok()?;
    let modified_ms = parts.next()?.parse().ok()?;
    let version = Version::parse(parts.next()?)?;
    let file = Node::File {
        size,
        modified_ms,
        version,
    };
    parts.next().is_none().then_some(Some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_else_is() {
        let file = Node::File {
            size: 12,
            modified_ms: u64::MAX,
            version: Version::of(b"x"),
        };
        for node in [None, Some(Node::Folder), Some(file)] {
            let mut text = String::new();
            write(node.as_ref(), &mut text);
            assert_eq!(read(&text), Some(node));
        }
        let hash = Version::of(b"x");
        let short = &hash.as_str()[1..];
        for text in ["", "x", "1 2", "1 2 3", &format!("1 2 {short}")] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&format!("1 2 {} ", hash.as_str())), None);
        assert_eq!(read(&format!("-1 2 {}", hash.as_str())), None);
    }
}
