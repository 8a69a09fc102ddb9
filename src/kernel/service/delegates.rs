//! Sub-agents: runs in sessions of their own that work for a call of another.

use std::rc::Rc;

use super::Kernel;
use crate::kernel::agent::run_view::{last_message, of_run};
use crate::kernel::agent::spending::Spent;
use crate::kernel::agent::{Agent, Order};
use crate::kernel::clock::unique_id;
use crate::kernel::event::StopReason;
use crate::kernel::session::{self, Entry, Marks, Mode, Parent, Record, Session, Usage};
use crate::kernel::store::Durability;
use crate::kernel::tool::Delegated;

impl Kernel {
    /// Has a sub-agent do what `order` asks. One that was cut off goes on; one that
    /// was done before its answer could be recorded is not run again.
    pub(super) async fn delegate(&self, order: Order) -> Delegated {
        let (session, is_new) = self.session_of(&order);
        let id = session.id.clone();
        let records = match session::records(self.store(), &id).await {
            Ok(records) => records,
            Err(error) => return not_run(&error, Usage::default()),
        };
        if let Some(Record {
            entry: Entry::Stopped(ending),
            ..
        }) = records.last()
        {
            let spent = Spent::of(&records, &order.limits).usage;
            order.account.add(spent, &order.limits);
            return told(&records, &ending.reason, spent);
        }
        let mut transcript = self.transcript(session, records);
        transcript.set_running(true);
        if is_new || transcript.records().is_empty() {
            let entry = Entry::User {
                text: order.prompt.clone(),
                mode: Mode::Act,
                rounds: None,
            };
            let begun = transcript.record(vec![entry], &[], Durability::Relaxed);
            if let Err(error) = begun.await {
                return not_run(&error, Usage::default());
            }
        }
        let (terms, cancel) = (order.terms, order.cancel.clone());
        let mut parts = self.parts(transcript, terms, Use::SubAgent, cancel).await;
        parts.tools = Rc::new(order.tools);
        parts.limits = order.limits;
        parts.paid_by = Some((order.account, order.watch));
        let agent = Agent::new(parts);
        let account = agent.account();
        let reason = agent.run().await;
        let spent = account.spent().usage;
        match session::records(self.store(), &id).await {
            Ok(records) => told(&records, &reason, spent),
            Err(error) => not_run(&error, spent),
        }
    }

    /// The session that works for the call: the one there is, or a new one.
    fn session_of(&self, order: &Order) -> (Session, bool) {
        let parent = Parent {
            session: order.session.clone(),
            call_id: order.call_id.clone(),
            seq: order.seq,
        };
        let sessions = self.0.sessions.borrow();
        let known = sessions
            .values()
            .find(|session| session.parent.as_ref() == Some(&parent));
        if let Some(known) = known {
            return (known.clone(), false);
        }
        let above = sessions.get(&order.session);
        let choice = above.and_then(|session| session.choice.clone());
        let platform = &self.0.platform;
        let now = platform.clock.now_ms();
        let session = Session {
            id: unique_id(&*platform.clock, &*platform.random),
            workspace: self.0.workspace.id().to_owned(),
            title: session::title_of(&order.prompt),
            created_ms: now,
            updated_ms: now,
            running: false,
            interrupted: false,
            parent: Some(parent),
            choice,
            floor: 0,
            marks: Marks::default(),
        };
        (session, true)
    }
}

/// Who asks the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The run itself.
    Main,
    /// A sub-agent.
    SubAgent,
    /// A request beside the conversation that a cheap model can answer.
    Summary,
}

fn not_run(error: &dyn ToString, spent: Usage) -> Delegated {
    let problem = format!("the sub-agent could not be run: {}", error.to_string());
    Delegated {
        answer: Err(problem),
        spent,
    }
}

/// What the call that wanted it is told.
fn told(records: &[Record], reason: &StopReason, spent: Usage) -> Delegated {
    let answer = match reason {
        StopReason::Completed | StopReason::Finished => match last_words(records).trim() {
            "" => Ok("The sub-agent ended without a word.".to_owned()),
            text => Ok(text.to_owned()),
        },
        StopReason::Cancelled => Err("the sub-agent was stopped by the user".to_owned()),
        StopReason::Failed(failure) => Err(format!(
            "the sub-agent's request failed ({}); what it did to files stays",
            failure.detail
        )),
        other => Ok(format!(
            "[The sub-agent was stopped before it was done: {}. What it did to files stays. Its last words:]\n{}",
            other.name(),
            last_words(records)
        )),
    };
    Delegated { answer, spent }
}

/// What it handed in, or else said last.
fn last_words(records: &[Record]) -> String {
    let run = match records.split_last() {
        Some((last, before)) if matches!(last.entry, Entry::Stopped(_)) => of_run(before),
        _ => of_run(records),
    };
    let text = last_message(run).map(|(_, message)| {
        let finish = message.calls.iter().find(|call| call.name == "finish");
        let answer = finish.and_then(|call| {
            let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
            Some(arguments.get("answer")?.as_str()?.to_owned())
        });
        answer.unwrap_or_else(|| message.text.clone())
    });
    text.unwrap_or_default()
}
