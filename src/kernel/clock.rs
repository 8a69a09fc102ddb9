//! Time and chance come in from outside, so that every test is deterministic.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::future::LocalBoxFuture;

/// Where the kernel gets its time from.
pub trait Clock {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> u64;
    /// Resolves once `duration` has passed; dropping the future cancels the timer.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;
}

/// Where the kernel gets its random numbers from.
pub trait Random {
    /// A number from the whole range of `u64`.
    fn next_u64(&self) -> u64;
}

/// A name that no other call has made: the time, then chance, in hexadecimal.
/// Names made later sort later.
pub fn unique_id(clock: &dyn Clock, random: &dyn Random) -> String {
    format!("{:012x}-{:016x}", clock.now_ms(), random.next_u64())
}

/// A clock for tests: time passes only when [`ManualClock::advance`] is called.
#[derive(Clone, Default)]
pub struct ManualClock(Rc<ManualTime>);

#[derive(Default)]
struct ManualTime {
    now_ms: Cell<u64>,
    sleepers: RefCell<Vec<Sleeper>>,
    last_id: Cell<u64>,
}

struct Sleeper {
    id: u64,
    until_ms: u64,
    waker: Waker,
}

impl ManualClock {
    /// A clock that stands at `now_ms` until it is advanced.
    pub fn at(now_ms: u64) -> Self {
        let clock = Self::default();
        clock.0.now_ms.set(now_ms);
        clock
    }

    /// Lets time pass and wakes whoever slept until then.
    pub fn advance(&self, duration: Duration) {
        self.advance_to(self.0.now_ms.get() + duration.as_millis() as u64);
    }

    /// Lets time pass until the first sleeper wakes; `false` if nobody sleeps.
    pub fn advance_to_next(&self) -> bool {
        let sleepers = self.0.sleepers.borrow();
        let next = sleepers.iter().map(|sleeper| sleeper.until_ms).min();
        drop(sleepers);
        if let Some(until_ms) = next {
            self.advance_to(until_ms);
        }
        next.is_some()
    }

    fn advance_to(&self, now_ms: u64) {
        self.0.now_ms.set(self.0.now_ms.get().max(now_ms));
        let sleepers = self.0.sleepers.take();
        let (due, rest) = sleepers
            .into_iter()
            .partition(|sleeper| sleeper.until_ms <= now_ms);
        self.0.sleepers.replace(rest);
        let due: Vec<Sleeper> = due;
        due.into_iter().for_each(|sleeper| sleeper.waker.wake());
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.0.now_ms.get()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let id = self.0.last_id.get() + 1;
        self.0.last_id.set(id);
        let until_ms = self.0.now_ms.get() + duration.as_millis() as u64;
        let mut asleep = Asleep {
            time: Rc::clone(&self.0),
            id,
        };
        Box::pin(std::future::poll_fn(move |cx| {
            asleep.poll(until_ms, cx.waker())
        }))
    }
}

/// A sleeper's place among the others, given back when it is dropped.
struct Asleep {
    time: Rc<ManualTime>,
    id: u64,
}

impl Asleep {
    fn poll(&mut self, until_ms: u64, waker: &Waker) -> Poll<()> {
        self.leave();
        if self.time.now_ms.get() >= until_ms {
            return Poll::Ready(());
        }
        self.time.sleepers.borrow_mut().push(Sleeper {
            id: self.id,
            until_ms,
            waker: waker.clone(),
        });
        Poll::Pending
    }

    fn leave(&self) {
        let mut sleepers = self.time.sleepers.borrow_mut();
        sleepers.retain(|sleeper| sleeper.id != self.id);
    }
}

impl Drop for Asleep {
    fn drop(&mut self) {
        self.leave();
    }
}

/// A generator for tests that gives the same numbers for the same seed
/// (SplitMix64, <https://prng.di.unimi.it/splitmix64.c>).
pub struct SeededRandom(Cell<u64>);

impl SeededRandom {
    /// Starts the series that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }
}

impl Random for SeededRandom {
    fn next_u64(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0.set(state);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
