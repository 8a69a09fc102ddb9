//! One call from check to result: whether it may run, whether an earlier result
//! serves, the tool's work within its time, the user's word on it. Records nothing.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};

use super::handle::Handle;
use super::modes::{NO_PLAN_YET, wants_plan};
use super::{Desk, LookForSecrets, Scope};
use crate::kernel::approval::{self, Action, Decision};
use crate::kernel::clock::Clock;
use crate::kernel::diff::{FileDiff, diff};
use crate::kernel::event::{About, AgentEvent, Failure, Question, Reply};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{Outcome, TodoItem, ToolCall, ToolResult};
use crate::kernel::tool::{Effect, Manner, Prepared, ToolContext, ToolError, ToolOutput};
use crate::kernel::workspace::{Expect, FileChange, Workspace, WorkspaceError};

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
enum Refused {
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

/// What the rules and the mode say of a call.
pub(super) fn decide(desk: &dyn Desk, session: &str, call: &Prepared) -> Decision {
    let (mode, rules) = desk.permissions(session);
    let targets = call.targets();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    approval::decide(mode, &rules, call.effect, call.name, &targets)
}

impl Workshop {
    /// Does what `call` asks, or finds out why not.
    pub async fn perform(
        &self,
        round: u32,
        call: &ToolCall,
        prepared: Result<Prepared, String>,
    ) -> Done {
        (self.watch)(AgentEvent::ToolStarted {
            round,
            call_id: call.id.clone(),
        });
        let started_ms = self.clock.now_ms();
        let mut result = ToolResult {
            round,
            call_id: call.id.clone(),
            name: call.name.clone(),
            ..ToolResult::default()
        };
        let mut key = None;
        let worked = match prepared {
            Ok(prepared) => {
                key = self.cache_key(&prepared);
                let kept = key.as_deref().and_then(|key| self.kept(key));
                match kept {
                    Some(text) if self.is_allowed(&prepared) => {
                        result.cached = true;
                        Ok(ToolOutput::text(text))
                    }
                    _ => self.work(call, prepared).await,
                }
            }
            Err(problem) => Err(ToolError::ForModel(problem).into()),
        };
        let waited_ms = self.handle.waited_ms(&call.id);
        let took_ms = self.clock.now_ms().saturating_sub(started_ms);
        result.took_ms = took_ms.saturating_sub(waited_ms);
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
                done.changes = output.changes;
                done.todo = output.todo;
                done.result.spent = output.spent;
                done.result.text = self.redactor.borrow().redact(&output.text).into_owned();
            }
            Err(Refused::Denied(text)) => done.deny(&text),
            Err(Refused::Tool(error)) => done.fail(error, &self.redactor.borrow()),
        }
        done
    }

    async fn work(&self, call: &ToolCall, prepared: Prepared) -> Result<ToolOutput, Refused> {
        let effect = prepared.effect;
        if wants_plan(self.handle.approved.as_ref(), effect) {
            return Err(ToolError::ForModel(NO_PLAN_YET.into()).into());
        }
        if effect != Effect::ReadOnly && prepared.holds_redaction() {
            let problem = "the text holds a mark such as \"[redacted: …]\" that stands for a secret; written to a file it would destroy the secret. Leave those lines as they are, with edit_file on other lines";
            return Err(ToolError::ForModel(problem.into()).into());
        }
        let decision = decide(&*self.desk, &self.handle.session, &prepared);
        if decision.action == Action::Deny {
            return Err(Refused::Denied(
                "a rule of the user forbids this call".into(),
            ));
        }
        let asks = decision.action == Action::Ask;
        // What a writing call would do is worked out first, so that it can be shown.
        if asks && effect != Effect::Writing {
            self.ask(call, &prepared, &decision, Vec::new()).await?;
        }
        let mut output = self.in_time(call, prepared.clone()).await?;
        if asks && effect == Effect::Writing {
            let diffs = self.diffs(&mut output.changes).await?;
            self.ask(call, &prepared, &decision, diffs).await?;
        }
        Ok(output)
    }

    async fn in_time(&self, call: &ToolCall, prepared: Prepared) -> Result<ToolOutput, Refused> {
        let (name, is_patient) = (prepared.name, prepared.manner == Manner::Patient);
        let context = ToolContext {
            workspace: &self.workspace,
            call_id: &call.id,
            run: &self.handle,
        };
        let work = prepared.run(&context);
        if is_patient {
            return Ok(work.await?);
        }
        match select(pin!(work), self.clock.sleep(self.time)).await {
            Either::Left((output, _)) => Ok(output?),
            Either::Right(_) => {
                let seconds = self.time.as_secs();
                let problem = format!(
                    "{name} took longer than {seconds} s and was stopped, nothing was changed; ask for less at once"
                );
                Err(ToolError::ForModel(problem).into())
            }
        }
    }

    /// What the changes do, and each bound to the file as it is now: what the user
    /// says yes to is what happens.
    async fn diffs(&self, changes: &mut [FileChange]) -> Result<Vec<FileDiff>, Refused> {
        let mut diffs = Vec::new();
        for FileChange::Write {
            path,
            content,
            expect,
        } in changes
        {
            let (old, now) = match self.workspace.read(path).await {
                Ok((old, version)) => (Some(old), Expect::Version(version)),
                Err(WorkspaceError::NotFound(_)) => (None, Expect::Nothing),
                Err(error) => return Err(error.into()),
            };
            if *expect == Expect::Anything {
                *expect = now;
            }
            diffs.push(diff(path.as_str(), old.as_deref(), Some(content)));
        }
        Ok(diffs)
    }

    async fn ask(
        &self,
        call: &ToolCall,
        prepared: &Prepared,
        decision: &Decision,
        changes: Vec<FileDiff>,
    ) -> Result<(), Refused> {
        let targets = prepared.targets();
        let of_rule: Vec<&str> = targets.iter().map(String::as_str).collect();
        let always = approval::rule_for(prepared.name, &of_rule);
        let session = &self.handle.session;
        let (_, rules) = self.desk.permissions(session);
        let question = Question {
            call_id: call.id.clone(),
            tool: prepared.name.to_owned(),
            about: About::Approval {
                changes,
                targets,
                rule: decision.rule.and_then(|at| rules.get(at).cloned()),
                always: always.clone(),
            },
        };
        let scope = match self.handle.question(question).await {
            Reply::No { word } if word.trim().is_empty() => {
                return Err(Refused::Denied("the user did not allow this call".into()));
            }
            Reply::No { word } => {
                let text = format!("the user did not allow this call and said: {}", word.trim());
                return Err(Refused::Denied(text));
            }
            Reply::Session => Scope::Session,
            Reply::Always => Scope::Everywhere,
            Reply::Once => return Ok(()),
            // An answer to another kind of question is no yes.
            _ => return Err(Refused::Denied("the user did not allow this call".into())),
        };
        self.desk.add_rule(session, always, scope).await;
        Ok(())
    }

    /// Whether sub-agents are at work.
    pub fn has_sub_agents(&self) -> bool {
        self.handle.live.get() > 0
    }

    /// Files may have come that hold secrets: from the user, or from another run.
    async fn look_again(&self) {
        let generation = self.workspace.generation();
        if self.secrets_of.replace(generation) != generation {
            let redactor = (self.look_for_secrets)().await;
            self.redactor.replace(redactor);
        }
    }

    fn is_allowed(&self, prepared: &Prepared) -> bool {
        decide(&*self.desk, &self.handle.session, prepared).action == Action::Allow
    }

    fn cache_key(&self, prepared: &Prepared) -> Option<String> {
        (prepared.manner == Manner::Pure)
            .then(|| format!("{} {}", prepared.name, prepared.arguments()))
    }

    fn kept(&self, key: &str) -> Option<String> {
        let generation = self.workspace.generation();
        self.cache.borrow().get(key, generation)
    }

    /// A result may serve again.
    pub fn keep(&self, done: &Done) {
        if let Some(key) = &done.key
            && done.result.outcome == Outcome::Ok
            && !done.result.cached
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
