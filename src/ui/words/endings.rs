//! Why a run ended, in words, and what to press next.

use super::units::money;
use super::{Language, Words};
use crate::kernel::event::StopReason;

/// The words at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndingWords {
    /// What happened and what it means for the work.
    pub told: String,
    /// What the other side said, in its own words; may be empty.
    pub details: String,
    /// The button that goes on with the run, if that makes sense.
    pub go_on: Option<String>,
    /// What else helps.
    pub way: Way,
}

/// A step to take besides going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// None.
    None,
    /// Something in the settings.
    Settings,
    /// A larger budget, which stands in the settings too.
    Budget,
    /// A new session.
    NewSession,
    /// Room in the browser's storage.
    Room,
}

impl Words {
    /// The words for `reason`; `limit` is how many rounds the next run may take.
    pub fn ending(&self, reason: &StopReason, limit: u32) -> EndingWords {
        let told = match self.language {
            Language::English => self.english_ending(reason),
            Language::Chinese => self.chinese_ending(reason),
        };
        let go_on = match reason {
            StopReason::Failed(failure) => return self.failure(failure),
            StopReason::Completed | StopReason::Finished | StopReason::ContentFilter => None,
            StopReason::RoundLimit { .. } => Some(match (self.language, limit) {
                (Language::English, 1) => "Continue for 1 more round".to_owned(),
                (Language::English, limit) => format!("Continue for {limit} more rounds"),
                (Language::Chinese, limit) => format!("再继续 {limit} 轮"),
            }),
            _ => Some(self.continue_run.to_owned()),
        };
        let way = match reason {
            StopReason::TokenBudget { .. }
            | StopReason::CostCap { .. }
            | StopReason::TimeLimit { .. } => Way::Budget,
            _ => Way::None,
        };
        EndingWords {
            told,
            details: String::new(),
            go_on,
            way,
        }
    }

    fn english_ending(&self, reason: &StopReason) -> String {
        match reason {
            StopReason::Completed => "Done".into(),
            StopReason::Finished => "Finished".into(),
            StopReason::RoundLimit { limit } => format!(
                "Stopped at the limit of {}. What was done so far is kept.",
                self.rounds(*limit)
            ),
            StopReason::TokenBudget { limit } => format!(
                "Stopped: the run has used the {} it may. What was done so far is kept. Raise the budget, or continue with as much again.",
                self.tokens(*limit)
            ),
            StopReason::CostCap { limit } => format!(
                "Stopped: the run has cost the {} it may. What was done so far is kept. Raise the budget, or continue with as much again.",
                money(*limit)
            ),
            StopReason::TimeLimit { minutes } => format!(
                "Stopped after the {} a run may take. What was done so far is kept. Raise the limit, or continue for as long again.",
                match minutes {
                    1 => "1 minute".to_owned(),
                    minutes => format!("{minutes} minutes"),
                }
            ),
            StopReason::NoProgress => "Stopped: the same calls came back with the same results, over and over. What was done so far is kept. A message with a hint helps most; or just continue.".into(),
            StopReason::ToolFailures { tool } => format!(
                "Stopped: {tool} failed again and again; its last result says why. What was done so far is kept. Send a message with a hint, or continue."
            ),
            StopReason::LengthLimit => "The endpoint cut the answer off at its length limit, again and again. What came of it is kept. Ask for a shorter answer, or continue.".into(),
            StopReason::ContentFilter => "The endpoint held the answer back because of its content rules. Word the task differently.".into(),
            StopReason::Cancelled => "Stopped by you. What was done is saved.".into(),
            StopReason::Failed(_) => String::new(),
        }
    }

    fn chinese_ending(&self, reason: &StopReason) -> String {
        match reason {
            StopReason::Completed => "完成".into(),
            StopReason::Finished => "已完成".into(),
            StopReason::RoundLimit { limit } => {
                format!("已达到 {limit} 轮的上限，停止。已完成的部分都已保留。")
            }
            StopReason::TokenBudget { limit } => format!(
                "已停止：本次运行用完了 {} 的额度。已完成的部分都已保留。可提高额度，或以同样额度继续。",
                self.tokens(*limit)
            ),
            StopReason::CostCap { limit } => format!(
                "已停止：本次运行的费用已达上限 {}。已完成的部分都已保留。可提高额度，或以同样额度继续。",
                money(*limit)
            ),
            StopReason::TimeLimit { minutes } => format!(
                "已停止：运行时间已达上限 {minutes} 分钟。已完成的部分都已保留。可提高上限，或再继续同样长的时间。"
            ),
            StopReason::NoProgress => "已停止：同样的调用一再得到同样的结果。已完成的部分都已保留。发一条消息给些提示最有效；也可直接继续。".into(),
            StopReason::ToolFailures { tool } => format!(
                "已停止：{tool} 一再失败，原因见最后一次结果。已完成的部分都已保留。可发消息给些提示，或继续。"
            ),
            StopReason::LengthLimit => "回答一再在端点的长度上限处被截断。已收到的部分都已保留。可要求更短的回答，或继续。".into(),
            StopReason::ContentFilter => "端点因内容规则扣下了回答。请换一种说法。".into(),
            StopReason::Cancelled => "已由你停止。已完成的部分都已保存。".into(),
            StopReason::Failed(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn the_other_reasons_have_their_next_step() {
        for language in BOTH {
            let go_on = |reason| language.words().ending(&reason, 24).go_on;
            assert_eq!(go_on(StopReason::Completed), None);
            assert_eq!(go_on(StopReason::ContentFilter), None);
            assert!(go_on(StopReason::Cancelled).is_some());
            assert!(go_on(StopReason::LengthLimit).is_some());
            let cap = StopReason::CostCap { limit: 1_500_000 };
            let words = language.words().ending(&cap, 24);
            assert!(words.told.contains("$1.50"), "{}", words.told);
            assert_eq!(words.way, Way::Budget);
            let more = go_on(StopReason::RoundLimit { limit: 3 }).unwrap();
            assert!(more.contains("24"), "{more}");
        }
    }
}
