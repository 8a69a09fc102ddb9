//! JSON as hosts send it.

use serde_json::Value as Json;

/// Parses JSON; escaped halves of surrogate pairs, which `serde_json` refuses
/// and some hosts send, become replacement characters.
pub(super) fn parse(text: &str) -> Option<Json> {
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&mend_surrogates(text)))
        .ok()
}

fn mend_surrogates(text: &str) -> String {
    let code_at = |at: usize| -> Option<u32> {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(escape, 16).ok()
    };
    let mut mended = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let code = code_at(at);
        let low = code_at(at + 6);
        if c != '\\' {
            mended.push(c);
            at += c.len_utf8();
        } else if matches!(code, Some(0xD800..=0xDBFF)) && matches!(low, Some(0xDC00..=0xDFFF)) {
            mended.push_str(&text[at..at + 12]);
            at += 12;
        } else if matches!(code, Some(0xD800..=0xDFFF)) {
            mended.push('\u{FFFD}');
            at += 6;
        } else {
            // Any other escape is two characters long as far as this goes.
            let end = text[at + 1..]
                .chars()
                .next()
                .map_or(at + 1, |next| at + 1 + next.len_utf8());
            mended.push_str(&text[at..end]);
            at = end;
        }
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_surrogates_are_replaced_and_whole_ones_kept() {
        for (text, expected) in [
            (r#""\ud83d\udc4d""#, "👍"),
            (r#""a\ud83db""#, "a\u{FFFD}b"),
            (r#""\udc4d \\ud83d é\n""#, "\u{FFFD} \\ud83d é\n"),
        ] {
            assert_eq!(parse(text), Some(Json::String(expected.into())), "{text}");
        }
    }
}
