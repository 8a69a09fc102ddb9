//! The shell of the tool `bash`, as far as it needs no shell: the files as a command sees
//! them, and what travels between the kernel and the worker it runs in. The worker itself
//! is the binary, which adds the interpreter.

pub mod message;
pub mod output;
pub mod overlay;
