//! Cancelling a run: one token, seen by everything that waits.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures::future::{Either, select};

use super::event::Failure;

/// The user's wish to stop, or the failure that ends all that works for a run. Clones share one state; once set it stays set.
#[derive(Clone, Default)]
pub struct CancelToken(Rc<State>);

#[derive(Default)]
struct State {
    cancelled: Cell<bool>,
    failure: RefCell<Option<Failure>>,
    waiting: RefCell<Vec<Waker>>,
}

/// What [`CancelToken::guard`] gives when the user stopped first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl CancelToken {
    /// Asks everything that holds this token to stop.
    pub fn cancel(&self) {
        self.0.cancelled.set(true);
        self.0.waiting.take().into_iter().for_each(Waker::wake);
    }

    /// The same, where it is not the user who ends it.
    pub fn fail(&self, failure: Failure) {
        if !self.is_cancelled() {
            self.0.failure.replace(Some(failure));
        }
        self.cancel();
    }

    /// Why everything stops, if the user did not wish it.
    pub fn failure(&self) -> Option<Failure> {
        self.0.failure.borrow().clone()
    }

    /// Whether [`CancelToken::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.get()
    }

    /// Runs `work` until it is done or the token is cancelled; then `work` is dropped.
    pub async fn guard<T>(&self, work: impl Future<Output = T>) -> Result<T, Cancelled> {
        match select(pin!(self.cancelled()), pin!(work)).await {
            Either::Left(_) => Err(Cancelled),
            Either::Right((value, _)) => Ok(value),
        }
    }

    /// Resolves when the token is cancelled.
    async fn cancelled(&self) {
        std::future::poll_fn(|cx| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            let mut waiting = self.0.waiting.borrow_mut();
            if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
                waiting.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;
    use futures::future::{join, pending, ready};

    #[test]
    fn a_finished_work_wins_over_a_token_that_was_never_set() {
        assert_eq!(block_on(CancelToken::default().guard(ready(7))), Ok(7));
    }

    #[test]
    fn a_set_token_ends_work_that_would_wait_for_ever() {
        let token = CancelToken::default();
        let (ended, ()) = block_on(join(token.guard(pending::<()>()), async {
            token.cancel();
        }));
        assert_eq!(ended, Err(Cancelled));
    }
}
