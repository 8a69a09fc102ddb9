//! What a request weighs, in tokens: estimated record by record as they come, and
//! calibrated by what the endpoint counts.

use crate::kernel::event::ContextUse;
use crate::kernel::model::layout::{self, Layout};
use crate::kernel::session::{AssistantMessage, Entry, Picture, Record, Remark, Usage};
use crate::kernel::settings::LimitSettings;
use crate::kernel::tokens::{self, Calibration};
use crate::kernel::tool::ToolSpec;

use super::SYSTEM_PROMPT;
use super::spending::Spent;

/// What hosts add around each message.
const PER_MESSAGE: u64 = 5;
/// What they add around each call.
const PER_CALL: u64 = 10;

/// Windows that servers at home are started with, tokens. What is longer, some of them cut
/// to that size and say nothing: <https://github.com/ollama/ollama/issues/10368>.
const WINDOWS: std::ops::RangeInclusive<u64> = 2_048..=32_768;
/// A cut request fills its window but for this part of it…
const UNFILLED: u64 = 16;
/// …or is counted as so many tokens more: <https://github.com/ollama/ollama/issues/17427>.
const BEYOND: u64 = 8;

/// Tokens by what they are for, as estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    rules: u64,
    history: u64,
    results: u64,
    /// Of images, which not every model takes.
    pictures: u64,
}

impl Weight {
    /// All of it but images.
    pub fn total(self) -> u64 {
        self.rules + self.history + self.results
    }

    /// Adds a record, of which texts before the first number are shortened, and images before
    /// the second are not sent.
    fn add(&mut self, record: &Record, (prune_before, pictures_before): (u64, u64)) {
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
                if record.seq >= pictures_before {
                    self.pictures += result.pictures.iter().map(Picture::tokens).sum::<u64>();
                }
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
            weight.add(record, (layout.prune_before, layout.pictures_before));
        }
        weight
    }

    /// What one record weighs, word for word.
    fn of_record(record: &Record) -> Self {
        let mut weight = Self::default();
        weight.add(record, (0, 0));
        weight
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
    takes_pictures: bool,
    taken: usize,
    calibration: Calibration,
    /// Tokens of the last request that was answered, as estimated.
    answered: u64,
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
            takes_pictures: false,
            taken: 0,
            calibration: Calibration::default(),
            answered: 0,
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
            let Entry::Assistant(message) = &record.entry else {
                continue;
            };
            if let Some(usage) = message.usage
                && self.cut_to(message.estimate, usage).is_none()
            {
                self.calibration
                    .learn(message.estimate, usage.prompt_tokens);
            }
            self.answered = message.estimate;
        }
        let is_shortened = |record: &Record| matches!(record.entry, Entry::Compaction(_));
        if self.taken == 0 || new.iter().any(is_shortened) {
            self.weight = Weight::of(&layout::layout(records));
        } else {
            new.iter()
                .for_each(|record| self.weight.add(record, (0, 0)));
        }
        self.taken = records.len();
    }

    /// What is odd about the endpoint's count of the request that was just answered. It is
    /// said once in a `run`.
    pub fn remark(&self, usage: Option<Usage>, run: &[Record]) -> Option<Remark> {
        let is_said = |record: &Record| match &record.entry {
            Entry::Assistant(message) => matches!(message.remark, Some(Remark::CutTo(_))),
            _ => false,
        };
        let window = self.cut_to(self.estimated(), usage?)?;
        (!run.iter().any(is_said)).then_some(Remark::CutTo(window))
    }

    /// The window to which a request of `estimate` tokens was likely cut. Nothing else may
    /// explain the count: not the kind of text, not a count of what came new alone.
    fn cut_to(&self, estimate: u64, usage: Usage) -> Option<u64> {
        let counted = usage.prompt_tokens;
        let window = counted.saturating_sub(BEYOND).checked_next_power_of_two()?;
        let is_full = counted >= window - window / UNFILLED;
        let expected = self.calibration.apply(estimate).min(estimate);
        let new = estimate.saturating_sub(self.answered);
        let is_new_alone = usage.cached_tokens > 0 || (2 * new..=6 * new).contains(&(3 * counted));
        let is_cut = WINDOWS.contains(&window) && is_full && 2 * counted < expected;
        (is_cut && !is_new_alone).then_some(window)
    }

    /// Whether images go along with the next request.
    pub fn weigh_pictures(&mut self, takes_pictures: bool) {
        self.takes_pictures = takes_pictures;
    }

    fn pictures(&self, weight: Weight) -> u64 {
        weight.pictures * u64::from(self.takes_pictures)
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
        self.system + self.tools + weight.total() + self.pictures(weight)
    }

    /// Tokens that a request with this conversation would have, calibrated.
    pub fn total_with(&self, weight: Weight) -> u64 {
        self.calibration.apply(self.with(weight))
    }

    /// Tokens of the next request, calibrated.
    pub fn total(&self) -> u64 {
        self.total_with(self.weight)
    }

    /// Tokens that a record adds to a request, calibrated.
    pub fn weight_of(&self, record: &Record) -> u64 {
        let weight = Weight::of_record(record);
        self.calibrated(weight.total() + self.pictures(weight))
    }

    fn calibrated(&self, estimated: u64) -> u64 {
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
            results: of(self.weight.results + self.pictures(self.weight)),
            spent: spent.usage,
            cost: spent.cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A context that was told of such requests: tokens estimated and counted.
    fn after(answered: &[(u64, u64)]) -> Context {
        let mut context = Context::new(&[], &LimitSettings::default());
        let record = |(seq, (estimate, counted)): (usize, &(u64, u64))| Record {
            seq: seq as u64,
            at_ms: 0,
            entry: Entry::Assistant(AssistantMessage {
                estimate: *estimate,
                usage: Some(usage(*counted)),
                ..AssistantMessage::default()
            }),
        };
        let records: Vec<Record> = answered.iter().enumerate().map(record).collect();
        context.take_in(&records);
        context
    }

    fn usage(prompt_tokens: u64) -> Usage {
        Usage {
            prompt_tokens,
            ..Usage::default()
        }
    }

    fn check(answered: &[(u64, u64)], (estimate, counted): (u64, u64), expected: Option<u64>) {
        let cut_to = after(answered).cut_to(estimate, usage(counted));
        assert_eq!(cut_to, expected, "{counted} counted of {estimate}");
    }

    #[test]
    fn a_count_at_a_usual_window_far_below_the_estimate_tells_of_a_cut() {
        check(&[], (16_101, 2_048), Some(2_048));
        check(&[], (9_000, 4_096), Some(4_096));
        check(&[], (9_000, 4_098), Some(4_096));
        check(&[], (9_000, 3_900), Some(4_096));
        check(&[], (70_000, 32_768), Some(32_768));
        let before = [(3_000, 3_100), (3_500, 3_600)];
        check(&before, (12_500, 4_090), Some(4_096));
    }

    #[test]
    fn nothing_else_is_taken_for_a_cut() {
        // More than half of what was estimated, or more than that.
        check(&[], (8_100, 4_096), None);
        check(&[], (4_096, 4_096), None);
        check(&[], (3_000, 4_096), None);
        // Far from every window, or at one that no server begins with.
        check(&[], (9_000, 3_000), None);
        check(&[], (9_000, 4_200), None);
        check(&[], (9_000, 1_024), None);
        check(&[], (400_000, 131_072), None);
        check(&[], (9_000, 0), None);
        check(&[], (u64::MAX, u64::MAX), None);
        // A host that counts what is not in its cache alone, or tells of a cache.
        check(&[(10_000, 9_800)], (14_100, 4_096), None);
        let cached = Usage {
            cached_tokens: 5_000,
            ..usage(4_096)
        };
        assert_eq!(after(&[]).cut_to(9_100, cached), None);
        // A kind of text of which the host has always counted less.
        let dense = [(10_000, 5_000), (11_000, 5_500)];
        check(&dense, (16_000, 8_192), None);
        check(&dense, (16_400, 8_100), None);
    }

    #[test]
    fn a_count_of_a_cut_request_does_not_calibrate() {
        assert_eq!(after(&[(16_000, 2_048)]).calibrated(1_000), 1_000);
        assert_eq!(after(&[(16_000, 12_000)]).calibrated(1_000), 750);
    }
}
