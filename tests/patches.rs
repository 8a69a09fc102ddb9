//! `apply_patch`: several files at once or none, places found by what stands there, and a
//! hunk that does not fit told with the nearest lines.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::endpoint::Reply as Answer;
use support::tools::{bytes, told};
use support::{World, task};
use tabloop::kernel::approval::{Action, ApprovalMode, Rule};
use tabloop::kernel::diff::DiffKind;
use tabloop::kernel::event::{About, Reply};
use tabloop::protocol::Command;

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn patch(files: &[(&str, &[u8])], patch: &str) -> (World, String) {
    let (world, mut told) = told(files, &[("apply_patch", json!({ "patch": patch }))]);
    (world, told.remove(0))
}

fn text(world: &World, path: &str) -> Option<String> {
    bytes(world, path).map(|bytes| String::from_utf8(bytes).unwrap())
}

/// One file `f`, and what becomes of it.
fn check(before: &str, hunks: &str, result: Result<(&str, &str), &str>) {
    let whole = format!("--- a/f\n+++ b/f\n{hunks}");
    let (world, told) = patch(&[("f", before.as_bytes())], &whole);
    match result {
        Ok((after, notes)) => {
            assert_eq!(text(&world, "f").as_deref(), Some(after), "{told}");
            assert!(told.starts_with("Patched 1 file:\nM f "), "{told}");
            assert_eq!(told.split_once(", ").map_or("", |(_, notes)| notes), notes);
        }
        Err(problem) => {
            assert_eq!(told, format!("Error: f, {problem}\nNothing was changed."));
            assert_eq!(text(&world, "f").as_deref(), Some(before));
        }
    }
}

#[test]
fn files_are_changed_made_deleted_and_renamed_together() {
    let (world, told) = patch(
        &[
            ("src/a.rs", b"fn a() {\n    1\n}\n"),
            ("gone.md", b"bye\n"),
            ("old name.md", b"one\ntwo\nthree\n"),
            ("logo.png", b"\x89PNG\0"),
        ],
        "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@ fn a\n fn a() {\n-    1\n+    // Two.\n+    2\n }\n\
         diff --git a/new/b.rs b/new/b.rs\nnew file mode 100644\n--- /dev/null\n+++ b/new/b.rs\n@@ -0,0 +1,2 @@\n+b\n+c\n\
         --- a/gone.md\t2026-01-01\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n\
         diff --git a/old name.md b/n.md\nsimilarity index 60%\nrename from old name.md\nrename to n.md\n--- a/old name.md\n+++ b/n.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\
         diff --git a/logo.png b/img/logo.png\nsimilarity index 100%\nrename from logo.png\nrename to img/logo.png\n\
         diff --git a/empty b/empty\nnew file mode 100644\nindex 0..0\n",
    );
    assert_eq!(
        told,
        "Patched 6 files:\nM src/a.rs +2 -1\nA new/b.rs +2\nD gone.md -1\nR old name.md → n.md +1 -1\nR logo.png → img/logo.png\nA empty +0"
    );
    assert_eq!(
        text(&world, "src/a.rs").unwrap(),
        "fn a() {\n    // Two.\n    2\n}\n"
    );
    assert_eq!(text(&world, "new/b.rs").unwrap(), "b\nc\n");
    assert_eq!(text(&world, "n.md").unwrap(), "one\n2\nthree\n");
    assert_eq!(text(&world, "empty").unwrap(), "");
    assert_eq!(bytes(&world, "img/logo.png").unwrap(), b"\x89PNG\0");
    for gone in ["gone.md", "old name.md", "logo.png"] {
        assert_eq!(bytes(&world, gone), None);
    }
}

#[test]
fn one_hunk_that_does_not_fit_leaves_all_files_as_they_were() {
    let (world, told) = patch(
        &[("a", b"1\n"), ("b", b"let x = 1;\nlet y = 2;\n")],
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-let x = 1;\n+let x = 3;\n@@ -2,1 +2,1 @@\n-let Y = 2;\n+let y = 4;\n",
    );
    assert_eq!(
        told,
        "Error: b, hunk 2 (line 2): its old text was not found. The nearest lines differ in upper and lower case:\n2\tlet y = 2;\nNothing was changed."
    );
    assert_eq!(text(&world, "a").unwrap(), "1\n");
    assert_eq!(text(&world, "b").unwrap(), "let x = 1;\nlet y = 2;\n");
}

#[test]
fn a_place_is_found_by_what_stands_there() {
    // The number is wrong, also for what follows.
    check(
        TEN,
        "@@ -1,3 +1,3 @@\n 4\n-5\n+five\n 6\n@@ -5,2 +5,2 @@\n-8\n+eight\n 9\n",
        Ok(("1\n2\n3\n4\nfive\n6\n7\neight\n9\n10\n", "hunk 1 at line 4")),
    );
    // No numbers at all, and counts that are wrong.
    check(
        TEN,
        "@@\n 2\n-3\n 4\n",
        Ok(("1\n2\n4\n5\n6\n7\n8\n9\n10\n", "")),
    );
    check(
        TEN,
        "@@ -2,9 +2,9 @@\n 2\n-3\n+x\n",
        Ok(("1\n2\nx\n4\n5\n6\n7\n8\n9\n10\n", "")),
    );
    // The outer context differs.
    check(
        TEN,
        "@@ -3,5 +3,5 @@\n drei\n 4\n-5\n+five\n 6\n sieben\n",
        Ok(("1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n", "")),
    );
    // White space at line ends differs: the file's stays.
    check(
        "a  \nb\nc\n",
        "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        Ok(("a  \nB\nc\n", "")),
    );
    // Empty lines of context lost their space.
    check(
        "a\n\nb\n",
        "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n",
        Ok(("a\n\nc\n", "")),
    );
    // Lines that look like a head.
    check(
        "-- x\ny\n",
        "@@ -1,2 +1,2 @@\n--- x\n+++ z\n y\n",
        Ok(("++ z\ny\n", "")),
    );
    check("a\n", "@@ -1,0 +2,1 @@\n+b\n", Ok(("a\nb\n", "")));
    check(
        "x\ny\nx\ny\n",
        "@@ -3,2 +3,2 @@\n x\n-y\n+z\n",
        Ok(("x\ny\nx\nz\n", "")),
    );
}

#[test]
fn what_has_no_certain_place_is_told() {
    check(
        "x\ny\nx\ny\nq\n",
        "@@ -9,2 +9,2 @@\n x\n-y\n+z\n",
        Err(
            "hunk 1 (line 9): its old lines stand at lines 1, 3 and not at line 9; give more lines of context",
        ),
    );
    check(
        TEN,
        "@@\n+x\n",
        Err("hunk 1: it has no old lines, so its place is not known; give lines of context"),
    );
    check(
        TEN,
        "@@ -2 +2 @@\n-zwei\n+3\n",
        Err(
            "hunk 1 (line 2): its old text was not found, and nothing is like it; read the file and copy the text exactly.",
        ),
    );
    check(
        "a\nnew\nb\n",
        "@@ -1,2 +1,3 @@\n a\n+new\n b\n",
        Err("hunk 1 (line 1): its new lines are there already"),
    );
}

#[test]
fn line_ends_stay_as_the_file_has_them() {
    check(
        "a\r\nb\r\n",
        "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n",
        Ok(("a\r\nc\r\nd\r\n", "")),
    );
    check("a\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n", Ok(("x\nb", "")));
    check(
        "a\nb",
        "@@ -1,2 +1,3 @@\n a\n b\n+c\n",
        Ok(("a\nb\nc\n", "")),
    );
    check(
        "a\nb\n",
        "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n",
        Ok(("a\nc", "")),
    );
    check(
        "a\nb",
        "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n",
        Ok(("a\nc\n", "")),
    );
    check(
        "\u{feff}a\n",
        "@@ -1 +1,2 @@\n \u{feff}a\n+b\n",
        Ok(("\u{feff}a\nb\n", "")),
    );
}

#[test]
fn the_form_with_stars_is_read_too() {
    let (world, told) = patch(
        &[
            ("a.py", b"def f():\n    x = 1\n\ndef g():\n    x = 1\n"),
            ("old", b"x"),
        ],
        "*** Begin Patch\n*** Update File: a.py\n@@ def g():\n-    x = 1\n+    x = 2\n*** Add File: b.py\n+print(1)\n*** Delete File: old\n*** End Patch",
    );
    assert_eq!(told, "Patched 3 files:\nM a.py +1 -1\nA b.py +1\nD old -1");
    assert_eq!(
        text(&world, "a.py").unwrap(),
        "def f():\n    x = 1\n\ndef g():\n    x = 2\n"
    );
    assert_eq!(text(&world, "b.py").unwrap(), "print(1)\n");
}

#[test]
fn hostile_and_broken_patches_are_refused() {
    for (broken, expected) in [
        ("", "the patch names no file"),
        ("hello", "the patch names no file"),
        (
            "@@ -1 +1 @@\n-a\n+b\n",
            "line 1 of the patch begins a hunk before a file is named",
        ),
        (
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\nb\n",
            "line 5 of the patch begins with neither a space, + nor -: \"b\"",
        ),
        (
            "--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+b\n",
            "the path \"../x\" leads outside the workspace",
        ),
        (
            "--- /dev/null\n+++ b/CON\n@@ -0,0 +1 @@\n+b\n",
            "reserves for a device",
        ),
        (
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n",
            "there is already something at f",
        ),
        (
            "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n",
            "there is no file none",
        ),
        (
            "--- a/bin\n+++ b/bin\n@@ -1 +1 @@\n-a\n+b\n",
            "bin is not text but a PNG image",
        ),
        (
            "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "f holds more lines than the patch removes",
        ),
        (
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+a\n",
            "the patch would change nothing",
        ),
        (
            "diff --git a/bin b/bin\nGIT binary patch\n",
            "the patch changes a binary file",
        ),
        (
            "--- a/f\n+++ b/f\n@@ -18446744073709551615 +1 @@\n-a\n+b\n",
            "nothing",
        ),
    ] {
        let (world, told) = patch(&[("f", b"a\nz\n"), ("bin", b"\x89PNG\0")], broken);
        if expected == "nothing" {
            // A number beyond all lines is only a hint.
            assert!(told.starts_with("Patched"), "{told}");
            continue;
        }
        assert!(
            told.starts_with("Error: ") && told.contains(expected),
            "{broken:?}: {told}"
        );
        assert!(told.ends_with("\nNothing was changed."), "{told}");
        assert_eq!(text(&world, "f").unwrap(), "a\nz\n");
    }
    let long = "a\n".repeat(60_000);
    let many = format!(
        "--- a/f\n+++ b/f\n{}",
        format!("@@ -1 +1 @@\n{}-b\n", " a\n".repeat(3_000)).repeat(20)
    );
    let begun = std::time::Instant::now();
    let (_, told) = patch(&[("f", long.as_bytes())], &many);
    assert!(told.starts_with("Error: f, hunk 1"), "{told}");
    assert!(begun.elapsed().as_secs() < 20);
}

#[test]
fn a_question_shows_every_file_and_rules_know_them() {
    let whole = "--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/docs/new\n@@ -0,0 +1 @@\n+n\n";
    let ask = |mode, rules: Vec<Rule>| {
        let call = Answer::calls(&[("apply_patch", json!({ "patch": whole }))]);
        let world = World::new(vec![call, Answer::text("Done.")]);
        world.put_file("src/a", "a\n");
        world.handle(Command::SaveApproval { mode, rules });
        let mut run = world.start(task(None, "Go"));
        let asked = (!run.settle()).then(|| world.questions().remove(0).1.about);
        if asked.is_some() {
            world.answer(Reply::Once);
        }
        run.finish();
        (world, asked)
    };
    let (world, asked) = ask(ApprovalMode::Writes, Vec::new());
    let Some(About::Approval {
        changes, targets, ..
    }) = asked
    else {
        panic!("{asked:?}");
    };
    let shown: Vec<_> = changes
        .iter()
        .map(|change| (change.path.as_str(), change.kind))
        .collect();
    assert_eq!(
        shown,
        [("src/a", DiffKind::Changed), ("docs/new", DiffKind::New)]
    );
    assert_eq!(targets, ["src/a", "docs/new"]);
    assert_eq!(text(&world, "src/a").unwrap(), "b\n");
    let deny = Rule {
        tool: "*".into(),
        target: "docs/**".into(),
        action: Action::Deny,
    };
    let (world, _) = ask(ApprovalMode::Never, vec![deny]);
    assert!(world.results(&world.session())[0].starts_with("Error: a rule of the user forbids"));
    assert_eq!(text(&world, "src/a").unwrap(), "a\n");
}
