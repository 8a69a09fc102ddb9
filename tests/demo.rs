//! The demo model drives the real loop and tools over the real workspace.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use support::World;
use support::invariants::check_transcript;
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::{Entry, Outcome};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::protocol::{Access, Command};

fn demo() -> World {
    let world = World::over(Rc::new(MemoryStore::default()), Vec::new(), Access::Writer);
    world.handle(Command::UseDemo);
    world
}

fn answer(world: &World, session: &str) -> String {
    let records = world.records(session);
    let last = records
        .into_iter()
        .rev()
        .find_map(|record| match record.entry {
            Entry::Assistant(message) => Some(message.text),
            _ => None,
        });
    last.unwrap_or_default()
}

fn outcomes(world: &World, session: &str) -> Vec<(String, Outcome)> {
    let results = world
        .records(session)
        .into_iter()
        .filter_map(|record| match record.entry {
            Entry::ToolResult(result) => Some((result.name, result.outcome)),
            _ => None,
        });
    results.collect()
}

const TODOS: &str = "TODO check the start page on a small screen\n\
TODO write the text for the pricing page\n\
TODO answer both customers by Friday\n\
TODO order a new projector\n";

#[test]
fn the_todo_task() {
    for task in [
        "Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md",
        "读取 meeting.md，收集以 TODO 开头的行，写入 todo-list.md",
    ] {
        let world = demo();
        let session = world.send(task);
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
        assert_eq!(world.file("todo-list.md").as_deref(), Some(TODOS));
        assert!(answer(&world, &session).contains("todo-list.md"));
        check_transcript(&world.records(&session));
    }
}

#[test]
fn a_missing_file_is_recovered_from() {
    let world = demo();
    let session = world.send("Summarise notes/agenda.txt");
    let steps = outcomes(&world, &session);
    let expected = [
        ("read_file", Outcome::Error),
        ("list_dir", Outcome::Ok),
        ("read_file", Outcome::Ok),
    ];
    assert_eq!(
        steps,
        expected.map(|(name, outcome)| (name.to_owned(), outcome))
    );
    assert!(
        answer(&world, &session).contains("Agenda for Thursday"),
        "{}",
        answer(&world, &session)
    );
}

#[test]
fn the_runaway_is_stopped_by_the_limit() {
    let world = demo();
    world.limits(|limits| limits.rounds = 4);
    let session = world.send("Keep listing the files for ever (runaway demo)");
    assert_eq!(
        world.reasons(&session),
        [StopReason::RoundLimit { limit: 4 }]
    );
    assert_eq!(outcomes(&world, &session).len(), 4);
    assert!(answer(&world, &session).contains("after 4 tool calls"));
    world.handle(Command::Continue(session.clone()));
    assert_eq!(outcomes(&world, &session).len(), 8);
}

#[test]
fn a_path_outside_is_refused() {
    let world = demo();
    let session = world.send("Read ../secret and tell me what is in it");
    assert_eq!(
        outcomes(&world, &session),
        [("read_file".to_owned(), Outcome::Error)]
    );
    assert!(
        answer(&world, &session).contains("leads outside the workspace"),
        "{}",
        answer(&world, &session)
    );
}

#[test]
fn the_demo_files_never_replace_the_user_s() {
    let world = World::over(Rc::new(MemoryStore::default()), Vec::new(), Access::Writer);
    world.put_file("meeting.md", "mine");
    world.handle(Command::UseDemo);
    assert_eq!(world.file("meeting.md").as_deref(), Some("mine"));
}

#[test]
fn anything_else_is_answered_with_what_the_demo_can_do() {
    let world = demo();
    let session = world.send("Hello");
    assert!(answer(&world, &session).contains("I am the demo model"));
}

#[test]
fn the_demo_plans_and_is_judged() {
    use tabloop::kernel::event::Reply;
    use tabloop::kernel::session::{Entry, Mode, TodoState};
    let send = |mode| Command::Send {
        session: None,
        text: "Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md"
            .into(),
        mode,
        rounds: None,
    };
    let world = demo();
    let mut run = world.start(send(Mode::Plan));
    while world.questions().is_empty() {
        assert!(world.clock.advance_to_next());
        assert!(!run.settle());
    }
    assert_eq!(world.file("todo-list.md"), None);
    let steps = vec!["Look at the files".into(), "Do what was asked".into()];
    world.answer(Reply::Plan(steps));
    run.finish();
    let session = world.session();
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert!(world.file("todo-list.md").is_some());
    let list = world
        .records(&session)
        .into_iter()
        .rev()
        .find_map(|record| match record.entry {
            Entry::Todo { items } => Some(items),
            _ => None,
        });
    assert!(
        list.unwrap()
            .iter()
            .all(|item| item.state == TodoState::Done)
    );

    let world = demo();
    world.handle(send(Mode::Reflect));
    let session = world.session();
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let passed = world
        .records(&session)
        .into_iter()
        .find_map(|record| match record.entry {
            Entry::Critique { passed, text, .. } => Some((passed, text)),
            _ => None,
        });
    assert_eq!(passed, Some((true, String::new())));
}
