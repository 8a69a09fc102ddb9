//! How links are written: what stands in brackets.

use super::escape::{is_escape, unescape};
use super::target::Target;

/// Deepest nesting of brackets in an address.
const MAX_BRACKETS: usize = 32;

/// What the brackets at the start of `text` lead to, and the length of it all.
pub fn target(text: &str) -> Option<(Target, usize)> {
    if !text.starts_with('(') {
        return None;
    }
    let start = skip_space(text, 1);
    let (address, end) = destination(text, start)?;
    let mut at = skip_space(text, end);
    let mut told = None;
    if at > end
        && let Some((title, behind)) = title(text, at)
    {
        told = Some(unescape(title));
        at = skip_space(text, behind);
    }
    let is_whole = text.as_bytes().get(at) == Some(&b')');
    is_whole.then(|| (Target::new(&unescape(address), told.as_deref()), at + 1))
}

/// Where the white space ends that begins at `at`.
pub fn skip_space(text: &str, mut at: usize) -> usize {
    while text.as_bytes().get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The address at `start` as it is written, and where it ends.
pub fn destination(text: &str, start: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let is_angled = bytes.get(start) == Some(&b'<');
    let start = start + usize::from(is_angled);
    let mut at = start;
    let mut open = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            _ if is_escape(&bytes[at..]) => at += 1,
            b'>' if is_angled => return Some((&text[start..at], at + 1)),
            b'\n' | b'<' if is_angled => return None,
            _ if is_angled => {}
            b'(' => open += 1,
            b')' if open == 0 => break,
            b')' => open -= 1,
            _ if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            _ => {}
        }
        if open > MAX_BRACKETS {
            return None;
        }
        at += 1;
    }
    (open == 0 && !is_angled).then(|| (&text[start..at], at))
}

/// The title that begins at `start` as it is written, and where it ends.
pub fn title(text: &str, start: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let end = match bytes.get(start)? {
        b'(' => b')',
        quote @ (b'"' | b'\'') => *quote,
        _ => return None,
    };
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'(' if end == b')' => return None,
            _ if *byte == end => return Some((&text[start + 1..at], at + 1)),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The address in angle brackets at the start of `text`, and what is shown of it.
pub fn in_angles(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('<')?;
    let mut end = 0;
    let mut is_letter = false;
    for byte in inside.bytes() {
        match byte {
            b'>' => break,
            b'<' | b' ' => return None,
            b'@' => is_letter = true,
            _ if byte.is_ascii_control() => return None,
            _ => {}
        }
        end += 1;
    }
    if end == inside.len() {
        return None;
    }
    let shown = &inside[..end];
    match shown.split_once(':') {
        Some((scheme, _)) => is_scheme(scheme).then(|| (shown.to_owned(), shown)),
        None => (is_letter && is_mailbox(shown)).then(|| (format!("mailto:{shown}"), shown)),
    }
}

fn is_scheme(text: &str) -> bool {
    let mut is_valid = (2..=32).contains(&text.len());
    for (at, byte) in text.bytes().enumerate() {
        is_valid &= byte.is_ascii_alphabetic()
            || (at > 0 && (byte.is_ascii_digit() || b"+.-".contains(&byte)));
    }
    is_valid
}

fn is_mailbox(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else {
        return false;
    };
    let is_name =
        |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    !name.is_empty()
        && name.bytes().all(is_name)
        && host.bytes().all(is_host)
        && host
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// White space, as far as it matters beside a sign.
pub fn is_space(char: char) -> bool {
    char.is_ascii_whitespace()
        || matches!(
            char,
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{3000}'
        )
}

/// Signs that are not ASCII: quotation marks, dashes, Chinese and wide ones.
pub fn is_wide_sign(char: char) -> bool {
    matches!(
        char,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
            | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{301f}' | '\u{30fb}'
            | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
            | '\u{ff3b}'..='\u{ff3d}' | '\u{ff5b}'..='\u{ff65}'
    )
}

/// Signs of other kinds: of money, of mathematics, arrows, pictures.
pub fn is_symbol(char: char) -> bool {
    matches!(
        char,
        '\u{a2}'..='\u{a6}' | '\u{a8}' | '\u{a9}' | '\u{ac}' | '\u{ae}'..='\u{b1}' | '\u{b4}'
            | '\u{b6}' | '\u{b8}' | '\u{d7}' | '\u{f7}' | '\u{20a0}'..='\u{20c0}'
            | '\u{2190}'..='\u{2bff}' | '\u{1f300}'..='\u{1faff}'
    )
}
