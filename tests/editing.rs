//! `edit_file`: all edits or none, line ends and marks kept, and a miss that says what
//! is there instead.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use support::tools::{bytes, told, told_once};

const TEXT: &str = "fn a() {\n    x();\n}\nfn b() {\n\tsay(“hello”);\n}\nlet Name = x();\n";

fn edit(text: &[u8], edits: Json) -> (String, Vec<u8>) {
    let (world, mut told) = told(
        &[("a.rs", text)],
        &[("edit_file", json!({ "path": "a.rs", "edits": edits }))],
    );
    (told.remove(0), bytes(&world, "a.rs").unwrap())
}

fn one(old: &str, new: &str) -> Json {
    json!([{ "old_text": old, "new_text": new }])
}

#[test]
fn the_result_is_a_diff() {
    let (told, after) = edit(
        b"1\n2\n3\n4\n5\n6\n",
        json!([
            { "old_text": "2\n3", "new_text": "two" },
            { "old_text": "6", "new_text": "six" }
        ]),
    );
    assert_eq!(
        told,
        "Edited a.rs: 2 places replaced, +2 -3 lines\n@@ -1,6 +1,5 @@\n 1\n-2\n-3\n+two\n 4\n 5\n-6\n+six"
    );
    assert_eq!(after, b"1\ntwo\n4\n5\nsix\n");
}

#[test]
fn a_miss_shows_the_nearest_lines_and_says_what_differs() {
    let check = |old: &str, expected: &str| {
        let (told, after) = edit(TEXT.as_bytes(), one(old, "new"));
        let expected = format!("Error: edits[0]: {expected}\nNo edit was made in a.rs.");
        assert_eq!(told, expected, "{old:?}");
        assert_eq!(after, TEXT.as_bytes());
    };
    let near = "old_text was not found. The nearest lines differ in ";
    check(
        "fn a() {\n  x();\n}",
        &format!("{near}indentation:\n1\tfn a() {{\n2\t    x();\n3\t}}"),
    );
    check(
        "    say(“hello”);",
        &format!("{near}indentation (tabs there, spaces in old_text):\n5\t\tsay(“hello”);"),
    );
    check(
        "say(\"hello\");",
        &format!(
            "{near}indentation (tabs there, nothing in old_text) and quotes or dashes:\n5\t\tsay(“hello”);"
        ),
    );
    check(
        "let  Name = x();",
        &format!("{near}white space:\n7\tlet Name = x();"),
    );
    check(
        "let name = x();",
        &format!("{near}upper and lower case:\n7\tlet Name = x();"),
    );
    check(
        "fn a() { \n    x();",
        &format!("{near}white space at line ends:\n1\tfn a() {{\n2\t    x();"),
    );
    check(
        "let Name = y(1);",
        &format!("{near}text:\n7\tlet Name = x();"),
    );
    check(
        "1\tfn a() {\n2\t    x();",
        "old_text was not found since it holds line numbers as read_file shows them; leave them out.",
    );
    check(
        "fn a() {\r\n    x();",
        "old_text was not found since its line ends are CRLF and those of the file are LF; send it with LF.",
    );
    check(
        "SELECT * FROM users;",
        "old_text was not found, and nothing is like it; read the file and copy the text exactly.",
    );
    check(
        "",
        "old_text is empty; to add to the end use append_file, to replace all use write_file.",
    );
    check(
        "new",
        "old_text and new_text are the same, so nothing would change.",
    );
}

#[test]
fn more_than_one_match_is_shown_where() {
    let (told, after) = edit(TEXT.as_bytes(), one("x();", "y();"));
    assert_eq!(
        told,
        "Error: edits[0]: old_text stands 2 times and must be unique:\n2\t    x();\n7\tlet Name = x();\nAdd the lines around it, or set all to true.\nNo edit was made in a.rs."
    );
    assert_eq!(after, TEXT.as_bytes());
    let all = json!([{ "old_text": "x();", "new_text": "y();", "all": true }]);
    let (told, _) = edit(TEXT.as_bytes(), all);
    assert!(
        told.starts_with("Edited a.rs: 2 places replaced, +2 -2 lines"),
        "{told}"
    );
}

#[test]
fn one_edit_that_does_not_fit_undoes_all() {
    let (told, after) = edit(
        TEXT.as_bytes(),
        json!([
            { "old_text": "fn a", "new_text": "fn c" },
            { "old_text": "fn a() {\n    x();", "new_text": "" }
        ]),
    );
    assert_eq!(
        told,
        "Error: edits[1]: old_text was there until an edit before this one changed it; put both into one.\nNo edit was made in a.rs."
    );
    assert_eq!(after, TEXT.as_bytes());
}

#[test]
fn line_ends_and_marks_stay_as_they_are() {
    let check = |before: &str, old: &str, new: &str, after: &str| {
        let (told, got) = edit(before.as_bytes(), one(old, new));
        assert_eq!(String::from_utf8(got).unwrap(), after, "{told}");
    };
    // Over CRLF, with LF as models send it.
    check("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n");
    check("a\r\nb\r\nc", "c", "c\nd", "a\r\nb\r\nc\r\nd");
    check("a\r\nb\r\n", "\nb\n", "\n", "a\r\n");
    // Each line by its own end.
    check("a\r\nb\nc\n", "a\nb", "x\ny", "x\r\ny\nc\n");
    check("a\nb\r\nc\r\n", "c", "c\nd", "a\nb\r\nc\r\nd\r\n");
    // Who sends carriage returns means them.
    check("a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n");
    // A byte order mark stays.
    check("\u{feff}a\r\nb\r\n", "a", "x", "\u{feff}x\r\nb\r\n");
}

#[test]
fn what_is_not_utf_8_is_never_rewritten() {
    for content in [&b"caf\xE9 au lait\n"[..], b"\xFF\xFEc\0a\0", b"\0\x01\x02"] {
        let (told, after) = edit(content, one("a", "b"));
        assert!(told.starts_with("Error: a.rs is not "), "{told}");
        assert_eq!(after, content);
    }
}

#[test]
fn a_long_file_and_a_long_wanted_text_are_looked_through_in_good_time() {
    let long = "some line of the file that is like all others\n".repeat(150_000);
    let wanted = "some line of the file that is not like others\n".repeat(2_000);
    let told = told_once(
        &[("a.rs", long.as_bytes())],
        "edit_file",
        json!({ "path": "a.rs", "edits": one(&wanted, "x") }),
    );
    assert!(
        told.contains("The nearest lines differ in text:\n1\tsome line"),
        "{told}"
    );
    assert!(told.len() < 2_000, "{}", told.len());
}
