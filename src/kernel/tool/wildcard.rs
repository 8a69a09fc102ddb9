//! Patterns for paths: `*`, `?` and `[a-z]` within a name, `**` over folders, `{a,b}`.
//! All places a pattern can have come to are followed at once, so the time grows with
//! pattern and path and never explodes.

use super::text::floor_boundary;

/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 1 << 10;
/// Most patterns that braces make of one.
const MAX_ALTERNATIVES: usize = 64;

/// A pattern that was read.
pub(super) struct Wildcard {
    alternatives: Vec<Vec<Token>>,
    /// Whether it is about a name in any folder.
    of_name: bool,
}

#[derive(Clone)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `[…]`: whether it is what is not in it, and the ranges.
    Set(bool, Vec<(char, char)>),
    /// `*`: within a name.
    Star,
    /// `**`: anything.
    Deep,
    /// `**/`: any folders, or none.
    Folders,
}

impl Wildcard {
    /// Reads a pattern; one without a slash is about a name in any folder.
    ///
    /// # Errors
    /// A sentence for the model.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        if pattern.len() > MAX_PATTERN {
            return Err("the pattern is longer than 1 KB; make it shorter".into());
        }
        let pattern = pattern.trim_start_matches("./");
        let mut whole = Vec::new();
        expand(pattern, &mut whole)?;
        let anchored = pattern.trim_end_matches('/').contains('/');
        let alternatives = whole.iter().map(|one| tokens(one.trim_start_matches('/')));
        Ok(Self {
            alternatives: alternatives.collect(),
            of_name: !anchored,
        })
    }

    /// Reads a pattern in which braces are nothing special.
    pub fn without_braces(pattern: &str, of_name: bool) -> Self {
        let end = floor_boundary(pattern, MAX_PATTERN);
        Self {
            alternatives: vec![tokens(&pattern[..end])],
            of_name,
        }
    }

    /// Whether it fits a path, which is relative to where the pattern holds.
    pub fn fits(&self, path: &str) -> bool {
        let path = match self.of_name {
            true => path.rsplit('/').next().unwrap_or_default(),
            false => path,
        };
        self.alternatives.iter().any(|tokens| fits(tokens, path))
    }
}

/// Writes out the alternatives of the first braces, and of those behind them.
fn expand(pattern: &str, whole: &mut Vec<String>) -> Result<(), String> {
    let found = outer_braces(pattern);
    let Some((open, commas, close)) = found.filter(|(_, commas, _)| !commas.is_empty()) else {
        if whole.len() == MAX_ALTERNATIVES {
            return Err("the braces of the pattern make more than 64 patterns; use fewer".into());
        }
        whole.push(pattern.to_owned());
        return Ok(());
    };
    let mut start = open + 1;
    for end in commas.into_iter().chain([close]) {
        let (head, tail) = (&pattern[..open], &pattern[close + 1..]);
        expand(&format!("{head}{}{tail}", &pattern[start..end]), whole)?;
        start = end + 1;
    }
    Ok(())
}

/// Where the first braces that hold a comma open, have their commas and close.
fn outer_braces(pattern: &str) -> Option<(usize, Vec<usize>, usize)> {
    let open = pattern.find('{')?;
    let (mut depth, mut commas) = (0, Vec::new());
    for (at, c) in pattern.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => commas.push(at),
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some((open, commas, at));
                }
            }
            _ => {}
        }
    }
    None
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = after;
        match c {
            '*' if after.starts_with('*') => {
                rest = after.trim_start_matches('*');
                match rest.strip_prefix('/') {
                    Some(below) => {
                        rest = below;
                        tokens.push(Token::Folders);
                    }
                    None => tokens.push(Token::Deep),
                }
            }
            '*' => tokens.push(Token::Star),
            '?' => tokens.push(Token::One),
            '\\' => {
                let escaped = after.chars().next().unwrap_or('\\');
                rest = after.get(escaped.len_utf8()..).unwrap_or_default();
                tokens.push(Token::Char(escaped));
            }
            '[' => match set(after) {
                Some((set, below)) => {
                    rest = below;
                    tokens.push(set);
                }
                None => tokens.push(Token::Char('[')),
            },
            c => tokens.push(Token::Char(c)),
        }
    }
    tokens
}

/// A set of characters, and what stands behind it; `None` if it has no end.
fn set(text: &str) -> Option<(Token, &str)> {
    let bare = text.strip_prefix(['!', '^']);
    let text_of_set = bare.unwrap_or(text);
    // A bracket that comes first is meant.
    let first = text_of_set.chars().next()?.len_utf8();
    let end = first + text_of_set.get(first..)?.find(']')?;
    let chars: Vec<char> = text_of_set[..end].chars().collect();
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        if at + 2 < chars.len() && chars[at + 1] == '-' {
            ranges.push((chars[at], chars[at + 2]));
            at += 3;
        } else {
            ranges.push((chars[at], chars[at]));
            at += 1;
        }
    }
    Some((Token::Set(bare.is_some(), ranges), &text_of_set[end + 1..]))
}

fn fits(tokens: &[Token], path: &str) -> bool {
    let mut here = vec![false; tokens.len() + 1];
    enter(tokens, 0, &mut here);
    for c in path.chars() {
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate().filter(|(at, _)| here[*at]) {
            let one_on = match token {
                Token::Char(wanted) => *wanted == c,
                Token::One => c != '/',
                Token::Set(negated, ranges) => {
                    let is_in = ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
                    c != '/' && is_in != *negated
                }
                Token::Star => {
                    if c != '/' {
                        enter(tokens, at, &mut next);
                    }
                    false
                }
                Token::Deep => {
                    enter(tokens, at, &mut next);
                    false
                }
                // What follows begins behind a slash alone.
                Token::Folders => {
                    next[at] = true;
                    c == '/'
                }
            };
            if one_on {
                enter(tokens, at + 1, &mut next);
            }
        }
        here = next;
    }
    here[tokens.len()]
}

/// Comes to the token `at`, and to those behind it if it may stand for nothing.
fn enter(tokens: &[Token], mut at: usize, places: &mut [bool]) {
    places[at] = true;
    while let Some(Token::Star | Token::Deep | Token::Folders) = tokens.get(at) {
        at += 1;
        places[at] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_paths() {
        for (pattern, fitting, other) in [
            (
                "*.rs",
                &["a.rs", "src/deep/b.rs"][..],
                &["a.rs.md", "rs"][..],
            ),
            ("src/*.rs", &["src/a.rs"], &["src/b/a.rs", "a.rs"]),
            ("src/**", &["src/a", "src/b/c"], &["src", "src-old/a"]),
            (
                "**/test/*.js",
                &["test/a.js", "a/b/test/c.js"],
                &["a-test/c.js", "test/x/a.js"],
            ),
            ("a/**/b", &["a/b", "a/x/y/b"], &["a/xb", "ab"]),
            ("*.{ts,tsx}", &["a.ts", "d/b.tsx"], &["a.t"]),
            ("{a,b/{c,d}}/x", &["a/x", "b/c/x", "b/d/x"], &["b/x"]),
            ("[a-c]?.md", &["b1.md", "c早.md"], &["d1.md", "a.md"]),
            ("[!a]b", &["cb"], &["ab"]),
            ("{x}", &["{x}"], &["x"]),
            ("a[b", &["a[b"], &["ab"]),
            ("文*/🦀.md", &["文档/🦀.md"], &["文档/a.md"]),
        ] {
            let wildcard = Wildcard::parse(pattern).unwrap();
            for path in fitting {
                assert!(wildcard.fits(path), "{pattern} {path}");
            }
            for path in other {
                assert!(!wildcard.fits(path), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn no_pattern_explodes() {
        let wildcard = Wildcard::parse(&format!("{}b", "*a".repeat(200))).unwrap();
        assert!(!wildcard.fits(&"a".repeat(1_000)));
        assert!(Wildcard::parse(&"{a,b}".repeat(20)).is_err());
        assert!(Wildcard::parse(&"x".repeat(2_000)).is_err());
    }
}
