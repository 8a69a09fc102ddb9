//! When runs end and what they may use: numbers, their ranges, and what tokens cost.

use super::Problem;
use crate::kernel::session::Usage;
use crate::plain::Plain;

/// Most rounds that can be set.
pub const MAX_ROUND_LIMIT: u32 = 500;
/// The window of a model that is not known, tokens.
pub const DEFAULT_WINDOW: u32 = 128_000;

/// When runs end and what they may use.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
#[plain(default)]
pub struct LimitSettings {
    /// Rounds of a run, 1 to [`MAX_ROUND_LIMIT`].
    pub rounds: u32,
    /// Minutes of a run, without waiting for the user; 1 to 1,440.
    pub minutes: u32,
    /// Seconds that an endpoint may be silent within a request; 5 to 3,600.
    pub idle_seconds: u32,
    /// Seconds of a tool call; 1 to 3,600.
    pub tool_seconds: u32,
    /// Thousands of tokens of a run; 0: no limit.
    pub kilo_tokens: u32,
    /// Cents that a run may cost, where prices are known; 0: no limit.
    pub cents: u32,
    /// The model's window in tokens, 2,048 to 10,000,000.
    pub window: u32,
    /// Price of a million tokens sent, in hundredths of a cent; 0: not known.
    pub price_in: u32,
    /// The same for tokens that the provider had in its cache.
    pub price_cached: u32,
    /// The same for tokens received.
    pub price_out: u32,
    /// How often work may be mended after a critic judged it, 1 to 10.
    pub attempts: u32,
    /// A second, cheap model at the same endpoint, for summaries and sub-agents; empty: none.
    pub second_model: String,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            rounds: 24,
            minutes: 30,
            idle_seconds: 120,
            tool_seconds: 30,
            kilo_tokens: 2_000,
            cents: 500,
            window: DEFAULT_WINDOW,
            price_in: 0,
            price_cached: 0,
            price_out: 0,
            attempts: 2,
            second_model: String::new(),
        }
    }
}

/// A number among the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum Limit {
    /// See [`LimitSettings::rounds`].
    Rounds,
    /// See [`LimitSettings::minutes`].
    Minutes,
    /// See [`LimitSettings::idle_seconds`].
    IdleSeconds,
    /// See [`LimitSettings::tool_seconds`].
    ToolSeconds,
    /// See [`LimitSettings::kilo_tokens`].
    KiloTokens,
    /// See [`LimitSettings::cents`].
    Cents,
    /// See [`LimitSettings::window`].
    Window,
    /// See [`LimitSettings::price_in`].
    PriceIn,
    /// See [`LimitSettings::price_cached`].
    PriceCached,
    /// See [`LimitSettings::price_out`].
    PriceOut,
    /// See [`LimitSettings::attempts`].
    Attempts,
}

impl Limit {
    /// All of them, in the order of a form.
    pub const ALL: [Limit; 11] = [
        Limit::Rounds,
        Limit::Minutes,
        Limit::KiloTokens,
        Limit::Cents,
        Limit::IdleSeconds,
        Limit::ToolSeconds,
        Limit::Attempts,
        Limit::Window,
        Limit::PriceIn,
        Limit::PriceCached,
        Limit::PriceOut,
    ];

    /// The smallest and the largest value.
    pub fn range(self) -> (u32, u32) {
        match self {
            Limit::Rounds => (1, MAX_ROUND_LIMIT),
            Limit::Minutes => (1, 1_440),
            Limit::IdleSeconds => (5, 3_600),
            Limit::ToolSeconds => (1, 3_600),
            Limit::KiloTokens => (0, 4_000_000),
            Limit::Cents => (0, 100_000_000),
            Limit::Window => (2_048, 10_000_000),
            Limit::PriceIn | Limit::PriceCached | Limit::PriceOut => (0, 100_000_000),
            Limit::Attempts => (1, 10),
        }
    }
}

impl LimitSettings {
    /// The number of `limit`.
    pub fn get(&self, limit: Limit) -> u32 {
        // One list of the fields serves reading and writing.
        *self.clone().field(limit)
    }

    /// Sets the number of `limit`.
    pub fn set(&mut self, limit: Limit, value: u32) {
        *self.field(limit) = value;
    }

    fn field(&mut self, limit: Limit) -> &mut u32 {
        match limit {
            Limit::Rounds => &mut self.rounds,
            Limit::Minutes => &mut self.minutes,
            Limit::IdleSeconds => &mut self.idle_seconds,
            Limit::ToolSeconds => &mut self.tool_seconds,
            Limit::KiloTokens => &mut self.kilo_tokens,
            Limit::Cents => &mut self.cents,
            Limit::Window => &mut self.window,
            Limit::PriceIn => &mut self.price_in,
            Limit::PriceCached => &mut self.price_cached,
            Limit::PriceOut => &mut self.price_out,
            Limit::Attempts => &mut self.attempts,
        }
    }

    /// The numbers that are out of their range.
    pub fn problems(&self) -> Vec<(Limit, Problem)> {
        let check = |limit: Limit| {
            let (min, max) = limit.range();
            let is_in = (min..=max).contains(&self.get(limit));
            (!is_in).then_some((limit, Problem::OutOfRange { min, max }))
        };
        Limit::ALL.into_iter().filter_map(check).collect()
    }

    /// What tokens cost, in millionths of a dollar; `None` if no price is known.
    pub fn cost(&self, usage: Usage) -> Option<u64> {
        if self.price_in == 0 && self.price_out == 0 {
            return None;
        }
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let price_cached = match self.price_cached {
            0 => self.price_in,
            price => price,
        };
        // Hundredths of a cent for a million tokens: a hundred-millionth each.
        let sum = (usage.prompt_tokens - cached) * u64::from(self.price_in)
            + cached * u64::from(price_cached)
            + usage.completion_tokens * u64::from(self.price_out);
        Some(sum / 10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_counted_by_kind_of_token() {
        let usage = Usage {
            prompt_tokens: 1_000_000,
            completion_tokens: 100_000,
            cached_tokens: 400_000,
        };
        let mut limits = LimitSettings::default();
        assert_eq!(limits.cost(usage), None);
        // 2.50, 0.25 and 10 dollars a million.
        (limits.price_in, limits.price_cached, limits.price_out) = (25_000, 2_500, 100_000);
        assert_eq!(limits.cost(usage), Some(1_500_000 + 100_000 + 1_000_000));
        limits.price_cached = 0;
        assert_eq!(limits.cost(usage), Some(2_500_000 + 1_000_000));
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        assert_eq!(LimitSettings::default().problems(), []);
        let mut limits = LimitSettings::default();
        limits.set(Limit::Rounds, 501);
        limits.set(Limit::ToolSeconds, 0);
        assert_eq!(
            limits.problems(),
            [
                (Limit::Rounds, Problem::OutOfRange { min: 1, max: 500 }),
                (
                    Limit::ToolSeconds,
                    Problem::OutOfRange { min: 1, max: 3_600 }
                ),
            ]
        );
    }
}
