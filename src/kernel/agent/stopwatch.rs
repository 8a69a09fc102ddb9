//! How long a run has worked. A laptop that slept did not work: a gap that no
//! request and no tool can explain counts for nothing.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use crate::kernel::clock::Clock;

/// A longer gap between two looks is the machine's sleep, or a clock that was set.
const LONGEST_GAP_MS: u64 = 5 * 60_000;
/// How often one looks while something takes long: well below that gap, so that the work
/// of a slow host or tool is not taken for sleep.
const LOOK_EVERY_MS: u64 = 60_000;

/// Adds up the time between looks.
pub struct Stopwatch {
    clock: Rc<dyn Clock>,
    last_ms: Cell<u64>,
    worked_ms: Cell<u64>,
    /// The watch of the run that this one works for: it is looked at as often.
    above: Option<Rc<Stopwatch>>,
}

impl Stopwatch {
    /// A watch that has counted `worked_ms` already and goes on now.
    pub fn new(clock: Rc<dyn Clock>, worked_ms: u64, above: Option<Rc<Stopwatch>>) -> Self {
        Self {
            last_ms: Cell::new(clock.now_ms()),
            worked_ms: Cell::new(worked_ms),
            clock,
            above,
        }
    }

    /// Milliseconds worked so far. Look often: see [`LONGEST_GAP_MS`].
    pub fn worked_ms(&self) -> u64 {
        if let Some(above) = &self.above {
            above.worked_ms();
        }
        let now = self.clock.now_ms();
        let gap = now.saturating_sub(self.last_ms.replace(now));
        if gap <= LONGEST_GAP_MS {
            self.worked_ms.set(self.worked_ms.get() + gap);
        }
        self.worked_ms.get()
    }

    /// Looks now and then until so much is worked; goes beside whatever may take long.
    pub async fn has_worked(&self, limit_ms: u64) {
        loop {
            let left = limit_ms.saturating_sub(self.worked_ms());
            if left == 0 {
                return;
            }
            let look = Duration::from_millis(left.min(LOOK_EVERY_MS));
            self.clock.sleep(look).await;
        }
    }

    /// Waits before another try: that is no work, though all before it was.
    pub async fn pause(&self, wait: Duration) {
        self.worked_ms();
        self.clock.sleep(wait).await;
        self.leave_out();
    }

    /// What has passed since the last look was no work.
    pub fn leave_out(&self) {
        if let Some(above) = &self.above {
            above.leave_out();
        }
        self.last_ms.set(self.clock.now_ms());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::clock::ManualClock;

    #[test]
    fn sleep_and_waiting_do_not_count() {
        let clock = ManualClock::at(1_000_000);
        let watch = Stopwatch::new(Rc::new(clock.clone()), 500, None);
        clock.advance(Duration::from_secs(2));
        assert_eq!(watch.worked_ms(), 2_500);
        clock.advance(Duration::from_secs(8 * 3_600));
        assert_eq!(watch.worked_ms(), 2_500);
        clock.advance(Duration::from_secs(60));
        watch.leave_out();
        clock.advance(Duration::from_secs(1));
        assert_eq!(watch.worked_ms(), 3_500);
    }
}
