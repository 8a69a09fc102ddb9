//! Going back: rounds are taken back in files, conversation or both, and brought in
//! again; what others did stays, and nothing happens by halves.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::World;
use support::endpoint::Reply;
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::rewind::Extent;
use tabloop::kernel::session::{Entry, Record};
use tabloop::kernel::store::memory::Fault;
use tabloop::kernel::workspace::Begins;
use tabloop::protocol::{Access, Command, Event, Notice};

fn write(path: &str, content: &str) -> (&'static str, serde_json::Value) {
    ("write_file", json!({ "path": path, "content": content }))
}

fn replies() -> Vec<Reply> {
    vec![
        Reply::calls(&[write("a", "1")]),
        Reply::calls(&[write("a", "2"), write("b", "2")]),
        Reply::text("Done."),
    ]
}

fn undo(session: &str, seq: Option<u64>, extent: Extent) -> Command {
    Command::Undo {
        session: session.to_owned(),
        seq,
        extent,
    }
}

fn files(world: &World) -> [Option<String>; 2] {
    [world.file("a"), world.file("b")]
}

fn own(a: &str, b: &str) -> [Option<String>; 2] {
    [a, b].map(|text| (!text.is_empty()).then(|| text.to_owned()))
}

/// The numbers of the model's messages.
fn messages(records: &[Record]) -> Vec<u64> {
    let messages = records
        .iter()
        .filter(|record| matches!(record.entry, Entry::Assistant(_)));
    messages.map(|record| record.seq).collect()
}

fn refusals(world: &World) -> Vec<Option<String>> {
    let events = world.events.borrow();
    let refused = events.iter().filter_map(|event| match event {
        Event::Notice(Notice::NotUndone { path }) => Some(path.clone()),
        _ => None,
    });
    refused.collect()
}

#[test]
fn a_round_is_taken_back_and_brought_in_again_in_files_and_chat() {
    let world = World::new(replies());
    let session = world.send("Go");
    let whole = world.records(&session);
    let rounds = messages(&whole);
    assert_eq!((files(&world), rounds.len()), (own("2", "2"), 3));

    world.handle(undo(&session, None, Extent::Both));
    assert_eq!(files(&world), own("1", ""));
    assert_eq!(messages(&world.records(&session)), rounds[..1]);
    assert!(world.state(&session).interrupted);
    world.handle(undo(&session, None, Extent::Both));
    assert_eq!(files(&world), own("", ""));
    assert!(messages(&world.records(&session)).is_empty());

    // Also by a kernel that has only what is stored.
    let world = World::over(world.store.clone(), replies(), Access::Writer);
    world.handle(Command::Redo(session.clone()));
    assert_eq!(files(&world), own("1", ""));
    world.handle(Command::Redo(session.clone()));
    assert_eq!(files(&world), own("2", "2"));
    assert_eq!(world.records(&session), whole);
    assert!(!world.state(&session).interrupted);
    world.handle(Command::Redo(session.clone()));
    assert_eq!(refusals(&world), [None]);
}

#[test]
fn files_and_chat_are_gone_back_in_each_alone() {
    let world = World::new(replies());
    let session = world.send("Go");
    let whole = world.records(&session);
    world.handle(undo(&session, None, Extent::Files));
    assert_eq!(files(&world), own("1", ""));
    assert_eq!(world.records(&session), whole);
    world.handle(Command::Redo(session.clone()));
    assert_eq!(files(&world), own("2", "2"));
    let first = messages(&whole)[0];
    world.handle(undo(&session, Some(first), Extent::Chat));
    assert_eq!(files(&world), own("2", "2"));
    assert!(messages(&world.records(&session)).is_empty());
    world.handle(Command::Redo(session.clone()));
    assert_eq!(world.records(&session), whole);
}

#[test]
fn after_something_new_the_numbers_go_on_and_nothing_is_brought_in() {
    let mut all = replies();
    all.extend([Reply::calls(&[write("a", "new")]), Reply::text("Done.")]);
    let world = World::new(all);
    let session = world.send("Go");
    let whole = world.records(&session);
    let first = messages(&whole)[0];
    world.handle(undo(&session, Some(first), Extent::Both));
    world.endpoint.taken_back.set(true);
    world.handle(support::task(Some(session.clone()), "Another way"));
    assert_eq!(files(&world), own("new", ""));
    let records = world.records(&session);
    let last = whole.last().unwrap().seq;
    let new = messages(&records);
    assert!(new.iter().all(|seq| *seq > last), "{new:?}");
    assert_eq!(world.reasons(&session).last(), Some(&StopReason::Completed));
    world.handle(Command::Redo(session.clone()));
    assert_eq!(refusals(&world), [None]);
    // The new round is one of its own.
    world.handle(undo(&session, None, Extent::Both));
    assert_eq!(files(&world), own("", ""));
    world.handle(Command::Redo(session.clone()));
    assert_eq!(files(&world), own("new", ""));
    assert_eq!(world.records(&session), records);
}

#[test]
fn what_another_session_has_changed_since_is_not_overwritten() {
    let mut all = replies();
    all.extend([Reply::calls(&[write("b", "other")]), Reply::text("Done.")]);
    let world = World::new(all);
    let session = world.send("Go");
    let whole = world.records(&session);
    world.handle(support::task(None, "Something else"));
    world.handle(undo(&session, None, Extent::Both));
    assert_eq!(refusals(&world), [Some("b".to_owned())]);
    assert_eq!(files(&world), own("2", "other"));
    assert_eq!(world.records(&session), whole);
}

#[test]
fn every_checkpoint_is_gone_back_to() {
    let world = World::new(replies());
    world.send("Go");
    let checkpoints = || {
        world.handle(Command::ListCheckpoints);
        let events = world.events.borrow();
        let told = events.iter().rev().find_map(|event| match event {
            Event::Checkpoints(listed) => Some(listed.clone()),
            _ => None,
        });
        let listed = told.unwrap().into_iter();
        listed.map(|one| one.checkpoint).collect::<Vec<_>>()
    };
    let rounds = checkpoints();
    assert_eq!(rounds.len(), 2);
    assert!(
        rounds
            .iter()
            .all(|at| matches!(at.begins, Begins::Round(_)))
    );
    world.handle(Command::Restore(rounds[1].generation));
    assert_eq!(files(&world), own("1", ""));
    world.handle(Command::Restore(rounds[0].generation));
    assert_eq!(files(&world), own("", ""));
    let back = checkpoints();
    assert_eq!(back.len(), 4);
    world.handle(Command::Restore(back[2].generation));
    assert_eq!(files(&world), own("2", "2"));
    world.handle(Command::Restore(99));
    assert_eq!(refusals(&world), [None]);
}

#[test]
fn a_full_disk_leaves_files_and_chat_as_they_were() {
    let world = World::new(replies());
    let session = world.send("Go");
    let whole = world.records(&session);
    for command in [
        undo(&session, None, Extent::Both),
        undo(&session, None, Extent::Chat),
    ] {
        world.store.fail_at(world.store.batches(), Fault::Full);
        world.handle(command);
        assert_eq!(files(&world), own("2", "2"));
        assert_eq!(world.records(&session), whole);
    }
    world.handle(undo(&session, None, Extent::Both));
    assert_eq!(files(&world), own("1", ""));
}
