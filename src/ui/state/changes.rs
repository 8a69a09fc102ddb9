//! How changes are laid out: which files begin unfolded, what stands side by side, and by
//! what a change is known again that was reviewed.

use super::key_of;
use crate::kernel::diff::{DiffLine, Hunk, Sign};
use crate::protocol::ChangedFile;

/// Lines that begin unfolded, in all files together.
const LINES: usize = 300;
/// Files that begin unfolded.
const FILES: usize = 8;

/// A line with its number.
pub type Numbered<'a> = (usize, &'a DiffLine);

/// The lines of a hunk side by side: before, and now. What goes stands beside what comes
/// in its place.
pub fn pairs(hunk: &Hunk) -> Vec<(Option<Numbered<'_>>, Option<Numbered<'_>>)> {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let mut pairs = Vec::new();
    // The first of the pairs that has nothing on its right side yet.
    let mut open = 0;
    for line in &hunk.lines {
        match line.sign {
            Sign::Same => {
                pairs.push((Some((old, line)), Some((new, line))));
                (old, new) = (old + 1, new + 1);
                open = pairs.len();
            }
            Sign::Del => {
                pairs.push((Some((old, line)), None));
                old += 1;
            }
            Sign::Add => {
                match pairs.get_mut(open) {
                    Some((_, right)) => *right = Some((new, line)),
                    None => pairs.push((None, Some((new, line)))),
                }
                open += 1;
                new += 1;
            }
        }
    }
    pairs
}

/// The lines of a hunk as they are now, or were if none is left: the first and the last
/// that differ.
pub fn lines_of(hunk: &Hunk) -> (usize, usize) {
    let numbers = |other: Sign, start: usize| {
        let side = hunk.lines.iter().filter(move |line| line.sign != other);
        let numbered = (start..).zip(side);
        numbered.filter(|(_, line)| line.sign != Sign::Same)
    };
    let mut is = numbers(Sign::Del, hunk.new_start).map(|(number, _)| number);
    let mut was = numbers(Sign::Add, hunk.old_start).map(|(number, _)| number);
    let both = |first: Option<usize>, last: Option<usize>| {
        first.map(|first| (first, last.unwrap_or(first)))
    };
    both(is.next(), is.last())
        .or_else(|| both(was.next(), was.last()))
        .unwrap_or((hunk.new_start, hunk.new_start))
}

/// Knows a place of a file again, wherever it comes to lie.
pub fn hunk_key(path: &str, hunk: &Hunk) -> u64 {
    let lines = hunk.lines.iter();
    let lines: Vec<(u8, &str)> = lines
        .map(|line| (line.sign as u8, line.text.as_str()))
        .collect();
    key_of(&(path, lines))
}

/// Knows a file's change again, as long as it is the same.
pub fn file_key(file: &ChangedFile) -> u64 {
    key_of(&(file.path.as_str(), file.mark.as_str()))
}

/// Which files begin unfolded: the first few, as long as there is not much to read.
pub fn unfolded(files: &[ChangedFile]) -> Vec<bool> {
    let mut lines = 0;
    let begin = |(at, file): (usize, &ChangedFile)| {
        lines += file.added + file.removed;
        at < FILES && lines <= LINES
    };
    files.iter().enumerate().map(begin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::diff::{DiffKind, diff};

    fn hunk(old: &str, new: &str) -> Hunk {
        let mut hunks = diff("a", Some(old.as_bytes()), Some(new.as_bytes())).hunks;
        hunks.remove(0)
    }

    fn check(old: &str, new: &str, rows: &[&str], lines: (usize, usize)) {
        let hunk = hunk(old, new);
        let side = |side: &Option<Numbered<'_>>| {
            side.map_or_else(String::new, |(n, line)| format!("{n}{}", line.text))
        };
        let told: Vec<String> = pairs(&hunk)
            .iter()
            .map(|(left, right)| format!("{} | {}", side(left), side(right)))
            .collect();
        assert_eq!(told, rows, "{old:?} {new:?}");
        assert_eq!(lines_of(&hunk), lines, "{old:?} {new:?}");
    }

    #[test]
    fn what_goes_stands_beside_what_comes() {
        check("a\nb\n", "a\nc\n", &["1a | 1a", "2b | 2c"], (2, 2));
        check("a\n", "b\nc\n", &["1a | 1b", " | 2c"], (1, 2));
        check("a\nb\n", "c\n", &["1a | 1c", "2b | "], (1, 1));
        check(
            "a\nb\nc\n",
            "a\nc\n",
            &["1a | 1a", "2b | ", "3c | 2c"],
            (2, 2),
        );
        check(
            "a\nx\nb\n",
            "A\nx\nB\nC\n",
            &["1a | 1A", "2x | 2x", "3b | 3B", " | 4C"],
            (1, 4),
        );
    }

    #[test]
    fn a_place_is_known_again_where_lines_before_it_went() {
        let before = hunk("x\ny\na\n", "x\ny\nb\n");
        let mut after = before.clone();
        after.old_start += 7;
        assert_eq!(hunk_key("f", &before), hunk_key("f", &after));
        assert_ne!(hunk_key("f", &before), hunk_key("g", &before));
        after.lines[2].sign = Sign::Add;
        assert_ne!(hunk_key("f", &before), hunk_key("f", &after));
    }

    #[test]
    fn the_first_files_begin_unfolded_as_long_as_they_are_short() {
        let file = |added: usize| ChangedFile {
            path: "a".into(),
            from: None,
            kind: DiffKind::New,
            added,
            removed: 0,
            mark: "- 1".into(),
        };
        let files = [file(10), file(280), file(20), file(0)];
        assert_eq!(unfolded(&files), [true, true, false, false]);
        let many: Vec<ChangedFile> = (0..12).map(|_| file(1)).collect();
        assert_eq!(unfolded(&many).iter().filter(|open| **open).count(), 8);
    }
}
