//! Views and attributes with few types. Leptos makes code for each type of
//! closure that stands in a view; here closures become signals and boxes, so
//! that the code is made once. That is most of the interface's weight.

use std::sync::Arc;

use leptos::children::{ChildrenFn, ViewFn};
use leptos::prelude::*;

/// A value in a view that is worked out anew when what it reads changes.
pub fn live<T: Send + Sync + 'static>(value: impl Fn() -> T + Send + Sync + 'static) -> Signal<T> {
    Signal::derive(value)
}

/// A part of a view that is drawn anew when what it reads changes.
pub fn part(draw: impl Fn() -> AnyView + Send + 'static) -> Part {
    Box::new(draw)
}

/// See [`part`].
pub type Part = Box<dyn FnMut() -> AnyView + Send>;

/// Draws its children while a condition holds.
#[component]
pub fn Show(
    /// The condition.
    when: Signal<bool>,
    /// What is drawn otherwise.
    #[prop(optional, into)]
    fallback: ViewFn,
    children: ChildrenFn,
) -> impl IntoView {
    let holds = Memo::new(move |_| when.get());
    part(move || match holds.get() {
        true => children(),
        false => fallback.run(),
    })
}

/// Draws a row for each key, and keeps the rows whose keys stay.
#[component]
pub fn Each(
    /// The keys, each once.
    keys: Signal<Vec<String>>,
    /// Draws a row.
    row: Row,
) -> impl IntoView {
    view! { <For each=move || keys.get() key=String::clone children=move |key| row(key) /> }
}

/// Draws the row of a key.
pub type Row = Arc<dyn Fn(String) -> AnyView + Send + Sync>;

/// A row for [`Each`].
pub fn row(draw: impl Fn(String) -> AnyView + Send + Sync + 'static) -> Row {
    Arc::new(draw)
}
