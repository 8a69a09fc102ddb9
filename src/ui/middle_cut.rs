//! A name that is cut in its middle where there is no room for it: the end of a
//! path tells more than its middle.

use super::element::{El, span};

/// Characters at the end that always stay, and at the most, where a path ends in a longer name.
const END: usize = 8;
const LONGEST_END: usize = 20;

/// Shows what `text` gives whole if it fits. Hovering shows all of it, and readers hear all.
pub fn middle_cut(text: impl Fn() -> String + Clone + 'static) -> El {
    let (title, start) = (text.clone(), text.clone());
    span("cut")
        .bind("title", title)
        .child(span("cut__start").live(move || split(&start()).0))
        .child(span("cut__end").live(move || split(&text()).1))
}

fn split(text: &str) -> (String, String) {
    let count = text.chars().count();
    if count < 2 * END {
        return (text.to_owned(), String::new());
    }
    let name = text.rfind('/').map_or("", |at| &text[at..]);
    let kept = match name.chars().count() {
        whole @ END..=LONGEST_END => whole,
        _ => END,
    };
    let at = text
        .char_indices()
        .nth(count - kept)
        .map_or(0, |(at, _)| at);
    let (start, end) = text.split_at(at);
    (start.to_owned(), end.to_owned())
}
