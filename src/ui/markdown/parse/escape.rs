//! Characters written in another way: behind a backslash or as an entity.

use super::entities::NAMED;

/// Longest name of an entity.
const MAX_NAME: usize = 8;

/// The character of the entity at the start of `text`, and the entity's length.
pub fn entity(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?;
    if let Some(number) = name.strip_prefix('#') {
        return numeric(number);
    }
    let bytes = name.as_bytes().iter().take(MAX_NAME + 1);
    let length = bytes.take_while(|byte| **byte != b';').count();
    if name.as_bytes().get(length) != Some(&b';') {
        return None;
    }
    let name = &name.as_bytes()[..length];
    let at = NAMED.binary_search_by(|known| known.0.as_bytes().cmp(name));
    at.ok().map(|at| (NAMED[at].1, length + 2))
}

fn numeric(number: &str) -> Option<(char, usize)> {
    let digits = number.strip_prefix(['x', 'X']).unwrap_or(number);
    let before = 2 + number.len() - digits.len();
    let (radix, most) = if before == 3 { (16, 6) } else { (10, 7) };
    let mut value = 0;
    let mut length = 0;
    for byte in digits.bytes() {
        if byte == b';' && length > 0 {
            let shown = char::from_u32(value).filter(|shown| *shown != '\0');
            return Some((
                shown.unwrap_or(char::REPLACEMENT_CHARACTER),
                before + length + 1,
            ));
        }
        value = value * radix + char::from(byte).to_digit(radix)?;
        length += 1;
        if length > most {
            return None;
        }
    }
    None
}

/// Whether a backslash at the start takes the next character's meaning.
pub fn is_escape(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'\\') && bytes.get(1).is_some_and(u8::is_ascii_punctuation)
}

/// `text` with its escapes and entities replaced.
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let mut shown = next;
        let mut length = next.len_utf8();
        if is_escape(rest.as_bytes()) {
            shown = char::from(rest.as_bytes()[1]);
            length = 2;
        } else if let Some((entity, taken)) = entity(rest) {
            shown = entity;
            length = taken;
        }
        out.push(shown);
        rest = &rest[length..];
    }
    out
}
