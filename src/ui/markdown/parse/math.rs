//! Formulas: where they begin and end. They are shown as they are written until what sets
//! them is there, and where it can't read them.

/// Longest formula within a line, in bytes.
const MAX_INLINE: usize = 1_000;
/// Longest formula on lines of its own.
pub const MAX_DISPLAY: usize = 8_000;

/// How a formula stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Within a line.
    Inline,
    /// On lines of its own.
    Display,
}

/// What is found where a formula may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A formula of so many bytes.
    Formula(usize, Form),
    /// Its end is not there.
    Open,
}

/// The formula at the start of `text`, which begins with `$`, `\(` or `\[`, where `before`
/// is the character before it.
pub fn find(text: &str, before: Option<char>) -> Option<Found> {
    let (open, close, form) = match text.as_bytes() {
        [b'$', b'$', ..] => ("$$", "$$", Form::Display),
        [b'$', ..] => return dollar(text, before),
        [b'\\', b'(', ..] => ("\\(", "\\)", Form::Inline),
        [b'\\', b'[', ..] => ("\\[", "\\]", Form::Display),
        _ => return None,
    };
    let inside = &text[open.len()..];
    let near = &inside[..inside.floor_char_boundary(MAX_INLINE)];
    match near.find(close) {
        Some(end) => {
            let length = open.len() + end + close.len();
            is_formula(&near[..end], open).then_some(Found::Formula(length, form))
        }
        None if near.len() == inside.len() => Some(Found::Open),
        None => None,
    }
}

/// Whether `inside` is one: brackets behind a backslash may also be meant as brackets.
fn is_formula(inside: &str, open: &str) -> bool {
    let inside = inside.trim_ascii();
    let has_letter = inside.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let is_letter = inside.len() == 1 && inside.bytes().all(|byte| byte.is_ascii_alphabetic());
    let has_sign = inside.contains(['\\', '^', '_', '=', '{', '+', '<', '>', '|', '&', '(']);
    has_letter && (open == "$$" || is_letter || has_sign)
}

/// A formula between single signs. They stand for money more often: what is between them
/// touches both, and neither is part of a word or of a number.
fn dollar(text: &str, before: Option<char>) -> Option<Found> {
    let inside = &text[1..];
    let is_apart = before.is_none_or(|before| !before.is_alphanumeric() && before != '\\');
    if !is_apart || inside.starts_with(|char: char| char.is_ascii_whitespace()) {
        return None;
    }
    let bytes = inside.as_bytes();
    let mut at = 0;
    while at < MAX_INLINE {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b'`' => return None,
            b'$' => break,
            _ => {}
        }
        at += 1;
    }
    let formula = inside.get(..at)?;
    let after = inside.get(at + 1..)?.chars().next();
    // "the $n$th", but not "$HOME/$USER".
    let is_clear = formula.len() == 1 || formula.contains(['\\', '^']);
    let ends = match after {
        Some(after) if after.is_ascii_digit() || after == '$' => false,
        Some(after) => is_clear || !after.is_ascii_alphabetic(),
        None => true,
    };
    let is_formula = !formula.is_empty()
        && bytes.get(at) == Some(&b'$')
        && !formula.ends_with(|char: char| char.is_ascii_whitespace())
        && ends;
    is_formula.then_some(Found::Formula(at + 2, Form::Inline))
}

/// What ends the formula that begins with this line alone.
pub fn begun(line: &str) -> Option<&'static str> {
    match line.trim_ascii() {
        "$$" => Some("$$"),
        "\\[" => Some("\\]"),
        _ => None,
    }
}
