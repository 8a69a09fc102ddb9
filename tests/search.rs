//! `glob` and `grep`: what they find, what they leave out, and that nothing a model
//! writes makes them slow.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::time::Instant;

use serde_json::{Value as Json, json};
use support::endpoint::Reply;
use support::tools::told_once;
use support::{World, task};
use tabloop::kernel::approval::{Action, ApprovalMode, Rule};
use tabloop::protocol::Command;

const FILES: &[(&str, &[u8])] = &[
    (".git/config", b"needle\n"),
    (
        ".gitignore",
        b"# built\n/dist/\n*.log\n!keep.log\nvendor/**/gen\n",
    ),
    ("dist/a.js", b"needle\n"),
    (
        "src/dist/b.js",
        b"one\nneedle here\nthree\nfour\nfive\na Needle\n",
    ),
    ("src/.gitignore", b"*.tmp\n!*.log\n"),
    ("src/x.tmp", b"needle\n"),
    ("src/x.log", b"needle in a log\n"),
    ("debug.log", b"needle\n"),
    ("keep.log", b"needle kept\n"),
    ("vendor/a/gen/z.rs", b"needle\n"),
    ("vendor/a/z.rs", b"no\n"),
    ("logo.png", b"\x89PNG\0needle"),
    ("文档/🦀.md", "needle 早\n".as_bytes()),
];

fn grep(args: Json) -> String {
    told_once(FILES, "grep", args)
}

#[test]
fn lines_are_found_and_what_git_ignores_is_not() {
    assert_eq!(
        grep(json!({ "pattern": "needle" })),
        "4 matching lines in 4 files\n\
         \nkeep.log\n1:needle kept\n\
         \nsrc/dist/b.js\n2:needle here\n\
         \nsrc/x.log\n1:needle in a log\n\
         \n文档/🦀.md\n1:needle 早\n\
         [left out: 5 files in .git or named by .gitignore, 1 file binary]"
    );
    // A folder or file that is named is searched whatever the rules say.
    assert_eq!(
        grep(json!({ "pattern": "needle", "path": "dist" })),
        "1 matching line in 1 file\n\ndist/a.js\n1:needle"
    );
    assert_eq!(
        grep(json!({ "pattern": "needle", "path": "debug.log" })),
        "1 matching line in 1 file\n\ndebug.log\n1:needle"
    );
}

#[test]
fn context_filter_and_modes() {
    assert_eq!(
        grep(json!({ "pattern": "(?i)NEEDLE", "glob": "*.js", "context": 1 })),
        "2 matching lines in 1 file\n\nsrc/dist/b.js\n1-one\n2:needle here\n3-three\n--\n5-five\n6:a Needle\n[left out: 5 files in .git or named by .gitignore]"
    );
    assert_eq!(
        grep(json!({ "pattern": "(?i)needle", "path": "src", "mode": "count" })),
        "3 matching lines in 2 files\nsrc/dist/b.js\t2\nsrc/x.log\t1\n[left out: 1 file in .git or named by .gitignore]"
    );
    assert_eq!(
        grep(json!({ "pattern": "needle", "path": "src", "glob": "dist/*.js", "mode": "files" })),
        "1 matching line in 1 file\nsrc/dist/b.js\n[left out: 1 file in .git or named by .gitignore]"
    );
    assert_eq!(
        grep(json!({ "pattern": "a\\nb", "path": "vendor/a/z.rs" })),
        "No line of 1 file matches. Each line is tried by itself, so \\n never matches."
    );
}

#[test]
fn much_is_capped_and_counted() {
    let many = "needle and more\n".repeat(5_000);
    let long = format!("{}needle{}\n", "x".repeat(100_000), "y".repeat(100_000));
    let files = [("many.txt", many.as_bytes()), ("long.txt", long.as_bytes())];
    let told = told_once(&files, "grep", json!({ "pattern": "needle" }));
    assert!(
        told.starts_with("5001 matching lines in 2 files\n\nlong.txt\n1:…xxxx"),
        "{told}"
    );
    assert!(told.contains("xneedley") && told.len() < 16 << 10);
    assert!(
        told.ends_with("more not shown; narrow it with path or glob …]"),
        "{told}"
    );
}

#[test]
fn expressions_that_explode_elsewhere_are_quick_or_refused() {
    let text = format!("{}b\n", "a".repeat(20_000)).repeat(3);
    for pattern in [
        "(a+)+$",
        "(a|a)*c",
        "(a|aa)+$",
        "(.*)(.*)(.*)(.*)=",
        "(a*)*c",
    ] {
        let begun = Instant::now();
        let told = told_once(
            &[("f", text.as_bytes())],
            "grep",
            json!({ "pattern": pattern }),
        );
        assert!(
            told.starts_with("No line of 1 file matches."),
            "{pattern}: {told}"
        );
        assert!(begun.elapsed().as_secs() < 10, "{pattern}");
    }
    for pattern in [
        "((a{100}){100}){100}",
        "(",
        "a(?=b)",
        "",
        &"(".repeat(1_000),
        &"x".repeat(5_000),
    ] {
        let told = told_once(&[("f", b"a")], "grep", json!({ "pattern": pattern }));
        assert!(
            told.starts_with("Error: ") && told.contains("pattern"),
            "{told}"
        );
    }
}

#[test]
fn files_are_found_by_their_paths_newest_first() {
    let replies = vec![
        Reply::calls(&[(
            "write_file",
            json!({ "path": "src/old.rs", "content": "1" }),
        )]),
        Reply::calls(&[("glob", json!({ "pattern": "**/*.rs" }))]),
        Reply::calls(&[("glob", json!({ "pattern": "*.rs", "path": "src" }))]),
        Reply::calls(&[("glob", json!({ "pattern": "*.{md,txt}" }))]),
        Reply::text("Done."),
    ];
    let world = World::new(replies);
    world.put_file("src/a.rs", "1");
    world.clock.advance(std::time::Duration::from_secs(60));
    world.put_file(".gitignore", "target\n");
    world.put_file("target/x.rs", "1");
    let session = world.send("Go");
    let results = world.results(&session);
    let left_out = "[1 file in .git or named by .gitignore left out]";
    assert_eq!(
        results[1],
        format!("src/old.rs\t1 byte\nsrc/a.rs\t1 byte\n{left_out}")
    );
    assert_eq!(results[2], "src/old.rs\t1 byte\nsrc/a.rs\t1 byte");
    assert_eq!(
        results[3],
        format!("No file fits *.{{md,txt}}.\n{left_out}")
    );
}

#[test]
fn many_files_are_cut_with_a_count() {
    let names: Vec<String> = (0..250).map(|n| format!("f{n:03}")).collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), &b"x"[..]))
        .collect();
    let told = told_once(&files, "glob", json!({ "pattern": "*" }));
    assert_eq!(told.lines().count(), 201);
    assert!(
        told.ends_with("[… 50 older ones; use a narrower pattern …]"),
        "{told}"
    );
}

#[test]
fn what_a_rule_keeps_from_being_read_is_not_searched() {
    let world = World::new(vec![
        Reply::calls(&[("grep", json!({ "pattern": "needle" }))]),
        Reply::text("Done."),
    ]);
    world.put_file("private/a", "needle");
    world.put_file("b", "needle");
    let rules = vec![Rule {
        tool: "read_file".into(),
        target: "private/*".into(),
        action: Action::Deny,
    }];
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Dangerous,
        rules,
    });
    world.handle(task(None, "Go"));
    let session = world.session();
    assert_eq!(
        world.results(&session),
        [
            "1 matching line in 1 file\n\nb\n1:needle\n[left out: 1 file not to be read without asking]"
        ]
    );
}
