//! `bash`: commands of a shell over the workspace. The shell works on a copy of the files,
//! read as they are needed; what it changed comes back when a command ends and is committed
//! like any tool's work. So a command that is stopped has changed nothing.

mod changes;
mod exchange;
pub mod link;
mod messages;
mod told;

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use serde_json::Value as Json;

use super::describe::tool_args;
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};
use exchange::{Printed, open, run};
use link::{Shell, Shells};

/// The name it is called by.
pub const NAME: &str = "bash";
/// Seconds that a command has unless the call says otherwise, and at the most.
const TIME: usize = 30;
const MAX_TIME: usize = 600;
/// Where a run keeps its shell.
const KEPT: &str = "shell";

/// See the module.
pub struct Bash {
    shells: Rc<dyn Shells>,
}

/// What a run keeps of its shell.
enum Kept {
    /// The shell, which knows its folder and variables.
    Alive(Box<dyn Shell>),
    /// It had to be ended.
    Ended,
}

tool_args! {
    /// What to run.
    pub struct Args {
        /// Command or script.
        command: String,
        /// Seconds until it is ended: 30 by default, at most 600.
        timeout_s: Option<usize>,
    }
}

impl Bash {
    /// The tool over these shells. Inlined, since it is made before the rest of the module is there.
    #[inline(always)]
    pub fn new(shells: Rc<dyn Shells>) -> Self {
        Self { shells }
    }

    /// The shell of this run, and whether it had one that was ended.
    async fn shell(&self, context: &ToolContext<'_>) -> Result<(Box<dyn Shell>, bool), ToolError> {
        let was_ended = match context.run.locker().take::<Kept>(KEPT) {
            Some(Kept::Alive(shell)) => return Ok((shell, false)),
            Some(Kept::Ended) => true,
            None => false,
        };
        let loaded = open(&*self.shells, context).await;
        let shell = loaded.map_err(|why| {
            if was_ended {
                context.run.locker().put(KEPT, Kept::Ended);
            }
            ToolError::ForModel(format!(
                "the shell could not be loaded ({why}); nothing was run. Work with the file tools, such as grep and edit_file; another call of bash tries again. If it fails again, tell the user to look at the network connection"
            ))
        })?;
        Ok((shell, was_ended))
    }
}

impl TypedTool for Bash {
    type Args = Args;
    const NAME: &'static str = NAME;
    const DESCRIPTION: &'static str = include_str!("bash/description.md").trim_ascii();
    const EFFECT: Effect = Effect::Writing;
    const MANNER: Manner = Manner::Bounded;

    fn targets(_: &Json) -> Option<Vec<String>> {
        Some(Vec::new())
    }

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let seconds = args.timeout_s.unwrap_or(TIME).clamp(1, MAX_TIME);
        let (mut shell, was_ended) = self.shell(context).await?;
        // Whoever drops this call ends the shell with it.
        context.run.locker().put(KEPT, Kept::Ended);
        let base = context.workspace.nodes().clone();
        let printed = Printed::default();
        let ended = {
            let work = pin!(run(&mut *shell, &args.command, &base, context, &printed));
            let limit = context.run.sleep(Duration::from_secs(seconds as u64));
            match select(work, limit).await {
                Either::Left((ended, _)) => ended,
                Either::Right(_) => {
                    return Err(ToolError::ForModel(told::late(seconds, &printed)));
                }
            }
        };
        let done = ended.map_err(|why| ToolError::ForModel(told::crashed(&why, &printed)))?;
        context.run.locker().put(KEPT, Kept::Alive(shell));
        let (changes, refused) = changes::worked_out(&base, done.changes, context).await?;
        let result = told::Result {
            exit_code: done.exit_code,
            stdout: &done.stdout,
            stderr: &done.stderr,
            folder: &done.folder,
            was_ended,
            changes: &changes,
            refused: &refused,
        };
        Ok(ToolOutput::changing(result.text(), changes))
    }
}
