//! Commands of the shell: what the model is told of one, taken apart for the card, and what
//! one prints while it runs.

use crate::kernel::event::Progress;

/// Bytes of the end of what is printed that are shown meanwhile.
const MAX_LIVE: usize = 4 << 10;

/// A result in parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellResult {
    /// The exit code.
    pub exit_code: u32,
    /// What is said before the output.
    pub head: String,
    /// What went to standard output.
    pub stdout: String,
    /// What went to standard error.
    pub stderr: String,
    /// What is said behind: files that were changed.
    pub foot: String,
}

impl ShellResult {
    /// Reads a result; `None` if it is not that of a command which ended by itself.
    pub fn read(result: &str) -> Option<Self> {
        let (told, rest) = match result.strip_prefix('[') {
            Some(_) => result.split_once('\n')?,
            None => ("", result),
        };
        let code = rest.strip_prefix("exit code ")?;
        let digits = code.find(|c: char| !c.is_ascii_digit());
        let exit_code = code[..digits.unwrap_or(code.len())].parse().ok()?;
        let (line, output) = rest.split_once('\n').unwrap_or((rest, ""));
        let mut output = output.trim_start_matches("(no output)");
        let mut foot = Vec::new();
        while let Some(last) = output.lines().next_back() {
            if !last.starts_with("[changed: ") && !last.starts_with("[not kept: ") {
                break;
            }
            foot.insert(0, last);
            output = output[..output.len() - last.len()].trim_end_matches('\n');
        }
        let (stdout, stderr) = match output.strip_prefix("stdout:\n") {
            Some(output) => output.rsplit_once("\nstderr:\n").unwrap_or((output, "")),
            None => ("", output.strip_prefix("stderr:\n").unwrap_or(output)),
        };
        let head = [told, line].join("\n");
        Some(Self {
            exit_code,
            head: head.trim().to_owned(),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            foot: foot.join("\n"),
        })
    }
}

/// A call at work, as far as it tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Live {
    /// Bytes of the shell that have come, and all of them, while it is loaded.
    pub loading: Option<(u64, u64)>,
    /// The end of what it has printed.
    pub text: String,
}

impl Live {
    /// Takes in more.
    pub fn take(&mut self, progress: &Progress) {
        match progress {
            Progress::Loading { got, of } => self.loading = (got < of).then_some((*got, *of)),
            Progress::Printed(more) => {
                self.loading = None;
                self.text.push_str(more);
                if self.text.len() > 2 * MAX_LIVE {
                    let from = self.text.len() - MAX_LIVE;
                    let at = (from..).find(|at| self.text.is_char_boundary(*at));
                    self.text.drain(..at.unwrap_or(0));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(result: &str) -> (u32, String, String, String, String) {
        let read = ShellResult::read(result).unwrap();
        (
            read.exit_code,
            read.head,
            read.stdout,
            read.stderr,
            read.foot,
        )
    }

    #[test]
    fn a_result_is_taken_apart() {
        let told = "exit code 2, now in /workspace/src\nstdout:\na\nb\nstderr:\noh\n[changed: x]\n[not kept: y]";
        let [head, out, err, foot] = [
            "exit code 2, now in /workspace/src",
            "a\nb",
            "oh",
            "[changed: x]\n[not kept: y]",
        ]
        .map(str::to_owned);
        assert_eq!(parts(told), (2, head, out, err, foot));
        let none = ShellResult::read("[a new shell]\nexit code 0\n(no output)").unwrap();
        assert_eq!(
            (none.exit_code, none.head.as_str()),
            (0, "[a new shell]\nexit code 0")
        );
        assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", ""));
        let only = ShellResult::read("exit code 1\nstderr:\noh").unwrap();
        assert_eq!((only.stdout.as_str(), only.stderr.as_str()), ("", "oh"));
        for other in [
            "",
            "Error: the command was ended",
            "exit code x",
            "[exit code 1",
        ] {
            assert_eq!(ShellResult::read(other), None, "{other}");
        }
    }

    #[test]
    fn of_what_is_printed_the_end_is_shown() {
        let mut live = Live::default();
        live.take(&Progress::Loading { got: 1, of: 2 });
        assert_eq!(live.loading, Some((1, 2)));
        for _ in 0..10_000 {
            live.take(&Progress::Printed("早\n".into()));
        }
        assert_eq!(live.loading, None);
        assert!(live.text.len() <= 2 * MAX_LIVE && live.text.ends_with("早\n"));
    }
}
