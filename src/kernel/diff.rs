//! What a question for approval shows of a change to a file: the changed lines
//! and some around them; and the same as text for the model (`patch`).

mod hunk;
mod patch;
mod script;

pub use hunk::without_hunk;

use crate::plain::Plain;
use script::edit_script;

/// Unchanged lines shown before and after a change.
const CONTEXT: usize = 3;
/// Most lines shown of one file.
const MAX_LINES: usize = 400;
/// Longest line shown, in characters.
const MAX_LINE: usize = 400;
/// What stands after a line that lost or never had the line end the other side has.
const NO_LINE_END: &str = " \\ No newline at end of file";

/// The change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct FileDiff {
    /// The file, or the folder.
    pub path: String,
    /// Where its content comes from, if it is moved or copied.
    #[plain(default)]
    pub from: Option<String>,
    /// What happens to it.
    pub kind: DiffKind,
    /// Lines added in all, shown or not.
    pub added: usize,
    /// Lines removed in all, shown or not.
    pub removed: usize,
    /// The parts that differ, in order; none for a binary file.
    pub hunks: Vec<Hunk>,
    /// Whether lines or the ends of long lines were left out.
    pub cut: bool,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum DiffKind {
    /// It was not there before.
    New,
    /// It was and is there.
    Changed,
    /// It is no longer there.
    Deleted,
    /// One side is not text, so no lines are shown.
    Binary,
    /// It has another path before.
    Moved,
    /// It stays at its other path too.
    Copied,
    /// An empty folder that was not there before.
    NewFolder,
    /// An empty folder that is no longer there.
    DeletedFolder,
}

/// Lines that differ, with those around them.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Hunk {
    /// The number of its first line in the old file, from 1.
    pub old_start: usize,
    /// The number of its first line in the new file, from 1.
    pub new_start: usize,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct DiffLine {
    /// Which side it is on.
    pub sign: Sign,
    /// The line without its line end, at most 400 characters.
    pub text: String,
}

/// Which side a line is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Sign {
    /// On both.
    Same,
    /// Only in the new file.
    Add,
    /// Only in the old file.
    Del,
}

impl FileDiff {
    /// A change without lines.
    pub fn bare(path: &str, kind: DiffKind, from: Option<&str>) -> Self {
        Self {
            path: path.to_owned(),
            from: from.map(str::to_owned),
            kind,
            added: 0,
            removed: 0,
            hunks: Vec::new(),
            cut: false,
        }
    }
}

/// The change from `old` to `new`, where `None` means that there is no file.
pub fn diff(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> FileDiff {
    diff_within(path, (old, new), MAX_LINES)
}

/// The same with at most so many lines shown.
pub fn diff_within(
    path: &str,
    (old, new): (Option<&[u8]>, Option<&[u8]>),
    max_lines: usize,
) -> FileDiff {
    let kind = match (old, new) {
        (None, _) => DiffKind::New,
        (_, None) => DiffKind::Deleted,
        _ => DiffKind::Changed,
    };
    let mut diff = FileDiff::bare(path, kind, None);
    let (Some(old), Some(new)) = (text_of(old), text_of(new)) else {
        diff.kind = DiffKind::Binary;
        return diff;
    };
    let (old_lines, new_lines) = (lines_of(old), lines_of(new));
    let (removed, added) = edit_script(&old_lines, &new_lines);
    let mut writer = Writer {
        tell_line_end: diff.kind == DiffKind::Changed && old.ends_with('\n') != new.ends_with('\n'),
        shown: 0,
        max_lines,
        diff: &mut diff,
    };

    let (mut i, mut j) = (0, 0);
    // Up to where the old lines were written, and how far the last change reaches.
    let (mut written, mut context_end) = (0, 0);
    while i < old_lines.len() || j < new_lines.len() {
        let delete = removed.get(i).copied().unwrap_or_default();
        let add = !delete && added.get(j).copied().unwrap_or_default();
        if !delete && !add {
            if i < context_end {
                writer.push(Sign::Same, old_lines[i]);
                written = i + 1;
            }
            i += 1;
            j += 1;
            continue;
        }
        let lead = i.saturating_sub(CONTEXT).max(written);
        if context_end == 0 || lead > written {
            writer.open(lead + 1, j - (i - lead) + 1);
        }
        for line in &old_lines[lead..i] {
            writer.push(Sign::Same, line);
        }
        if delete {
            writer.push(Sign::Del, old_lines[i]);
            i += 1;
        } else {
            writer.push(Sign::Add, new_lines[j]);
            j += 1;
        }
        written = i;
        context_end = i + CONTEXT;
    }
    diff
}

/// Puts lines into the last hunk while there is room, and counts them all.
struct Writer<'a> {
    diff: &'a mut FileDiff,
    shown: usize,
    max_lines: usize,
    tell_line_end: bool,
}

impl Writer<'_> {
    fn open(&mut self, old_start: usize, new_start: usize) {
        if self.shown < self.max_lines {
            self.diff.hunks.push(Hunk {
                old_start,
                new_start,
                lines: Vec::new(),
            });
        }
    }

    fn push(&mut self, sign: Sign, line: &str) {
        match sign {
            Sign::Add => self.diff.added += 1,
            Sign::Del => self.diff.removed += 1,
            Sign::Same => {}
        }
        let Some(hunk) = self.diff.hunks.last_mut() else {
            return;
        };
        if self.shown == self.max_lines {
            self.diff.cut = true;
            return;
        }
        self.shown += 1;
        let (body, whole) = match line.strip_suffix('\n') {
            Some(body) => (body, true),
            None => (line, false),
        };
        let mut text = match body.char_indices().nth(MAX_LINE) {
            None => body.to_owned(),
            Some(_) => {
                self.diff.cut = true;
                let end = body.char_indices().nth(MAX_LINE - 1);
                let mut text = body[..end.map_or(0, |(at, _)| at)].to_owned();
                text.push('…');
                text
            }
        };
        if self.tell_line_end && !whole {
            text.push_str(NO_LINE_END);
        }
        hunk.lines.push(DiffLine { sign, text });
    }
}

/// The text of a file; nothing for no file, `None` for what is not text.
fn text_of(content: Option<&[u8]>) -> Option<&str> {
    let text = std::str::from_utf8(content.unwrap_or_default()).ok()?;
    (!text.contains('\0')).then_some(text)
}

/// The lines with their ends, so that a lost line end is a difference.
fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads as a patch without its head: `@@ old new`, then signed lines.
    fn shown(diff: &FileDiff) -> String {
        let mut text = String::new();
        for hunk in &diff.hunks {
            text += &format!("@@ {} {}\n", hunk.old_start, hunk.new_start);
            for line in &hunk.lines {
                let sign = match line.sign {
                    Sign::Same => ' ',
                    Sign::Add => '+',
                    Sign::Del => '-',
                };
                text += &format!("{sign}{}\n", line.text);
            }
        }
        text
    }

    fn check(old: &str, new: &str, expected: &str) {
        let diff = diff("a", Some(old.as_bytes()), Some(new.as_bytes()));
        assert_eq!(shown(&diff), expected, "{old:?} to {new:?}");
        assert_eq!((diff.kind, diff.cut), (DiffKind::Changed, false));
        let count = |sign| {
            expected
                .lines()
                .filter(|line| line.starts_with(sign))
                .count()
        };
        assert_eq!((diff.added, diff.removed), (count('+'), count('-')));
    }

    #[test]
    fn changes_are_shown_with_three_lines_around() {
        for (old, new, expected) in [
            ("", "", ""),
            ("a\nb\n", "a\nb\n", ""),
            ("a\nb\nc\n", "a\nB\nc\n", "@@ 1 1\n a\n-b\n+B\n c\n"),
            ("a\n", "a\nb\n", "@@ 1 1\n a\n+b\n"),
            ("b\n", "a\nb\n", "@@ 1 1\n+a\n b\n"),
            ("", "a\n", "@@ 1 1\n+a\n"),
            ("a\n", "", "@@ 1 1\n-a\n"),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
                "@@ 2 2\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
            ),
            (
                // Six unchanged lines between two changes keep them in one hunk.
                "a\n1\n2\n3\n4\n5\n6\nb\n",
                "A\n1\n2\n3\n4\n5\n6\nB\n",
                "@@ 1 1\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n",
            ),
            (
                "a\n1\n2\n3\n4\n5\n6\n7\nb\n",
                "1\n2\n3\n4\n5\n6\n7\nB\n",
                "@@ 1 1\n-a\n 1\n 2\n 3\n@@ 6 5\n 5\n 6\n 7\n-b\n+B\n",
            ),
            ("a\r\n", "a\n", "@@ 1 1\n-a\r\n+a\n"),
            ("a", "a\n", "@@ 1 1\n-a \\ No newline at end of file\n+a\n"),
            ("a", "b", "@@ 1 1\n-a\n+b\n"),
        ] {
            check(old, new, expected);
        }
    }

    #[test]
    fn files_that_come_go_or_are_not_text() {
        let whole = |kind, hunks, added, removed| FileDiff {
            from: None,
            path: "a".into(),
            kind,
            added,
            removed,
            hunks,
            cut: false,
        };
        let hunk = |sign| {
            let line = |text: &str| DiffLine {
                sign,
                text: text.into(),
            };
            vec![Hunk {
                old_start: 1,
                new_start: 1,
                lines: vec![line("x"), line("y")],
            }]
        };
        let text = Some(&b"x\ny"[..]);
        for (old, new, expected) in [
            (None, text, whole(DiffKind::New, hunk(Sign::Add), 2, 0)),
            (text, None, whole(DiffKind::Deleted, hunk(Sign::Del), 0, 2)),
            (None, Some(&b""[..]), whole(DiffKind::New, vec![], 0, 0)),
            (text, Some(b"\xff"), whole(DiffKind::Binary, vec![], 0, 0)),
            (Some(b"a\0b"), None, whole(DiffKind::Binary, vec![], 0, 0)),
        ] {
            assert_eq!(diff("a", old, new), expected);
        }
    }

    #[test]
    fn long_files_and_long_lines_are_cut_but_counted() {
        let many = "x\n".repeat(1_000);
        let cut = diff("a", None, Some(many.as_bytes()));
        assert_eq!(
            (cut.added, cut.hunks[0].lines.len(), cut.cut),
            (1_000, 400, true)
        );

        let line = "长".repeat(401);
        let cut = diff("a", None, Some(line.as_bytes()));
        assert_eq!(cut.hunks[0].lines[0].text, format!("{}…", "长".repeat(399)));
        assert!(cut.cut);
        let fits = "长".repeat(400);
        let whole = diff("a", None, Some(fits.as_bytes()));
        assert_eq!(
            (whole.hunks[0].lines[0].text.as_str(), whole.cut),
            (&*fits, false)
        );
    }

    #[test]
    fn no_hunk_is_left_empty_where_the_room_ends() {
        let old: String = (0..1_000).map(|n| format!("{n}\n")).collect();
        let new: String = (0..1_000)
            .map(|n| {
                if n % 10 == 0 {
                    format!("new {n}\n")
                } else {
                    format!("{n}\n")
                }
            })
            .collect();
        let cut = diff("a", Some(old.as_bytes()), Some(new.as_bytes()));
        let lines: usize = cut.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        assert_eq!(
            (cut.added, cut.removed, lines, cut.cut),
            (100, 100, 400, true)
        );
        assert!(cut.hunks.iter().all(|hunk| !hunk.lines.is_empty()));
    }
}
