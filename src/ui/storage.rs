//! What the browser gives to Tabloop's files, and the request to keep them: a browser may
//! clear what a page has stored when space is short, unless it was asked not to.

use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::window;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, StorageEstimate};

use super::dom;

/// Set once the browser was asked, so that no user gets its question twice unbidden.
const ASKED: &str = "tabloop.asked-to-keep";

/// Under which the browser keeps the shell's code, as its worker puts it there.
const SHELL: &str = "tabloop-shell";

/// How full the browser's storage is for this page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes in use.
    pub used: u64,
    /// Bytes that the browser would give at most.
    pub quota: u64,
    /// Whether they stay when space is short.
    pub is_kept: bool,
}

/// Asks the browser; `None` where it does not tell, as outside of secure contexts.
pub async fn room() -> Option<Room> {
    measured().await.ok()
}

async fn measured() -> Result<Room, JsValue> {
    let storage = window().navigator().storage();
    let estimate = JsFuture::from(storage.estimate()?).await?;
    let estimate: StorageEstimate = estimate.unchecked_into();
    let bytes = |number: Option<f64>| number.unwrap_or_default() as u64;
    let is_kept = JsFuture::from(storage.persisted()?).await?.is_truthy();
    Ok(Room {
        used: bytes(estimate.get_usage()),
        quota: bytes(estimate.get_quota()),
        is_kept,
    })
}

/// Asks the browser to keep what is stored; tells whether it will. Some ask the user.
pub async fn keep() -> bool {
    dom::keep(ASKED, Some("yes"));
    let asked = async { JsFuture::from(window().navigator().storage().persist()?).await };
    asked.await.is_ok_and(|kept| kept.is_truthy())
}

/// Asks once, now that there is work to lose.
pub fn keep_work() {
    if dom::kept(ASKED).is_none() {
        spawn_local(async {
            keep().await;
        });
    }
}

/// Bytes of the shell's code that the browser keeps for this page.
pub async fn shell_size() -> u64 {
    measured_shell().await.unwrap_or_default()
}

async fn measured_shell() -> Result<u64, JsValue> {
    let cache = ask(&caches()?, "open", &[SHELL.into()]).await?;
    let requests: Array = ask(&cache, "keys", &[]).await?.dyn_into()?;
    let mut size = 0;
    for request in requests.iter() {
        let response = ask(&cache, "match", &[request]).await?;
        let blob: Blob = ask(&response, "blob", &[]).await?.dyn_into()?;
        size += blob.size() as u64;
    }
    Ok(size)
}

/// Removes it. What fails leaves it where it is, and the size tells.
pub async fn drop_shell() {
    if let Ok(caches) = caches() {
        drop(ask(&caches, "delete", &[SHELL.into()]).await);
    }
}

/// There are none outside of secure contexts.
fn caches() -> Result<JsValue, JsValue> {
    let caches = Reflect::get(&window(), &"caches".into())?;
    match caches.is_object() {
        true => Ok(caches),
        false => Err(caches),
    }
}

/// Calls a method that promises something, and waits for that.
async fn ask(of: &JsValue, method: &str, with: &[JsValue]) -> Result<JsValue, JsValue> {
    let method: Function = Reflect::get(of, &method.into())?.dyn_into()?;
    let with: Array = with.iter().collect();
    let promise: Promise = method.apply(of, &with)?.dyn_into()?;
    JsFuture::from(promise).await
}
