//! What the model is told of a command.

use super::super::text::count;
use super::exchange::Printed;
use crate::kernel::workspace::FileChange;

/// Where the workspace is for the shell.
const PLACE: &str = "/workspace";
/// Most changed paths that are named.
const MAX_NAMED: usize = 20;

/// What is said of a shell that had to be ended.
const GONE: &str =
    "[a new shell: the last one was ended, so its folder, variables and functions are gone]\n";

/// What came of a command that ended by itself.
pub(super) struct Result<'a> {
    pub exit_code: u32,
    pub stdout: &'a str,
    pub stderr: &'a str,
    pub folder: &'a str,
    pub was_ended: bool,
    pub changes: &'a [FileChange],
    pub refused: &'a [String],
}

impl Result<'_> {
    /// The text for the model, which the interface takes apart again.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.was_ended {
            text.push_str(GONE);
        }
        text.push_str(&format!("exit code {}", self.exit_code));
        if self.folder != PLACE {
            text.push_str(&format!(", now in {}", self.folder));
        }
        text.push_str(&outputs(self.stdout, self.stderr));
        if !self.changes.is_empty() {
            text.push_str(&format!("\n[changed: {}]", changed(self.changes)));
        }
        for refused in self.refused {
            text.push_str(&format!("\n[not kept: {refused}]"));
        }
        text
    }
}

/// What is said of a command that took too long.
pub(super) fn late(seconds: usize, printed: &Printed) -> String {
    let seconds = count(seconds, "second");
    format!(
        "the command was ended after {seconds}, its limit, and nothing was changed. The shell's folder, variables and functions are gone. Do less at once, or give a larger timeout_s (at most 600).{}",
        till_then(printed)
    )
}

/// What is said of a command that took the shell with it.
pub(super) fn crashed(why: &str, printed: &Printed) -> String {
    format!(
        "the shell broke down at this command ({why}), and nothing was changed. It may have needed too much memory. The next call has a new shell, without the folder, variables and functions of this one.{}",
        till_then(printed)
    )
}

fn till_then(printed: &Printed) -> String {
    let [stdout, stderr] = printed.texts();
    match stdout.is_empty() && stderr.is_empty() {
        true => " It had printed nothing.".into(),
        false => format!(" Till then it had printed:{}", outputs(&stdout, &stderr)),
    }
}

fn outputs(stdout: &str, stderr: &str) -> String {
    let part = |name: &str, text: &str| match text.trim_end_matches('\n') {
        "" => String::new(),
        text => format!("\n{name}:\n{text}"),
    };
    match (stdout, stderr) {
        ("", "") => "\n(no output)".into(),
        _ => part("stdout", stdout) + &part("stderr", stderr),
    }
}

fn changed(changes: &[FileChange]) -> String {
    let mut named: Vec<String> = Vec::new();
    for change in changes {
        named.push(match change {
            FileChange::Write { path, .. } | FileChange::Link { path, .. } => path.to_string(),
            FileChange::MakeFolder { path } => format!("{path}/"),
            FileChange::Delete { path, .. } => format!("{path} (deleted)"),
            FileChange::RemoveFolder { path } => format!("{path}/ (deleted)"),
        });
    }
    let more = named.len().saturating_sub(MAX_NAMED);
    named.truncate(MAX_NAMED);
    match more {
        0 => named.join(", "),
        _ => format!("{} and {more} more", named.join(", ")),
    }
}
