//! Requests that fail in passing are sent again, with a count-down; others are not.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use support::{World, task};
use tabloop::kernel::clock::Clock;
use tabloop::kernel::event::{AgentEvent, FailureKind, Retry, StopReason};
use tabloop::kernel::session::Entry;
use tabloop::protocol::Command;

fn retries(world: &World) -> Vec<Retry> {
    let events = world.agent_events().into_iter();
    let retry = |event| match event {
        AgentEvent::Retrying(retry) => Some(retry),
        _ => None,
    };
    events.filter_map(retry).collect()
}

#[test]
fn waits_grow_and_are_told() {
    let world = World::new(vec![Reply::error(503, "")]);
    let before = world.clock.now_ms();
    let session = world.send("Go");
    let told = retries(&world);
    let attempts: Vec<u32> = told.iter().map(|retry| retry.attempt).collect();
    assert_eq!(attempts, [2, 3, 4, 5]);
    for (retry, base) in told.iter().zip([1_000, 2_000, 4_000, 8_000]) {
        let fits = base * 3 / 4..=base * 5 / 4;
        assert!(
            fits.contains(&retry.wait_ms),
            "{} for {base}",
            retry.wait_ms
        );
        assert_eq!(retry.failure.kind, FailureKind::Server);
    }
    let waited: u64 = told.iter().map(|retry| retry.wait_ms).sum();
    assert_eq!(world.clock.now_ms() - before, waited);
    assert_eq!(world.endpoint.requests().len(), 5);
    assert_eq!(world.reasons(&session).len(), 1);
}

#[test]
fn what_passes_is_got_over_and_nothing_of_it_is_left() {
    let half = format!("data: {}\n\n", delta(json!({ "content": "Half of" }))).into_bytes();
    let world = World::new(vec![
        Reply::Unreachable,
        Reply::error(429, "slow down"),
        Reply::Broken { body: half },
        Reply::error(529, "overloaded"),
        Reply::text("All of it."),
    ]);
    let session = world.send("Go");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let records = world.records(&session);
    check_transcript(&records);
    assert!(
        !records
            .iter()
            .any(|record| matches!(record.entry, Entry::Partial { .. }))
    );
    let kinds: Vec<FailureKind> = retries(&world)
        .iter()
        .map(|retry| retry.failure.kind)
        .collect();
    let expected = [
        FailureKind::Network,
        FailureKind::RateLimited,
        FailureKind::Truncated,
        FailureKind::Server,
    ];
    assert_eq!(kinds, expected);
    // All tries sent the same.
    let sent = world.endpoint.requests();
    assert!(sent.iter().all(|request| request.raw == sent[0].raw));
}

#[test]
fn the_wait_that_a_host_asks_for_is_kept() {
    let later = |retry_after| Reply::Later {
        status: 429,
        retry_after,
    };
    let world = World::new(vec![later("20"), Reply::text("Hi")]);
    world.send("Go");
    assert_eq!(retries(&world)[0].wait_ms, 20_000);
    let told = r#"{"error":{"message":"Rate limit reached. Please try again in 1.5s."}}"#;
    let world = World::new(vec![Reply::error(429, told), Reply::text("Hi")]);
    world.send("Go");
    assert_eq!(retries(&world)[0].wait_ms, 1_500);
    // Nobody wants to wait for an hour: the reason is told instead.
    let world = World::new(vec![later("3600")]);
    let session = world.send("Go");
    assert!(retries(&world).is_empty());
    assert_eq!(world.reasons(&session)[0].name(), "Failed");
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    for (status, body) in [
        (401, ""),
        (402, ""),
        (403, ""),
        (400, "no"),
        (422, "no"),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
        ),
    ] {
        let world = World::new(vec![Reply::error(status, body)]);
        world.send("Go");
        assert_eq!(world.endpoint.requests().len(), 1, "{status} {body}");
    }
}

#[test]
fn a_silent_host_is_not_waited_for_for_ever() {
    let half = format!("data: {}\n\n", delta(json!({ "content": "Half of" }))).into_bytes();
    let world = World::new(vec![Reply::Hanging { body: half }, Reply::text("Hi")]);
    let before = world.clock.now_ms();
    let session = world.send("Go");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let told = retries(&world);
    assert_eq!(told[0].failure.kind, FailureKind::Idle);
    assert_eq!(world.clock.now_ms() - before, 120_000 + told[0].wait_ms);
}

#[test]
fn stop_ends_the_wait() {
    let world = World::new(vec![Reply::error(503, ""), Reply::text("Hi")]);
    let mut run = world.start(task(None, "Go"));
    assert_eq!(retries(&world).len(), 1);
    let session = world.session();
    world.handle(Command::Stop(session.clone()));
    assert!(run.settle(), "the run ends at once");
    assert_eq!(world.reasons(&session), [StopReason::Cancelled]);
    assert_eq!(world.endpoint.requests().len(), 1);
    check_transcript(&world.records(&session));
}
