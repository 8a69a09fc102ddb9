//! One call that was admitted (`admit`), up to its result: the tool's work within its
//! time, and the user's word on what it would do to files. Records nothing.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, pending, select};

use super::admit::{Admitted, Past, Way};
use super::handle::Handle;
use super::known::{learn, learnt};
use super::shown::shown;
use super::{Desk, LookForSecrets};
use crate::kernel::approval::{Action, Decision, decide};
use crate::kernel::clock::Clock;
use crate::kernel::event::{AgentEvent, Failure};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{Outcome, TodoItem, ToolCall, ToolResult};
use crate::kernel::tool::{Effect, Manner, Prepared, ToolContext, ToolError, ToolOutput, bash};
use crate::kernel::workspace::{FileChange, Workspace, WorkspaceError};

/// What is said behind the result of a call that was run again.
const RUN_AGAIN: &str = "\n\n[Tabloop] This call was cut off once and run again as the user chose, so it may have happened twice.";
/// Pairs of names that are told.
const MAX_TWINS: usize = 3;
/// Results that are kept to serve again.
const MAX_KEPT: usize = 64;

/// What a call needs around it.
pub(super) struct Workshop {
    pub workspace: Rc<Workspace>,
    pub clock: Rc<dyn Clock>,
    pub handle: Handle,
    pub desk: Rc<dyn Desk>,
    pub redactor: RefCell<Rc<Redactor>>,
    /// The generation of the files that the redactor knows.
    pub secrets_of: Cell<u64>,
    pub look_for_secrets: LookForSecrets,
    pub cache: Rc<RefCell<ResultCache>>,
    pub watch: Box<dyn Fn(AgentEvent)>,
    pub time: Duration,
}

/// What one call came to, before it is recorded.
pub(super) struct Done {
    pub result: ToolResult,
    pub changes: Vec<FileChange>,
    pub todo: Option<Vec<TodoItem>>,
    pub fatal: Option<Failure>,
    pub started_ms: u64,
    pub waited_ms: u64,
    /// Where the result goes to serve again.
    key: Option<String>,
}

/// Why a call has no output.
pub(super) enum Refused {
    Tool(ToolError),
    Denied(String),
}

impl From<ToolError> for Refused {
    fn from(error: ToolError) -> Self {
        Refused::Tool(error)
    }
}

impl From<WorkspaceError> for Refused {
    fn from(error: WorkspaceError) -> Self {
        Refused::Tool(error.into())
    }
}

impl Workshop {
    /// Looks at a call that reaches nothing outside, and does what it asks.
    pub async fn perform(
        &self,
        round: u32,
        call: &ToolCall,
        prepared: Result<Prepared, String>,
    ) -> Done {
        let admitted = self.admit(round, call, prepared, Past::Fresh).await;
        self.carry_out(call, admitted).await
    }

    /// Does what `call` asks, as far as it was admitted.
    pub async fn carry_out(&self, call: &ToolCall, admitted: Admitted) -> Done {
        let Admitted {
            round,
            past,
            started_ms,
            key,
            way,
        } = admitted;
        let mut result = ToolResult {
            round,
            call_id: call.id.clone(),
            name: call.name.clone(),
            cached: matches!(way, Way::Kept(_)),
            ..ToolResult::default()
        };
        let runs_again = past == Past::Begun && matches!(way, Way::Work(..));
        let worked = match way {
            Way::Work(prepared, decision) => self.work(call, prepared, decision).await,
            Way::Kept(text) => Ok(ToolOutput::text(text)),
            Way::Told(told) => told,
        };
        let waited_ms = self.handle.waited_ms(&call.id);
        let took_ms = self.clock.now_ms().saturating_sub(started_ms);
        result.took_ms = took_ms.saturating_sub(waited_ms);
        result.spent = self.handle.spent_on(&call.id);
        let mut done = Done {
            result,
            changes: Vec::new(),
            todo: None,
            fatal: None,
            started_ms,
            waited_ms,
            key,
        };
        self.look_again().await;
        match worked {
            Ok(output) => {
                let known = self.handle.known.borrow();
                done.result.known = learnt(&self.workspace, &known, &output);
                done.result.text = self.redactor.borrow().redact(&output.text).into_owned();
                done.result.pictures = output.pictures;
                for (other, new) in self.desk.twins(&output.changes).iter().take(MAX_TWINS) {
                    done.result.text.push_str(&format!("\n\n[Tabloop] {new} and {other} differ only in capitals or in how accents are written: here they are two, and some systems keep only one."));
                }
                done.changes = output.changes;
                done.todo = output.todo;
            }
            Err(Refused::Denied(text)) => done.deny(&text),
            Err(Refused::Tool(error)) => done.fail(error, &self.redactor.borrow()),
        }
        if runs_again {
            done.result.text.push_str(RUN_AGAIN);
        }
        done
    }

    async fn work(
        &self,
        call: &ToolCall,
        prepared: Prepared,
        decision: Option<Decision>,
    ) -> Result<ToolOutput, Refused> {
        let mut output = self.in_time(call, prepared.clone()).await?;
        let decision = match prepared.name {
            bash::NAME => self.decide_on(&output.changes, decision)?,
            _ => decision,
        };
        if let Some(decision) = decision {
            // Nobody is asked about what can't be done.
            self.workspace.check(&output.changes)?;
            let shown = shown(&self.workspace, &mut output.changes).await?;
            self.ask(call, &prepared, &decision, shown).await?;
        }
        Ok(output)
    }

    /// Decides on a command by what it came to, which nothing told before: one that changes
    /// nothing needs no word, unless a rule wants one; and rules for files hold for it too.
    fn decide_on(
        &self,
        changes: &[FileChange],
        before: Option<Decision>,
    ) -> Result<Option<Decision>, Refused> {
        let by_rule = before.filter(|decision| decision.rule.is_some());
        let targets = changes.iter().map(|change| change.path().as_str());
        let targets: Vec<&str> = targets.collect();
        if targets.is_empty() {
            return Ok(by_rule);
        }
        let (mode, rules) = self.desk.permissions(&self.handle.session);
        let mut decision = by_rule.or(before);
        for tool in ["write_file", "delete"] {
            let of_rule = decide(mode, &rules, Effect::Writing, tool, &targets);
            match (of_rule.rule, of_rule.action) {
                (Some(_), Action::Deny) => {
                    let text = "a rule of the user forbids changing a file that this command changes, so nothing was changed";
                    return Err(Refused::Denied(text.into()));
                }
                (Some(_), Action::Ask) if by_rule.is_none() => decision = Some(of_rule),
                _ => {}
            }
        }
        Ok(decision)
    }

    async fn in_time(&self, call: &ToolCall, prepared: Prepared) -> Result<ToolOutput, Refused> {
        let (name, is_patient) = (prepared.name, prepared.manner == Manner::Patient);
        let is_bounded = prepared.manner == Manner::Bounded;
        let left = match prepared.effect {
            Effect::Dangerous => "what it did till then stays; look before you call it again",
            _ => "nothing was changed; ask for less at once",
        };
        let context = ToolContext {
            workspace: &self.workspace,
            call_id: &call.id,
            run: &self.handle,
            others: &self.handle,
        };
        let work = prepared.run(&context);
        if is_patient {
            return Ok(work.await?);
        }
        let limit = match is_bounded {
            true => pending().boxed_local(),
            false => self.clock.sleep(self.time),
        };
        let mut work = pin!(work);
        let in_time = select(work.as_mut(), limit);
        // Its work is the run's, however long it may take.
        let counted = pin!(self.handle.watch.has_worked(u64::MAX));
        match select(in_time, counted).await {
            Either::Left((Either::Left((output, _)), _)) => Ok(output?),
            _ => {
                let seconds = self.time.as_secs();
                let problem =
                    format!("{name} took longer than {seconds} s and was stopped, {left}");
                Err(ToolError::ForModel(problem).into())
            }
        }
    }

    /// Whether sub-agents are at work.
    pub fn has_sub_agents(&self) -> bool {
        self.handle.live.get() > 0
    }

    /// Files may have come that hold secrets: from the user, or from another run.
    pub async fn look_again(&self) {
        let generation = self.workspace.generation();
        if self.secrets_of.replace(generation) != generation {
            let redactor = (self.look_for_secrets)().await;
            self.redactor.replace(redactor);
        }
    }

    /// Under which name a result of the call is kept.
    pub fn cache_key(&self, prepared: &Prepared) -> Option<String> {
        (prepared.manner == Manner::Pure)
            .then(|| format!("{} {}", prepared.name, prepared.arguments()))
    }

    /// A result that serves again.
    pub fn kept(&self, key: &str) -> Option<String> {
        let generation = self.workspace.generation();
        self.cache.borrow().get(key, generation)
    }

    /// The model knows files as a call told of them.
    pub fn learn(&self, done: &Done) {
        learn(&mut self.handle.known.borrow_mut(), &done.result.known);
    }

    /// A result may serve again.
    pub fn keep(&self, done: &Done) {
        if let Some(key) = &done.key
            && done.result.outcome == Outcome::Ok
            && !done.result.cached
            && done.result.pictures.is_empty()
        {
            let generation = self.workspace.generation();
            let text = done.result.text.clone();
            self.cache.borrow_mut().put(key.clone(), generation, text);
        }
    }
}

impl Done {
    fn deny(&mut self, text: &str) {
        self.result.outcome = Outcome::Denied;
        self.result.text = format!("Error: {text}. Do without it, or ask the user.");
    }

    /// The call failed, or the workspace did not take its changes.
    pub fn fail(&mut self, error: ToolError, redactor: &Redactor) {
        let problem = match error {
            ToolError::ForModel(problem) => problem,
            ToolError::Fatal(failure) => {
                let problem = failure.detail.clone();
                self.fatal = Some(failure);
                problem
            }
        };
        self.changes.clear();
        self.result.known.clear();
        self.result.pictures.clear();
        self.todo = None;
        self.result.outcome = Outcome::Error;
        self.result.text = format!("Error: {}", redactor.redact(&problem));
    }
}

/// Results of tools that depend on arguments and files alone.
#[derive(Default)]
pub(super) struct ResultCache {
    kept: VecDeque<(String, u64, String)>,
}

impl ResultCache {
    fn get(&self, key: &str, generation: u64) -> Option<String> {
        let kept = self.kept.iter().rev();
        let mut fits = kept.filter(|(of, at, _)| of == key && *at == generation);
        fits.next().map(|(_, _, text)| text.clone())
    }

    fn put(&mut self, key: String, generation: u64, text: String) {
        self.kept.retain(|(_, at, _)| *at == generation);
        if self.kept.len() == MAX_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((key, generation, text));
    }
}
