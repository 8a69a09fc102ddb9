//! What must hold for every request and every transcript, whatever happened.

use std::collections::HashSet;

use serde_json::Value as Json;
use tabloop::kernel::session::{Entry, Record};

/// A request that every host takes.
pub fn check_request(body: &Json) {
    let messages = body["messages"].as_array().expect("a request has messages");
    let role = |message: &Json| message["role"].as_str().unwrap_or_default().to_owned();
    let (lead, rest) = match role(&messages[0]).as_str() {
        "system" => (&messages[0], &messages[1..]),
        // Where there is no role for it, its words stand in front of the task.
        _ => (&messages[0], &messages[..]),
    };
    let says = lead["content"].as_str().unwrap_or_default();
    assert!(says.starts_with("You "), "the system's words lead: {says}");
    assert_eq!(role(&rest[0]), "user", "the task stands right behind it");
    let mut open: Vec<String> = Vec::new();
    for message in rest {
        let content = message["content"].as_str().unwrap_or_default();
        let calls = message["tool_calls"].as_array();
        if role(message) != "tool" {
            assert!(open.is_empty(), "calls without a result: {open:?}");
        }
        match role(message).as_str() {
            "user" => {
                // With images it is made of parts.
                let parts = message["content"].as_array().map_or(0, Vec::len);
                assert!(!content.is_empty() || parts > 1, "an empty user message");
            }
            "assistant" => {
                assert!(
                    !content.is_empty() || calls.is_some(),
                    "an empty assistant message"
                );
                assert!(
                    calls.is_none_or(|calls| !calls.is_empty()),
                    "an empty list of calls"
                );
                open = calls
                    .into_iter()
                    .flatten()
                    .map(|call| call["id"].as_str().unwrap_or_default().to_owned())
                    .collect();
                let unique: HashSet<&String> = open.iter().collect();
                assert_eq!(unique.len(), open.len(), "an id used twice in one message");
                for call in calls.into_iter().flatten() {
                    let arguments = call["function"]["arguments"]
                        .as_str()
                        .expect("arguments are text");
                    assert!(
                        serde_json::from_str::<Json>(arguments).is_ok_and(|json| json.is_object()),
                        "{arguments}"
                    );
                }
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                assert_eq!(
                    open.first().map(String::as_str),
                    Some(id),
                    "a result out of order or without a call"
                );
                assert!(!content.is_empty(), "an empty result");
                open.remove(0);
            }
            other => panic!("a message of the role {other:?}"),
        }
    }
    assert!(
        open.is_empty(),
        "calls without a result at the end: {open:?}"
    );
}

/// A transcript that has come to rest: every call has exactly one result, in
/// order, and every run exactly one end.
pub fn check_transcript(records: &[Record]) {
    let mut open: Vec<String> = Vec::new();
    let mut run_is_open = false;
    for (n, record) in records.iter().enumerate() {
        assert_eq!(record.seq, n as u64, "numbers without a gap");
        match &record.entry {
            Entry::User { .. } => run_is_open = true,
            Entry::Assistant(message) => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
                open = message.calls.iter().map(|call| call.id.clone()).collect();
                run_is_open = true;
            }
            Entry::Begun { call_id } => {
                assert_eq!(open.first(), Some(call_id), "begun out of order");
            }
            Entry::ToolResult(result) => {
                assert_eq!(open.first(), Some(&result.call_id), "a result out of order");
                open.remove(0);
            }
            Entry::Stopped(_) => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
                run_is_open = false;
            }
            Entry::Compaction(compaction) => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
                assert!(compaction.tokens_after < compaction.tokens_before);
            }
            // A run may begin with it: the one before was stopped while it was judged.
            Entry::Critique { .. } => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
                run_is_open = true;
            }
            Entry::Steer { .. } => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
                assert!(run_is_open, "outside of a run: {:?}", record.entry);
            }
            Entry::Titled { .. } => assert!(!run_is_open, "titles come behind the end"),
            Entry::Todo { .. } => assert!(run_is_open, "steps outside of a run"),
            Entry::Nudge { .. } | Entry::Partial { .. } | Entry::Rules { .. } => {
                run_is_open = true;
            }
        }
    }
    assert!(!run_is_open, "a run without an end");
}
