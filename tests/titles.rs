//! Titles by the second model: asked for once, behind the end of the first run, and
//! never in anybody's way.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use support::{World, settle_on, task};
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::{Entry, Usage};
use tabloop::kernel::trace::{self, Purpose};
use tabloop::protocol::{Access, Command, Event};

const TASK: &str = "Sort the notes of the last meeting";

/// A world with a second model; what it is asked and what others are is told apart.
fn world(title: Reply) -> World {
    let world = World::new(Vec::new());
    world.limits(|limits| limits.second_model = "small".into());
    answer_with(&world, title);
    world
}

fn answer_with(world: &World, title: Reply) {
    world
        .endpoint
        .answer_by(move |body| match is_of_title(body) {
            true => title.clone(),
            false => Reply::text("Sorted."),
        });
}

fn is_of_title(body: &Json) -> bool {
    let system = body["messages"][0]["content"].as_str().unwrap_or_default();
    system.starts_with("You name a conversation")
}

/// Requests for a title.
fn asked(world: &World) -> Vec<Json> {
    let sent = world.endpoint.requests().into_iter();
    sent.map(|sent| sent.body).filter(is_of_title).collect()
}

fn hanging() -> Reply {
    let body = format!("data: {}\n\n", delta(json!({ "content": "Me" }))).into_bytes();
    Reply::Hanging { body }
}

/// Each title record.
fn titled(world: &World, session: &str) -> Vec<(Option<String>, Option<Usage>)> {
    let records = world.records(session).into_iter();
    let titled = |entry| match entry {
        Entry::Titled { title, spent } => Some((title, spent)),
        _ => None,
    };
    records.filter_map(|record| titled(record.entry)).collect()
}

#[test]
fn the_second_model_names_the_session_after_its_first_run() {
    let world = world(Reply::text("\"Meeting notes sorted.\"\n"));
    let session = world.send(TASK);
    assert_eq!(world.state(&session).title, "Meeting notes sorted");
    let requests = asked(&world);
    assert_eq!(
        (requests.len(), &requests[0]["model"]),
        (1, &json!("small"))
    );
    let material = requests[0]["messages"][1]["content"].as_str().unwrap();
    assert!(material.contains(TASK) && material.contains("Sorted."));
    assert!(requests[0].get("tools").is_none());
    // The list shows it also after a reload, and it is never asked for again.
    let heir = World::over(Rc::new(world.store.snapshot()), Vec::new(), Access::Writer);
    answer_with(&heir, Reply::text("Another"));
    assert_eq!(heir.state(&session).title, "Meeting notes sorted");
    heir.handle(task(Some(session.clone()), "More"));
    assert!(asked(&heir).is_empty());
    assert_eq!(heir.state(&session).title, "Meeting notes sorted");
    check_transcript(&heir.records(&session));
}

#[test]
fn what_it_took_is_in_the_trace_and_in_the_account() {
    let world = world(Reply::text("Notes"));
    let session = world.send(TASK);
    let spent = Usage {
        prompt_tokens: 10,
        completion_tokens: 2,
        cached_tokens: 0,
    };
    assert_eq!(
        titled(&world, &session),
        [(Some("Notes".into()), Some(spent))]
    );
    let rounds = support::block_on(trace::load(&*world.store, &session)).unwrap();
    let told: Vec<(Purpose, &str, Option<Usage>)> = rounds
        .iter()
        .map(|round| (round.purpose, round.model.as_str(), round.usage))
        .collect();
    assert_eq!(
        told,
        [
            (Purpose::Round, "test-model", Some(spent)),
            (Purpose::Title, "small", Some(spent))
        ]
    );
    // The run had ended: its tokens count into the next one.
    world.handle(task(Some(session.clone()), "More"));
    let ending = world.records(&session).pop().unwrap();
    assert!(matches!(ending.entry, Entry::Stopped(ending) if ending.usage == Some(spent + spent)));
}

#[test]
fn without_a_second_model_nothing_is_asked() {
    let world = World::new(vec![Reply::text("Sorted.")]);
    let session = world.send(TASK);
    assert_eq!(world.endpoint.requests().len(), 1);
    assert_eq!(world.state(&session).title, TASK);
    // The demo needs no second model, and has none.
    world.limits(|limits| limits.second_model = "small".into());
    world.handle(Command::UseDemo);
    let session = world.send(TASK);
    assert_eq!(world.endpoint.requests().len(), 1);
    assert_eq!(world.state(&session).title, TASK);
}

#[test]
fn a_run_that_does_not_end_well_and_a_sub_agent_get_none() {
    let failed = world(Reply::text("Never"));
    failed.endpoint.answer_by(|_| Reply::error(400, "no"));
    let session = failed.send(TASK);
    assert_eq!(failed.endpoint.requests().len(), 1);
    // Nor does the session when a later run of it ends well.
    answer_with(&failed, Reply::text("Never"));
    failed.handle(Command::Continue(session.clone()));
    assert_eq!(
        failed.reasons(&session).last(),
        Some(&StopReason::Completed)
    );
    assert!(asked(&failed).is_empty());

    let parent = world(Reply::text("Delegated"));
    parent.endpoint.answer_by(|body| {
        let messages = body["messages"].as_array().unwrap();
        match (is_of_title(body), &messages[1]["content"], messages.len()) {
            (true, ..) => Reply::text("Delegated"),
            (_, first, 2) if first == TASK => Reply::calls(&[("task", json!({ "prompt": "x" }))]),
            _ => Reply::text("Done."),
        }
    });
    let session = parent.send(TASK);
    assert_eq!(asked(&parent).len(), 1);
    assert_eq!(parent.state(&session).title, "Delegated");
}

#[test]
fn failing_leaves_the_title_without_a_word() {
    let endless = || Reply::text("\n---\n");
    for reply in [
        Reply::error(500, "busy"),
        Reply::Unreachable,
        hanging(),
        endless(),
    ] {
        let world = world(reply);
        let session = world.send(TASK);
        assert_eq!(asked(&world).len(), 1, "tried once");
        assert_eq!(world.state(&session).title, TASK);
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
        let events = world.events.borrow();
        assert!(!events.iter().any(|event| matches!(event, Event::Notice(_))));
        drop(events);
        world.handle(task(Some(session.clone()), "More"));
        assert_eq!(asked(&world).len(), 1, "never twice");
        check_transcript(&world.records(&session));
    }
}

#[test]
fn a_secret_is_in_neither_request_nor_title() {
    let secret = "v3-Ry9-tale-Secret-18";
    let world = world(Reply::text(&format!("Token {secret}")));
    world.put_file(".env", format!("API_TOKEN={secret}\n"));
    let session = world.send(&format!("Use {secret}"));
    assert_eq!(world.state(&session).title, "Token [redacted: API_TOKEN]");
    let requests = world.endpoint.requests();
    assert!(requests.iter().all(|sent| !sent.raw.contains(secret)));
    let rounds = support::block_on(trace::load(&*world.store, &session)).unwrap();
    assert!(!format!("{rounds:?}").contains(secret));
}

#[test]
fn the_end_is_told_before_and_the_next_task_does_not_wait() {
    let world = world(hanging());
    let mut first = world.start_slowly(task(None, TASK));
    assert!(
        settle_on(first.as_mut()).is_pending(),
        "the title is awaited"
    );
    let session = world.session();
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert!(!world.state(&session).running);
    world.handle(task(Some(session.clone()), "More"));
    assert_eq!(world.reasons(&session).len(), 2);
    assert_eq!(asked(&world).len(), 1);
}

#[test]
fn a_title_that_comes_during_the_next_run_is_given_at_its_end() {
    let world = world(Reply::text("Meeting notes"));
    world.endpoint.delay_ms.set(5);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    world.endpoint.answer_by(|body| match is_of_title(body) {
        true => Reply::text("Meeting notes"),
        false if body["messages"].to_string().contains("More") => hanging(),
        false => Reply::text("Sorted."),
    });
    let mut first = world.start_slowly(task(None, TASK));
    while asked(&world).is_empty() {
        if settle_on(first.as_mut()).is_pending() {
            world.clock.advance_to_next();
        }
    }
    let session = world.session();
    let mut second = world.start(task(Some(session.clone()), "More"));
    world.clock.advance_to_next();
    assert!(!second.settle());
    assert!(settle_on(first.as_mut()).is_ready());
    assert_eq!(world.state(&session).title, TASK);
    assert!(
        titled(&world, &session).is_empty(),
        "the transcript is in use"
    );
    world.handle(Command::Stop(session.clone()));
    assert!(second.settle());
    assert_eq!(world.state(&session).title, "Meeting notes");
    assert_eq!(titled(&world, &session).len(), 1);
    check_transcript(&world.records(&session));
}
