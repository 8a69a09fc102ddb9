//! A trace as it is drawn: how long each stage of a round took, and sums.

use std::sync::Arc;

use super::key_of;
use crate::kernel::session::Usage;
use crate::kernel::trace::RoundTrace;

/// Bytes of a request or a response that are shown at first.
const SHOWN: usize = 4_000;

/// The stages of a round, one after the other, milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stages {
    /// Until the response's head.
    pub waiting: u64,
    /// From there to the first piece of the message.
    pub first: u64,
    /// From there to the message's end.
    pub stream: u64,
    /// The work of the tools; calls at the same time count once, waiting for the user not at all.
    pub tools: u64,
}

impl Stages {
    /// Those of `round`. What never came took the time until the end.
    pub fn of(round: &RoundTrace) -> Self {
        let or_end = |ms: u64| match ms {
            0 => round.end_ms,
            ms => ms.min(round.end_ms),
        };
        let first = or_end(round.first_ms);
        // A model that needs no wire has no head.
        let head = match round.head_ms {
            0 => first,
            ms => ms.min(round.end_ms),
        };
        let first = first.max(head);
        Self {
            waiting: head,
            first: first - head,
            stream: round.end_ms - first,
            tools: tools(round),
        }
    }

    /// All of them, in order.
    pub fn all(self) -> [u64; 4] {
        [self.waiting, self.first, self.stream, self.tools]
    }

    /// All of them together.
    pub fn total(self) -> u64 {
        self.all().iter().sum()
    }
}

fn tools(round: &RoundTrace) -> u64 {
    let (mut sum, mut reached) = (0, 0);
    for call in &round.results {
        let begin = call.started_ms + call.waited_ms;
        let end = begin + call.took_ms;
        sum += end.saturating_sub(begin.max(reached));
        reached = reached.max(end);
    }
    sum
}

/// What all rounds come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// How many there are.
    pub rounds: usize,
    /// Their time, milliseconds.
    pub took_ms: u64,
    /// The time of the longest, milliseconds.
    pub longest_ms: u64,
    /// Their tokens, where they were counted.
    pub usage: Usage,
    /// Their cost in millionths of a dollar, where it is known for any.
    pub cost: Option<u64>,
}

impl Sums {
    /// Those of `rounds`.
    pub fn of(rounds: &[Arc<RoundTrace>]) -> Self {
        let mut sums = Self {
            rounds: rounds.len(),
            ..Self::default()
        };
        for round in rounds {
            let took = Stages::of(round).total();
            sums.took_ms += took;
            sums.longest_ms = sums.longest_ms.max(took);
            sums.usage = sums.usage + round.usage.unwrap_or_default();
            if let Some(cost) = round.cost {
                sums.cost = Some(sums.cost.unwrap_or(0) + cost);
            }
        }
        sums
    }
}

/// Tells a round from others, and from itself before more of it was known.
pub fn key(round: &RoundTrace) -> u64 {
    let known = (round.end_ms, round.response.len(), round.results.len());
    key_of(&(round.seq, known))
}

/// As much of a text as is shown at first; nothing if that is all of it.
pub fn beginning(text: &str) -> Option<&str> {
    (text.len() > SHOWN).then(|| &text[..text.floor_char_boundary(SHOWN)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::trace::CallTrace;

    fn call(started_ms: u64, waited_ms: u64, took_ms: u64) -> CallTrace {
        CallTrace {
            call_id: String::new(),
            name: String::new(),
            started_ms,
            took_ms,
            waited_ms,
            ok: true,
        }
    }

    fn round(head_ms: u64, first_ms: u64, end_ms: u64, results: Vec<CallTrace>) -> RoundTrace {
        RoundTrace {
            head_ms,
            first_ms,
            end_ms,
            results,
            ..RoundTrace::default()
        }
    }

    fn check(round: &RoundTrace, expected: [u64; 4]) {
        assert_eq!(Stages::of(round).all(), expected);
    }

    #[test]
    fn the_stages_of_a_round_add_up() {
        check(&round(100, 150, 400, vec![]), [100, 50, 250, 0]);
        // Nothing came.
        check(&round(0, 0, 700, vec![]), [700, 0, 0, 0]);
        // A head, but no message.
        check(&round(100, 0, 700, vec![]), [100, 600, 0, 0]);
        // A whole answer at once, and clocks that disagree.
        check(&round(100, 90, 100, vec![]), [100, 0, 0, 0]);
        assert_eq!(Stages::of(&round(100, 150, 400, vec![])).total(), 400);
    }

    #[test]
    fn tools_at_the_same_time_count_once_and_the_user_s_time_not_at_all() {
        let at_once = vec![
            call(1_000, 0, 300),
            call(1_000, 0, 200),
            call(1_100, 0, 400),
        ];
        check(&round(1, 1, 1, at_once), [1, 0, 0, 500]);
        let in_order = vec![call(1_000, 60_000, 10), call(61_010, 0, 5)];
        check(&round(1, 1, 1, in_order), [1, 0, 0, 15]);
    }

    #[test]
    fn sums_know_the_longest_and_the_cost_if_there_is_any() {
        let of = |end_ms, cost| {
            Arc::new(RoundTrace {
                end_ms,
                cost,
                ..RoundTrace::default()
            })
        };
        let sums = Sums::of(&[of(5, None), of(9, Some(3)), of(2, Some(4))]);
        assert_eq!((sums.took_ms, sums.longest_ms, sums.cost), (16, 9, Some(7)));
        assert_eq!(Sums::of(&[of(5, None)]).cost, None);
    }

    #[test]
    fn long_texts_begin_at_a_whole_character() {
        assert_eq!(beginning(&"a".repeat(SHOWN)), None);
        let long = "长".repeat(SHOWN);
        assert_eq!(beginning(&long).map(str::len), Some(SHOWN / 3 * 3));
    }
}
