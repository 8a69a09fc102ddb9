//! What a run waits for: another try, the user, a summary, a critic.

use super::*;
use crate::kernel::event::{About, ContextUse, Retry};

fn retrying(attempt: u32) -> AgentEvent {
    AgentEvent::Retrying(Retry {
        attempt,
        of: 5,
        wait_ms: 8_000,
        failure: Failure::new(FailureKind::Server, ""),
    })
}

fn asked(id: &str) -> AgentEvent {
    AgentEvent::Asked(Question {
        call_id: id.into(),
        tool: "write_file".into(),
        about: About::Choice {
            question: "Which?".into(),
            options: Vec::new(),
        },
    })
}

fn answered(id: &str) -> AgentEvent {
    let call_id = id.into();
    AgentEvent::Answered { call_id }
}

fn states(transcript: &Transcript) -> Vec<CallState> {
    let rounds = transcript.items().iter().filter_map(|item| match item {
        Item::Round(round) => Some(round),
        _ => None,
    });
    rounds
        .flat_map(|round| round.calls.iter().map(|call| call.state))
        .collect()
}

#[test]
fn a_failed_try_leaves_nothing_behind() {
    let mut transcript = Transcript::of(&[user(0)]);
    for event in [started(1), text("Half of"), retrying(2)] {
        transcript.apply(&event);
    }
    let round = |transcript: &Transcript| match &transcript.items()[1..] {
        [Item::Round(round)] => round.clone(),
        items => panic!("{items:?}"),
    };
    let waiting = round(&transcript);
    assert_eq!((waiting.number, waiting.text.as_str()), (1, ""));
    assert_eq!(waiting.retry.map(|retry| retry.attempt), Some(2));
    // Whether or not the round is begun again, it is the same one.
    for event in [retrying(3), started(1), text("All of it")] {
        transcript.apply(&event);
    }
    let streaming = round(&transcript);
    assert_eq!(
        (streaming.retry, streaming.text.as_str()),
        (None, "All of it")
    );
    check(&[
        AgentEvent::Recorded(user(0)),
        started(1),
        text("Half of"),
        retrying(2),
        AgentEvent::Recorded(stopped(1, StopReason::Cancelled)),
    ]);
}

#[test]
fn calls_whose_turn_has_not_come_are_told_from_the_one_that_asks() {
    let calls = vec![call("1", "write_file"), call("2", "write_file")];
    let mut transcript = Transcript::of(&[user(0), assistant(1, 1, "", calls)]);
    transcript.apply(&asked("1"));
    assert_eq!(states(&transcript), [CallState::Asking, CallState::Waiting]);
    assert_eq!(transcript.questions().len(), 1);
    assert_eq!(transcript.place(), (1, vec!["write_file", "write_file"]));
    transcript.apply(&answered("1"));
    assert_eq!(
        states(&transcript),
        [CallState::Running, CallState::Waiting]
    );
    assert!(transcript.questions().is_empty());
    transcript.apply(&asked("2"));
    // Asked again by a kernel that resumes the run, it is one question still.
    transcript.apply(&asked("2"));
    assert_eq!(transcript.questions().len(), 1);
    transcript.break_off();
    assert_eq!(
        states(&transcript),
        [CallState::Waiting, CallState::Waiting]
    );
    assert!(transcript.questions().is_empty());
}

#[test]
fn what_the_user_did_not_allow_is_told_from_what_failed() {
    let mut unchanged = result(3, "2", Outcome::Ok);
    if let Entry::ToolResult(result) = &mut unchanged.entry {
        result.cached = true;
    }
    let calls = vec![call("1", "write_file"), call("2", "read_file")];
    let transcript = check(&[
        AgentEvent::Recorded(user(0)),
        AgentEvent::Recorded(assistant(1, 1, "", calls)),
        asked("1"),
        answered("1"),
        AgentEvent::Recorded(result(2, "1", Outcome::Denied)),
        AgentEvent::Recorded(unchanged),
    ]);
    assert_eq!(states(&transcript), [CallState::Denied, CallState::Ok]);
    assert!(transcript.call("2").is_some_and(|call| call.cached));
}

#[test]
fn what_takes_a_while_is_told_until_the_next_event() {
    let mut transcript = Transcript::of(&[user(0)]);
    transcript.apply(&AgentEvent::Compacting);
    transcript.apply(&AgentEvent::Context(ContextUse::default()));
    assert_eq!(transcript.busy(), Some(Busy::Compacting));
    transcript.apply(&started(1));
    assert_eq!(transcript.busy(), None);
    transcript.apply(&AgentEvent::Judging);
    assert_eq!(transcript.busy(), Some(Busy::Judging));
    transcript.break_off();
    assert_eq!(transcript.busy(), None);
}

#[test]
fn a_question_that_comes_before_its_message_is_not_lost() {
    let mut transcript = Transcript::of(&[user(0)]);
    let calls = vec![call("1", "ask_user")];
    let tool_started = AgentEvent::ToolStarted {
        round: 1,
        call_id: "1".into(),
    };
    for event in [
        asked("1"),
        AgentEvent::Recorded(assistant(1, 1, "", calls)),
        tool_started,
    ] {
        transcript.apply(&event);
        assert_eq!(transcript.questions().len(), 1);
    }
    assert_eq!(states(&transcript), [CallState::Asking]);
}

#[test]
fn a_run_stands_in_the_round_that_is_open_or_comes_next() {
    let place = |records: &[Record]| {
        let transcript = Transcript::of(records);
        let (round, open) = transcript.place();
        (round, open.len())
    };
    let calls = vec![call("1", "read_file")];
    let records = [
        user(0),
        assistant(1, 1, "", calls),
        result(2, "1", Outcome::Ok),
        stopped(3, StopReason::Cancelled),
        user(4),
    ];
    assert_eq!(place(&records[..1]), (1, 0));
    assert_eq!(place(&records[..2]), (1, 1));
    assert_eq!(place(&records[..3]), (2, 0));
    assert_eq!(place(&records), (1, 0));
}
