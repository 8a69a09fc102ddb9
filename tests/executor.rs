//! How calls are run: together or in order, within their time, from the cache, with
//! secrets hidden and long results recallable.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use futures::future::LocalBoxFuture;
use serde_json::{Value as Json, json};
use support::World;
use support::endpoint::Reply;
use support::invariants::check_transcript;
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::Entry;
use tabloop::kernel::tool::{
    Effect, Manner, Tool, ToolContext, ToolError, ToolOutput, ToolRegistry, ToolSpec,
};
use tabloop::protocol::{Access, Command};

/// A tool that never comes to an end.
struct Endless(Effect);

impl Tool for Endless {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "endless",
            description: "Never ends",
            parameters: json!({ "type": "object", "properties": {} }),
            effect: self.0,
            manner: Manner::Timed,
        }
    }

    fn run<'a>(
        &'a self,
        _: Json,
        _: &'a ToolContext<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(std::future::pending())
    }
}

fn results(world: &World, session: &str) -> Vec<(bool, String)> {
    let records = world.records(session).into_iter();
    let result = |entry| match entry {
        Entry::ToolResult(result) => Some((result.cached, result.text)),
        _ => None,
    };
    records.filter_map(|record| result(record.entry)).collect()
}

#[test]
fn a_pure_look_at_unchanged_files_is_answered_from_before() {
    let read = || ("read_file", json!({ "path": "a" }));
    let world = World::new(vec![
        Reply::calls(&[read()]),
        Reply::calls(&[("read_file", json!({ "path": "./a" })), read()]),
        Reply::calls(&[
            ("append_file", json!({ "path": "b", "content": "x" })),
            read(),
        ]),
        Reply::text("Done."),
    ]);
    world.put_file("a", "text");
    let session = world.send("Go");
    let cached: Vec<bool> = results(&world, &session)
        .iter()
        .map(|(cached, _)| *cached)
        .collect();
    // Other arguments are another look; any write makes all looks fresh.
    assert_eq!(cached, [false, false, true, false, false]);
    let texts = results(&world, &session);
    assert_eq!(texts[0].1, texts[2].1);
}

#[test]
fn a_long_result_keeps_head_and_tail_and_is_recalled_whole() {
    let lines: String = (0..4_000).map(|n| format!("line {n:04}\n")).collect();
    let world = World::new(vec![
        Reply::calls(&[("ask_user", json!({ "question": "What is in it?" }))]),
        Reply::calls(&[
            ("recall", json!({ "id": "r2" })),
            ("recall", json!({ "id": "r2", "part": 4 })),
            ("recall", json!({ "id": "r99" })),
        ]),
        Reply::text("Done."),
    ]);
    let run = world.start(support::task(None, "Go"));
    world.answer(tabloop::kernel::event::Reply::Text(lines.clone()));
    run.finish();
    let session = world.session();
    let results = world.results(&session);
    assert!(results[0].len() < 17 << 10);
    assert!(
        results[0].contains("recall with the id \"r2\" brings the whole"),
        "{}",
        results[0]
    );
    assert!(results[0].ends_with("line 3999\n"));
    assert!(
        results[1].starts_with("[part 1 of 4]\nThe user answered: line 0000\n"),
        "{}",
        results[1]
    );
    assert!(results[2].ends_with("line 3999\n"));
    assert!(results[3].starts_with("Error: nothing was left out under the id \"r99\""));
}

#[test]
fn secrets_never_leave() {
    let secret = "q9-Zx7-very-Secret-71";
    let world = World::new(vec![
        Reply::calls(&[
            ("read_file", json!({ "path": ".env" })),
            ("read_file", json!({ "path": "notes.md" })),
        ]),
        Reply::calls(&[
            (
                "write_file",
                json!({ "path": ".env", "content": "API_TOKEN=[redacted: API_TOKEN]\n" }),
            ),
            (
                "append_file",
                json!({ "path": "later.env", "content": "NEW_SECRET=w8-Hq2-other-Thing-44\n" }),
            ),
            ("read_file", json!({ "path": "later.env" })),
        ]),
        Reply::text("Done."),
    ]);
    world.put_file(".env", format!("API_TOKEN={secret}\nDEBUG=true\n"));
    world.put_file(
        "notes.md",
        format!("The token is {secret}, and sk-proj-abcdefghijklmnopqrstuvwx0123456789ABCDEFGH."),
    );
    let text = format!("My key is {}, the token {secret}", support::KEY);
    let session = world.send(&text);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    for sent in world.endpoint.requests() {
        assert!(!sent.raw.contains(secret), "{}", sent.raw);
        assert!(!sent.raw.contains(support::KEY));
        assert!(!sent.raw.contains("sk-proj-abcdefgh"));
    }
    let results = world.results(&session);
    assert!(results[0].contains("[redacted: API_TOKEN]") && results[0].contains("DEBUG=true"));
    // The mark does not take the secret's place.
    assert!(
        results[2].starts_with("Error: the text holds a mark"),
        "{}",
        results[2]
    );
    assert!(world.file(".env").unwrap().contains(secret));
    assert!(
        !results[4].contains("w8-Hq2-other-Thing-44"),
        "{}",
        results[4]
    );
    world.handle(Command::OpenTrace(session.clone()));
    let traced = format!("{:?}", world.events.borrow().last());
    assert!(
        traced.contains("TraceOpened")
            && !traced.contains(secret)
            && !traced.contains(support::KEY)
    );
}

#[test]
fn hostile_calls_are_told_and_harm_nothing() {
    let deep = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
    let huge = format!("{{\"path\":\"a\",\"content\":\"{}\"}}", "x".repeat(5 << 20));
    let world = World::new(vec![
        Reply::raw_calls(&[
            ("read file", "{\"path\":\"a\"}"),
            ("read_file", deep.as_str()),
            ("write_file", huge.as_str()),
            ("read_file", "{\"path\":{\"path\":{\"path\":1}}}"),
        ]),
        Reply::text("Sorry."),
    ]);
    let session = world.send("Go");
    let results = world.results(&session);
    assert!(
        results[0].starts_with("Error: there is no tool \"read file\""),
        "{}",
        results[0]
    );
    assert!(
        results[1].starts_with("Error: the arguments of read_file are not valid JSON"),
        "{}",
        results[1]
    );
    assert!(results[2].starts_with("Wrote a"), "{}", results[2]);
    assert!(
        results[3].starts_with("Error: read_file: path must be a string"),
        "{}",
        results[3]
    );
    check_transcript(&world.records(&session));
}

#[test]
fn an_id_used_in_two_messages_means_two_calls() {
    let world = World::new(vec![
        Reply::calls(&[("append_file", json!({ "path": "log", "content": "1" }))]),
        Reply::calls(&[("append_file", json!({ "path": "log", "content": "2" }))]),
        Reply::text("Done."),
    ]);
    let session = world.send("Go");
    assert_eq!(world.file("log").as_deref(), Some("12"));
    check_transcript(&world.records(&session));
}

#[test]
fn a_secret_that_comes_while_the_run_waits_is_hidden_too() {
    let secret = "w8-Hq2-late-Secret-44";
    let world = World::new(vec![
        Reply::calls(&[("ask_user", json!({ "question": "Ready?" }))]),
        Reply::calls(&[("read_file", json!({ "path": ".env" }))]),
        Reply::text("Done."),
    ]);
    let run = world.start(support::task(None, "Go"));
    world.put_file(".env", format!("API_TOKEN={secret}\n"));
    world.answer(tabloop::kernel::event::Reply::Text("Yes".into()));
    run.finish();
    assert!(
        world
            .endpoint
            .requests()
            .iter()
            .all(|sent| !sent.raw.contains(secret))
    );
    let session = world.session();
    assert!(world.results(&session)[1].contains("[redacted: API_TOKEN]"));
}

#[test]
fn a_word_is_sent_without_a_secret_that_came_during_the_run() {
    let secret = "w8-Hq2-late-Secret-44";
    let answers = || {
        vec![
            Reply::text("Which token?"),
            Reply::calls(&[("list_dir", json!({}))]),
            Reply::text("Done."),
        ]
    };
    let world = World::new(answers());
    world.endpoint.delay_ms.set(5);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    // No call is made in between: the word itself is the next that is sent.
    let run = world.start(support::task(None, &format!("Take {secret} if it is one")));
    let session = world.session();
    world.put_file(".env", format!("API_TOKEN={secret}\n"));
    let text = format!("Take {secret}");
    world.handle(Command::Steer {
        session: session.clone(),
        text,
    });
    run.finish();
    let requests = world.endpoint.requests();
    assert_eq!(requests.len(), 3);
    for sent in &requests[1..] {
        let messages = sent.body["messages"].as_array().unwrap();
        assert_eq!(messages[3]["content"], "Take [redacted: API_TOKEN]");
        // What had gone out before stays as it was, so that the prompt's cache holds.
        assert_eq!(messages[1], requests[0].body["messages"][1]);
    }
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    // Nor does a request beside the conversation hold it.
    let world = World::new(vec![Reply::text("Sorted."), Reply::text("PASS")]);
    world.endpoint.delay_ms.set(5);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    let run = world.start(Command::Send {
        session: None,
        text: format!("Take {secret}"),
        mode: tabloop::kernel::session::Mode::Reflect,
        rounds: None,
    });
    world.put_file(".env", format!("API_TOKEN={secret}\n"));
    run.finish();
    let requests = world.endpoint.requests();
    assert!(requests[0].raw.contains(secret), "nobody knew it then");
    assert!(!requests[1].raw.contains(secret));
}

#[test]
fn a_tool_that_takes_too_long_is_stopped_and_the_run_goes_on() {
    for effect in [Effect::ReadOnly, Effect::Writing] {
        let tools = ToolRegistry::standard().with(Rc::new(Endless(effect)));
        let replies = vec![
            Reply::calls(&[("endless", json!({})), ("list_dir", json!({}))]),
            Reply::text("Then without."),
        ];
        let world = World::with_tools(Rc::default(), replies, Access::Writer, tools);
        world.connect();
        world.limits(|limits| limits.tool_seconds = 7);
        use tabloop::kernel::clock::Clock;
        let before = world.clock.now_ms();
        let session = world.send("Go");
        assert_eq!(world.clock.now_ms() - before, 7_000);
        let results = world.results(&session);
        assert_eq!(
            results[0],
            "Error: endless took longer than 7 s and was stopped, nothing was changed; ask for less at once"
        );
        assert!(!results[1].starts_with("Error"), "{}", results[1]);
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
    }
}
