//! Words to an open run: queued, saved, taken in at the next round, never lost.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::json;
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use support::{World, task};
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::Entry;
use tabloop::protocol::{Access, Command, Event};

fn steer(world: &World, session: &str, text: &str) {
    world.handle(Command::Steer {
        session: session.into(),
        text: text.into(),
    });
}

fn queued(world: &World) -> Vec<String> {
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::Queued { texts, .. } => Some(texts.clone()),
        _ => None,
    });
    told.unwrap_or_default()
}

fn asks() -> Reply {
    Reply::calls(&[("ask_user", json!({ "question": "Well?" }))])
}

fn said(world: &World) -> Vec<String> {
    let messages = world.endpoint.last_messages();
    let users = messages.iter().filter(|message| message["role"] == "user");
    users
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_word_goes_in_at_the_next_round() {
    let world = World::new(vec![asks(), Reply::text("As you wish.")]);
    let run = world.start(task(None, "Go"));
    let session = world.session();
    steer(&world, &session, "Only the first one");
    steer(&world, &session, "And quickly");
    assert_eq!(queued(&world), ["Only the first one", "And quickly"]);
    world.answer(tabloop::kernel::event::Reply::Text("Hm".into()));
    run.finish();
    assert_eq!(said(&world), ["Go", "Only the first one", "And quickly"]);
    assert!(queued(&world).is_empty());
    check_transcript(&world.records(&session));
}

#[test]
fn a_word_behind_the_last_answer_is_answered_too() {
    let body = format!("data: {}\n\n", delta(json!({ "content": "Once" }))).into_bytes();
    let world = World::new(vec![
        Reply::text("First."),
        Reply::text("Second."),
        Reply::Hanging { body },
    ]);
    // The word is there before the run begins to end.
    let session = world.send("Go");
    let waiting = world.start(task(Some(session.clone()), "Again"));
    drop(waiting);
    let world = World::new(vec![asks(), Reply::text("First."), Reply::text("Second.")]);
    let mut run = world.start(task(None, "Go"));
    let session = world.session();
    world.answer(tabloop::kernel::event::Reply::Text("Hm".into()));
    steer(&world, &session, "One more thing");
    assert!(run.settle());
    let texts: Vec<String> = world
        .records(&session)
        .into_iter()
        .filter_map(|record| match record.entry {
            Entry::Assistant(message) if !message.text.is_empty() => Some(message.text),
            Entry::Steer { text } => Some(text),
            _ => None,
        })
        .collect();
    assert!(texts.contains(&"One more thing".to_owned()), "{texts:?}");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
}

#[test]
fn waiting_words_survive_a_kill_and_can_be_taken_back() {
    let world = World::new(vec![asks()]);
    let run = world.start(task(None, "Go"));
    let session = world.session();
    steer(&world, &session, "Only the first one");
    drop(run);
    let heir = World::over(
        Rc::new(world.store.snapshot()),
        vec![Reply::text("As you wish.")],
        Access::Writer,
    );
    let run = heir.start_waiting();
    assert_eq!(queued(&heir), ["Only the first one"]);
    heir.handle(Command::Unsteer(session.clone()));
    assert!(queued(&heir).is_empty());
    steer(&heir, &session, "Only the last one");
    heir.answer(tabloop::kernel::event::Reply::Text("Hm".into()));
    run.finish();
    assert_eq!(said(&heir), ["Go", "Only the last one"]);
    check_transcript(&heir.records(&session));
}

#[test]
fn a_word_is_never_taken_twice() {
    let world = World::new(vec![asks(), Reply::text("Yes."), Reply::text("Again.")]);
    let run = world.start(task(None, "Go"));
    let session = world.session();
    steer(&world, &session, "A word");
    world.answer(tabloop::kernel::event::Reply::Text("Hm".into()));
    run.finish();
    let heir = World::over(
        Rc::new(world.store.snapshot()),
        vec![Reply::text("Again.")],
        Access::Writer,
    );
    heir.handle(task(Some(session.clone()), "More"));
    let words = said(&heir).iter().filter(|text| *text == "A word").count();
    assert_eq!(words, 1);
}

#[test]
fn a_word_before_the_end_is_answered_and_not_left_behind() {
    let world = World::new(vec![
        Reply::calls(&[
            ("ask_user", json!({ "question": "Well?" })),
            ("finish", json!({ "answer": "All done." })),
        ]),
        Reply::text("That too."),
    ]);
    let run = world.start(task(None, "Go"));
    let session = world.session();
    steer(&world, &session, "One more thing");
    world.answer(tabloop::kernel::event::Reply::Text("Hm".into()));
    run.finish();
    assert_eq!(said(&world).last().unwrap(), "One more thing");
    assert!(queued(&world).is_empty());
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
}
