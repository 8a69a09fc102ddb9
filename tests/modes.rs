//! Plan and Reflect: the same loop, with the user's or a critic's word in between.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::World;
use support::endpoint::Reply;
use support::invariants::check_transcript;
use tabloop::kernel::event::{About, AgentEvent, Reply as Word, StopReason};
use tabloop::kernel::session::{Entry, Mode, TodoState};
use tabloop::protocol::{Access, Command};

fn send(mode: Mode) -> Command {
    Command::Send {
        session: None,
        text: "Sort the notes".into(),
        mode,
        rounds: None,
    }
}

fn todo(steps: &[(&str, &str)]) -> Reply {
    let items: Vec<Json> = steps
        .iter()
        .map(|(text, state)| json!({ "text": text, "state": state }))
        .collect();
    Reply::calls(&[("todo", json!({ "items": items }))])
}

fn write(content: &str) -> Reply {
    Reply::calls(&[("write_file", json!({ "path": "a", "content": content }))])
}

fn steps_asked(world: &World) -> Vec<String> {
    match world.questions().remove(0).1.about {
        About::Plan { steps } => steps,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_is_changed_before_the_plan_is_approved_and_the_user_s_steps_count() {
    let world = World::new(vec![
        write("too early"),
        todo(&[("Read", "open"), ("Write", "open")]),
        todo(&[("Read all", "done"), ("Write", "doing")]),
        write("as planned"),
        todo(&[("Read all", "done"), ("Write", "done")]),
        Reply::text("Done."),
    ]);
    let mut run = world.start(send(Mode::Plan));
    let session = world.session();
    assert_eq!(steps_asked(&world), ["Read", "Write"]);
    assert_eq!(world.file("a"), None);
    assert!(world.results(&session)[0].starts_with("Error: nothing may be changed before"));
    world.answer(Word::Plan(vec!["Read all".into(), "Write".into()]));
    // Ticking needs no further word.
    assert!(run.settle(), "{:?}", world.questions());
    assert_eq!(world.file("a").as_deref(), Some("as planned"));
    let results = world.results(&session);
    assert!(
        results[1].contains("1. Read all\n2. Write"),
        "{}",
        results[1]
    );
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
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    check_transcript(&world.records(&session));
}

#[test]
fn a_plan_is_sent_back_with_a_word_and_revised_later() {
    let world = World::new(vec![
        todo(&[("Delete all", "open")]),
        todo(&[("Sort", "open")]),
        todo(&[("Sort by date", "open")]),
        write("sorted"),
        Reply::text("Done."),
    ]);
    let mut run = world.start(send(Mode::Plan));
    let word = "do not delete".into();
    world.answer(Word::No { word });
    assert!(!run.settle());
    let session = world.session();
    let results = world.results(&session);
    assert!(
        results[0]
            .contains("did not approve this plan, and said: do not delete. Nothing may be changed"),
        "{}",
        results[0]
    );
    assert_eq!(steps_asked(&world), ["Sort"]);
    world.answer(Word::Plan(vec!["Sort".into()]));
    assert!(!run.settle(), "other steps are another plan");
    assert_eq!(steps_asked(&world), ["Sort by date"]);
    world.answer(Word::Plan(vec!["Sort by date".into()]));
    run.finish();
    assert_eq!(world.file("a").as_deref(), Some("sorted"));
}

#[test]
fn a_plan_that_waits_survives_a_reload() {
    let world = World::new(vec![todo(&[("Sort", "open")])]);
    let run = world.start(send(Mode::Plan));
    let session = world.session();
    drop(run);
    let heir = World::over(
        Rc::new(world.store.snapshot()),
        vec![write("sorted"), Reply::text("Done.")],
        Access::Writer,
    );
    let run = heir.start_waiting();
    assert_eq!(steps_asked(&heir), ["Sort"]);
    heir.answer(Word::Plan(vec!["Sort".into()]));
    run.finish();
    assert_eq!(heir.file("a").as_deref(), Some("sorted"));
    assert_eq!(heir.reasons(&session), [StopReason::Completed]);
}

fn critiques(world: &World, session: &str) -> Vec<(u32, bool, String)> {
    let records = world.records(session).into_iter();
    let critique = |entry| match entry {
        Entry::Critique {
            attempt,
            passed,
            text,
            ..
        } => Some((attempt, passed, text)),
        _ => None,
    };
    records
        .filter_map(|record| critique(record.entry))
        .collect()
}

#[test]
fn a_critic_s_word_is_mended_and_judged_again() {
    let world = World::new(vec![
        Reply::text("I think it is sorted."),
        Reply::text("FAIL\n- nothing was written"),
        write("sorted"),
        Reply::text("Now it is."),
        Reply::text("PASS"),
    ]);
    world.handle(send(Mode::Reflect));
    let session = world.session();
    let expected = [
        (1, false, "- nothing was written".to_owned()),
        (2, true, String::new()),
    ];
    assert_eq!(critiques(&world, &session), expected);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let requests = world.endpoint.requests();
    // The critic has a context of its own, and the model hears what it said.
    let critic = &requests[1].body["messages"];
    assert!(
        critic[0]["content"]
            .as_str()
            .unwrap()
            .starts_with("You judge the work")
    );
    assert!(
        critic[1]["content"]
            .as_str()
            .unwrap()
            .contains("Sort the notes")
    );
    assert!(requests[2].raw.contains("nothing was written"));
    assert!(world.agent_events().contains(&AgentEvent::Judging));
    check_transcript(&world.records(&session));
}

#[test]
fn attempts_are_bounded() {
    let mut replies = Vec::new();
    for _ in 0..9 {
        replies.push(Reply::text("Done."));
        replies.push(Reply::text("FAIL: not at all"));
    }
    let world = World::new(replies);
    world.limits(|limits| limits.attempts = 2);
    world.handle(send(Mode::Reflect));
    let session = world.session();
    assert_eq!(critiques(&world, &session).len(), 3);
    assert_eq!(world.endpoint.requests().len(), 6);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
}

#[test]
fn a_critic_that_can_not_be_asked_stops_nothing() {
    let world = World::new(vec![Reply::text("Done."), Reply::error(400, "no")]);
    world.handle(send(Mode::Reflect));
    let session = world.session();
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert!(
        critiques(&world, &session)[0]
            .2
            .contains("could not be asked")
    );
}

#[test]
fn a_sub_agent_changes_nothing_before_the_plan_is_approved_either() {
    let world = World::new(vec![
        Reply::calls(&[("task", json!({ "prompt": "write a" }))]),
        write("too early"),
        Reply::text("I could not."),
        Reply::text("Nothing done."),
    ]);
    world.handle(send(Mode::Plan));
    assert_eq!(world.file("a"), None);
    let names = world.endpoint.requests()[1].body["tools"].to_string();
    assert!(!names.contains("write_file"), "{names}");
}

#[test]
fn an_approved_plan_holds_when_the_run_is_continued() {
    let world = World::new(vec![
        todo(&[("Write", "open")]),
        Reply::calls(&[("list_dir", json!({}))]),
        Reply::text("At the limit."),
        write("as planned"),
        Reply::text("Done."),
    ]);
    let run = world.start(Command::Send {
        session: None,
        text: "Sort the notes".into(),
        mode: Mode::Plan,
        rounds: Some(2),
    });
    world.answer(Word::Plan(vec!["Write".into()]));
    run.finish();
    let session = world.session();
    assert_eq!(
        world.reasons(&session),
        [StopReason::RoundLimit { limit: 2 }]
    );
    world.handle(Command::Continue(session.clone()));
    assert!(world.questions().is_empty());
    assert_eq!(world.file("a").as_deref(), Some("as planned"));
}

#[test]
fn a_write_that_the_missing_plan_will_refuse_waits_for_nobody() {
    let careful = |world: &World| {
        world.handle(Command::SaveApproval {
            mode: tabloop::kernel::approval::ApprovalMode::Writes,
            rules: Vec::new(),
        });
    };
    // Killed while the message that asks for the write is there and its result is not.
    let (store, session) = (1..)
        .find_map(|steps| {
            let world = World::new(vec![write("too early"), Reply::text("Oh.")]);
            careful(&world);
            let mut run = world.start_slowly(send(Mode::Plan));
            for _ in 0..steps {
                assert!(support::poll_on(run.as_mut()).0.is_pending());
            }
            let session = world.known_session()?;
            let is_open = |entry: &Entry| matches!(entry, Entry::Assistant(message) if !message.calls.is_empty());
            let last = world.records(&session).pop()?;
            is_open(&last.entry).then(|| (world.store.snapshot(), session))
        })
        .unwrap();
    let heir = World::over(Rc::new(store), vec![Reply::text("Oh.")], Access::Writer);
    drop(heir.start_waiting());
    assert!(heir.endpoint.requests().is_empty(), "it would cost");
    assert!(heir.state(&session).interrupted, "the user resumes it");
    heir.handle(Command::Continue(session.clone()));
    assert!(heir.questions().is_empty());
    assert!(heir.results(&session)[0].starts_with("Error: nothing may be changed before"));
}

#[test]
fn stopped_while_it_is_judged_the_work_is_judged_when_the_run_goes_on() {
    for finishes in [false, true] {
        let answer = || match finishes {
            true => Reply::calls(&[("finish", json!({ "answer": "Sorted." }))]),
            false => Reply::text("Sorted."),
        };
        let world = World::new(vec![
            answer(),
            Reply::text("FAIL: a is missing"),
            answer(),
            Reply::Hanging { body: Vec::new() },
        ]);
        let mut run = world.start(send(Mode::Reflect));
        assert!(!run.settle());
        let session = world.session();
        world.handle(Command::Stop(session.clone()));
        assert!(run.settle());
        assert_eq!(world.reasons(&session), [StopReason::Cancelled]);
        // Stopped once more, and killed: all the same.
        let mut again = world.start(Command::Continue(session.clone()));
        assert!(!again.settle());
        world.handle(Command::Stop(session.clone()));
        assert!(again.settle());
        drop(world.start(Command::Continue(session.clone())));
        let critic = |world: &World| {
            let sent = world.endpoint.requests().into_iter();
            sent.map(|sent| {
                sent.body["messages"][0]["content"]
                    .to_string()
                    .contains("You judge")
            })
            .collect::<Vec<bool>>()
        };
        assert_eq!(critic(&world), [false, true, false, true, true, true]);

        let rest = vec![
            Reply::text("FAIL: b is missing"),
            answer(),
            Reply::text("PASS"),
        ];
        let heir = World::over(Rc::new(world.store.snapshot()), rest, Access::Writer);
        heir.handle(Command::Continue(session.clone()));
        assert_eq!(critic(&heir), [true, false, true]);
        let material = heir.endpoint.requests()[0].body["messages"][1]["content"].to_string();
        assert!(material.contains("Sorted."), "{material}");
        let attempts: Vec<(u32, bool)> = critiques(&heir, &session)
            .into_iter()
            .map(|(attempt, passed, _)| (attempt, passed))
            .collect();
        assert_eq!(attempts, [(1, false), (2, false), (3, true)]);
        let end = if finishes {
            StopReason::Finished
        } else {
            StopReason::Completed
        };
        assert_eq!(heir.reasons(&session).last(), Some(&end));
        check_transcript(&heir.records(&session));
    }
}

#[test]
fn a_new_task_behind_a_stopped_judgement_is_not_held_up_by_it() {
    let world = World::new(vec![
        Reply::text("Sorted."),
        Reply::Hanging { body: Vec::new() },
    ]);
    let mut run = world.start(send(Mode::Reflect));
    let session = world.session();
    world.handle(Command::Stop(session.clone()));
    assert!(run.settle());
    let rest = vec![Reply::text("And b."), Reply::text("PASS")];
    let heir = World::over(Rc::new(world.store.snapshot()), rest, Access::Writer);
    heir.handle(Command::Send {
        session: Some(session.clone()),
        text: "Take b too".into(),
        mode: Mode::Act,
        rounds: None,
    });
    assert_eq!(heir.reasons(&session).last(), Some(&StopReason::Completed));
    assert!(critiques(&heir, &session).is_empty());
    assert_eq!(heir.endpoint.requests().len(), 1);
}
