//! A server that cuts a conversation to its window says nothing of it: its count gives it
//! away, and the user is told.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use support::endpoint::{Reply, delta};
use support::{World, task};
use tabloop::kernel::session::{Entry, Remark};

/// An answer with this count of the request.
fn counted(tokens: u64, message: Json) -> Reply {
    let reason = match message.get("tool_calls") {
        Some(_) => "tool_calls",
        None => "stop",
    };
    let end = json!({ "index": 0, "delta": {}, "finish_reason": reason });
    let usage = json!({ "prompt_tokens": tokens, "completion_tokens": 2 });
    Reply::stream(&[delta(message), json!({ "choices": [end], "usage": usage })])
}

fn text(tokens: u64) -> Reply {
    counted(tokens, json!({ "content": "Hi" }))
}

fn look(tokens: u64, id: &str) -> Reply {
    let call = json!({ "index": 0, "id": id, "type": "function", "function": { "name": "list_dir", "arguments": "{}" } });
    counted(tokens, json!({ "tool_calls": [call] }))
}

/// A task of about twelve thousand tokens.
fn long() -> String {
    "read this well and then do it ".repeat(1_700)
}

fn remarks(world: &World, session: &str) -> Vec<Option<Remark>> {
    let records = world.records(session).into_iter();
    let remarks = records.filter_map(|record| match record.entry {
        Entry::Assistant(message) => Some(message.remark),
        _ => None,
    });
    remarks.collect()
}

#[test]
fn a_cut_is_told_once_in_a_run() {
    let world = World::new(vec![look(4_096, "1"), look(4_096, "2"), text(4_090)]);
    let session = world.send(&long());
    let told = Some(Remark::CutTo(4_096));
    assert_eq!(remarks(&world, &session), [told.clone(), None, None]);
    // The next run tells it again, since it is still so.
    world.endpoint.answer_by(|_| text(4_096));
    world.handle(task(Some(session.clone()), "And now?"));
    assert_eq!(remarks(&world, &session)[3], told);
}

#[test]
fn a_whole_conversation_is_told_nothing() {
    let world = World::new(vec![look(15_200, "1"), text(15_300)]);
    let session = world.send(&long());
    assert_eq!(remarks(&world, &session), [None, None]);
    // A short one that fills a window, and an endpoint that counts nothing.
    let world = World::new(vec![text(4_096), text(0)]);
    let session = world.send("Hello");
    world.handle(task(Some(session.clone()), &long()));
    assert_eq!(remarks(&world, &session), [None, None]);
}
