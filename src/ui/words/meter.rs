//! What the context holds, in words.

use super::units::number;
use super::{Language, Words};
use crate::kernel::event::ContextUse;

impl Words {
    /// The parts of the context with their tokens, in order.
    pub fn context_parts(&self, context: &ContextUse) -> [(&'static str, u64); 5] {
        [
            (self.context_system, context.system),
            (self.context_rules, context.rules),
            (self.context_tools, context.tools),
            (self.context_history, context.history),
            (self.context_results, context.results),
        ]
    }

    /// How much of the window is used.
    pub fn context_used(&self, context: &ContextUse) -> String {
        let (used, window) = (number(context.total()), number(context.window));
        match self.language {
            Language::English => format!("{used} of {window} tokens"),
            Language::Chinese => format!("{used} / {window} 个 token"),
        }
    }
}

/// Hundredths of the window that are used; `None` if its size is not known.
pub fn percent(context: &ContextUse) -> Option<u64> {
    let used = context.total().saturating_mul(100);
    used.checked_div(context.window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_to_what_is_used() {
        let context = ContextUse {
            window: 128_000,
            system: 900,
            rules: 100,
            tools: 2_000,
            history: 6_000,
            results: 31_000,
            ..ContextUse::default()
        };
        let english = Language::English.words();
        let parts = english.context_parts(&context);
        assert_eq!(parts.iter().map(|(_, n)| n).sum::<u64>(), context.total());
        assert_eq!(english.context_used(&context), "40,000 of 128,000 tokens");
        assert_eq!(percent(&context), Some(31));
        assert_eq!(percent(&ContextUse::default()), None);
    }
}
