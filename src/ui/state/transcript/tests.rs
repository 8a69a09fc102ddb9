//! Watching a run and loading it afterwards must show the same.

mod asides;
mod waits;

use super::*;
use crate::kernel::event::{Failure, FailureKind, Progress};
use crate::kernel::session::{Mode, Reasoning, ToolCall, Usage};

fn record(seq: u64, entry: Entry) -> Record {
    Record {
        seq,
        at_ms: 1_000 + seq,
        entry,
    }
}

fn user(seq: u64) -> Record {
    record(
        seq,
        Entry::User {
            text: "Read a.md".into(),
            mode: Mode::Act,
            rounds: None,
        },
    )
}

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: "{\"path\":\"a.md\"}".into(),
        ..ToolCall::default()
    }
}

fn assistant(seq: u64, round: u32, text: &str, calls: Vec<ToolCall>) -> Record {
    record(
        seq,
        Entry::Assistant(AssistantMessage {
            round,
            text: text.into(),
            reasoning: Some(Box::new(Reasoning {
                field: "reasoning".into(),
                text: "Hm.".into(),
                ..Reasoning::default()
            })),
            calls,
            usage: Some(Usage {
                prompt_tokens: 10,
                completion_tokens: 2,
                cached_tokens: 0,
            }),
            host: "h".into(),
            ..AssistantMessage::default()
        }),
    )
}

fn result(seq: u64, id: &str, outcome: Outcome) -> Record {
    record(
        seq,
        Entry::ToolResult(ToolResult {
            round: 1,
            call_id: id.into(),
            name: "read_file".into(),
            outcome,
            text: "text".into(),
            took_ms: 7,
            ..ToolResult::default()
        }),
    )
}

fn stopped(seq: u64, reason: StopReason) -> Record {
    record(
        seq,
        Entry::Stopped(Ending {
            reason,
            rounds: 2,
            usage: None,
            took_ms: 90,
            cost: None,
        }),
    )
}

fn started(round: u32) -> AgentEvent {
    AgentEvent::RoundStarted { round }
}

fn text(more: &str) -> AgentEvent {
    AgentEvent::TextDelta(more.into())
}

/// Folds the events, and the records among them alone: both must come to the same.
fn check(events: &[AgentEvent]) -> Transcript {
    let mut watched = Transcript::default();
    for event in events {
        watched.apply(event);
    }
    let records: Vec<Record> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Recorded(record) => Some(record.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(watched, Transcript::of(&records));
    watched
}

#[test]
fn a_whole_run() {
    let tool_started = |id: &str| AgentEvent::ToolStarted {
        round: 1,
        call_id: id.into(),
    };
    let calls = vec![call("1", "read_file"), call("2", "read_file")];
    let transcript = check(&[
        AgentEvent::Recorded(user(0)),
        started(1),
        AgentEvent::ReasoningDelta("H".into()),
        text("I w"),
        AgentEvent::CallDelta {
            index: 0,
            name: "read_file".into(),
            bytes: 4,
        },
        AgentEvent::Recorded(assistant(1, 1, "I will", calls)),
        tool_started("1"),
        tool_started("2"),
        AgentEvent::Recorded(result(2, "1", Outcome::Ok)),
        AgentEvent::Recorded(result(3, "2", Outcome::Error)),
        started(2),
        text("Done"),
        AgentEvent::Recorded(assistant(4, 2, "Done.", Vec::new())),
        AgentEvent::Recorded(stopped(5, StopReason::Completed)),
    ]);
    let [
        Item::User(_),
        Item::Round(first),
        Item::Round(last),
        Item::Stop(stop),
    ] = transcript.items()
    else {
        panic!("{:?}", transcript.items());
    };
    let states: Vec<CallState> = first.calls.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Ok, CallState::Error]);
    assert_eq!((first.text.as_str(), first.is_open()), ("I will", false));
    assert_eq!((last.text.as_str(), last.is_answer()), ("Done.", true));
    assert_eq!((stop.ending.took_ms, stop.kept), (90, Kept::Saved));
    assert_eq!(
        (
            transcript.tally().usage.prompt_tokens,
            transcript.tally().counted
        ),
        (20, 2)
    );
}

#[test]
fn what_a_call_prints_is_shown_until_it_has_a_result_or_the_run_ends() {
    let printed = |text: &str| AgentEvent::ToolProgress {
        call_id: "1".into(),
        progress: Progress::Printed(text.into()),
    };
    let mut events = vec![
        AgentEvent::Recorded(user(0)),
        started(1),
        AgentEvent::Recorded(assistant(1, 1, "", vec![call("1", "bash")])),
        AgentEvent::ToolStarted {
            round: 1,
            call_id: "1".into(),
        },
        printed("one\n"),
        printed("two\n"),
    ];
    let mut live = Transcript::default();
    for event in &events {
        live.apply(event);
    }
    assert_eq!(live.call("1").unwrap().live.text, "one\ntwo\n");
    let mut stopped_early = events.clone();
    stopped_early.push(AgentEvent::Recorded(stopped(2, StopReason::Cancelled)));
    check(&stopped_early);
    events.push(AgentEvent::Recorded(result(2, "1", Outcome::Ok)));
    check(&events);
}

#[test]
fn a_message_that_breaks_off_is_marked() {
    let failure = Failure::new(FailureKind::Truncated, "");
    let transcript = check(&[
        AgentEvent::Recorded(user(0)),
        started(1),
        text("Half"),
        AgentEvent::Recorded(record(
            1,
            Entry::Partial {
                round: 1,
                text: "Half".into(),
                reasoning: String::new(),
            },
        )),
        AgentEvent::Recorded(stopped(2, StopReason::Failed(failure))),
    ]);
    let Item::Round(round) = &transcript.items()[1] else {
        panic!("{:?}", transcript.items());
    };
    assert_eq!(
        (round.stage, round.text.as_str()),
        (Stage::Incomplete, "Half")
    );
}

#[test]
fn a_round_of_which_nothing_came_leaves_no_card() {
    let transcript = check(&[
        AgentEvent::Recorded(user(0)),
        started(1),
        AgentEvent::Recorded(stopped(1, StopReason::Cancelled)),
    ]);
    assert_eq!(transcript.items().len(), 2);
}

#[test]
fn what_is_told_twice_counts_once() {
    let mut transcript = Transcript::of(&[user(0), assistant(1, 1, "Done.", Vec::new())]);
    let before = transcript.clone();
    let again = AgentEvent::Recorded(assistant(1, 1, "Done.", Vec::new()));
    assert_eq!(transcript.apply(&again), Touched::Nothing);
    assert_eq!(transcript, before);
}

#[test]
fn whoever_comes_in_the_middle_sees_the_rest() {
    let mut transcript = Transcript::of(&[user(0)]);
    assert_eq!(transcript.apply(&text("and more")), Touched::From(1));
    assert_eq!(transcript.apply(&text(".")), Touched::Item(1));
    transcript.apply(&AgentEvent::Recorded(assistant(
        1,
        1,
        "This and more.",
        Vec::new(),
    )));
    assert_eq!(
        transcript,
        Transcript::of(&[user(0), assistant(1, 1, "This and more.", Vec::new())])
    );
}

#[test]
fn an_end_that_was_not_saved_is_shown_as_such() {
    let mut transcript = Transcript::of(&[user(0)]);
    transcript.apply(&started(1));
    transcript.apply(&text("Half"));
    let reason = StopReason::Failed(Failure::new(FailureKind::Storage, "full"));
    transcript.apply(&AgentEvent::EndedUnsaved(reason));
    let [_, Item::Round(round), Item::Stop(stop)] = transcript.items() else {
        panic!("{:?}", transcript.items());
    };
    assert_eq!((round.stage, stop.kept), (Stage::Incomplete, Kept::Unsaved));
}

#[test]
fn each_of_two_calls_with_one_id_gets_its_result() {
    let twins = vec![call("1", "read_file"), call("1", "read_file")];
    let transcript = check(&[
        AgentEvent::Recorded(assistant(0, 1, "", twins)),
        AgentEvent::Recorded(result(1, "1", Outcome::Ok)),
        AgentEvent::Recorded(result(2, "1", Outcome::Error)),
    ]);
    let Item::Round(round) = &transcript.items()[0] else {
        panic!("{:?}", transcript.items());
    };
    let states: Vec<CallState> = round.calls.iter().map(|call| call.state).collect();
    assert_eq!(states, [CallState::Ok, CallState::Error]);
}

#[test]
fn events_from_before_the_records_were_read_add_nothing() {
    let records = [user(0), assistant(1, 1, "Done.", Vec::new())];
    let mut transcript = Transcript::of(&records);
    for event in [
        started(1),
        text("Do"),
        AgentEvent::Recorded(records[1].clone()),
    ] {
        transcript.apply(&event);
    }
    assert_eq!(transcript, Transcript::of(&records));
}
