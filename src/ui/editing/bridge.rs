//! The way to the editor, which is JavaScript of its own (src/editor/) and is fetched when
//! something is edited for the first time.

use js_sys::{Promise, Reflect};
use leptos::prelude::document;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Element;

#[wasm_bindgen]
extern "C" {
    /// What the editor's file gives.
    pub type Maker;

    #[wasm_bindgen(method)]
    pub fn open(
        this: &Maker,
        text: &str,
        name: &str,
        separator: Option<String>,
        tongue: &str,
        changed: &Closure<dyn Fn(bool)>,
        save: &Closure<dyn Fn()>,
    ) -> Editor;

    /// An editor over a text.
    pub type Editor;

    #[wasm_bindgen(method, getter)]
    pub fn dom(this: &Editor) -> Element;
    #[wasm_bindgen(method)]
    pub fn text(this: &Editor) -> String;
    #[wasm_bindgen(method)]
    pub fn settled(this: &Editor);
    #[wasm_bindgen(method)]
    pub fn take(this: &Editor, text: &str);
    #[wasm_bindgen(method)]
    pub fn shown(this: &Editor);
    #[wasm_bindgen(method)]
    pub fn focus(this: &Editor);
    #[wasm_bindgen(method)]
    pub fn close(this: &Editor);
}

/// What makes editors, once it is loaded.
pub fn maker() -> Option<Maker> {
    let found = Reflect::get(&js_sys::global(), &"tabloopEditor".into()).ok()?;
    found.is_object().then(|| found.unchecked_into())
}

/// Loads the editor, unless it is here.
///
/// # Errors
/// If it did not come, or is not the one that the page names; it can be tried again.
pub async fn load() -> Result<(), JsValue> {
    if maker().is_some() {
        return Ok(());
    }
    let link = document().query_selector("link[rel=editor]")?;
    let link = link.ok_or("this build has no editor")?;
    let told = |name| link.get_attribute(name).unwrap_or_default();
    let script = document().create_element("script")?;
    script.set_attribute("type", "module")?;
    script.set_attribute("integrity", &told("integrity"))?;
    // A module that failed once is not asked for again under the same address.
    let failed = document().query_selector("script[data-failed]")?.is_some();
    let address = match failed {
        false => told("href"),
        true => format!("{}?{}", told("href"), js_sys::Date::now() as u64),
    };
    let loaded = Promise::new(&mut |resolve, reject| {
        // Refused for no event that there is.
        let _ = script.add_event_listener_with_callback("load", &resolve);
        let _ = script.add_event_listener_with_callback("error", &reject);
    });
    script.set_attribute("src", &address)?;
    let root = document().document_element().ok_or("no page")?;
    root.append_child(&script)?;
    let came = JsFuture::from(loaded).await;
    if came.is_err() {
        script.set_attribute("data-failed", "true")?;
    }
    came?;
    maker().map(drop).ok_or_else(|| "not the editor".into())
}
