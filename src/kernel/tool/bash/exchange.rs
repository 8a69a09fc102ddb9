//! What is said between the kernel and a shell: until it is ready, and while a command runs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::{Either, select};

use super::super::text::floor_boundary;
use super::link::{Changed, FromShell, Given, Shell, Shells, ToShell};
use crate::kernel::event::Progress;
use crate::kernel::tool::{ToolContext, ToolError};
use crate::kernel::workspace::{Node, WorkspaceError, WorkspacePath};

/// How long the loading may stand still.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes that are kept of the beginning of what is printed, and of its end.
const HEAD: usize = 16 << 10;
const TAIL: usize = 16 << 10;

/// The files as a command begins with them.
pub(super) type Base = BTreeMap<WorkspacePath, Node>;

/// What a command came to.
pub(super) struct Done {
    pub exit_code: u32,
    pub stdout: String,
    pub stderr: String,
    pub folder: String,
    pub changes: Vec<Changed>,
}

/// What a command has printed so far: standard output, then standard error.
#[derive(Default)]
pub(super) struct Printed(RefCell<[Kept; 2]>);

/// A text whose middle goes when it gets long.
#[derive(Default)]
struct Kept {
    head: String,
    tail: String,
    left_out: usize,
}

impl Printed {
    fn add(&self, stdout: &str, stderr: &str) {
        let kept = &mut self.0.borrow_mut();
        kept[0].add(stdout);
        kept[1].add(stderr);
    }

    /// Both as far as they are kept.
    pub fn texts(&self) -> [String; 2] {
        let kept = self.0.borrow();
        [kept[0].text(), kept[1].text()]
    }
}

impl Kept {
    fn add(&mut self, more: &str) {
        let at = match self.tail.is_empty() {
            true => floor_boundary(more, HEAD.saturating_sub(self.head.len())),
            false => 0,
        };
        let (head, tail) = more.split_at(at);
        self.head.push_str(head);
        self.tail.push_str(tail);
        if self.tail.len() > 2 * TAIL {
            let gone = floor_boundary(&self.tail, self.tail.len() - TAIL);
            self.left_out += gone;
            self.tail.drain(..gone);
        }
    }

    fn text(&self) -> String {
        match self.left_out {
            0 => format!("{}{}", self.head, self.tail),
            n => format!(
                "{}\n[… {n} bytes left out here …]\n{}",
                self.head, self.tail
            ),
        }
    }
}

/// Starts a shell and waits until it is ready.
///
/// # Errors
/// Why there is none.
pub(super) async fn open(
    shells: &dyn Shells,
    context: &ToolContext<'_>,
) -> Result<Box<dyn Shell>, String> {
    let mut shell = shells.start()?;
    loop {
        let message = match select(shell.next(), context.run.sleep(PATIENCE)).await {
            Either::Left((message, _)) => message?,
            Either::Right(_) => return Err("nothing came for 60 s".into()),
        };
        match message {
            FromShell::Ready => break,
            FromShell::Failed(why) => return Err(why),
            FromShell::Loading { got, of } => {
                let loading = Progress::Loading { got, of };
                context.run.progress(context.call_id, loading);
            }
            _ => {}
        }
    }
    Ok(shell)
}

/// Has the shell run a command.
///
/// # Errors
/// Why the shell has ended.
pub(super) async fn run(
    shell: &mut dyn Shell,
    command: &str,
    base: &Base,
    context: &ToolContext<'_>,
    printed: &Printed,
) -> Result<Done, String> {
    shell.post(ToShell::Run {
        command: command.to_owned(),
        index: index(base),
    });
    loop {
        match shell.next().await? {
            FromShell::Need(paths) => {
                let contents = contents(&paths, base, context).await;
                let contents = contents.map_err(|_| "a file could not be read".to_owned())?;
                shell.post(ToShell::Contents(contents));
            }
            FromShell::Printed { stdout, stderr } => {
                printed.add(&stdout, &stderr);
                let text = Progress::Printed(stdout + &stderr);
                context.run.progress(context.call_id, text);
            }
            FromShell::Done {
                exit_code,
                stdout,
                stderr,
                folder,
                changes,
            } => {
                return Ok(Done {
                    exit_code,
                    stdout,
                    stderr,
                    folder,
                    changes,
                });
            }
            FromShell::Failed(why) => return Err(why),
            FromShell::Loading { .. } | FromShell::Ready => {}
        }
    }
}

/// The files as the shell is told of them. No path holds a line break.
fn index(base: &Base) -> String {
    let mut index = String::with_capacity(base.len() * 96);
    for (path, node) in base {
        match node {
            Node::Folder => index.push('/'),
            Node::File {
                size,
                modified_ms,
                version,
            } => {
                index.push_str(&size.to_string());
                index.push(' ');
                index.push_str(&modified_ms.to_string());
                index.push(' ');
                index.push_str(version.as_str());
            }
        }
        index.push(' ');
        index.push_str(path.as_str());
        index.push('\n');
    }
    index
}

/// The contents of files as they were when the command began, but for those that the
/// user's rules keep back.
async fn contents(
    paths: &[String],
    base: &Base,
    context: &ToolContext<'_>,
) -> Result<Vec<Given>, ToolError> {
    let wanted = paths.iter().map(|path| {
        let path = WorkspacePath::parse(path).ok()?;
        let (version, size) = base.get(&path).and_then(Node::content)?;
        let may = context.run.may_read(path.as_str());
        may.then(|| (size, version.clone()))
    });
    let wanted: Vec<_> = wanted.collect();
    let contents = context.workspace.contents(&wanted).await;
    let contents = contents.map_err(WorkspaceError::from)?;
    let given = contents.into_iter().map(|content| Given {
        is_there: content.is_some(),
        content: content.unwrap_or_default(),
    });
    Ok(given.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_beginning_and_end_are_kept() {
        let printed = Printed::default();
        printed.add("first\n", "");
        for n in 0..100_000 {
            printed.add(&format!("{n} 早\n"), "");
        }
        printed.add("", "oh");
        let [stdout, stderr] = printed.texts();
        assert!(stdout.starts_with("first\n0 早\n1 早\n") && stdout.ends_with("\n99999 早\n"));
        assert!(stdout.len() < HEAD + 2 * TAIL + 100, "{}", stdout.len());
        assert!(stdout.contains(" bytes left out here …]\n"));
        assert_eq!(stderr, "oh");
    }
}
