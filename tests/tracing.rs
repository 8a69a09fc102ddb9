//! The trace: what was sent and came back in each round, apart from the transcript.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::World;
use support::endpoint::Reply;
use tabloop::kernel::trace::{ExportFormat, Purpose, RoundTrace};
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

#[test]
fn nudges_compactions_and_summaries_are_in_it() {
    let world = World::new(Vec::new());
    world.put_file("a.md", "some words that stand for others\n".repeat(400));
    world.limits(|limits| {
        limits.window = 16_384;
        limits.rounds = 100;
        limits.kilo_tokens = 0;
    });
    let n = std::cell::Cell::new(0);
    world.endpoint.answer_by(move |body| {
        if body["messages"][0].to_string().contains("You shorten") {
            return Reply::text("A file was read.");
        }
        n.set(n.get() + 1);
        match n.get() {
            // Other lines each time, so that it is no circle.
            n @ 1..50 => Reply::calls(&[(
                "read_file",
                json!({ "path": "a.md", "start_line": n, "end_line": 340 + n }),
            )]),
            _ => Reply::text("Read."),
        }
    });
    let session = world.send("Read it");
    let rounds = trace(&world, &session);
    let notes: Vec<&str> = rounds
        .iter()
        .flat_map(|round| round.notes.iter().map(String::as_str))
        .collect();
    for wanted in ["[Tabloop] Keep to the task", "Shortened from "] {
        assert!(
            notes.iter().any(|note| note.starts_with(wanted)),
            "{notes:?}"
        );
    }
    let summary = rounds
        .iter()
        .find(|round| round.purpose == Purpose::Summary);
    let summary = summary.expect("the summary's request is a row of its own");
    assert!(summary.request.contains("You shorten"));
    assert!(summary.response.contains("A file was read."));
    assert!(summary.usage.is_some());
}

#[test]
fn each_part_of_a_round_has_its_time() {
    let world = World::new(vec![
        Reply::calls(&[("write_file", json!({ "path": "a", "content": "x" }))]),
        Reply::text("Done."),
    ]);
    world.handle(Command::SaveApproval {
        mode: tabloop::kernel::approval::ApprovalMode::Writes,
        rules: Vec::new(),
    });
    world.endpoint.delay_ms.set(1_500);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    let mut run = world.start(support::task(None, "Go"));
    assert!(world.clock.advance_to_next() && !run.settle());
    world.clock.advance(std::time::Duration::from_secs(70));
    world.answer(tabloop::kernel::event::Reply::Once);
    run.finish();
    let rounds = trace(&world, &world.session());
    for round in &rounds {
        assert_eq!(
            [round.head_ms, round.first_ms, round.end_ms],
            [1_500; 3],
            "{round:?}"
        );
    }
    let call = &rounds[0].results[0];
    assert_eq!((call.waited_ms, call.took_ms), (70_000, 0));
    assert_eq!(rounds[1].sent_ms, rounds[0].sent_ms + 1_500 + 70_000);
}

#[test]
fn no_secret_goes_out_with_it() {
    let secret = "q9-Zx7-very-Secret-71";
    let shaped = "sk-proj-abcdefghijklmnopqrstuvwx0123456789ABCDEFGH";
    let world = World::new(vec![
        Reply::calls(&[("read_file", json!({ "path": ".env" }))]),
        Reply::text(&format!("It is {secret}, or {shaped}.")),
        Reply::error(
            401,
            &format!("{} is no key, {secret} neither", support::KEY),
        ),
    ]);
    world.put_file(".env", format!("API_TOKEN={secret}\n"));
    let session = world.send(&format!("Use {secret} and {shaped}"));
    world.handle(support::task(Some(session.clone()), "Again"));
    assert_eq!(trace(&world, &session).len(), 3);
    for format in [ExportFormat::Json, ExportFormat::Otlp] {
        world.handle(Command::ExportTrace {
            session: session.clone(),
            format,
        });
        let events = world.events.borrow();
        let Some(Event::FileBytes { bytes, .. }) = events.last() else {
            panic!("{:?}", events.last());
        };
        let text = String::from_utf8(bytes.clone()).unwrap();
        for hidden in [secret, shaped, support::KEY] {
            assert!(!text.contains(hidden), "{format:?}: {text}");
        }
    }
}
