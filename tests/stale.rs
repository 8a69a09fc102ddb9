//! A file that changed since the model last read or wrote it is not written over, edited
//! or deleted before it is read again; also after a reload.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::endpoint::Reply;
use support::{World, task};
use tabloop::kernel::session::Entry;
use tabloop::protocol::Access;

fn call(name: &'static str, args: Json) -> Vec<Reply> {
    vec![Reply::calls(&[(name, args)]), Reply::text("Done.")]
}

fn read(path: &str) -> Vec<Reply> {
    call("read_file", json!({ "path": path }))
}

fn write(path: &str, content: &str) -> Vec<Reply> {
    call("write_file", json!({ "path": path, "content": content }))
}

/// One session reads, another one changes the file, and the first goes on in a kernel
/// that was started anew.
fn after_a_change(first: Vec<Reply>, then: Vec<Reply>) -> (World, Vec<String>) {
    let mut replies = first;
    replies.extend(write("a.md", "by another"));
    let world = World::new(replies);
    world.put_file("a.md", "old");
    let session = world.send("Look");
    world.send("Change");
    let store = Rc::clone(&world.store);
    drop(world);
    let world = World::over(store, then, Access::Writer);
    world.handle(task(Some(session.clone()), "Go on"));
    let results = world.results(&session);
    (world, results)
}

const REFUSED: &str =
    "Error: a.md changed since you last read it, so nothing was changed; read it again first";

#[test]
fn what_changed_since_it_was_read_is_not_touched_before_it_is_read_again() {
    for (name, args) in [
        ("write_file", json!({ "path": "a.md", "content": "new" })),
        (
            "edit_file",
            json!({ "path": "./a.md", "edits": [{ "old_text": "another", "new_text": "me" }] }),
        ),
        ("delete", json!({ "path": "a.md" })),
    ] {
        let mut then = vec![Reply::calls(&[(name, args.clone())])];
        then.push(Reply::calls(&[("read_file", json!({ "path": "a.md" }))]));
        then.push(Reply::calls(&[(name, args)]));
        then.push(Reply::text("Done."));
        let (world, results) = after_a_change(read("a.md"), then);
        assert_eq!(results[1], REFUSED);
        assert!(!results[3].starts_with("Error"), "{}", results[3]);
        assert_ne!(world.file("a.md").as_deref(), Some("by another"));
    }
}

#[test]
fn what_the_model_wrote_it_knows() {
    let (_, results) = after_a_change(write("a.md", "mine"), write("a.md", "mine again"));
    assert_eq!(results[1], REFUSED);
    let mut replies = write("a.md", "1");
    replies.extend(write("a.md", "2"));
    let world = World::new(replies);
    let session = world.send("Go");
    world.handle(task(Some(session.clone()), "Go on"));
    assert_eq!(world.file("a.md").as_deref(), Some("2"));
}

#[test]
fn what_was_never_read_may_be_written_and_what_is_added_harms_nothing() {
    let (world, results) = after_a_change(read("b.md"), write("a.md", "new"));
    assert!(results[1].starts_with("Wrote a.md"), "{}", results[1]);
    assert_eq!(world.file("a.md").as_deref(), Some("new"));
    let mut then = vec![Reply::calls(&[(
        "append_file",
        json!({ "path": "a.md", "content": "!" }),
    )])];
    then.extend(write("a.md", "new"));
    let (world, results) = after_a_change(read("a.md"), then);
    assert!(results[1].starts_with("Added"), "{}", results[1]);
    // Who added to it has not seen the rest for that.
    assert_eq!(results[2], REFUSED);
    assert_eq!(world.file("a.md").as_deref(), Some("by another!"));
}

#[test]
fn a_folder_with_such_a_file_is_not_deleted_and_a_moved_file_stays_known() {
    let mut first = read("d/a.md");
    first.insert(
        1,
        Reply::calls(&[("move", json!({ "from": "d", "to": "e" }))]),
    );
    first.extend(write("e/a.md", "by another"));
    first.extend(call("delete", json!({ "path": "e" })));
    let world = World::new(first);
    world.put_file("d/a.md", "old");
    let session = world.send("Look");
    world.send("Change");
    world.handle(task(Some(session.clone()), "Go on"));
    let results = world.results(&session);
    assert_eq!(
        results[2],
        "Error: e/a.md changed since you last read it, so nothing was changed; read it again first"
    );
    assert_eq!(world.file("e/a.md").as_deref(), Some("by another"));
}

#[test]
fn what_is_known_is_kept_and_not_sent() {
    let world = World::new(read("a.md"));
    world.put_file("a.md", "text");
    let session = world.send("Go");
    let known = world
        .records(&session)
        .into_iter()
        .find_map(|record| match record.entry {
            Entry::ToolResult(result) => Some(result.known),
            _ => None,
        });
    assert_eq!(known.unwrap()[0].path, "a.md");
    let sent = json!(world.endpoint.last_messages()).to_string();
    assert!(
        !sent.contains("known") && !sent.contains("version"),
        "{sent}"
    );
}
