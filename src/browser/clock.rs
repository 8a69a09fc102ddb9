//! Time and chance, as the browser gives them to page and worker alike.

use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use wasm_bindgen::prelude::*;

use crate::kernel::clock::{Clock, Random};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(handler: &JsValue, milliseconds: f64) -> i32;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: i32);
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(bytes: &mut [u8]);
}

/// The browser's clock.
pub struct BrowserClock;

impl Clock for BrowserClock {
    fn now_ms(&self) -> u64 {
        js_sys::Date::now() as u64
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        // Set only when somebody really waits: most waits guard work that is done at once.
        async move {
            let (done, woken) = oneshot::channel();
            let handler = Closure::once(move || {
                // Fails only if nobody waits any more.
                let _ = done.send(());
            });
            let _timer = Timer {
                id: set_timeout(handler.as_ref(), duration.as_millis() as f64),
                _handler: handler,
            };
            let _ = woken.await;
        }
        .boxed_local()
    }
}

/// A timer that is cleared when nobody waits for it any more.
struct Timer {
    id: i32,
    _handler: Closure<dyn FnMut()>,
}

impl Drop for Timer {
    fn drop(&mut self) {
        clear_timeout(self.id);
    }
}

/// The browser's cryptographic random numbers.
pub struct BrowserRandom;

impl Random for BrowserRandom {
    fn next_u64(&self) -> u64 {
        let mut bytes = [0; 8];
        get_random_values(&mut bytes);
        u64::from_le_bytes(bytes)
    }
}

/// Fills `bytes` with random ones.
pub(super) fn fill_random(bytes: &mut [u8]) {
    get_random_values(bytes);
}
