//! An image out of memory: as large as the pane or as it is, with its size.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlImageElement;

use crate::ui::controller::Controller;
use crate::ui::dom::BlobUrl;
use crate::ui::element::{El, button, div, el, span};
use crate::ui::signal::RwSignal;

/// What is known of the image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Coming,
    Here { width: u32, height: u32 },
    Broken,
}

/// The image; its address ends with the element.
pub(super) fn image_view(ui: Controller, url: BlobUrl, name: impl Fn() -> String + 'static) -> El {
    let is_full = RwSignal::new(false);
    let seen = RwSignal::new(Seen::Coming);
    let image = el("img").class("viewer__image").attr("src", url.as_str());
    let _ = StoredValue::new_local(url);
    let of_load = image.clone();
    let image = image
        .bind("alt", name)
        .class_if("viewer__image--full", move || is_full.get())
        .flag("hidden", move || seen.get() == Seen::Broken)
        .on("load", move |_| {
            if let Some(image) = of_load.node().dyn_ref::<HtmlImageElement>() {
                let (width, height) = (image.natural_width(), image.natural_height());
                seen.set(Seen::Here { width, height });
            }
        })
        .on("error", move |_| seen.set(Seen::Broken));
    let size = move || match seen.get() {
        Seen::Here { width, height } if width > 0 => ui.words().image_size(width, height),
        _ => String::new(),
    };
    let toggle = button("button button--link")
        .test_id("image-full")
        .live(move || match is_full.get() {
            true => ui.words().image_fit(),
            false => ui.words().image_full(),
        })
        .press(move || is_full.update(|is_full| *is_full = !*is_full));
    div("viewer__picture")
        .child(
            div("viewer__facts")
                .child(span("").test_id("image-size").live(size))
                .child(toggle)
                .flag("hidden", move || seen.get() == Seen::Broken),
        )
        .child(div("viewer__canvas").child(image))
        .when(
            move || seen.get() == Seen::Broken,
            move || super::note(ui, |words| words.image_broken()),
        )
}
