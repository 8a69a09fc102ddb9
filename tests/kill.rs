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
use tabloop::kernel::settings::ProfileDraft;
use tabloop::kernel::store::memory::Fault;
use tabloop::protocol::{Access, Command, Event, Notice};

/// Ten rounds that write, read and look, and an answer.
fn replies() -> Vec<Reply> {
    let append = |text: &str| ("append_file", json!({ "path": "log", "content": text }));
    let read = || ("read_file", json!({ "path": "log" }));
    let edit = |old: &str, new: &str| {
        let edits = json!([{ "old_text": old, "new_text": new }]);
        ("edit_file", json!({ "path": "log", "edits": edits }))
    };
    vec![
        Reply::calls(&[append("1"), ("list_dir", json!({})), append("2")]),
        Reply::calls(&[read(), ("list_dir", json!({}))]),
        Reply::calls(&[append("3")]),
        Reply::calls(&[edit("2", "two"), append("4")]),
        Reply::calls(&[("write_file", json!({ "path": "b/c.md", "content": "c" }))]),
        Reply::calls(&[read(), ("read_file", json!({ "path": "b/c.md" }))]),
        Reply::calls(&[append("5"), ("read_file", json!({ "path": "none" }))]),
        Reply::calls(&[append("6"), append("7"), append("8")]),
        Reply::calls(&[(
            "todo",
            json!({ "items": [{ "text": "x", "state": "done" }] }),
        )]),
        Reply::calls(&[append("9")]),
        Reply::text("Done."),
    ]
}

/// What the model said and what it was told, without times.
fn told(records: &[Record]) -> Vec<String> {
    let line = |record: &Record| match &record.entry {
        Entry::Assistant(message) => {
            let calls = message.calls.iter().map(|call| call.arguments.as_str());
            Some(format!("{} {}", message.text, calls.collect::<String>()))
        }
        Entry::ToolResult(result) => Some(result.text.clone()),
        Entry::User { text, .. } | Entry::Nudge { text, .. } => Some(text.clone()),
        Entry::Stopped(ending) => Some(format!("{} {}", ending.reason.name(), ending.rounds)),
        _ => None,
    };
    records.iter().filter_map(line).collect()
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
fn killed_after_every_step_a_run_is_resumed_exactly() {
    let whole = World::new(replies());
    let session = whole.send("Go");
    let expected = told(&whole.records(&session));
    let file = whole.file("log");
    assert_eq!(file.as_deref(), Some("1two3456789"));
    for steps in 1.. {
        let world = World::new(replies());
        let kernel = world.kernel.clone();
        let mut run: LocalBoxFuture<'_, ()> = Box::pin(async move {
            kernel.handle(support::task(None, "Go")).await;
        });
        let mut context = Context::from_waker(futures::task::noop_waker_ref());
        let ended = (0..steps).any(|_| run.as_mut().poll(&mut context) == Poll::Ready(()));
        drop(run);
        if ended {
            assert!(steps > 300, "the run has many steps: {steps}");
            break;
        }
        let shown = told_records(&world);
        let session = world.session();
        let store = Rc::new(world.store.snapshot());
        let answered = world.records(&session);
        let is_message = |record: &&Record| matches!(record.entry, Entry::Assistant(_));
        let answered = answered.iter().filter(is_message).count();
        let rest = replies().split_off(answered.min(10));
        let heir = World::over(store, rest, Access::Writer);
        heir.endpoint.goes_on_from(&world.endpoint);
        let records = heir.records(&session);
        assert!(
            records.len() >= shown.len(),
            "after {steps} steps something told is gone"
        );
        assert_eq!(records[..shown.len()], shown, "after {steps} steps");
        if records.is_empty() {
            continue;
        }
        if heir.reasons(&session).is_empty() {
            assert!(heir.state(&session).interrupted, "after {steps} steps");
            heir.handle(Command::Continue(session.clone()));
        }
        let records = heir.records(&session);
        check_transcript(&records);
        assert_eq!(told(&records), expected, "after {steps} steps");
        assert_eq!(heir.file("log"), file, "after {steps} steps");
        assert!(!heir.state(&session).interrupted);
    }
}

#[test]
fn a_run_that_was_cut_off_can_be_ended_or_left_behind() {
    let cut_off = || {
        let world = World::new(replies());
        let kernel = world.kernel.clone();
        let mut run: LocalBoxFuture<'_, ()> = Box::pin(async move {
            kernel.handle(support::task(None, "Go")).await;
        });
        let mut context = Context::from_waker(futures::task::noop_waker_ref());
        for _ in 0..100 {
            assert!(run.as_mut().poll(&mut context).is_pending());
        }
        drop(run);
        let session = world.session();
        let store = Rc::new(world.store.snapshot());
        let heir = World::over(store, vec![Reply::text("Went on.")], Access::Writer);
        (heir, session)
    };
    let (heir, session) = cut_off();
    heir.handle(Command::Stop(session.clone()));
    assert_eq!(heir.reasons(&session), [StopReason::Cancelled]);
    check_transcript(&heir.records(&session));
    assert!(heir.endpoint.requests().is_empty());

    let (heir, session) = cut_off();
    heir.handle(support::task(Some(session.clone()), "Something else"));
    let interrupted = StopReason::Failed(Failure::new(FailureKind::Interrupted, ""));
    assert_eq!(heir.reasons(&session), [interrupted, StopReason::Completed]);
    check_transcript(&heir.records(&session));
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
            // What the results claim is what the file holds.
            let appended = |record: &Record| match &record.entry {
                Entry::ToolResult(result) => {
                    result.name == "append_file" && result.outcome == Outcome::Ok
                }
                _ => false,
            };
            let done = records.iter().filter(|record| appended(record)).count();
            let file = heir.file("log").unwrap_or_default().replace("two", "2");
            assert_eq!(file.len(), done, "{fault:?} at batch {n}");
            if !records.is_empty() && heir.state(&session).interrupted {
                heir.handle(Command::Stop(session.clone()));
            }
            check_transcript(&heir.records(&session));
            // However it went, the user is told how it ended, exactly once.
            let events = world.agent_events();
            let ends = events.iter().filter(|event| matches!(event, AgentEvent::EndedUnsaved(_)) || matches!(event, AgentEvent::Recorded(record) if matches!(record.entry, Entry::Stopped(_)))).count();
            let refused =
                world.events.borrow().iter().any(|event| {
                    matches!(event, Event::Notice(Notice::NotSaved(_) | Notice::Full))
                });
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
        Command::Stop(session.clone()),
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
    assert_eq!(ready.settings.with_key.len(), 1);
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
        ["b", "b/c.md", "log"]
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
    world.save(
        None,
        ProfileDraft {
            base_url: support::BASE_URL.into(),
            key: Some("sk-other".into()),
            model: "m".into(),
            ..ProfileDraft::default()
        },
    );
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
