//! The workspace's rules: `AGENTS.md` at its root for all of it, one in a folder
//! for what is below. They are read when they first matter and recorded, so that
//! what was sent stays as it was; a change comes as a new record.

use super::Agent;
use super::run_view::last_message;
use crate::kernel::event::StopReason;
use crate::kernel::model::layout::ROOT_RULES;
use crate::kernel::session::{Entry, Outcome, Record};
use crate::kernel::tool::floor_boundary;
use crate::kernel::workspace::{Node, Workspace, WorkspacePath};

/// Longest rules that are read, in bytes.
const MAX_RULES: usize = 12 << 10;

impl Agent {
    /// Reads the root's rules if they are new or have changed.
    pub(super) async fn read_root_rules(&mut self) -> Result<(), StopReason> {
        self.read_rules(ROOT_RULES.to_owned()).await
    }

    /// Reads the rules of the folders in which the last calls worked.
    pub(super) async fn read_rules_below(&mut self) -> Result<(), StopReason> {
        let transcript = &self.parts.transcript;
        let workspace = transcript.workspace();
        let mut files: Vec<String> = Vec::new();
        for path in worked_on(transcript.run()) {
            for folder in path.ancestors().chain([path.clone()]) {
                let file = format!("{}/{ROOT_RULES}", folder.as_str());
                if !folder.is_root() && is_file(workspace, &file) && !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        for file in files {
            self.read_rules(file).await?;
        }
        Ok(())
    }

    async fn read_rules(&mut self, file: String) -> Result<(), StopReason> {
        let workspace = self.parts.transcript.workspace();
        let Ok(path) = WorkspacePath::parse_file(&file) else {
            return Ok(());
        };
        // Rules that can't be read are none; the model can look at the file itself.
        let text = match workspace.read(&path).await {
            Ok((bytes, _)) => String::from_utf8(bytes).unwrap_or_default(),
            Err(_) => String::new(),
        };
        let mut text = self.parts.redactor.redact(text.trim()).into_owned();
        text.truncate(floor_boundary(&text, MAX_RULES));
        let known = known(self.parts.transcript.records(), &file);
        if known.unwrap_or_default() == text {
            return Ok(());
        }
        if text.is_empty() {
            text = "There are no rules any more.".into();
            if known == Some(text.as_str()) {
                return Ok(());
            }
        }
        self.record(vec![Entry::Rules { path: file, text }]).await
    }
}

fn is_file(workspace: &Workspace, path: &str) -> bool {
    let node = WorkspacePath::parse(path)
        .ok()
        .and_then(|path| workspace.node(&path));
    matches!(node, Some(Node::File { .. }))
}

/// The rules of `file` as they were told last.
fn known<'a>(records: &'a [Record], file: &str) -> Option<&'a str> {
    records.iter().rev().find_map(|record| match &record.entry {
        Entry::Rules { path, text } if path == file => Some(text.as_str()),
        _ => None,
    })
}

/// The paths that the calls of the last message worked on.
fn worked_on(run: &[Record]) -> Vec<WorkspacePath> {
    let Some((at, message)) = last_message(run) else {
        return Vec::new();
    };
    let worked = |id: &str| {
        run[at..].iter().any(|record| {
            matches!(&record.entry, Entry::ToolResult(result) if result.call_id == id && result.outcome == Outcome::Ok)
        })
    };
    let path = |arguments: &str| {
        // Only a path that stands near the start is worth the look.
        let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
        WorkspacePath::parse(arguments.get("path")?.as_str()?).ok()
    };
    let calls = message.calls.iter().filter(|call| worked(&call.id));
    calls.filter_map(|call| path(&call.arguments)).collect()
}
