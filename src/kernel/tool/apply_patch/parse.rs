//! Reads patches as git and diff write them, as models do, and in the form with
//! `*** Update File`, which some models were taught.

/// Highest number of a line that is told apart from others.
const MAX_LINE: usize = 1 << 30;

/// What a patch does to one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    /// Its path before; `None`: it is new.
    pub from: Option<String>,
    /// Its path after; `None`: it is deleted.
    pub to: Option<String>,
    /// The places that change, in order.
    pub hunks: Vec<Hunk>,
}

/// One place that changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The number of its first old line, from 1, if the patch tells.
    pub line: Option<usize>,
    /// A line that stands somewhere before it, if the patch tells.
    pub anchor: Option<String>,
    /// Its lines: the sign and the text without its line end.
    pub lines: Vec<(Sign, String)>,
    /// Whether the new text has no line end behind its last line.
    pub ends_bare: bool,
}

/// Which side a line is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// On both.
    Same,
    /// Only in the new text.
    Add,
    /// Only in the old text.
    Del,
}

/// Reads a patch.
///
/// # Errors
/// A sentence for the model: what can't be read, and the line it stands in.
pub fn parse(patch: &str) -> Result<Vec<FilePatch>, String> {
    let lines: Vec<&str> = patch.lines().collect();
    let mut reader = Reader {
        files: Vec::new(),
        in_hunk: false,
        headed: false,
    };
    let mut at = 0;
    while at < lines.len() {
        let line = |n: usize| lines.get(at + n).copied().unwrap_or_default();
        at += reader.read(at, [line(0), line(1), line(2)])?;
    }
    for hunk in reader.files.iter_mut().flat_map(|file| &mut file.hunks) {
        // Empty lines at the end part the patch from what follows.
        while matches!(hunk.lines.last(), Some((Sign::Same, text)) if text.is_empty()) {
            hunk.lines.pop();
        }
    }
    Ok(reader.files)
}

struct Reader {
    files: Vec<FilePatch>,
    in_hunk: bool,
    /// Whether the last file was begun by `diff --git` and its paths are not final.
    headed: bool,
}

impl Reader {
    /// Takes in a line by what follows it, and tells how many it took.
    fn read(&mut self, at: usize, [line, next, third]: [&str; 3]) -> Result<usize, String> {
        // In a hunk such lines may be text that goes and comes.
        let is_head = line.starts_with("--- ") && next.starts_with("+++ ");
        if is_head && (!self.in_hunk || third.starts_with("@@")) {
            self.begin(path_of(&line[4..], "a/"), path_of(&next[4..], "b/"));
            return Ok(2);
        }
        if self.starred(line) {
            return Ok(1);
        }
        if let Some(rest) = line.strip_prefix("diff --git ") {
            self.headed = false;
            if let Some((from, to)) = rest.split_once(" b/") {
                self.begin(path_of(from, "a/"), path_of(&format!("b/{to}"), "b/"));
                self.headed = true;
            }
            self.in_hunk = false;
            return Ok(1);
        }
        if line.starts_with("@@") {
            let Some(file) = self.files.last_mut() else {
                return Err(format!(
                    "line {} of the patch begins a hunk before a file is named by --- and +++",
                    at + 1
                ));
            };
            file.hunks.push(hunk_head(line));
            self.headed = false;
            self.in_hunk = true;
            return Ok(1);
        }
        match self.in_hunk {
            true => self.body(at, line)?,
            false => self.head(line)?,
        }
        Ok(1)
    }

    fn begin(&mut self, from: Option<String>, to: Option<String>) {
        self.in_hunk = false;
        let paths = FilePatch {
            from,
            to,
            hunks: Vec::new(),
        };
        match self.files.last_mut() {
            Some(file) if std::mem::take(&mut self.headed) => *file = paths,
            _ => self.files.push(paths),
        }
    }

    /// Whether it is a head of the form with stars.
    fn starred(&mut self, line: &str) -> bool {
        let Some(head) = line.strip_prefix("*** ") else {
            return false;
        };
        let path = |path: &str| Some(path.trim().to_owned());
        let (from, to) = if let Some(of) = head.strip_prefix("Add File: ") {
            (None, path(of))
        } else if let Some(of) = head.strip_prefix("Update File: ") {
            (path(of), path(of))
        } else if let Some(of) = head.strip_prefix("Delete File: ") {
            (path(of), None)
        } else {
            if let (Some(to), Some(file)) = (head.strip_prefix("Move to: "), self.files.last_mut())
            {
                file.to = path(to);
            } else {
                self.in_hunk = false;
            }
            return true;
        };
        self.headed = false;
        let has_body = to.is_some();
        self.begin(from, to);
        // Its lines may come without a head of their own.
        if has_body && let Some(file) = self.files.last_mut() {
            file.hunks.push(Hunk::default());
            self.in_hunk = true;
        }
        true
    }

    /// A line before the hunks of a file.
    fn head(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err("the patch changes a binary file, which can't be patched".into());
        }
        if line.starts_with("copy from ") {
            return Err("the patch copies a file; use the tool copy".into());
        }
        let Some(file) = self.files.last_mut().filter(|_| self.headed) else {
            return Ok(());
        };
        if line.starts_with("new file") {
            file.from = None;
        } else if line.starts_with("deleted file") {
            file.to = None;
        } else if let Some(from) = line.strip_prefix("rename from ") {
            file.from = path_of(from, "");
        } else if let Some(to) = line.strip_prefix("rename to ") {
            file.to = path_of(to, "");
        }
        Ok(())
    }

    /// A line of a hunk.
    fn body(&mut self, at: usize, line: &str) -> Result<(), String> {
        let hunk = self.files.last_mut().and_then(|file| file.hunks.last_mut());
        let Some(hunk) = hunk else {
            return Ok(());
        };
        let (sign, text) = match line.split_at_checked(1) {
            None => (Sign::Same, ""),
            Some((" ", text)) => (Sign::Same, text),
            Some(("+", text)) => (Sign::Add, text),
            Some(("-", text)) => (Sign::Del, text),
            Some(("\\", _)) => {
                hunk.ends_bare = !matches!(hunk.lines.last(), Some((Sign::Del, _)));
                return Ok(());
            }
            _ if line.starts_with("index ") || line.starts_with("```") => {
                self.in_hunk = false;
                return Ok(());
            }
            _ => {
                let shown: String = line.chars().take(60).collect();
                return Err(format!(
                    "line {} of the patch begins with neither a space, + nor -: {shown:?}",
                    at + 1
                ));
            }
        };
        hunk.lines.push((sign, text.to_owned()));
        Ok(())
    }
}

/// `@@ -12,3 +12,4 @@ fn name`, or `@@ fn name`, or `@@` alone.
fn hunk_head(line: &str) -> Hunk {
    let rest = line.trim_start_matches('@').trim_start();
    let number = rest.strip_prefix('-').map(|rest| {
        let digits = rest.find(|c: char| !c.is_ascii_digit());
        let line: Option<usize> = rest[..digits.unwrap_or(rest.len())].parse().ok();
        line.map(|line| line.min(MAX_LINE))
    });
    Hunk {
        line: number.flatten(),
        anchor: match number {
            Some(_) => None,
            None => Some(rest.trim_end_matches('@').trim().to_owned()).filter(|a| !a.is_empty()),
        },
        ..Hunk::default()
    }
}

/// A path as it stands in a head; `None` for `/dev/null`.
fn path_of(text: &str, prefix: &str) -> Option<String> {
    let text = text.split('\t').next().unwrap_or_default().trim();
    let path = match text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    {
        Some(quoted) => unquoted(quoted),
        None => text.to_owned(),
    };
    let bare = path.strip_prefix(prefix).unwrap_or(&path);
    (path != "/dev/null").then(|| bare.to_owned())
}

/// A name in which git wrote bytes as `\303\251`.
fn unquoted(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let octal = after.get(..3).and_then(|of| std::str::from_utf8(of).ok());
        match octal.and_then(|of| u8::from_str_radix(of, 8).ok()) {
            Some(of) if byte == b'\\' => {
                bytes.push(of);
                rest = &after[3..];
            }
            _ if byte == b'\\' => {
                let escaped = after.first().copied().unwrap_or(b'\\');
                bytes.push(if escaped == b't' { b'\t' } else { escaped });
                rest = after.get(1..).unwrap_or_default();
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
