//! `append_file`: adds to a file's end.

use super::describe::tool_args;
use super::text::{count, line_count, size};
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::{Expect, FileChange, WorkspaceError, WorkspacePath};

/// See the module.
pub struct AppendFile;

tool_args! {
    /// What to add.
    pub struct Args {
        /// File to add to; made if it does not exist.
        path: String,
        /// Text to add; begin or end it with a line break yourself.
        content: String,
    }
}

impl TypedTool for AppendFile {
    type Args = Args;
    const NAME: &'static str = "append_file";
    const DESCRIPTION: &'static str = "Add text to the end of a file, or create it.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let path = WorkspacePath::parse_file(&args.path)?;
        let (mut content, expect) = match context.workspace.read(&path).await {
            Ok((content, version)) => (content, Expect::Version(version)),
            Err(WorkspaceError::NotFound(_)) => (Vec::new(), Expect::Nothing),
            Err(error) => return Err(error.into()),
        };
        content.extend_from_slice(args.content.as_bytes());
        let text = format!(
            "Added {} to {path}, which is now {}",
            count(line_count(&args.content), "line"),
            size(content.len())
        );
        Ok(ToolOutput::changing(
            text,
            vec![FileChange::Write {
                path,
                content: content.into(),
                expect,
            }],
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, content, workspace};
    use serde_json::json;

    #[test]
    fn text_is_added_at_the_end() {
        let files = workspace(&[("d/x", b"")]);
        let append = |path: &str, text: &str| {
            call(
                &files,
                "append_file",
                json!({"path": path, "content": text}),
            )
        };
        assert_eq!(
            append("log", "one\n"),
            "Added 1 line to log, which is now 4 bytes"
        );
        assert_eq!(
            append("log", "two\n"),
            "Added 1 line to log, which is now 8 bytes"
        );
        assert_eq!(content(&files, "log"), "one\ntwo\n");
        assert_eq!(
            append("d", "x"),
            "Error: d is a directory, not a file; list_dir shows what is in it"
        );
    }
}
