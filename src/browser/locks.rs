//! Web Locks: who may write, and whether a worker still lives. `web-sys` has
//! them only as unstable, so the two calls are bound by hand
//! (<https://w3c.github.io/web-locks/>).

use futures::channel::oneshot;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    #[wasm_bindgen(method, catch)]
    fn request(this: &LockManager, name: &str, granted: &Function) -> Result<Promise, JsValue>;
}

fn manager() -> Option<LockManager> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// Asks for a lock. The receiver resolves when it is granted; it is then kept
/// until this page or worker ends. `None` where the browser has no locks.
pub(super) fn take_for_life(name: &str) -> Option<oneshot::Receiver<()>> {
    let (send, granted) = oneshot::channel();
    // A promise that never resolves keeps the lock.
    let for_life = Promise::new(&mut |_, _| {});
    request(name, send, for_life.into())?;
    Some(granted)
}

/// Resolves when whoever holds the lock lets it go, by ending if not otherwise.
pub(super) fn when_free(name: &str) -> Option<oneshot::Receiver<()>> {
    let (send, free) = oneshot::channel();
    request(name, send, JsValue::UNDEFINED)?;
    Some(free)
}

fn request(name: &str, granted: oneshot::Sender<()>, hold: JsValue) -> Option<()> {
    let on_granted = Closure::once_into_js(move |_lock: JsValue| {
        let _ = granted.send(());
        hold
    });
    manager()?
        .request(name, on_granted.unchecked_ref())
        .ok()
        .map(drop)
}
