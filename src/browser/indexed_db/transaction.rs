//! One transaction, from its beginning to its `complete` or `abort`.

use std::cell::RefCell;
use std::rc::Rc;

use futures::channel::oneshot;
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbObjectStore, IdbRequest, IdbTransaction, IdbTransactionMode};

use super::{error_of, told};
use crate::kernel::store::{Durability, StoreError};

#[wasm_bindgen]
extern "C" {
    /// `IDBDatabase` with the options that `web-sys` does not know as stable.
    type DatabaseWithOptions;

    #[wasm_bindgen(method, catch, js_name = transaction)]
    fn transaction_with_options(
        this: &DatabaseWithOptions,
        names: &Array,
        mode: IdbTransactionMode,
        options: &Object,
    ) -> Result<IdbTransaction, JsValue>;

    /// `IDBTransaction` with `commit`, which `web-sys` marks as deprecated
    /// though the standard does not.
    type CommittableTransaction;

    #[wasm_bindgen(method, catch)]
    fn commit(this: &CommittableTransaction) -> Result<(), JsValue>;
}

/// A transaction that is aborted when it is dropped before it is done.
pub(super) struct Transaction {
    inner: IdbTransaction,
    ended: oneshot::Receiver<Result<(), StoreError>>,
    mode: IdbTransactionMode,
    _listeners: [Closure<dyn FnMut()>; 2],
}

impl Transaction {
    pub(super) fn begin(
        database: &IdbDatabase,
        tables: &[&str],
        mode: IdbTransactionMode,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let names: Array = tables.iter().map(|name| JsValue::from_str(name)).collect();
        let options = Object::new();
        let wanted = match durability {
            Durability::Relaxed => "relaxed",
            Durability::Strict => "strict",
        };
        Reflect::set(&options, &"durability".into(), &wanted.into()).map_err(error_of)?;
        let inner = database
            .unchecked_ref::<DatabaseWithOptions>()
            .transaction_with_options(&names, mode, &options)
            .map_err(error_of)?;

        let (end, ended) = oneshot::channel();
        let end = Rc::new(RefCell::new(Some(end)));
        let on_complete = listener(&end, || Ok(()));
        let on_abort = {
            let transaction = inner.clone();
            listener(&end, move || {
                let reason = transaction.error().map(JsValue::from);
                Err(reason.map_or_else(|| StoreError::Aborted("it was aborted".into()), error_of))
            })
        };
        inner.set_oncomplete(Some(on_complete.as_ref().unchecked_ref()));
        inner.set_onabort(Some(on_abort.as_ref().unchecked_ref()));
        Ok(Self {
            inner,
            ended,
            mode,
            _listeners: [on_complete, on_abort],
        })
    }

    pub(super) fn store(&self, table: &str) -> Result<IdbObjectStore, StoreError> {
        self.inner.object_store(table).map_err(error_of)
    }

    pub(super) async fn get(&self, table: &str, key: &JsValue) -> Result<JsValue, StoreError> {
        answer_of(&self.ask(table, key)?).await
    }

    /// Asks for a row; [`answer_of`] gives it.
    pub(super) fn ask(&self, table: &str, key: &JsValue) -> Result<IdbRequest, StoreError> {
        self.store(table)?.get(key).map_err(error_of)
    }

    pub(super) fn put(
        &self,
        table: &str,
        key: &JsValue,
        value: &JsValue,
    ) -> Result<(), StoreError> {
        self.store(table)?
            .put_with_key(value, key)
            .map(drop)
            .map_err(error_of)
    }

    /// As [`Transaction::put`], but the transaction fails with
    /// [`StoreError::Conflict`] if there is something under the key.
    pub(super) fn add(
        &self,
        table: &str,
        key: &JsValue,
        value: &JsValue,
    ) -> Result<(), StoreError> {
        self.store(table)?
            .add_with_key(value, key)
            .map(drop)
            .map_err(error_of)
    }

    pub(super) fn delete(&self, table: &str, key: &JsValue) -> Result<(), StoreError> {
        self.store(table)?.delete(key).map(drop).map_err(error_of)
    }

    /// All changes are asked for: resolves once they are durable, or with the
    /// reason why none of them happened.
    pub(super) async fn done(mut self) -> Result<(), StoreError> {
        // Spares waiting for the last request's event; the browser commits by itself if this fails.
        drop(
            self.inner
                .unchecked_ref::<CommittableTransaction>()
                .commit(),
        );
        let ended = std::mem::replace(&mut self.ended, oneshot::channel().1);
        let result = told(ended).await;
        self.mode = IdbTransactionMode::Readonly;
        result
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.inner.set_oncomplete(None);
        self.inner.set_onabort(None);
        if self.mode != IdbTransactionMode::Readonly {
            // Fails if it has ended already, which is just as well.
            drop(self.inner.abort());
        }
    }
}

/// Tells whoever waits how the transaction ended.
type End = oneshot::Sender<Result<(), StoreError>>;

fn listener(
    end: &Rc<RefCell<Option<End>>>,
    result: impl Fn() -> Result<(), StoreError> + 'static,
) -> Closure<dyn FnMut()> {
    let end = Rc::clone(end);
    Closure::new(move || {
        if let Some(end) = end.borrow_mut().take() {
            drop(end.send(result()));
        }
    })
}

/// A request's result. Awaiting it keeps the transaction alive, since the
/// waiting task runs before the request's event is over.
pub(super) async fn answer_of(request: &IdbRequest) -> Result<JsValue, StoreError> {
    let (send, answer) = oneshot::channel();
    let send = Rc::new(RefCell::new(Some(send)));
    let answer_with = |read: fn(&IdbRequest) -> Result<JsValue, StoreError>| {
        let (send, request) = (Rc::clone(&send), request.clone());
        Closure::<dyn FnMut()>::new(move || {
            if let Some(send) = send.borrow_mut().take() {
                drop(send.send(read(&request)));
            }
        })
    };
    let on_success = answer_with(|request| request.result().map_err(error_of));
    let on_error = answer_with(|request| {
        let reason = request.error().ok().flatten().map(JsValue::from);
        Err(reason.map_or(StoreError::Closed, error_of))
    });
    request.set_onsuccess(Some(on_success.as_ref().unchecked_ref()));
    request.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    let listening = Listening(request);
    let result = told(answer).await;
    drop(listening);
    result
}

/// Takes the listeners off before they are freed, also when nobody waits any more.
struct Listening<'a>(&'a IdbRequest);

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.0.set_onsuccess(None);
        self.0.set_onerror(None);
    }
}
