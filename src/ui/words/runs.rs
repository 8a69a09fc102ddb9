//! What goes on in a run beside its rounds, in words.

use super::units::{number, seconds};
use super::{Language, Words};
use crate::kernel::event::Retry;
use crate::kernel::session::{Compaction, Mode, TodoState};
use crate::ui::state::transcript::{Busy, CritiqueView};

impl Words {
    /// A way of working.
    pub fn mode_name(&self, mode: Mode) -> &'static str {
        match mode {
            Mode::Act => self.mode_act,
            Mode::Plan => self.mode_plan,
            Mode::Reflect => self.mode_reflect,
        }
    }

    /// What a way of working does.
    pub fn mode_does(&self, mode: Mode) -> &'static str {
        match mode {
            Mode::Act => self.mode_act_does,
            Mode::Plan => self.mode_plan_does,
            Mode::Reflect => self.mode_reflect_does,
        }
    }

    /// Something that takes a while.
    pub fn busy(&self, busy: Busy) -> &'static str {
        match busy {
            Busy::Compacting => self.compacting,
            Busy::Judging => self.judging,
        }
    }

    /// How far a step has come.
    pub fn step_state(&self, state: TodoState) -> &'static str {
        match state {
            TodoState::Open => self.step_open,
            TodoState::Doing => self.step_doing,
            TodoState::Done => self.step_done,
        }
    }

    /// How many steps are done.
    pub fn steps_done(&self, done: usize, of: usize) -> String {
        match self.language {
            Language::English => format!("{done} of {of}"),
            Language::Chinese => format!("{done}/{of}"),
        }
    }

    /// A try that is being waited for, `left` seconds from now, but for the reason.
    pub fn retrying(&self, retry: &Retry, left: u64) -> String {
        let (attempt, of) = (retry.attempt, retry.of);
        match (self.language, left) {
            (Language::English, 0) => format!("Trying again now (try {attempt} of {of})"),
            (Language::English, left) => {
                let left = seconds(self.language, left);
                format!("Trying again in {left} (try {attempt} of {of})")
            }
            (Language::Chinese, 0) => format!("正在重试（第 {attempt} 次，共 {of} 次）"),
            (Language::Chinese, left) => {
                format!("{left} 秒后重试（第 {attempt} 次，共 {of} 次）")
            }
        }
    }

    /// Rules that were read from `path`.
    pub fn rules_read(&self, path: &str) -> String {
        match self.language {
            Language::English => format!("Rules read from {path}"),
            Language::Chinese => format!("已读取 {path} 中的规则"),
        }
    }

    /// What a shortening came to.
    pub fn compacted(&self, compaction: &Compaction) -> String {
        let before = number(compaction.tokens_before);
        let after = number(compaction.tokens_after);
        match self.language {
            Language::English => {
                format!("Earlier rounds were shortened: {before} → {after} tokens")
            }
            Language::Chinese => format!("较早的轮次已精简：{before} → {after} 个 token"),
        }
    }

    /// The head of a critic's judgement.
    pub fn critique(&self, critique: &CritiqueView) -> String {
        let attempt = critique.attempt;
        if critique.is_unjudged() {
            return match self.language {
                Language::English => format!("Attempt {attempt}: not judged"),
                Language::Chinese => format!("第 {attempt} 次尝试：未评判"),
            };
        }
        match (self.language, critique.passed) {
            (Language::English, true) => format!("Attempt {attempt}: the work will do"),
            (Language::English, false) => format!("Attempt {attempt}: something is wanting"),
            (Language::Chinese, true) => format!("第 {attempt} 次尝试：符合要求"),
            (Language::Chinese, false) => format!("第 {attempt} 次尝试：还有不足"),
        }
    }

    /// Where a run was cut off: its round, and the tools that were at work in it.
    pub fn interrupted(&self, round: u32, open: &[String]) -> String {
        let tools = open.join(", ");
        let kept = self.interrupted_kept;
        match (self.language, open.len()) {
            (Language::English, 0) => format!("The run was cut off in round {round}. {kept}"),
            (Language::English, 1) => {
                format!("The run was cut off in round {round}, while {tools} was running. {kept}")
            }
            (Language::English, _) => format!(
                "The run was cut off in round {round}, while these were running: {tools}. {kept}"
            ),
            (Language::Chinese, 0) => format!("运行在第 {round} 轮中断。{kept}"),
            (Language::Chinese, _) => {
                format!("运行在第 {round} 轮中断，当时正在运行 {tools}。{kept}")
            }
        }
    }

    /// The rounds a task may take, where that was said.
    pub fn up_to_rounds(&self, rounds: u32) -> String {
        match self.language {
            Language::English => format!("up to {}", self.rounds(rounds)),
            Language::Chinese => format!("最多 {rounds} 轮"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;
    use crate::kernel::event::{Failure, FailureKind};

    #[test]
    fn the_next_try_is_counted_down() {
        let retry = Retry {
            attempt: 2,
            of: 5,
            wait_ms: 8_000,
            failure: Failure::new(FailureKind::Server, ""),
        };
        let english = Language::English.words();
        assert_eq!(
            [8, 0].map(|left| english.retrying(&retry, left)),
            [
                "Trying again in 8 s (try 2 of 5)",
                "Trying again now (try 2 of 5)"
            ]
        );
        let chinese = Language::Chinese.words();
        assert_eq!(
            chinese.retrying(&retry, 8),
            "8 秒后重试（第 2 次，共 5 次）"
        );
    }

    #[test]
    fn where_a_run_was_cut_off_is_told_as_far_as_it_is_known() {
        let told = |open: &[&str]| {
            let open: Vec<String> = open.iter().map(|&name| name.to_owned()).collect();
            let told = Language::English.words().interrupted(7, &open);
            told.replace(" Everything shown as done is saved.", "")
        };
        assert_eq!(told(&[]), "The run was cut off in round 7.");
        assert_eq!(
            told(&["write_file"]),
            "The run was cut off in round 7, while write_file was running."
        );
        assert_eq!(
            told(&["grep", "glob"]),
            "The run was cut off in round 7, while these were running: grep, glob."
        );
    }

    #[test]
    fn a_shortening_tells_its_numbers() {
        let compaction = Compaction {
            prune_before: 0,
            pictures_before: 0,
            summary: None,
            tokens_before: 14_200,
            tokens_after: 6_100,
        };
        for language in BOTH {
            let told = language.words().compacted(&compaction);
            assert!(told.contains("14,200 → 6,100"), "{told}");
        }
    }
}
