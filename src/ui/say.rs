//! Elements that say what stands in the table of texts, in the language in use. One code
//! serves them all, where a closure for each would have code of its own.

use super::controller::Controller;
use super::element::El;
use super::words::Words;

/// A text of the table.
pub type Word = fn(&Words) -> &'static str;

impl El {
    /// Adds a text of the table.
    pub fn say(self, ui: Controller, word: Word) -> Self {
        self.live(move || word(ui.words()))
    }

    /// Keeps an attribute at a text of the table.
    pub fn say_as(self, name: &'static str, ui: Controller, word: Word) -> Self {
        self.bind(name, move || word(ui.words()))
    }

    /// Has a text of the table as its name: for readers, and to be seen under the pointer.
    pub fn named(self, ui: Controller, word: Word) -> Self {
        self.say_as("aria-label", ui, word)
            .say_as("title", ui, word)
    }
}
