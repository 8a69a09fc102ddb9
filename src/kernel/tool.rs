//! Tools: what they are, how they are described to a model and how their
//! arguments are checked. One file a tool; adding one touches its file and one
//! line of [`ToolRegistry::standard`].
//!
//! A tool changes nothing itself: it reads the workspace and returns the
//! changes it wants, which the loop commits together with the result.

mod append_file;
pub mod describe;
mod edit_file;
mod list_dir;
mod read_file;
mod schema;
mod text;
mod write_file;

use std::future::Future;

use futures::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::event::{Failure, FailureKind};
use super::store::StoreError;
use super::workspace::{FileChange, PathError, Workspace, WorkspaceError};

use describe::Describe;
pub use text::cap_result;

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
}

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Only looks: may run beside others, and again.
    ReadOnly,
    /// Changes files: runs alone and in order.
    Writing,
}

/// What a tool works with.
pub struct ToolContext<'a> {
    /// The files.
    pub workspace: &'a Workspace,
}

/// What a tool gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// For the model.
    pub text: String,
    /// For the workspace; happen together with the result or not at all.
    pub changes: Vec<FileChange>,
}

impl ToolOutput {
    /// An output that changes nothing.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            changes: Vec::new(),
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
                let text = "the browser's storage is full, so nothing was written; tell the user to free some space";
                ToolError::ForModel(text.into())
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
    type Args: DeserializeOwned + Describe;
    /// See [`ToolSpec::name`].
    const NAME: &'static str;
    /// See [`ToolSpec::description`].
    const DESCRIPTION: &'static str;
    /// See [`ToolSpec::effect`].
    const EFFECT: Effect;

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
        }
    }

    fn run<'a>(
        &'a self,
        args: Json,
        context: &'a ToolContext<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            // The schema was checked: what is left is a number outside its type's range.
            let args = serde_json::from_str(&args.to_string()).map_err(|error| {
                ToolError::ForModel(format!("the arguments of {} don't fit: {error}", T::NAME))
            })?;
            self.call(args, context).await
        })
    }
}

/// The tools on offer, in a fixed order (a changing one would break prompt caches).
pub struct ToolRegistry {
    tools: Vec<(ToolSpec, Box<dyn Tool>)>,
}

impl ToolRegistry {
    /// A registry of the given tools.
    pub fn new(tools: Vec<Box<dyn Tool>>) -> Self {
        let with_spec = tools.into_iter().map(|tool| (tool.spec(), tool));
        Self {
            tools: with_spec.collect(),
        }
    }

    /// The tools that every session has.
    pub fn standard() -> Self {
        Self::new(vec![
            Box::new(list_dir::ListDir),
            Box::new(read_file::ReadFile),
            Box::new(write_file::WriteFile),
            Box::new(append_file::AppendFile),
            Box::new(edit_file::EditFile),
        ])
    }

    /// What the model is told, in order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|(spec, _)| spec.clone()).collect()
    }

    /// Finds the tool and checks the arguments, before anything runs.
    ///
    /// # Errors
    /// A sentence for the model: unknown tool, bad JSON, or the field that does not fit.
    pub fn prepare(&self, name: &str, arguments: &str) -> Result<Prepared<'_>, String> {
        let Some((spec, tool)) = self.tools.iter().find(|(spec, _)| spec.name == name) else {
            let names: Vec<&str> = self.tools.iter().map(|(spec, _)| spec.name).collect();
            let name: String = name.chars().take(80).collect();
            return Err(format!(
                "there is no tool {name:?}; the tools are {}",
                names.join(", ")
            ));
        };
        let args: Json = serde_json::from_str(arguments).map_err(|error| {
            format!(
                "the arguments of {name} are not valid JSON ({error}); send one JSON object such as {}",
                schema::example(&spec.parameters)
            )
        })?;
        let args = schema::check(&spec.parameters, args)
            .map_err(|problem| format!("{name}: {problem}"))?;
        Ok(Prepared {
            effect: spec.effect,
            tool: tool.as_ref(),
            args,
        })
    }
}

/// A call that can run.
pub struct Prepared<'a> {
    /// What it may do.
    pub effect: Effect,
    tool: &'a dyn Tool,
    args: Json,
}

impl Prepared<'_> {
    /// Runs it.
    ///
    /// # Errors
    /// What the tool says.
    pub async fn run(self, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        self.tool.run(self.args, context).await
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::rc::Rc;

    use futures::executor::block_on;

    use super::*;
    use crate::kernel::clock::ManualClock;
    use crate::kernel::store::{Durability, memory::MemoryStore};
    use crate::kernel::workspace::{Expect, WorkspacePath};

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
            match prepared.run(&ToolContext { workspace }).await {
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

    #[test]
    fn unknown_tools_and_broken_json_are_told_with_what_would_be_right() {
        let problem = |name, arguments| {
            ToolRegistry::standard()
                .prepare(name, arguments)
                .err()
                .unwrap()
        };
        assert_eq!(
            problem("open file", "{}"),
            "there is no tool \"open file\"; the tools are list_dir, read_file, write_file, append_file, edit_file"
        );
        let broken = problem("write_file", "{\"path\": \"a");
        assert!(
            broken.starts_with("the arguments of write_file are not valid JSON (EOF"),
            "{broken}"
        );
        assert!(
            broken.ends_with("such as {\"path\":\"…\",\"content\":\"…\"}"),
            "{broken}"
        );
    }
}
