//! Names that differ only in form: both are kept, and whoever makes such a pair is told.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use support::World;
use support::archives::{bring_in, paths, raw, zip};
use support::endpoint::Reply;
use tabloop::kernel::approval::ApprovalMode;
use tabloop::protocol::Command;

const COMPOSED: &str = "caf\u{e9}.md";
const APART: &str = "cafe\u{301}.md";

/// What the model is told of calls in a workspace with such files.
fn told(files: &[&str], calls: &[(&str, Json)]) -> (World, Vec<String>) {
    let world = World::new(vec![Reply::calls(calls), Reply::text("Done.")]);
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Never,
        rules: Vec::new(),
    });
    for path in files {
        world.put_file(path, *path);
    }
    let session = world.send("Go");
    let results = world.results(&session);
    (world, results)
}

fn note(new: &str, other: &str) -> String {
    format!(
        "\n\n[Tabloop] {new} and {other} differ only in capitals or in how accents are written: here they are two, and some systems keep only one."
    )
}

#[test]
fn a_write_that_makes_a_pair_is_told_and_both_are_kept() {
    let write = |path: &str| ("write_file", json!({ "path": path, "content": "new" }));
    for (there, new) in [
        ("README.md", "readme.md"),
        (COMPOSED, APART),
        (APART, COMPOSED),
        ("CAF\u{c9}.md", APART),
        ("a/Stra\u{df}e", "a/stra\u{df}e"),
    ] {
        let (world, results) = told(&[there], &[write(new)]);
        assert!(results[0].ends_with(&note(new, there)), "{}", results[0]);
        assert_eq!(world.file(there).as_deref(), Some(there));
        assert_eq!(world.file(new).as_deref(), Some("new"));
    }
}

#[test]
fn nothing_is_told_where_there_is_no_pair() {
    let (_, results) = told(
        &["a.md", "dir/readme.md", "Old.md"],
        &[
            ("write_file", json!({ "path": "b.md", "content": "" })),
            ("write_file", json!({ "path": "README.md", "content": "" })),
            ("read_file", json!({ "path": "a.md" })),
            // It is one file before and after.
            ("move", json!({ "from": "Old.md", "to": "old.md" })),
        ],
    );
    for result in results {
        assert!(!result.contains("differ only"), "{result}");
    }
}

#[test]
fn a_folder_is_told_and_not_all_that_lies_in_it() {
    let (_, results) = told(
        &["src/a.rs", "src/b.rs"],
        &[("write_file", json!({ "path": "Src/a.rs", "content": "" }))],
    );
    assert!(results[0].ends_with(&note("Src", "src")), "{}", results[0]);
    assert_eq!(results[0].matches("[Tabloop]").count(), 1);
}

#[test]
fn an_import_tells_of_pairs_with_what_was_there() {
    let world = World::new(Vec::new());
    world.put_file("docs/caf\u{e9}.md", "old");
    // At the top what comes gets a number; below it is told.
    world.put_file("Notes.md", "old");
    let entries = [raw(format!("docs/{APART}"), "new"), raw("notes.md", "n")];
    let report = bring_in(&world, &[("x.zip", zip(&entries))]);
    let all = paths(&world);
    assert!(all.iter().any(|path| path.ends_with(APART)), "{all:?}");
    assert!(all.iter().any(|path| path.ends_with(COMPOSED)), "{all:?}");
    assert_eq!(report.alike, []);
    // A folder with both in it.
    let entries = [
        raw(format!("p/{APART}"), "1"),
        raw(format!("p/{COMPOSED}"), "2"),
    ];
    let report = bring_in(&world, &[("y.zip", zip(&entries))]);
    let pair = (format!("p/{APART}"), format!("p/{COMPOSED}"));
    assert_eq!(report.alike, [pair]);
}
