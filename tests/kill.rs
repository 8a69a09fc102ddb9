//! A kernel killed at any await loses nothing it told as done, does nothing
//! twice, and its successor can go on.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::RefCell;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::future::LocalBoxFuture;
use serde_json::json;
use support::World;
use support::endpoint::Reply;
use support::invariants::check_transcript;
use tabloop::kernel::event::{AgentEvent, Failure, FailureKind, StopReason};
use tabloop::kernel::session::{Entry, Outcome, Record};
use tabloop::kernel::store::memory::Fault;
use tabloop::protocol::{Access, Command, Event, Notice};

fn replies() -> Vec<Reply> {
    let append = |text: &str| ("append_file", json!({ "path": "log", "content": text }));
    vec![
        Reply::calls(&[append("1"), ("list_dir", json!({})), append("2")]),
        Reply::calls(&[
            ("read_file", json!({ "path": "log" })),
            ("list_dir", json!({})),
        ]),
        Reply::calls(&[append("3")]),
        Reply::text("Done."),
    ]
}

fn told_records(world: &World) -> Vec<Record> {
    let recorded = world
        .agent_events()
        .into_iter()
        .filter_map(|event| match event {
            AgentEvent::Recorded(record) => Some(record),
            _ => None,
        });
    recorded.collect()
}

#[test]
fn killed_after_every_step() {
    for steps in 1.. {
        let world = World::new(replies());
        let kernel = world.kernel.clone();
        let mut run: LocalBoxFuture<'_, ()> = Box::pin(async move {
            kernel
                .handle(support::task(None, "Go"))
                .await;
        });
        let mut context = Context::from_waker(futures::task::noop_waker_ref());
        let ended = (0..steps).any(|_| run.as_mut().poll(&mut context) == Poll::Ready(()));
        drop(run);
        if ended {
            assert!(steps > 100, "the run has many steps: {steps}");
            break;
        }
        let told = told_records(&world);
        let session = world.session();
        let heir = World::over(
            Rc::new(world.store.snapshot()),
            vec![Reply::text("Went on.")],
            Access::Writer,
        );
        let records = heir.records(&session);
        assert!(
            records.len() >= told.len(),
            "after {steps} steps something told is gone"
        );
        assert_eq!(records[..told.len()], told, "after {steps} steps");
        if records.is_empty() {
            continue;
        }
        check_transcript(&records);
        let done = records.iter().filter(|record| matches!(&record.entry, Entry::ToolResult(result) if result.name == "append_file" && result.outcome == Outcome::Ok)).count();
        assert_eq!(
            heir.file("log").unwrap_or_default(),
            "123"[..done],
            "after {steps} steps"
        );
        if heir.reasons(&session) != [StopReason::Completed] {
            assert_eq!(
                heir.reasons(&session),
                [StopReason::Failed(Failure::new(
                    FailureKind::Interrupted,
                    ""
                ))]
            );
            heir.handle(Command::Continue(session.clone()));
            assert_eq!(heir.reasons(&session).last(), Some(&StopReason::Completed));
            check_transcript(&heir.records(&session));
        }
    }
}

#[test]
fn every_batch_that_fails_ends_the_run_in_words_and_loses_nothing() {
    let clean = World::new(replies());
    let before = clean.store.batches();
    clean.send("Go");
    let batches = clean.store.batches() - before;
    assert!(batches > 8, "{batches}");
    for fault in [Fault::Full, Fault::Closed] {
        for n in 0..batches {
            let world = World::new(replies());
            world.store.fail_at(world.store.batches() + n, fault);
            world.handle(support::task(None, "Go"));
            let told = told_records(&world);
            let session = world.session();
            let heir = World::over(
                Rc::new(world.store.snapshot()),
                vec![Reply::text("Went on.")],
                Access::Writer,
            );
            let records = heir.records(&session);
            assert_eq!(records[..told.len()], told, "{fault:?} at batch {n}");
            check_transcript(&records);
            let done = records.iter().filter(|record| matches!(&record.entry, Entry::ToolResult(result) if result.name == "append_file" && result.outcome == Outcome::Ok)).count();
            assert_eq!(
                heir.file("log").unwrap_or_default().len(),
                done,
                "{fault:?} at batch {n}"
            );
            // However it went, the user is told how it ended, exactly once.
            let events = world.agent_events();
            let ends = events.iter().filter(|event| matches!(event, AgentEvent::EndedUnsaved(_)) || matches!(event, AgentEvent::Recorded(record) if matches!(record.entry, Entry::Stopped(_)))).count();
            let refused = world
                .events
                .borrow()
                .iter()
                .any(|event| matches!(event, Event::Notice(Notice::NotSaved(_))));
            assert!(ends == 1 || refused, "{fault:?} at batch {n}: {ends} ends");
            assert!(ends <= 1, "{fault:?} at batch {n}: {ends} ends");
        }
    }
}

#[test]
fn a_tab_that_only_looks_changes_nothing_and_says_so() {
    let world = World::new(vec![Reply::text("Hi")]);
    let session = world.send("Hello");
    let before = world.store.batches();
    let reader = World::over(
        Rc::clone(&world.store),
        vec![Reply::text("No")],
        Access::Reader,
    );
    for command in [
        support::task(None, "x"),
        Command::Continue(session.clone()),
        Command::UseDemo,
        Command::SaveRoundLimit(5),
    ] {
        reader.handle(command);
        assert_eq!(
            reader.events.borrow().last(),
            Some(&Event::Notice(Notice::ReadOnly))
        );
    }
    reader.handle(Command::OpenSession(session));
    assert!(
        matches!(reader.events.borrow().last(), Some(Event::SessionOpened { records, .. }) if records.len() == 3)
    );
    assert_eq!(world.store.batches(), before);
    assert!(reader.endpoint.requests().is_empty());
}

#[test]
fn the_key_is_in_nothing_that_is_kept_or_told() {
    let world = World::new(replies());
    world.send("Go");
    let told = format!(
        "{:?}",
        world
            .events
            .borrow()
            .iter()
            .filter(|event| !matches!(event, Event::KeySealed(_)))
            .collect::<Vec<_>>()
    );
    assert!(!told.contains(support::KEY));
    assert!(!world.store.dump().contains(support::KEY));
    assert!(
        world
            .endpoint
            .requests()
            .iter()
            .all(|sent| !sent.url.contains(support::KEY) && !sent.raw.contains(support::KEY))
    );
}

#[test]
fn after_a_restart_everything_is_there_and_the_key_too() {
    let world = World::new(replies());
    let session = world.send("Go");
    let heir = World::over(
        Rc::new(world.store.snapshot()),
        vec![Reply::text("Hi")],
        Access::Writer,
    );
    let ready = heir
        .events
        .borrow()
        .iter()
        .find_map(|event| match event {
            Event::Ready(snapshot) => Some(snapshot.clone()),
            _ => None,
        })
        .unwrap();
    assert!(ready.settings.has_key);
    assert_eq!(
        ready
            .sessions
            .iter()
            .map(|session| session.id.as_str())
            .collect::<Vec<_>>(),
        [session.as_str()]
    );
    assert_eq!(
        ready
            .files
            .iter()
            .map(|row| row.path.as_str())
            .collect::<Vec<_>>(),
        ["log"]
    );
    assert_eq!(heir.records(&session), world.records(&session));
    heir.handle(support::task(Some(session), "More"));
    assert_eq!(
        heir.endpoint.requests()[0].headers[1].1,
        format!("Bearer {}", support::KEY)
    );
}

#[test]
fn without_its_key_an_endpoint_is_not_asked() {
    let world = World::new(vec![Reply::text("Hi")]);
    world.handle(Command::SaveEndpoint {
        base_url: support::BASE_URL.into(),
        key: Some("sk-other".into()),
        model: "m".into(),
    });
    let events: Rc<RefCell<Vec<Event>>> = Rc::default();
    let kernel = support::block_on(support::start_without_key(
        Rc::new(world.store.snapshot()),
        Rc::clone(&world.endpoint),
        Rc::clone(&events),
    ))
    .unwrap();
    support::block_on(kernel.handle(support::task(None, "Hello")));
    assert_eq!(
        events.borrow().last(),
        Some(&Event::Notice(Notice::KeyNeeded))
    );
    assert!(world.endpoint.requests().is_empty());
}
