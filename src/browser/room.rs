//! How full the browser's storage is for this page, as its worker is told.

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{StorageEstimate, StorageManager};

use crate::kernel::store::Room;

/// Asks the browser; `None` where it does not tell, as outside of secure contexts.
pub(super) async fn room() -> Option<Room> {
    estimate().await.ok()
}

async fn estimate() -> Result<Room, JsValue> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    let storage: StorageManager = Reflect::get(&navigator, &"storage".into())?.dyn_into()?;
    let estimate = JsFuture::from(storage.estimate()?).await?;
    let estimate: StorageEstimate = estimate.unchecked_into();
    let bytes = |number: Option<f64>| number.unwrap_or_default() as u64;
    Ok(Room {
        used: bytes(estimate.get_usage()),
        quota: bytes(estimate.get_quota()),
    })
}
