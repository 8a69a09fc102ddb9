//! What a model may get wrong: each is an error result in words, and the loop goes on.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::World;
use support::endpoint::{Reply, delta, finish};
use support::invariants::check_transcript;
use tabloop::kernel::event::StopReason;

fn check(name: &str, arguments: &str, told: &str) {
    let world = World::new(vec![
        Reply::raw_calls(&[(name, arguments)]),
        Reply::text("Sorry."),
    ]);
    world.put_file("dir/a.md", "text");
    world.put_file("photo.png", b"\x89PNG\0\0".to_vec());
    world.put_file("huge.log", vec![b'x'; 20 << 20]);
    let session = world.send("Go");
    assert_eq!(world.results(&session), [told]);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(world.endpoint.last_messages()[3]["content"], told);
}

#[test]
fn broken_json() {
    check(
        "read_file",
        "{\"path\": \"a",
        "Error: the arguments of read_file are not valid JSON (EOF while parsing a string at line 1 column 11); send one JSON object such as {\"path\":\"…\"}",
    );
}

#[test]
fn an_unknown_tool() {
    check(
        "open",
        "{}",
        "Error: there is no tool \"open\"; the tools are list_dir, read_file, write_file, append_file, edit_file, apply_patch, make_dir, move, copy, delete, glob, grep, calculate, todo, ask_user, recall, task, finish",
    );
}

#[test]
fn missing_wrong_and_unknown_fields() {
    check(
        "write_file",
        "{\"path\":\"a\"}",
        "Error: write_file: content is missing; it must be a string",
    );
    check(
        "read_file",
        "{\"path\":7}",
        "Error: read_file: path must be a string, got 7",
    );
    check(
        "read_file",
        "{\"path\":\"a\",\"lines\":3}",
        "Error: read_file: lines is not a field; the fields are path, start_line, end_line",
    );
    check(
        "read_file",
        "{\"path\":\"a\",\"start_line\":-1}",
        "Error: read_file: start_line must be a whole number from 0, got -1",
    );
    check(
        "read_file",
        "[]",
        "Error: read_file: the arguments must be an object, got a list",
    );
}

#[test]
fn files_that_are_none() {
    check(
        "read_file",
        "{\"path\":\"b.md\"}",
        "Error: there is no file b.md; list_dir shows what is there",
    );
    check(
        "read_file",
        "{\"path\":\"dir\"}",
        "Error: dir is a directory, not a file; list_dir shows what is in it",
    );
    check(
        "write_file",
        "{\"path\":\"dir\",\"content\":\"\"}",
        "Error: dir is a directory, not a file; list_dir shows what is in it",
    );
    check(
        "write_file",
        "{\"path\":\"dir/a.md/b\",\"content\":\"\"}",
        "Error: dir/a.md is a file, not a directory; choose another path",
    );
    check(
        "read_file",
        "{\"path\":\"photo.png\"}",
        "Error: photo.png is a damaged PNG image of 6 bytes, so it can't be shown; ask the user for a whole one",
    );
    check(
        "read_file",
        "{\"path\":\"huge.log\"}",
        "Error: huge.log is 20 MB, and the largest file that can be read is 10 MB; ask the user for a smaller one or a part of it",
    );
    check(
        "edit_file",
        "{\"path\":\"photo.png\",\"edits\":[{\"old_text\":\"P\",\"new_text\":\"Q\"}]}",
        "Error: photo.png is not text but a PNG image of 6 bytes; only text can be read",
    );
}

#[test]
fn paths_that_lead_out() {
    for path in [
        "../secret",
        "a/../../secret",
        "%2e%2e/secret",
        "..\\secret",
        "C:/secret",
        "file:///secret",
        "~/secret",
    ] {
        let world = World::new(vec![
            Reply::calls(&[
                ("read_file", json!({ "path": path })),
                ("write_file", json!({ "path": path, "content": "x" })),
            ]),
            Reply::text("Sorry."),
        ]);
        let session = world.send("Go");
        for result in world.results(&session) {
            assert!(result.starts_with("Error: the path "), "{path}: {result}");
            assert!(
                result.ends_with("give a path inside the workspace such as \"notes/todo.md\""),
                "{path}: {result}"
            );
        }
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
    }
}

#[test]
fn a_hundred_calls_at_once() {
    let calls: Vec<(String, String)> = (0..100)
        .map(|n| {
            (
                "append_file".into(),
                format!("{{\"path\":\"log\",\"content\":\"{n},\"}}"),
            )
        })
        .collect();
    let calls: Vec<(&str, &str)> = calls
        .iter()
        .map(|(name, args)| (name.as_str(), args.as_str()))
        .collect();
    let world = World::new(vec![Reply::raw_calls(&calls), Reply::text("Done.")]);
    let session = world.send("Go");
    assert_eq!(world.results(&session).len(), 100);
    let expected: String = (0..100).map(|n| format!("{n},")).collect();
    assert_eq!(world.file("log"), Some(expected));
}

#[test]
fn an_id_used_twice_in_one_message_means_two_calls_with_a_result_each() {
    let numbered = |n: u64, text: &str| {
        let arguments = json!({ "path": "log", "content": text }).to_string();
        let function = json!({ "name": "append_file", "arguments": arguments });
        json!({ "index": n, "id": "same", "function": function })
    };
    let calls = json!({ "tool_calls": [numbered(0, "1"), numbered(1, "2"), numbered(2, "3")] });
    let world = World::new(vec![
        Reply::stream(&[delta(calls), finish("tool_calls")]),
        Reply::text("Done."),
    ]);
    let session = world.send("Go");
    assert_eq!(world.file("log").as_deref(), Some("123"));
    assert_eq!(world.results(&session).len(), 3);
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    check_transcript(&world.records(&session));
    // What is sent next names each call by an id of its own; the endpoint checks the pairs.
    assert_eq!(world.endpoint.requests().len(), 2);
}

#[test]
fn a_long_result_is_cut_in_the_middle() {
    let long: String = (0..3_000)
        .map(|n| format!("dir/file-{n:05}.txt\n"))
        .collect();
    let world = World::new(vec![
        Reply::calls(&[("list_dir", json!({ "depth": 9 }))]),
        Reply::text("Done."),
    ]);
    for name in long.lines().take(450) {
        world.put_file(name, "x");
    }
    let session = world.send("Go");
    let result = &world.results(&session)[0];
    assert!(result.len() <= 17 << 10, "{}", result.len());
    assert!(
        result.contains("more; list a folder further down"),
        "{result}"
    );
}
