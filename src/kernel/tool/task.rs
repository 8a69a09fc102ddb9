//! `task`: a sub-agent with a conversation of its own. Only its answer comes back.

use super::describe::tool_args;
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};

/// The tool's name: a sub-agent has all tools but this one.
pub(super) const NAME: &str = "task";

/// See the module.
pub struct Task;

tool_args! {
    /// What to have done.
    pub struct Args {
        /// The whole task: the sub-agent knows nothing of this conversation.
        prompt: String,
        /// Names of the tools it may use; all if left out.
        tools: Option<Vec<String>>,
    }
}

impl TypedTool for Task {
    type Args = Args;
    const NAME: &'static str = NAME;
    const DESCRIPTION: &'static str = "Have a sub-agent do a self-contained task with a context of its own; its final answer comes back. Call several at once for independent work.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Patient;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        if args.prompt.trim().is_empty() {
            let problem = "prompt is empty; describe the whole task";
            return Err(ToolError::ForModel(problem.into()));
        }
        let done = context
            .others
            .delegate(context.call_id, args.prompt, args.tools);
        done.await
            .map(ToolOutput::text)
            .map_err(ToolError::ForModel)
    }
}
