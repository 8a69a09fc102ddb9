//! The trace: what was sent and came back in each round, apart from the transcript.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::World;
use support::endpoint::Reply;
use tabloop::kernel::trace::{ExportFormat, RoundTrace};
use tabloop::protocol::{Command, Event};

fn trace(world: &World, session: &str) -> Vec<RoundTrace> {
    world.handle(Command::OpenTrace(session.into()));
    match world.events.borrow().last() {
        Some(Event::TraceOpened { rounds, .. }) => rounds.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_round_is_traced_and_its_requests_can_be_put_together_again() {
    let world = World::new(vec![
        Reply::calls(&[
            ("write_file", json!({ "path": "a", "content": "x" })),
            ("read_file", json!({ "path": "none" })),
        ]),
        Reply::error(503, "busy"),
        Reply::text("Done."),
    ]);
    let session = world.send("Go");
    let rounds = trace(&world, &session);
    let numbers: Vec<u32> = rounds.iter().map(|round| round.round).collect();
    assert_eq!(numbers, [1, 2]);
    let calls: Vec<(&str, bool)> = rounds[0]
        .results
        .iter()
        .map(|call| (call.name.as_str(), call.ok))
        .collect();
    assert_eq!(calls, [("write_file", true), ("read_file", false)]);
    assert_eq!(rounds[1].retries.len(), 1);
    assert_eq!(
        (rounds[1].status, rounds[1].model.as_str()),
        (200, "test-model")
    );
    assert!(rounds[1].response.contains("Done."));
    assert_eq!(rounds[1].usage.unwrap().prompt_tokens, 10);
    let sent = world.endpoint.requests();
    assert_eq!(rounds[0].request, sent[0].raw);
    let mut whole = String::new();
    for (round, sent) in rounds.iter().zip([&sent[0], &sent[2]]) {
        whole.truncate(round.same_bytes as usize);
        whole += &round.request;
        assert!(
            sent.raw.starts_with(&whole),
            "{whole}\nis not the start of\n{}",
            sent.raw
        );
    }
}

#[test]
fn a_round_that_fails_is_traced_too() {
    let world = World::new(vec![Reply::error(401, "bad key")]);
    let session = world.send("Go");
    let rounds = trace(&world, &session);
    assert_eq!(rounds.len(), 1);
    assert_eq!(rounds[0].status, 401);
    assert_eq!(rounds[0].failure.as_deref(), Some("401 bad key"));
}

#[test]
fn it_is_handed_out_and_removed_without_harm() {
    let world = World::new(vec![Reply::text("Done."), Reply::text("Again.")]);
    let session = world.send("Go");
    for (format, mark) in [
        (ExportFormat::Json, "tabloop-trace"),
        (ExportFormat::Otlp, "resourceSpans"),
    ] {
        world.handle(Command::ExportTrace {
            session: session.clone(),
            format,
        });
        let events = world.events.borrow();
        let Some(Event::FileBytes { path, bytes }) = events.last() else {
            panic!("{:?}", events.last());
        };
        assert!(path.ends_with(".json"));
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains(mark), "{text}");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
    world.handle(Command::ClearTrace(session.clone()));
    assert!(trace(&world, &session).is_empty());
    assert_eq!(world.records(&session).len(), 3);
    world.handle(support::task(Some(session.clone()), "More"));
    assert_eq!(trace(&world, &session).len(), 1);
}
