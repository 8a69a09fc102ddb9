//! What tools keep for as long as a run lasts.

use std::any::Any;
use std::cell::RefCell;

/// Things by name. They are dropped when the run ends, however it ends.
#[derive(Default)]
pub struct Locker(RefCell<Vec<(&'static str, Box<dyn Any>)>>);

impl Locker {
    /// Keeps something in the place of what was kept under this name.
    pub fn put(&self, name: &'static str, thing: impl Any) {
        drop(self.take_any(name));
        self.0.borrow_mut().push((name, Box::new(thing)));
    }

    /// Takes out what is kept under this name, if it is a `T`.
    pub fn take<T: Any>(&self, name: &'static str) -> Option<T> {
        let thing = self.take_any(name)?.downcast().ok()?;
        Some(*thing)
    }

    fn take_any(&self, name: &'static str) -> Option<Box<dyn Any>> {
        let mut things = self.0.borrow_mut();
        let at = things.iter().position(|(known, _)| *known == name)?;
        Some(things.swap_remove(at).1)
    }
}
