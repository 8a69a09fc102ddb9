//! `delete`: removes a file or a folder with all in it.

use super::describe::tool_args;
use super::tree::{Tree, as_known};
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::WorkspacePath;

/// See the module.
pub struct Delete;

tool_args! {
    /// What to delete.
    pub struct Args {
        /// File or directory to delete.
        path: String,
    }
}

impl TypedTool for Delete {
    type Args = Args;
    const NAME: &'static str = "delete";
    const DESCRIPTION: &'static str = "Delete a file or a directory with all in it.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let path = WorkspacePath::parse_file(&args.path)?;
        let tree = Tree::at(context.workspace, &path)?;
        for (path, _) in tree.nodes() {
            as_known(context, path)?;
        }
        let text = format!("Deleted {}", tree.told());
        Ok(ToolOutput::changing(text, tree.remove()))
    }
}
