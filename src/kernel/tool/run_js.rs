//! `run_js`: a script of the model's in a closed frame of the page, over the files.
//!
//! It has no network, no storage and no way to the page. What it writes is kept aside
//! (`overlay`) and comes to the files with the result, or not at all.

mod overlay;

use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};

use super::describe::tool_args;
use super::text::floor_boundary;
use super::{Effect, ToolContext, ToolError, ToolOutput, TypedTool};
use crate::kernel::clock::Clock;
use crate::kernel::stage::{Answer, Line, MAX_SAID, Scene, Stage};
use crate::protocol::{Gone, Order};
use overlay::Overlay;

/// How long a script may take.
const TIME: Duration = Duration::from_secs(30);
/// Most bytes of console lines that are kept.
pub(super) const MAX_PRINTED: usize = 256 << 10;

/// See the module.
pub struct RunJs {
    stage: Rc<Stage>,
    clock: Rc<dyn Clock>,
}

tool_args! {
    /// What to run.
    pub struct Args {
        /// Code with top-level await; the last expression is shown.
        code: String,
    }
}

impl RunJs {
    /// Runs scripts on `stage`.
    pub fn new(stage: Rc<Stage>, clock: Rc<dyn Clock>) -> Self {
        Self { stage, clock }
    }
}

impl TypedTool for RunJs {
    type Args = Args;
    const NAME: &'static str = "run_js";
    const DESCRIPTION: &'static str = "Run JavaScript in a worker without network or DOM, for 30 s at most. console.* is shown. Async: files.list(dir?), files.read(path), files.bytes(path), files.write(path, textOrBytes), files.delete(path); if it throws nothing is written.";
    const EFFECT: Effect = Effect::Writing;

    async fn call(&self, args: Args, context: &ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let scene = self.stage.open(Order::Run { code: args.code });
        let mut show = Show {
            scene,
            overlay: Overlay::new(context),
            printed: Printed::default(),
        };
        let ended = {
            let script = std::pin::pin!(show.play());
            match select(script, self.clock.sleep(TIME)).await {
                Either::Left((ended, _)) => ended,
                Either::Right(_) => Err(format!(
                    "the script took longer than {} s and was ended; look for a loop without an end, or do less at once",
                    TIME.as_secs()
                )),
            }
        };
        let printed = show.printed.text();
        match ended {
            Err(problem) => {
                let problem = format!("{problem}\nNothing was written.");
                let told = match printed.is_empty() {
                    true => problem,
                    false => format!("{problem}\nConsole:\n{printed}"),
                };
                Err(ToolError::ForModel(told))
            }
            Ok(value) => {
                let changes = show.overlay.changes();
                context.workspace.check(&changes)?;
                let value = value.map(|value| format!("→ {value}"));
                let parts = [Some(printed), value, show.overlay.told()];
                let said = parts.into_iter().flatten().filter(|part| !part.is_empty());
                let said: Vec<String> = said.collect();
                let text = match said.is_empty() {
                    true => "It ran, and neither printed nor gave back anything.".into(),
                    false => said.join("\n"),
                };
                Ok(ToolOutput::changing(text, changes))
            }
        }
    }
}

/// A script at work.
struct Show<'a, 'b> {
    scene: Scene,
    overlay: Overlay<'a, 'b>,
    printed: Printed,
}

impl Show<'_, '_> {
    /// Serves the script until it ends. Gives what it gave back.
    async fn play(&mut self) -> Result<Option<String>, String> {
        loop {
            let (line, bytes) = self.scene.next().await.map_err(words_for)?;
            let mut answer = Answer::default();
            let mut content = Vec::new();
            let done = match line {
                Line::Printed { lines, more } => {
                    self.printed.add(lines, more);
                    continue;
                }
                Line::Done { value } => return Ok(value),
                Line::Threw { problem } => return Err(problem),
                Line::Shown(_) => continue,
                Line::List { n, path } => {
                    answer.n = n;
                    self.overlay.list(&path).map(|paths| answer.paths = paths)
                }
                Line::Read { n, path } => {
                    answer.n = n;
                    self.overlay.read(&path).await.map(|read| content = read)
                }
                Line::Write { n, path } => {
                    answer.n = n;
                    self.overlay.write(&path, bytes)
                }
                Line::Delete { n, path } => {
                    answer.n = n;
                    self.overlay.delete(&path)
                }
            };
            if let Err(error) = done {
                match error {
                    ToolError::ForModel(problem) => answer.problem = Some(problem),
                    ToolError::Fatal(failure) => return Err(failure.detail),
                }
            }
            self.scene.say(&answer, content);
        }
    }
}

/// Why a frame is no more, for the model.
pub(super) fn words_for(gone: Gone) -> String {
    match gone {
        Gone::NotLoaded => "the sandbox could not be loaded: Tabloop's server can't be reached, or a newer version is there; ask the user to reload the page".into(),
        Gone::Silent => "it stopped answering and was closed: an endless loop, too much memory, or a page that goes to another address".into(),
        Gone::TooMuch => format!(
            "it said more than {} MB and was closed; print and write less",
            MAX_SAID >> 20
        ),
        Gone::Closed => "the sandbox was closed before it was done".into(),
    }
}

/// What was written to the console.
#[derive(Default)]
pub(super) struct Printed {
    lines: Vec<String>,
    bytes: usize,
    more: usize,
}

impl Printed {
    /// Takes in lines, as long as there is room.
    pub fn add(&mut self, lines: Vec<String>, more: u32) {
        self.more += more as usize;
        for mut line in lines {
            let room = MAX_PRINTED.saturating_sub(self.bytes);
            if room == 0 {
                self.more += 1;
                continue;
            }
            line.truncate(floor_boundary(&line, room));
            self.bytes += line.len() + 1;
            self.lines.push(line);
        }
    }

    /// All of it.
    pub fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        if self.more > 0 {
            text.push_str(&format!("\n[{} more lines were printed]", self.more));
        }
        text
    }
}
