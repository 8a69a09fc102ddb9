//! Taking one hunk of a change back.

use super::{Sign, diff_within, lines_of, text_of};

/// The new file with the lines of hunk `at`, counted from 0, as they are in the old one.
/// All bytes outside of it stay, line ends too. `None` if there is no such hunk, or one
/// side is not text.
pub fn without_hunk(old: &[u8], new: &[u8], at: usize) -> Option<Vec<u8>> {
    let diff = diff_within("", (Some(old), Some(new)), usize::MAX);
    let hunk = diff.hunks.get(at)?;
    let (old, new) = (lines_of(text_of(Some(old))?), lines_of(text_of(Some(new))?));
    let side = |start: usize, other: Sign| {
        let lines = hunk.lines.iter().filter(|line| line.sign != other);
        let start = start.saturating_sub(1);
        start..start + lines.count()
    };
    let (of_old, of_new) = (
        side(hunk.old_start, Sign::Add),
        side(hunk.new_start, Sign::Del),
    );
    let parts = [
        new.get(..of_new.start)?,
        old.get(of_old)?,
        new.get(of_new.end..)?,
    ];
    Some(parts.concat().concat().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::diff;
    use super::*;

    /// Each hunk taken back alone, and all of them one after the other.
    fn check(old: &str, new: &str, alone: &[&str]) {
        let bytes = |text: &str| text.as_bytes().to_vec();
        for (at, expected) in alone.iter().enumerate() {
            let left = without_hunk(old.as_bytes(), new.as_bytes(), at);
            assert_eq!(left, Some(bytes(expected)), "{new:?} without {at}");
        }
        let (old, mut now) = (bytes(old), bytes(new));
        assert_eq!(without_hunk(&old, &now, alone.len()), None, "{new:?}");
        for _ in alone {
            now = without_hunk(&old, &now, 0).unwrap();
        }
        assert_eq!(now, old);
    }

    #[test]
    fn one_hunk_goes_and_every_other_byte_stays() {
        check("a\nb\n", "a\nB\n", &["a\nb\n"]);
        check("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", &["a\r\nb\r\nc\r\n"]);
        check("a", "a\n", &["a"]);
        check("a\nb", "a\nb\nc\n", &["a\nb"]);
        check("", "a\nb", &[""]);
        check("a\nb", "", &["a\nb"]);
        check("\u{feff}a\nb\n", "\u{feff}b\n", &["\u{feff}a\nb\n"]);
        let lines = |first: &str, last: &str| format!("{first}\r\n{}{last}", "x\r\n".repeat(9));
        check(
            &lines("a", "z"),
            &lines("A", "Z\r\n"),
            &[&lines("a", "Z\r\n"), &lines("A", "z")],
        );
    }

    #[test]
    fn hunks_behind_those_that_are_shown_can_be_taken_back_too() {
        let old: String = (0..2_000).map(|n| format!("{n}\n")).collect();
        let new = old.replace("1990\n", "new\n") + "end\n";
        let new = new.replacen("0\n", "first\n", 1);
        let shown = diff("a", Some(old.as_bytes()), Some(new.as_bytes()));
        assert_eq!(shown.hunks.len(), 3);
        let left = without_hunk(old.as_bytes(), new.as_bytes(), 2).unwrap();
        assert_eq!(left, new.replace("end\n", "").into_bytes());
        assert_eq!(without_hunk(b"a\0", b"b", 0), None);
        assert_eq!(without_hunk(b"a", b"\xff", 0), None);
    }
}
