//! What is said of commands of the shell.

use super::units::bytes;
use super::{Language, Words};

impl Words {
    /// What a command did: done, doing, could not.
    pub(super) fn ran(&self) -> [&'static str; 3] {
        match self.language {
            Language::English => ["Ran", "Running", "Couldn't finish"],
            Language::Chinese => ["运行了", "正在运行", "未能完成"],
        }
    }

    /// How a command ended that says it failed.
    pub fn exit_code(&self, code: u32) -> String {
        match self.language {
            Language::English => format!("exit code {code}"),
            Language::Chinese => format!("退出码 {code}"),
        }
    }

    /// How much of the shell has come, which is loaded when it is first used.
    pub fn loading_shell(&self, got: u64, of: u64) -> String {
        let (got, of) = (bytes(got), bytes(of));
        match self.language {
            Language::English => format!("loading the shell, {got} of {of}"),
            Language::Chinese => format!("正在载入 shell：{got} / {of}"),
        }
    }

    /// The head of a command, and of what it printed.
    pub fn of_shell(&self, part: ShellPart) -> &'static str {
        let [english, chinese] = match part {
            ShellPart::Command => ["Command", "命令"],
            ShellPart::Output => ["Output", "输出"],
            ShellPart::Errors => ["Error output", "错误输出"],
        };
        match self.language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }
}

/// What a card shows of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellPart {
    /// The command.
    Command,
    /// What went to its standard output.
    Output,
    /// What went to its standard error.
    Errors,
}
