//! `make_dir`: makes a folder.

use super::describe::tool_args;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::{FileChange, Node, WorkspacePath};

/// See the module.
pub struct MakeDir;

tool_args! {
    /// What to make.
    pub struct Args {
        /// Directory to make, with those above it.
        path: String,
    }
}

impl TypedTool for MakeDir {
    type Args = Args;
    const NAME: &'static str = "make_dir";
    const DESCRIPTION: &'static str = "Make an empty directory. Writing a file makes its own.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let path = WorkspacePath::parse_file(&args.path)?;
        if context.workspace.node(&path) == Some(Node::Folder) {
            return Ok(ToolOutput::text(format!("{path}/ is there already")));
        }
        let change = FileChange::MakeFolder { path: path.clone() };
        context.workspace.check(std::slice::from_ref(&change))?;
        Ok(ToolOutput::changing(format!("Made {path}/"), vec![change]))
    }
}
