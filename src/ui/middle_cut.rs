//! A name that is cut in its middle where there is no room for it: the end of a
//! path tells more than its middle.

use leptos::prelude::*;

use super::erase::live;

/// Characters at the end that always stay.
const END: usize = 10;

/// Shows `text` whole if it fits. Hovering shows all of it, and readers hear all.
#[component]
pub fn MiddleCut(
    /// The name.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let halves = Memo::new(move |_| text.with(|text| split(text)));
    view! {
        <span class="cut" title=live(move || text.get())>
            <span class="cut__start">{live(move || halves.get().0)}</span>
            <span class="cut__end">{live(move || halves.get().1)}</span>
        </span>
    }
}

fn split(text: &str) -> (String, String) {
    let count = text.chars().count();
    if count < 2 * END {
        return (text.to_owned(), String::new());
    }
    let at = text.char_indices().nth(count - END).map_or(0, |(at, _)| at);
    let (start, end) = text.split_at(at);
    (start.to_owned(), end.to_owned())
}
