//! Closures in boxes. `dyn Fn` keeps three functions for each closure there is, of which
//! only one is ever called; these keep that one.

/// Gives something.
pub trait Give<R> {
    /// Does so.
    fn give(&self) -> R;
}

impl<R, F: Fn() -> R> Give<R> for F {
    fn give(&self) -> R {
        self()
    }
}

/// Makes something of what it is given.
pub trait Take<A, R> {
    /// Does so.
    fn take(&self, given: A) -> R;
}

impl<A, R, F: Fn(A) -> R> Take<A, R> for F {
    fn take(&self, given: A) -> R {
        self(given)
    }
}

/// Runs again and again.
pub trait Run {
    /// Once more.
    fn run(&mut self);
}

impl<F: FnMut()> Run for F {
    fn run(&mut self) {
        self();
    }
}
