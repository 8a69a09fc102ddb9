//! Characters written in another way: behind a backslash or as an entity.

/// Named entities that are known; others stay as they are.
const NAMED: [(&str, &str); 10] = [
    ("amp;", "&"),
    ("lt;", "<"),
    ("gt;", ">"),
    ("quot;", "\""),
    ("apos;", "'"),
    ("nbsp;", "\u{a0}"),
    ("copy;", "©"),
    ("hellip;", "…"),
    ("mdash;", "—"),
    ("ndash;", "–"),
];

/// The character of the entity at the start of `text`, and the entity's length.
pub fn entity(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?;
    if let Some(number) = name.strip_prefix('#') {
        return numeric(number);
    }
    for (known, shown) in NAMED {
        if name.starts_with(known) {
            return Some((shown.chars().next()?, 1 + known.len()));
        }
    }
    None
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
