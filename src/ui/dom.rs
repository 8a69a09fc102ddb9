//! The page's few dealings with the browser itself: blobs, the clipboard, what
//! it keeps between visits, the document's root. Nothing here knows the kernel.

use super::element::El;
use js_sys::{Array, Uint8Array};
use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, Element, HtmlAnchorElement, HtmlElement, ScrollIntoViewOptions,
    ScrollLogicalPosition, Storage, Url,
};

/// Where tasks are written.
pub const COMPOSER: &str = "[data-testid=composer-input]";

/// An address for bytes in memory. Dropping it gives the memory back.
pub struct BlobUrl(String);

impl BlobUrl {
    /// `None` if the browser refuses.
    pub fn new(bytes: &[u8], mime: &str) -> Option<Self> {
        let parts = Array::of1(&Uint8Array::from(bytes));
        let options = BlobPropertyBag::new();
        options.set_type(mime);
        let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &options).ok()?;
        Url::create_object_url_with_blob(&blob).ok().map(Self)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Drop for BlobUrl {
    fn drop(&mut self) {
        // Refused only for addresses that are none.
        let _ = Url::revoke_object_url(&self.0);
    }
}

/// Hands bytes to the user as a file called `name`.
pub fn save_as(name: &str, bytes: &[u8]) {
    if let Some(url) = BlobUrl::new(bytes, "application/octet-stream") {
        save(name, url);
    }
}

/// Hands several pieces to the user as one file called `name`.
pub fn save_blobs(name: &str, pieces: &[Blob]) {
    let parts: Array = pieces.iter().collect();
    let options = BlobPropertyBag::new();
    options.set_type("application/zip");
    let whole = Blob::new_with_blob_sequence_and_options(&parts, &options);
    if let Some(url) = whole
        .ok()
        .and_then(|whole| Url::create_object_url_with_blob(&whole).ok())
    {
        save(name, BlobUrl(url));
    }
}

fn save(name: &str, url: BlobUrl) {
    let link = document().create_element("a");
    let Some(link) = link
        .ok()
        .and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok())
    else {
        return;
    };
    link.set_href(url.as_str());
    link.set_download(name);
    link.click();
    // The browser begins to read a moment later.
    let later = std::time::Duration::from_secs(60);
    leptos::prelude::set_timeout(move || drop(url), later);
}

/// Whether a text came to the clipboard.
pub async fn copy(text: String) -> bool {
    let copying = window().navigator().clipboard().write_text(&text);
    JsFuture::from(copying).await.is_ok()
}

/// Something this browser kept for the page between visits.
pub fn kept(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Keeps something between visits; `None` forgets it.
pub fn keep(key: &str, value: Option<&str>) {
    put(window().local_storage().ok().flatten(), key, value);
}

/// Something this tab kept over a reload.
pub fn kept_in_tab(key: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(key).ok()?
}

/// Keeps something as long as the tab lives; `None` forgets it.
pub fn keep_in_tab(key: &str, value: Option<&str>) {
    put(window().session_storage().ok().flatten(), key, value);
}

/// A browser that keeps nothing is no reason to stop.
fn put(storage: Option<Storage>, key: &str, value: Option<&str>) {
    let Some(storage) = storage else { return };
    let _ = match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    };
}

/// Whether the browser has something of this name for pages.
pub fn has(name: &str) -> bool {
    js_sys::Reflect::has(&window(), &name.into()).unwrap_or(false)
}

/// Where the page comes from, as the browser tells hosts.
pub fn origin() -> String {
    window().origin()
}

/// How the browser names itself.
pub fn browser() -> String {
    window().navigator().user_agent().unwrap_or_default()
}

/// The page's address from its `#` on.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Takes that out of the page's address, and out of the history.
pub fn drop_fragment() {
    let address = window().location().href().unwrap_or_default();
    let rest = address.split('#').next();
    // Refused only for an address of another origin.
    let _ = window()
        .history()
        .and_then(|history| history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", rest));
}

/// The languages the user wants, best first.
pub fn languages() -> Vec<String> {
    let tags = window().navigator().languages();
    tags.iter().filter_map(|tag| tag.as_string()).collect()
}

/// Sets an attribute of the root element; `None` removes it.
pub fn set_root(name: &str, value: Option<&str>) {
    let Some(root) = document().document_element() else {
        return;
    };
    // Both fail for malformed names alone.
    let _ = match value {
        Some(value) => root.set_attribute(name, value),
        None => root.remove_attribute(name),
    };
}

/// Puts elements into the page, in the place of what stood there until then.
pub fn show(elements: &[El]) {
    if let Some(skeleton) = document().get_element_by_id("skeleton") {
        skeleton.remove();
    }
    let Some(body) = document().body() else {
        return;
    };
    for element in elements {
        // The body takes any element.
        let _ = body.append_child(element.node());
    }
}

/// Puts the focus on the first element that fits.
pub fn focus(selector: &str) {
    let found = document().query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Presses the first element that fits, as a click would.
pub fn press(selector: &str) {
    let found = document().query_selector(selector).ok().flatten();
    press_it(found);
}

/// Whether an element that fits is in the page.
pub fn is_there(selector: &str) -> bool {
    document()
        .query_selector(selector)
        .is_ok_and(|found| found.is_some())
}

/// Presses the last one.
pub fn press_last(selector: &str) {
    let all = document().query_selector_all(selector).ok();
    let last = all.and_then(|all| all.get(all.length().checked_sub(1)?));
    press_it(last.and_then(|last| last.dyn_into().ok()));
}

fn press_it(element: Option<Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        element.click();
    }
}

/// Has the browser print the page.
pub fn print() {
    // Refused where a page may open no dialogs.
    let _ = window().print();
}

/// Whether the page can't be seen.
pub fn is_hidden() -> bool {
    document().hidden()
}

/// Scrolls the element called `id` to the top of what scrolls, and gives it the focus.
pub fn go_to(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.scroll_into_view();
        focus(&format!("#{id}"));
    }
}

/// Scrolls what is around the first element that fits, as little as shows it.
pub fn bring_into_view(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        options.set_inline(ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Scrolls the first element that fits into view and gives it the focus, also where nobody
/// gets to by keys; tells whether there is one.
pub fn reveal(selector: &str) -> bool {
    let Ok(Some(element)) = document().query_selector(selector) else {
        return false;
    };
    let _ = element.set_attribute("tabindex", "-1");
    element.scroll_into_view();
    focus(selector);
    true
}

/// Puts the focus on the first element that fits, once what has changed is drawn.
pub fn focus_later(selector: String) {
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        focus(&selector);
    });
}

/// Puts the focus on the composer, unless that would bring up a keyboard on the screen.
pub fn focus_composer() {
    focus_to_write(COMPOSER);
}

/// Puts the focus on a text field, unless that would bring up a keyboard on the screen.
pub fn focus_to_write(selector: &str) {
    if has_fine_pointer() {
        focus(selector);
    }
}

/// Whether the user has a mouse or the like, and so most probably keys.
pub fn has_fine_pointer() -> bool {
    let fine = window().match_media("(pointer: fine)").ok().flatten();
    fine.is_some_and(|fine| fine.matches())
}

/// Whether the focus is on `element` or in it.
pub fn has_focus(element: &Element) -> bool {
    let focused = document().active_element();
    focused.is_some_and(|focused| element.contains(Some(&focused)))
}

/// Whether the focus is nowhere, or on what fits `selector`.
pub fn focus_is_free_or_on(selector: &str) -> bool {
    document().active_element().is_none_or(|focused| {
        // A selector of ours is never malformed.
        focused.tag_name() == "BODY" || focused.matches(selector).unwrap_or(false)
    })
}

/// Milliseconds since the Unix epoch.
pub fn now_ms() -> u64 {
    js_sys::Date::now() as u64
}

/// How many minutes the user's clock is behind UTC.
pub fn clock_offset_min() -> i32 {
    js_sys::Date::new_0().get_timezone_offset() as i32
}
