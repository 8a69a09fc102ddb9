//! Runs the calls of one message and records one result for each, in order.

use std::rc::Rc;

use futures::StreamExt;
use futures::stream;

use super::{Agent, storage_failed};
use crate::kernel::event::{AgentEvent, Failure, StopReason};
use crate::kernel::session::{Entry, Outcome, ToolCall, ToolResult};
use crate::kernel::store::{Durability, StoreError};
use crate::kernel::tool::{Effect, Prepared, ToolContext, ToolError, ToolOutput, cap_result};
use crate::kernel::workspace::{FileChange, WorkspaceError};

/// Read-only calls that run at the same time.
const AT_ONCE: usize = 4;

const CUT: &str = "the message was cut off at the endpoint's length limit, so this call was not run; send less in one call";
/// What one call came to, before it is recorded.
struct Done {
    result: ToolResult,
    changes: Vec<FileChange>,
    fatal: Option<Failure>,
}

impl Agent {
    /// Runs `calls` and records their results. The call at `cut`, if any, is
    /// not whole and is not run.
    ///
    /// # Errors
    /// The reason to end the run; calls may be open then, and the end closes them.
    pub(super) async fn run_calls(
        &mut self,
        round: u32,
        calls: &[ToolCall],
        cut: Option<usize>,
    ) -> Result<(), StopReason> {
        let tools = Rc::clone(&self.tools);
        let prepared: Vec<Result<Prepared<'_>, String>> = calls
            .iter()
            .enumerate()
            .map(|(n, call)| match cut {
                Some(cut) if cut == n => Err(CUT.to_owned()),
                _ => tools.prepare(&call.name, &call.arguments),
            })
            .collect();
        let writes = |call: &Result<Prepared<'_>, String>| {
            call.as_ref()
                .is_ok_and(|call| call.effect == Effect::Writing)
        };
        // One writing call is enough to keep the order: others may depend on it.
        let at_once = if prepared.iter().any(writes) {
            1
        } else {
            AT_ONCE
        };

        let workspace = Rc::clone(self.transcript.workspace());
        let context = ToolContext {
            workspace: &workspace,
        };
        let clock = Rc::clone(&self.clock);
        let watcher = self.transcript.watcher();
        let work = calls.iter().zip(prepared).map(|(call, prepared)| {
            let (context, clock, watcher) = (&context, &clock, &watcher);
            async move {
                watcher(AgentEvent::ToolStarted {
                    round,
                    call_id: call.id.clone(),
                });
                let started = clock.now_ms();
                let outcome = match prepared {
                    Ok(prepared) => prepared.run(context).await,
                    Err(problem) => Err(ToolError::ForModel(problem)),
                };
                Done::new(round, call, outcome, clock.now_ms().saturating_sub(started))
            }
        });
        let cancel = self.cancel.clone();
        let mut fatal = None;
        if at_once == 1 {
            self.transcript
                .settle()
                .await
                .map_err(|error| storage_failed(&error))?;
            for work in work {
                // A change must be in the store before the next call looks.
                let Ok(done) = cancel.guard(work).await else {
                    break;
                };
                fatal = self.record_done(vec![done]).await?;
                if fatal.is_some() || cancel.is_cancelled() {
                    break;
                }
            }
        } else {
            let mut results = stream::iter(work).buffered(AT_ONCE).ready_chunks(AT_ONCE);
            loop {
                let next = self.transcript.while_saving(results.next());
                let Ok(next) = cancel.guard(next).await else {
                    break;
                };
                let Some(done) = next.map_err(|error| storage_failed(&error))? else {
                    break;
                };
                fatal = done.iter().find_map(|done| done.fatal.clone());
                let entries = done.into_iter().map(|done| Entry::ToolResult(done.result));
                self.transcript.record_soon(entries.collect());
                if fatal.is_some() || cancel.is_cancelled() {
                    break;
                }
            }
        }
        match fatal {
            Some(failure) => Err(StopReason::Failed(failure)),
            None if cancel.is_cancelled() => Err(StopReason::Cancelled),
            None => Ok(()),
        }
    }

    /// Records results that came in together. File changes and the result that
    /// tells of them are one transaction, which no Stop interrupts.
    async fn record_done(&mut self, done: Vec<Done>) -> Result<Option<Failure>, StopReason> {
        let mut fatal = None;
        let mut quiet = Vec::new();
        for mut done in done {
            fatal = fatal.or(done.fatal.take());
            if done.changes.is_empty() {
                quiet.push(Entry::ToolResult(done.result));
                continue;
            }
            let entry = Entry::ToolResult(done.result.clone());
            match self
                .transcript
                .record(vec![entry], &done.changes, Durability::Relaxed)
                .await
            {
                Ok(()) => {}
                Err(WorkspaceError::Store(error)) if error != StoreError::Full => {
                    return Err(storage_failed(&error.into()));
                }
                Err(error) => quiet.push(Entry::ToolResult(done.refused_by(error.into()))),
            }
        }
        if !quiet.is_empty() {
            self.record(quiet).await?;
        }
        Ok(fatal)
    }
}

impl Done {
    fn new(
        round: u32,
        call: &ToolCall,
        outcome: Result<ToolOutput, ToolError>,
        took_ms: u64,
    ) -> Self {
        let (outcome, text, changes, fatal) = match outcome {
            Ok(output) => (Outcome::Ok, output.text, output.changes, None),
            Err(ToolError::ForModel(problem)) => (
                Outcome::Error,
                format!("Error: {problem}"),
                Vec::new(),
                None,
            ),
            Err(ToolError::Fatal(failure)) => (
                Outcome::Error,
                format!("Error: {}", failure.detail),
                Vec::new(),
                Some(failure),
            ),
        };
        let result = ToolResult {
            round,
            call_id: call.id.clone(),
            name: call.name.clone(),
            outcome,
            text: cap_result(text),
            took_ms,
            cached: false,
        };
        Self {
            result,
            changes,
            fatal,
        }
    }

    /// The result when the workspace did not take the changes.
    fn refused_by(self, error: ToolError) -> ToolResult {
        let problem = match error {
            ToolError::ForModel(problem) => problem,
            ToolError::Fatal(failure) => failure.detail,
        };
        ToolResult {
            outcome: Outcome::Error,
            text: format!("Error: {problem}"),
            ..self.result
        }
    }
}
