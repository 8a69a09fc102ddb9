//! A PDF: its pages one below the other, drawn by JavaScript of its own (src/pdf/) that is
//! fetched when one is opened for the first time.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Uint8Array;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

use crate::protocol::Command;
use crate::ui::controller::Controller;
use crate::ui::element::{El, button, div, span};
use crate::ui::extra;
use crate::ui::say::Word;
use crate::ui::signal::RwSignal;

/// The link that names the file, and what it leaves behind.
const LINK: &str = "pdf";
const GLOBAL: &str = "tabloopPdf";
/// How much larger or smaller one press makes the pages.
const STEP: f64 = 1.25;

#[wasm_bindgen]
extern "C" {
    type Maker;

    #[wasm_bindgen(method)]
    fn open(this: &Maker, bytes: Uint8Array, tell: &Closure<dyn Fn(String, u32)>) -> Shown;

    /// The pages of a PDF.
    type Shown;

    #[wasm_bindgen(method, getter)]
    fn dom(this: &Shown) -> Element;
    #[wasm_bindgen(method)]
    fn zoom(this: &Shown, by: f64) -> f64;
    #[wasm_bindgen(method)]
    fn more(this: &Shown);
    #[wasm_bindgen(method)]
    fn close(this: &Shown);
}

/// What is known of the PDF.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Coming,
    Pages {
        page: u32,
        of: u32,
        /// How many of them are laid out.
        laid: u32,
    },
    Locked,
    Broken,
    /// What draws it did not come.
    NotLoaded,
}

/// What draws one, for as long as it is looked at.
enum Drawn {
    NotYet,
    Here(Here),
    Over,
}

struct Here {
    shown: Shown,
    _tell: Closure<dyn Fn(String, u32)>,
}

/// Ends what draws, when the view ends.
struct Ends(Rc<RefCell<Drawn>>);

impl Drop for Ends {
    fn drop(&mut self) {
        if let Drawn::Here(here) = self.0.replace(Drawn::Over) {
            here.shown.close();
        }
    }
}

/// The pages, their number, and their size.
pub(super) fn pdf_view(ui: Controller, path: impl Fn() -> String + 'static, bytes: &[u8]) -> El {
    let seen = RwSignal::new(Seen::Coming);
    let drawn = Rc::new(RefCell::new(Drawn::NotYet));
    let _ = StoredValue::new_local(Ends(Rc::clone(&drawn)));
    let place = div("viewer__pages").test_id("pdf-pages");
    let start = {
        let (drawn, place) = (Rc::clone(&drawn), place.clone());
        let bytes = Uint8Array::from(bytes);
        Rc::new(move || {
            let (drawn, place, bytes) = (
                Rc::clone(&drawn),
                place.clone(),
                bytes.slice(0, bytes.length()),
            );
            seen.set(Seen::Coming);
            spawn_local(async move { draw(&drawn, &place, bytes, seen).await });
        })
    };
    start();
    let bar = div("viewer__facts")
        .child(span("").test_id("pdf-page").live(move || match seen.get() {
            Seen::Pages { page, of, .. } => ui.words().pdf_page(page, of),
            _ => String::new(),
        }))
        .when(
            move || matches!(seen.get(), Seen::Pages { of, laid, .. } if laid < of),
            {
                let drawn = Rc::clone(&drawn);
                move || more(ui, &drawn)
            },
        )
        .child(zooms(ui, &drawn))
        .flag("hidden", move || !matches!(seen.get(), Seen::Pages { .. }));
    let path = Rc::new(path);
    div("viewer__picture")
        .child(bar)
        .child(place)
        .when(
            move || seen.get() == Seen::Coming,
            move || super::note(ui, |words| words.pdf_coming()).attr("role", "status"),
        )
        .when(
            move || matches!(seen.get(), Seen::Locked | Seen::Broken | Seen::NotLoaded),
            move || {
                let (start, path) = (Rc::clone(&start), Rc::clone(&path));
                problem(ui, untrack(|| seen.get()), start, path)
            },
        )
}

/// Fetches what draws, and has it draw.
async fn draw(drawn: &Rc<RefCell<Drawn>>, place: &El, bytes: Uint8Array, seen: RwSignal<Seen>) {
    let loaded = extra::load(LINK, GLOBAL).await;
    // The view may have ended meanwhile.
    if matches!(*drawn.borrow(), Drawn::Over) {
        return;
    }
    let Some(maker) = loaded.ok().and_then(|()| extra::found(GLOBAL)) else {
        return seen.set(Seen::NotLoaded);
    };
    let of_view = Rc::clone(drawn);
    let tell = Closure::<dyn Fn(String, u32)>::new(move |what: String, number| {
        if matches!(*of_view.borrow(), Drawn::Over) {
            return;
        }
        let before = seen.get_untracked();
        seen.set(match (what.as_str(), before) {
            ("pages", _) => Seen::Pages {
                page: 1,
                of: number,
                laid: number,
            },
            ("laid", Seen::Pages { page, of, .. }) => Seen::Pages {
                page,
                of,
                laid: number,
            },
            ("page", Seen::Pages { of, laid, .. }) => Seen::Pages {
                page: number,
                of,
                laid,
            },
            ("locked", _) => Seen::Locked,
            ("broken", _) => Seen::Broken,
            _ => before,
        });
    });
    let shown = maker.unchecked_into::<Maker>().open(bytes, &tell);
    // Refused for no node that there is.
    let _ = place.node().append_child(&shown.dom());
    drawn.replace(Drawn::Here(Here { shown, _tell: tell }));
}

/// Has more pages laid out: a file may claim to have millions.
fn more(ui: Controller, drawn: &Rc<RefCell<Drawn>>) -> El {
    let drawn = Rc::clone(drawn);
    button("button button--quiet button--small")
        .test_id("pdf-more")
        .say(ui, |words| words.pdf_more())
        .press(move || {
            if let Drawn::Here(here) = &*drawn.borrow() {
                here.shown.more();
            }
        })
}

/// Smaller, larger, as wide as the pane.
fn zooms(ui: Controller, drawn: &Rc<RefCell<Drawn>>) -> El {
    let zoom = |id: &str, sign: &str, by: f64, word: Word| {
        let drawn = Rc::clone(drawn);
        button("button button--quiet button--small")
            .test_id(id)
            .named(ui, word)
            .text(sign)
            .press(move || {
                if let Drawn::Here(here) = &*drawn.borrow() {
                    here.shown.zoom(by);
                }
            })
    };
    let fit = {
        let drawn = Rc::clone(drawn);
        button("button button--quiet button--small")
            .test_id("pdf-fit")
            .say(ui, |words| words.image_fit())
            .press(move || {
                if let Drawn::Here(here) = &*drawn.borrow() {
                    here.shown.zoom(0.0);
                }
            })
    };
    span("viewer__zooms")
        .child(zoom("pdf-smaller", "−", 1.0 / STEP, |words| {
            words.pdf_smaller()
        }))
        .child(zoom("pdf-larger", "+", STEP, |words| words.pdf_larger()))
        .child(fit)
}

/// Why there are no pages, and what to do.
fn problem(ui: Controller, seen: Seen, start: Rc<dyn Fn()>, path: Rc<dyn Fn() -> String>) -> El {
    let word: Word = match seen {
        Seen::Locked => |words| words.pdf_locked(),
        Seen::NotLoaded => |words| words.pdf_not_loaded(),
        _ => |words| words.pdf_broken(),
    };
    let again = (seen == Seen::NotLoaded).then(|| {
        button("button")
            .test_id("pdf-again")
            .say(ui, |words| words.try_again)
            .press(move || start())
    });
    let download = button("button")
        .test_id("pdf-download")
        .say(ui, |words| words.download)
        .press(move || ui.command(Command::ReadFile(untrack(|| path()))));
    div("viewer__problem")
        .test_id("pdf-problem")
        .child(super::note(ui, word))
        .child(div("viewer__ways").children(again).child(download))
}
