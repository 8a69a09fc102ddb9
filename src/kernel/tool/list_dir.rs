//! `list_dir`: the tree below a folder.

use super::describe::tool_args;
use super::text::{count, size};
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::{Node, WorkspaceError, WorkspacePath};

/// Folders deep unless the model says otherwise.
const DEFAULT_DEPTH: usize = 2;
/// Most entries of one answer.
const MAX_ENTRIES: usize = 400;

/// See the module.
pub struct ListDir;

tool_args! {
    /// What to list.
    pub struct Args {
        /// Directory to list; the workspace root if left out.
        path: Option<String>,
        /// How many levels deep, default 2.
        depth: Option<usize>,
    }
}

impl TypedTool for ListDir {
    type Args = Args;
    const NAME: &'static str = "list_dir";
    const DESCRIPTION: &'static str =
        "List the files and directories of the workspace with their sizes.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Pure;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let folder = folder_at(context, args.path.as_deref())?;
        let depth = args.depth.unwrap_or(DEFAULT_DEPTH).max(1);
        Ok(ToolOutput::text(listing(context, &folder, depth)))
    }
}

/// The folder at `path`; the workspace itself if none is given.
pub(super) fn folder_at(
    context: &ToolContext<'_>,
    path: Option<&str>,
) -> Result<WorkspacePath, ToolError> {
    let folder = WorkspacePath::parse(path.unwrap_or_default())?;
    match context.workspace.node(&folder) {
        Some(Node::Folder) => Ok(folder),
        Some(Node::File { .. }) => Err(WorkspaceError::IsFile(folder).into()),
        None => Err(ToolError::ForModel(format!(
            "there is no directory {folder}; list_dir without a path shows the whole workspace"
        ))),
    }
}

fn listing(context: &ToolContext<'_>, folder: &WorkspacePath, depth: usize) -> String {
    let nodes = context.workspace.nodes();
    let mut lines = Vec::new();
    let mut left_out = 0;
    for (path, node) in nodes.iter() {
        let Some(level) = path.depth_below(folder) else {
            continue;
        };
        if level > depth {
            continue;
        }
        if lines.len() == MAX_ENTRIES {
            left_out += 1;
            continue;
        }
        lines.push(match node {
            Node::Folder if level == depth => {
                let inside = nodes
                    .keys()
                    .filter(|other| other.depth_below(path).is_some())
                    .count();
                format!(
                    "{path}/\t{} inside",
                    count(inside, "entry").replace("entrys", "entries")
                )
            }
            Node::Folder => format!("{path}/"),
            Node::File { size: bytes, .. } => format!("{path}\t{}", size(*bytes as usize)),
        });
    }
    if lines.is_empty() {
        return match folder.is_root() {
            true => "The workspace is empty.".into(),
            false => format!("{folder} is empty."),
        };
    }
    if left_out > 0 {
        lines.push(format!("[… {left_out} more; list a folder further down …]"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, workspace};
    use serde_json::json;

    #[test]
    fn the_tree_is_shown_to_the_depth_asked_for() {
        let files = workspace(&[
            ("b.md", b"12"),
            ("src/a/deep.rs", b""),
            ("src/main.rs", b"x"),
        ]);
        let list = |args| call(&files, "list_dir", args);
        assert_eq!(
            list(json!({})),
            "b.md\t2 bytes\nsrc/\nsrc/a/\t1 entry inside\nsrc/main.rs\t1 byte"
        );
        assert_eq!(
            list(json!({"path": "/src/", "depth": 1})),
            "src/a/\t1 entry inside\nsrc/main.rs\t1 byte"
        );
        assert_eq!(
            list(json!({"depth": 1})),
            "b.md\t2 bytes\nsrc/\t3 entries inside"
        );
    }

    #[test]
    fn what_can_not_be_listed() {
        let files = workspace(&[("b.md", b"12")]);
        let list = |path: &str| call(&files, "list_dir", json!({ "path": path }));
        assert_eq!(
            list("b.md"),
            "Error: b.md is a file, not a directory; choose another path"
        );
        assert_eq!(
            list("c"),
            "Error: there is no directory c; list_dir without a path shows the whole workspace"
        );
        assert!(
            list("../..").starts_with("Error: the path \"../..\" leads outside the workspace; ")
        );
        assert_eq!(
            call(&workspace(&[]), "list_dir", json!({})),
            "The workspace is empty."
        );
    }
}
