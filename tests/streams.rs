//! The sample bodies of real endpoints come out right however they are cut.
#![cfg(not(target_arch = "wasm32"))]

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use tabloop::kernel::event::{Failure, FailureKind};
use tabloop::kernel::model::assembler::Assembler;
use tabloop::kernel::model::conversation::Conversation;
use tabloop::kernel::model::{Finish, ModelEvent, errors};
use tabloop::kernel::session::{AssistantMessage, Entry, Record};

const HOST: &str = "model.example";

#[test]
fn every_sample_comes_out_as_expected_however_it_is_cut() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let mut samples: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    samples.retain(|path| path.to_string_lossy().ends_with(".expect.json"));
    samples.sort();
    assert_eq!(samples.len(), 25);
    for sample in samples {
        let expected: Json = serde_json::from_slice(&fs::read(&sample).unwrap()).unwrap();
        let stem = sample.to_string_lossy().replace(".expect.json", "");
        let body = fs::read(format!("{stem}.sse"))
            .or_else(|_| fs::read(format!("{stem}.json")))
            .unwrap();
        let whole = read(&expected, &body, body.len());
        check(&expected, &whole);
        for piece in [1, 7] {
            assert_eq!(
                read(&expected, &body, piece),
                whole,
                "{stem} in pieces of {piece}"
            );
        }
        for cut in 0..body.len() {
            read_cut(&body, cut);
        }
    }
}

/// What a reader made of a body.
#[derive(Debug, PartialEq)]
struct Outcome {
    text: String,
    reasoning: String,
    end: ModelEvent,
}

fn assembler() -> Assembler {
    let count = Cell::new(0);
    let mint = move || {
        count.set(count.get() + 1);
        format!("minted_{}", count.get())
    };
    Assembler::new(HOST, Box::new(mint))
}

fn read(expected: &Json, body: &[u8], piece: usize) -> Outcome {
    let status = expected["http"]["status"].as_u64().unwrap() as u16;
    if status >= 400 {
        let failure = errors::from_body(status, std::str::from_utf8(body).unwrap(), HOST);
        let end = ModelEvent::Failed {
            failure,
            text: String::new(),
            reasoning: String::new(),
        };
        return Outcome {
            text: String::new(),
            reasoning: String::new(),
            end,
        };
    }
    let mut assembler = assembler();
    let mut events = Vec::new();
    for piece in body.chunks(piece) {
        events.extend(assembler.push(piece));
    }
    events.extend(assembler.finish());
    outcome(events)
}

/// A connection that breaks at any byte gives a failure or the whole message,
/// never a panic, and never a call of a message that did not end.
fn read_cut(body: &[u8], cut: usize) {
    let mut reader = assembler();
    reader.push(&body[..cut]);
    assert!(matches!(
        reader.broken("reset".into()),
        ModelEvent::Failed { .. }
    ));
    let mut reader = assembler();
    let mut events = reader.push(&body[..cut]);
    events.extend(reader.finish());
    outcome(events);
}

fn outcome(mut events: Vec<ModelEvent>) -> Outcome {
    let end = events.pop().expect("an end");
    let (mut text, mut reasoning) = (String::new(), String::new());
    for event in events {
        match event {
            ModelEvent::Text(more) => text.push_str(&more),
            ModelEvent::Reasoning(more) => reasoning.push_str(&more),
            ModelEvent::Call { .. } => {}
            other => panic!("{other:?} before the end"),
        }
    }
    Outcome {
        text,
        reasoning,
        end,
    }
}

fn check(expected: &Json, outcome: &Outcome) {
    let name = &expected["name"];
    let same = |field: &str, got: &str| {
        let wanted = expected[field].as_str().unwrap();
        match expected["compare"][field] == "trim" {
            true => assert_eq!(got.trim(), wanted.trim(), "{field} of {name}"),
            false => assert_eq!(got, wanted, "{field} of {name}"),
        }
    };
    same("content", &outcome.text);
    same("reasoning", &outcome.reasoning);
    match &outcome.end {
        ModelEvent::Failed { failure, text, .. } => {
            same("content", text);
            check_failure(expected, failure);
        }
        ModelEvent::Finished(turn) => {
            assert_eq!(expected["error"], Json::Null, "error of {name}");
            same("content", &turn.text);
            let calls: Vec<Json> = turn.calls.iter().map(|call| {
                assert!(!call.id.is_empty());
                json!({ "id": call.id, "name": call.name, "arguments": serde_json::from_str::<Json>(&call.arguments).unwrap() })
            }).collect();
            let wanted: Vec<Json> = expected["tool_calls"]
                .as_array()
                .unwrap()
                .iter()
                .zip(&calls)
                .map(|(wanted, got)| {
                    let mut wanted = wanted.clone();
                    if wanted.get("id").is_none() {
                        wanted["id"] = got["id"].clone();
                    }
                    wanted
                })
                .collect();
            assert_eq!(
                calls.len(),
                expected["tool_calls"].as_array().unwrap().len(),
                "calls of {name}"
            );
            for (got, wanted) in calls.iter().zip(&wanted) {
                assert_eq!(got, wanted, "calls of {name}");
            }
            let finish = match (turn.calls.is_empty(), turn.finish) {
                (false, Finish::Stop) => "tool_calls",
                (_, Finish::Stop) => "stop",
                (_, Finish::Length) => "length",
                (_, Finish::ContentFilter) => "content_filter",
            };
            assert_eq!(expected["finish_reason"], finish, "finish_reason of {name}");
            if let Some(usage) = expected.get("usage") {
                let got = turn.usage.expect("usage");
                assert_eq!(usage["prompt_tokens"], got.prompt_tokens, "usage of {name}");
                assert_eq!(
                    usage["completion_tokens"], got.completion_tokens,
                    "usage of {name}"
                );
            }
            if let Some(echo) = expected.get("echo") {
                let message = AssistantMessage {
                    text: turn.text.clone(),
                    reasoning: turn.reasoning.clone(),
                    calls: turn.calls.clone(),
                    host: HOST.into(),
                    ..AssistantMessage::default()
                };
                check_echo(echo, message);
            }
        }
        other => panic!("{name} ended with {other:?}"),
    }
}

fn check_failure(expected: &Json, failure: &Failure) {
    let name = &expected["name"];
    let wanted = &expected["error"];
    let kind = match failure.kind {
        FailureKind::Truncated => "truncated",
        FailureKind::Server => "server",
        FailureKind::Billing => "billing",
        FailureKind::ContextOverflow => "context_overflow",
        FailureKind::ToolsUnsupported => "tools_unsupported",
        FailureKind::UnsupportedParameter => "unsupported_parameter",
        FailureKind::BadEndpoint => "bad_endpoint",
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(wanted["kind"], kind, "kind of {name}");
    assert_eq!(
        wanted["retryable"],
        failure.kind.is_retryable(),
        "retryable of {name}"
    );
    if let Some(status) = wanted["http_status"].as_u64() {
        assert_eq!(
            failure.status.map(u64::from),
            Some(status),
            "status of {name}"
        );
    }
    let detail = failure.detail.to_lowercase();
    for field in ["message_contains", "parameter"] {
        if let Some(part) = wanted[field].as_str() {
            assert!(
                detail.contains(&part.to_lowercase()),
                "{field} of {name}: {detail}"
            );
        }
    }
    if let Some(part) = wanted["message_must_not_contain"].as_str() {
        assert!(!detail.contains(part), "{name}: {detail}");
    }
}

/// The next request carries back what the host needs to see again.
fn check_echo(echo: &Json, message: AssistantMessage) {
    let records = [Record {
        seq: 0,
        at_ms: 0,
        entry: Entry::Assistant(message),
    }];
    let mut conversation = Conversation::new(HOST, "s");
    let messages: Vec<Json> = serde_json::from_str(&format!(
        "[{}]",
        conversation.messages(&records, &Default::default())
    ))
    .unwrap();
    for (field, wanted) in echo.as_object().unwrap() {
        match (field.as_str(), wanted.as_array()) {
            ("tool_calls", Some(calls)) => {
                for (n, wanted) in calls.iter().enumerate() {
                    let got = &messages[1]["tool_calls"][n];
                    assert_eq!(got["id"], wanted["id"]);
                    assert_eq!(got.get("extra_content"), wanted.get("extra_content"));
                }
            }
            _ => assert_eq!(messages[1][field], *wanted),
        }
    }
}
