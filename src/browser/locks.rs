//! Web Locks: who may write, and whether a worker still lives. `web-sys` has
//! them only as unstable, so the calls are bound by hand
//! (<https://w3c.github.io/web-locks/>).

use futures::channel::oneshot;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    #[wasm_bindgen(method, catch)]
    fn request(
        this: &LockManager,
        name: &str,
        options: &Object,
        granted: &Function,
    ) -> Result<Promise, JsValue>;
}

fn manager() -> Option<LockManager> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// How a lock is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// Behind all who have it or asked before.
    InTurn,
    /// At once, away from whoever has it.
    Steal,
}

/// A lock that was asked for.
pub(super) struct Lock {
    /// Resolves when it is granted; it is then kept until this page or worker ends, or
    /// another steals it.
    pub granted: oneshot::Receiver<()>,
    ended: Promise,
}

impl Lock {
    /// Waits until another has stolen it.
    pub(super) async fn stolen(self) {
        drop(JsFuture::from(self.ended).await);
    }
}

/// Asks for a lock for life. `None` where the browser has no locks.
pub(super) fn take_for_life(name: &str, ask: Ask) -> Option<Lock> {
    let (send, granted) = oneshot::channel();
    // A promise that never resolves keeps the lock.
    let for_life = Promise::new(&mut |_, _| {});
    let ended = request(name, ask, send, for_life.into())?;
    Some(Lock { granted, ended })
}

/// Resolves when whoever holds the lock lets it go, by ending if not otherwise.
pub(super) fn when_free(name: &str) -> Option<oneshot::Receiver<()>> {
    let (send, free) = oneshot::channel();
    drop(request(name, Ask::InTurn, send, JsValue::UNDEFINED)?);
    Some(free)
}

fn request(name: &str, ask: Ask, granted: oneshot::Sender<()>, hold: JsValue) -> Option<Promise> {
    let on_granted = Closure::once_into_js(move |_lock: JsValue| {
        let _ = granted.send(());
        hold
    });
    let options = Object::new();
    if ask == Ask::Steal {
        Reflect::set(&options, &"steal".into(), &JsValue::TRUE).ok()?;
    }
    manager()?
        .request(name, &options, on_granted.unchecked_ref())
        .ok()
}
