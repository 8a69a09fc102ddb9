//! What a run has used: rounds, tokens, money, time. Sub-agents write into the
//! account of the run they work for.

use std::cell::RefCell;
use std::rc::Rc;

use crate::kernel::event::StopReason;
use crate::kernel::session::{AssistantMessage, Ending, Entry, Record, Topic, Usage};
use crate::kernel::settings::LimitSettings;
use crate::kernel::tokens;

/// What was used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Rounds that were answered; a last word is none.
    pub rounds: u32,
    /// Tokens: the endpoint's counts, estimates where it gave none.
    pub usage: Usage,
    /// Whether the endpoint counted any of them.
    pub counted: bool,
    /// Their cost in millionths of a dollar, where prices are known.
    pub cost: Option<u64>,
    /// How long the run worked, milliseconds.
    pub worked_ms: u64,
}

impl Spent {
    /// What the records of a run say it has used, to go on from there.
    pub fn of(run: &[Record], limits: &LimitSettings) -> Self {
        let mut spent = Self::default();
        let mut is_last_word = false;
        for record in run {
            match &record.entry {
                Entry::Assistant(message) => {
                    spent.rounds += u32::from(!is_last_word);
                    spent.worked_ms = spent.worked_ms.max(message.worked_ms);
                    spent.counted |= message.usage.is_some();
                    spent.add(usage_of(message), limits);
                }
                Entry::ToolResult(result) => {
                    spent.add(result.spent.unwrap_or_default(), limits);
                }
                Entry::Critique { spent: used, .. } | Entry::Titled { spent: used, .. } => {
                    spent.add(used.unwrap_or_default(), limits);
                }
                Entry::Compaction(compaction) => {
                    let summary = compaction.summary.as_ref();
                    let used = summary.and_then(|summary| summary.spent);
                    spent.add(used.unwrap_or_default(), limits);
                }
                Entry::Nudge { about, .. } => is_last_word = *about == Topic::LastWord,
                _ => {}
            }
        }
        spent
    }

    /// How a run ends that has used this.
    pub fn ending(&self, reason: StopReason) -> Ending {
        Ending {
            reason,
            rounds: self.rounds,
            usage: self.counted.then_some(self.usage),
            took_ms: self.worked_ms,
            cost: self.cost.filter(|_| self.rounds > 0),
        }
    }

    /// Tokens were used.
    pub fn add(&mut self, usage: Usage, limits: &LimitSettings) {
        self.usage = self.usage + usage;
        self.cost = limits.cost(self.usage);
    }
}

/// Tokens of a message and its request, estimated where the endpoint did not count.
pub fn usage_of(message: &AssistantMessage) -> Usage {
    message.usage.unwrap_or_else(|| Usage {
        prompt_tokens: message.estimate,
        completion_tokens: written(message),
        cached_tokens: 0,
    })
}

fn written(message: &AssistantMessage) -> u64 {
    let thought = message
        .reasoning
        .as_ref()
        .map_or("", |thought| &thought.text);
    let calls = message
        .calls
        .iter()
        .map(|call| tokens::estimate(&call.arguments) + 8);
    tokens::estimate(&message.text) + tokens::estimate(thought) + calls.sum::<u64>()
}

/// The account of a run. Clones are the same one.
#[derive(Clone, Default)]
pub struct Account {
    own: Rc<RefCell<Spent>>,
    /// The account of the run that this one works for.
    above: Option<Rc<Account>>,
}

impl Account {
    /// An account that begins with what was used before.
    pub fn new(spent: Spent) -> Self {
        Self {
            own: Rc::new(RefCell::new(spent)),
            above: None,
        }
    }

    /// The account of a sub-agent: what it uses is used here too.
    pub fn below(&self, spent: Spent) -> Self {
        Self {
            own: Rc::new(RefCell::new(spent)),
            above: Some(Rc::new(self.clone())),
        }
    }

    /// What this run has used.
    pub fn spent(&self) -> Spent {
        *self.own.borrow()
    }

    /// What counts against the limits: for a sub-agent, all that the run above has used.
    pub fn against_limits(&self) -> Spent {
        let own = self.spent();
        match &self.above {
            None => own,
            Some(above) => {
                let above = above.against_limits();
                Spent {
                    usage: above.usage,
                    cost: above.cost,
                    ..own
                }
            }
        }
    }

    /// A message came.
    pub fn add_round(&self, message: &AssistantMessage, limits: &LimitSettings) {
        let mut own = self.own.borrow_mut();
        own.rounds += 1;
        own.counted |= message.usage.is_some();
        drop(own);
        self.add(usage_of(message), limits);
    }

    /// The last message was beyond the limit, not one of the rounds it allowed.
    pub fn uncount_round(&self) {
        self.own.borrow_mut().rounds -= 1;
    }

    /// Tokens were used.
    pub fn add(&self, usage: Usage, limits: &LimitSettings) {
        self.own.borrow_mut().add(usage, limits);
        if let Some(above) = &self.above {
            above.add(usage, limits);
        }
    }

    /// So long the run has worked.
    pub fn set_worked(&self, worked_ms: u64) {
        self.own.borrow_mut().worked_ms = worked_ms;
    }
}
