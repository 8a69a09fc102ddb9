//! Where a model's Markdown stands in the page. The code that reads it comes behind the
//! first load (scripts/later.txt); until then the text is shown as it was written.

use std::rc::Rc;

use super::controller::Controller;
use super::element::{El, div};
use super::markdown::markdown;
use super::markdown::parse::Ending;

/// The text of a model, as far as `text` gives it.
pub fn prose(ui: Controller, text: impl Fn() -> (String, Ending) + 'static) -> El {
    let text: Rc<dyn Fn() -> (String, Ending)> = Rc::new(text);
    div("prose__place").choose(
        move || u64::from(ui.loaded.get()),
        move |is_loaded| {
            let text = Rc::clone(&text);
            Some(match is_loaded {
                0 => div("prose prose--plain").live(move || text().0),
                _ => markdown(ui, text),
            })
        },
    )
}
