//! What a request weighs, in tokens: estimated record by record as they come, and
//! calibrated by what the endpoint counts.

use crate::kernel::event::ContextUse;
use crate::kernel::model::layout::{self, Layout};
use crate::kernel::session::{AssistantMessage, Entry, Record};
use crate::kernel::settings::LimitSettings;
use crate::kernel::tokens::{self, Calibration};
use crate::kernel::tool::ToolSpec;

use super::SYSTEM_PROMPT;
use super::spending::Spent;

/// What hosts add around each message.
const PER_MESSAGE: u64 = 5;
/// What they add around each call.
const PER_CALL: u64 = 10;

/// Tokens by what they are for, as estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    rules: u64,
    history: u64,
    results: u64,
}

impl Weight {
    /// All of it.
    pub fn total(self) -> u64 {
        self.rules + self.history + self.results
    }

    fn add(&mut self, record: &Record, prune_before: u64) {
        match &record.entry {
            Entry::User { text, .. } | Entry::Steer { text } | Entry::Nudge { text, .. } => {
                self.history += tokens::estimate(text) + PER_MESSAGE;
            }
            Entry::Critique {
                passed: false,
                text,
                ..
            } => self.history += tokens::estimate(text) + 8 * PER_MESSAGE,
            Entry::Rules { text, .. } => self.rules += tokens::estimate(text) + 4 * PER_MESSAGE,
            Entry::Assistant(message) => {
                let pruned = (record.seq < prune_before)
                    .then(|| layout::pruned_calls(message, record.seq))
                    .flatten();
                self.history += of_message(pruned.as_ref().unwrap_or(message));
            }
            Entry::ToolResult(result) => {
                let pruned = (record.seq < prune_before)
                    .then(|| layout::pruned(&result.text, record.seq))
                    .flatten();
                let text = pruned.as_deref().unwrap_or(&result.text);
                self.results += tokens::estimate(text) + 2 * PER_MESSAGE;
            }
            _ => {}
        }
    }

    /// What a whole conversation weighs in that layout.
    pub fn of(layout: &Layout<'_>) -> Self {
        let mut weight = Self::default();
        if let Some(summary) = &layout.summary {
            weight.history += tokens::estimate(summary) + PER_MESSAGE;
        }
        for record in layout.pinned.iter().copied().chain(layout.rest) {
            weight.add(record, layout.prune_before);
        }
        weight
    }

    /// What one record weighs, word for word.
    pub fn of_record(record: &Record) -> u64 {
        let mut weight = Self::default();
        weight.add(record, 0);
        weight.total()
    }
}

fn of_message(message: &AssistantMessage) -> u64 {
    let thought = message.reasoning.as_ref();
    let thought = thought
        .filter(|thought| !thought.field.is_empty())
        .map_or(0, |thought| tokens::estimate(&thought.text));
    let calls = message
        .calls
        .iter()
        .map(|call| tokens::estimate(&call.arguments) + PER_CALL);
    tokens::estimate(&message.text) + thought + calls.sum::<u64>() + PER_MESSAGE
}

/// The account of the window.
pub struct Context {
    window: u64,
    system: u64,
    all_tools: u64,
    tools: u64,
    weight: Weight,
    taken: usize,
    calibration: Calibration,
}

impl Context {
    /// The account of an empty conversation.
    pub fn new(specs: &[ToolSpec], limits: &LimitSettings) -> Self {
        let of_tool = |spec: &ToolSpec| {
            let schema = tokens::estimate(&spec.parameters.to_string());
            tokens::estimate(spec.description) + schema + PER_CALL
        };
        let tools = specs.iter().map(of_tool).sum();
        Self {
            window: u64::from(limits.window),
            system: tokens::estimate(SYSTEM_PROMPT) + PER_MESSAGE,
            all_tools: tools,
            tools,
            weight: Weight::default(),
            taken: 0,
            calibration: Calibration::default(),
        }
    }

    /// The model's window, tokens.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// The host refused a request of this size: its window is smaller than was thought, and
    /// no larger than it told.
    pub fn learn_overflow(&mut self, told: Option<u64>) {
        let refused = self.used(Spent::default()).total();
        let most = told.unwrap_or(u64::MAX).min(refused * 9 / 10);
        self.window = self.window.min(most).max(1_024);
    }

    /// Weighs the records behind those it has already; all of them again when a
    /// compaction is among them.
    pub fn take_in(&mut self, records: &[Record]) {
        let new = &records[self.taken.min(records.len())..];
        for record in new {
            if let Entry::Assistant(message) = &record.entry
                && let Some(usage) = message.usage
            {
                self.calibration
                    .learn(message.estimate, usage.prompt_tokens);
            }
        }
        let is_shortened = |record: &Record| matches!(record.entry, Entry::Compaction(_));
        if self.taken == 0 || new.iter().any(is_shortened) {
            self.weight = Weight::of(&layout::layout(records));
        } else {
            new.iter().for_each(|record| self.weight.add(record, 0));
        }
        self.taken = records.len();
    }

    /// Which tools go along with the next request.
    pub fn offer(&mut self, offer: &[ToolSpec]) {
        self.tools = if offer.is_empty() { 0 } else { self.all_tools };
    }

    /// Tokens of the next request as estimated, not calibrated.
    pub fn estimated(&self) -> u64 {
        self.with(self.weight)
    }

    fn with(&self, weight: Weight) -> u64 {
        self.system + self.tools + weight.total()
    }

    /// Tokens that a request with this conversation would have, calibrated.
    pub fn total_with(&self, weight: Weight) -> u64 {
        self.calibration.apply(self.with(weight))
    }

    /// Tokens of the next request, calibrated.
    pub fn total(&self) -> u64 {
        self.total_with(self.weight)
    }

    /// A number of tokens, calibrated.
    pub fn calibrated(&self, estimated: u64) -> u64 {
        self.calibration.apply(estimated)
    }

    /// What takes the room, and what was spent.
    pub fn used(&self, spent: Spent) -> ContextUse {
        let of = |estimated| self.calibration.apply(estimated);
        ContextUse {
            window: self.window,
            system: of(self.system),
            rules: of(self.weight.rules),
            tools: of(self.tools),
            history: of(self.weight.history),
            results: of(self.weight.results),
            spent: spent.usage,
            cost: spent.cost,
        }
    }
}
