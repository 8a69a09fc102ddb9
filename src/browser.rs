//! The browser's edges: each is thin, implements a trait of the kernel and has
//! a twin in memory there. Nothing here decides what the agent does, and
//! nothing here draws.

mod channel;
pub mod clock;
pub mod fetch;
pub mod folders;
pub mod handed;
pub mod indexed_db;
pub mod kernel_link;
mod locks;
pub mod rest;
mod room;
mod seat;
mod shell;
mod shrink;
pub mod vault;
mod web;
mod wire;
pub mod worker;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::DomException;

/// What a thrown value says, as far as it says anything: the one place where
/// errors of the browser become text.
fn words_of(thrown: &JsValue) -> String {
    if let Some(exception) = thrown.dyn_ref::<DomException>() {
        return format!("{}: {}", exception.name(), exception.message());
    }
    if let Some(error) = thrown.dyn_ref::<js_sys::Error>() {
        return error.message().into();
    }
    thrown
        .as_string()
        .unwrap_or_else(|| "the browser gave no reason".into())
}
