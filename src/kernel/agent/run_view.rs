//! What a transcript says of its open run: where the run began and what comes
//! next. The loop asks this before each step and keeps no state of its own that
//! decides, so that a run goes on exactly where it was cut off.

use crate::kernel::event::StopReason;
use crate::kernel::model::Finish;
use crate::kernel::session::{AssistantMessage, Entry, Mode, Outcome, Record, ToolResult, Topic};

/// What the loop has to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Ask the model.
    Ask,
    /// Run calls of this message: those at these places in it have no result yet.
    Calls {
        /// The message's record.
        seq: u64,
        /// The message.
        message: Box<AssistantMessage>,
        /// Places of the open calls in it, in order.
        open: Vec<usize>,
    },
    /// The model answered without asking for a tool.
    Answered(Finish),
    /// The model called `finish`.
    Finished,
}

/// The records of the open run: those behind the end of the one before.
pub fn of_run(records: &[Record]) -> &[Record] {
    let ended = |record: &Record| matches!(record.entry, Entry::Stopped(_));
    let start = records.iter().rposition(ended).map_or(0, |at| at + 1);
    &records[start..]
}

/// What comes next in `run`.
pub fn next_step(run: &[Record]) -> Step {
    let Some((at, message)) = last_message(run) else {
        return Step::Ask;
    };
    let behind = &run[at + 1..];
    let open = open_calls(message, behind);
    if !open.is_empty() {
        return Step::Calls {
            seq: run[at].seq,
            message: Box::new(message.clone()),
            open,
        };
    }
    if behind.iter().any(|record| asks_again(&record.entry)) {
        return Step::Ask;
    }
    if message.calls.is_empty() {
        return Step::Answered(message.finish);
    }
    match results(behind).any(|result| result.name == "finish" && result.outcome == Outcome::Ok) {
        true => Step::Finished,
        false => Step::Ask,
    }
}

/// What comes next in the run that begins at `start` of all `records`. A run that goes on
/// behind one that was stopped while a critic judged its answer has that judged first.
pub fn next_step_at(records: &[Record], start: usize) -> Step {
    let run = &records[start..];
    if last_message(run).is_some() || task_of(records).0 != Mode::Reflect {
        return next_step(run);
    }
    match next_step(work_at(records, start)) {
        step @ (Step::Answered(Finish::Stop) | Step::Finished) => step,
        _ => Step::Ask,
    }
}

/// The records of the run that begins at `start`; if the model has said nothing in it
/// yet, also those of the runs before it that were stopped in the middle.
pub fn work_at(records: &[Record], mut start: usize) -> &[Record] {
    while last_message(&records[start..]).is_none()
        && let Some((end, before)) = records[..start].split_last()
        && was_stopped(&end.entry)
    {
        start = before.len() - of_run(before).len();
    }
    &records[start..]
}

/// Whether a run ended in the middle, with nothing wrong about what it had done.
fn was_stopped(entry: &Entry) -> bool {
    let reason = match entry {
        Entry::Stopped(ending) => &ending.reason,
        _ => return false,
    };
    matches!(reason, StopReason::Cancelled | StopReason::TimeLimit { .. })
}

/// Whether an entry behind a message wants another one.
fn asks_again(entry: &Entry) -> bool {
    match entry {
        Entry::User { .. } | Entry::Steer { .. } | Entry::Nudge { .. } => true,
        Entry::Critique { passed, .. } => !passed,
        _ => false,
    }
}

/// The last message of the model and its place.
pub fn last_message(run: &[Record]) -> Option<(usize, &AssistantMessage)> {
    let message = |(at, record)| match record {
        &Record {
            entry: Entry::Assistant(ref message),
            ..
        } => Some((at, message)),
        _ => None,
    };
    run.iter().enumerate().rev().find_map(message)
}

/// Places of the calls in `message` that have no result among the records `behind` it.
pub fn open_calls(message: &AssistantMessage, behind: &[Record]) -> Vec<usize> {
    let mut answered: Vec<&str> = results(behind)
        .map(|result| result.call_id.as_str())
        .collect();
    let is_open = |id: &str| match answered.iter().position(|answered| *answered == id) {
        Some(at) => {
            answered.swap_remove(at);
            false
        }
        None => true,
    };
    let mut is_open = is_open;
    let calls = message.calls.iter().enumerate();
    calls
        .filter_map(|(at, call)| is_open(&call.id).then_some(at))
        .collect()
}

/// The call that was begun and has no result yet: it may have happened. Such a call is
/// the first of the open ones, since they are run in order.
pub fn begun_call(run: &[Record]) -> Option<&str> {
    let told = run.iter().rev().find_map(|record| match &record.entry {
        Entry::Begun { call_id } => Some(Some(call_id.as_str())),
        Entry::ToolResult(_) | Entry::Assistant(_) | Entry::Stopped(_) => Some(None),
        _ => None,
    });
    told.flatten()
}

/// The results among `records`.
pub fn results(records: &[Record]) -> impl DoubleEndedIterator<Item = &ToolResult> {
    records.iter().filter_map(|record| match &record.entry {
        Entry::ToolResult(result) => Some(result),
        _ => None,
    })
}

/// Whether the run has a nudge about `topic`.
pub fn has_nudge(run: &[Record], wanted: Topic) -> bool {
    run.iter()
        .rev()
        .any(|record| matches!(record.entry, Entry::Nudge { about, .. } if about == wanted))
}

/// How the run works, and the rounds it was given: as the last task says. A run
/// that goes on behind the end of another works as that one did.
pub fn task_of(records: &[Record]) -> (Mode, Option<u32>) {
    let task = |record: &Record| match record.entry {
        Entry::User { mode, rounds, .. } => Some((mode, rounds)),
        _ => None,
    };
    records.iter().rev().find_map(task).unwrap_or_default()
}

pub use crate::kernel::model::layout::todo_of;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::session::{Ending, ToolCall};

    fn records(entries: Vec<Entry>) -> Vec<Record> {
        let numbered = (0..).zip(entries);
        numbered
            .map(|(seq, entry)| Record {
                seq,
                at_ms: 0,
                entry,
            })
            .collect()
    }

    fn user() -> Entry {
        Entry::User {
            text: "Go".into(),
            mode: Mode::Act,
            rounds: None,
        }
    }

    fn message(calls: &[&str]) -> Entry {
        let call = |id: &&str| ToolCall {
            id: (*id).into(),
            name: if *id == "f" { "finish" } else { "x" }.into(),
            ..ToolCall::default()
        };
        Entry::Assistant(AssistantMessage {
            calls: calls.iter().map(call).collect(),
            ..AssistantMessage::default()
        })
    }

    fn result(id: &str) -> Entry {
        Entry::ToolResult(ToolResult {
            call_id: id.into(),
            name: if id == "f" { "finish" } else { "x" }.into(),
            ..ToolResult::default()
        })
    }

    fn stopped() -> Entry {
        Entry::Stopped(Ending {
            reason: StopReason::Completed,
            rounds: 1,
            usage: None,
            took_ms: 0,
            cost: None,
        })
    }

    fn check(entries: Vec<Entry>, expected: &str) {
        let records = records(entries);
        let told = match next_step(of_run(&records)) {
            Step::Ask => "ask".to_owned(),
            Step::Calls { open, .. } => format!("calls {open:?}"),
            Step::Answered(_) => "answered".into(),
            Step::Finished => "finished".into(),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn the_next_step_follows_from_the_records() {
        check(vec![user()], "ask");
        check(vec![user(), message(&["1", "2"])], "calls [0, 1]");
        check(vec![user(), message(&["1", "2"]), result("1")], "calls [1]");
        check(vec![user(), message(&["1"]), result("1")], "ask");
        check(vec![user(), message(&[])], "answered");
        check(vec![user(), message(&["f"]), result("f")], "finished");
        let steer = Entry::Steer { text: "And".into() };
        check(vec![user(), message(&[]), steer], "ask");
        let critique = |passed| Entry::Critique {
            attempt: 1,
            passed,
            text: String::new(),
            spent: None,
        };
        check(vec![user(), message(&[]), critique(false)], "ask");
        check(vec![user(), message(&[]), critique(true)], "answered");
        check(vec![user(), message(&[]), stopped(), user()], "ask");
    }

    #[test]
    fn a_call_that_was_begun_is_known_until_it_has_a_result() {
        let begun = || Entry::Begun {
            call_id: "2".into(),
        };
        let known = |entries: Vec<Entry>| {
            let records = records(entries);
            begun_call(of_run(&records)).map(str::to_owned)
        };
        let start = || vec![user(), message(&["1", "2"]), result("1")];
        assert_eq!(known(start()), None);
        let mut entries = start();
        entries.push(begun());
        assert_eq!(known(entries.clone()).as_deref(), Some("2"));
        check(entries.clone(), "calls [1]");
        entries.push(result("2"));
        assert_eq!(known(entries.clone()), None);
        check(entries, "ask");
    }

    #[test]
    fn an_id_used_twice_needs_two_results() {
        check(vec![user(), message(&["1", "1"]), result("1")], "calls [1]");
    }
}
