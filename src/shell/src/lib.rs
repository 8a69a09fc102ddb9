//! The shell of the tool `bash`, as far as it needs no shell: the files as a command sees
//! them, and what travels between the kernel and the worker it runs in. The worker itself
//! is the binary, which adds the interpreter.

/// The kernel's own file: both sides have the same messages.
#[path = "../../kernel/tool/bash/messages.rs"]
pub mod messages;
pub mod output;
pub mod overlay;
/// The app's own file, by which messages are written and read.
#[path = "../../plain.rs"]
pub mod plain;
