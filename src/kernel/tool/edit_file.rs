//! `edit_file`: exact replacements in a text file, all of them or none. Line ends
//! stay as the file has them: models send LF whatever they were shown.

use std::ops::Range;

use super::describe::tool_args;
use super::near::{numbered, why_missing};
use super::read_file::read_text;
use super::text::count;
use super::tree::as_known;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::diff::diff;
use crate::kernel::workspace::{Expect, FileChange, WorkspacePath};

/// Most places of a match that is not unique that are shown.
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
        as_known(context, &path)?;
        let (before, version) = read_text(context.workspace, &path).await?;
        if args.edits.is_empty() {
            return Err(ToolError::ForModel(
                "edits is empty; give at least one replacement".into(),
            ));
        }
        let mut after = before.clone();
        let mut places = 0;
        for (n, edit) in args.edits.iter().enumerate() {
            let (text, replaced) = apply(&after, edit).map_err(|problem| {
                let problem = match after != before && apply(&before, edit).is_ok() {
                    true => "old_text was there until an edit before this one changed it; put both into one.",
                    false => problem.trim_end(),
                };
                ToolError::ForModel(format!("edits[{n}]: {problem}\nNo edit was made in {path}."))
            })?;
            after = text;
            places += replaced;
        }
        let change = diff(
            path.as_str(),
            Some(before.as_bytes()),
            Some(after.as_bytes()),
        );
        let text = format!(
            "Edited {path}: {} replaced, +{} -{} lines\n{}",
            count(places, "place"),
            change.added,
            change.removed,
            change.patch()
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
            "old_text is empty; to add to the end use append_file, to replace all use write_file."
                .into(),
        );
    }
    if old_text == new_text {
        return Err("old_text and new_text are the same, so nothing would change.".into());
    }
    // Whoever sends a carriage return means it.
    let any_end = !old_text.contains('\r') && !new_text.contains('\r');
    let places = match any_end {
        true => places_with_any_end(text, old_text),
        false => matches(text, old_text),
    };
    match (places.len(), all.unwrap_or(false)) {
        (0, _) => Err(why_missing(text, old_text, "old_text")),
        (1, _) | (_, true) => {
            let ends = |at: usize| any_end && ends_with_crlf(text, at);
            Ok((replaced(text, &places, new_text, ends), places.len()))
        }
        (n, false) => Err(not_unique(text, &places, n)),
    }
}

fn matches(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let found = text.match_indices(wanted);
    found.map(|(at, _)| at..at + wanted.len()).collect()
}

/// Where `wanted` stands if CRLF counts as LF.
fn places_with_any_end(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let with_lf = text.replace("\r\n", "\n");
    // Where in that text a line end lost its carriage return.
    let lost = text.match_indices("\r\n").enumerate();
    let lost: Vec<usize> = lost.map(|(n, (at, _))| at - n).collect();
    let back = |at: usize| at + lost.partition_point(|lost| *lost < at);
    let found = matches(&with_lf, wanted).into_iter();
    found.map(|at| back(at.start)..back(at.end)).collect()
}

/// The text with `new_text` at all `places`, its lines ended with CRLF where `ends` says so.
fn replaced(
    text: &str,
    places: &[Range<usize>],
    new_text: &str,
    ends: impl Fn(usize) -> bool,
) -> String {
    let mut after = String::with_capacity(text.len());
    let mut done = 0;
    for place in places {
        after.push_str(&text[done..place.start]);
        match ends(place.start) {
            true => after.push_str(&new_text.replace('\n', "\r\n")),
            false => after.push_str(new_text),
        }
        done = place.end;
    }
    after.push_str(&text[done..]);
    after
}

/// Whether the line at `at` ends with CRLF, or the one before it where it is the last.
fn ends_with_crlf(text: &str, at: usize) -> bool {
    let next = text[at..].find('\n').map(|n| at + n);
    let end = next.or_else(|| text[..at].rfind('\n'));
    end.is_some_and(|end| text[..end].ends_with('\r'))
}

fn not_unique(text: &str, places: &[Range<usize>], n: usize) -> String {
    let mut shown = String::new();
    for place in places.iter().take(MAX_PLACES) {
        let line = text[..place.start].matches('\n').count();
        let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
        let whole = text[start..].lines().next().unwrap_or_default();
        shown.push_str(&numbered(&[whole], line));
    }
    let more = if n > MAX_PLACES { "…\n" } else { "" };
    format!(
        "old_text stands {n} times and must be unique:\n{shown}{more}Add the lines around it, or set all to true."
    )
}
