//! A change as text, for the model that asked for it.

use super::{FileDiff, Sign};

/// Longest patch, in bytes.
const MAX_PATCH: usize = 6 << 10;

impl FileDiff {
    /// The changed lines as a patch without its head: `@@ -1,3 +1,4 @@`, then signed
    /// lines. A long one is cut, and says so.
    pub fn patch(&self) -> String {
        let mut text = String::new();
        let mut left_out = 0;
        for hunk in &self.hunks {
            let of = |other: Sign| {
                let lines = hunk.lines.iter().filter(move |line| line.sign != other);
                lines.count()
            };
            let mut part = format!(
                "@@ -{},{} +{},{} @@\n",
                hunk.old_start,
                of(Sign::Add),
                hunk.new_start,
                of(Sign::Del)
            );
            for line in &hunk.lines {
                part.push(match line.sign {
                    Sign::Same => ' ',
                    Sign::Add => '+',
                    Sign::Del => '-',
                });
                part.push_str(&line.text);
                part.push('\n');
            }
            if text.len() + part.len() > MAX_PATCH {
                left_out += 1;
            } else {
                text.push_str(&part);
            }
        }
        if left_out > 0 || self.cut {
            text.push_str("[… more was changed than is shown …]\n");
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::diff;
    use super::*;

    #[test]
    fn a_patch_counts_the_lines_of_both_sides_and_is_cut_when_long() {
        let patch =
            |old: &str, new: &str| diff("a", Some(old.as_bytes()), Some(new.as_bytes())).patch();
        assert_eq!(
            patch("1\n2\n3\n", "1\ntwo\nmore\n3\n"),
            "@@ -1,3 +1,4 @@\n 1\n-2\n+two\n+more\n 3"
        );
        let long = "x".repeat(300) + "\n";
        let cut = patch(&long.repeat(50), "");
        assert!(
            cut.len() < MAX_PATCH + 100 && cut.ends_with("than is shown …]"),
            "{cut}"
        );
    }
}
