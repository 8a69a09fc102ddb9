//! The signs with which blocks begin and end. Each function is given what
//! follows the indentation of a line.

use super::Tick;

/// How many times `byte` stands at the start.
pub fn run(text: &str, byte: u8) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    while bytes.get(count) == Some(&byte) {
        count += 1;
    }
    count
}

/// The level of a heading and its text.
pub fn heading(rest: &str) -> Option<(u8, &str)> {
    let level = run(rest, b'#');
    let text = &rest[level..];
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let text = text.trim_ascii();
    let open = text.trim_end_matches('#');
    let is_closed = open.is_empty() || open.ends_with([' ', '\t']);
    let text = if is_closed { open.trim_ascii() } else { text };
    Some((level as u8, text))
}

/// The level of the heading that this line makes of the paragraph before it.
pub fn underline(rest: &str) -> Option<u8> {
    let (byte, level) = match rest.as_bytes().first() {
        Some(b'=') => (b'=', 1),
        Some(b'-') => (b'-', 2),
        _ => return None,
    };
    let after = &rest[run(rest, byte)..];
    after.trim_ascii().is_empty().then_some(level)
}

/// Whether it is a line across.
pub fn is_rule(rest: &str) -> bool {
    let Some(&sign @ (b'*' | b'-' | b'_')) = rest.as_bytes().first() else {
        return false;
    };
    let mut count = 0;
    for byte in rest.bytes() {
        match byte {
            b' ' | b'\t' => {}
            _ if byte == sign => count += 1,
            _ => return false,
        }
    }
    count >= 3
}

/// The fence of a code block.
#[derive(Clone, Copy)]
pub struct Fence {
    byte: u8,
    length: usize,
}

impl Fence {
    /// The fence and what is written behind it.
    pub fn open(rest: &str) -> Option<(Self, &str)> {
        let byte = *rest.as_bytes().first()?;
        let length = run(rest, byte);
        let info = rest[..].get(length..)?;
        let is_fence = match byte {
            b'`' => length >= 3 && !info.as_bytes().contains(&b'`'),
            b'~' => length >= 3,
            _ => false,
        };
        is_fence.then(|| (Self { byte, length }, info.trim_ascii()))
    }

    pub fn is_closed_by(self, rest: &str) -> bool {
        let length = run(rest, self.byte);
        length >= self.length && rest[length..].trim_ascii().is_empty()
    }
}

/// What an item of a list begins with.
#[derive(Clone, Copy)]
pub struct Marker {
    /// The bullet, or what stands behind the number.
    pub byte: u8,
    /// The number, if it has one.
    pub number: Option<u64>,
    /// Bytes it takes.
    pub length: usize,
}

impl Marker {
    pub fn new(rest: &str) -> Option<Self> {
        let bytes = rest.as_bytes();
        let mut digits = 0;
        let mut number = 0;
        while let Some(digit @ b'0'..=b'9') = bytes.get(digits) {
            number = number * 10 + u64::from(digit - b'0');
            digits += 1;
            if digits > 9 {
                return None;
            }
        }
        let byte = *bytes.get(digits)?;
        let is_marker = match byte {
            b'-' | b'*' | b'+' => digits == 0,
            b'.' | b')' => digits > 0,
            _ => false,
        };
        let is_apart = matches!(bytes.get(digits + 1), None | Some(b' ' | b'\t'));
        (is_marker && is_apart).then_some(Self {
            byte,
            number: (digits > 0).then_some(number),
            length: digits + 1,
        })
    }
}

/// The box that a paragraph begins with.
pub fn task(text: &str) -> Option<Tick> {
    if !matches!(text.as_bytes().get(3), Some(b' ' | b'\t' | b'\n')) {
        return None;
    }
    match &text.as_bytes()[..3] {
        b"[ ]" => Some(Tick::Open),
        b"[x]" | b"[X]" => Some(Tick::Done),
        _ => None,
    }
}
