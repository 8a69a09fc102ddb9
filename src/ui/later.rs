//! Views whose code the page loads once it takes input (scripts/later.txt):
//! opened before that, they say so and come by themselves.

use super::controller::Controller;
use super::element::{El, el};

const WAITING: u64 = 1;

impl El {
    /// Has a child while `is` holds; until its code is there, a line that says so.
    pub fn when_loaded(
        self,
        ui: Controller,
        is: impl Fn() -> bool + 'static,
        make: impl Fn() -> El + 'static,
    ) -> Self {
        self.choose(
            move || match is() {
                false => 0,
                true => WAITING + u64::from(ui.loaded.get()),
            },
            move |which| match which {
                0 => None,
                WAITING => Some(loading(ui)),
                _ => Some(make()),
            },
        )
    }
}

/// In the place of what is not there yet.
fn loading(ui: Controller) -> El {
    el("p")
        .class("later")
        .attr("role", "status")
        .test_id("later")
        .say(ui, |words| words.still_loading)
}
