//! The channel in memory: the twin for native tests. What is told waits until it is
//! delivered, so that a test can lose it, hold it back or deliver it twice.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::{Channel, Hint, Listener};

/// What the tabs of one browser share.
#[derive(Clone, Default)]
pub struct Wire(Rc<Shared>);

#[derive(Default)]
struct Shared {
    listeners: RefCell<Vec<Option<Listener>>>,
    /// What was told and by whom.
    told: RefCell<VecDeque<(usize, Vec<Hint>)>>,
}

/// One tab's end of it.
pub struct MemoryChannel {
    wire: Wire,
    at: usize,
}

impl Wire {
    /// An end for another tab.
    pub fn join(&self) -> Rc<MemoryChannel> {
        let mut listeners = self.0.listeners.borrow_mut();
        listeners.push(None);
        Rc::new(MemoryChannel {
            wire: self.clone(),
            at: listeners.len() - 1,
        })
    }

    /// What was told and not delivered, the oldest first.
    pub fn waiting(&self) -> Vec<Vec<Hint>> {
        let told = self.0.told.borrow();
        told.iter().map(|(_, hints)| hints.clone()).collect()
    }

    /// Delivers all of that, each `times` times, in the order `order`.
    pub fn deliver(&self, times: usize, order: Order) {
        let mut told: Vec<(usize, Vec<Hint>)> = self.0.told.take().into();
        if order == Order::Backwards {
            told.reverse();
        }
        for (by, hints) in told {
            for _ in 0..times {
                self.hand_out(by, &hints);
            }
        }
    }

    fn hand_out(&self, by: usize, hints: &[Hint]) {
        let listeners = self.0.listeners.borrow().clone();
        let others = listeners.iter().enumerate().filter(|(at, _)| *at != by);
        for listener in others.filter_map(|(_, listener)| listener.as_ref()) {
            listener(hints.to_vec());
        }
    }
}

/// In which order a [`Wire`] delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As it was told.
    Told,
    /// What was told last comes first.
    Backwards,
}

impl Channel for MemoryChannel {
    fn tell(&self, hints: Vec<Hint>) {
        self.wire.0.told.borrow_mut().push_back((self.at, hints));
    }

    fn listen(&self, listener: Listener) {
        self.wire.0.listeners.borrow_mut()[self.at] = Some(listener);
    }
}
