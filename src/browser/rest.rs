//! The rest of the module. The release build puts into a second module, over
//! the same memory and table, what nobody needs before they act
//! (scripts/later.txt). The page fetches it once it takes input and hands it
//! to the worker. A function of the rest that is called before that is not
//! missed: the stub in its place calls [`load_rest`].

use std::cell::RefCell;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{join as both, select};
use gloo_net::http::Request;
use js_sys::{Object, Promise, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::XmlHttpRequest;

use super::clock::BrowserClock;
use super::kernel_link::GLUE;
use crate::kernel::clock::Clock;

thread_local! {
    static REST: RefCell<Option<WebAssembly::Module>> = const { RefCell::new(None) };
    static WAITING: RefCell<Vec<oneshot::Sender<()>>> = const { RefCell::new(Vec::new()) };
}

/// How long work that needs not be done at once waits for the rest.
const PATIENCE: Duration = Duration::from_secs(30);

/// Loads the rest now, unless it is there. The one request that waits with the
/// whole thread: who calls needs the answer before anything else can go on.
#[wasm_bindgen(js_name = loadRest)]
pub fn load_rest() {
    if is_here() {
        return;
    }
    if let Err(thrown) = fetch_now().and_then(|module| join(&module)) {
        wasm_bindgen::throw_val(thrown);
    }
}

/// Whether every function can be called without a wait; for the page to ask.
pub fn is_complete() -> bool {
    is_here() || integrity().is_none()
}

fn is_here() -> bool {
    REST.with_borrow(Option::is_some)
}

/// The rest, for the worker.
pub fn module() -> Option<WebAssembly::Module> {
    REST.with_borrow(Clone::clone)
}

/// Waits for the rest to come; not for ever, since a build may have made one module of all.
pub async fn arrival() {
    arrival_within(PATIENCE).await;
}

/// Waits for the rest to come, but no longer than `most`.
pub async fn arrival_within(most: Duration) {
    if !is_here() {
        let (tell, told) = oneshot::channel();
        WAITING.with_borrow_mut(|waiting| waiting.push(tell));
        select(told, BrowserClock.sleep(most)).await;
    }
}

/// Takes over the rest that the page fetched.
pub fn take(module: &WebAssembly::Module) {
    if !is_here() {
        // What is wrong with it is told by the first call that needs it.
        drop(join(module));
    }
}

/// Fetches the rest and its styles without anybody having to wait; nothing to do where the
/// build made one of all.
pub async fn fetch() -> Result<(), JsValue> {
    let (module, styles) = both(fetch_module(), fetch_styles()).await;
    module.and(styles)
}

/// Has the browser load the styles of what the rest draws.
async fn fetch_styles() -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let late = document.and_then(|page| page.query_selector("link[rel=late]").ok()?);
    let Some(late) = late else { return Ok(()) };
    let loaded = Promise::new(&mut |resolve, reject| {
        // Refused for no event that there is.
        let _ = late.add_event_listener_with_callback("load", &resolve);
        let _ = late.add_event_listener_with_callback("error", &reject);
    });
    late.set_attribute("rel", "stylesheet")?;
    let came = JsFuture::from(loaded).await;
    if came.is_err() {
        // Put back, it can be asked for again.
        late.set_attribute("rel", "late")?;
    }
    came.map(drop)
}

async fn fetch_module() -> Result<(), JsValue> {
    let Some(integrity) = integrity().filter(|_| !is_here()) else {
        return Ok(());
    };
    let failed = |error: gloo_net::Error| JsValue::from(error.to_string());
    let request = Request::get(&address()).integrity(&integrity);
    let response: web_sys::Response = request.send().await.map_err(failed)?.into();
    let bytes = JsFuture::from(response.array_buffer()?).await?;
    let module = JsFuture::from(WebAssembly::compile(&bytes)).await?;
    match is_here() {
        true => Ok(()),
        false => join(&module.dyn_into()?),
    }
}

/// What the page says the file's content is.
fn integrity() -> Option<String> {
    let document = web_sys::window()?.document()?;
    let link = document.query_selector("link[rel=rest]").ok()??;
    link.get_attribute("integrity")
}

/// The file's address: it is named as the glue is.
fn address() -> String {
    let glue = GLUE.with(String::clone);
    format!("{}.wasm", glue.trim_end_matches(".js"))
}

fn fetch_now() -> Result<WebAssembly::Module, JsValue> {
    let request = XmlHttpRequest::new()?;
    request.open_with_async("GET", &address(), false)?;
    // A page's request of this kind can take text only: each character is then a byte.
    request.override_mime_type("text/plain; charset=x-user-defined")?;
    request.send()?;
    if request.status()? != 200 {
        return Err("a part of the app could not be loaded".into());
    }
    let text = request.response_text()?.unwrap_or_default();
    let bytes: Vec<u8> = text.chars().map(|byte| byte as u8).collect();
    WebAssembly::Module::new(&Uint8Array::from(bytes.as_slice()))
}

/// Makes the functions of the rest callable: it puts them into the table.
fn join(module: &WebAssembly::Module) -> Result<(), JsValue> {
    let lent = Object::new();
    Reflect::set(&lent, &"".into(), &wasm_bindgen::exports())?;
    WebAssembly::Instance::new(module, &lent)?;
    REST.set(Some(module.clone()));
    for waiting in WAITING.take() {
        // Who has stopped waiting needs no word.
        let _ = waiting.send(());
    }
    Ok(())
}
