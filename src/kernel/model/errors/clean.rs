//! A host's words made fit to be shown: without markup or keys, and not too long.

use std::borrow::Cow;

use crate::kernel::redact::Redactor;

/// Longest text of a host that is shown, in characters.
const MAX_DETAIL: usize = 400;
/// Longest part of a body that is kept for who wants to see it, in characters.
const MAX_BODY: usize = 4_000;

/// A message in plain words.
pub(super) fn detail(text: &str) -> String {
    let text = capped(text.trim(), 8 * MAX_DETAIL);
    let plain = match super::looks_like_markup(&text) {
        true => Cow::Owned(without_markup(&text)),
        false => text,
    };
    let hidden = Redactor::new().redact(&plain).into_owned();
    capped(&hidden, MAX_DETAIL).into_owned()
}

/// A body as it came, as far as it is kept.
pub fn shown_body(body: &str) -> String {
    let start = capped(body.trim(), MAX_BODY);
    // A key that was cut in two is known by its start.
    Redactor::new().redact(&start).into_owned()
}

fn capped(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// What a page says, in one line.
fn without_markup(page: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some((before, tag)) = rest.split_once('<') {
        words.extend(before.split_whitespace());
        let end = match tag.get(..3) {
            Some("!--") => "-->",
            _ => hidden_until(tag).unwrap_or(">"),
        };
        rest = tag.split_once(end).map_or("", |(_, behind)| behind);
    }
    words.extend(rest.split_whitespace());
    words.join(" ")
}

/// Where the part ends that stands between tags and is not meant to be read.
fn hidden_until(tag: &str) -> Option<&'static str> {
    let begins = |name: &str| {
        let start = tag.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    [("script", "</script>"), ("style", "</style>")]
        .into_iter()
        .find_map(|(name, end)| begins(name).then_some(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_plain_short_and_without_keys() {
        for (text, expected) in [
            (
                "<html><head><title>502 Bad Gateway</title><style>b{}</style></head><body><h1>502  Bad</h1><!-- x > y --></body>",
                "502 Bad Gateway 502 Bad",
            ),
            ("a < b and <b>c</b>", "a < b and <b>c</b>"),
            ("  no\n", "no"),
            ("<html", ""),
        ] {
            assert_eq!(detail(text), expected, "{text}");
        }
        let key = format!("sk-proj-{}", "aB3dE6gH9jK2mN5pQ8s".repeat(2));
        let told = detail(&format!("Incorrect API key provided: {key}."));
        assert!(
            told.starts_with("Incorrect API key provided: [redacted"),
            "{told}"
        );
        assert!(!shown_body(&key).contains("aB3dE6"));
        let long = detail(&"长".repeat(5_000));
        assert_eq!(long.chars().count(), MAX_DETAIL + 1);
    }
}
