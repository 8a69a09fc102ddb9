//! Tabloop: an agent that lives in a browser tab.
//!
//! | layer | what lives there | what it never knows |
//! |---|---|---|
//! | [`kernel`] | loop, model client, tools, workspace, sessions | the browser: no `web-sys`, no `js-sys`, no clock of its own |
//! | [`plain`] | how plain data is written as JSON and read back | what the data means |
//! | [`protocol`] | the messages between page and kernel | how either side works |
//! | `browser` | thin edges: fetch, IndexedDB, locks, workers, crypto | the interface |
//! | [`ui`] | what the user sees, drawn from events | keys, storage, `browser` |
//!
//! `main.rs` is the one place that joins `browser` and `ui`.

#[cfg(target_arch = "wasm32")]
pub mod browser;
pub mod kernel;
pub mod plain;
pub mod protocol;
pub mod ui;
