//! `glob`: files by the pattern of their paths.

use super::describe::tool_args;
use super::ignored::files_below;
use super::list_dir::folder_at;
use super::text::{count, size};
use super::wildcard::Wildcard;
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};

/// Most files of one answer.
const MAX_FILES: usize = 200;

/// See the module.
pub struct Glob;

tool_args! {
    /// What to look for.
    pub struct Args {
        /// Pattern such as *.rs (in any directory), src/**/*.{ts,tsx}.
        pattern: String,
        /// Directory to look in; the pattern is relative to it.
        path: Option<String>,
    }
}

impl TypedTool for Glob {
    type Args = Args;
    const NAME: &'static str = "glob";
    const DESCRIPTION: &'static str =
        "Find files by their paths, newest first. What .gitignore names is left out.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Pure;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let folder = folder_at(context, args.path.as_deref())?;
        let wildcard = Wildcard::parse(args.pattern.trim()).map_err(ToolError::ForModel)?;
        let (mut files, left_out) = files_below(context.workspace, &folder).await?;
        files.retain(|file| wildcard.fits(file.path.below(&folder)));
        // Of the same time, in the order of the paths.
        files.sort_by_key(|file| std::cmp::Reverse(file.modified_ms));
        let mut lines: Vec<String> = files
            .iter()
            .take(MAX_FILES)
            .map(|file| format!("{}\t{}", file.path, size(file.size as usize)))
            .collect();
        if lines.is_empty() {
            lines.push(format!("No file fits {}.", args.pattern.trim()));
        }
        if files.len() > MAX_FILES {
            let more = files.len() - MAX_FILES;
            lines.push(format!("[… {more} older ones; use a narrower pattern …]"));
        }
        if left_out > 0 {
            let files = count(left_out, "file");
            lines.push(format!("[{files} in .git or named by .gitignore left out]"));
        }
        Ok(ToolOutput::text(lines.join("\n")))
    }
}
