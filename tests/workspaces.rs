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
use tabloop::kernel::spaces::Spaces;
use tabloop::kernel::store::memory::Fault;
use tabloop::protocol::{Access, Command, Event, Snapshot, SpaceCommand, SpaceCounts};

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
    let world = World::new(replies());
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
    act(&world, SpaceCommand::Delete("default".into()));
    assert_eq!(spaces(&world).all.len(), 2, "something is at work in it");

    world.answer(Answer::Once);
    run.finish();
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
