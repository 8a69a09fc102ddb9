//! Shells in workers of their own. The worker's script fetches the shell's module, which it
//! hands over once it is compiled: the next shell starts with that.

use std::cell::RefCell;
use std::rc::Rc;

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, unbounded};
use futures::future::LocalBoxFuture;
use gloo_net::http::Request;
use js_sys::WebAssembly;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ErrorEvent, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

use super::kernel_link::GLUE;
use super::wire::{Message, pack, unpack};
use crate::kernel::tool::bash::link::{FromShell, Shell, Shells, ToShell};

/// The script of the shell's worker and its hash, as the build has them (scripts/build.sh).
const SCRIPT: Option<&str> = option_env!("TABLOOP_SHELL");

/// See the module.
#[derive(Default)]
pub struct WorkerShells {
    module: Rc<RefCell<Option<WebAssembly::Module>>>,
}

impl Shells for WorkerShells {
    fn start(&self) -> Result<Box<dyn Shell>, String> {
        let (script, integrity) = SCRIPT
            .and_then(|script| script.split_once(' '))
            .ok_or("this build of the app has no shell")?;
        let shell = WorkerShell::start(script, integrity, Rc::clone(&self.module));
        Ok(Box::new(shell))
    }
}

/// A shell in a worker, which is ended when it is dropped.
struct WorkerShell {
    worker: Rc<RefCell<Option<Running>>>,
    heard: UnboundedReceiver<Result<FromShell, String>>,
}

struct Running {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Drop for WorkerShell {
    fn drop(&mut self) {
        if let Some(running) = self.worker.take() {
            running.worker.set_onmessage(None);
            running.worker.set_onerror(None);
            running.worker.terminate();
        }
    }
}

impl WorkerShell {
    fn start(
        script: &'static str,
        integrity: &'static str,
        module: Rc<RefCell<Option<WebAssembly::Module>>>,
    ) -> Self {
        let (tell, heard) = unbounded();
        let worker = Rc::new(RefCell::new(None));
        let slot = Rc::downgrade(&worker);
        spawn_local(async move {
            let started = start(script, integrity, module, tell.clone()).await;
            match (slot.upgrade(), started) {
                (Some(slot), Ok(running)) => drop(slot.replace(Some(running))),
                (None, Ok(running)) => running.worker.terminate(),
                (_, Err(why)) => drop(tell.unbounded_send(Err(why))),
            }
        });
        Self { worker, heard }
    }
}

impl Shell for WorkerShell {
    fn post(&self, message: ToShell) {
        if let Some(running) = &*self.worker.borrow() {
            drop(running.worker.post_message(&pack(message)));
        }
    }

    fn next(&mut self) -> LocalBoxFuture<'_, Result<FromShell, String>> {
        Box::pin(async move {
            let next = self.heard.next().await;
            next.unwrap_or_else(|| Err("its worker is gone".into()))
        })
    }
}

type Tell = futures::channel::mpsc::UnboundedSender<Result<FromShell, String>>;

/// Starts a worker. A script that can't be had or is another one is told by the request
/// before: of a worker's script the browser says nothing.
async fn start(
    script: &str,
    integrity: &str,
    module: Rc<RefCell<Option<WebAssembly::Module>>>,
    tell: Tell,
) -> Result<Running, String> {
    let thrown = |thrown: JsValue| super::words_of(&thrown);
    let glue = GLUE.with(String::clone);
    let script = Url::new_with_base(script, &glue).map_err(thrown)?.href();
    let response = Request::get(&script).integrity(integrity).send().await;
    let response = response.map_err(|error| error.to_string())?;
    if !response.ok() {
        return Err(format!(
            "the server answered with status {}",
            response.status()
        ));
    }
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&script, &options).map_err(thrown)?;

    let (known, of_error) = (Rc::clone(&module), tell.clone());
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
        let data = message.data();
        if let Some(compiled) = data.dyn_ref::<WebAssembly::Module>() {
            return drop(known.replace(Some(compiled.clone())));
        }
        // Whoever waited may be gone.
        drop(unpack(data).map(|message| tell.unbounded_send(Ok(message))));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |error: ErrorEvent| {
        // It is told here, and would go up to the page otherwise.
        error.prevent_default();
        drop(of_error.unbounded_send(Err(error.message())));
    });
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    let module = module
        .borrow()
        .clone()
        .map_or(JsValue::UNDEFINED, JsValue::from);
    worker.post_message(&module).map_err(thrown)?;
    Ok(Running {
        worker,
        _on_message: on_message,
        _on_error: on_error,
    })
}

impl Message for ToShell {
    fn bytes(&mut self) -> Vec<&mut Vec<u8>> {
        ToShell::bytes(self)
    }
}

impl Message for FromShell {
    fn bytes(&mut self) -> Vec<&mut Vec<u8>> {
        FromShell::bytes(self)
    }
}
