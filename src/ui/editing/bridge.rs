//! The way to the editor, which is JavaScript of its own (src/editor/) and is fetched when
//! something is edited for the first time.

use wasm_bindgen::prelude::*;
use web_sys::Element;

use crate::ui::extra;

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

/// The link that names the editor's file, and what that leaves behind.
const LINK: &str = "editor";
const GLOBAL: &str = "tabloopEditor";

/// What makes editors, once it is loaded.
pub fn maker() -> Option<Maker> {
    extra::found(GLOBAL).map(JsCast::unchecked_into)
}

/// Loads the editor, unless it is here.
///
/// # Errors
/// If it did not come, or is not the one that the page names; it can be tried again.
pub async fn load() -> Result<(), JsValue> {
    extra::load(LINK, GLOBAL).await
}
