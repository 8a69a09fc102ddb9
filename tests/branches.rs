//! Branches: a task worked on again keeps what came of it before, one goes between them, and
//! each is sent, gone back in and kept as if it were the only one.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::endpoint::{Reply, delta};
use support::{World, task};
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::branches::{Fork, branches};
use tabloop::kernel::session::rewind::Extent;
use tabloop::kernel::session::{Entry, Record, records};
use tabloop::kernel::store::memory::{Fault, MemoryStore};
use tabloop::kernel::store::{Key, Store, Table};
use tabloop::protocol::{Access, Command, Event, Notice, SessionCommand, SessionEvent};

fn write(path: &str, content: &str) -> (&'static str, serde_json::Value) {
    ("write_file", json!({ "path": path, "content": content }))
}

fn again(session: &str, task: u64, text: Option<&str>, files: bool) -> Command {
    Command::Sessions(SessionCommand::Fork {
        session: session.to_owned(),
        task,
        text: text.map(str::to_owned),
        files,
    })
}

fn switch(session: &str, branch: u64) -> Command {
    Command::Sessions(SessionCommand::Switch {
        session: session.to_owned(),
        branch,
    })
}

fn copy(session: &str, until: Option<u64>) -> Command {
    Command::Sessions(SessionCommand::Copy {
        session: session.to_owned(),
        until,
    })
}

/// Where the session parts, as the page was told last.
fn forks(world: &World) -> Vec<Fork> {
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::SessionOpened { forks, .. } => Some(forks.clone()),
        _ => None,
    });
    told.unwrap()
}

/// The numbers of the tasks.
fn tasks(records: &[Record]) -> Vec<u64> {
    let tasks = records
        .iter()
        .filter(|record| matches!(record.entry, Entry::User { .. }));
    tasks.map(|record| record.seq).collect()
}

/// What was said, in order.
fn said(world: &World, session: &str) -> Vec<String> {
    let said = world.records(session).into_iter();
    let said = said.filter_map(|record| match record.entry {
        Entry::User { text, .. } => Some(text),
        Entry::Assistant(message) if message.calls.is_empty() => Some(message.text),
        _ => None,
    });
    said.collect()
}

/// What the last request says, but for the system's words.
fn sent(world: &World) -> Vec<String> {
    let messages = world.endpoint.last_messages().into_iter().skip(1);
    let text = |message: serde_json::Value| message["content"].as_str().unwrap_or("").to_owned();
    messages.map(text).collect()
}

fn turn(world: &World, command: Command) {
    world.endpoint.taken_back.set(true);
    world.handle(command);
}

fn two_tasks(replies: &[&str]) -> (World, String) {
    let world = World::new(replies.iter().map(|text| Reply::text(text)).collect());
    let id = world.send("One");
    world.handle(task(Some(id.clone()), "Two"));
    (world, id)
}

#[test]
fn an_edited_task_is_sent_in_the_place_of_the_old_one_which_is_kept() {
    let (world, id) = two_tasks(&["A", "B", "C", "D"]);
    let whole = world.records(&id);
    let second = tasks(&whole)[1];
    turn(&world, again(&id, second, Some("Two, please"), false));
    assert_eq!(said(&world, &id), ["One", "A", "Two, please", "C"]);
    assert_eq!(sent(&world), ["One", "A", "Two, please"]);
    assert_eq!(world.reasons(&id).last(), Some(&StopReason::Completed));
    let fork = &forks(&world)[0];
    let new = tasks(&world.records(&id))[1];
    assert_eq!((fork.task, fork.is_of_task, fork.at), (new, true, 1));
    assert_eq!((fork.ways[0].is_some(), fork.ways[1]), (true, None));

    // Back to the old one, which is as it was, and on from there.
    let old = fork.ways[0].unwrap();
    turn(&world, switch(&id, old));
    assert_eq!(world.records(&id), whole);
    let fork = forks(&world).remove(0);
    assert_eq!((fork.task, fork.at, fork.ways.len()), (second, 0, 2));
    turn(&world, task(Some(id.clone()), "Three"));
    assert_eq!(said(&world, &id), ["One", "A", "Two", "B", "Three", "D"]);
    assert_eq!(sent(&world), ["One", "A", "Two", "B", "Three"]);
    // No number is given twice.
    let old: Vec<u64> = whole.iter().map(|record| record.seq).collect();
    let now = world.records(&id);
    let more = now
        .iter()
        .map(|record| record.seq)
        .filter(|seq| !old.contains(seq));
    assert!(more.min().unwrap() > new);

    // Also for a kernel that has only what is stored.
    let next = World::over(world.store.clone(), Vec::new(), Access::Writer);
    next.handle(Command::OpenSession(id.clone()));
    let other = forks(&next)[0].ways[1].unwrap();
    next.handle(switch(&id, other));
    assert_eq!(said(&next, &id), ["One", "A", "Two, please", "C"]);
}

#[test]
fn an_answer_is_given_again_and_again() {
    let (world, id) = two_tasks(&["A", "B", "C", "D"]);
    let second = tasks(&world.records(&id))[1];
    for _ in 0..2 {
        turn(&world, again(&id, second, None, false));
    }
    assert_eq!(said(&world, &id), ["One", "A", "Two", "D"]);
    assert_eq!(sent(&world), ["One", "A", "Two"]);
    let fork = &forks(&world)[0];
    assert_eq!((fork.task, fork.is_of_task, fork.at), (second, false, 2));
    assert_eq!(fork.ways.len(), 3);
    for (at, answer) in [(0, "B"), (1, "C"), (2, "D"), (1, "C")] {
        let way = forks(&world)[0].ways[at].unwrap();
        world.handle(switch(&id, way));
        assert_eq!(said(&world, &id), ["One", "A", "Two", answer]);
        assert_eq!(forks(&world)[0].at, at);
    }
}

#[test]
fn branches_of_branches_come_with_them() {
    let (world, id) = two_tasks(&["A", "B", "C", "D", "E"]);
    let [first, second] = tasks(&world.records(&id))[..] else {
        panic!("two tasks")
    };
    turn(&world, again(&id, second, None, false));
    turn(&world, again(&id, first, Some("Uno"), false));
    assert_eq!(said(&world, &id), ["Uno", "D"]);
    assert_eq!(forks(&world).len(), 1);
    let old = forks(&world)[0].ways[0].unwrap();
    world.handle(switch(&id, old));
    assert_eq!(said(&world, &id), ["One", "A", "Two", "C"]);
    let told: Vec<(u64, bool, usize)> = forks(&world)
        .iter()
        .map(|fork| (fork.task, fork.is_of_task, fork.at))
        .collect();
    assert_eq!(told, [(first, true, 0), (second, false, 1)]);
}

#[test]
fn files_are_put_back_where_that_is_asked_for_and_only_those_of_the_branch() {
    let world = World::new(vec![
        Reply::calls(&[write("a", "1")]),
        Reply::text("A"),
        Reply::calls(&[write("b", "2")]),
        Reply::text("B"),
        Reply::calls(&[write("c", "3")]),
        Reply::text("C"),
        Reply::text("D"),
    ]);
    let id = world.send("One");
    world.handle(task(Some(id.clone()), "Two"));
    let second = tasks(&world.records(&id))[1];
    turn(&world, again(&id, second, Some("Zwei"), true));
    let files = |world: &World| ["a", "b", "c"].map(|path| world.file(path).is_some());
    assert_eq!(files(&world), [true, false, true]);
    // The old one again: its file is not back, and what it did is not meant any more.
    let old = forks(&world)[0].ways[0].unwrap();
    world.handle(switch(&id, old));
    assert_eq!(files(&world), [true, false, true]);
    turn(&world, again(&id, second, None, true));
    assert_eq!(files(&world), [true, false, true]);
    assert_eq!(said(&world, &id), ["One", "A", "Two", "D"]);
}

#[test]
fn files_that_others_changed_since_are_kept_and_nothing_happens() {
    let world = World::new(vec![
        Reply::calls(&[write("a", "1")]),
        Reply::text("A"),
        Reply::calls(&[write("a", "2")]),
        Reply::text("B"),
    ]);
    let id = world.send("One");
    world.send("Elsewhere");
    let whole = world.records(&id);
    let first = tasks(&whole)[0];
    world.handle(again(&id, first, Some("Uno"), true));
    let told = world
        .events
        .borrow()
        .iter()
        .rev()
        .find_map(|event| match event {
            Event::Notice(Notice::NotUndone { path }) => Some(path.clone()),
            _ => None,
        });
    assert_eq!(told, Some(Some("a".to_owned())));
    assert_eq!(
        (world.records(&id), world.file("a").as_deref()),
        (whole, Some("2"))
    );
    // The session is free again.
    turn(&world, task(Some(id.clone()), "More"));
    assert_eq!(world.reasons(&id).len(), 2);
}

#[test]
fn undoing_in_a_branch_leaves_the_files_of_others() {
    let world = World::new(vec![
        Reply::calls(&[write("a", "1")]),
        Reply::text("A"),
        Reply::calls(&[write("b", "2")]),
        Reply::text("B"),
    ]);
    let id = world.send("One");
    let first = tasks(&world.records(&id))[0];
    turn(&world, again(&id, first, None, false));
    let old = forks(&world)[0].ways[0].unwrap();
    world.handle(switch(&id, old));
    let round = world.records(&id)[1].seq;
    world.handle(Command::Undo {
        session: id.clone(),
        seq: Some(round),
        extent: Extent::Both,
    });
    assert_eq!(
        (world.file("a"), world.file("b").as_deref()),
        (None, Some("2"))
    );
    world.handle(Command::Redo(id.clone()));
    assert_eq!(world.file("a").as_deref(), Some("1"));
    assert_eq!(said(&world, &id), ["One", "A"]);
}

#[test]
fn what_was_taken_back_is_kept_as_a_branch_when_one_goes_elsewhere() {
    let (world, id) = two_tasks(&["A", "B", "C"]);
    let [first, second] = tasks(&world.records(&id))[..] else {
        panic!("two tasks")
    };
    world.handle(Command::Undo {
        session: id.clone(),
        seq: Some(second),
        extent: Extent::Chat,
    });
    assert_eq!(said(&world, &id), ["One", "A"]);
    turn(&world, again(&id, first, Some("Uno"), false));
    let old = forks(&world)[0].ways[0].unwrap();
    world.handle(switch(&id, old));
    assert_eq!(said(&world, &id), ["One", "A"]);
    let store: &dyn Store = &*world.store;
    let aside = support::block_on(branches(store, &id)).unwrap();
    let taken_back = aside.iter().find(|branch| branch.first == second).unwrap();
    world.handle(switch(&id, taken_back.n));
    assert_eq!(said(&world, &id), ["One", "A", "Two", "B"]);
}

#[test]
fn a_branch_that_follows_what_is_forgotten_stays_whole() {
    let (world, id) = two_tasks(&["A", "B", "C", "D"]);
    let second = tasks(&world.records(&id))[1];
    turn(&world, again(&id, second, None, false));
    // The answer and its task are taken back, and something else is said.
    world.handle(Command::Undo {
        session: id.clone(),
        seq: Some(second),
        extent: Extent::Chat,
    });
    turn(&world, task(Some(id.clone()), "Else"));
    assert_eq!(said(&world, &id), ["One", "A", "Else", "D"]);
    world.handle(Command::OpenSession(id.clone()));
    let fork = forks(&world).remove(0);
    assert_eq!((fork.is_of_task, fork.ways.len()), (true, 2));
    world.handle(switch(&id, fork.ways[0].unwrap()));
    assert_eq!(said(&world, &id), ["One", "A", "Two", "B"]);
}

#[test]
fn a_run_that_was_cut_off_is_so_again_in_its_branch() {
    let world = World::new(vec![Reply::text("A"), Reply::Unreachable]);
    let id = world.send("One");
    let second_world = {
        let started = world.start(task(Some(id.clone()), "Two"));
        // The tab is closed in the middle.
        drop(started);
        World::over(world.store.clone(), vec![Reply::text("C")], Access::Writer)
    };
    let world = second_world;
    assert!(world.state(&id).interrupted);
    let second = tasks(&world.records(&id))[1];
    turn(&world, again(&id, second, Some("Zwei"), false));
    assert_eq!(said(&world, &id), ["One", "A", "Zwei", "C"]);
    assert!(!world.state(&id).interrupted);
    world.handle(switch(&id, forks(&world)[0].ways[0].unwrap()));
    assert!(world.state(&id).interrupted);
    turn(&world, Command::Continue(id.clone()));
    assert_eq!(said(&world, &id), ["One", "A", "Two", "C"]);
}

#[test]
fn a_session_with_a_run_is_not_branched() {
    let begun = format!("data: {}\n\n", delta(json!({ "content": "We" })));
    let hanging = Reply::Hanging {
        body: begun.into_bytes(),
    };
    let world = World::new(vec![Reply::text("A"), Reply::text("B"), hanging]);
    let id = world.send("One");
    world.handle(task(Some(id.clone()), "Two"));
    let second = tasks(&world.records(&id))[1];
    world.endpoint.taken_back.set(true);
    let mut run = world.start(again(&id, second, None, false));
    let before = all(&world.store, &id);
    let way = forks(&world)[0].ways[0].unwrap();
    world.handle(again(&id, second, None, false));
    world.handle(switch(&id, way));
    world.handle(copy(&id, None));
    assert_eq!(all(&world.store, &id), before);
    let events = world.events.borrow().clone();
    let refused = |event: &&Event| matches!(event, Event::Notice(Notice::AlreadyRunning));
    assert_eq!(events.iter().filter(refused).count(), 3);
    world.handle(Command::Stop(id.clone()));
    assert!(run.settle());
    assert_eq!(world.reasons(&id).last(), Some(&StopReason::Cancelled));
    world.handle(switch(&id, way));
    assert_eq!(said(&world, &id), ["One", "A", "Two", "B"]);
}

/// All that a session has, branches too.
fn all(store: &MemoryStore, id: &str) -> String {
    let rows = |table| support::block_on(store.list(table, Key::new([id.into()]))).unwrap();
    format!("{:?}{:?}", rows(Table::Messages), rows(Table::Journal))
}

#[test]
fn whatever_fails_there_is_the_one_or_the_other() {
    let (world, id) = two_tasks(&["A", "B", "C"]);
    let before = all(&world.store, &id);
    let second = tasks(&world.records(&id))[1];
    world.store.fail_at(world.store.batches(), Fault::Full);
    world.handle(again(&id, second, None, false));
    assert_eq!(all(&world.store, &id), before);
    turn(&world, again(&id, second, None, false));
    let after = all(&world.store, &id);
    let way = forks(&world)[0].ways[0].unwrap();
    world.store.fail_at(world.store.batches(), Fault::Full);
    world.handle(switch(&id, way));
    assert_eq!(all(&world.store, &id), after);
    world.handle(switch(&id, way));
    assert_eq!(said(&world, &id), ["One", "A", "Two", "B"]);
    // What is no branch any more changes nothing.
    let now = all(&world.store, &id);
    world.handle(switch(&id, way));
    assert_eq!(all(&world.store, &id), now);
}

#[test]
fn a_killed_kernel_goes_on_with_the_task_as_it_was_edited() {
    let (world, id) = two_tasks(&["A", "B", "C"]);
    let second = tasks(&world.records(&id))[1];
    let before = world.records(&id);
    // The storage closes at each batch of it, as where the browser is killed.
    for n in 0..6 {
        let world = World::over(
            std::rc::Rc::new(world.store.snapshot()),
            vec![Reply::text("C")],
            Access::Writer,
        );
        world
            .store
            .fail_at(world.store.batches() + n, Fault::Closed);
        world.handle(again(&id, second, Some("Zwei"), false));
        let kept = std::rc::Rc::new(world.store.snapshot());
        let next = World::over(kept, vec![Reply::text("C")], Access::Writer);
        let now = next.records(&id);
        if now == before {
            assert!(n == 0 && !next.state(&id).interrupted);
            continue;
        }
        if next.state(&id).interrupted {
            next.handle(Command::Continue(id.clone()));
        }
        assert_eq!(said(&next, &id), ["One", "A", "Zwei", "C"], "{n}");
        next.handle(Command::OpenSession(id.clone()));
        next.handle(switch(&id, forks(&next)[0].ways[0].unwrap()));
        assert_eq!(next.records(&id), before);
    }
}

#[test]
fn a_session_begins_with_a_part_of_another() {
    let (world, id) = two_tasks(&["A", "B", "C"]);
    let whole = world.records(&id);
    let second = tasks(&whole)[1];
    let begun = |world: &World| {
        let events = world.events.borrow();
        let told = events.iter().rev().find_map(|event| match event {
            Event::Sessions(SessionEvent::Begun { id, draft }) => Some((id.clone(), draft.clone())),
            _ => None,
        });
        told.unwrap()
    };
    world.handle(copy(&id, Some(second)));
    let (part, draft) = begun(&world);
    assert_eq!(draft, "Two");
    assert_eq!(said(&world, &part), ["One", "A"]);
    assert_eq!(world.state(&part).title, "One (2)");
    assert!(!world.state(&part).interrupted);
    turn(&world, task(Some(part.clone()), "Other"));
    assert_eq!(said(&world, &part), ["One", "A", "Other", "C"]);
    assert_eq!(world.records(&id), whole);

    world.handle(copy(&part, None));
    let (third, draft) = begun(&world);
    assert_eq!(
        (draft.as_str(), world.state(&third).title.as_str()),
        ("", "One (3)")
    );
    assert_eq!(world.records(&third), world.records(&part));
    let store: &dyn Store = &*world.store;
    let mut stored = support::block_on(records(store, &third)).unwrap();
    stored.truncate(1);
    assert_eq!(stored[0].entry, whole[0].entry);
}

#[test]
fn rows_of_earlier_builds_are_one_straight_conversation() {
    let row = r#"{"id":"s","workspace":"main","title":"Old","created_ms":1,"updated_ms":2,"running":false}"#;
    let session: tabloop::kernel::session::Session =
        tabloop::kernel::store::Value::Json(row.into())
            .parse()
            .unwrap();
    assert_eq!(session.marks, tabloop::kernel::session::Marks::default());
}
