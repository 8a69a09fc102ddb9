//! `AGENTS.md`: the root's rules in the system prompt, those of a folder once work
//! goes on below it, a change told where it was noticed.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::endpoint::Reply;
use support::{World, task};

fn texts(world: &World) -> Vec<String> {
    let messages = world.endpoint.last_messages();
    let text =
        |message: &serde_json::Value| message["content"].as_str().unwrap_or_default().to_owned();
    messages.iter().map(text).collect()
}

#[test]
fn the_root_s_rules_stand_in_the_system_prompt_and_stay_as_they_were() {
    let world = World::new(vec![
        Reply::calls(&[(
            "write_file",
            json!({ "path": "AGENTS.md", "content": "Write in prose." }),
        )]),
        Reply::text("Done."),
        Reply::text("Again."),
    ]);
    world.put_file("AGENTS.md", "Write in verse.\n");
    let session = world.send("Go");
    let sent = texts(&world);
    assert!(
        sent[0].ends_with("# Rules of this workspace (AGENTS.md)\n\nWrite in verse."),
        "{}",
        sent[0]
    );
    assert_eq!(sent[1], "Go");
    // The change is told with the next task; what was sent before stays a prefix.
    world.handle(task(Some(session), "More"));
    let sent = texts(&world);
    assert!(sent[0].ends_with("Write in verse."));
    let told = sent.last().unwrap();
    assert!(
        told.starts_with(
            "[Tabloop] These are now the rules of this workspace (AGENTS.md):\n\nWrite in prose."
        ),
        "{told}"
    );
}

#[test]
fn a_folder_s_rules_hold_once_work_goes_on_below_it() {
    let world = World::new(vec![
        Reply::calls(&[("read_file", json!({ "path": "a.md" }))]),
        Reply::calls(&[("read_file", json!({ "path": "web/src/b.md" }))]),
        Reply::calls(&[("read_file", json!({ "path": "web/src/b.md" }))]),
        Reply::text("Done."),
    ]);
    world.put_file("a.md", "a");
    world.put_file("web/AGENTS.md", "Use tabs.");
    world.put_file("web/src/b.md", "b");
    world.send("Go");
    let sent = texts(&world);
    let rules: Vec<usize> = (0..sent.len())
        .filter(|at| sent[*at].contains("Use tabs."))
        .collect();
    assert_eq!(
        rules,
        [6],
        "told once, behind the result that it goes with: {sent:?}"
    );
    assert!(
        sent[6].starts_with("[Tabloop] These rules hold below web/ (web/AGENTS.md):"),
        "{}",
        sent[6]
    );
}

#[test]
fn without_rules_nothing_is_said() {
    let world = World::new(vec![Reply::text("Hi")]);
    world.send("Go");
    assert_eq!(texts(&world).len(), 2);
    assert!(!texts(&world)[0].contains("AGENTS.md"));
}
