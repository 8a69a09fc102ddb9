//! A regular expression that can't take long, and the text that it can't do without.

use regex_lite::{Regex, RegexBuilder};

use super::super::text::floor_boundary;

/// Longest expression, in bytes.
const MAX_PATTERN: usize = 2 << 10;
/// Bytes that a compiled expression may take: its steps for each character are bounded
/// by that too.
const MAX_COMPILED: usize = 128 << 10;
/// Bytes that are tried in one piece; a longer line is cut.
const PIECE: usize = 32 << 10;
/// Bytes that pieces have in common.
const OVERLAP: usize = 512;

/// A compiled expression.
pub struct Matcher {
    regex: Regex,
    /// What every match holds.
    literal: String,
}

impl Matcher {
    /// Compiles `pattern`.
    ///
    /// # Errors
    /// A sentence for the model.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("pattern is empty; give what to look for".into());
        }
        if pattern.len() > MAX_PATTERN {
            return Err("the pattern is longer than 2 KB; make it shorter".into());
        }
        let built = RegexBuilder::new(pattern).size_limit(MAX_COMPILED).build();
        let regex = built.map_err(|error| {
            format!("the pattern can't be used: {error}; put \\ before characters that are meant as such, and use no look-around, no backreferences and no \\p{{…}}")
        })?;
        let literal = literal_of(pattern);
        Ok(Self { regex, literal })
    }

    /// Whether a text can hold a match at all; quick.
    pub fn may_match(&self, text: &str) -> bool {
        self.literal.is_empty() || text.contains(&self.literal)
    }

    /// Where a match in `piece` begins.
    pub fn find(&self, piece: &str) -> Option<usize> {
        let found = self.may_match(piece).then(|| self.regex.find(piece));
        found.flatten().map(|found| found.start())
    }

    /// A line in pieces that do not take long, and where each begins.
    pub fn pieces<'a>(&self, line: &'a str) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let from = next?;
            let end = floor_boundary(line, from + PIECE);
            next = (end < line.len()).then(|| floor_boundary(line, end - OVERLAP));
            Some((from, &line[from..end]))
        })
    }
}

/// The longest text that stands in every match; empty if there is none for certain.
fn literal_of(pattern: &str) -> String {
    if pattern.contains('|') || pattern.contains("(?") {
        return String::new();
    }
    let (mut best, mut run) = (String::new(), String::new());
    let mut depth = 0;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let literal = match c {
            '\\' => match chars.next() {
                // What follows is a number and not text.
                Some('x' | 'u' | 'U') => return longer(best, run),
                escaped => escaped.filter(char::is_ascii_punctuation),
            },
            // Sets are not looked into: what follows one is left to the engine.
            '[' => return longer(best, run),
            '(' => {
                depth += 1;
                None
            }
            ')' => {
                depth -= 1;
                None
            }
            '.' | '^' | '$' | '*' | '+' | '?' | '{' | '}' => {
                if c == '{' {
                    chars.by_ref().find(|c| *c == '}');
                }
                None
            }
            c => Some(c),
        };
        let may_be_missing = matches!(chars.peek(), Some('*' | '?' | '{'));
        match literal.filter(|_| depth == 0 && !may_be_missing) {
            Some(c) => {
                run.push(c);
                if chars.peek() == Some(&'+') {
                    best = longer(best, std::mem::take(&mut run));
                }
            }
            None => best = longer(best, std::mem::take(&mut run)),
        }
    }
    longer(best, run)
}

fn longer(a: String, b: String) -> String {
    if b.len() > a.len() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_match_holds_is_known() {
        for (pattern, literal) in [
            ("foo", "foo"),
            ("fn \\w+\\(xy\\)", "(xy)"),
            ("ab+cde", "cde"),
            ("abc?d", "ab"),
            ("colou?r", "colo"),
            ("a|b", ""),
            ("(?i)abc", ""),
            ("(abc)?d", "d"),
            ("x{2,3}yz", "yz"),
            ("abc[xyz]", "abc"),
            ("^let .*;$", "let "),
            ("日本+語", "日本"),
            ("ab\\x41234", "ab"),
            (".*", ""),
        ] {
            assert_eq!(literal_of(pattern), literal, "{pattern}");
        }
    }

    #[test]
    fn long_lines_are_tried_in_pieces_that_overlap() {
        let matcher = Matcher::parse("needle").unwrap();
        for at in [0, PIECE - 3, PIECE * 2 - OVERLAP - 1, PIECE * 3] {
            let line = format!("{}needle{}", "早".repeat(at / 3), "é".repeat(PIECE));
            let pieces: Vec<(usize, &str)> = matcher.pieces(&line).collect();
            let found = pieces
                .iter()
                .find_map(|(from, piece)| Some(from + matcher.find(piece)?));
            assert_eq!(found, line.find("needle"), "{at}");
        }
    }
}
