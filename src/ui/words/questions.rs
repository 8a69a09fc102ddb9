//! What a run asks its user, in words.

use super::{Language, Words};
use crate::kernel::approval::{Action, ApprovalMode, Rule};
use crate::kernel::diff::DiffKind;
use crate::kernel::event::{About, Question};

impl Words {
    /// What is asked, in one line.
    pub fn asked_in_short(&self, question: &Question) -> String {
        let tool = &question.tool;
        match (&question.about, self.language) {
            (About::Approval { .. }, Language::English) => format!("Allow {tool}?"),
            (About::Approval { .. }, Language::Chinese) => format!("允许 {tool} 吗？"),
            (About::CutOff { .. }, Language::English) => {
                format!("{tool} was cut off. Run it again?")
            }
            (About::CutOff { .. }, Language::Chinese) => {
                format!("{tool} 被中断了，要再运行一次吗？")
            }
            (About::Choice { question, .. }, _) => question.clone(),
            (About::Plan { .. }, _) => self.plan_title.to_owned(),
        }
    }

    /// What readers hear when something is asked.
    pub fn asked_aloud(&self, question: &Question) -> String {
        let mut asked = self.asked_in_short(question);
        if let About::Approval { targets, .. } | About::CutOff { targets } = &question.about {
            for target in targets {
                asked = format!("{asked} {target}");
            }
        }
        match self.language {
            Language::English => format!("{}: {asked}", self.question),
            Language::Chinese => format!("{}：{asked}", self.question),
        }
    }

    /// Which of several questions this is.
    pub fn one_of(&self, n: usize, of: usize) -> String {
        match self.language {
            Language::English => format!("{n} of {of}"),
            Language::Chinese => format!("第 {n} 个，共 {of} 个"),
        }
    }

    /// Why a call is asked about.
    pub fn why_asked(&self, rule: Option<&Rule>, mode: ApprovalMode) -> String {
        let Some(rule) = rule else {
            let told = match mode {
                ApprovalMode::Writes => self.asked_every_write,
                ApprovalMode::Dangerous => self.asked_dangerous,
                ApprovalMode::Never => self.asked_again,
            };
            return told.to_owned();
        };
        let rule = self.rule(rule);
        match self.language {
            Language::English => format!("Asked because of the rule: {rule}."),
            Language::Chinese => format!("因为有规则：{rule}。"),
        }
    }

    /// What "always" adds.
    pub fn always_adds(&self, rule: &Rule) -> String {
        let rule = self.rule(rule);
        match self.language {
            Language::English => format!("“{}” adds the rule: {rule}.", self.allow_always),
            Language::Chinese => format!("“{}”会添加规则：{rule}。", self.allow_always),
        }
    }

    /// A rule, within a sentence.
    fn rule(&self, rule: &Rule) -> String {
        let english = self.language == Language::English;
        let tool = match rule.tool.as_str() {
            "*" if english => "every tool",
            "*" => "所有工具",
            tool => tool,
        };
        let action = match rule.action {
            Action::Allow if english => "allow",
            Action::Ask if english => "ask about",
            Action::Deny if english => "deny",
            Action::Allow => "允许",
            Action::Ask => "询问",
            Action::Deny => "拒绝",
        };
        match (rule.target.as_str(), english) {
            ("" | "**", _) => format!("{action} {tool}"),
            (target, true) => format!("{action} {tool} on {target}"),
            (target, false) => format!("{action} {tool}，范围 {target}"),
        }
    }

    /// A kind of change to a file.
    pub fn diff_kind(&self, kind: DiffKind) -> &'static str {
        match kind {
            DiffKind::New => self.file_new,
            DiffKind::Changed => self.file_changed,
            DiffKind::Deleted => self.file_deleted,
            DiffKind::Binary => self.file_binary,
            DiffKind::Moved => self.file_moved,
            DiffKind::Copied => self.file_copied,
            DiffKind::NewFolder => self.folder_new,
            DiffKind::DeletedFolder => self.folder_deleted,
        }
    }

    /// Files that a call would change too and that are not shown.
    pub fn more_files(&self, n: usize) -> String {
        match (self.language, n) {
            (Language::English, 1) => "And 1 more file.".to_owned(),
            (Language::English, n) => format!("And {n} more files."),
            (Language::Chinese, n) => format!("还有 {n} 个文件。"),
        }
    }

    /// A step of a plan, by its place from 1.
    pub fn plan_step(&self, n: usize) -> String {
        match self.language {
            Language::English => format!("Step {n}"),
            Language::Chinese => format!("第 {n} 步"),
        }
    }

    /// The buttons at a step: up, down, remove.
    pub fn step_buttons(&self, n: usize) -> [String; 3] {
        match self.language {
            Language::English => [
                format!("Move step {n} up"),
                format!("Move step {n} down"),
                format!("Remove step {n}"),
            ],
            Language::Chinese => [
                format!("上移第 {n} 步"),
                format!("下移第 {n} 步"),
                format!("删除第 {n} 步"),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    fn rule(tool: &str, target: &str, action: Action) -> Rule {
        let (tool, target) = (tool.into(), target.into());
        Rule {
            tool,
            target,
            action,
        }
    }

    #[test]
    fn a_rule_is_told_in_a_sentence() {
        let english = Language::English.words();
        let asks = rule("*", "src/**", Action::Ask);
        assert_eq!(
            english.why_asked(Some(&asks), ApprovalMode::Never),
            "Asked because of the rule: ask about every tool on src/**."
        );
        let always = rule("bash", "**", Action::Allow);
        assert_eq!(
            english.always_adds(&always),
            "“Always” adds the rule: allow bash."
        );
        assert_eq!(
            Language::Chinese.words().always_adds(&always),
            "“始终允许”会添加规则：允许 bash。"
        );
    }

    #[test]
    fn every_mode_says_why_it_asks() {
        for language in BOTH {
            for mode in [
                ApprovalMode::Writes,
                ApprovalMode::Dangerous,
                ApprovalMode::Never,
            ] {
                let told = language.words().why_asked(None, mode);
                assert!(told.ends_with(['.', '。']), "{told}");
            }
        }
    }
}
