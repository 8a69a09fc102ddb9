//! Several workspaces: their files and sessions don't mix, what is at work keeps its own,
//! and one that is deleted goes as a whole and alone.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::json;
use support::World;
use support::endpoint::Reply;
use tabloop::kernel::approval::ApprovalMode;
use tabloop::kernel::event::{Reply as Answer, StopReason};
use tabloop::kernel::session::rewind::Extent;
use tabloop::kernel::spaces::Spaces;
use tabloop::kernel::store::memory::Fault;
use tabloop::protocol::{
    Access, Command, Event, ImportedFile, Notice, Snapshot, SpaceCommand, SpaceCounts, TreeChange,
    WentBack,
};

fn write(path: &str, content: &str) -> Reply {
    let arguments = json!({ "path": path, "content": content });
    Reply::calls(&[("write_file", arguments)])
}

fn replies() -> Vec<Reply> {
    vec![
        write("by-agent.md", "first"),
        Reply::text("Done."),
        write("by-agent.md", "second"),
        Reply::text("Done too."),
    ]
}

fn act(world: &World, command: SpaceCommand) {
    world.handle(Command::Spaces(command));
}

/// What the page was told last of all there is.
fn told(world: &World) -> Snapshot {
    let events = world.events.borrow();
    let snapshot = events.iter().rev().find_map(|event| match event {
        Event::Ready(snapshot) | Event::SpaceOpened(snapshot) => Some((**snapshot).clone()),
        _ => None,
    });
    snapshot.expect("it is told at the start")
}

fn spaces(world: &World) -> Spaces {
    let events = world.events.borrow();
    let spaces = events.iter().rev().find_map(|event| match event {
        Event::Ready(snapshot) | Event::SpaceOpened(snapshot) => Some(snapshot.spaces.clone()),
        Event::SpacesChanged(spaces) => Some(spaces.clone()),
        _ => None,
    });
    spaces.expect("they are told at the start")
}

fn paths(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.files.iter().map(|row| row.path.as_str()).collect()
}

fn counts(world: &World, id: &str) -> SpaceCounts {
    act(world, SpaceCommand::Count(id.to_owned()));
    match world.events.borrow().last() {
        Some(Event::SpaceCounted(counts)) => counts.clone(),
        other => panic!("{other:?}"),
    }
}

/// A world with a file and a session in the first workspace, and others in a second one,
/// which is shown. Gives the ids of the second and of the two sessions.
fn two() -> (World, String, [String; 2]) {
    two_and(Vec::new())
}

/// The same, with what the model says then.
fn two_and(more: Vec<Reply>) -> (World, String, [String; 2]) {
    let world = World::new([replies(), more].concat());
    world.put_file("one.md", "1");
    let first = world.send("In the first");
    act(&world, SpaceCommand::Create("  Other \n things ".into()));
    world.put_file("two.md", "2");
    world.endpoint.taken_back.set(true);
    let second = world.send("In the second");
    let id = spaces(&world).open;
    (world, id, [first, second])
}

#[test]
fn files_and_sessions_of_workspaces_do_not_mix_and_are_there_after_a_reload() {
    let (world, id, [first, second]) = two();
    assert_eq!(world.file("one.md"), None);
    assert_eq!(world.file("by-agent.md").as_deref(), Some("second"));
    let names: Vec<String> = spaces(&world).all.into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["", "Other things"]);

    let again = World::over(Rc::new(world.store.snapshot()), vec![], Access::Writer);
    let snapshot = told(&again);
    assert_eq!(snapshot.spaces.open, id);
    assert_eq!(paths(&snapshot), ["by-agent.md", "two.md"]);
    let ids: Vec<&str> = snapshot.sessions.iter().map(|s| &*s.id).collect();
    assert_eq!(ids, [second.as_str()]);

    act(&again, SpaceCommand::Open("default".into()));
    let snapshot = told(&again);
    assert_eq!(paths(&snapshot), ["by-agent.md", "one.md"]);
    let ids: Vec<&str> = snapshot.sessions.iter().map(|s| &*s.id).collect();
    assert_eq!(ids, [first.as_str()]);
    assert_eq!(again.file("by-agent.md").as_deref(), Some("first"));
    // The settings are those of all.
    assert_eq!(snapshot.settings, told(&world).settings);
}

#[test]
fn a_run_keeps_its_workspace_while_another_is_shown() {
    let world = World::new(replies());
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    let mut run = world.start(support::task(None, "Go"));
    assert!(!run.settle());
    let session = world.session();
    act(&world, SpaceCommand::Create("Elsewhere".into()));
    let from = world.events.borrow().len();
    assert!(counts(&world, "default").at_work);
    let waits = |world: &World| {
        let events = world.events.borrow();
        let told = events.iter().rev().find_map(|event| match event {
            Event::Waiting(waiting) => Some(waiting.clone()),
            _ => None,
        });
        told.unwrap_or_default()
    };
    // That it waits there is told with its workspace, whichever is shown.
    let [waiting] = &waits(&world)[..] else {
        panic!("{:?}", waits(&world));
    };
    assert_eq!(waiting.space, "default");
    assert_eq!(waiting.session, session);
    act(&world, SpaceCommand::Delete("default".into()));
    assert_eq!(spaces(&world).all.len(), 2, "something is at work in it");

    world.answer(Answer::Once);
    run.finish();
    assert_eq!(waits(&world), []);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(world.file("by-agent.md"), None);
    let events = world.events.borrow()[from..].to_vec();
    let of_files = |event: &&Event| matches!(event, Event::FilesChanged { .. });
    assert_eq!(events.iter().filter(of_files).count(), 0);
    act(&world, SpaceCommand::Open("default".into()));
    assert_eq!(world.file("by-agent.md").as_deref(), Some("first"));
}

#[test]
fn a_workspace_is_deleted_as_a_whole_and_alone() {
    let (world, id, [first, second]) = two();
    let asked = counts(&world, &id);
    assert_eq!((asked.files, asked.sessions, asked.at_work), (2, 1, false));
    let before = world.store.dump();
    assert!(before.contains(&id) && before.contains(&second));

    // Killed or failed in the middle, all of it is there.
    world.store.fail_at(world.store.batches(), Fault::Full);
    act(&world, SpaceCommand::Delete(id.clone()));
    assert_eq!(world.store.dump(), before);
    assert_eq!(world.file("two.md").as_deref(), Some("2"));

    let batches = world.store.batches();
    act(&world, SpaceCommand::Delete(id.clone()));
    assert_eq!(
        world.store.batches(),
        batches + 1,
        "one batch: all or nothing"
    );
    let after = world.store.dump();
    assert!(!after.contains(&id) && !after.contains(&second));
    let snapshot = told(&world);
    assert_eq!(snapshot.spaces.open, "default");
    assert_eq!(paths(&snapshot), ["by-agent.md", "one.md"]);
    assert_eq!(world.file("one.md").as_deref(), Some("1"));
    assert_eq!(world.reasons(&first), [StopReason::Completed]);

    // The last one stays.
    act(&world, SpaceCommand::Delete("default".into()));
    assert_eq!(spaces(&world).all.len(), 1);
    assert_eq!(world.file("one.md").as_deref(), Some("1"));
}

/// The notices that were told from event `from` on.
fn notices(world: &World, from: usize) -> Vec<Notice> {
    let events = world.events.borrow();
    let notices = events[from..].iter().filter_map(|event| match event {
        Event::Notice(notice) => Some(notice.clone()),
        _ => None,
    });
    notices.collect()
}

#[test]
fn what_is_said_in_a_session_is_done_in_its_own_workspace() {
    let more = vec![write("late.md", "late"), Reply::text("Done.")];
    let (world, id, [first, second]) = two_and(more);
    act(&world, SpaceCommand::Open("default".into()));
    // The page still showed the other one: in the moment of a switch.
    world.endpoint.taken_back.set(true);
    world.handle_from(&id, support::task(Some(second.clone()), "More"));
    assert_eq!(world.reasons(&second).len(), 2);
    assert_eq!(world.file("late.md"), None);
    let undo = |session: &str| Command::Undo {
        session: session.to_owned(),
        seq: None,
        extent: Extent::Files,
    };
    let from = world.events.borrow().len();
    world.handle_from(&id, undo(&second));
    let undone = Notice::WentBack(WentBack::Undone {
        session: second.clone(),
        extent: Extent::Files,
    });
    assert_eq!(notices(&world, from), [undone]);
    let events = world.events.borrow()[from..].to_vec();
    let of_files = |event: &Event| matches!(event, Event::FilesChanged { .. });
    assert!(!events.iter().any(of_files), "they are of the other one");
    assert_eq!(world.file("by-agent.md").as_deref(), Some("first"));
    act(&world, SpaceCommand::Open(id));
    assert_eq!(world.file("late.md"), None);
    assert_eq!(world.file("by-agent.md").as_deref(), Some("second"));
    world.handle(undo(&first));
    assert_eq!(world.file("by-agent.md").as_deref(), Some("second"));
    act(&world, SpaceCommand::Open("default".into()));
    assert_eq!(world.file("by-agent.md"), None);
}

#[test]
fn what_was_meant_for_files_that_are_not_shown_any_more_is_not_done_to_others() {
    let (world, id, _) = two();
    let file = ImportedFile {
        path: "mine.md".into(),
        content: b"mine".to_vec(),
    };
    let save = Command::SaveFile {
        path: "two.md".into(),
        content: b"new".to_vec(),
        base: None,
    };
    for command in [
        support::task(None, "Write it down"),
        Command::Import(vec![file.clone()]),
        Command::ChangeTree(TreeChange::Delete("two.md".into())),
        Command::Restore(1),
        save,
    ] {
        let (from, dump) = (world.events.borrow().len(), world.store.dump());
        world.handle_from("default", command.clone());
        assert_eq!(notices(&world, from), [Notice::Left], "{command:?}");
        assert_eq!(world.store.dump(), dump, "{command:?}");
    }
    // What only looks is asked for anew by what is shown then.
    let from = world.events.borrow().len();
    world.handle_from("default", Command::OpenFile("two.md".into()));
    assert_eq!(world.events.borrow().len(), from);
    // What is about no files is done wherever the page was, and so is what is meant.
    world.handle_from("default", Command::Ping);
    assert_eq!(world.events.borrow().last(), Some(&Event::Pong));
    world.handle_from(&id, Command::Import(vec![file]));
    assert_eq!(world.file("mine.md").as_deref(), Some("mine"));
}

#[test]
fn files_are_gone_back_in_while_a_run_is_at_work_on_others() {
    let more = vec![write("more.md", "more"), Reply::text("Done.")];
    let (world, _, _) = two_and(more);
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    world.endpoint.taken_back.set(true);
    let mut run = world.start(support::task(None, "Go"));
    assert!(!run.settle());
    // Here a run is at work.
    let from = world.events.borrow().len();
    world.handle(Command::Restore(1));
    assert_eq!(notices(&world, from), [Notice::FilesAtWork]);
    assert_eq!(world.file("two.md").as_deref(), Some("2"));
    // There is none.
    act(&world, SpaceCommand::Open("default".into()));
    let from = world.events.borrow().len();
    world.handle(Command::Restore(1));
    assert!(matches!(
        notices(&world, from)[..],
        [Notice::WentBack(WentBack::Restored { .. })]
    ));
    assert_eq!(world.file("one.md"), None);
    world.answer(Answer::Once);
    run.finish();
}

#[test]
fn a_tab_keeps_the_workspace_that_it_shows_when_its_kernel_begins_anew() {
    let (world, id, _) = two();
    act(&world, SpaceCommand::Open("default".into()));
    for access in [Access::Writer, Access::Reader, Access::Former] {
        // Another tab has shown the first one last; this one shows the second.
        let again = World::at(Rc::clone(&world.store), access, &id);
        let snapshot = told(&again);
        assert_eq!(snapshot.spaces.open, id);
        assert_eq!(paths(&snapshot), ["by-agent.md", "two.md"]);
        assert_eq!(again.kernel.shown_workspace(), id);
    }
    // What it writes goes where its page shows it.
    let again = World::at(Rc::clone(&world.store), Access::Writer, &id);
    again.put_file("three.md", "3");
    let files = |id: &str| {
        let world = World::at(Rc::clone(&world.store), Access::Reader, id);
        let snapshot = told(&world);
        let paths = paths(&snapshot);
        paths.contains(&"three.md")
    };
    assert_eq!([files(&id), files("default")], [true, false]);
    // One that is no more is not missed.
    let gone = World::at(Rc::clone(&world.store), Access::Writer, "gone");
    assert_eq!(told(&gone).spaces.open, "default");
}

#[test]
fn a_workspace_is_called_otherwise_but_never_nothing() {
    let world = World::new(replies());
    for (typed, kept) in [("Mine", "Mine"), (" \n ", "Mine"), ("a\tb", "a b")] {
        act(
            &world,
            SpaceCommand::Rename {
                id: "default".into(),
                name: typed.into(),
            },
        );
        assert_eq!(spaces(&world).all[0].name, kept, "{typed:?}");
    }
    act(&world, SpaceCommand::Create("x".repeat(500)));
    assert_eq!(spaces(&world).all[1].name.len(), 60);
    act(&world, SpaceCommand::Create(" ".into()));
    assert_eq!(spaces(&world).all.len(), 2);
    act(&world, SpaceCommand::Open("nobody".into()));
    assert_ne!(spaces(&world).open, "nobody");
}

#[test]
fn a_tab_that_looks_may_look_into_another_workspace_and_writes_nothing() {
    let (world, id, _) = two();
    let reader = World::over(Rc::clone(&world.store), vec![], Access::Reader);
    let batches = world.store.batches();
    act(&reader, SpaceCommand::Open("default".into()));
    assert_eq!(paths(&told(&reader)), ["by-agent.md", "one.md"]);
    act(&reader, SpaceCommand::Delete(id.clone()));
    act(&reader, SpaceCommand::Create("Mine".into()));
    assert_eq!(world.store.batches(), batches);
    assert_eq!(spaces(&world).open, id);
}
