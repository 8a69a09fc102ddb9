//! Paths inside the workspace. A [`WorkspacePath`] that exists is safe: it can
//! name nothing outside, on this filesystem or on any that files are saved to.

use std::fmt;

use crate::plain::Plain;

/// Longest path, in bytes.
const MAX_PATH: usize = 1024;
/// Longest name of one file or folder, in bytes (the limit of ext4, APFS and NTFS).
const MAX_NAME: usize = 255;

/// A path relative to the workspace, without a leading slash: `src/app.rs`.
/// The empty path is the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Plain)]
pub struct WorkspacePath(String);

/// Why a text is not a path of the workspace, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path {given:?} {}; give a path inside the workspace such as \"notes/todo.md\"", .problem.told())]
pub struct PathError {
    given: String,
    problem: PathProblem,
}

impl PathError {
    /// What is wrong with it.
    pub fn problem(&self) -> PathProblem {
        self.problem
    }
}

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum PathProblem {
    /// It has more than 1,024 bytes.
    PathTooLong,
    /// It holds a control character.
    Control,
    /// It holds a character that is not seen, or that turns the direction.
    Invisible,
    /// It holds a backslash.
    Backslash,
    /// It is a URL.
    Url,
    /// A part of it hides behind percent signs.
    Hidden,
    /// It begins with a home folder.
    Home,
    /// It is the workspace itself.
    Root,
    /// It leads outside.
    Outside,
    /// One of its names has more than 255 bytes.
    NameTooLong,
    /// A name begins with a space, or ends with a dot or a space.
    Edges,
    /// A name holds a sign that many filesystems can't keep.
    Signs,
    /// A name is one that Windows keeps for a device.
    Device,
}

impl PathProblem {
    /// For the model, behind the path.
    fn told(self) -> &'static str {
        match self {
            Self::PathTooLong => "is longer than 1,024 bytes",
            Self::Control => "holds a control character",
            Self::Invisible => "holds an invisible or direction-changing character",
            Self::Backslash => "holds a backslash; folders are parted by \"/\"",
            Self::Url => "is a URL",
            Self::Hidden => "hides a part of itself behind percent signs",
            Self::Home => "names a home folder, and there is none",
            Self::Root => "names the workspace itself and not a file",
            Self::Outside => "leads outside the workspace",
            Self::NameTooLong => "holds a name longer than 255 bytes",
            Self::Edges => "holds a name that begins with a space or ends with a dot or space",
            Self::Signs => "holds one of : * ? \" < > |, which many filesystems can't keep",
            Self::Device => "holds a name that Windows reserves for a device",
        }
    }
}

impl WorkspacePath {
    /// The workspace itself.
    pub fn root() -> Self {
        Self(String::new())
    }

    /// Reads a path as models and users write it. A leading `/` or `./` means the root.
    ///
    /// # Errors
    /// [`PathError`] for everything that leads outside or that some filesystem
    /// could not hold: `..` (also percent-encoded), backslashes, drives, URLs,
    /// `~`, control characters, over-long names, names reserved by Windows
    /// (<https://learn.microsoft.com/windows/win32/fileio/naming-a-file>).
    pub fn parse(given: &str) -> Result<Self, PathError> {
        let fail = |problem| {
            Err(PathError {
                given: given.chars().take(120).collect(),
                problem,
            })
        };
        if given.len() > MAX_PATH {
            return fail(PathProblem::PathTooLong);
        }
        if let Some(problem) = problem_of_text(given) {
            return fail(problem);
        }
        if let Some(problem) = problem_of_encoded(given) {
            return fail(problem);
        }
        let mut names = Vec::new();
        for name in given.split('/') {
            match name {
                "" | "." => {}
                _ => match problem_of_name(name) {
                    Some(problem) => return fail(problem),
                    None => names.push(name),
                },
            }
        }
        if names.first().is_some_and(|first| *first == "~") {
            return fail(PathProblem::Home);
        }
        Ok(Self(names.join("/")))
    }

    /// As [`WorkspacePath::parse`], but the root itself is refused too.
    ///
    /// # Errors
    /// As [`WorkspacePath::parse`].
    pub fn parse_file(given: &str) -> Result<Self, PathError> {
        let path = Self::parse(given)?;
        if path.is_root() {
            return Err(PathError {
                given: given.to_owned(),
                problem: PathProblem::Root,
            });
        }
        Ok(path)
    }

    /// Whether files of this name hold secrets: `.env`, `.env.local`, `prod.env`.
    pub fn holds_secrets(&self) -> bool {
        let name = self.as_str().rsplit('/').next().unwrap_or_default();
        name == ".env" || name.starts_with(".env.") || name.ends_with(".env")
    }

    /// The path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the workspace itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The last name; empty for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The same path with a number at the end of its name: `a/b (2).md`.
    ///
    /// # Errors
    /// If it gets too long.
    pub fn numbered(&self, n: u32) -> Result<Self, PathError> {
        let name_at = self.0.len() - self.name().len();
        let stem_end = match self.name().rfind('.') {
            Some(dot) if dot > 0 => name_at + dot,
            _ => self.0.len(),
        };
        Self::parse(&format!(
            "{} ({n}){}",
            &self.0[..stem_end],
            &self.0[stem_end..]
        ))
    }

    /// The folders above, nearest last, without the root.
    pub fn ancestors(&self) -> impl Iterator<Item = WorkspacePath> + '_ {
        self.0
            .match_indices('/')
            .map(|(at, _)| WorkspacePath(self.0[..at].to_owned()))
    }

    /// The rest of this path, which lies below `folder`.
    pub fn below(&self, folder: &Self) -> &str {
        let rest = self.0.strip_prefix(&folder.0).unwrap_or(&self.0);
        rest.trim_start_matches('/')
    }

    /// The place at which this path is if `from`, which is above it, becomes `to`.
    ///
    /// # Errors
    /// If it gets too long.
    pub fn moved(&self, from: &Self, to: &Self) -> Result<Self, PathError> {
        let rest = self.0.strip_prefix(&from.0).unwrap_or_default();
        Self::parse(&format!("{}{rest}", to.0))
    }

    /// All paths below this folder, as a range; `None` for the root, which has all.
    pub(super) fn range_below(&self) -> Option<std::ops::Range<Self>> {
        // The character behind the slash, so that every path below is smaller.
        let bound = |end: char| Self(format!("{}{end}", self.0));
        (!self.is_root()).then(|| bound('/')..bound('0'))
    }

    /// How many folders deep below `folder` this path is: 1 for its direct
    /// children, `None` for what is not below it.
    pub fn depth_below(&self, folder: &WorkspacePath) -> Option<usize> {
        let rest = if folder.is_root() {
            self.0.as_str()
        } else {
            self.0.strip_prefix(&folder.0)?.strip_prefix('/')?
        };
        (!rest.is_empty()).then(|| rest.split('/').count())
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

fn problem_of_text(text: &str) -> Option<PathProblem> {
    if text.chars().any(char::is_control) {
        return Some(PathProblem::Control);
    }
    if text.chars().any(is_invisible) {
        return Some(PathProblem::Invisible);
    }
    if text.contains('\\') {
        return Some(PathProblem::Backslash);
    }
    if text.contains("://") || text.to_ascii_lowercase().starts_with("file:") {
        return Some(PathProblem::Url);
    }
    None
}

/// Characters that make a path look like another one.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// A percent sign is a fine character in a name; hiding `..` or `/` behind it is not.
fn problem_of_encoded(text: &str) -> Option<PathProblem> {
    let mut decoded = text.to_owned();
    // Twice, since `%252e` is `%2e` encoded once more.
    for _ in 0..2 {
        decoded = percent_decoded(&decoded);
        let hidden = decoded.matches('/').count() != text.matches('/').count()
            || decoded.contains(['\\', '\0'])
            || decoded.split('/').any(|name| name == "..");
        if hidden && decoded != text {
            return Some(PathProblem::Hidden);
        }
    }
    None
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let code = (byte == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn problem_of_name(name: &str) -> Option<PathProblem> {
    if name == ".." {
        return Some(PathProblem::Outside);
    }
    if name.len() > MAX_NAME {
        return Some(PathProblem::NameTooLong);
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return Some(PathProblem::Edges);
    }
    if name.contains([':', '*', '?', '"', '<', '>', '|']) {
        return Some(PathProblem::Signs);
    }
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let numbered = |device: &str| {
        stem.strip_prefix(device)
            .is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
    };
    if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
    {
        return Some(PathProblem::Device);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &str, expected: Option<&str>) {
        let parsed = WorkspacePath::parse(given).ok();
        assert_eq!(
            parsed.as_ref().map(WorkspacePath::as_str),
            expected,
            "{given:?}"
        );
    }

    #[test]
    fn ways_to_write_a_path_inside() {
        for (given, expected) in [
            ("notes.md", "notes.md"),
            ("/src/app.rs", "src/app.rs"),
            ("./a//b/", "a/b"),
            (".", ""),
            ("", ""),
            ("/", ""),
            ("100%.txt", "100%.txt"),
            ("a%20b.txt", "a%20b.txt"),
            (".env", ".env"),
            ("会议 记录.md", "会议 记录.md"),
            ("a..b/c...d", "a..b/c...d"),
            ("console.log", "console.log"),
        ] {
            check(given, Some(expected));
        }
    }

    #[test]
    fn ways_out_are_refused() {
        let long_name = "x".repeat(256);
        let long_path = "x/".repeat(600);
        for given in [
            "..",
            "../secret",
            "a/../../b",
            "a/..",
            "/..",
            "%2e%2e/secret",
            "..%2fsecret",
            "a%2Fb",
            "%252e%252e/x",
            "..\\secret",
            "a\\b",
            "C:\\x",
            "C:/x",
            "file:///etc/passwd",
            "http://x/y",
            "~/x",
            "~",
            "a\0b",
            "a%00b",
            "a\nb",
            "con",
            "NUL.txt",
            "com1",
            "a/aux.md",
            "..../x",
            "a. /b",
            ".. /x",
            "a\u{202E}b",
            "a\u{200B}b",
            &long_name,
            &long_path,
        ] {
            check(given, None);
        }
    }

    #[test]
    fn a_number_goes_before_the_ending() {
        let numbered = |path| WorkspacePath::parse(path).unwrap().numbered(2).unwrap().0;
        assert_eq!(numbered("a.b/c.md"), "a.b/c (2).md");
        assert_eq!(numbered("a.b/.env"), "a.b/.env (2)");
        assert_eq!(numbered("Makefile"), "Makefile (2)");
    }

    #[test]
    fn depth_counts_from_the_folder() {
        let depth = |path, folder| {
            let parse = |text| WorkspacePath::parse(text).unwrap();
            parse(path).depth_below(&parse(folder))
        };
        assert_eq!(depth("a/b/c", ""), Some(3));
        assert_eq!(depth("a/b/c", "a"), Some(2));
        assert_eq!(depth("ab/c", "a"), None);
        assert_eq!(depth("a", "a"), None);
    }
}
