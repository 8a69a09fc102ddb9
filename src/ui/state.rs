//! What the interface shows, as plain data: no signals, no views, no words.
//! Everything here runs under plain `cargo test`.

pub mod calls;
pub mod days;
pub mod file_tree;
pub mod transcript;
