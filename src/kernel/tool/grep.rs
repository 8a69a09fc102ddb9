//! `grep`: text in files, by a regular expression.

mod hits;
mod matcher;

use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value as Json, json};

use super::content::{Content, look_at};
use super::describe::{Describe, tool_args};
use super::ignored::{Found, files_below};
use super::read_file::MAX_READ;
use super::text::count;
use super::wildcard::Wildcard;
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::workspace::{Node, WorkspaceError, WorkspacePath};
use crate::plain::Plain;
use hits::{Hits, Shape};
use matcher::Matcher;

/// Files that are read at the same time.
const AT_ONCE: usize = 64;
/// Bytes that are read at once, where files are not larger.
const BYTES_AT_ONCE: u64 = 2 << 20;
/// Bytes after which others have their turn.
const BREATH: usize = 256 << 10;
/// Most lines around a match.
const MAX_CONTEXT: usize = 10;

/// See the module.
pub struct Grep;

tool_args! {
    /// What to look for, where, and what to tell.
    pub struct Args {
        /// Regular expression, tried on each line; (?i) ignores case.
        pattern: String,
        /// File or directory to search.
        path: Option<String>,
        /// Only files whose path fits, such as *.rs.
        glob: Option<String>,
        /// Lines to show around each match.
        context: Option<usize>,
        /// Matching lines (default), or per file its name or count.
        mode: Option<Mode>,
    }
}

/// What a search tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
#[plain(lowercase)]
pub enum Mode {
    /// The lines.
    Content,
    /// The files that have any.
    Files,
    /// How many lines each file has.
    Count,
}

impl Describe for Mode {
    fn schema() -> Json {
        json!({ "type": "string", "enum": ["content", "files", "count"] })
    }
}

/// Files that were not searched, by the reason.
#[derive(Default)]
struct Skipped {
    binary: usize,
    large: usize,
    ignored: usize,
    forbidden: usize,
}

impl TypedTool for Grep {
    type Args = Args;
    const NAME: &'static str = "grep";
    const DESCRIPTION: &'static str = "Search the text of files. The engine is linear: no look-around, no backreferences. What .gitignore names and binary files are left out.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Pure;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let place = WorkspacePath::parse(args.path.as_deref().unwrap_or_default())?;
        let matcher = Matcher::parse(&args.pattern).map_err(ToolError::ForModel)?;
        let filter = args.glob.as_deref().map(str::trim);
        let filter = filter.filter(|glob| !glob.is_empty()).map(Wildcard::parse);
        let filter = filter.transpose().map_err(ToolError::ForModel)?;
        let mut skipped = Skipped::default();
        let mut files = candidates(context, &place, &mut skipped).await?;
        if let Some(filter) = &filter {
            files.retain(|file| filter.fits(file.path.below(&place)));
        }
        files.retain(|file| {
            let may = context.run.may_read(file.path.as_str());
            skipped.forbidden += usize::from(!may);
            may
        });
        let mut hits = Hits::new(Shape {
            mode: args.mode.unwrap_or(Mode::Content),
            around: args.context.unwrap_or(0).min(MAX_CONTEXT),
        });
        search(context, files, &matcher, &mut hits, &mut skipped).await?;
        let mut text = hits.told(&args.pattern);
        text.push_str(&skipped.told());
        Ok(ToolOutput::text(text))
    }
}

async fn candidates(
    context: &ToolContext<'_>,
    place: &WorkspacePath,
    skipped: &mut Skipped,
) -> Result<Vec<Found>, ToolError> {
    match context.workspace.node(place) {
        Some(Node::Folder) => {
            let (files, left_out) = files_below(context.workspace, place).await?;
            skipped.ignored = left_out;
            Ok(files)
        }
        Some(Node::File {
            size, modified_ms, ..
        }) => Ok(vec![Found {
            path: place.clone(),
            size,
            modified_ms,
        }]),
        None => Err(ToolError::ForModel(format!(
            "there is no file or directory {place}; list_dir shows what is there"
        ))),
    }
}

async fn search(
    context: &ToolContext<'_>,
    mut files: Vec<Found>,
    matcher: &Matcher,
    hits: &mut Hits,
    skipped: &mut Skipped,
) -> Result<(), ToolError> {
    files.retain(|file| {
        skipped.large += usize::from(file.size > MAX_READ);
        file.size <= MAX_READ
    });
    let read = |paths: Vec<WorkspacePath>| async move {
        let contents = context.workspace.read_all(&paths).await?;
        Ok::<_, WorkspaceError>(paths.into_iter().zip(contents))
    };
    // The next are read while some are searched.
    let mut groups = stream::iter(groups(files).into_iter().map(read)).buffered(2);
    let mut since_breath = 0;
    while let Some(group) = groups.try_next().await? {
        for (path, content) in group {
            // None: it went while others were searched.
            let text = match content.map(look_at) {
                None => continue,
                Some(Content::Text(text) | Content::Foreign(text, _)) => text,
                Some(Content::Binary(_)) => {
                    skipped.binary += 1;
                    continue;
                }
            };
            hits.searched += 1;
            if matcher.may_match(&text) {
                let lines: Vec<&str> = text.lines().collect();
                let found = matching(context, &lines, matcher, &mut since_breath).await;
                hits.add(&path, &lines, &found);
            }
        }
    }
    Ok(())
}

/// Which lines match, and where in them.
async fn matching(
    context: &ToolContext<'_>,
    lines: &[&str],
    matcher: &Matcher,
    since_breath: &mut usize,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let mut at = None;
        for (from, piece) in matcher.pieces(line) {
            *since_breath += piece.len() + 1;
            if *since_breath > BREATH {
                *since_breath = 0;
                context.run.breathe().await;
            }
            at = matcher.find(piece).map(|at| from + at);
            if at.is_some() {
                break;
            }
        }
        found.extend(at.map(|at| (n, at)));
    }
    found
}

/// Files in groups that are read at once.
fn groups(files: Vec<Found>) -> Vec<Vec<WorkspacePath>> {
    let mut groups: Vec<Vec<WorkspacePath>> = Vec::new();
    let mut room = 0;
    for file in files {
        match groups.last_mut() {
            Some(group) if group.len() < AT_ONCE && file.size <= room => {
                room -= file.size;
                group.push(file.path);
            }
            _ => {
                room = BYTES_AT_ONCE.saturating_sub(file.size);
                groups.push(vec![file.path]);
            }
        }
    }
    groups
}

impl Skipped {
    fn told(&self) -> String {
        let parts = [
            (self.ignored, "in .git or named by .gitignore"),
            (self.binary, "binary"),
            (self.large, "over 10 MB"),
            (self.forbidden, "not to be read without asking"),
        ];
        let told: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, why)| format!("{} {why}", count(*n, "file")))
            .collect();
        match told.is_empty() {
            true => String::new(),
            false => format!("\n[left out: {}]", told.join(", ")),
        }
    }
}
