//! Stop: at once, at any moment; afterwards the conversation can go on.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::LocalBoxFuture;
use serde_json::json;
use support::World;
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::{Entry, Outcome};
use tabloop::protocol::Command;

/// Drives a future by `polls` steps; tells whether it has ended.
fn drive(future: &mut Pin<Box<impl Future<Output = ()> + ?Sized>>, polls: usize) -> bool {
    let mut context = Context::from_waker(futures::task::noop_waker_ref());
    (0..polls).any(|_| future.as_mut().poll(&mut context) == Poll::Ready(()))
}

fn append(text: &str) -> (&'static str, serde_json::Value) {
    ("append_file", json!({ "path": "log", "content": text }))
}

#[test]
fn a_run_can_be_stopped_after_every_step_and_the_next_message_is_valid() {
    let replies = || {
        vec![
            Reply::calls(&[
                append("a"),
                append("b"),
                ("list_dir", json!({})),
                append("c"),
            ]),
            Reply::calls(&[
                ("list_dir", json!({})),
                ("read_file", json!({ "path": "log" })),
            ]),
            Reply::text("Done."),
        ]
    };
    let mut stopped = 0;
    for steps in 0.. {
        let world = World::new(replies());
        let kernel = world.kernel.clone();
        let mut run: LocalBoxFuture<'_, ()> = Box::pin(async move {
            kernel.handle(support::task(None, "Go")).await;
        });
        if drive(&mut run, steps) {
            break;
        }
        let has_session = steps > 0;
        if has_session {
            world.handle(Command::Stop(world.session()));
        }
        while !drive(&mut run, 1) {}
        let session = world.session();
        let reason = world.reasons(&session).pop().unwrap();
        if reason == StopReason::Cancelled {
            stopped += 1;
        }
        check_transcript(&world.records(&session));
        // What the results claim is what the file holds.
        let records = world.records(&session);
        let done = records.iter().filter(|record| matches!(&record.entry, Entry::ToolResult(result) if result.name == "append_file" && result.outcome == Outcome::Ok)).count();
        assert_eq!(
            world.file("log").unwrap_or_default().len(),
            done,
            "after {steps} steps"
        );
        world.handle(support::task(Some(session.clone()), "And now?"));
        check_transcript(&world.records(&session));
    }
    assert!(stopped > 20, "only {stopped} of the stops came in time");
}

#[test]
fn stop_in_mid_stream_keeps_what_was_shown() {
    let body = format!("data: {}\n\n", delta(json!({ "content": "Once upon" }))).into_bytes();
    let world = World::new(vec![Reply::Hanging { body }, Reply::text("A time.")]);
    let kernel = world.kernel.clone();
    let mut run: LocalBoxFuture<'_, ()> = Box::pin(async move {
        kernel.handle(support::task(None, "Tell")).await;
    });
    assert!(!drive(&mut run, 500), "the stream hangs");
    let session = world.session();
    world.handle(Command::Stop(session.clone()));
    assert!(drive(&mut run, 50), "the run ends at once");
    assert_eq!(world.reasons(&session), [StopReason::Cancelled]);
    assert!(
        world.records(&session).iter().any(
            |record| matches!(&record.entry, Entry::Partial { text, .. } if text == "Once upon")
        )
    );
    world.handle(support::task(Some(session.clone()), "Go on"));
    let contents: Vec<String> = world.endpoint.last_messages()[1..]
        .iter()
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(contents, ["Tell", "Go on"]);
}

#[test]
fn calls_that_were_not_run_say_so() {
    let calls: Vec<_> = (0..50).map(|_| append("x")).collect();
    let world = World::new(vec![Reply::calls(&calls), Reply::text("Stopped.")]);
    let kernel = world.kernel.clone();
    let mut run: LocalBoxFuture<'_, ()> = Box::pin(async move {
        kernel.handle(support::task(None, "Go")).await;
    });
    while world.results_so_far() < 3 {
        assert!(!drive(&mut run, 1));
    }
    let session = world.session();
    world.handle(Command::Stop(session.clone()));
    while !drive(&mut run, 1) {}
    let results = world.results(&session);
    assert_eq!(results.len(), 50);
    assert!(results[2].starts_with("Added 1 line"), "{}", results[2]);
    assert_eq!(
        results[49],
        "Error: interrupted by the user before it ran to its end; nothing was changed"
    );
    check_transcript(&world.records(&session));
}

impl World {
    fn results_so_far(&self) -> usize {
        let is_result = |event: &&tabloop::kernel::event::AgentEvent| matches!(event, tabloop::kernel::event::AgentEvent::Recorded(record) if matches!(record.entry, Entry::ToolResult(_)));
        self.agent_events().iter().filter(is_result).count()
    }
}
