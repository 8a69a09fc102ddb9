//! Characters that turn the order of what stands around them.

use std::borrow::Cow;

/// `text` with a mark in the place of each character that would show what follows in
/// another order than it is in, to the end of the block or up to another such character.
pub fn in_order(text: &str) -> Cow<'_, str> {
    // All of them begin with this byte.
    if !text.as_bytes().contains(&0xe2) || !text.contains(turns) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(turns, "\u{fffd}"))
}

/// Embeddings, overrides and isolates, and what ends them.
fn turns(char: char) -> bool {
    matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
