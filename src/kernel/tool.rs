//! Tools: what they are, how they are described to a model and how their
//! arguments are checked. One file a tool; adding one touches its file and one
//! line of [`ToolRegistry::standard`].
//!
//! A tool changes nothing itself: it reads the workspace and returns the
//! changes it wants, which the loop commits together with the result.

mod append_file;
mod apply_patch;
mod ask_user;
pub mod bash;
mod calculate;
mod content;
mod copy_path;
mod delete;
pub mod describe;
mod edit_file;
pub mod fetch_url;
mod finish;
mod glob;
mod grep;
pub(in crate::kernel) mod ignored;
mod list_dir;
mod locker;
mod make_dir;
mod move_path;
mod near;
mod picture;
pub mod preview;
mod read_file;
mod recall;
mod registry;
mod run_handle;
pub mod run_js;
mod schema;
mod task;
mod text;
mod todo;
mod tree;
mod wildcard;
mod write_file;

use std::future::Future;

use futures::future::LocalBoxFuture;
use serde_json::Value as Json;

use super::event::{Failure, FailureKind};
use super::session::{Picture, TodoItem, Usage};
use super::store::StoreError;
use super::workspace::{FileChange, PathError, Version, Workspace, WorkspaceError, WorkspacePath};
use crate::plain::{FromJson, from_value};

use describe::Describe;
pub use locker::Locker;
pub use registry::{Prepared, ToolRegistry};
pub use run_handle::{NoRun, Others, RunHandle};
pub use text::{MAX_RESULT, cap_result, floor_boundary};

/// What a model is told of a tool, and what the loop needs to know.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// The name it is called by.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// JSON schema of the arguments, in the plain subset that every host takes.
    pub parameters: Json,
    /// What it may do.
    pub effect: Effect,
    /// How it may be run.
    pub manner: Manner,
}

/// How a tool may be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Within the time that a call may take.
    Timed,
    /// The same; and what it gives depends on arguments and files alone, so that a
    /// result serves again while no file has changed.
    Pure,
    /// As long as it takes: it waits for the user, or for a run of its own.
    Patient,
    /// Within a time of its own, which it sees to itself.
    Bounded,
}

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Only looks: may run beside others, and again.
    ReadOnly,
    /// Changes files: runs alone and in order.
    Writing,
    /// Can't be undone, or reaches outside: runs alone and in order.
    Dangerous,
}

/// What a tool works with.
pub struct ToolContext<'a> {
    /// The files.
    pub workspace: &'a Workspace,
    /// The call.
    pub call_id: &'a str,
    /// The run it is part of.
    pub run: &'a dyn RunHandle,
    /// Whom it may turn to.
    pub others: &'a dyn Others,
}

/// What a sub-agent came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegated {
    /// Its answer, or a sentence for the model on why there is none.
    pub answer: Result<String, String>,
    /// Tokens it used, however it ended.
    pub spent: Usage,
}

/// What a tool gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// For the model.
    pub text: String,
    /// For the workspace; happen together with the result or not at all.
    pub changes: Vec<FileChange>,
    /// The list of steps, if it is now another one.
    pub todo: Option<Vec<TodoItem>>,
    /// Files whose content it tells, and the version of each.
    pub read: Vec<(WorkspacePath, Version)>,
    /// Pictures that the model is to be shown.
    pub pictures: Vec<Picture>,
}

impl ToolOutput {
    /// An output that changes nothing.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// An output that changes files.
    pub fn changing(text: impl Into<String>, changes: Vec<FileChange>) -> Self {
        Self {
            text: text.into(),
            changes,
            ..Self::default()
        }
    }
}

/// Why a tool could not do what was asked, and whom to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolError {
    /// The model can do better: one sentence, what was got, what is wanted, what to try.
    ForModel(String),
    /// Nothing the model does can help: the run ends.
    Fatal(Failure),
}

impl From<WorkspaceError> for ToolError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Store(StoreError::Full) => {
                ToolError::Fatal(Failure::new(FailureKind::Full, error.to_string()))
            }
            WorkspaceError::Store(error) => {
                ToolError::Fatal(Failure::new(FailureKind::Storage, error.to_string()))
            }
            other => ToolError::ForModel(other.to_string()),
        }
    }
}

impl From<PathError> for ToolError {
    fn from(error: PathError) -> Self {
        ToolError::ForModel(error.to_string())
    }
}

/// A tool as its author writes it: the schema comes from the arguments' type.
pub trait TypedTool {
    /// The arguments; each field's doc comment is its description for the model.
    type Args: FromJson + Describe;
    /// See [`ToolSpec::name`].
    const NAME: &'static str;
    /// See [`ToolSpec::description`].
    const DESCRIPTION: &'static str;
    /// See [`ToolSpec::effect`].
    const EFFECT: Effect;
    /// See [`ToolSpec::manner`].
    const MANNER: Manner = Manner::Timed;

    /// What a call works on, as approval rules see it, if it does not stand in the
    /// usual arguments.
    fn targets(_args: &Json) -> Option<Vec<String>> {
        None
    }

    /// Does the work. Dropping the future must be harmless: it changes nothing by itself.
    fn call(
        &self,
        args: Self::Args,
        context: &ToolContext<'_>,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>>;
}

/// A tool as the loop sees it.
pub trait Tool {
    /// What the tool is.
    fn spec(&self) -> ToolSpec;

    /// See [`TypedTool::targets`].
    fn targets(&self, _args: &Json) -> Option<Vec<String>> {
        None
    }

    /// Runs with arguments that fit the schema.
    fn run<'a>(
        &'a self,
        args: Json,
        context: &'a ToolContext<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolOutput, ToolError>>;
}

impl<T: TypedTool> Tool for T {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: T::NAME,
            description: T::DESCRIPTION,
            parameters: T::Args::schema(),
            effect: T::EFFECT,
            manner: T::MANNER,
        }
    }

    fn targets(&self, args: &Json) -> Option<Vec<String>> {
        T::targets(args)
    }

    fn run<'a>(
        &'a self,
        args: Json,
        context: &'a ToolContext<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            // The schema was checked: what is left is a number outside its type's range.
            match from_value(args) {
                Some(args) => self.call(args, context).await,
                None => Err(too_large(T::NAME)),
            }
        })
    }
}

fn too_large(name: &str) -> ToolError {
    ToolError::ForModel(format!("a number in the arguments of {name} is too large"))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::rc::Rc;

    use futures::executor::block_on;

    use super::*;
    use crate::kernel::clock::ManualClock;
    use crate::kernel::event::{About, Reply};
    use crate::kernel::store::{Durability, memory::MemoryStore};
    use crate::kernel::workspace::{Expect, WorkspacePath};

    /// Others who are there at once, and do as they are told.
    struct Willing;

    impl Others for Willing {
        fn ask<'a>(&'a self, _: &'a str, _: &'a str, about: About) -> LocalBoxFuture<'a, Reply> {
            Box::pin(async move {
                match about {
                    About::Choice { question, .. } => Reply::Text(format!("{question} Yes.")),
                    About::Plan { steps } => Reply::Plan(steps),
                    About::Approval { .. } | About::CutOff { .. } => Reply::Once,
                }
            })
        }

        fn recall<'a>(&'a self, id: &'a str) -> LocalBoxFuture<'a, Option<String>> {
            Box::pin(async move { (id == "r7").then(|| "早".repeat(10_000)) })
        }

        fn delegate<'a>(
            &'a self,
            _: &'a str,
            prompt: String,
            _: Option<Vec<String>>,
        ) -> LocalBoxFuture<'a, Result<String, String>> {
            Box::pin(async move { Ok(format!("Did: {prompt}")) })
        }
    }

    /// A workspace in memory that holds `files`.
    pub(crate) fn workspace(files: &[(&str, &[u8])]) -> Workspace {
        block_on(async {
            let store = Rc::new(MemoryStore::default());
            let clock = Rc::new(ManualClock::at(5));
            let workspace = Workspace::open(store, clock, "w").await.unwrap();
            let changes: Vec<FileChange> = files
                .iter()
                .map(|(path, content)| FileChange::Write {
                    path: WorkspacePath::parse_file(path).unwrap(),
                    content: (*content).into(),
                    expect: Expect::Nothing,
                })
                .collect();
            workspace
                .commit(&changes, Vec::new(), Durability::Relaxed)
                .await
                .unwrap();
            workspace
        })
    }

    /// Calls a standard tool as the loop does and commits what it asks for;
    /// errors read as the model would see them.
    pub(crate) fn call(workspace: &Workspace, name: &str, arguments: Json) -> String {
        block_on(async {
            let registry = ToolRegistry::standard();
            let prepared = match registry.prepare(name, &arguments.to_string()) {
                Ok(prepared) => prepared,
                Err(problem) => return format!("Error: {problem}"),
            };
            let context = ToolContext {
                workspace,
                call_id: "1",
                run: &NoRun::default(),
                others: &Willing,
            };
            match prepared.run(&context).await {
                Ok(output) => {
                    workspace
                        .commit(&output.changes, Vec::new(), Durability::Relaxed)
                        .await
                        .unwrap();
                    output.text
                }
                Err(ToolError::ForModel(text)) => format!("Error: {text}"),
                Err(ToolError::Fatal(failure)) => panic!("{failure:?}"),
            }
        })
    }

    /// The text of a file.
    pub(crate) fn content(workspace: &Workspace, path: &str) -> String {
        let path = WorkspacePath::parse(path).unwrap();
        let (bytes, _) = block_on(workspace.read(&path)).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}
