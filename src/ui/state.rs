//! What the interface shows, as plain data: no signals, no views, no words.
//! Everything here runs under plain `cargo test`.

pub mod attached;
pub mod bytes;
pub mod calls;
pub mod changes;
pub mod csv;
pub mod days;
pub mod file_tree;
pub mod fuzzy;
pub mod header_lines;
pub mod model_name;
pub mod search;
pub mod setup_link;
pub mod shell;
pub mod strength;
pub mod text_form;
pub mod trace;
pub mod transcript;
pub mod trigger;
pub mod way;
pub mod window;

use std::hash::{DefaultHasher, Hash, Hasher};

/// A number that stands for `value` in lists of elements.
pub fn key_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
