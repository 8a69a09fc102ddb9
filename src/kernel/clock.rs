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

/// A clock for tests: time passes only when [`ManualClock::advance`] is called,
/// or, in `instant` mode, jumps ahead whenever somebody sleeps.
#[derive(Clone, Default)]
pub struct ManualClock(Rc<ManualTime>);

#[derive(Default)]
struct ManualTime {
    now_ms: Cell<u64>,
    instant: Cell<bool>,
    sleepers: RefCell<Vec<(u64, Waker)>>,
}

impl ManualClock {
    /// A clock that stands at `now_ms` until it is advanced.
    pub fn at(now_ms: u64) -> Self {
        let clock = Self::default();
        clock.0.now_ms.set(now_ms);
        clock
    }

    /// A clock on which every sleep is over at once; its time jumps by the length slept.
    pub fn instant() -> Self {
        let clock = Self::at(1_000);
        clock.0.instant.set(true);
        clock
    }

    /// Lets time pass and wakes whoever slept until then.
    pub fn advance(&self, duration: Duration) {
        let now = self.0.now_ms.get() + duration.as_millis() as u64;
        self.0.now_ms.set(now);
        let due: Vec<Waker> = {
            let mut sleepers = self.0.sleepers.borrow_mut();
            let (due, rest) = std::mem::take(&mut *sleepers)
                .into_iter()
                .partition(|(until, _)| *until <= now);
            *sleepers = rest;
            due.into_iter()
                .map(|(_, waker): (u64, Waker)| waker)
                .collect()
        };
        due.into_iter().for_each(Waker::wake);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.0.now_ms.get()
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let time = Rc::clone(&self.0);
        let until = time.now_ms.get() + duration.as_millis() as u64;
        let mut yielded = false;
        Box::pin(std::future::poll_fn(move |cx| {
            if time.instant.get() && yielded {
                time.now_ms.set(time.now_ms.get().max(until));
            }
            if time.now_ms.get() >= until {
                return Poll::Ready(());
            }
            yielded = true;
            if time.instant.get() {
                // Lets every other task run once, as a real timer would.
                cx.waker().wake_by_ref();
            } else {
                time.sleepers.borrow_mut().push((until, cx.waker().clone()));
            }
            Poll::Pending
        }))
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
