//! The kernel: everything Tabloop does that does not need a browser.
//!
//! It reaches the outside only through the traits defined here
//! ([`clock::Clock`], [`clock::Random`], [`store::Store`], [`model::Transport`],
//! [`vault::KeyVault`]), so all of it runs under plain `cargo test`.
//! It never draws, never touches the DOM and never reads a clock by itself.

pub mod agent;
pub mod approval;
pub mod archive;
pub mod cancel;
pub mod clock;
pub mod diff;
pub mod doctor;
pub mod event;
pub mod fixed;
pub mod link;
pub mod model;
pub mod presets;
pub mod redact;
pub mod service;
pub mod session;
pub mod settings;
pub mod shrink;
pub mod spaces;
pub mod stage;
pub mod store;
pub mod tabs;
pub mod tokens;
pub mod tool;
pub mod trace;
pub mod twins;
pub mod vault;
pub mod workspace;
