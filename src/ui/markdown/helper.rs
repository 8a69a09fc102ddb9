//! What makes more of what is drawn by JavaScript of its own (src/answers/), which lies in a
//! file beside the page and is fetched when there is something for it for the first time.
//! Without it a text is as good, but plainer.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

use crate::ui::element::El;
use crate::ui::extra;

#[wasm_bindgen]
extern "C" {
    /// What that file leaves behind.
    type Helper;

    #[wasm_bindgen(method)]
    fn treat(this: &Helper, element: &Element);
}

/// Code in a language, which is coloured.
pub(super) const CODE: &str = "code[data-language]:not([data-tried])";
/// Formulas, which are set, and what keys have to scroll where it is too wide.
pub(super) const ALL: &str = ":is(.prose__math, .prose__table, .code__text):not([data-tried])";

/// The link that names the file, and what it leaves behind.
const LINK: &str = "answers";
const GLOBAL: &str = "tabloopAnswers";

thread_local! {
    /// What waits for the file to come.
    static WAITING: RefCell<Vec<Element>> = const { RefCell::new(Vec::new()) };
}

/// Has what fits `wanted` in `block` treated.
pub(super) fn treat(block: &El, wanted: &str) {
    let Ok(found) = block.node().query_selector_all(wanted) else {
        return;
    };
    let nodes = (0..found.length()).filter_map(|at| found.get(at));
    let found: Vec<Element> = nodes.filter_map(|node| node.dyn_into().ok()).collect();
    if found.is_empty() {
        return;
    }
    if let Some(helper) = helper() {
        found.iter().for_each(|element| helper.treat(element));
        return;
    }
    let is_first = WAITING.with_borrow_mut(|waiting| {
        let was_empty = waiting.is_empty();
        waiting.extend(found);
        was_empty
    });
    if is_first {
        spawn_local(async {
            // If it did not come, the next that wants it tries again.
            let _ = extra::load(LINK, GLOBAL).await;
            let waiting = WAITING.take();
            if let Some(helper) = helper() {
                waiting.iter().for_each(|element| helper.treat(element));
            }
        });
    }
}

fn helper() -> Option<Helper> {
    extra::found(GLOBAL).map(JsCast::unchecked_into)
}
