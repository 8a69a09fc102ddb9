//! Sub-agents: a context of their own, several at once, paid by the parent's budget,
//! stopped and resumed with it.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::json;
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use support::{World, task};
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::{Entry, Session};
use tabloop::protocol::{Access, Command, Event};

fn delegate(prompts: &[&str]) -> Reply {
    let calls: Vec<(&str, serde_json::Value)> = prompts
        .iter()
        .map(|prompt| ("task", json!({ "prompt": prompt })))
        .collect();
    Reply::calls(&calls)
}

/// All sessions that work for others.
fn children(world: &World) -> Vec<Session> {
    let mut children: Vec<Session> = Vec::new();
    for event in world.events.borrow().iter() {
        if let Event::SessionChanged(session) = event
            && session.parent.is_some()
        {
            children.retain(|other| other.id != session.id);
            children.push(session.clone());
        }
    }
    children
}

#[test]
fn a_sub_agent_works_in_a_context_of_its_own_and_its_answer_alone_comes_back() {
    let world = World::new(vec![
        delegate(&["Write a.md"]),
        Reply::calls(&[("write_file", json!({ "path": "a.md", "content": "x" }))]),
        Reply::calls(&[("finish", json!({ "answer": "Wrote a.md." }))]),
        Reply::text("All done."),
    ]);
    let session = world.send("Go");
    assert_eq!(world.results(&session), ["Wrote a.md."]);
    assert_eq!(world.file("a.md").as_deref(), Some("x"));
    let child = children(&world).remove(0);
    assert_eq!(child.parent.as_ref().unwrap().session, session);
    assert_eq!(world.reasons(&child.id), [StopReason::Finished]);
    check_transcript(&world.records(&child.id));
    let requests = world.endpoint.requests();
    let of_child = &requests[1].body;
    assert_eq!(of_child["messages"].as_array().unwrap().len(), 2);
    assert_eq!(of_child["messages"][1]["content"], "Write a.md");
    let names = of_child["tools"].to_string();
    assert!(names.contains("write_file") && !names.contains("\"task\""));
    // The parent hears the answer and nothing else of it.
    assert_eq!(world.endpoint.last_messages().len(), 4);
}

#[test]
fn at_most_four_work_at_once() {
    let hanging = || Reply::Hanging {
        body: format!("data: {}\n\n", delta(json!({ "content": "Hm" }))).into_bytes(),
    };
    let mut replies = vec![delegate(&["a", "b", "c", "d", "e", "f"])];
    replies.extend((0..6).map(|_| hanging()));
    let world = World::new(replies);
    let mut run = world.start(task(None, "Go"));
    assert_eq!(world.endpoint.requests().len(), 5);
    let session = world.session();
    world.handle(Command::Stop(session.clone()));
    assert!(run.settle(), "cancelling the parent cancels them");
    assert_eq!(world.reasons(&session), [StopReason::Cancelled]);
    check_transcript(&world.records(&session));
    for child in children(&world) {
        assert_eq!(world.reasons(&child.id), [StopReason::Cancelled]);
        assert!(!child.running);
        check_transcript(&world.records(&child.id));
    }
}

#[test]
fn what_they_use_is_counted_into_the_parent_s_budget() {
    let counted = |text: &str| {
        let end = json!({
            "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 900, "completion_tokens": 300 },
        });
        Reply::stream(&[delta(json!({ "content": text })), end])
    };
    let world = World::new(vec![
        delegate(&["a"]),
        counted("Done."),
        Reply::text("Never asked."),
    ]);
    world.limits(|limits| limits.kilo_tokens = 1);
    let session = world.send("Go");
    assert_eq!(
        world.reasons(&session),
        [StopReason::TokenBudget { limit: 1_000 }]
    );
    let ending = world.records(&session).pop().unwrap();
    assert!(
        matches!(ending.entry, Entry::Stopped(ending) if ending.usage.unwrap().total() == 1_212)
    );
}

#[test]
fn a_failed_sub_agent_is_an_error_and_the_run_goes_on() {
    let world = World::new(vec![
        delegate(&["a"]),
        Reply::error(400, "no such thing"),
        Reply::text("Then without."),
    ]);
    let session = world.send("Go");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let result = &world.results(&session)[0];
    assert!(
        result.starts_with("Error: the sub-agent's request failed (no such thing)"),
        "{result}"
    );
    let unknown = json!({ "prompt": "x", "tools": ["shell"] });
    let world = World::new(vec![Reply::calls(&[("task", unknown)]), Reply::text("Oh.")]);
    let session = world.send("Go");
    assert!(world.results(&session)[0].starts_with("Error: there is no tool \"shell\""));
}

#[test]
fn killed_at_any_step_they_are_resumed_and_do_nothing_twice() {
    let append =
        |text: &str| Reply::calls(&[("append_file", json!({ "path": "log", "content": text }))]);
    let replies = || {
        vec![
            delegate(&["Count to three"]),
            append("1"),
            append("2"),
            append("3"),
            Reply::text("Counted."),
            append("."),
            Reply::text("All done."),
        ]
    };
    for steps in 1.. {
        let world = World::new(replies());
        let kernel = world.kernel.clone();
        let mut run: futures::future::LocalBoxFuture<'_, ()> =
            Box::pin(async move { kernel.handle(task(None, "Go")).await });
        let mut context = std::task::Context::from_waker(futures::task::noop_waker_ref());
        let ended = (0..steps).any(|_| run.as_mut().poll(&mut context).is_ready());
        drop(run);
        if ended {
            assert!(steps > 100, "{steps}");
            break;
        }
        let session = world.session();
        if world.records(&session).is_empty() {
            continue;
        }
        let of_children = children(&world);
        let ids = of_children.iter().map(|child| child.id.as_str());
        let answered: usize = ids
            .chain([session.as_str()])
            .map(|id| {
                let records = world.records(id).into_iter();
                let is_message = |entry| matches!(entry, Entry::Assistant(_));
                records
                    .filter(|record| is_message(record.entry.clone()))
                    .count()
            })
            .sum();
        let heir = World::over(
            Rc::new(world.store.snapshot()),
            replies().split_off(answered.min(6)),
            Access::Writer,
        );
        heir.endpoint.goes_on_from(&world.endpoint);
        if heir.reasons(&session).is_empty() {
            heir.handle(Command::Continue(session.clone()));
        }
        assert_eq!(
            heir.reasons(&session),
            [StopReason::Completed],
            "after {steps} steps"
        );
        assert_eq!(
            heir.file("log").as_deref(),
            Some("123."),
            "after {steps} steps"
        );
        check_transcript(&heir.records(&session));
    }
}

#[test]
fn the_second_model_does_their_work() {
    let world = World::new(vec![
        delegate(&["a"]),
        Reply::text("Did."),
        Reply::text("Done."),
    ]);
    world.limits(|limits| limits.second_model = "small".into());
    world.send("Go");
    let models: Vec<String> = world
        .endpoint
        .requests()
        .iter()
        .map(|sent| sent.body["model"].as_str().unwrap().to_owned())
        .collect();
    // The last one asks for a title.
    assert_eq!(models, ["test-model", "small", "test-model", "small"]);
}

#[test]
fn stop_ends_a_question_and_the_sub_agents_beside_it() {
    let body = format!("data: {}\n\n", delta(json!({ "content": "Hm" }))).into_bytes();
    let world = World::new(vec![
        Reply::calls(&[
            ("ask_user", json!({ "question": "Well?" })),
            ("task", json!({ "prompt": "a" })),
        ]),
        Reply::Hanging { body },
    ]);
    let mut run = world.start(task(None, "Go"));
    let session = world.session();
    world.handle(Command::Stop(session.clone()));
    assert!(run.settle(), "the run ends at once");
    assert_eq!(world.reasons(&session), [StopReason::Cancelled]);
    let results = world.results(&session);
    assert!(
        !results[1].contains("nothing was changed"),
        "{}",
        results[1]
    );
    check_transcript(&world.records(&session));
}

#[test]
fn several_that_add_to_one_file_do_not_get_in_each_other_s_way() {
    let world = World::new(Vec::new());
    world.endpoint.answer_by(|body| {
        let messages = body["messages"].as_array().unwrap();
        let own = messages
            .iter()
            .filter(|message| message["role"] == "assistant");
        match (messages[1]["content"].as_str().unwrap(), own.count()) {
            ("Go", 0) => delegate(&["a", "b", "c", "d"]),
            ("Go", _) => Reply::text("Done."),
            (letter, 0..5) => {
                Reply::calls(&[("append_file", json!({ "path": "log", "content": letter }))])
            }
            _ => Reply::text("Added."),
        }
    });
    let session = world.send("Go");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let mut log: Vec<char> = world.file("log").unwrap().chars().collect();
    log.sort_unstable();
    assert_eq!(log.into_iter().collect::<String>(), "aaaaabbbbbcccccddddd");
    for child in children(&world) {
        assert!(
            world
                .results(&child.id)
                .iter()
                .all(|result| !result.starts_with("Error"))
        );
    }
}

#[test]
fn their_time_is_the_parent_s() {
    let world = World::new(Vec::new());
    world.limits(|limits| {
        limits.minutes = 5;
        limits.rounds = 500;
    });
    // Every answer takes half a minute; the sub-agent would go on for ever.
    world.endpoint.delay_ms.set(30_000);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    world.endpoint.answer_by(|body| {
        let messages = body["messages"].as_array().unwrap();
        let own = messages
            .iter()
            .filter(|message| message["role"] == "assistant");
        match (messages[1]["content"].as_str().unwrap(), own.count()) {
            ("Go", 0) => delegate(&["Look for ever"]),
            ("Go", _) => Reply::calls(&[("list_dir", json!({}))]),
            (_, n) => Reply::calls(&[("list_dir", json!({ "depth": n }))]),
        }
    });
    let session = world.send("Go");
    assert_eq!(
        world.reasons(&session),
        [StopReason::TimeLimit { minutes: 5 }]
    );
    let ending = world.records(&session).pop().unwrap();
    let Entry::Stopped(ending) = ending.entry else {
        panic!("{ending:?}");
    };
    assert!(
        (300_000..400_000).contains(&ending.took_ms),
        "{}",
        ending.took_ms
    );
}

#[test]
fn they_go_by_what_their_parent_was_begun_with() {
    let world = World::new(vec![
        Reply::calls(&[
            ("ask_user", json!({ "question": "Ready?" })),
            ("task", json!({ "prompt": "a" })),
        ]),
        Reply::calls(&[("list_dir", json!({}))]),
        Reply::text("Did."),
        Reply::text("Done."),
    ]);
    world.handle(Command::SaveApproval {
        mode: tabloop::kernel::approval::ApprovalMode::Never,
        rules: vec![tabloop::kernel::approval::Rule {
            tool: "task".into(),
            target: String::new(),
            action: tabloop::kernel::approval::Action::Ask,
        }],
    });
    world.limits(|limits| limits.second_model = "small".into());
    let mut run = world.start(task(None, "Go"));
    world.answer(tabloop::kernel::event::Reply::Text("Yes".into()));
    assert!(!run.settle());
    // Meanwhile all of it becomes another one.
    let id = world.settings().kept.profiles[0].id.clone();
    let other = support::draft("https://other.example/v1", "sk-of-the-other", "other-model");
    world.save(Some(&id), other);
    world.limits(|limits| limits.second_model = "other-small".into());
    world.answer(tabloop::kernel::event::Reply::Once);
    run.finish();
    let asked: Vec<(String, String, String)> = world
        .endpoint
        .requests()
        .iter()
        .map(|sent| {
            let key = sent.headers[1].1.clone();
            let model = sent.body["model"].as_str().unwrap();
            (sent.url.clone(), key, model.to_owned())
        })
        .collect();
    let of = |model: &str| {
        let url = format!("{}/chat/completions", support::BASE_URL);
        (url, format!("Bearer {}", support::KEY), model.to_owned())
    };
    let expected = ["test-model", "small", "small", "test-model", "small"];
    assert_eq!(asked, expected.map(of), "the title is asked for last");
}
