//! Markdown of models, shown safely: the text becomes a tree of nodes, the tree
//! becomes elements. There is no HTML string on the way; markup in the text is
//! shown as text, images are never loaded.

#[cfg(target_arch = "wasm32")]
mod code;
#[cfg(target_arch = "wasm32")]
mod draw;
#[cfg(target_arch = "wasm32")]
mod frames;
#[cfg(target_arch = "wasm32")]
mod grow;
#[cfg(target_arch = "wasm32")]
mod helper;
pub mod parse;
#[cfg(target_arch = "wasm32")]
mod view;

#[cfg(target_arch = "wasm32")]
pub use view::markdown;
