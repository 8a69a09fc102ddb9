//! `write_file`: sets a file's whole content.

use super::describe::tool_args;
use super::text::{count, line_count, size};
use super::tree::as_known;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::{Expect, FileChange, Node, WorkspacePath};

/// See the module.
pub struct WriteFile;

tool_args! {
    /// What to write.
    pub struct Args {
        /// File to write; missing directories are made.
        path: String,
        /// The whole new content.
        content: String,
    }
}

impl TypedTool for WriteFile {
    type Args = Args;
    const NAME: &'static str = "write_file";
    const DESCRIPTION: &'static str = "Write a file: creates it or replaces its whole content. To change a part of a file use edit_file.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let path = WorkspacePath::parse_file(&args.path)?;
        as_known(context, &path)?;
        let (before, expect) = match context.workspace.node(&path) {
            Some(Node::File {
                size: bytes,
                version,
                ..
            }) => {
                let before = format!("replaced {}", size(bytes as usize));
                (before, Expect::Version(version))
            }
            _ => ("new file".into(), Expect::Nothing),
        };
        let lines = count(line_count(&args.content), "line");
        let text = format!(
            "Wrote {path}: {lines}, {} ({before})",
            size(args.content.len())
        );
        let content = args.content.into_bytes().into();
        Ok(ToolOutput::changing(
            text,
            vec![FileChange::Write {
                path,
                content,
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
    fn files_are_made_with_their_folders_and_replaced_whole() {
        let files = workspace(&[]);
        let write = |text: &str| {
            call(
                &files,
                "write_file",
                json!({"path": "a/b/c.md", "content": text}),
            )
        };
        assert_eq!(
            write("one\ntwo\n"),
            "Wrote a/b/c.md: 2 lines, 8 bytes (new file)"
        );
        assert_eq!(
            write("三"),
            "Wrote a/b/c.md: 1 line, 3 bytes (replaced 8 bytes)"
        );
        assert_eq!(content(&files, "a/b/c.md"), "三");
    }
}
