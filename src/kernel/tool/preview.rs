//! `preview`: shows a page of the workspace to the user, and tells the model what it
//! wrote to the console, what went wrong and what can be read on it.

use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};

use super::describe::tool_args;
use super::run_js::{Printed, words_for};
use super::text::floor_boundary;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::clock::Clock;
use crate::kernel::stage::{Answer, Line, Scene, Shown, Stage};
use crate::kernel::workspace::WorkspacePath;
use crate::protocol::{Gone, Order};

/// How long a page may take until it can be looked at.
const TIME: Duration = Duration::from_secs(25);
/// Most bytes of a page's text that the model gets.
const MAX_TEXT: usize = 6 << 10;

/// See the module.
pub struct Preview {
    stage: Rc<Stage>,
    clock: Rc<dyn Clock>,
}

tool_args! {
    /// What to show.
    pub struct Args {
        /// An HTML file.
        path: String,
    }
}

impl Preview {
    /// Shows pages on `stage`.
    pub fn new(stage: Rc<Stage>, clock: Rc<dyn Clock>) -> Self {
        Self { stage, clock }
    }
}

impl TypedTool for Preview {
    type Args = Args;
    const NAME: &'static str = "preview";
    const DESCRIPTION: &'static str = "Show an HTML file with its scripts, styles and images from the workspace to the user, without network. Gives console, errors and visible text.";
    const EFFECT: Effect = Effect::ReadOnly;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let path = WorkspacePath::parse_file(&args.path)?;
        context.workspace.file(&path)?;
        let _turn = self.stage.turn_to_show().await;
        let path = path.as_str().to_owned();
        let mut scene = self.stage.open(Order::Show { path: path.clone() });
        let mut printed = Printed::default();
        let ended = {
            let look = std::pin::pin!(look(&mut scene, &mut printed, context));
            match select(look, self.clock.sleep(TIME)).await {
                Either::Left((ended, _)) => ended,
                Either::Right(_) => Err(Gone::Silent),
            }
        };
        let printed = match printed.text() {
            text if text.is_empty() => "Console: nothing".to_owned(),
            text => format!("Console:\n{text}"),
        };
        match ended {
            Ok(shown) => {
                scene.leave();
                Ok(ToolOutput::text(told(&path, &shown, &printed)))
            }
            Err(gone) => {
                let problem = words_for(gone);
                Err(ToolError::ForModel(format!("{path}: {problem}\n{printed}")))
            }
        }
    }
}

/// Gives the page its files until it has come to rest.
async fn look(
    scene: &mut Scene,
    printed: &mut Printed,
    context: &ToolContext<'_>,
) -> Result<Shown, Gone> {
    loop {
        match scene.next().await?.0 {
            Line::Shown(shown) => return Ok(shown),
            Line::Printed { lines, more } => printed.add(lines, more),
            Line::Read { n, path } => {
                let (problem, bytes) = match content(&path, context).await {
                    Ok(bytes) => (None, bytes),
                    Err(problem) => (Some(problem), Vec::new()),
                };
                let answer = Answer {
                    n,
                    problem,
                    ..Answer::default()
                };
                scene.say(&answer, bytes);
            }
            _ => {}
        }
    }
}

async fn content(path: &str, context: &ToolContext<'_>) -> Result<Vec<u8>, String> {
    let path = WorkspacePath::parse_file(path).map_err(|error| error.to_string())?;
    if !context.run.may_read(path.as_str()) {
        return Err(format!("the user's rules do not let {path} be read"));
    }
    let read = context.workspace.read(&path).await;
    read.map(|(bytes, _)| bytes)
        .map_err(|error| error.to_string())
}

/// What the model is told of a page.
fn told(path: &str, shown: &Shown, printed: &str) -> String {
    let Shown {
        title,
        width,
        height,
        ..
    } = shown;
    let title = match title.trim() {
        "" => "no title".to_owned(),
        title => format!("{:?}", &title[..floor_boundary(title, 200)]),
    };
    let restless = match shown.restless {
        true => "\nIt was still changing when it was looked at.",
        false => "",
    };
    let text = shown.text.trim();
    let cut = floor_boundary(text, MAX_TEXT);
    let more = match cut < text.len() {
        true => " […]",
        false => "",
    };
    let text = match text.is_empty() {
        true => "Visible text: none".to_owned(),
        false => format!("Visible text:\n{}{more}", &text[..cut]),
    };
    format!("Shown to the user: {path}, {title}, {width} × {height}{restless}\n{printed}\n{text}")
}
