//! `copy`: puts a file or a folder at a second path too.

use super::describe::tool_args;
use super::tree::Tree;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::WorkspacePath;

/// See the module.
pub struct CopyPath;

tool_args! {
    /// What to copy, and where to.
    pub struct Args {
        /// File or directory to copy.
        from: String,
        /// Its new path; nothing may be there.
        to: String,
    }
}

impl TypedTool for CopyPath {
    type Args = Args;
    const NAME: &'static str = "copy";
    const DESCRIPTION: &'static str = "Copy a file or a directory with all in it.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let from = WorkspacePath::parse_file(&args.from)?;
        let to = WorkspacePath::parse(&args.to)?;
        let tree = Tree::at(context.workspace, &from)?;
        let changes = tree.put_at(context.workspace, &to)?;
        context.workspace.check(&changes)?;
        let text = format!("Copied {} to {to}", tree.told());
        Ok(ToolOutput::changing(text, changes))
    }
}
