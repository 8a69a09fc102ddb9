//! `edit_file`: exact replacements in a text file, all of them or none.

use super::describe::tool_args;
use super::read_file::read_text;
use super::text::{count, line_count};
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::{Expect, FileChange, WorkspacePath};

/// Most places of a match that is not unique that are named.
const MAX_PLACES: usize = 5;

/// See the module.
pub struct EditFile;

tool_args! {
    /// What to change.
    pub struct Args {
        /// File to change.
        path: String,
        /// Replacements, made one after the other.
        edits: Vec<Edit>,
    }
}

tool_args! {
    /// One replacement.
    pub struct Edit {
        /// Text to replace, exactly as it stands in the file and without line numbers.
        old_text: String,
        /// Text to put there.
        new_text: String,
        /// Replace every occurrence; otherwise there must be exactly one.
        all: Option<bool>,
    }
}

impl TypedTool for EditFile {
    type Args = Args;
    const NAME: &'static str = "edit_file";
    const DESCRIPTION: &'static str =
        "Replace exact pieces of text in a file. If one edit does not fit, none is made.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let path = WorkspacePath::parse_file(&args.path)?;
        let (_, version) = context.workspace.file(&path)?;
        let before = read_text(context.workspace, &path).await?;
        if args.edits.is_empty() {
            return Err(ToolError::ForModel(
                "edits is empty; give at least one replacement".into(),
            ));
        }
        let mut after = before.clone();
        let mut places = 0;
        for (n, edit) in args.edits.iter().enumerate() {
            let (text, replaced) = apply(&after, edit).map_err(|problem| {
                ToolError::ForModel(format!("edits[{n}]: {problem} in {path}; no edit was made"))
            })?;
            after = text;
            places += replaced;
        }
        let text = format!(
            "Edited {path}: {} replaced, {} before, {} now",
            count(places, "place"),
            count(line_count(&before), "line"),
            count(line_count(&after), "line")
        );
        let content = after.into_bytes().into();
        Ok(ToolOutput::changing(
            text,
            vec![FileChange::Write {
                path,
                content,
                expect: Expect::Version(version),
            }],
        ))
    }
}

/// Makes one replacement; gives the new text and how many places changed.
fn apply(text: &str, edit: &Edit) -> Result<(String, usize), String> {
    let Edit {
        old_text,
        new_text,
        all,
    } = edit;
    if old_text.is_empty() {
        return Err(
            "old_text is empty; to add to the end use append_file, to replace all use write_file"
                .into(),
        );
    }
    if old_text == new_text {
        return Err("old_text and new_text are the same, so nothing would change".into());
    }
    let places: Vec<usize> = text
        .match_indices(old_text.as_str())
        .map(|(at, _)| at)
        .collect();
    match (places.len(), all.unwrap_or(false)) {
        (0, _) => Err(missing(text, old_text)),
        (1, _) => Ok((text.replacen(old_text.as_str(), new_text, 1), 1)),
        (n, true) => Ok((text.replace(old_text.as_str(), new_text), n)),
        (n, false) => {
            let lines: Vec<String> = places
                .iter()
                .take(MAX_PLACES)
                .map(|at| (text[..*at].matches('\n').count() + 1).to_string())
                .collect();
            let more = if n > MAX_PLACES { ", …" } else { "" };
            Err(format!(
                "old_text stands {n} times (lines {}{more}) and must be unique: add the lines around it, or set all to true,",
                lines.join(", ")
            ))
        }
    }
}

fn missing(text: &str, old_text: &str) -> String {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = squeezed(old_text);
    if text
        .replace("\r\n", "\n")
        .contains(&old_text.replace("\r\n", "\n"))
    {
        return "old_text has other line ends (CRLF or LF) than the text".into();
    }
    if !wanted.is_empty() && squeezed(text).contains(&wanted) {
        return "old_text differs only in white space from the text; read the file and copy it exactly".into();
    }
    let first = old_text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let near = text
        .lines()
        .position(|line| !first.is_empty() && line.contains(first));
    match near {
        Some(n) => format!(
            "old_text was not found, but its first line stands at line {}; read it again and copy it exactly",
            n + 1
        ),
        None => {
            "old_text was not found; read the file and copy the text exactly, without line numbers,"
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, content, workspace};
    use serde_json::{Value as Json, json};

    const TEXT: &str = "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\n";

    fn check(edits: Json, result: &str, after: &str) {
        let files = workspace(&[("a.rs", TEXT.as_bytes())]);
        assert_eq!(
            call(&files, "edit_file", json!({"path": "a.rs", "edits": edits})),
            result
        );
        assert_eq!(content(&files, "a.rs"), after);
    }

    #[test]
    fn unique_text_is_replaced_and_every_occurrence_on_demand() {
        check(
            json!([{"old_text": "fn a", "new_text": "fn c"}, {"old_text": "x()", "new_text": "y()", "all": true}]),
            "Edited a.rs: 3 places replaced, 6 lines before, 6 lines now",
            "fn c() {\n    y();\n}\nfn b() {\n    y();\n}\n",
        );
    }

    #[test]
    fn one_edit_that_does_not_fit_undoes_all() {
        let good = json!({"old_text": "fn a", "new_text": "fn c"});
        for (bad, told) in [
            (
                json!({"old_text": "x()", "new_text": "y()"}),
                "old_text stands 2 times (lines 2, 5) and must be unique: add the lines around it, or set all to true,",
            ),
            (
                json!({"old_text": "fn z() {}", "new_text": ""}),
                "old_text was not found; read the file and copy the text exactly, without line numbers,",
            ),
            (
                json!({"old_text": "fn b() {\n  x();", "new_text": ""}),
                "old_text differs only in white space from the text; read the file and copy it exactly",
            ),
            (
                json!({"old_text": "fn b() {\r\n    x();", "new_text": ""}),
                "old_text has other line ends (CRLF or LF) than the text",
            ),
            (
                json!({"old_text": "fn b() {\n  z();", "new_text": ""}),
                "old_text was not found, but its first line stands at line 4; read it again and copy it exactly",
            ),
            (
                json!({"old_text": "", "new_text": "x"}),
                "old_text is empty; to add to the end use append_file, to replace all use write_file",
            ),
            (
                json!({"old_text": "x", "new_text": "x"}),
                "old_text and new_text are the same, so nothing would change",
            ),
        ] {
            check(
                json!([good, bad]),
                &format!("Error: edits[1]: {told} in a.rs; no edit was made"),
                TEXT,
            );
        }
    }
}
