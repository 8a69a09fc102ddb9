//! `ask_user`: a question that only the user can answer. The run waits.

use super::describe::tool_args;
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::event::{About, Reply};

/// Most options that are shown.
const MAX_OPTIONS: usize = 8;
/// Longest question or option, in bytes.
const MAX_TEXT: usize = 4 << 10;

/// See the module.
pub struct AskUser;

tool_args! {
    /// What to ask.
    pub struct Args {
        /// The question, in the user's language.
        question: String,
        /// Answers to choose from; the user may answer otherwise.
        options: Option<Vec<String>>,
    }
}

impl TypedTool for AskUser {
    type Args = Args;
    const NAME: &'static str = "ask_user";
    const DESCRIPTION: &'static str = "Ask the user and wait for the answer. Only for what you can't find out or decide yourself.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Patient;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let question = args.question.trim().to_owned();
        let options = args.options.unwrap_or_default();
        let is_too_long = |text: &String| text.len() > MAX_TEXT;
        let problem = if question.is_empty() {
            "question is empty; say what you want to know"
        } else if options.len() > MAX_OPTIONS {
            "there are more than 8 options; name the likely ones, the user can type another answer"
        } else if is_too_long(&question) || options.iter().any(is_too_long) {
            "question or options are longer than 4 KB; be brief"
        } else {
            let about = About::Choice { question, options };
            let reply = context.others.ask(context.call_id, Self::NAME, about).await;
            return Ok(ToolOutput::text(match reply {
                Reply::Text(text) => format!("The user answered: {text}"),
                Reply::No { word } if !word.is_empty() => {
                    format!("The user did not answer, but said: {word}")
                }
                _ => "The user did not want to answer. Decide yourself and say how.".into(),
            }));
        };
        Err(ToolError::ForModel(problem.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{call, workspace};
    use serde_json::json;

    #[test]
    fn the_answer_is_told() {
        let ask = |args| call(&workspace(&[]), "ask_user", args);
        assert_eq!(
            ask(json!({"question": "Which one?", "options": ["a", "b"]})),
            "The user answered: Which one? Yes."
        );
        assert_eq!(
            ask(json!({"question": " "})),
            "Error: question is empty; say what you want to know"
        );
        let nine = vec!["x"; 9];
        assert!(
            ask(json!({"question": "?", "options": nine})).starts_with("Error: there are more")
        );
    }
}
