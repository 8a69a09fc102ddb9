//! What stands between rounds: words during the run, rules, steps, judgements,
//! shortenings, the answer handed in.

use super::*;
use crate::kernel::session::{Compaction, Summary, TodoState};

fn task(seq: u64, mode: Mode, rounds: Option<u32>) -> Record {
    let text = "Mend it".into();
    record(seq, Entry::User { text, mode, rounds })
}

fn todo(seq: u64, states: &[TodoState]) -> Record {
    let item = |state: &TodoState| TodoItem {
        text: "A step".into(),
        state: *state,
    };
    let items = states.iter().map(item).collect();
    record(seq, Entry::Todo { items })
}

fn finish(seq: u64, round: u32, id: &str, answer: &str) -> Record {
    let call = ToolCall {
        arguments: format!("{{\"answer\": \"{answer}\"}}"),
        ..call(id, "finish")
    };
    assistant(seq, round, "", vec![call])
}

/// The kinds of the items, in order.
fn kinds(transcript: &Transcript) -> Vec<&'static str> {
    let kind = |item: &Item| match item {
        Item::User(user) if user.sent == Sent::DuringRun => "steer",
        Item::User(_) => "task",
        Item::Round(_) => "round",
        Item::Nudge(_) => "nudge",
        Item::Rules { .. } => "rules",
        Item::Todo(_) => "todo",
        Item::Critique(_) => "critique",
        Item::Compaction(_) => "compaction",
        Item::Answer(_) => "answer",
        Item::Stop(_) => "stop",
    };
    transcript.items().iter().map(kind).collect()
}

#[test]
fn a_run_has_one_list_of_steps_that_changes_where_it_stands() {
    use TodoState::{Doing, Done, Open};
    let transcript = check(&[
        AgentEvent::Recorded(user(0)),
        started(1),
        AgentEvent::Recorded(assistant(1, 1, "", vec![call("1", "todo")])),
        AgentEvent::Recorded(todo(2, &[Doing, Open])),
        AgentEvent::Recorded(result(3, "1", Outcome::Ok)),
        started(2),
        AgentEvent::Recorded(assistant(4, 2, "", vec![call("2", "todo")])),
        AgentEvent::Recorded(todo(5, &[Done, Doing])),
        AgentEvent::Recorded(result(6, "2", Outcome::Ok)),
        AgentEvent::Recorded(stopped(7, StopReason::Completed)),
        AgentEvent::Recorded(user(8)),
        AgentEvent::Recorded(todo(9, &[Open])),
    ]);
    assert_eq!(
        kinds(&transcript),
        ["task", "round", "todo", "round", "stop", "task", "todo"]
    );
    let Item::Todo(items) = &transcript.items()[2] else {
        panic!("{:?}", transcript.items());
    };
    let states: Vec<TodoState> = items.iter().map(|item| item.state).collect();
    assert_eq!(states, [Done, Doing]);
}

#[test]
fn a_changed_list_of_steps_touches_its_card_alone() {
    let mut transcript = Transcript::of(&[user(0), todo(1, &[TodoState::Open])]);
    transcript.apply(&started(1));
    let again = AgentEvent::Recorded(todo(2, &[TodoState::Done]));
    assert_eq!(transcript.apply(&again), Touched::Item(1));
}

#[test]
fn a_word_during_the_run_is_told_from_a_task() {
    let text = "Also b.md".to_owned();
    let transcript = check(&[
        AgentEvent::Recorded(task(0, Mode::Plan, Some(40))),
        AgentEvent::Recorded(record(1, Entry::Steer { text })),
        AgentEvent::Recorded(stopped(2, StopReason::RoundLimit { limit: 40 })),
    ]);
    assert_eq!(kinds(&transcript), ["task", "steer", "stop"]);
    let [Item::User(first), _, Item::Stop(stop)] = transcript.items() else {
        panic!("{:?}", transcript.items());
    };
    let (mode, rounds) = (Mode::Plan, Some(40));
    assert_eq!(first.sent, Sent::Task { mode, rounds });
    assert_eq!(stop.rounds, rounds);
}

#[test]
fn the_answer_that_was_handed_in_stands_before_the_end() {
    let critique = |seq, passed| {
        let text = String::new();
        let attempt = 1;
        record(
            seq,
            Entry::Critique {
                attempt,
                passed,
                text,
                spent: None,
            },
        )
    };
    let transcript = check(&[
        AgentEvent::Recorded(task(0, Mode::Reflect, None)),
        AgentEvent::Recorded(finish(1, 1, "1", "Done")),
        AgentEvent::Recorded(result(2, "1", Outcome::Ok)),
        AgentEvent::Judging,
        AgentEvent::Recorded(critique(3, false)),
        AgentEvent::Recorded(finish(4, 2, "2", "Now it is done")),
        AgentEvent::Recorded(result(5, "2", Outcome::Ok)),
        AgentEvent::Recorded(critique(6, true)),
        AgentEvent::Recorded(stopped(7, StopReason::Finished)),
    ]);
    assert_eq!(
        kinds(&transcript),
        [
            "task", "round", "critique", "round", "critique", "answer", "stop"
        ]
    );
    assert_eq!(
        transcript.items()[5],
        Item::Answer("Now it is done".to_owned())
    );
}

#[test]
fn rules_and_shortenings_leave_a_line() {
    let rules = Entry::Rules {
        path: "AGENTS.md".into(),
        text: "Be brief.".into(),
    };
    let compaction = Compaction {
        prune_before: 1,
        pictures_before: 0,
        summary: Some(Summary {
            until: 1,
            text: "It began.".into(),
            by_model: true,
            spent: None,
        }),
        tokens_before: 14_200,
        tokens_after: 6_100,
    };
    let transcript = check(&[
        AgentEvent::Recorded(user(0)),
        AgentEvent::Recorded(record(1, rules)),
        AgentEvent::Compacting,
        AgentEvent::Recorded(record(2, Entry::Compaction(compaction))),
    ]);
    assert_eq!(kinds(&transcript), ["task", "rules", "compaction"]);
}
