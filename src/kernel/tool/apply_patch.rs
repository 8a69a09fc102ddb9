//! `apply_patch`: a patch over several files, all of it or nothing.

mod parse;
mod place;

use serde_json::Value as Json;

use super::describe::tool_args;
use super::read_file::read_text;
use super::text::count;
use super::tree::{Tree, as_known};
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::diff::diff;
use crate::kernel::workspace::{Expect, FileChange, Version, WorkspaceError, WorkspacePath};
use parse::{FilePatch, parse};

/// See the module.
pub struct ApplyPatch;

tool_args! {
    /// What to change.
    pub struct Args {
        /// Unified diff; paths as a/… and b/…, /dev/null for none.
        patch: String,
    }
}

/// A file that the patch works on: as it was, and as it is so far.
struct Worked {
    path: WorkspacePath,
    before: Option<(String, Version)>,
    now: Option<String>,
}

/// The files that the patch works on, and what is told of each.
struct Work<'a, 'b> {
    context: &'a ToolContext<'b>,
    files: Vec<Worked>,
    moved: Vec<FileChange>,
    told: Vec<String>,
}

impl TypedTool for ApplyPatch {
    type Args = Args;
    const NAME: &'static str = "apply_patch";
    const DESCRIPTION: &'static str = "Change, create, delete and rename files by one unified diff. If a hunk does not fit, nothing is changed; give 3 lines of context.";
    const EFFECT: Effect = Effect::Writing;

    fn targets(args: &Json) -> Option<Vec<String>> {
        let files = parse(args.get("patch")?.as_str()?).unwrap_or_default();
        let mut targets: Vec<String> = Vec::new();
        for path in files.into_iter().flat_map(|file| [file.from, file.to]) {
            targets.extend(path.filter(|path| !targets.contains(path)));
        }
        Some(targets)
    }

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let no = |problem: &str| {
            ToolError::ForModel(format!("{}\nNothing was changed.", problem.trim_end()))
        };
        let files = parse(&args.patch).map_err(|problem| no(&problem))?;
        if files.is_empty() {
            return Err(no(
                "the patch names no file; give lines such as --- a/x and +++ b/x, then @@ and the lines",
            ));
        }
        let mut work = Work {
            context,
            files: Vec::new(),
            moved: Vec::new(),
            told: Vec::new(),
        };
        for file in &files {
            work.apply(file).await.map_err(|error| match error {
                ToolError::ForModel(problem) => no(&problem),
                fatal => fatal,
            })?;
        }
        let changes = work.changes();
        if changes.is_empty() {
            return Err(no(
                "the patch would change nothing; all of it is there already",
            ));
        }
        context.workspace.check(&changes)?;
        let head = format!("Patched {}:", count(files.len(), "file"));
        work.told.insert(0, head);
        Ok(ToolOutput::changing(work.told.join("\n"), changes))
    }
}

impl Work<'_, '_> {
    async fn apply(&mut self, file: &FilePatch) -> Result<(), ToolError> {
        let from = file
            .from
            .as_deref()
            .map(WorkspacePath::parse_file)
            .transpose()?;
        let to = file
            .to
            .as_deref()
            .map(WorkspacePath::parse_file)
            .transpose()?;
        match (from, to) {
            (Some(from), Some(to)) if from != to && file.hunks.is_empty() => {
                self.rename(&from, &to)
            }
            (Some(from), to) => {
                let at = self.open(&from).await?;
                let text = self.files[at].now.clone();
                let text = text.ok_or_else(|| WorkspaceError::NotFound(from.clone()))?;
                let (after, notes) = place::apply(&text, &file.hunks)
                    .map_err(|problem| ToolError::ForModel(format!("{from}, {problem}")))?;
                self.put(at, from, to, (&text, after), &notes).await
            }
            (None, Some(to)) => {
                let at = self.open(&to).await?;
                if self.files[at].now.is_some() {
                    return Err(WorkspaceError::Taken(to).into());
                }
                let (after, _) = place::apply("", &file.hunks)
                    .map_err(|problem| ToolError::ForModel(format!("{to}, {problem}")))?;
                self.told.push(format!("A {to} +{}", after.lines().count()));
                self.files[at].now = Some(after);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// Puts what became of a file where it belongs.
    async fn put(
        &mut self,
        at: usize,
        from: WorkspacePath,
        to: Option<WorkspacePath>,
        (before, after): (&str, String),
        notes: &str,
    ) -> Result<(), ToolError> {
        let Some(to) = to else {
            // A patch that removes a file has all its lines; `*** Delete File` has none.
            if !after.trim().is_empty() && after != before {
                return Err(ToolError::ForModel(format!(
                    "{from} holds more lines than the patch removes; read it again"
                )));
            }
            self.told
                .push(format!("D {from} -{}", before.lines().count()));
            self.files[at].now = None;
            return Ok(());
        };
        let change = diff(to.as_str(), Some(before.as_bytes()), Some(after.as_bytes()));
        let lines = format!("+{} -{}{notes}", change.added, change.removed);
        if to == from {
            self.told.push(format!("M {from} {lines}"));
            self.files[at].now = Some(after);
            return Ok(());
        }
        let new = self.open(&to).await?;
        if self.files[new].now.is_some() {
            return Err(WorkspaceError::Taken(to).into());
        }
        self.told.push(format!("R {from} → {to} {lines}"));
        self.files[at].now = None;
        self.files[new].now = Some(after);
        Ok(())
    }

    fn rename(&mut self, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), ToolError> {
        if self
            .files
            .iter()
            .any(|file| file.path == *from || file.path == *to)
        {
            return Err(ToolError::ForModel(format!(
                "{from} is renamed after the patch changed it; put both into one part"
            )));
        }
        let workspace = self.context.workspace;
        let tree = Tree::at(workspace, from)?;
        self.moved.extend(tree.put_at(workspace, to)?);
        self.moved.extend(tree.remove());
        self.told.push(format!("R {from} → {to}"));
        Ok(())
    }

    /// The place of a file among those worked on.
    async fn open(&mut self, path: &WorkspacePath) -> Result<usize, ToolError> {
        if let Some(at) = self.files.iter().position(|file| file.path == *path) {
            return Ok(at);
        }
        let workspace = self.context.workspace;
        let before = match workspace.file(path) {
            Err(WorkspaceError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
            Ok(_) => {
                as_known(self.context, path)?;
                Some(read_text(workspace, path).await?)
            }
        };
        self.files.push(Worked {
            path: path.clone(),
            now: before.as_ref().map(|(text, _)| text.clone()),
            before,
        });
        Ok(self.files.len() - 1)
    }

    fn changes(&self) -> Vec<FileChange> {
        let of_file = |file: &Worked| match (&file.before, &file.now) {
            (Some((before, _)), Some(now)) if before == now => None,
            (before, Some(now)) => Some(FileChange::Write {
                path: file.path.clone(),
                content: now.as_bytes().into(),
                expect: match before {
                    Some((_, version)) => Expect::Version(version.clone()),
                    None => Expect::Nothing,
                },
            }),
            (Some((_, version)), None) => Some(FileChange::Delete {
                path: file.path.clone(),
                version: version.clone(),
            }),
            (None, None) => None,
        };
        let mut changes = self.moved.clone();
        changes.extend(self.files.iter().filter_map(of_file));
        changes
    }
}
