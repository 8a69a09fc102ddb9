//! How the kernel and a shell speak: where shells come from, and what one does.

use futures::future::LocalBoxFuture;

pub use super::messages::{Changed, FromShell, Given, ToShell};

/// Where shells come from.
pub trait Shells {
    /// Starts a shell, which loads what it is made of by itself and then tells that it is
    /// ready.
    ///
    /// # Errors
    /// Why there is none, for the model.
    fn start(&self) -> Result<Box<dyn Shell>, String>;
}

/// A shell. It ends when it is dropped, whatever it is at.
pub trait Shell {
    /// Sends a message.
    fn post(&self, message: ToShell);

    /// The next message; an error tells why there will be no more.
    fn next(&mut self) -> LocalBoxFuture<'_, Result<FromShell, String>>;
}
