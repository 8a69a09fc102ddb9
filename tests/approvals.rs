//! Calls that need the user's word: asked with what they would do, answered in four
//! ways, waited for over a reload; rules, and what is not allowed.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::json;
use support::endpoint::Reply as Answer;
use support::invariants::check_transcript;
use support::{World, poll_on, task};
use tabloop::kernel::approval::{Action, ApprovalMode, Rule};
use tabloop::kernel::diff::DiffKind;
use tabloop::kernel::event::{About, Reply, StopReason};
use tabloop::kernel::session::{Entry, Outcome};
use tabloop::protocol::{Access, Command, Event, Notice};

fn write(path: &str, content: &str) -> Answer {
    Answer::calls(&[("write_file", json!({ "path": path, "content": content }))])
}

fn asking(replies: Vec<Answer>) -> World {
    let world = World::new(replies);
    ask(&world, ApprovalMode::Writes, Vec::new());
    world
}

fn ask(world: &World, mode: ApprovalMode, rules: Vec<Rule>) {
    world.handle(Command::SaveApproval { mode, rules });
}

fn rule(tool: &str, target: &str, action: Action) -> Rule {
    Rule {
        tool: tool.into(),
        target: target.into(),
        action,
    }
}

fn outcomes(world: &World, session: &str) -> Vec<Outcome> {
    let records = world.records(session).into_iter();
    let outcome = |entry| match entry {
        Entry::ToolResult(result) => Some(result.outcome),
        _ => None,
    };
    records.filter_map(|record| outcome(record.entry)).collect()
}

#[test]
fn a_write_is_shown_before_it_happens_and_happens_on_yes() {
    let world = asking(vec![write("notes/a.md", "new\n"), Answer::text("Done.")]);
    world.put_file("notes/a.md", "old\n");
    let mut run = world.start(task(None, "Go"));
    assert!(!run.settle());
    assert_eq!(world.file("notes/a.md").as_deref(), Some("old\n"));
    let (_, question) = world.questions().remove(0);
    let About::Approval {
        changes,
        targets,
        rule: asked_by,
        always,
        ..
    } = question.about
    else {
        panic!("{question:?}");
    };
    assert_eq!(
        (changes[0].path.as_str(), changes[0].kind),
        ("notes/a.md", DiffKind::Changed)
    );
    assert_eq!((changes[0].added, changes[0].removed), (1, 1));
    assert_eq!(targets, ["notes/a.md"]);
    assert_eq!(asked_by, None);
    assert_eq!(always, rule("write_file", "notes/*", Action::Allow));
    world.answer(Reply::Once);
    run.finish();
    let session = world.session();
    assert_eq!(world.file("notes/a.md").as_deref(), Some("new\n"));
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert!(world.questions().is_empty());
    check_transcript(&world.records(&session));
}

#[test]
fn no_is_told_with_its_word_and_the_run_goes_on() {
    let world = asking(vec![write("a", "x"), Answer::text("Then not.")]);
    let run = world.start(task(None, "Go"));
    let word = "use b.md instead".into();
    world.answer(Reply::No { word });
    run.finish();
    let session = world.session();
    assert_eq!(world.file("a"), None);
    assert_eq!(outcomes(&world, &session), [Outcome::Denied]);
    assert_eq!(
        world.results(&session),
        [
            "Error: the user did not allow this call and said: use b.md instead. Do without it, or ask the user."
        ]
    );
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
}

#[test]
fn yes_for_the_session_holds_for_calls_like_it_and_no_longer() {
    let replies = || {
        vec![
            write("notes/a.md", "1"),
            write("notes/b.md", "2"),
            write("other.md", "3"),
            Answer::text("Done."),
        ]
    };
    let world = asking(replies());
    let mut run = world.start(task(None, "Go"));
    world.answer(Reply::Session);
    assert!(!run.settle());
    assert_eq!(world.file("notes/b.md").as_deref(), Some("2"));
    let (session, question) = world.questions().remove(0);
    assert!(matches!(question.about, About::Approval { targets, .. } if targets == ["other.md"]));
    world.answer(Reply::Once);
    run.finish();
    // The session still knows after a reload, another session never did.
    let store = Rc::new(world.store.snapshot());
    let heir = World::over(store, replies(), Access::Writer);
    let again = heir.start(task(Some(session), "Again"));
    let (_, question) = heir.questions().remove(0);
    assert!(matches!(question.about, About::Approval { targets, .. } if targets == ["other.md"]));
    drop(again);
    let other = world.start(task(None, "Go"));
    assert_eq!(world.questions().len(), 0, "the script is at its end");
    drop(other);
}

#[test]
fn always_is_a_rule_in_the_settings() {
    let world = asking(vec![write("notes/a.md", "1"), Answer::text("Done.")]);
    let run = world.start(task(None, "Go"));
    world.answer(Reply::Always);
    run.finish();
    let told = world
        .events
        .borrow()
        .iter()
        .rev()
        .find_map(|event| match event {
            Event::SettingsChanged(settings) => Some(settings.kept.rules.clone()),
            _ => None,
        });
    assert_eq!(
        told.unwrap(),
        [rule("write_file", "notes/*", Action::Allow)]
    );
}

#[test]
fn rules_forbid_ask_and_allow_and_the_last_one_counts() {
    let rules = vec![
        rule("*", "**", Action::Allow),
        rule("write_file", "secret/*", Action::Deny),
        rule("read_file", "diary.md", Action::Ask),
    ];
    let world = World::new(vec![
        write("secret/a", "x"),
        write("b", "x"),
        Answer::calls(&[("read_file", json!({ "path": "diary.md" }))]),
        Answer::text("Done."),
    ]);
    world.put_file("diary.md", "Dear diary");
    ask(&world, ApprovalMode::Writes, rules);
    let run = world.start(task(None, "Go"));
    let session = world.session();
    assert_eq!(outcomes(&world, &session), [Outcome::Denied, Outcome::Ok]);
    let (_, question) = world.questions().remove(0);
    assert_eq!(question.tool, "read_file");
    world.answer(Reply::No {
        word: String::new(),
    });
    run.finish();
    assert!(
        !world
            .endpoint
            .requests()
            .iter()
            .any(|sent| sent.raw.contains("Dear diary"))
    );
}

#[test]
fn a_waiting_question_survives_a_reload_and_costs_nothing_meanwhile() {
    let world = asking(vec![write("a", "x")]);
    let run = world.start(task(None, "Go"));
    let session = world.session();
    drop(run);
    let heir = World::over(
        Rc::new(world.store.snapshot()),
        vec![Answer::text("Done.")],
        Access::Writer,
    );
    let run = heir.start_waiting();
    assert!(heir.endpoint.requests().is_empty());
    assert!(heir.state(&session).running);
    let (of, question) = heir.questions().remove(0);
    assert_eq!(
        (of, question.tool.as_str()),
        (session.clone(), "write_file")
    );
    heir.answer(Reply::Once);
    run.finish();
    assert_eq!(heir.file("a").as_deref(), Some("x"));
    assert_eq!(heir.reasons(&session), [StopReason::Completed]);
    check_transcript(&heir.records(&session));
}

#[test]
fn a_write_that_will_fail_anyway_waits_for_nobody() {
    let edit = |path: &str| {
        let edits = json!([{ "old_text": "old", "new_text": "new" }]);
        Answer::calls(&[("edit_file", json!({ "path": path, "edits": edits }))])
    };
    // Killed while the message that asks for the write is there and its result is not.
    let killed = |path: &str| {
        (1..)
            .find_map(|steps| {
                let world = asking(vec![edit(path), Answer::text("Oh.")]);
                world.put_file("a.md", "old");
                let mut run = world.start_slowly(task(None, "Go"));
                for _ in 0..steps {
                    assert!(poll_on(run.as_mut()).0.is_pending());
                }
                let session = world.known_session()?;
                let last = world.records(&session).pop()?;
                let is_open =
                    matches!(last.entry, Entry::Assistant(message) if !message.calls.is_empty());
                is_open.then(|| (Rc::new(world.store.snapshot()), session))
            })
            .unwrap()
    };
    let (store, session) = killed("missing.md");
    let heir = World::over(store, vec![Answer::text("Oh.")], Access::Writer);
    drop(heir.start_waiting());
    assert!(heir.endpoint.requests().is_empty(), "it would cost");
    assert!(heir.state(&session).interrupted, "the user resumes it");
    heir.handle(Command::Continue(session.clone()));
    assert!(heir.questions().is_empty());
    assert!(heir.results(&session)[0].starts_with("Error: there is no file missing.md"));
    // One that would work is asked about.
    let (store, _) = killed("a.md");
    let heir = World::over(store, vec![Answer::text("Oh.")], Access::Writer);
    let run = heir.start_waiting();
    assert_eq!(heir.questions().len(), 1);
    drop(run);
}

#[test]
fn what_the_user_saw_is_what_happens() {
    let world = asking(vec![write("a", "mine"), Answer::text("Oh.")]);
    world.put_file("a", "before");
    let run = world.start(task(None, "Go"));
    // Meanwhile the file becomes another one.
    let other = World::over(Rc::clone(&world.store), Vec::new(), Access::Writer);
    drop(other);
    world.put_file("b", "x");
    world.answer(Reply::Once);
    run.finish();
    assert_eq!(world.file("a").as_deref(), Some("mine"));
}

#[test]
fn an_answer_to_a_closed_question_changes_nothing_and_is_told() {
    let world = asking(vec![write("a", "x"), Answer::text("Done.")]);
    let run = world.start(task(None, "Go"));
    let (session, question) = world.questions().remove(0);
    world.handle(Command::Stop(session.clone()));
    run.finish();
    assert!(world.questions().is_empty(), "Stop closes the question");
    world.handle(Command::Answer {
        session: session.clone(),
        call_id: question.call_id,
        reply: Reply::Once,
    });
    assert_eq!(
        world.events.borrow().last(),
        Some(&Event::Notice(Notice::AnswerLate))
    );
    assert_eq!(world.file("a"), None);
    assert_eq!(world.reasons(&session), [StopReason::Cancelled]);
    check_transcript(&world.records(&session));
}

#[test]
fn a_rule_that_can_not_be_read_is_refused_at_its_field() {
    let world = World::new(Vec::new());
    ask(
        &world,
        ApprovalMode::Never,
        vec![rule("", "x", Action::Allow)],
    );
    assert!(matches!(
        world.events.borrow().last(),
        Some(Event::Refused(_))
    ));
}

#[test]
fn the_model_s_question_waits_for_its_answer() {
    let question = json!({ "question": "Which file?", "options": ["a.md", "b.md"] });
    let world = World::new(vec![
        Answer::calls(&[("ask_user", question)]),
        Answer::text("a it is."),
    ]);
    let mut run = world.start(task(None, "Go"));
    let (session, question) = world.questions().remove(0);
    let About::Choice { question, options } = question.about else {
        panic!("{question:?}");
    };
    assert_eq!((question.as_str(), options.len()), ("Which file?", 2));
    // Time does not end the wait.
    world.clock.advance(std::time::Duration::from_secs(86_400));
    assert!(!run.settle());
    world.answer(Reply::Text("a.md".into()));
    run.finish();
    assert_eq!(world.results(&session), ["The user answered: a.md"]);
    let ending = world.records(&session).pop().unwrap();
    assert!(
        matches!(ending.entry, Entry::Stopped(ending) if ending.took_ms < 60_000),
        "waiting is no work"
    );
}
