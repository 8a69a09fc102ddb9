//! When a run stops though the model would go on. Each limit and detector is a
//! small unit; [`verdict`] is the one place where they are asked, before each round.
//!
//! All look at the run's records alone, so a run that was cut off and resumed
//! ends where it would have ended.

mod no_progress;
mod tool_failures;

pub use no_progress::Signatures;

use super::run_view::has_nudge;
use super::spending::Spent;
use crate::kernel::event::StopReason;
use crate::kernel::model::Finish;
use crate::kernel::session::{Entry, Record, Topic};
use crate::kernel::settings::LimitSettings;

/// Most messages in a row that are continued after the length limit cut them.
const MAX_CONTINUATIONS: usize = 3;
/// The part of a budget, in percent, at which the model is told to hurry.
const WARN_AT: u64 = 80;

/// What is to happen before another round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing stands against it.
    GoOn,
    /// The model is told something first.
    Nudge(Topic, String),
    /// No round, but a last word without tools.
    LastWord(StopReason),
    /// No round.
    Stop(StopReason),
}

/// Asks every limit and detector.
pub fn verdict(
    limits: &LimitSettings,
    spent: &Spent,
    run: &[Record],
    signatures: &Signatures,
) -> Verdict {
    let detected = [
        time(limits, spent),
        budget(limits, spent, run),
        signatures.verdict(),
        tool_failures::verdict(run),
        rounds(limits, spent),
    ];
    let mut told = detected
        .into_iter()
        .filter(|verdict| *verdict != Verdict::GoOn);
    let first = told.next();
    // A reason to stop goes before a word to the model.
    let is_nudge = |verdict: &Verdict| matches!(verdict, Verdict::Nudge(..));
    match first {
        None => Verdict::GoOn,
        Some(first) if is_nudge(&first) => told.find(|other| !is_nudge(other)).unwrap_or(first),
        Some(first) => first,
    }
}

/// The run has worked for as long as it may; waiting for the user does not count.
pub fn time(limits: &LimitSettings, spent: &Spent) -> Verdict {
    if spent.worked_ms < u64::from(limits.minutes) * 60_000 {
        return Verdict::GoOn;
    }
    Verdict::Stop(StopReason::TimeLimit {
        minutes: limits.minutes,
    })
}

/// Tokens and money: a word at four fifths, the end at all of it.
fn budget(limits: &LimitSettings, spent: &Spent, run: &[Record]) -> Verdict {
    let tokens = u64::from(limits.kilo_tokens) * 1_000;
    let money = u64::from(limits.cents) * 10_000;
    let (used, cost) = (spent.usage.total(), spent.cost.unwrap_or_default());
    if tokens > 0 && used >= tokens {
        return Verdict::Stop(StopReason::TokenBudget { limit: tokens });
    }
    if money > 0 && cost >= money {
        return Verdict::Stop(StopReason::CostCap { limit: money });
    }
    let is_near = |used: u64, limit: u64| limit > 0 && used * 100 >= limit * WARN_AT;
    if (is_near(used, tokens) || is_near(cost, money)) && !has_nudge(run, Topic::Budget) {
        let text = "[Tabloop] Four fifths of the budget for this run are used. Finish what matters most, then report.";
        return Verdict::Nudge(Topic::Budget, text.into());
    }
    Verdict::GoOn
}

fn rounds(limits: &LimitSettings, spent: &Spent) -> Verdict {
    if spent.rounds < limits.rounds {
        return Verdict::GoOn;
    }
    Verdict::LastWord(StopReason::RoundLimit {
        limit: limits.rounds,
    })
}

/// What becomes of a message that the length limit cut: it is continued, unless
/// the ones before it were cut too.
pub fn after_cut(run: &[Record]) -> Verdict {
    let messages = run.iter().rev().filter_map(|record| match &record.entry {
        Entry::Assistant(message) => Some(message.finish),
        _ => None,
    });
    let cut = messages
        .take_while(|finish| *finish == Finish::Length)
        .count();
    if cut > MAX_CONTINUATIONS {
        return Verdict::Stop(StopReason::LengthLimit);
    }
    let text = "[Tabloop] Your message was cut off at the endpoint's length limit. Go on exactly where it broke off, without repeating anything.";
    Verdict::Nudge(Topic::Length, text.into())
}

/// What the model is told when a limit allows it one more message.
pub fn last_word_nudge(reason: &StopReason) -> String {
    let why = match reason {
        StopReason::RoundLimit { limit } => format!("the limit of {limit} rounds is reached"),
        other => format!("the run ends now ({})", other.name()),
    };
    format!(
        "[Tabloop] {why}. Tools are off for this message. Say in a few sentences what is done, \
         what is left and what you would do next; the user may let you go on."
    )
}

/// What the model is told when the user lets it go on behind an answer.
pub const CONTINUE_NUDGE: &str = "[Tabloop] The user lets you go on. Continue with the task.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::session::Usage;

    fn check(spent: Spent, expected: &Verdict) {
        let limits = LimitSettings {
            rounds: 2,
            minutes: 1,
            kilo_tokens: 1,
            cents: 1,
            ..LimitSettings::default()
        };
        let told = verdict(&limits, &spent, &[], &Signatures::default());
        assert_eq!(told, *expected, "{spent:?}");
    }

    fn tokens(prompt_tokens: u64) -> Spent {
        Spent {
            usage: Usage {
                prompt_tokens,
                ..Usage::default()
            },
            ..Spent::default()
        }
    }

    #[test]
    fn each_limit_lets_all_through_that_it_allows() {
        let spent = Spent::default;
        check(spent(), &Verdict::GoOn);
        let rounds = |rounds| Spent { rounds, ..spent() };
        check(rounds(1), &Verdict::GoOn);
        let limit = StopReason::RoundLimit { limit: 2 };
        check(rounds(2), &Verdict::LastWord(limit));
        let worked = |worked_ms| Spent {
            worked_ms,
            ..spent()
        };
        check(worked(59_999), &Verdict::GoOn);
        let limit = StopReason::TimeLimit { minutes: 1 };
        check(worked(60_000), &Verdict::Stop(limit));
        check(tokens(799), &Verdict::GoOn);
        let limit = StopReason::TokenBudget { limit: 1_000 };
        check(tokens(1_000), &Verdict::Stop(limit));
        let cost = |cost| Spent {
            cost: Some(cost),
            ..spent()
        };
        check(cost(7_999), &Verdict::GoOn);
        let limit = StopReason::CostCap { limit: 10_000 };
        check(cost(10_000), &Verdict::Stop(limit));
    }

    #[test]
    fn at_four_fifths_of_a_budget_the_model_is_told_once() {
        let spent = tokens(800);
        let limits = LimitSettings {
            kilo_tokens: 1,
            ..LimitSettings::default()
        };
        let Verdict::Nudge(about, text) = budget(&limits, &spent, &[]) else {
            panic!("no nudge");
        };
        assert_eq!(about, Topic::Budget);
        let told = Record {
            seq: 0,
            at_ms: 0,
            entry: Entry::Nudge { text, about },
        };
        assert_eq!(budget(&limits, &spent, &[told]), Verdict::GoOn);
    }
}
