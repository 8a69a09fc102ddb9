//! `make_dir`, `move`, `copy`, `delete`: files and folders with all in them, in one step,
//! with conflicts told.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use support::endpoint::Reply as Answer;
use support::tools::{bytes, told, told_once};
use support::{World, task};
use tabloop::kernel::approval::{Action, ApprovalMode, Rule};
use tabloop::kernel::diff::DiffKind;
use tabloop::kernel::event::{About, Reply};
use tabloop::protocol::{Command, Event};

const FILES: &[(&str, &[u8])] = &[
    ("a.md", b"alpha\n"),
    ("src/main.rs", b"fn main() {}\n"),
    ("src/deep/logo.png", b"\x89PNG\0\xFF"),
    ("src-old/x", b"x"),
];

fn paths(world: &World) -> Vec<String> {
    let told = told_tree(world);
    told.lines()
        .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
        .collect()
}

fn told_tree(world: &World) -> String {
    // The page's tree, folded from what it was told.
    let mut files = std::collections::BTreeMap::new();
    for event in world.events.borrow().iter() {
        if let Event::FilesChanged { rows, removed, .. } = event {
            for path in removed {
                files.remove(path);
            }
            files.extend(rows.iter().map(|row| (row.path.clone(), row.size)));
        }
    }
    files.into_keys().collect::<Vec<_>>().join("\n")
}

#[test]
fn files_and_folders_are_made_moved_copied_and_deleted() {
    let (world, told) = told(
        FILES,
        &[
            ("make_dir", json!({ "path": "notes/2026" })),
            ("make_dir", json!({ "path": "notes" })),
            ("move", json!({ "from": "src", "to": "lib/core" })),
            ("copy", json!({ "from": "lib", "to": "backup" })),
            ("copy", json!({ "from": "a.md", "to": "notes/a.md" })),
            ("move", json!({ "from": "a.md", "to": "A.md" })),
            ("delete", json!({ "path": "lib" })),
            ("delete", json!({ "path": "src-old/x" })),
        ],
    );
    assert_eq!(
        told,
        [
            "Made notes/2026/",
            "notes/ is there already",
            "Moved src/ (2 files, 19 bytes) to lib/core",
            "Copied lib/ (2 files, 19 bytes) to backup",
            "Copied a.md (6 bytes) to notes/a.md",
            "Moved a.md (6 bytes) to A.md",
            "Deleted lib/ (2 files, 19 bytes)",
            "Deleted src-old/x (1 byte)",
        ]
    );
    assert_eq!(
        paths(&world),
        [
            "A.md",
            "backup",
            "backup/core",
            "backup/core/deep",
            "backup/core/deep/logo.png",
            "backup/core/main.rs",
            "notes",
            "notes/2026",
            "notes/a.md",
            "src-old",
        ]
    );
    assert_eq!(
        bytes(&world, "backup/core/deep/logo.png").unwrap(),
        b"\x89PNG\0\xFF"
    );
    // A reload finds the same, and no content that a file has was swept away.
    let again = World::over(
        world.store.clone(),
        Vec::new(),
        tabloop::protocol::Access::Writer,
    );
    assert_eq!(
        bytes(&again, "backup/core/main.rs").unwrap(),
        b"fn main() {}\n"
    );
    assert_eq!(bytes(&again, "A.md").unwrap(), b"alpha\n");
    assert_eq!(bytes(&again, "src/main.rs"), None);
}

#[test]
fn conflicts_are_told_and_nothing_happens() {
    for (name, args, expected) in [
        (
            "move",
            json!({ "from": "a.md", "to": "src/main.rs" }),
            "there is already something at src/main.rs; choose another path, or delete it first",
        ),
        (
            "move",
            json!({ "from": "a.md", "to": "src" }),
            "src is a directory that is there already; to put a.md into it give \"src/a.md\"",
        ),
        (
            "copy",
            json!({ "from": "a.md", "to": "/" }),
            ". is a directory that is there already; to put a.md into it give \"a.md\"",
        ),
        (
            "copy",
            json!({ "from": "src", "to": "src/deep/copy" }),
            "src/deep/copy lies inside src; give a path outside of it",
        ),
        (
            "move",
            json!({ "from": "src", "to": "./src/" }),
            "from and to are the same path src; give another one",
        ),
        (
            "move",
            json!({ "from": "none", "to": "x" }),
            "there is no file or directory none; list_dir shows what is there",
        ),
        (
            "delete",
            json!({ "path": "none" }),
            "there is no file or directory none; list_dir shows what is there",
        ),
        (
            "copy",
            json!({ "from": "src", "to": "a.md/src" }),
            "a.md is a file, not a directory; choose another path",
        ),
        (
            "make_dir",
            json!({ "path": "a.md/x" }),
            "a.md is a file, not a directory; choose another path",
        ),
    ] {
        let (world, told) = told(FILES, &[(name, args)]);
        assert_eq!(told, [format!("Error: {expected}")]);
        assert_eq!(bytes(&world, "a.md").unwrap(), b"alpha\n");
        assert_eq!(paths(&world).len(), 7);
    }
    let root = told_once(FILES, "delete", json!({ "path": "/" }));
    assert!(root.contains("names the workspace itself"), "{root}");
}

#[test]
fn hostile_names_are_refused_or_kept_apart() {
    let long = "n".repeat(4 << 10);
    for name in [
        "a\nb",
        "CON",
        "con.txt",
        "dots.",
        "..",
        "x/../../y",
        "a\0",
        "a\u{202e}b",
        &long,
        "C:\\x",
        "%2e%2e/x",
    ] {
        for (tool, args) in [
            ("make_dir", json!({ "path": name })),
            ("move", json!({ "from": "a.md", "to": name })),
            ("copy", json!({ "from": "a.md", "to": name })),
            ("delete", json!({ "path": name })),
        ] {
            let told = told_once(&[("a.md", b"x")], tool, args);
            assert!(
                told.starts_with("Error: the path "),
                "{tool} {name:?}: {told}"
            );
        }
    }
    // Twins by normal form and by case are two files, and stay so.
    let twins = [
        "caf\u{e9}.md",
        "cafe\u{301}.md",
        "Caf\u{e9}.md",
        "🦀 crab's.md",
    ];
    let mut calls: Vec<(&str, Json)> = Vec::new();
    for name in twins {
        calls.push(("write_file", json!({ "path": name, "content": name })));
    }
    calls.push(("delete", json!({ "path": twins[0] })));
    calls.push(("move", json!({ "from": twins[3], "to": "d/🦀.md" })));
    let (world, _) = told(&[], &calls);
    assert_eq!(bytes(&world, twins[0]), None);
    assert_eq!(bytes(&world, twins[1]).unwrap(), twins[1].as_bytes());
    assert_eq!(bytes(&world, twins[2]).unwrap(), twins[2].as_bytes());
    assert_eq!(bytes(&world, "d/🦀.md").unwrap(), twins[3].as_bytes());
}

fn asked(call: (&str, Json), rules: Vec<Rule>, mode: ApprovalMode) -> (World, Option<About>) {
    let world = World::new(vec![Answer::calls(&[call]), Answer::text("Done.")]);
    for (path, content) in FILES {
        world.put_file(path, *content);
    }
    world.handle(Command::SaveApproval { mode, rules });
    let mut run = world.start(task(None, "Go"));
    let asked = (!run.settle()).then(|| world.questions().remove(0).1.about);
    if asked.is_some() {
        world.answer(Reply::Once);
    }
    run.finish();
    (world, asked)
}

#[test]
fn a_question_shows_what_is_touched() {
    let shown = |name, args| {
        let (_, about) = asked((name, args), Vec::new(), ApprovalMode::Writes);
        let Some(About::Approval { changes, more, .. }) = about else {
            panic!("{about:?}");
        };
        let shown = changes
            .into_iter()
            .map(|change| (change.path, change.from, change.kind, change.removed));
        (shown.collect::<Vec<_>>(), more)
    };
    let of = |path: &str, from: Option<&str>, kind, removed| {
        (path.to_owned(), from.map(str::to_owned), kind, removed)
    };
    assert_eq!(
        shown("move", json!({ "from": "src", "to": "lib" })),
        (
            vec![
                of(
                    "lib/deep/logo.png",
                    Some("src/deep/logo.png"),
                    DiffKind::Moved,
                    0
                ),
                of("lib/main.rs", Some("src/main.rs"), DiffKind::Moved, 0),
            ],
            0
        )
    );
    assert_eq!(
        shown("copy", json!({ "from": "a.md", "to": "b.md" })),
        (vec![of("b.md", Some("a.md"), DiffKind::Copied, 0)], 0)
    );
    assert_eq!(
        shown("delete", json!({ "path": "src" })),
        (
            vec![
                of("src/main.rs", None, DiffKind::Deleted, 1),
                of("src/deep/logo.png", None, DiffKind::Binary, 0),
            ],
            0
        )
    );
    assert_eq!(
        shown("make_dir", json!({ "path": "x/y" })),
        (vec![of("x/y", None, DiffKind::NewFolder, 0)], 0)
    );
    // Nobody is asked about what can't be done.
    let (_, about) = asked(
        ("move", json!({ "from": "a.md", "to": "src" })),
        Vec::new(),
        ApprovalMode::Writes,
    );
    assert_eq!(about, None);
}

#[test]
fn a_rule_for_a_file_holds_for_the_folder_it_would_go_with() {
    let deny = |target: &str| {
        vec![Rule {
            tool: "*".into(),
            target: target.into(),
            action: Action::Deny,
        }]
    };
    for (call, target) in [
        (("delete", json!({ "path": "src" })), "src/deep/*"),
        (("move", json!({ "from": "src", "to": "lib" })), "src/**"),
        (
            ("copy", json!({ "from": "src", "to": "lib" })),
            "lib/deep/*",
        ),
    ] {
        let (world, _) = asked(call, deny(target), ApprovalMode::Never);
        let session = world.session();
        assert!(
            world.results(&session)[0].starts_with("Error: a rule of the user forbids this call")
        );
        assert!(bytes(&world, "src/main.rs").is_some());
        assert_eq!(bytes(&world, "lib/main.rs"), None);
    }
}
