//! Markdown of models, shown safely: parser events become a tree of [`Node`]s,
//! the tree becomes views. There is no HTML string on the way; markup in the
//! text is shown as text, images are never loaded.

pub mod parse;
#[cfg(target_arch = "wasm32")]
mod view;

#[cfg(target_arch = "wasm32")]
pub use view::{CopyButton, Markdown};
