//! Rounds: calls are run and answered in order, everything stays in the
//! history, and the run ends when the model asks for nothing more.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::World;
use support::endpoint::{Reply, delta, finish};
use support::invariants::check_transcript;
use tabloop::kernel::event::{AgentEvent, StopReason};
use tabloop::kernel::session::{Entry, Outcome};
use tabloop::protocol::Event;

const TASK: &str =
    "Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md";

#[test]
fn a_task_is_read_written_and_reported() {
    let world = World::new(vec![
        Reply::calls(&[("read_file", json!({ "path": "meeting.md" }))]),
        Reply::calls(&[(
            "write_file",
            json!({ "path": "todo-list.md", "content": "TODO a\nTODO b\n" }),
        )]),
        Reply::text("Done."),
    ]);
    world.put_file("meeting.md", "# Meeting\nTODO a\nTODO b\n");
    let session = world.send(TASK);
    assert_eq!(
        world.file("todo-list.md").as_deref(),
        Some("TODO a\nTODO b\n")
    );
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    check_transcript(&world.records(&session));

    let messages = world.endpoint.last_messages();
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "assistant", "tool"]
    );
    assert_eq!(messages[1]["content"], TASK);
    assert_eq!(
        messages[3]["content"],
        "meeting.md, 3 lines, 24 bytes\n1\t# Meeting\n2\tTODO a\n3\tTODO b\n[end of file]"
    );
}

#[test]
fn results_of_a_parallel_round_come_in_the_order_of_the_calls() {
    let world = World::new(vec![
        Reply::calls(&[
            ("read_file", json!({ "path": "b.md" })),
            ("list_dir", json!({})),
            ("read_file", json!({ "path": "missing.md" })),
            ("read_file", json!({ "path": "a.md" })),
        ]),
        Reply::text("Done."),
    ]);
    world.put_file("a.md", "A");
    world.put_file("b.md", "B");
    let session = world.send("Look");
    let results = world.results(&session);
    assert_eq!(results[0], "b.md, 1 line, 1 byte\n1\tB\n[end of file]");
    assert_eq!(results[1], "a.md\t1 byte\nb.md\t1 byte");
    assert_eq!(
        results[2],
        "Error: there is no file missing.md; list_dir shows what is there"
    );
    assert_eq!(results[3], "a.md, 1 line, 1 byte\n1\tA\n[end of file]");
}

#[test]
fn writing_calls_run_one_after_the_other() {
    let append = |text: &str| ("append_file", json!({ "path": "log", "content": text }));
    let world = World::new(vec![
        Reply::calls(&[
            append("1"),
            append("2"),
            ("read_file", json!({ "path": "log" })),
            append("3"),
        ]),
        Reply::text("Done."),
    ]);
    let session = world.send("Count");
    assert_eq!(world.file("log").as_deref(), Some("123"));
    assert_eq!(
        world.results(&session)[2],
        "log, 1 line, 2 bytes\n1\t12\n[end of file]"
    );
}

#[test]
fn calls_count_for_more_than_the_finish_reason() {
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "list_dir", "arguments": "" } }] });
    let world = World::new(vec![
        Reply::stream(&[delta(call), finish("stop")]),
        Reply::stream(&[
            delta(json!({ "content": "Nothing there." })),
            finish("tool_calls"),
        ]),
    ]);
    let session = world.send("Look");
    assert_eq!(world.results(&session), ["The workspace is empty."]);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(world.endpoint.requests().len(), 2);
}

#[test]
fn the_call_cut_off_by_the_length_limit_is_not_run() {
    let call = |n: usize, arguments: &str| json!({ "tool_calls": [{ "index": n, "id": format!("c{n}"), "function": { "name": "write_file", "arguments": arguments } }] });
    let world = World::new(vec![
        Reply::stream(&[
            delta(call(0, "{\"path\":\"a\",\"content\":\"whole\"}")),
            delta(call(1, "{\"path\":\"b\",\"content\":\"half\"}")),
            finish("length"),
        ]),
        Reply::text("Done."),
    ]);
    let session = world.send("Write");
    assert_eq!(world.file("a").as_deref(), Some("whole"));
    assert_eq!(world.file("b"), None);
    assert!(
        world.results(&session)[1]
            .starts_with("Error: the message was cut off at the endpoint's length limit")
    );
}

#[test]
fn an_answer_cut_or_held_back_says_so() {
    for (reason, expected) in [
        ("length", StopReason::LengthLimit),
        ("content_filter", StopReason::ContentFilter),
    ] {
        let world = World::new(vec![Reply::stream(&[
            delta(json!({ "content": "Once" })),
            finish(reason),
        ])]);
        let session = world.send("Tell");
        assert_eq!(world.reasons(&session), [expected]);
    }
}

#[test]
fn between_requests_what_was_sent_stays_as_it_was_to_the_byte() {
    let list = Reply::calls(&[("list_dir", json!({}))]);
    let world = World::new(vec![list.clone(), list.clone(), list, Reply::text("Done.")]);
    let session = world.send("Look");
    world.handle(support::task(Some(session), "Again"));
    let requests = world.endpoint.requests();
    assert_eq!(requests.len(), 5);
    for pair in requests.windows(2) {
        let end = pair[0].raw.find("],\"tools\"").unwrap();
        assert!(
            pair[1].raw.starts_with(&pair[0].raw[..end]),
            "{}",
            pair[1].raw
        );
    }
}

#[test]
fn what_is_told_live_is_what_a_reload_finds() {
    let world = World::new(vec![
        Reply::calls(&[
            ("write_file", json!({ "path": "a", "content": "1" })),
            ("read_file", json!({ "path": "b" })),
        ]),
        Reply::text("Done."),
    ]);
    let session = world.send("Go");
    let told: Vec<_> = world
        .agent_events()
        .into_iter()
        .filter_map(|event| match event {
            AgentEvent::Recorded(record) => Some(record),
            _ => None,
        })
        .collect();
    assert_eq!(told, world.records(&session));
    let outcomes: Vec<Outcome> = told
        .iter()
        .filter_map(|record| match &record.entry {
            Entry::ToolResult(result) => Some(result.outcome),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Outcome::Ok, Outcome::Error]);
    let stopped = told
        .iter()
        .filter(|record| matches!(record.entry, Entry::Stopped(_)))
        .count();
    assert_eq!(stopped, 1);
}

#[test]
fn a_file_is_told_as_changed_before_its_result_is() {
    let world = World::new(vec![
        Reply::calls(&[("write_file", json!({ "path": "d/a", "content": "1" }))]),
        Reply::text("Done."),
    ]);
    world.send("Go");
    let events = world.events.borrow();
    let changed = events.iter().position(|event| matches!(event, Event::FilesChanged { rows, .. } if rows.iter().any(|row| row.path == "d/a" && row.size == Some(1))));
    let result = events.iter().position(|event| matches!(event, Event::Agent { event: AgentEvent::Recorded(record), .. } if matches!(record.entry, Entry::ToolResult(_))));
    assert!(changed.unwrap() < result.unwrap());
}
