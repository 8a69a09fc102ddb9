//! Every reason for a run to end, reached through a scripted model; the nudge
//! before it, and that going on is possible after it.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use support::World;
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::{Entry, Mode, Topic};
use tabloop::protocol::Command;

fn list() -> Reply {
    Reply::calls(&[("list_dir", json!({}))])
}

fn ending_with(finish: &str, text: &str) -> Reply {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] });
    Reply::stream(&[delta(json!({ "content": text })), end])
}

/// A message that calls a tool and counts so many tokens.
fn counted(prompt: u64, completion: u64, n: usize) -> Reply {
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "list_dir", "arguments": json!({ "depth": n }).to_string() } }] });
    let end = json!({
        "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": prompt, "completion_tokens": completion },
    });
    Reply::stream(&[delta(call), end])
}

fn nudges(world: &World, session: &str) -> Vec<Topic> {
    let records = world.records(session).into_iter();
    let nudge = |entry| match entry {
        Entry::Nudge { about, .. } => Some(about),
        _ => None,
    };
    records.filter_map(|record| nudge(record.entry)).collect()
}

fn run(world: &World) -> (String, StopReason) {
    let session = world.send("Go");
    check_transcript(&world.records(&session));
    let reason = world.reasons(&session).pop().unwrap();
    (session, reason)
}

#[test]
fn going_round_in_circles_is_told_and_then_stopped() {
    let world = World::new(vec![list()]);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::NoProgress);
    assert_eq!(nudges(&world, &session), [Topic::NoProgress]);
    assert_eq!(world.endpoint.requests().len(), 4);
    let told = world.endpoint.last_messages().pop().unwrap();
    let told = told["content"].as_str().unwrap();
    assert!(
        told.starts_with("[Tabloop] You have made the same calls three times"),
        "{told}"
    );
    // The user may let it go on; the count begins anew.
    world.handle(Command::Continue(session.clone()));
    assert_eq!(world.reasons(&session).len(), 2);
    assert_eq!(world.endpoint.requests().len(), 8);
}

#[test]
fn a_poll_that_sees_a_change_is_no_circle() {
    let mut replies = Vec::new();
    for n in 0..8 {
        replies.push(Reply::calls(&[(
            "append_file",
            json!({ "path": "log", "content": format!("{n}\n") }),
        )]));
        replies.push(Reply::calls(&[("read_file", json!({ "path": "log" }))]));
    }
    replies.push(Reply::text("Done."));
    let world = World::new(replies);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::Completed);
    let circles = nudges(&world, &session);
    assert!(!circles.contains(&Topic::NoProgress), "{circles:?}");
}

#[test]
fn a_tool_that_fails_again_and_again_is_told_and_then_stopped() {
    let missing = |n: usize| {
        let path = format!("missing-{n}.md");
        Reply::calls(&[
            ("read_file", json!({ "path": path })),
            ("list_dir", json!({ "depth": n })),
        ])
    };
    let world = World::new((1..9).map(missing).collect());
    let (session, reason) = run(&world);
    let tool = "read_file".to_owned();
    assert_eq!(reason, StopReason::ToolFailures { tool });
    assert_eq!(nudges(&world, &session), [Topic::ToolFailures]);
    assert_eq!(world.endpoint.requests().len(), 5);
    let told = world.endpoint.requests()[3].raw.clone();
    assert!(told.contains("read_file has failed 3 times running, the last time with: Error: there is no file missing-3.md"), "{told}");
}

#[test]
fn tokens_are_counted_and_capped() {
    let world = World::new((1..9).map(|n| counted(300, 50, n)).collect());
    world.limits(|limits| limits.kilo_tokens = 1);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::TokenBudget { limit: 1_000 });
    // 350 a round: warned behind the third of 1,050? No: 700 is below four fifths.
    assert_eq!(world.endpoint.requests().len(), 3);
    assert!(nudges(&world, &session).is_empty());
    let world = World::new((1..9).map(|n| counted(250, 50, n)).collect());
    world.limits(|limits| limits.kilo_tokens = 1);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::TokenBudget { limit: 1_000 });
    assert_eq!(nudges(&world, &session), [Topic::Budget]);
}

#[test]
fn without_counts_tokens_are_estimated() {
    let long = "word ".repeat(400);
    let reply = |n: usize| {
        Reply::calls(&[(
            "write_file",
            json!({ "path": format!("{n}.md"), "content": long }),
        )])
    };
    let uncounted = |reply| match reply {
        Reply::Body {
            status,
            body,
            piece,
        } => {
            let text = String::from_utf8(body).unwrap();
            let usage = r#","usage":{"completion_tokens":2,"prompt_tokens":10}"#;
            let other = r#","usage":{"prompt_tokens":10,"completion_tokens":2}"#;
            let body = text.replace(usage, "").replace(other, "").into_bytes();
            Reply::Body {
                status,
                body,
                piece,
            }
        }
        other => other,
    };
    let world = World::new((1..9).map(|n| uncounted(reply(n))).collect());
    world.limits(|limits| limits.kilo_tokens = 4);
    let (_, reason) = run(&world);
    assert_eq!(reason, StopReason::TokenBudget { limit: 4_000 });
    assert!((2..5).contains(&world.endpoint.requests().len()));
}

#[test]
fn money_is_counted_and_capped_where_prices_are_known() {
    let world = World::new((1..9).map(|n| counted(100_000, 0, n)).collect());
    world.limits(|limits| {
        limits.kilo_tokens = 0;
        limits.cents = 50;
        // Two dollars a million: 20 cents a round.
        limits.price_in = 20_000;
    });
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::CostCap { limit: 500_000 });
    assert_eq!(world.endpoint.requests().len(), 3);
    let ending = world.records(&session).pop().unwrap();
    assert!(matches!(ending.entry, Entry::Stopped(ending) if ending.cost == Some(600_000)));
}

#[test]
fn the_time_of_a_run_is_its_own_and_not_the_clock_s() {
    // Four waits of nearly five minutes between tries are none of its work.
    let later = || Reply::Later {
        status: 503,
        retry_after: "299",
    };
    let mut replies = vec![later(), later(), later(), later()];
    replies.push(Reply::text("Done."));
    let world = World::new(replies);
    world.limits(|limits| limits.minutes = 1);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::Completed);
    assert_eq!(took_ms(&world, &session), 0);
    // A silent host's time is, for as long as it is waited for.
    let silent = || Reply::Hanging { body: Vec::new() };
    let world = World::new(vec![silent()]);
    world.limits(|limits| {
        limits.minutes = 9;
        limits.idle_seconds = 100;
    });
    let (session, reason) = run(&world);
    let StopReason::Failed(failure) = reason else {
        panic!("{reason:?}");
    };
    assert_eq!(failure.kind, tabloop::kernel::event::FailureKind::Idle);
    assert_eq!(world.endpoint.requests().len(), 5);
    assert_eq!(took_ms(&world, &session), 500_000);
}

#[test]
fn a_run_ends_when_it_has_worked_for_as_long_as_it_may() {
    let world = World::new((1..90).map(|n| counted(1, 1, n)).collect());
    world.limits(|limits| {
        limits.minutes = 1;
        limits.rounds = 500;
    });
    // Each request takes twenty seconds to be answered.
    world.endpoint.delay_ms.set(20_000);
    let (_, reason) = {
        use tabloop::kernel::clock::Clock;
        world.endpoint.clock.replace(Some(world.clock.clone()));
        let before = world.clock.now_ms();
        let ended = run(&world);
        assert_eq!(world.clock.now_ms() - before, 60_000);
        ended
    };
    assert_eq!(reason, StopReason::TimeLimit { minutes: 1 });
}

#[test]
fn text_that_is_cut_off_is_continued_three_times() {
    let world = World::new(vec![
        ending_with("length", "One, "),
        ending_with("length", "two, "),
        Reply::text("three."),
    ]);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::Completed);
    assert_eq!(nudges(&world, &session), [Topic::Length; 2]);

    let world = World::new(vec![ending_with("length", "La, ")]);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::LengthLimit);
    assert_eq!(nudges(&world, &session), [Topic::Length; 3]);
    assert_eq!(world.endpoint.requests().len(), 4);
}

#[test]
fn a_call_that_is_cut_off_is_never_run() {
    let call = json!({ "tool_calls": [
        { "index": 0, "id": "a", "function": { "name": "write_file", "arguments": "{\"path\":\"a\",\"content\":\"whole\"}" } },
        { "index": 1, "id": "b", "function": { "name": "write_file", "arguments": "{\"path\":\"b\",\"content\":\"\"}" } },
    ] });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "length" }] });
    let world = World::new(vec![
        Reply::stream(&[delta(call), end]),
        Reply::text("Sorry."),
    ]);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::Completed);
    assert_eq!(world.file("a").as_deref(), Some("whole"));
    assert_eq!(world.file("b"), None);
    assert!(world.results(&session)[1].starts_with("Error: the message was cut off"));
}

#[test]
fn what_a_filter_held_back_ends_the_run() {
    let world = World::new(vec![ending_with("content_filter", "")]);
    assert_eq!(run(&world).1, StopReason::ContentFilter);
}

#[test]
fn finish_ends_the_run_with_its_answer() {
    let world = World::new(vec![Reply::calls(&[(
        "finish",
        json!({ "answer": "All done." }),
    )])]);
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::Finished);
    assert_eq!(world.endpoint.requests().len(), 1);
    // A finish without an answer is told, and the run goes on.
    let world = World::new(vec![
        Reply::calls(&[("finish", json!({ "answer": " " }))]),
        Reply::text("Oh."),
    ]);
    assert_eq!(run(&world).1, StopReason::Completed);
    assert!(!world.results(&session).is_empty() || !session.is_empty());
}

#[test]
fn a_task_may_have_a_round_limit_of_its_own() {
    let world = World::new((1..9).map(|n| counted(1, 1, n)).collect());
    world.handle(Command::Send {
        session: None,
        text: "Go".into(),
        mode: Mode::Act,
        rounds: Some(3),
    });
    let session = world.session();
    assert_eq!(
        world.reasons(&session),
        [StopReason::RoundLimit { limit: 3 }]
    );
}

#[test]
fn the_task_is_said_again_every_five_rounds_with_the_open_steps() {
    let todo = json!({ "items": [
        { "text": "Look", "state": "done" },
        { "text": "Write", "state": "open" },
    ] });
    let mut replies = vec![Reply::calls(&[("todo", todo)])];
    replies.extend((1..12).map(|n| counted(1, 1, n)));
    replies.push(Reply::text("Done."));
    let world = World::new(replies);
    let session = world.send("Tidy the notes\nand sort them");
    assert_eq!(nudges(&world, &session), [Topic::Reminder; 2]);
    let said: Vec<Json> = world.endpoint.last_messages();
    let said = said
        .iter()
        .filter_map(|message| message["content"].as_str())
        .find(|text| text.starts_with("[Tabloop] Keep"));
    assert_eq!(
        said,
        Some("[Tabloop] Keep to the task: \"Tidy the notes and sort them\". Open steps: 2. Write")
    );
}

#[test]
fn a_long_task_without_spaces_is_said_again_too() {
    let mut replies: Vec<Reply> = (1..7).map(|n| counted(1, 1, n)).collect();
    replies.push(Reply::text("Done."));
    let world = World::new(replies);
    world.send(&"数".repeat(300));
    let said = world.endpoint.last_messages();
    let reminder = said
        .iter()
        .filter_map(|message| message["content"].as_str())
        .find(|text| text.starts_with("[Tabloop] Keep"));
    assert!(reminder.unwrap().contains(&"数".repeat(200)));
}

#[test]
fn the_same_long_result_is_no_progress_either() {
    let world = World::new(vec![Reply::calls(&[("list_dir", json!({ "depth": 9 }))])]);
    for n in 0..450 {
        world.put_file(
            &format!("a-rather-long-name-of-a-directory/file-{n:05}.txt"),
            "x",
        );
    }
    world.limits(|limits| limits.window = 8_192);
    assert_eq!(run(&world).1, StopReason::NoProgress);
}

#[test]
fn a_host_that_only_keeps_the_connection_open_does_not_carry_a_run_past_its_time() {
    use tabloop::kernel::clock::Clock;
    let said = format!("data: {}\n\n", delta(json!({ "content": "Well" })));
    let kept_alive = |body: &str| Reply::KeptAlive {
        body: body.as_bytes().to_vec(),
        every_ms: 10_000,
    };
    // Before the first word, in the middle of the message, and in a request beside it.
    let judged = vec![Reply::text("Done."), kept_alive("")];
    let cases = [
        (vec![kept_alive("")], Mode::Act, 1),
        (vec![kept_alive(&said)], Mode::Act, 1),
        (judged, Mode::Reflect, 2),
    ];
    for (replies, mode, requests) in cases {
        let world = World::new(replies);
        world.endpoint.clock.replace(Some(world.clock.clone()));
        world.limits(|limits| limits.minutes = 2);
        let before = world.clock.now_ms();
        world.handle(Command::Send {
            session: None,
            text: "Go".into(),
            mode,
            rounds: None,
        });
        let session = world.session();
        assert_eq!(
            world.reasons(&session),
            [StopReason::TimeLimit { minutes: 2 }]
        );
        assert_eq!(world.clock.now_ms() - before, 120_000);
        assert_eq!(world.endpoint.requests().len(), requests);
        check_transcript(&world.records(&session));
    }
}

#[test]
fn a_host_that_may_be_silent_for_long_does_not_carry_a_run_past_its_time() {
    use tabloop::kernel::clock::Clock;
    let said = format!("data: {}\n\n", delta(json!({ "content": "Well" }))).into_bytes();
    for body in [Vec::new(), said] {
        let world = World::new(vec![Reply::Hanging { body }]);
        world.limits(|limits| {
            limits.minutes = 20;
            limits.idle_seconds = 3_600;
        });
        let before = world.clock.now_ms();
        let (_, reason) = run(&world);
        assert_eq!(reason, StopReason::TimeLimit { minutes: 20 });
        assert_eq!(world.clock.now_ms() - before, 20 * 60_000);
    }
}

#[test]
fn a_slow_host_s_time_counts_and_a_laptop_s_sleep_does_not() {
    // Each answer takes six minutes, and all of it is the run's work.
    let world = World::new((1..9).map(|n| counted(1, 1, n)).collect());
    world.limits(|limits| {
        limits.minutes = 30;
        limits.idle_seconds = 3_600;
        limits.rounds = 500;
    });
    world.endpoint.delay_ms.set(6 * 60_000);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    let (session, reason) = run(&world);
    assert_eq!(reason, StopReason::TimeLimit { minutes: 30 });
    assert_eq!(took_ms(&world, &session), 30 * 60_000);
    // The machine sleeps for a night in the middle of a request: the timers fire late.
    let world = World::new(vec![list(), Reply::text("Done.")]);
    world.endpoint.delay_ms.set(1_000);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    let run = world.start(support::task(None, "Go"));
    world
        .clock
        .advance(std::time::Duration::from_secs(9 * 3_600));
    run.finish();
    let session = world.session();
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert!(took_ms(&world, &session) < 60_000);
}

fn took_ms(world: &World, session: &str) -> u64 {
    match world.records(session).pop().unwrap().entry {
        Entry::Stopped(ending) => ending.took_ms,
        other => panic!("{other:?}"),
    }
}
