//! Whether a call may be carried out, before it is: the plan, the rules, the user's
//! word, and what is to become of one that was cut off and may have happened.

use std::borrow::Cow;

use super::known::known_files;
use super::perform::{Refused, Workshop};
use super::{Desk, Scope, modes};
use crate::kernel::approval::{self, Action, Decision};
use crate::kernel::diff::FileDiff;
use crate::kernel::event::{About, AgentEvent, Question, Reply};
use crate::kernel::session::{Record, ToolCall};
use crate::kernel::tool::{Effect, NoRun, Prepared, ToolContext, ToolError, ToolOutput, bash};
use crate::kernel::workspace::Workspace;

/// What the model is told of a call that the user takes as done.
const TAKEN_AS_DONE: &str =
    "This call was cut off before its result was kept, and the user takes it as done.";
/// What it is told of one that the user leaves as it is.
const LEFT_OPEN: &str =
    "this call was cut off and may have happened, and the user did not have it run again";

/// What it is told of one that would send a secret away.
const SECRET_SENT: &str = "this call would send a secret to a host of the web, which is never done: a key, a value of an .env file, or a mark that stands for one. Leave it out, or ask the user to do this step";

/// What is known of a call from before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Past {
    /// It has not begun.
    Fresh,
    /// It was begun and cut off: it may have happened.
    Begun,
}

/// A call that was looked at, and what comes of it.
pub(super) struct Admitted {
    pub round: u32,
    pub past: Past,
    pub started_ms: u64,
    /// Where its result goes to serve again.
    pub key: Option<String>,
    pub way: Way,
}

/// What comes of a call.
pub(super) enum Way {
    /// It is carried out. What it would do to files is asked about, if this is so decided.
    Work(Prepared, Option<Decision>),
    /// The result of an earlier call serves.
    Kept(String),
    /// There is nothing to carry out.
    Told(Result<ToolOutput, Refused>),
}

impl Admitted {
    /// Whether carrying it out reaches outside, where nothing can be taken back.
    pub fn reaches_out(&self) -> bool {
        matches!(&self.way, Way::Work(call, _) if call.effect == Effect::Dangerous)
    }
}

/// What the rules and the mode say of a call.
pub(super) fn decide(
    desk: &dyn Desk,
    workspace: &Workspace,
    session: &str,
    call: &Prepared,
) -> Decision {
    let (mode, rules) = desk.permissions(session);
    let mut targets = call.targets();
    if !rules.is_empty() {
        // What is meant for a file holds for the folder that it would go with.
        targets.extend(call.reach(workspace));
    }
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    approval::decide(mode, &rules, call.effect, call.name, &targets)
}

/// Why a call is refused whatever the user would say.
fn hindrance(approved: Option<&Vec<String>>, call: &Prepared) -> Option<&'static str> {
    if modes::wants_plan(approved, call.effect) {
        return Some(modes::NO_PLAN_YET);
    }
    let destroys = call.effect != Effect::ReadOnly && call.holds_redaction();
    destroys.then_some("the text holds a mark such as \"[redacted: …]\" that stands for a secret; written to a file it would destroy the secret. Leave those lines as they are, with edit_file on other lines")
}

/// Whether what a tool would do is known only by running it, which takes time and may take
/// a shell.
pub fn is_shown_by_running(tool: &str) -> bool {
    matches!(tool, bash::NAME | "run_js")
}

/// Whether the user is asked before anything else comes of a call of the run that
/// `records` end with.
pub async fn is_asked_first(
    desk: &dyn Desk,
    workspace: &Workspace,
    (session, records): (&str, &[Record]),
    call: &Prepared,
) -> bool {
    let (mode, _) = super::run_view::task_of(records);
    let approved = modes::approved_steps(mode, records);
    match call.name {
        "ask_user" => true,
        "todo" => approved.is_some_and(|steps| steps.is_empty()),
        name if is_shown_by_running(name) => false,
        _ => {
            hindrance(approved.as_ref(), call).is_none()
                && decide(desk, workspace, session, call).action == Action::Ask
                && (call.effect != Effect::Writing || would_work(workspace, records, call).await)
        }
    }
}

/// Whether a writing call has something to show: one that fails is told to the model, and
/// nobody is asked.
async fn would_work(workspace: &Workspace, records: &[Record], call: &Prepared) -> bool {
    // What a tool finds around it while it is only tried.
    let alone = NoRun::knowing(known_files(records));
    let context = ToolContext {
        workspace,
        call_id: "",
        run: &alone,
        others: &alone,
    };
    let output = call.clone().run(&context).await;
    output.is_ok_and(|output| workspace.check(&output.changes).is_ok())
}

impl Workshop {
    /// Looks at a call, and asks what has to be asked before it is carried out.
    pub async fn admit(
        &self,
        round: u32,
        call: &ToolCall,
        prepared: Result<Prepared, String>,
        past: Past,
    ) -> Admitted {
        (self.watch)(AgentEvent::ToolStarted {
            round,
            call_id: call.id.clone(),
        });
        let started_ms = self.clock.now_ms();
        let key = prepared
            .as_ref()
            .ok()
            .and_then(|prepared| self.cache_key(prepared));
        let way = match self.way(call, prepared, past, key.as_deref()).await {
            Ok(way) => way,
            Err(refused) => Way::Told(Err(refused)),
        };
        Admitted {
            round,
            past,
            started_ms,
            key,
            way,
        }
    }

    async fn way(
        &self,
        call: &ToolCall,
        prepared: Result<Prepared, String>,
        past: Past,
        key: Option<&str>,
    ) -> Result<Way, Refused> {
        if past == Past::Begun {
            let targets = prepared.as_ref().map(Prepared::targets);
            match self.ask_cut_off(call, targets.unwrap_or_default()).await {
                Reply::Again => {}
                Reply::Done => return Ok(Way::Told(Ok(ToolOutput::text(TAKEN_AS_DONE)))),
                Reply::No { word } if !word.trim().is_empty() => {
                    let text = format!("{LEFT_OPEN} and said: {}", word.trim());
                    return Err(Refused::Denied(text));
                }
                // An answer to another kind of question is no yes.
                _ => return Err(Refused::Denied(LEFT_OPEN.into())),
            }
        }
        let prepared = prepared.map_err(ToolError::ForModel)?;
        let kept = key.and_then(|key| self.kept(key));
        if let Some(text) = kept
            && self.decide(&prepared).action == Action::Allow
        {
            return Ok(Way::Kept(text));
        }
        if let Some(problem) = hindrance(self.handle.approved.as_ref(), &prepared) {
            return Err(ToolError::ForModel(problem.into()).into());
        }
        if prepared
            .targets()
            .iter()
            .any(|target| target.contains("://"))
        {
            // Files may have come since that hold secrets.
            self.look_again().await;
            if self.tells_a_secret(&prepared) {
                return Err(ToolError::ForModel(SECRET_SENT.into()).into());
            }
        }
        let decision = self.decide(&prepared);
        match (decision.action, prepared.effect) {
            (Action::Deny, _) => {
                let text = "a rule of the user forbids this call";
                return Err(Refused::Denied(text.into()));
            }
            // What a writing call would do is worked out first, so that it can be shown.
            (Action::Ask, Effect::Writing) => return Ok(Way::Work(prepared, Some(decision))),
            // "Run it again" was a yes.
            (Action::Ask, _) if past == Past::Fresh => {
                self.ask(call, &prepared, &decision, Default::default())
                    .await?;
            }
            _ => {}
        }
        Ok(Way::Work(prepared, None))
    }

    /// Whether the arguments hold a secret, as it is or as an address writes it.
    fn tells_a_secret(&self, call: &Prepared) -> bool {
        let arguments = call.arguments();
        matches!(self.redactor.borrow().redact(&arguments), Cow::Owned(_))
    }

    /// Asks what is to become of a call that may have happened.
    async fn ask_cut_off(&self, call: &ToolCall, targets: Vec<String>) -> Reply {
        let question = Question {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            about: About::CutOff { targets },
        };
        self.handle.question(question).await
    }

    /// What the rules and the mode say of a call.
    pub fn decide(&self, call: &Prepared) -> Decision {
        decide(&*self.desk, &self.workspace, &self.handle.session, call)
    }

    /// Asks whether a call may be carried out.
    pub async fn ask(
        &self,
        call: &ToolCall,
        prepared: &Prepared,
        decision: &Decision,
        (changes, more): (Vec<FileDiff>, usize),
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
                more,
                targets,
                rule: decision.rule.and_then(|at| rules.get(at).cloned()),
                always: always.clone(),
            },
        };
        let scope = match self.handle.question(question).await {
            Reply::No { word } if !word.trim().is_empty() => {
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
}
