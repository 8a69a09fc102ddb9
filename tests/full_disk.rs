//! A full disk: nothing is half-done, it is told as what it is, room can be made, and then
//! everything works again.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::task::Context;

use serde_json::{Value as Json, json};
use support::archives::{bring_in, bytes, paths};
use support::endpoint::Reply;
use support::{World, block_on, task};
use tabloop::kernel::event::{AgentEvent, FailureKind, StopReason};
use tabloop::kernel::session::Entry;
use tabloop::kernel::session::rewind::Extent;
use tabloop::kernel::store::{Key, Store, Table};
use tabloop::protocol::{
    Access, Command, Event, FileProblem, Freeable, Notice, SaveOutcome, SpaceCommand, TreeChange,
    TreeOutcome, Weighed, Why,
};

fn weighed(world: &World, command: Command) -> Weighed {
    world.handle(command);
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::Weighed(weighed) => Some((**weighed).clone()),
        _ => None,
    });
    told.expect("it was weighed")
}

/// How all runs ended, also those whose end could not be saved.
fn stops(world: &World) -> Vec<StopReason> {
    let events = world.agent_events();
    let stops = events.into_iter().filter_map(|event| match event {
        AgentEvent::EndedUnsaved(reason) => Some(reason),
        AgentEvent::Recorded(record) => match record.entry {
            Entry::Stopped(ending) => Some(ending.reason),
            _ => None,
        },
        _ => None,
    });
    stops.collect()
}

fn size_of(weighed: &Weighed, what: &Freeable) -> u64 {
    let part = weighed.parts.iter().find(|part| part.what == *what);
    part.map_or(0, |part| part.bytes)
}

/// What does not pack: no two pieces of it are alike.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn contents_kept(world: &World) -> usize {
    let keys = world.store.keys(Table::Blobs, Key(Vec::new()));
    block_on(keys).unwrap().len()
}

#[test]
fn an_import_without_room_leaves_nothing_and_tells_how_much_is_missing() {
    let files: Vec<(String, Vec<u8>)> = (0..30)
        .map(|n| (format!("big/{n}.bin"), noise(n, 1 << 20)))
        .collect();
    let files: Vec<(&str, Vec<u8>)> = files
        .iter()
        .map(|(name, content)| (name.as_str(), content.clone()))
        .collect();
    // Every place at which the room can end: before, within and behind each batch.
    for spare in [0_u64, 1 << 20, 9 << 20, 17 << 20, 25 << 20, 30 << 20] {
        let world = World::new(Vec::new());
        world.put_file("mine.txt", "mine");
        let before = (paths(&world), contents_kept(&world));
        let used = world.store.used();
        world.store.set_quota(Some(used + spare + 2_000));
        let report = bring_in(&world, &files);
        if spare >= 30 << 20 {
            // Names and the commit take some room of their own.
            assert!(
                report.left_out.is_empty() || report.files == 0,
                "{report:?}"
            );
        }
        if report.left_out.is_empty() {
            continue;
        }
        let Why::Full(lacks) = report.left_out[0].why else {
            panic!("{report:?}");
        };
        assert_eq!((paths(&world), contents_kept(&world)), before, "{spare}");
        let missing = lacks.unwrap_or(0);
        let expected = (30_u64 << 20).saturating_sub(spare);
        assert!(missing.abs_diff(expected) < 10_000, "{missing} {expected}");
        assert_eq!(bytes(&world, "mine.txt"), b"mine");
        // With room it works.
        world.store.set_quota(None);
        let report = bring_in(&world, &files);
        assert_eq!((report.files, report.left_out.len()), (30, 0));
        assert_eq!(bytes(&world, "big/7.bin"), noise(7, 1 << 20));
    }
}

#[test]
fn what_the_user_does_is_told_as_not_saved_for_want_of_room() {
    let world = World::new(Vec::new());
    world.put_file("a.txt", "a");
    world.store.set_quota(Some(world.store.used()));
    world.handle(Command::SaveFile {
        path: "a.txt".into(),
        content: b"longer".to_vec(),
        base: Some(tabloop::kernel::workspace::Version::of(b"a")),
    });
    let saved = Event::FileSaved {
        path: "a.txt".into(),
        outcome: SaveOutcome::NotSaved(FileProblem::Full),
    };
    assert_eq!(world.events.borrow().last(), Some(&saved));
    let change = TreeChange::NewFile("b.txt".into());
    world.handle(Command::ChangeTree(change.clone()));
    let outcome = TreeOutcome::NotDone(FileProblem::Full);
    let told = Event::TreeChanged { change, outcome };
    assert_eq!(world.events.borrow().last(), Some(&told));
    world.limits(|limits| limits.rounds = 7);
    let notices = world.events.borrow();
    assert!(notices.contains(&Event::Notice(Notice::Full)));
    drop(notices);
    assert_eq!(bytes(&world, "a.txt"), b"a");
}

#[test]
fn what_can_go_is_weighed_and_what_goes_is_gone_and_no_more() {
    let world = World::new(vec![Reply::text("Hello."), Reply::text("Hello.")]);
    let first = world.send("one");
    let second = world.send("two");
    for n in 0..30 {
        world.put_file(&format!("{n}.bin"), noise(n, 10_000));
        world.handle(Command::ChangeTree(TreeChange::Delete(format!("{n}.bin"))));
    }
    world.put_file("kept.bin", noise(99, 10_000));
    let all = weighed(&world, Command::Weigh);
    assert_eq!(all.files, 10_000);
    let old = size_of(&all, &Freeable::OldHistory);
    let history = size_of(&all, &Freeable::History);
    assert!((200_000..220_000).contains(&old), "{old}");
    assert!((300_000..330_000).contains(&history), "{history}");
    assert!(size_of(&all, &Freeable::Traces) > 0);
    assert!(size_of(&all, &Freeable::Session(first.clone())) > 0);

    let before = world.store.used();
    let less = weighed(&world, Command::Free(Freeable::OldHistory));
    assert_eq!(size_of(&less, &Freeable::OldHistory), 0);
    let came_free = before - world.store.used();
    assert!(came_free.abs_diff(old) < 5_000, "{came_free} {old}");
    // The last changes can still be undone.
    let generation = world
        .events
        .borrow()
        .iter()
        .rev()
        .find_map(|event| match event {
            Event::TreeChanged {
                outcome: TreeOutcome::Done { generation, .. },
                ..
            } => Some(*generation),
            _ => None,
        });
    world.handle(Command::ChangeTree(TreeChange::Undo(generation.unwrap())));
    assert_eq!(bytes(&world, "29.bin"), noise(29, 10_000));

    let less = weighed(&world, Command::Free(Freeable::History));
    assert_eq!(size_of(&less, &Freeable::History), 0);
    assert_eq!(contents_kept(&world), 2);
    let less = weighed(&world, Command::Free(Freeable::Traces));
    assert_eq!(size_of(&less, &Freeable::Traces), 0);

    weighed(&world, Command::Free(Freeable::Session(first.clone())));
    let removed = Event::SessionsRemoved(vec![first.clone()]);
    assert!(world.events.borrow().contains(&removed));
    assert!(world.records(&first).is_empty());
    let again = World::over(world.store.snapshot().into(), Vec::new(), Access::Writer);
    assert_eq!(again.kernel.session_ids(), [second]);
    assert_eq!(bytes(&again, "kept.bin"), noise(99, 10_000));
}

#[test]
fn a_disk_without_a_byte_to_spare_can_be_freed_by_what_needs_none() {
    let world = World::new(vec![Reply::text("Hello.")]);
    let session = world.send("one");
    world.put_file("a.bin", noise(1, 10_000));
    world.handle(Command::ChangeTree(TreeChange::Delete("a.bin".into())));
    world.store.set_quota(Some(world.store.used()));
    // There is no room to note it.
    let told = weighed(&world, Command::Free(Freeable::History));
    assert_eq!(told.failed.as_deref(), Some(""));
    assert!(told.room.is_some_and(|room| room.free() == 0));
    let told = weighed(&world, Command::Free(Freeable::Traces));
    assert_eq!(told.failed, None);
    assert!(told.room.is_some_and(|room| room.free() > 0));
    let told = weighed(&world, Command::Free(Freeable::Session(session)));
    assert_eq!(told.failed, None);
    let told = weighed(&world, Command::Free(Freeable::History));
    assert_eq!(told.failed, None);
    assert!(told.room.is_some_and(|room| room.free() > 10_000));
}

#[test]
fn a_run_without_room_fails_as_that_wherever_it_ends_and_goes_on_once_there_is_some() {
    let call = json!({"path": "out.txt", "content": "x".repeat(20_000)});
    let mut failed = 0;
    for spare in (0..40_000).step_by(900) {
        let world = World::new(Vec::new());
        let call = call.clone();
        world.endpoint.answer_by(move |request| {
            let messages = request["messages"].as_array().unwrap();
            let wrote = |message: &Json| {
                let text = message["content"].as_str().unwrap_or_default();
                message["role"] == "tool" && text.starts_with("Wrote")
            };
            match messages.iter().any(wrote) {
                true => Reply::text("Done."),
                false => Reply::calls(&[("write_file", call.clone())]),
            }
        });
        world.put_file("mine.txt", "mine");
        world.store.set_quota(Some(world.store.used() + spare));
        world.handle(task(None, "write"));
        let ends = stops(&world);
        let Some(StopReason::Failed(failure)) = ends.last() else {
            // There was room, or not even for the task: then that is told.
            let told = Event::Notice(Notice::Full);
            assert!(
                !ends.is_empty() || world.events.borrow().contains(&told),
                "{spare}"
            );
            continue;
        };
        assert_eq!(failure.kind, FailureKind::Full, "{spare}");
        failed += 1;
        assert_eq!(bytes(&world, "mine.txt"), b"mine");
        world.store.set_quota(None);
        let session = world.session();
        world.handle(Command::Continue(session));
        assert_eq!(
            self::stops(&world).last(),
            Some(&StopReason::Completed),
            "{spare}"
        );
        assert_eq!(bytes(&world, "out.txt").len(), 20_000, "{spare}");
    }
    assert!(failed > 10, "{failed}");
}

/// Makes some history: files that come and go.
fn come_and_go(world: &World, seed: u64) {
    for n in 0..30 {
        let name = format!("{n}.bin");
        world.put_file(&name, noise(seed + n, 10_000));
        world.handle(Command::ChangeTree(TreeChange::Delete(name)));
    }
}

fn act(world: &World, command: SpaceCommand) {
    world.handle(Command::Spaces(command));
}

/// The workspace that is shown.
fn shown(world: &World) -> String {
    world.kernel.shown_workspace()
}

#[test]
fn room_is_told_and_made_in_all_workspaces_since_they_share_it() {
    let world = World::new(Vec::new());
    world.put_file("one.bin", noise(1, 10_000));
    come_and_go(&world, 100);
    let alone = weighed(&world, Command::Weigh);
    act(&world, SpaceCommand::Create("Other".into()));
    world.put_file("two.bin", noise(2, 5_000));
    come_and_go(&world, 200);
    let all = weighed(&world, Command::Weigh);
    assert_eq!(all.files, 15_000);
    for what in [Freeable::OldHistory, Freeable::History] {
        let (one, both) = (size_of(&alone, &what), size_of(&all, &what));
        assert!(both > one + one / 2, "{what:?}: {one} {both}");
    }
    // A tab that looks is told the same.
    let reader = World::over(world.store.clone(), Vec::new(), Access::Reader);
    assert_eq!(weighed(&reader, Command::Weigh).parts, all.parts);
    // The one that is not shown is freed too, also by a kernel that never opened it.
    let again = World::over(world.store.clone(), Vec::new(), Access::Writer);
    let history = size_of(&all, &Freeable::History);
    let before = again.store.used();
    let less = weighed(&again, Command::Free(Freeable::History));
    assert_eq!(size_of(&less, &Freeable::History), 0);
    let came_free = before - again.store.used();
    assert!(
        came_free.abs_diff(history) < 10_000,
        "{came_free} {history}"
    );
    assert_eq!(bytes(&again, "two.bin"), noise(2, 5_000));
    act(&again, SpaceCommand::Open("default".into()));
    assert_eq!(bytes(&again, "one.bin"), noise(1, 10_000));
}

/// Removing is cut into at every await by something else that the user does.
fn beside(
    prepare: impl Fn() -> (World, Command),
    other: impl Fn(&World) -> Command,
    check: impl Fn(&World, usize),
) {
    let mut ends = false;
    for steps in 0.. {
        let (world, free) = prepare();
        let mut freeing = world.start_slowly(free);
        let mut context = Context::from_waker(futures::task::noop_waker_ref());
        for _ in 0..steps {
            ends = freeing.as_mut().poll(&mut context).is_ready();
            if ends {
                break;
            }
        }
        if ends {
            assert!(steps > 1, "it has several steps: {steps}");
            return;
        }
        let mut other = world.start(other(&world));
        other.settle();
        support::run_on(&world.clock, freeing);
        other.finish();
        check(&world, steps);
    }
}

#[test]
fn a_session_in_which_a_run_begins_meanwhile_is_there_as_a_whole_or_not_at_all() {
    let hangs = || Reply::Hanging { body: Vec::new() };
    let mut gone = 0;
    for steps in 0.. {
        let world = World::new(vec![Reply::text("Hello."), hangs()]);
        let session = world.send("one");
        world.endpoint.taken_back.set(true);
        let mut freeing = world.start_slowly(Command::Free(Freeable::Session(session.clone())));
        let mut context = Context::from_waker(futures::task::noop_waker_ref());
        if (0..steps).any(|_| freeing.as_mut().poll(&mut context).is_ready()) {
            assert!(steps > 1 && gone > 0, "{steps} {gone}");
            break;
        }
        let run = world.start(task(Some(session.clone()), "More"));
        support::run_on(&world.clock, freeing);
        world.handle(Command::Stop(session.clone()));
        run.finish();
        let again = World::over(world.store.snapshot().into(), Vec::new(), Access::Writer);
        if world.kernel.session_ids().contains(&session) {
            let ends = [StopReason::Completed, StopReason::Cancelled];
            assert_eq!(world.reasons(&session), ends, "{steps}");
            assert_eq!(again.kernel.session_ids(), [session]);
            continue;
        }
        gone += 1;
        // Who sent it is told, and nothing of it is left.
        assert!(!world.store.dump().contains(&session), "{steps}");
        let left = Event::Notice(Notice::Left);
        assert!(world.events.borrow().contains(&left), "{steps}");
        assert!(again.kernel.session_ids().is_empty());
    }
}

#[test]
fn a_workspace_that_is_deleted_meanwhile_gets_no_rows() {
    let prepare = || {
        let world = World::new(Vec::new());
        act(&world, SpaceCommand::Create("Other".into()));
        come_and_go(&world, 1);
        let id = shown(&world);
        act(&world, SpaceCommand::Open("default".into()));
        come_and_go(&world, 2);
        world.put_file(&id, "its name");
        (world, Command::Free(Freeable::History))
    };
    let id = |world: &World| paths(world).remove(0);
    let delete = |world: &World| Command::Spaces(SpaceCommand::Delete(id(world)));
    beside(prepare, delete, |world, steps| {
        let key = || Key::new([id(world).as_str().into()]);
        for table in [
            Table::Workspaces,
            Table::Nodes,
            Table::Blobs,
            Table::Checkpoints,
        ] {
            let rows = block_on(world.store.keys(table, key())).unwrap();
            assert_eq!(rows, [], "{steps}");
        }
        let told = weighed(world, Command::Weigh);
        assert_eq!(size_of(&told, &Freeable::History), 0, "{steps}");
    });
}

#[test]
fn what_is_taken_back_while_such_parts_go_can_be_brought_in_again() {
    let prepare = || {
        let world = World::new(vec![Reply::text("Hello.")]);
        world.send("one");
        (world, Command::Free(Freeable::TakenBack))
    };
    let undo = |world: &World| Command::Undo {
        session: world.session(),
        seq: None,
        extent: Extent::Chat,
    };
    let with_some = || {
        let (world, free) = prepare();
        let session = world.session();
        world.handle(undo(&world));
        world.handle(Command::Redo(session));
        world.handle(undo(&world));
        (world, free)
    };
    let redo = |world: &World| Command::Redo(world.session());
    beside(with_some, redo, |world, steps| {
        // Brought in again before it went, or gone: no half of it.
        let session = world.session();
        let records = world.records(&session).len();
        assert!([1, 3].contains(&records), "{steps}: {records}");
    });
}
