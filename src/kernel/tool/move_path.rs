//! `move`: gives a file or a folder another path.

use super::describe::tool_args;
use super::tree::Tree;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::WorkspacePath;

/// See the module.
pub struct MovePath;

tool_args! {
    /// What to move, and where to.
    pub struct Args {
        /// File or directory to move.
        from: String,
        /// Its new path; nothing may be there.
        to: String,
    }
}

impl TypedTool for MovePath {
    type Args = Args;
    const NAME: &'static str = "move";
    const DESCRIPTION: &'static str = "Move or rename a file or a directory with all in it.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let from = WorkspacePath::parse_file(&args.from)?;
        let to = WorkspacePath::parse(&args.to)?;
        let tree = Tree::at(context.workspace, &from)?;
        let mut changes = tree.put_at(context.workspace, &to)?;
        changes.extend(tree.remove());
        context.workspace.check(&changes)?;
        let text = format!("Moved {} to {to}", tree.told());
        Ok(ToolOutput::changing(text, changes))
    }
}
