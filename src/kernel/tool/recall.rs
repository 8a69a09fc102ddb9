//! `recall`: brings back what was left out of the conversation, part by part.

use super::describe::tool_args;
use super::text::floor_boundary;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};

/// Bytes of one part.
const PART: usize = 12 << 10;

/// See the module.
pub struct Recall;

tool_args! {
    /// What to bring back.
    pub struct Args {
        /// The id that stands in the place of what was left out.
        id: String,
        /// Which part of a long text, from 1.
        part: Option<usize>,
    }
}

impl TypedTool for Recall {
    type Args = Args;
    const NAME: &'static str = "recall";
    const DESCRIPTION: &'static str =
        "Bring back what was left out of this conversation, by the id that stands in its place.";
    const EFFECT: Effect = Effect::ReadOnly;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let id = args.id.trim();
        let Some(text) = context.others.recall(id).await else {
            let id: String = id.chars().take(40).collect();
            return Err(ToolError::ForModel(format!(
                "nothing was left out under the id {id:?}; use an id as it stands in the conversation, such as \"r12\""
            )));
        };
        let parts = parts(&text);
        let wanted = args.part.unwrap_or(1);
        match parts.get(wanted.wrapping_sub(1)) {
            Some(part) if parts.len() == 1 => Ok(ToolOutput::text(*part)),
            Some(part) => Ok(ToolOutput::text(format!(
                "[part {wanted} of {}]\n{part}",
                parts.len()
            ))),
            None => Err(ToolError::ForModel(format!(
                "there is no part {wanted}; the parts are 1 to {}",
                parts.len()
            ))),
        }
    }
}

fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > PART {
        let (part, more) = rest.split_at(floor_boundary(rest, PART));
        parts.push(part);
        rest = more;
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, workspace};
    use serde_json::json;

    #[test]
    fn a_long_text_comes_in_parts_that_join() {
        let recall = |args| call(&workspace(&[]), "recall", args);
        let part = |n: usize| recall(json!({"id": "r7", "part": n}));
        let mut whole = String::new();
        for n in 1..=3 {
            let head = format!("[part {n} of 3]\n");
            whole += part(n).strip_prefix(&head).unwrap();
        }
        assert_eq!(whole, "早".repeat(10_000));
        assert_eq!(recall(json!({"id": "r7"})), part(1));
        assert_eq!(part(4), "Error: there is no part 4; the parts are 1 to 3");
        assert!(part(0).starts_with("Error: there is no part 0"));
        let unknown = recall(json!({"id": "x"}));
        assert!(
            unknown.starts_with("Error: nothing was left out under the id \"x\""),
            "{unknown}"
        );
    }
}
