//! `finish`: ends the run with an answer, for models that are at ease with a
//! tool for it. An answer without a call ends the run just as well.

use super::describe::tool_args;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};

/// See the module.
pub struct Finish;

tool_args! {
    /// The end.
    pub struct Args {
        /// The answer for the user.
        answer: String,
    }
}

impl TypedTool for Finish {
    type Args = Args;
    const NAME: &'static str = "finish";
    const DESCRIPTION: &'static str =
        "End the task with an answer. Answering without calling a tool does the same.";
    const EFFECT: Effect = Effect::ReadOnly;

    async fn call(&self, args: Args, _: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        if args.answer.trim().is_empty() {
            let problem = "answer is empty; say in a few words what was done";
            return Err(ToolError::ForModel(problem.into()));
        }
        Ok(ToolOutput::text("The run ends with this answer."))
    }
}
