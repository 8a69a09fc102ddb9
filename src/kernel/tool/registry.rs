//! The tools on offer, and a call's way from what the model wrote to something that
//! can run.

use std::rc::Rc;

use serde_json::Value as Json;

use super::{
    Effect, Manner, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, append_file, apply_patch,
    ask_user, calculate, copy_path, delete, edit_file, finish, glob, grep, list_dir, make_dir,
    move_path, read_file, recall, schema, task, todo, write_file,
};
use crate::kernel::redact;
use crate::kernel::workspace::{Node, Workspace, WorkspacePath};

/// The tools on offer, in a fixed order (a changing one would break prompt caches).
#[derive(Clone)]
pub struct ToolRegistry {
    tools: Vec<(ToolSpec, Rc<dyn Tool>)>,
}

impl ToolRegistry {
    /// A registry of the given tools.
    pub fn new(tools: Vec<Rc<dyn Tool>>) -> Self {
        let with_spec = tools.into_iter().map(|tool| (tool.spec(), tool));
        Self {
            tools: with_spec.collect(),
        }
    }

    /// The tools that every session has.
    pub fn standard() -> Self {
        Self::new(vec![
            Rc::new(list_dir::ListDir),
            Rc::new(read_file::ReadFile),
            Rc::new(write_file::WriteFile),
            Rc::new(append_file::AppendFile),
            Rc::new(edit_file::EditFile),
            Rc::new(apply_patch::ApplyPatch),
            Rc::new(make_dir::MakeDir),
            Rc::new(move_path::MovePath),
            Rc::new(copy_path::CopyPath),
            Rc::new(delete::Delete),
            Rc::new(glob::Glob),
            Rc::new(grep::Grep),
            Rc::new(calculate::Calculate),
            Rc::new(todo::Todo),
            Rc::new(ask_user::AskUser),
            Rc::new(recall::Recall),
            Rc::new(task::Task),
            Rc::new(finish::Finish),
        ])
    }

    /// The same tools and one more, behind them.
    #[must_use]
    pub fn with(mut self, tool: Rc<dyn Tool>) -> Self {
        self.tools.push((tool.spec(), tool));
        self
    }

    /// The tools of a sub-agent: those named, or all, but none that starts another.
    ///
    /// # Errors
    /// A sentence for the model, if a name is no tool's.
    pub fn for_sub_agent(&self, names: Option<&[String]>) -> Result<Self, String> {
        let is_known = |name: &&String| self.tools.iter().any(|(spec, _)| spec.name == **name);
        if let Some(unknown) = names.into_iter().flatten().find(|name| !is_known(name)) {
            return Err(self.unknown(unknown));
        }
        let is_wanted = |name: &str| {
            name != task::NAME
                && names.is_none_or(|names| names.iter().any(|wanted| wanted == name))
        };
        let tools = self.tools.iter().filter(|(spec, _)| is_wanted(spec.name));
        Ok(Self {
            tools: tools.cloned().collect(),
        })
    }

    /// Those of them that change nothing.
    pub fn only_reading(mut self) -> Self {
        self.tools
            .retain(|(spec, _)| spec.effect == Effect::ReadOnly);
        self
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.tools.iter().map(|(spec, _)| spec.name).collect();
        let name: String = name.chars().take(80).collect();
        format!(
            "there is no tool {name:?}; the tools are {}",
            names.join(", ")
        )
    }

    /// What the model is told, in order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|(spec, _)| spec.clone()).collect()
    }

    /// Finds the tool and checks the arguments, before anything runs.
    ///
    /// # Errors
    /// A sentence for the model: unknown tool, bad JSON, or the field that does not fit.
    pub fn prepare(&self, name: &str, arguments: &str) -> Result<Prepared, String> {
        let Some((spec, tool)) = self.tools.iter().find(|(spec, _)| spec.name == name) else {
            return Err(self.unknown(name));
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
            name: spec.name,
            effect: spec.effect,
            manner: spec.manner,
            tool: Rc::clone(tool),
            args,
        })
    }
}

/// A call that can run.
#[derive(Clone)]
pub struct Prepared {
    /// The tool.
    pub name: &'static str,
    /// What it may do.
    pub effect: Effect,
    /// How it may be run.
    pub manner: Manner,
    tool: Rc<dyn Tool>,
    args: Json,
}

impl Prepared {
    /// Runs it.
    ///
    /// # Errors
    /// What the tool says.
    pub async fn run(self, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        self.tool.run(self.args, context).await
    }

    /// The arguments as text that is the same for the same arguments.
    pub fn arguments(&self) -> String {
        self.args.to_string()
    }

    /// What it works on, as approval rules see it: paths and addresses as the model
    /// wrote them.
    pub fn targets(&self) -> Vec<String> {
        if let Some(targets) = self.tool.targets(&self.args) {
            return targets;
        }
        let target = |name: &&str| self.args.get(name)?.as_str().map(str::to_owned);
        ["path", "from", "to", "url"]
            .iter()
            .filter_map(target)
            .collect()
    }

    /// What of `workspace` it would change beside its targets: what lies in a folder
    /// that it moves, copies or deletes, where it is and where it would be.
    pub fn reach(&self, workspace: &Workspace) -> Vec<String> {
        let parsed = |name: &str| {
            let text = self.args.get(name)?.as_str()?;
            WorkspacePath::parse(text).ok()
        };
        let Some(folder) = parsed("from").or_else(|| parsed("path")) else {
            return Vec::new();
        };
        if self.effect == Effect::ReadOnly || workspace.node(&folder) != Some(Node::Folder) {
            return Vec::new();
        }
        let to = parsed("to");
        let mut reach = Vec::new();
        for (path, _) in workspace.below(&folder) {
            let moved = to.as_ref().and_then(|to| path.moved(&folder, to).ok());
            reach.extend(moved.map(|path| path.as_str().to_owned()));
            reach.push(path.as_str().to_owned());
        }
        reach
    }

    /// Whether an argument holds one of the marks that stand for secrets: written
    /// to a file it would take the secret's place.
    pub fn holds_redaction(&self) -> bool {
        redact::holds_marker(&self.arguments())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_agent_has_the_tools_it_is_given_and_starts_no_other() {
        let names = |names: Option<&[String]>| {
            let tools = ToolRegistry::standard().for_sub_agent(names)?;
            Ok::<_, String>(
                tools
                    .specs()
                    .iter()
                    .map(|spec| spec.name)
                    .collect::<Vec<_>>(),
            )
        };
        let all = names(None).unwrap();
        assert!(all.contains(&"finish") && !all.contains(&"task"));
        let some = ["read_file".to_owned(), "task".to_owned()];
        assert_eq!(names(Some(&some)).unwrap(), ["read_file"]);
        let unknown = names(Some(&["shell".to_owned()])).unwrap_err();
        assert!(
            unknown.starts_with("there is no tool \"shell\""),
            "{unknown}"
        );
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
            "there is no tool \"open file\"; the tools are list_dir, read_file, write_file, append_file, edit_file, apply_patch, make_dir, move, copy, delete, glob, grep, calculate, todo, ask_user, recall, task, finish"
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
