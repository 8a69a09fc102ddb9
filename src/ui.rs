//! What the user sees, drawn from the kernel's events. Nothing here knows keys,
//! storage or workers; the way to the kernel comes in from outside.
//!
//! [`words`], [`state`] and [`markdown`]'s parser are plain and tested natively;
//! all that needs Leptos is compiled for the browser alone.

pub mod markdown;
pub mod readable;
pub mod state;
pub mod words;

#[cfg(target_arch = "wasm32")]
mod actions;
#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod asides;
#[cfg(target_arch = "wasm32")]
mod changes;
#[cfg(target_arch = "wasm32")]
mod combobox;
#[cfg(target_arch = "wasm32")]
mod composer;
#[cfg(target_arch = "wasm32")]
mod composer_options;
#[cfg(target_arch = "wasm32")]
mod controller;
#[cfg(target_arch = "wasm32")]
mod conversation;
#[cfg(target_arch = "wasm32")]
mod copy_button;
#[cfg(target_arch = "wasm32")]
mod diff_view;
#[cfg(target_arch = "wasm32")]
mod doctor;
#[cfg(target_arch = "wasm32")]
mod dom;
#[cfg(target_arch = "wasm32")]
mod editing;
#[cfg(target_arch = "wasm32")]
mod element;
#[cfg(target_arch = "wasm32")]
mod empty_session;
#[cfg(target_arch = "wasm32")]
mod endpoint_form;
#[cfg(target_arch = "wasm32")]
mod extra;
#[cfg(target_arch = "wasm32")]
mod field;
#[cfg(target_arch = "wasm32")]
mod file_actions;
#[cfg(target_arch = "wasm32")]
mod file_tree;
#[cfg(target_arch = "wasm32")]
mod file_viewer;
#[cfg(target_arch = "wasm32")]
mod follow;
#[cfg(target_arch = "wasm32")]
mod frame;
#[cfg(target_arch = "wasm32")]
mod free_space;
#[cfg(target_arch = "wasm32")]
mod handing;
#[cfg(target_arch = "wasm32")]
mod icon;
#[cfg(target_arch = "wasm32")]
mod import;
#[cfg(target_arch = "wasm32")]
mod later;
#[cfg(target_arch = "wasm32")]
mod linked;
#[cfg(target_arch = "wasm32")]
mod meter;
#[cfg(target_arch = "wasm32")]
mod middle_cut;
#[cfg(target_arch = "wasm32")]
mod modal;
#[cfg(target_arch = "wasm32")]
mod model_picker;
#[cfg(target_arch = "wasm32")]
mod notices;
#[cfg(target_arch = "wasm32")]
mod palette;
#[cfg(target_arch = "wasm32")]
mod pane_tabs;
#[cfg(target_arch = "wasm32")]
mod picture;
#[cfg(target_arch = "wasm32")]
mod preferences;
#[cfg(target_arch = "wasm32")]
mod presence;
#[cfg(target_arch = "wasm32")]
mod preview;
#[cfg(target_arch = "wasm32")]
mod progress;
#[cfg(target_arch = "wasm32")]
mod prose;
#[cfg(target_arch = "wasm32")]
mod question;
#[cfg(target_arch = "wasm32")]
mod queue;
#[cfg(target_arch = "wasm32")]
mod resume_card;
#[cfg(target_arch = "wasm32")]
mod round_card;
#[cfg(target_arch = "wasm32")]
mod rows;
#[cfg(target_arch = "wasm32")]
mod run_end;
#[cfg(target_arch = "wasm32")]
mod say;
#[cfg(target_arch = "wasm32")]
mod session_menu;
#[cfg(target_arch = "wasm32")]
mod session_search;
#[cfg(target_arch = "wasm32")]
mod settings;
#[cfg(target_arch = "wasm32")]
mod setup;
#[cfg(target_arch = "wasm32")]
mod shell_card;
#[cfg(target_arch = "wasm32")]
mod shortcuts;
#[cfg(target_arch = "wasm32")]
mod sidebar;
#[cfg(target_arch = "wasm32")]
mod signal;
#[cfg(target_arch = "wasm32")]
mod spaces;
#[cfg(target_arch = "wasm32")]
mod storage;
#[cfg(target_arch = "wasm32")]
mod sub_agent;
#[cfg(target_arch = "wasm32")]
mod task_foot;
#[cfg(target_arch = "wasm32")]
mod todo_card;
#[cfg(target_arch = "wasm32")]
mod tool_card;
#[cfg(target_arch = "wasm32")]
mod trace_view;
#[cfg(target_arch = "wasm32")]
mod undo;
#[cfg(target_arch = "wasm32")]
mod unlock;
#[cfg(target_arch = "wasm32")]
mod workspace;
#[cfg(target_arch = "wasm32")]
mod writing;

#[cfg(target_arch = "wasm32")]
use std::rc::Rc;

#[cfg(target_arch = "wasm32")]
pub use self::handing::Picked;
use crate::protocol::{Command, Event};

/// The way to the kernel, as the composition root gives it.
pub trait KernelLink {
    /// Sends a command; the answer comes as an event.
    fn send(&self, command: Command);
    /// Has files brought in, whose bytes the kernel reads by itself.
    #[cfg(target_arch = "wasm32")]
    fn hand(&self, files: Vec<Picked>);
    /// Lets the user choose a folder of the device, which is linked with one of the
    /// workspace. Called in a press.
    fn pick_folder(&self, folder: String);
    /// Asks the user for leave to the linked folder once more. Called in a press.
    fn ask_folder(&self, id: String);
    /// Ends the kernel if it still runs and starts a new one.
    fn restart(&self);
    /// Fetches what the app did not need to take input.
    fn fetch_rest(&self);
}

/// What comes from the kernel's side.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, and it is taken apart at once"
)]
pub enum LinkEvent {
    /// The kernel tells something.
    Kernel(Event),
    /// The kernel ended.
    Died {
        /// Words of the platform; may be empty.
        reason: String,
    },
    /// It has not answered for a while.
    Silent,
    /// All of the app's code is there.
    Loaded,
    /// A part of it could not be fetched; commands wait, and it is tried again.
    NotLoaded,
}

/// Draws the page and joins it to the kernel that `connect` reaches.
#[cfg(target_arch = "wasm32")]
pub fn mount(connect: impl FnOnce(Rc<dyn Fn(LinkEvent)>) -> Rc<dyn KernelLink> + 'static) {
    app::mount(connect);
}
