//! Addresses in a text without anything around them.

use super::link::{is_space, is_wide_sign};

/// The length of the web address at the start of `text`.
pub fn web(text: &str) -> Option<usize> {
    let host = host(text)?;
    let mut end = host;
    let mut open = 0;
    for (at, char) in text[host..].char_indices() {
        match char {
            '[' => open += 1,
            ']' if open == 0 => break,
            ']' => open -= 1,
            '<' | '>' | '"' | '`' | '*' | '\\' | '|' => break,
            '~' if text[host + at..].starts_with("~~") => break,
            _ if char.is_ascii_whitespace() || char.is_ascii_control() => break,
            _ if is_wide_sign(char) || is_space(char) => break,
            _ => {}
        }
        end = host + at + char.len_utf8();
    }
    let kept = without_end(&text[..end]);
    (kept > host).then_some(kept)
}

/// Where the host begins in a text that begins with a web address.
fn host(text: &str) -> Option<usize> {
    let mut start = 0;
    for scheme in ["http://", "https://", "ftp://"] {
        if text.starts_with(scheme) {
            start = scheme.len();
        }
    }
    if start == 0 {
        let is_host = text.starts_with("www.") && text.as_bytes().get(4)?.is_ascii_alphanumeric();
        return is_host.then_some(4);
    }
    let first = *text.as_bytes().get(start)?;
    (first.is_ascii_alphanumeric() || !first.is_ascii()).then_some(start)
}

/// The length of `address` without what belongs to the text around it.
fn without_end(address: &str) -> usize {
    let count = |sign| address.bytes().filter(|byte| *byte == sign).count();
    let mut unopened = count(b')').saturating_sub(count(b'('));
    let mut kept = address;
    loop {
        let before = kept.len();
        kept = kept.trim_end_matches(['.', ',', ':', '!', '?', '\'', '_', '~', '(', '[']);
        if kept.ends_with(')') && unopened > 0 {
            unopened -= 1;
            kept = &kept[..kept.len() - 1];
        }
        if let Some(inside) = kept.strip_suffix(';') {
            let name = inside.trim_end_matches(|char: char| char.is_ascii_alphanumeric());
            let is_entity = name.ends_with('&') && name.len() < inside.len();
            kept = if is_entity {
                &name[..name.len() - 1]
            } else {
                inside
            };
        }
        if kept.len() == before {
            return before;
        }
    }
}

/// The bytes before and behind the `@` at `at` that are a mail address with it. What
/// comes before `from` does not belong to it.
pub fn mail(text: &str, from: usize, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-_+".contains(byte);
    let before = bytes[from..at].iter().rev().take_while(is_name).count();
    let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-_".contains(byte);
    let behind = bytes[at + 1..].iter().take_while(is_host).count();
    let host = text[at + 1..at + 1 + behind].trim_end_matches('.');
    let is_host = host.contains('.') && !host.starts_with('.') && !host.ends_with(['-', '_']);
    (before > 0 && is_host).then_some((before, host.len() + 1))
}
