//! The end of a text that is still coming. What may yet become something else is not
//! shown, or shown as what it will most likely be, so that nothing turns into
//! something else before the reader's eyes.

use super::sign::run;

/// Bytes of a link's text as far as it is taken for one before it has its end.
pub const MAX_LINK: usize = 300;
/// Bytes of what is stressed, or code in a line, as far as it is taken for that before it
/// has its end.
pub const MAX_OPEN: usize = 300;
/// Bytes of a row that is held back until the next line tells whether it is a table's head.
const MAX_ROW: usize = 1_000;
/// Signs at the end that are held back.
const MAX_SIGNS: usize = 8;
/// Bytes of a line that is held back until it tells what it is.
const MAX_HELD: usize = 300;
/// Bytes in a bracket at the start of a line that may be a box or the name of an address.
const MAX_NAME: usize = 32;

/// Whether more of a text is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is all there.
    Whole,
    /// It is still coming.
    Open,
}

/// What is shown of a text that is still coming: all but a last line that does not
/// tell yet what it is, and the line before it where that may be the head of a table.
pub fn shown(text: &str, is_in_code: bool) -> &str {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let (before, line) = text.split_at(start);
    if is_in_code {
        return if is_fence(line) { before } else { text };
    }
    let head = last_line(before);
    if is_row(line) && line.len() <= MAX_ROW && !is_row(head) {
        return before;
    }
    let above = &before[..before.len() - head.len()];
    let is_head = is_row(head) && head.len() <= MAX_ROW && !is_row(last_line(above));
    let tells = line.bytes().any(|byte| !b"|:-> \t".contains(&byte));
    if is_head && !tells && !is_delimiter(line) {
        return above;
    }
    if is_held(head, line) { before } else { text }
}

/// The last line of `text` with its end.
fn last_line(text: &str) -> &str {
    let inside = text.strip_suffix('\n').unwrap_or(text);
    &text[inside.rfind('\n').map_or(0, |at| at + 1)..]
}

/// Whether `line` may be a row of a table, in quotations or not.
fn is_row(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t', '>']);
    rest.starts_with('|')
}

/// Whether `line`, which stands in code, may become the fence behind it.
fn is_fence(line: &str) -> bool {
    let rest = line.trim_ascii();
    !rest.is_empty() && rest.len() <= MAX_HELD && rest.bytes().all(|byte| b"`~".contains(&byte))
}

fn is_held(head: &str, line: &str) -> bool {
    if line.len() > MAX_HELD || line.is_empty() {
        return false;
    }
    let is_sign = |byte: u8| b"-*+_=~`#>:| \t".contains(&byte);
    if line.bytes().all(is_sign) {
        return !(is_delimiter(line) && head.contains('|'));
    }
    let rest = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[digits..].trim_start_matches(['.', ')']);
    let is_number = (1..=9).contains(&digits) && number.trim_ascii().is_empty();
    let is_fence = run(rest, b'`') >= 3 || run(rest, b'~') >= 3;
    let is_name = |byte: &u8| byte.is_ascii_alphabetic() || b"/!?".contains(byte);
    let is_tag =
        rest.starts_with('<') && rest.as_bytes().get(1).is_none_or(is_name) && !rest.contains('>');
    is_number || is_fence || is_tag || is_bracket(rest)
}

/// Whether `line` begins what may become the box of a task, or the name of an address.
fn is_bracket(line: &str) -> bool {
    let Some(inside) = line.strip_prefix('[') else {
        return false;
    };
    match inside.split_once(']') {
        None => inside.len() <= MAX_NAME,
        Some((label, after)) => {
            after.starts_with(':') || (after.trim_ascii().is_empty() && label.len() <= MAX_NAME)
        }
    }
}

/// Whether `line` is the beginning of one that makes a table of the line before it.
pub fn is_delimiter(line: &str) -> bool {
    let mut has_dash = false;
    let mut has_bar = false;
    for byte in line.bytes() {
        match byte {
            b'-' => has_dash = true,
            b'|' => has_bar = true,
            b':' | b' ' | b'\t' => {}
            _ => return false,
        }
    }
    has_dash && has_bar
}

/// Whether `text` is the beginning of an address in angle brackets.
pub fn is_address(text: &str) -> bool {
    text.len() <= MAX_LINK && text.starts_with("<http") && !text[1..].contains([' ', '\n', '<'])
}

/// `text` without signs at its end that may yet begin or end something.
pub fn without_signs(text: &str) -> &str {
    let kept = text.trim_end_matches(['*', '_', '~', '`', '$', '\\']);
    match text.len() - kept.len() {
        ..=MAX_SIGNS => kept,
        _ => text,
    }
}
