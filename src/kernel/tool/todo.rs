//! `todo`: the list of steps, shown to the user as it changes. In a run that
//! plans first it is the plan: new steps need the user's approval.

use serde_json::{Value as Json, json};

use super::describe::{Describe, tool_args};
use super::text::count;
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::event::{About, Reply};
use crate::kernel::session::{TodoItem, TodoState};
use crate::plain::Plain;

/// Most steps of a list.
const MAX_STEPS: usize = 50;
/// Longest step, in bytes.
const MAX_TEXT: usize = 1 << 10;

/// See the module.
pub struct Todo;

tool_args! {
    /// The list.
    pub struct Args {
        /// All steps, in order.
        items: Vec<Item>,
    }
}

tool_args! {
    /// One step.
    pub struct Item {
        /// What is to be done.
        text: String,
        /// How far it is.
        state: State,
    }
}

/// A [`TodoState`] in the arguments.
#[derive(Plain)]
struct State(TodoState);

impl Describe for State {
    fn schema() -> Json {
        json!({ "type": "string", "enum": ["open", "doing", "done"] })
    }
}

impl TypedTool for Todo {
    type Args = Args;
    const NAME: &'static str = "todo";
    const DESCRIPTION: &'static str = "Keep the list of steps of a longer task; the user sees it. Give the whole list each time, and tick steps as you go.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Patient;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let items: Vec<TodoItem> = args
            .items
            .into_iter()
            .map(|Item { text, state }| TodoItem {
                text: text.trim().to_owned(),
                state: state.0,
            })
            .collect();
        let problem = if items.len() > MAX_STEPS {
            "there are more than 50 items; put small steps together"
        } else if items.iter().any(|item| item.text.is_empty()) {
            "an item has an empty text; say what is to be done"
        } else if items.iter().any(|item| item.text.len() > MAX_TEXT) {
            "an item is longer than 1 KB; be brief"
        } else {
            return plan(items, context).await;
        };
        Err(ToolError::ForModel(problem.into()))
    }
}

async fn plan(items: Vec<TodoItem>, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
    let texts = |items: &[TodoItem]| -> Vec<String> {
        items.iter().map(|item| item.text.clone()).collect()
    };
    let steps = texts(&items);
    let Some(approved) = context
        .run
        .approved_steps()
        .filter(|steps_known| *steps_known != steps)
    else {
        return Ok(output(tally(&items), items));
    };
    if items.is_empty() {
        let problem = "a plan needs at least one step";
        return Err(ToolError::ForModel(problem.into()));
    }
    let about = About::Plan { steps };
    match context.others.ask(context.call_id, Todo::NAME, about).await {
        Reply::Plan(steps) if !steps.is_empty() => {
            let is_same = steps == texts(&items);
            let items = with_states(steps, &items);
            let text = if is_same {
                "The user approved the plan. Carry it out, and tick each step when it is done."
                    .into()
            } else {
                format!(
                    "The user changed the plan and approved it. These are the steps now; carry them out and tick each when it is done:\n{}",
                    numbered(&items)
                )
            };
            Ok(output(text, items))
        }
        Reply::No { word } => {
            let word = match word.trim() {
                "" => String::new(),
                word => format!(", and said: {word}"),
            };
            let then = match approved.is_empty() {
                true => "Nothing may be changed before a plan is approved.",
                false => "The plan that was approved still holds.",
            };
            Err(ToolError::ForModel(format!(
                "the user did not approve this plan{word}. {then} Propose another one, or ask."
            )))
        }
        _ => Err(ToolError::ForModel(
            "the user did not approve this plan. Propose another one, or ask.".into(),
        )),
    }
}

fn output(text: String, items: Vec<TodoItem>) -> ToolOutput {
    ToolOutput {
        text,
        todo: Some(items),
        ..ToolOutput::default()
    }
}

/// The user's steps; those that the model had keep their state.
fn with_states(steps: Vec<String>, items: &[TodoItem]) -> Vec<TodoItem> {
    let state = |text: &str| {
        let known = items.iter().find(|item| item.text == text);
        known.map_or(TodoState::Open, |item| item.state)
    };
    let item = |text: String| TodoItem {
        state: state(&text),
        text,
    };
    steps.into_iter().map(item).collect()
}

fn numbered(items: &[TodoItem]) -> String {
    let lines = (1..)
        .zip(items)
        .map(|(n, item)| format!("{n}. {}\n", item.text));
    lines.collect()
}

fn tally(items: &[TodoItem]) -> String {
    let done = items.iter().filter(|item| item.state == TodoState::Done);
    format!(
        "The list has {}, {} done.",
        count(items.len(), "step"),
        done.count()
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, workspace};
    use serde_json::json;

    #[test]
    fn the_list_is_counted_and_checked() {
        let todo = |items| call(&workspace(&[]), "todo", json!({ "items": items }));
        assert_eq!(
            todo(json!([
                {"text": "Read", "state": "done"},
                {"text": "Write", "state": "open"},
            ])),
            "The list has 2 steps, 1 done."
        );
        assert_eq!(
            todo(json!([{"text": "Read", "state": "soon"}])),
            "Error: todo: items[0].state must be one of \"open\", \"doing\", \"done\", got the string \"soon\""
        );
        assert_eq!(
            todo(json!([{"text": " ", "state": "open"}])),
            "Error: an item has an empty text; say what is to be done"
        );
    }
}
