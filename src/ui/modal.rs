//! A modal dialog that is drawn only while it is open. The browser gives it the focus, and
//! gives the focus back.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlDialogElement};

use super::controller::Controller;
use super::element::{El, el, follow};

/// A dialog that is open while `is_open` holds. `close` is called when the user leaves it,
/// by Escape or a press beside it; `page` draws it.
pub fn modal(
    ui: Controller,
    class: &str,
    is_open: impl Fn() -> bool + 'static,
    close: impl Fn() + 'static,
    page: impl Fn() -> El + 'static,
) -> El {
    drawn(ui, class, Rc::new(is_open), Rc::new(close), Rc::new(page))
}

/// One code for all dialogs.
#[inline(never)]
fn drawn(
    ui: Controller,
    class: &str,
    is_open: Rc<dyn Fn() -> bool>,
    close: Rc<dyn Fn()>,
    page: Rc<dyn Fn() -> El>,
) -> El {
    let (is_wanted, on_backdrop) = (Rc::clone(&is_open), Rc::clone(&close));
    let dialog = el("dialog")
        .class(class)
        .when_loaded(ui, move || is_wanted(), move || page());
    let (shown, backdrop) = (dialog.clone(), dialog.clone());
    follow(Box::new(move || {
        let Some(dialog) = shown.node().dyn_ref::<HtmlDialogElement>() else {
            return;
        };
        match (is_open(), dialog.open()) {
            // Refused only if it is open already.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    }));
    dialog
        .on("close", move |_| close())
        .key(|event| {
            // Escape closes this, and not what lies below.
            if event.key() == "Escape" {
                event.stop_propagation();
            }
        })
        .on("click", move |event: Event| {
            // Only the backdrop is the dialog itself.
            let is_backdrop = event
                .target()
                .is_some_and(|target| target == ***backdrop.node());
            if is_backdrop {
                on_backdrop();
            }
        })
}
