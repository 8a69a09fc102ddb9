//! JSON as hosts send it.

use std::borrow::Cow;

use serde_json::Value as Json;

/// Where a half of a surrogate pair is put until the other one comes: as far behind
/// its code as the last private plane lies. Rust's texts can't hold the half itself.
const HALVES: u32 = 0x10_0000;
/// What stands for a half whose other one never came.
const LOST: char = '\u{FFFD}';

/// Parses JSON; escaped halves of surrogate pairs, which `serde_json` refuses and some
/// hosts send, are marked (see [`Joiner`]). Tells whether there were any.
pub(super) fn parse(text: &str) -> Option<(Json, bool)> {
    match serde_json::from_str(text) {
        Ok(json) => Some((json, false)),
        Err(_) if text.contains("\\u") => {
            let json = serde_json::from_str(&mark_halves(text)).ok()?;
            Some((json, true))
        }
        Err(_) => None,
    }
}

fn mark_halves(text: &str) -> String {
    let code_at = |at: usize| -> Option<u32> {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(escape, 16).ok()
    };
    let mut marked = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let code = code_at(at);
        let low = code_at(at + 6);
        if c != '\\' {
            marked.push(c);
            at += c.len_utf8();
        } else if matches!(code, Some(0xD800..=0xDBFF)) && matches!(low, Some(0xDC00..=0xDFFF)) {
            marked.push_str(&text[at..at + 12]);
            at += 12;
        } else if let Some(half @ 0xD800..=0xDFFF) = code {
            marked.push(char::from_u32(HALVES + half).unwrap_or(LOST));
            at += 6;
        } else {
            // Any other escape is two characters long as far as this goes.
            let end = text[at + 1..]
                .chars()
                .next()
                .map_or(at + 1, |next| at + 1 + next.len_utf8());
            marked.push_str(&text[at..end]);
            at = end;
        }
    }
    marked
}

/// Joins the marked halves of a text that comes in pieces.
#[derive(Default)]
pub(super) struct Joiner {
    /// A first half at the end of the last piece.
    first: Option<u32>,
}

impl Joiner {
    /// The next piece, with whole characters for the halves if some are `marked` in it.
    /// A first half at its end is held back.
    pub(super) fn join<'a>(&mut self, piece: &'a str, marked: bool) -> Cow<'a, str> {
        match marked || (self.first.is_some() && !piece.is_empty()) {
            true => self.joined(piece).into(),
            false => piece.into(),
        }
    }

    /// The next piece, if a half is held back from the last one.
    pub(super) fn joined_if_open(&mut self, piece: &str) -> Option<String> {
        self.first.is_some().then(|| self.joined(piece))
    }

    fn joined(&mut self, piece: &str) -> String {
        let mut joined = String::with_capacity(piece.len());
        for c in piece.chars() {
            let half = u32::from(c).wrapping_sub(HALVES);
            let first = self.first.take();
            match (half, first) {
                (0xDC00..=0xDFFF, Some(first)) => {
                    let code = 0x1_0000 + ((first - 0xD800) << 10) + (half - 0xDC00);
                    joined.push(char::from_u32(code).unwrap_or(LOST));
                    continue;
                }
                (_, Some(_)) => joined.push(LOST),
                _ => {}
            }
            match half {
                0xD800..=0xDBFF => self.first = Some(half),
                0xDC00..=0xDFFF => joined.push(LOST),
                _ => joined.push(c),
            }
        }
        joined
    }

    /// Nothing more comes: what is left.
    pub(super) fn finish(&mut self) -> Option<char> {
        self.first.take().map(|_| LOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_surrogates_are_joined_or_replaced_and_whole_ones_kept() {
        for (pieces, expected) in [
            (&[r#""\ud83d\udc4d""#][..], "👍"),
            (&[r#""a\ud83db""#], "a\u{FFFD}b"),
            (&[r#""\udc4d \\ud83d é\n""#], "\u{FFFD} \\ud83d é\n"),
            (&[r#""a\ud83d""#, r#""\udc4db""#], "a👍b"),
            (&[r#""a\ud83d""#, r#""""#, r#""\udc4d""#], "a👍"),
            (&[r#""a\ud83d""#, r#""\ud83d""#], "a\u{FFFD}\u{FFFD}"),
        ] {
            let mut joiner = Joiner::default();
            let mut text = String::new();
            for piece in pieces {
                let (json, marked) = parse(piece).expect("JSON");
                text.push_str(&joiner.join(json.as_str().expect("a text"), marked));
            }
            text.extend(joiner.finish());
            assert_eq!(text, expected, "{pieces:?}");
        }
    }

    #[test]
    fn what_is_no_json_is_none() {
        assert_eq!(parse("{\"a\":\"\\ud83d"), None);
        assert_eq!(parse("ping"), None);
    }
}
