//! Long conversations: results are cut, the older part is summarised, the task stays,
//! and no request is ever too long or broken.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::World;
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use tabloop::kernel::event::{AgentEvent, ContextUse, FailureKind, StopReason};
use tabloop::kernel::session::{Compaction, Entry};
use tabloop::protocol::Command;

const TASK: &str = "Read every chapter and count the names, 一个不漏";

fn compactions(world: &World, session: &str) -> Vec<Compaction> {
    let records = world.records(session).into_iter();
    let compaction = |entry| match entry {
        Entry::Compaction(compaction) => Some(compaction),
        _ => None,
    };
    records
        .filter_map(|record| compaction(record.entry))
        .collect()
}

fn read(n: usize) -> Reply {
    let path = format!("chapter-{n:03}.md");
    Reply::calls(&[("read_file", json!({ "path": path }))])
}

fn chapter(n: usize) -> String {
    format!("Chapter {n}: the names are Anna, Bo and 王{n}. Lorem ipsum dolor sit amet.\n")
        .repeat(140)
}

/// A model that reads chapters for ever and writes summaries when asked.
fn reader(world: &World, rounds: usize, summary: impl Fn(usize) -> Reply + 'static) {
    let n = Cell::new(0);
    world.endpoint.answer_by(move |body| {
        let is_summary = body["messages"][0]["content"]
            .as_str()
            .is_some_and(|text| text.starts_with("You shorten"));
        if is_summary {
            return summary(body.to_string().len());
        }
        n.set(n.get() + 1);
        match n.get() {
            n if n <= rounds => read(n),
            _ => Reply::text("There are many names."),
        }
    });
}

fn world_of(chapters: usize, window: u32) -> World {
    let world = World::new(vec![Reply::text("unused")]);
    for n in 1..=chapters {
        world.put_file(&format!("chapter-{n:03}.md"), chapter(n));
    }
    world.limits(|limits| {
        limits.window = window;
        limits.rounds = 500;
        limits.kilo_tokens = 0;
    });
    world
}

#[test]
fn two_hundred_rounds_go_through_a_small_window_and_still_know_the_task() {
    let world = world_of(200, 16_384);
    // Four bytes to a token is more than any of these requests has.
    world.endpoint.window.set(16_384);
    reader(&world, 200, |_| {
        Reply::text("Read so far: chapters with Anna and Bo.")
    });
    let session = world.send(TASK);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    check_transcript(&world.records(&session));
    let all = compactions(&world, &session);
    assert!(all.len() > 10, "{}", all.len());
    assert!(all.iter().any(|compaction| compaction.summary.is_some()));
    for sent in world.endpoint.requests() {
        let messages = sent.body["messages"].as_array().unwrap();
        if messages[0]["content"]
            .as_str()
            .unwrap()
            .starts_with("You are")
        {
            assert_eq!(messages[1]["content"], TASK);
        }
    }
}

#[test]
fn what_was_left_out_is_recalled_by_its_id() {
    let world = world_of(70, 16_384);
    let n = Cell::new(0);
    world.endpoint.answer_by(move |body| {
        let text = body.to_string();
        if text.contains("You shorten") {
            return Reply::text("Chapters were read.");
        }
        n.set(n.get() + 1);
        if n.get() <= 70 {
            return read(n.get());
        }
        // An id as it stands in the conversation.
        let (_, rest) = text
            .split_once("recall with the id \\\"r0-r")
            .expect("a summary");
        let last = rest.split('\\').next().unwrap();
        match n.get() {
            71 => Reply::calls(&[
                ("recall", json!({ "id": format!("r0-r{last}") })),
                ("recall", json!({ "id": "r2" })),
            ]),
            _ => Reply::text("Done."),
        }
    });
    let session = world.send(TASK);
    let results = world.results(&session);
    let recalled = &results[results.len() - 2..];
    assert!(
        recalled[0].contains("User: Read every chapter"),
        "{}",
        &recalled[0][..200]
    );
    assert!(recalled[0].contains("Call read_file: {\"path\":\"chapter-001.md\"}"));
    assert!(recalled[1].contains("Chapter 1: the names are Anna"));
}

#[test]
fn a_summary_that_fails_or_grows_is_put_together_from_the_records() {
    let cases: [fn(usize) -> Reply; 3] = [
        |_| Reply::error(400, "no"),
        |bytes| Reply::text(&"blah ".repeat(bytes)),
        |_| Reply::text(" "),
    ];
    for summary in cases {
        let world = world_of(40, 16_384);
        world.endpoint.window.set(16_384);
        reader(&world, 40, summary);
        let session = world.send(TASK);
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
        let all = compactions(&world, &session);
        let summaries: Vec<_> = all
            .iter()
            .filter_map(|compaction| compaction.summary.as_ref())
            .collect();
        assert!(!summaries.is_empty());
        for summary in summaries {
            assert!(!summary.by_model);
            assert!(summary.text.contains("Call read_file"), "{}", summary.text);
        }
    }
}

#[test]
fn a_host_that_refuses_a_long_request_is_asked_once_more_with_less() {
    let refused = || {
        Reply::error(
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#,
        )
    };
    let world = world_of(6, 128_000);
    let n = Cell::new(0);
    world.endpoint.answer_by(move |body| {
        let text = body.to_string();
        if text.contains("You shorten") {
            return Reply::text("Chapters were read.");
        }
        if text.len() > 46_000 {
            return refused();
        }
        n.set(n.get() + 1);
        match n.get() {
            n if n <= 6 => read(n),
            _ => Reply::text("Done."),
        }
    });
    let session = world.send(TASK);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert!(!compactions(&world, &session).is_empty());

    // Where nothing can be left out, the reason is told.
    let world = World::new(vec![refused()]);
    let session = world.send(TASK);
    let reason = world.reasons(&session).pop().unwrap();
    assert!(
        matches!(reason, StopReason::Failed(failure) if failure.kind == FailureKind::ContextOverflow)
    );
    assert_eq!(world.endpoint.requests().len(), 1);
}

/// A long session goes on with a model at home whose window is not known, and far smaller.
#[test]
fn a_window_that_a_refusal_tells_is_kept_to() {
    let world = world_of(10, 128_000);
    reader(&world, 10, |_| Reply::text("Chapters were read."));
    let session = world.send(TASK);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert!(compactions(&world, &session).is_empty());

    let refused = Rc::new(Cell::new(0));
    let (count, again) = (Rc::clone(&refused), Cell::new(0));
    world.endpoint.answer_by(move |body| {
        if body.to_string().len() > 4 * 8_192 {
            count.set(count.get() + 1);
            return Reply::error(
                400,
                r#"{"error":{"code":400,"message":"request (30000 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
            );
        }
        if body.to_string().contains("You shorten") {
            return Reply::text("Chapters were read.");
        }
        again.set(again.get() + 1);
        match again.get() {
            n if n <= 4 => read(n),
            _ => Reply::text("They are 30."),
        }
    });
    world.handle(support::task(Some(session.clone()), "Read them once more."));
    assert_eq!(world.reasons(&session)[1], StopReason::Completed);
    assert_eq!(refused.get(), 1, "all that is sent from then on fits");
    let used = world.agent_events().into_iter().rev();
    let windows = used.filter_map(|event| match event {
        AgentEvent::Context(used) => Some(used.window),
        _ => None,
    });
    assert_eq!(windows.take(1).collect::<Vec<_>>(), [8_192]);
}

/// Some hosts tell an overfull window by an answer that is cut before its first word, and
/// some by a 400 without a word.
#[test]
fn an_overfull_window_that_is_not_told_in_words_is_noticed() {
    let cut = json!({
        "choices": [{ "index": 0, "delta": {}, "finish_reason": "length" }],
        "usage": { "prompt_tokens": 8192, "completion_tokens": 0 },
    });
    for refused in [Reply::stream(&[cut]), Reply::error(400, "")] {
        // More than half of the window is used when it comes.
        let world = world_of(6, 24_000);
        let n = Cell::new(0);
        let was_refused = Rc::new(Cell::new(false));
        let refuses = Rc::clone(&was_refused);
        world.endpoint.answer_by(move |body| {
            let text = body.to_string();
            if text.contains("You shorten") {
                return Reply::text("Chapters were read.");
            }
            if text.len() > 46_000 {
                refuses.set(true);
                return refused.clone();
            }
            n.set(n.get() + 1);
            match n.get() {
                n if n <= 6 => read(n),
                _ => Reply::text("Done."),
            }
        });
        let session = world.send(TASK);
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
        assert!(was_refused.get() && !compactions(&world, &session).is_empty());
    }
}

#[test]
fn a_refusal_without_a_word_is_no_overfull_window_where_there_is_room() {
    let world = World::new(vec![Reply::error(400, "")]);
    let session = world.send(TASK);
    let reason = world.reasons(&session).pop().unwrap();
    assert!(
        matches!(reason, StopReason::Failed(failure) if failure.kind == FailureKind::BadRequest)
    );
}

fn meter(world: &World) -> ContextUse {
    let events = world.agent_events().into_iter().rev();
    let mut used = events.filter_map(|event| match event {
        AgentEvent::Context(used) => Some(used),
        _ => None,
    });
    used.next().unwrap()
}

#[test]
fn the_meter_follows_the_host_s_count() {
    let counted = |prompt: u64, reply: Json| {
        let end = json!({
            "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": prompt, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 40 } },
        });
        Reply::stream(&[delta(reply), end])
    };
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "list_dir", "arguments": "{}" } }] });
    let world = World::new(vec![Reply::text("Hi")]);
    world.send("Hello");
    let estimated = meter(&world).total();
    // A host that counts twice as much is believed from then on.
    let world = World::new(
        (0..6)
            .map(|_| counted(estimated * 2, call.clone()))
            .collect(),
    );
    world.limits(|limits| limits.rounds = 6);
    world.send("Hello");
    let used = meter(&world);
    assert!(
        used.total() > estimated * 3 / 2,
        "{} after {estimated}",
        used.total()
    );
    assert!(used.system > 0 && used.tools > 0 && used.history > 0 && used.results > 0);
    let answered = world.endpoint.requests().len() as u64;
    assert_eq!(used.spent.cached_tokens, 40 * answered);
}

#[test]
fn the_meter_counts_the_last_answer_too() {
    let end = json!({
        "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 500, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 400 } },
    });
    let world = World::new(vec![Reply::stream(&[
        delta(json!({ "content": "Hi" })),
        end,
    ])]);
    world.limits(|limits| limits.price_in = 20_000);
    let session = world.send("Hello");
    let used = meter(&world);
    assert_eq!(
        (used.spent.prompt_tokens, used.spent.cached_tokens),
        (500, 400)
    );
    let ending = world.records(&session).pop().unwrap();
    assert!(matches!(ending.entry, Entry::Stopped(ending) if ending.cost == used.cost));
}

#[test]
fn system_prompt_and_tools_are_small() {
    let world = World::new(vec![Reply::text("Hi")]);
    world.send("Hello");
    let used = meter(&world);
    // The tokenizer o200k_base makes 205 and 986 of these very texts; this estimate, 210 and 1,000.
    assert!(
        used.system + used.tools < 3_000,
        "{}",
        used.system + used.tools
    );
}

#[test]
fn results_of_one_message_share_the_window() {
    let calls: Vec<(&str, Json)> = (1..=8)
        .map(|n| ("read_file", json!({ "path": format!("chapter-{n:03}.md") })))
        .collect();
    let world = world_of(8, 16_384);
    world.endpoint.window.set(16_384);
    let n = Cell::new(0);
    world.endpoint.answer_by(move |_| {
        n.set(n.get() + 1);
        match n.get() {
            1 => Reply::calls(&calls),
            _ => Reply::text("Done."),
        }
    });
    let session = world.send(TASK);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let bytes: usize = world.results(&session).iter().map(String::len).sum();
    assert!(bytes < 24_000, "{bytes}");
}

#[test]
fn open_steps_and_rules_stay_word_for_word() {
    let world = world_of(40, 16_384);
    world.put_file("AGENTS.md", "Always answer in verse.");
    let n = Cell::new(0);
    world.endpoint.answer_by(move |body| {
        if body.to_string().contains("You shorten") {
            return Reply::text("Chapters were read.");
        }
        n.set(n.get() + 1);
        match n.get() {
            1 => Reply::calls(&[(
                "todo",
                json!({ "items": [
                { "text": "Read them all", "state": "done" },
                { "text": "Count the names twice", "state": "open" },
            ] }),
            )]),
            n if n <= 40 => read(n - 1),
            _ => Reply::text("Done."),
        }
    });
    let session = world.send(TASK);
    assert!(!compactions(&world, &session).is_empty());
    for sent in world.endpoint.requests() {
        let text = sent.body["messages"].to_string();
        if text.contains("The conversation before this point") {
            assert!(text.contains("2. Count the names twice"), "{text}");
            assert!(
                sent.body["messages"][0]["content"]
                    .as_str()
                    .unwrap()
                    .contains("Always answer in verse.")
            );
        }
    }
    world.handle(Command::Stop(session));
}

#[test]
fn room_is_made_where_it_is_said_to_be() {
    let world = world_of(120, 16_384);
    reader(&world, 120, |_| Reply::text("Chapters were read."));
    let session = world.send(TASK);
    let (mut pruned, mut summarised) = (0, 0);
    let mut until = 0;
    for compaction in compactions(&world, &session) {
        let part = compaction.tokens_before * 100 / 16_384;
        let now = compaction
            .summary
            .as_ref()
            .map_or(0, |summary| summary.until);
        match now > until {
            true => {
                summarised += 1;
                assert!((80..100).contains(&part), "a summary at {part}%");
            }
            false => {
                pruned += 1;
                assert!((60..100).contains(&part), "pruned at {part}%");
            }
        }
        until = now;
    }
    assert!(pruned > 0 && summarised > 0, "{pruned} {summarised}");
}

#[test]
fn the_second_model_writes_the_summaries() {
    let world = world_of(40, 16_384);
    world.limits(|limits| {
        limits.window = 16_384;
        limits.rounds = 500;
        limits.kilo_tokens = 0;
        limits.second_model = "small".into();
    });
    reader(&world, 40, |_| Reply::text("Chapters were read."));
    let session = world.send(TASK);
    assert!(!compactions(&world, &session).is_empty());
    for sent in world.endpoint.requests() {
        let system = sent.body["messages"][0]["content"].as_str().unwrap();
        let expected = match system.starts_with("You are") {
            true => "test-model",
            false => "small",
        };
        assert_eq!(sent.body["model"], expected, "{system}");
    }
}

/// Large files are written as often as they are read, and stand in the arguments.
#[test]
fn arguments_that_fill_the_window_are_left_out_and_recalled() {
    let long: String = (0..120_000)
        .map(|n| format!("{n:05} lorem ipsum\n"))
        .collect();
    assert!(long.len() > 2 << 20);
    let world = world_of(0, 16_384);
    world.endpoint.window.set(16_384);
    let n = std::cell::Cell::new(0);
    world.endpoint.answer_by(move |body| {
        if body["messages"][0].to_string().contains("You shorten") {
            return Reply::text("A file was written.");
        }
        n.set(n.get() + 1);
        match n.get() {
            1 => Reply::calls(&[("write_file", json!({ "path": "a", "content": long }))]),
            2 => {
                let sent = body["messages"].to_string();
                let (_, rest) = sent.split_once("recall id \\\\\\\"").expect("an id");
                let id = rest.split('\\').next().unwrap();
                Reply::calls(&[("recall", json!({ "id": id }))])
            }
            _ => Reply::text("Written."),
        }
    });
    let session = world.send(TASK);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    check_transcript(&world.records(&session));
    let results = world.results(&session);
    assert!(results[0].starts_with("Wrote a"), "{}", results[0]);
    assert!(
        results[1].starts_with("[part 1 of") && results[1].contains("Call write_file: {"),
        "{}",
        results[1]
    );
}
