//! What travels between page and worker: the protocol's commands and events,
//! and the few words that the link itself needs.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use wasm_bindgen::JsValue;

use crate::protocol::{Command, Event};

/// From the page to the worker.
#[derive(Serialize, Deserialize)]
pub(super) enum ToKernel {
    /// The first message: the sealed key, if the tab holds one.
    Start(Option<ByteBuf>),
    /// A command.
    Command(Command),
}

/// From the worker to the page.
#[derive(Serialize, Deserialize)]
pub(super) enum FromKernel {
    /// The worker listens. It holds the named lock for as long as it lives.
    Listening(String),
    /// Events, in order.
    Events(Vec<Event>),
    /// The kernel panicked; nothing more will come.
    Panicked(String),
}

/// Makes a message. Plain data with string keys always can be made one.
pub(super) fn pack<T: Serialize>(message: &T) -> JsValue {
    serde_wasm_bindgen::to_value(message).unwrap_or(JsValue::NULL)
}

/// Reads a message; `None` if it is not one of ours.
pub(super) fn unpack<T: for<'de> Deserialize<'de>>(message: JsValue) -> Option<T> {
    serde_wasm_bindgen::from_value(message).ok()
}
