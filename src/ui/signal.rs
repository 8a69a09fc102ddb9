//! Signals: values that redraw what was drawn from them when they change.
//!
//! They have the names and the calls of Leptos's own, whose code comes anew for each type
//! of value and made up a tenth of the first load. Here Leptos keeps the graph of who
//! follows whom by triggers, which hold nothing; the values lie beside them.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use leptos::prelude::{ArcTrigger, GetValue, LocalStorage, Notify, StoredValue, Track};

/// A value and what follows it.
struct Slot<T> {
    trigger: ArcTrigger,
    value: RefCell<T>,
}

/// A signal that lives as long as somebody holds it. Clones are the same one.
pub struct ArcRwSignal<T>(Rc<Slot<T>>);

impl<T> Clone for ArcRwSignal<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: Default> Default for ArcRwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> ArcRwSignal<T> {
    /// A signal with its first value.
    pub fn new(value: T) -> Self {
        Self(Rc::new(Slot {
            trigger: ArcTrigger::new(),
            value: RefCell::new(value),
        }))
    }

    /// Has the effect that runs now run again when the value changes.
    pub fn track(&self) {
        self.0.trigger.track();
    }

    /// Looks at the value, and follows it.
    pub fn with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        self.track();
        self.with_untracked(look)
    }

    /// Looks at the value as it is now.
    pub fn with_untracked<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.0.value.borrow())
    }

    /// Changes the value.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.0.value.borrow_mut());
        self.0.trigger.notify();
        result
    }

    /// Replaces the value.
    pub fn set(&self, value: T) {
        // The old one goes when nothing is borrowed any more: it may hold signals.
        drop(self.0.value.replace(value));
        self.0.trigger.notify();
    }
}

impl<T: Clone> ArcRwSignal<T> {
    /// The value, which is followed.
    pub fn get(&self) -> T {
        self.with(T::clone)
    }

    /// The value as it is now.
    pub fn get_untracked(&self) -> T {
        self.with_untracked(T::clone)
    }
}

/// A signal that lives as long as the owner it was made under. Copies are the same one.
pub struct RwSignal<T> {
    slot: StoredValue<Rc<dyn Any>, LocalStorage>,
    of: PhantomData<fn(T) -> T>,
}

impl<T> Clone for RwSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RwSignal<T> {}

impl<T> fmt::Debug for RwSignal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RwSignal")
    }
}

impl<T: Default + 'static> Default for RwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: 'static> RwSignal<T> {
    /// A signal with its first value.
    pub fn new(value: T) -> Self {
        let ArcRwSignal(slot) = ArcRwSignal::new(value);
        Self {
            slot: StoredValue::new_local(slot),
            of: PhantomData,
        }
    }

    fn find(self) -> Option<ArcRwSignal<T>> {
        let slot = find(self.slot)?.downcast().ok()?;
        Some(ArcRwSignal(slot))
    }

    /// For those who can't be there without it.
    fn shared(self) -> ArcRwSignal<T> {
        self.find().expect("the signal's owner is still there")
    }

    /// Has the effect that runs now run again when the value changes.
    pub fn track(self) {
        self.shared().track();
    }

    /// Looks at the value, and follows it.
    pub fn with<R>(self, look: impl FnOnce(&T) -> R) -> R {
        self.shared().with(look)
    }

    /// Looks at the value as it is now.
    pub fn with_untracked<R>(self, look: impl FnOnce(&T) -> R) -> R {
        self.shared().with_untracked(look)
    }

    /// Changes the value, if the signal is still there.
    pub fn update(self, change: impl FnOnce(&mut T)) {
        self.try_update(change);
    }

    /// Changes the value; `None` if the signal is gone.
    pub fn try_update<R>(self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.find().map(|signal| signal.update(change))
    }

    /// Replaces the value, if the signal is still there.
    pub fn set(self, value: T) {
        if let Some(signal) = self.find() {
            signal.set(value);
        }
    }
}

impl<T: Clone + 'static> RwSignal<T> {
    /// The value, which is followed.
    pub fn get(self) -> T {
        self.shared().get()
    }

    /// The value as it is now.
    pub fn get_untracked(self) -> T {
        self.shared().get_untracked()
    }

    /// The value as it is now; `None` if the signal is gone.
    pub fn try_get_untracked(self) -> Option<T> {
        self.find().map(|signal| signal.get_untracked())
    }
}

#[inline(never)]
fn find(slot: StoredValue<Rc<dyn Any>, LocalStorage>) -> Option<Rc<dyn Any>> {
    slot.try_get_value()
}
