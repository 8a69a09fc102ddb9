//! What becomes of a transcript whose kernel is gone.

use std::sync::Arc;

use super::{CallState, CallView, Item, Live, Stage, Touched, Transcript};

impl Transcript {
    /// Marks what was going on as broken off: the kernel is gone.
    pub fn break_off(&mut self) -> Touched {
        self.questions.clear();
        self.busy = None;
        let calls = self.break_off_calls();
        match self.open_round() {
            Some((at, round)) if round.is_blank() => self.remove(at),
            Some((at, round)) => {
                round.stage = Stage::Incomplete;
                round.draft = None;
                round.retry = None;
                Touched::Item(at)
            }
            None => calls,
        }
    }

    /// Calls without a result are as if they had not begun.
    fn break_off_calls(&mut self) -> Touched {
        let last = self.items.iter_mut().enumerate().rev();
        let mut rounds = last.filter_map(|(at, item)| match item {
            Item::Round(round) if !round.calls.is_empty() => Some((at, round)),
            _ => None,
        });
        let Some((at, round)) = rounds.next() else {
            return Touched::Nothing;
        };
        let begun = |call: &&mut Arc<CallView>| {
            matches!(call.state, CallState::Running | CallState::Asking)
        };
        let mut touched = Touched::Nothing;
        for call in round.calls.iter_mut().filter(begun) {
            let call = Arc::make_mut(call);
            call.state = CallState::Waiting;
            call.live = Live::default();
            touched = Touched::Item(at);
        }
        touched
    }
}
