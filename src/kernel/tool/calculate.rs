//! `calculate`: arithmetic without a slip. Numbers are exact fractions as long as they can
//! be, whatever their size (`number`), and rounded ones are marked; what could be read in
//! two ways is refused. Nothing is run: an expression is read and worked out (`read`).

mod functions;
mod number;
mod read;
mod show;

use super::describe::tool_args;
use super::{Effect, Manner, ToolContext, ToolError, ToolOutput, TypedTool};

/// See the module.
pub struct Calculate;

tool_args! {
    /// What to work out.
    pub struct Args {
        /// Such as 0.1 + 0.2, 2^200, 5% of 80, 7 mod 3, round(2/3, 2), max(1, 2), 20!, sin(30°).
        expression: String,
    }
}

impl TypedTool for Calculate {
    type Args = Args;
    const NAME: &'static str = "calculate";
    const DESCRIPTION: &'static str = "Work out an arithmetic expression exactly; ≈ marks what had to be rounded. Never calculate in your head.";
    const EFFECT: Effect = Effect::ReadOnly;
    const MANNER: Manner = Manner::Pure;

    async fn call(&self, args: Args, _: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        match read::evaluate(&args.expression) {
            Ok(result) => Ok(ToolOutput::text(result)),
            Err(problem) => Err(ToolError::ForModel(problem)),
        }
    }
}

#[cfg(test)]
mod tests;
