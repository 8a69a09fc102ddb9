//! What the tools of a run may ask of it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;

use super::compaction::render;
use super::known::{KnownFiles, known_files};
use super::modes::wants_plan;
use super::spending::Account;
use super::stopwatch::Stopwatch;
use super::{Agent, Desk, Order, Terms, modes};
use crate::kernel::approval::{Action, decide};
use crate::kernel::cancel::CancelToken;
use crate::kernel::clock::Clock;
use crate::kernel::event::{About, AgentEvent, Progress, Question, Reply};
use crate::kernel::session::{Entry, Record, Usage};
use crate::kernel::settings::LimitSettings;
use crate::kernel::store::{Key, Store, Table, Value};
use crate::kernel::tool::{Effect, Locker, Others, RunHandle, ToolRegistry};
use crate::kernel::workspace::Version;

/// See [`RunHandle`] and [`Others`].
pub(super) struct Handle {
    pub session: String,
    /// The record of the message whose calls run.
    pub seq: u64,
    /// Sub-agents at work.
    pub live: Cell<usize>,
    pub store: Rc<dyn Store>,
    pub desk: Rc<dyn Desk>,
    pub watch: Rc<Stopwatch>,
    pub clock: Rc<dyn Clock>,
    pub tools: Rc<ToolRegistry>,
    pub account: Account,
    pub limits: LimitSettings,
    pub terms: Rc<Terms>,
    pub cancel: CancelToken,
    pub approved: Option<Vec<String>>,
    /// Files as the model knows them.
    pub known: RefCell<KnownFiles>,
    /// How long each call waited for the user, milliseconds.
    pub waits: RefCell<Vec<(String, u64)>>,
    /// Tokens that sub-agents used for calls.
    pub spent: RefCell<Vec<(String, Usage)>>,
    /// Tells whoever watches the run.
    pub tell: Box<dyn Fn(AgentEvent)>,
    pub locker: Rc<Locker>,
}

impl Handle {
    /// Asks, and leaves the time of waiting out of the run's.
    pub async fn question(&self, question: Question) -> Reply {
        self.account.set_worked(self.watch.worked_ms());
        let since = self.clock.now_ms();
        let call_id = question.call_id.clone();
        // Stop closes the question, also where others of the message are waited for.
        let asked = self.desk.ask(&self.session, question);
        let reply = self.cancel.guard(asked).await.unwrap_or(Reply::No {
            word: String::new(),
        });
        self.watch.leave_out();
        let waited = self.clock.now_ms().saturating_sub(since);
        self.waits.borrow_mut().push((call_id, waited));
        reply
    }

    /// A sub-agent has the time that is left.
    fn limits_left(&self) -> LimitSettings {
        let mut limits = self.limits.clone();
        let used = self.watch.worked_ms() / 60_000;
        limits.minutes = limits.minutes.saturating_sub(used as u32).max(1);
        limits
    }

    /// How long a call waited for the user, milliseconds.
    pub fn waited_ms(&self, call_id: &str) -> u64 {
        let waits = self.waits.borrow();
        let of_call = waits.iter().filter(|(id, _)| id == call_id);
        of_call.map(|(_, waited)| waited).sum()
    }

    /// Tokens that a sub-agent used for a call, also if it failed.
    pub fn spent_on(&self, call_id: &str) -> Option<Usage> {
        let spent = self.spent.borrow();
        let of_call = spent.iter().find(|(id, _)| id == call_id);
        of_call.map(|(_, usage)| *usage)
    }

    async fn record(&self, seq: u64) -> Option<Record> {
        let key = Key::new([self.session.as_str().into(), seq.into()]);
        let value = self.store.get(Table::Messages, key).await.ok()??;
        value.parse().ok()
    }

    async fn whole_result(&self, seq: u64) -> Option<String> {
        let key = Key::new([self.session.as_str().into(), seq.into()]);
        if let Ok(Some(Value::Bytes(text))) = self.store.get(Table::Overflow, key).await {
            return String::from_utf8(text).ok();
        }
        let record = self.record(seq).await?;
        match record.entry {
            Entry::ToolResult(result) => Some(result.text),
            // Its calls' arguments were cut.
            Entry::Assistant(_) => {
                let mut text = String::new();
                render(&record, usize::MAX, &mut text);
                Some(text)
            }
            _ => None,
        }
    }
}

impl Agent {
    /// What tools may ask of this run.
    pub(super) fn handle(&self, seq: u64) -> Handle {
        let transcript = &self.parts.transcript;
        Handle {
            session: transcript.session_id().to_owned(),
            seq,
            live: Cell::new(0),
            store: Rc::clone(transcript.workspace().store()),
            desk: Rc::clone(&self.parts.desk),
            watch: Rc::clone(&self.watch),
            clock: Rc::clone(&self.parts.clock),
            tools: Rc::clone(&self.parts.tools),
            account: self.account.clone(),
            limits: self.parts.limits.clone(),
            terms: Rc::clone(&self.parts.terms),
            cancel: self.parts.cancel.clone(),
            approved: modes::approved_steps(self.mode, transcript.records()),
            known: RefCell::new(known_files(transcript.records())),
            waits: RefCell::default(),
            spent: RefCell::default(),
            tell: Box::new(transcript.watcher()),
            locker: Rc::clone(&self.locker),
        }
    }
}

impl Others for Handle {
    fn ask<'a>(
        &'a self,
        call_id: &'a str,
        tool: &'a str,
        about: About,
    ) -> LocalBoxFuture<'a, Reply> {
        let question = Question {
            call_id: call_id.to_owned(),
            tool: tool.to_owned(),
            about,
        };
        Box::pin(self.question(question))
    }

    fn recall<'a>(&'a self, id: &'a str) -> LocalBoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let numbers = id.strip_prefix('r')?;
            let Some((first, last)) = numbers.split_once("-r") else {
                return self.whole_result(numbers.parse().ok()?).await;
            };
            let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            let mut text = String::new();
            for seq in first..=last {
                let Some(record) = self.record(seq).await else {
                    break;
                };
                render(&record, usize::MAX, &mut text);
            }
            (!text.is_empty()).then_some(text)
        })
    }

    fn delegate<'a>(
        &'a self,
        call_id: &'a str,
        prompt: String,
        tools: Option<Vec<String>>,
    ) -> LocalBoxFuture<'a, Result<String, String>> {
        Box::pin(async move {
            if self.cancel.is_cancelled() {
                return Err("the run was stopped before the sub-agent began".into());
            }
            let mut tools = self.tools.for_sub_agent(tools.as_deref())?;
            if wants_plan(self.approved.as_ref(), Effect::Writing) {
                tools = tools.only_reading();
            }
            let order = Order {
                session: self.session.clone(),
                call_id: call_id.to_owned(),
                seq: self.seq,
                prompt,
                tools,
                account: self.account.clone(),
                watch: Rc::clone(&self.watch),
                limits: self.limits_left(),
                terms: Rc::clone(&self.terms),
                cancel: self.cancel.clone(),
            };
            self.live.set(self.live.get() + 1);
            let done = self.desk.delegate(order).await;
            self.live.set(self.live.get() - 1);
            let spent = (call_id.to_owned(), done.spent);
            self.spent.borrow_mut().push(spent);
            done.answer
        })
    }
}

impl RunHandle for Handle {
    fn approved_steps(&self) -> Option<Vec<String>> {
        self.approved.clone()
    }

    fn known(&self, path: &str) -> Option<Version> {
        self.known.borrow().get(path).cloned()
    }

    fn breathe(&self) -> LocalBoxFuture<'static, ()> {
        self.clock.sleep(Duration::ZERO)
    }

    fn may_read(&self, path: &str) -> bool {
        let (mode, rules) = self.desk.permissions(&self.session);
        let allows = |tool: &&str| {
            let decision = decide(mode, &rules, Effect::ReadOnly, tool, &[path]);
            decision.action == Action::Allow
        };
        ["read_file", "grep"].iter().all(allows)
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.clock.sleep(duration)
    }

    fn progress(&self, call_id: &str, progress: Progress) {
        let call_id = call_id.to_owned();
        (self.tell)(AgentEvent::ToolProgress { call_id, progress });
    }

    fn locker(&self) -> &Locker {
        &self.locker
    }

    fn may_change(&self, path: &str) -> bool {
        let (mode, rules) = self.desk.permissions(&self.session);
        let action = |tool: &str, targets: &[&str]| {
            decide(mode, &rules, Effect::Writing, tool, targets).action
        };
        // Where the script is asked about, the question shows the file.
        let is_asked = action("run_js", &[]) == Action::Ask;
        ["run_js", "write_file", "delete"]
            .iter()
            .all(|tool| match action(tool, &[path]) {
                Action::Allow => true,
                Action::Ask => is_asked,
                Action::Deny => false,
            })
    }
}
