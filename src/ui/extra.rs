//! Code that lies beside the page in files of its own, and is fetched when it is used for
//! the first time: the page names each by a link with its hash.

use js_sys::{Promise, Reflect};
use leptos::prelude::document;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// What a file leaves behind under its global name, once it is loaded.
pub fn found(global: &str) -> Option<JsValue> {
    let found = Reflect::get(&js_sys::global(), &global.into()).ok()?;
    found.is_object().then_some(found)
}

/// Loads the file that the page's link `rel` names, unless it is here.
///
/// # Errors
/// If it did not come, or is not the one that the page names; it can be tried again.
pub async fn load(rel: &str, global: &str) -> Result<(), JsValue> {
    if found(global).is_some() {
        return Ok(());
    }
    let link = document().query_selector(&format!("link[rel={rel}]"))?;
    let link = link.ok_or("this build is without it")?;
    let told = |name| link.get_attribute(name).unwrap_or_default();
    let script = document().create_element("script")?;
    script.set_attribute("type", "module")?;
    script.set_attribute("integrity", &told("integrity"))?;
    // A module that failed once is not asked for again under the same address.
    let address = match link.has_attribute("data-failed") {
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
        link.set_attribute("data-failed", "true")?;
    }
    came?;
    found(global)
        .map(drop)
        .ok_or_else(|| "not that file".into())
}
