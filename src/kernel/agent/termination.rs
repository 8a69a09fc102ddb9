//! When a run stops though the model would go on. Each limit is a small unit;
//! [`Limits::reached`] is the one place where they are asked.

use crate::kernel::event::StopReason;

/// The limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most rounds that may be answered.
    pub rounds: u32,
}

impl Limits {
    /// The reason to stop before another round, if there is one.
    pub fn reached(&self, answered: u32) -> Option<StopReason> {
        (answered >= self.rounds).then_some(StopReason::RoundLimit { limit: self.rounds })
    }
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

    #[test]
    fn the_last_round_allowed_is_still_run() {
        let limits = Limits { rounds: 2 };
        assert_eq!(limits.reached(1), None);
        assert_eq!(limits.reached(2), Some(StopReason::RoundLimit { limit: 2 }));
    }
}
