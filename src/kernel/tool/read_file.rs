//! `read_file`: a text file, or a part of it, with line numbers.

use super::content::{Content, look_at};
use super::describe::tool_args;
use super::picture::{self, Seen};
use super::text::{count, floor_boundary, line_count, size};
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::session::Picture;
use crate::kernel::workspace::{Version, Workspace, WorkspacePath};

/// Largest file that is read at all, in bytes.
pub(super) const MAX_READ: u64 = 10 << 20;
/// Bytes of text in one answer; the rest is a further call away.
const MAX_TEXT: usize = 15 << 10;
/// Most dots of an image that is shown: as many are in memory while it is made smaller.
const MAX_DOTS: u64 = 64_000_000;
/// A byte order mark, which some editors put before a text.
const BOM: char = '\u{feff}';
/// Bytes of one line that are shown.
const MAX_LINE: usize = 2 << 10;

/// See the module.
pub struct ReadFile;

tool_args! {
    /// What to read.
    pub struct Args {
        /// File to read.
        path: String,
        /// First line, from 1.
        start_line: Option<usize>,
        /// Last line, included.
        end_line: Option<usize>,
    }
}

impl TypedTool for ReadFile {
    type Args = Args;
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Read a text file, or look at an image. Lines come numbered (number, tab, text); long files come in parts, each says where to read on.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Pure;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let path = WorkspacePath::parse_file(&args.path)?;
        let (content, version) = read_bytes(context.workspace, &path).await?;
        let bytes = content.len() as u64;
        if let Some(seen) = picture::look(&content) {
            return look_at_picture(&path, seen, version, bytes);
        }
        let (text, what) = match look_at(content) {
            Content::Text(text) => {
                let what = about(&text);
                (text, what)
            }
            Content::Foreign(text, encoding) => (
                text,
                format!(", not in UTF-8 but {encoding}: edit_file can't change it"),
            ),
            Content::Binary(kind) => return Err(not_text(&path, kind, bytes)),
        };
        let text = text.strip_prefix(BOM).unwrap_or(&text);
        let told = |text: String| ToolOutput {
            read: vec![(path.clone(), version.clone())],
            ..ToolOutput::text(text)
        };
        let total = line_count(text);
        let start = args.start_line.unwrap_or(1).max(1);
        let end = args.end_line.unwrap_or(usize::MAX).min(total);
        let head = format!(
            "{path}, {}, {}{what}",
            count(total, "line"),
            size(bytes as usize)
        );
        if total == 0 {
            return Ok(told(format!("{head}: the file is empty")));
        }
        if start > total {
            let problem = format!(
                "{path} has {}, so there is no line {start}; ask for lines 1 to {total}",
                count(total, "line")
            );
            return Err(ToolError::ForModel(problem));
        }
        if end < start {
            let problem = format!(
                "end_line {end} lies before start_line {start}; give the smaller one first"
            );
            return Err(ToolError::ForModel(problem));
        }
        Ok(told(numbered(&head, text, start, end, total)))
    }
}

fn numbered(head: &str, text: &str, start: usize, end: usize, total: usize) -> String {
    let mut shown = format!("{head}\n");
    let mut last = start - 1;
    for (n, line) in text.lines().enumerate().take(end).skip(start - 1) {
        let cut = floor_boundary(line, MAX_LINE);
        let more = if cut < line.len() {
            " [… line cut …]"
        } else {
            ""
        };
        let row = format!("{}\t{}{more}\n", n + 1, &line[..cut]);
        if shown.len() + row.len() > MAX_TEXT && last >= start {
            break;
        }
        shown.push_str(&row);
        last = n + 1;
    }
    match (last < end, last < total) {
        (true, _) => shown.push_str(&format!(
            "[lines {start} to {last} of {total}; read on with start_line={}]",
            last + 1
        )),
        (false, true) => shown.push_str(&format!("[lines {start} to {last} of {total}]")),
        (false, false) => shown.push_str("[end of file]"),
    }
    shown
}

/// What is odd about a text and would not be seen in its lines.
fn about(text: &str) -> String {
    let mut about = String::new();
    if text.starts_with(BOM) {
        about.push_str(", begins with a byte order mark");
    }
    if text.contains("\r\n") {
        about.push_str(", lines end with CRLF");
    }
    about
}

/// A file's content and version, if it is not too large to be read.
async fn read_bytes(
    workspace: &Workspace,
    path: &WorkspacePath,
) -> Result<(Vec<u8>, Version), ToolError> {
    let (bytes, _) = workspace.file(path)?;
    if bytes > MAX_READ {
        return Err(ToolError::ForModel(format!(
            "{path} is {}, and the largest file that can be read is {}; ask the user for a smaller one or a part of it",
            size(bytes as usize),
            size(MAX_READ as usize)
        )));
    }
    Ok(workspace.read(path).await?)
}

/// A file's text and version, for every tool that changes text.
pub(super) async fn read_text(
    workspace: &Workspace,
    path: &WorkspacePath,
) -> Result<(String, Version), ToolError> {
    let (content, version) = read_bytes(workspace, path).await?;
    match (look_at(content), version) {
        (Content::Text(text), version) => Ok((text, version)),
        (Content::Foreign(_, encoding), _) => Err(ToolError::ForModel(format!(
            "{path} is not in UTF-8 but {encoding}, and a change would damage it; write_file can put a new text in UTF-8 in its place, if the user wants that"
        ))),
        (Content::Binary(kind), _) => Err(not_text(path, kind, workspace.file(path)?.0)),
    }
}

/// An image is not told but shown: the conversation says whether it can be.
fn look_at_picture(
    path: &WorkspacePath,
    seen: Seen,
    version: Version,
    bytes: u64,
) -> Result<ToolOutput, ToolError> {
    let told = size(bytes as usize);
    let Some((width, height)) = seen.size else {
        return Err(ToolError::ForModel(format!(
            "{path} is a damaged {} image of {told}, so it can't be shown; ask the user for a whole one",
            seen.format
        )));
    };
    let what = format!(
        "a {} image of {width} × {height} pixels, {told}",
        seen.format
    );
    if u64::from(width) * u64::from(height) > MAX_DOTS {
        return Err(ToolError::ForModel(format!(
            "{path} is {what}, which is too large to be shown; ask the user for a smaller one"
        )));
    }
    let picture = Picture {
        path: path.as_str().to_owned(),
        version: version.clone(),
        size: bytes,
        media_type: seen.media_type.to_owned(),
        width,
        height,
    };
    Ok(ToolOutput {
        read: vec![(path.clone(), version)],
        pictures: vec![picture],
        ..ToolOutput::text(format!("{path} is {what}."))
    })
}

fn not_text(path: &WorkspacePath, kind: &str, bytes: u64) -> ToolError {
    ToolError::ForModel(format!(
        "{path} is not text but {kind} of {}; only text can be read",
        size(bytes as usize)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, workspace};
    use serde_json::json;

    #[test]
    fn lines_are_numbered_and_the_end_is_told() {
        let files = workspace(&[("a.md", "one\r\nzwei\n三".as_bytes()), ("empty", b"")]);
        let read = |args| call(&files, "read_file", args);
        assert_eq!(
            read(json!({"path": "a.md"})),
            "a.md, 3 lines, 13 bytes, lines end with CRLF\n1\tone\n2\tzwei\n3\t三\n[end of file]"
        );
        assert_eq!(
            read(json!({"path": "./a.md", "start_line": 2, "end_line": 2})),
            "a.md, 3 lines, 13 bytes, lines end with CRLF\n2\tzwei\n[lines 2 to 2 of 3]"
        );
        assert_eq!(
            read(json!({"path": "empty"})),
            "empty, 0 lines, 0 bytes: the file is empty"
        );
    }

    #[test]
    fn a_long_file_comes_in_parts_that_join() {
        let text: String = (1..=2_000).map(|n| format!("line number {n}\n")).collect();
        let files = workspace(&[("long", text.as_bytes())]);
        let (mut start, mut read) = (1, String::new());
        loop {
            let part = call(
                &files,
                "read_file",
                json!({"path": "long", "start_line": start}),
            );
            assert!(part.len() <= super::super::text::MAX_RESULT);
            for line in part.lines().filter_map(|line| line.split_once('\t')) {
                read.push_str(line.1);
                read.push('\n');
            }
            match part.rsplit_once("start_line=") {
                Some((_, next)) => start = next.trim_end_matches(']').parse().unwrap(),
                None => break,
            }
        }
        assert_eq!(read, text);
    }

    #[test]
    fn what_can_not_be_read_is_told_apart() {
        let huge = vec![b'x'; 20 << 20];
        let files = workspace(&[
            ("a.pdf", b"%PDF\0\0"),
            ("zero.txt", b"a\0b"),
            ("huge.log", &huge),
            ("dir/a.md", b"1"),
        ]);
        for (args, error) in [
            (
                json!({"path": "a.pdf"}),
                "a.pdf is not text but a PDF document of 6 bytes; only text can be read",
            ),
            (
                json!({"path": "zero.txt"}),
                "zero.txt is not text but a binary file of 3 bytes; only text can be read",
            ),
            (
                json!({"path": "huge.log"}),
                "huge.log is 20 MB, and the largest file that can be read is 10 MB; ask the user for a smaller one or a part of it",
            ),
            (
                json!({"path": "dir"}),
                "dir is a directory, not a file; list_dir shows what is in it",
            ),
            (
                json!({"path": "b.md"}),
                "there is no file b.md; list_dir shows what is there",
            ),
            (
                json!({"path": "/"}),
                "the path \"/\" names the workspace itself and not a file; give a path inside the workspace such as \"notes/todo.md\"",
            ),
            (
                json!({"path": "dir/a.md", "start_line": 9}),
                "dir/a.md has 1 line, so there is no line 9; ask for lines 1 to 1",
            ),
        ] {
            assert_eq!(call(&files, "read_file", args), format!("Error: {error}"));
        }
    }
}
