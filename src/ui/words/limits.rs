//! The limits in words: what each is, in which unit it is shown, what it does.

use super::units::number;
use super::{Language, Words};
use crate::kernel::settings::Limit;

/// Places behind the point with which a limit is shown.
pub fn places(limit: Limit) -> usize {
    match limit {
        Limit::Cents => 2,
        Limit::PriceIn | Limit::PriceCached | Limit::PriceOut => 4,
        _ => 0,
    }
}

/// Places that are shown even if they are zeros: money has cents.
pub fn least_places(limit: Limit) -> usize {
    places(limit).min(2)
}

/// A limit's bound as it is shown; all bounds are whole numbers there.
fn bound(limit: Limit, value: u32) -> String {
    let unit = match places(limit) {
        0 => 1,
        2 => 100,
        _ => 10_000,
    };
    number(u64::from(value / unit))
}

impl Words {
    fn limit_texts(&self, limit: Limit) -> [&'static str; 3] {
        match limit {
            Limit::Rounds => [self.round_limit, self.unit_rounds, self.round_limit_hint],
            Limit::Minutes => [self.minutes, self.unit_minutes, self.minutes_hint],
            Limit::KiloTokens => [self.kilo_tokens, self.unit_thousand, self.kilo_tokens_hint],
            Limit::Cents => [self.cents, self.unit_dollars, self.cents_hint],
            Limit::IdleSeconds => [self.idle_seconds, self.unit_seconds, self.idle_seconds_hint],
            Limit::ToolSeconds => [self.tool_seconds, self.unit_seconds, self.tool_seconds_hint],
            Limit::Attempts => [self.attempts, self.unit_attempts, self.attempts_hint],
            Limit::Window => [self.window, self.unit_tokens, self.window_hint],
            Limit::PriceIn => [self.price_in, self.unit_price, self.price_in_hint],
            Limit::PriceCached => [self.price_cached, self.unit_price, self.price_cached_hint],
            Limit::PriceOut => [self.price_out, self.unit_price, self.price_out_hint],
        }
    }

    /// What it limits.
    pub fn limit_name(&self, limit: Limit) -> &'static str {
        self.limit_texts(limit)[0]
    }

    /// The unit behind its field.
    pub fn limit_unit(&self, limit: Limit) -> &'static str {
        self.limit_texts(limit)[1]
    }

    /// Its range, and what it does.
    pub fn limit_hint(&self, limit: Limit) -> String {
        let hint = self.limit_texts(limit)[2];
        let (min, max) = limit.range();
        let (min, max) = (bound(limit, min), bound(limit, max));
        match self.language {
            Language::English => format!("{min} to {max}. {hint}"),
            Language::Chinese => format!("{min} 到 {max}。{hint}"),
        }
    }

    /// What to type instead of a number that is none, or out of its range.
    pub(super) fn out_of_range(&self, limit: Limit, min: u32, max: u32) -> String {
        let (min, max) = (bound(limit, min), bound(limit, max));
        match (self.language, places(limit)) {
            (Language::English, 0) => format!("Enter a whole number from {min} to {max}."),
            (Language::English, _) => {
                format!("Enter a number from {min} to {max}, such as 2.50.")
            }
            (Language::Chinese, 0) => format!("请输入 {min} 到 {max} 的整数。"),
            (Language::Chinese, _) => format!("请输入 {min} 到 {max} 的数字，例如 2.50。"),
        }
    }

    /// The name of a rule for readers.
    pub fn numbered_rule(&self, n: usize) -> String {
        match self.language {
            Language::English => format!("Rule {n}"),
            Language::Chinese => format!("规则 {n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn ranges_are_told_in_the_unit_of_the_field() {
        let english = Language::English.words();
        let hints = [Limit::Minutes, Limit::Cents, Limit::PriceIn].map(|limit| {
            let hint = english.limit_hint(limit);
            hint.split_once('.').map(|(range, _)| range.to_owned())
        });
        assert_eq!(
            hints.map(Option::unwrap),
            ["1 to 1,440", "0 to 1,000,000", "0 to 10,000"]
        );
        assert_eq!(
            english.out_of_range(Limit::Cents, 0, 100_000_000),
            "Enter a number from 0 to 1,000,000, such as 2.50."
        );
    }

    #[test]
    fn every_limit_has_a_name_of_its_own_and_whole_bounds() {
        for language in BOTH {
            let words = language.words();
            for limit in Limit::ALL {
                let same = |other: &&Limit| words.limit_name(**other) == words.limit_name(limit);
                assert_eq!(Limit::ALL.iter().filter(same).count(), 1, "{limit:?}");
                let (min, max) = limit.range();
                let unit = 10_u32.pow(places(limit) as u32);
                assert_eq!((min % unit, max % unit), (0, 0), "{limit:?}");
            }
        }
    }
}
