//! What the lines of calls say.

use super::super::shell::Live;
use super::*;

fn call(name: &str, arguments: &str, result: &str) -> CallView {
    CallView {
        id: "1".into(),
        seq: 0,
        name: name.into(),
        arguments: arguments.into(),
        state: CallState::Ok,
        result: result.into(),
        live: Live::default(),
        took_ms: 4,
        cached: false,
        pictures: Vec::new(),
    }
}

fn check_line(call: &CallView, object: &str, note: Note) {
    let line = CallLine::of(call);
    assert_eq!(
        (line.object.as_str(), line.note),
        (object, note),
        "{call:?}"
    );
}

#[test]
fn errors_of_a_page_are_counted_and_not_those_of_its_text() {
    let told = |printed: &str| {
        let told =
            format!("Shown to the user: a.html, \"A\", 9 × 9\n{printed}\nVisible text:\nerror: x");
        call("preview", r#"{"path":"a.html"}"#, &told)
    };
    let bad =
        "Console:\nhere\nerror: Uncaught TypeError: a (a.mjs:1:2)\nerror: could not load b.js";
    check_line(&told(bad), "a.html", Note::Errors(2));
    check_line(&told("Console: nothing"), "a.html", Note::None);
}

#[test]
fn what_was_read_is_counted() {
    let text = "a.md, 2 lines, 8 bytes\n1\tone\n2\ttwo\n[end of file]";
    let read = call("read_file", r#"{"path":"a.md"}"#, text);
    check_line(&read, "a.md", Note::Lines(2));
    let list = |arguments, result| call("list_dir", arguments, result);
    let listing = "a.md\t8 bytes\nnotes/\nnotes/b\t1 byte";
    check_line(&list("{}", listing), "", Note::Entries(3));
    let nothing = "The workspace is empty.";
    check_line(&list(r#"{"path":"."}"#, nothing), "", Note::Entries(0));
    check_line(&list(r#"{"path":"/src/"}"#, ""), "src", Note::Entries(0));
}

#[test]
fn what_was_written_is_counted() {
    let write = call(
        "write_file",
        r#"{"path":"b","content":"x\ny\n"}"#,
        "Wrote b",
    );
    check_line(&write, "b", Note::Changed { plus: 2, minus: 0 });
    let edits = r#"{"path":"b","edits":[{"old_text":"x\ny","new_text":"z"}]}"#;
    let edit = call("edit_file", edits, "Edited b");
    check_line(&edit, "b", Note::Changed { plus: 1, minus: 2 });
}

#[test]
fn what_was_found_moved_and_patched_is_told() {
    let glob = call(
        "glob",
        r#"{"pattern":"*.rs"}"#,
        "a.rs\t8 bytes\nb.rs\t1 byte",
    );
    check_line(&glob, "*.rs", Note::Entries(2));
    let found = "12 matches in 3 files\na.rs\n1:x";
    let sum = call("calculate", r#"{"expression":"0.1+0.2"}"#, "0.3");
    check_line(&sum, "0.1+0.2 = 0.3", Note::None);
    let root = call(
        "calculate",
        r#"{"expression":"sqrt(2)"}"#,
        "≈ 1.4142135623731",
    );
    check_line(&root, "sqrt(2) ≈ 1.4142135623731", Note::None);
    let page = call(
        "fetch_url",
        r#"{"url":"https://a.example/b"}"#,
        "200 OK, text/plain",
    );
    check_line(&page, "https://a.example/b", Note::None);
    let grep = call("grep", r#"{"pattern":"x"}"#, found);
    check_line(&grep, "x", Note::Matches(12));
    let grep = call("grep", r#"{"pattern":"x"}"#, "Nothing matches");
    check_line(&grep, "x", Note::Matches(0));
    let moved = call("move", r#"{"from":"a","to":"b/c"}"#, "Moved a");
    check_line(&moved, "a → b/c", Note::None);
    let patch = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1,2 @@\n-a\n+b\n+c\n--- /dev/null\n+++ b/y.rs\n@@ -0,0 +1 @@\n+y\n";
    let arguments = serde_json::json!({ "patch": patch }).to_string();
    let patched = call("apply_patch", &arguments, "Patched");
    check_line(&patched, "x.rs, y.rs", Note::Changed { plus: 3, minus: 1 });
    assert_eq!(args_view(&patched), ArgsView::Plain(patch.into()));
}

#[test]
fn a_call_without_a_file_goes_by_its_name() {
    let other = call("launch_rocket", r#"{"path":"b"}"#, "");
    check_line(&other, "launch_rocket", Note::None);
    let broken = call("read_file", "{\"path\": \"a", "");
    check_line(&broken, "read_file", Note::Lines(0));
}

#[test]
fn calls_that_are_no_work_on_files_say_what_they_are_about() {
    let items = r#"{"items":[{"text":"a","state":"done"},{"text":"b","state":"doing"}]}"#;
    check_line(
        &call("todo", items, "2 steps"),
        "",
        Note::Steps { done: 1, of: 2 },
    );
    let about = |name, arguments, object| {
        check_line(&call(name, arguments, ""), object, Note::None);
    };
    about("finish", r#"{"answer":"All done."}"#, "");
    about(
        "ask_user",
        r#"{"question":"\nWhich one?\nOr both?"}"#,
        "Which one?",
    );
    let question = r#"{"question":"Which one?"}"#;
    let answered = call("ask_user", question, "The user answered: b\nbecause");
    check_line(&answered, "Which one? → b", Note::None);
    about("recall", r#"{"id":"r7"}"#, "r7");
    about("task", r#"{"prompt":"Count the lines"}"#, "Count the lines");
    about("task", "{}", "task");
}

#[test]
fn a_call_that_failed_has_no_result_to_count() {
    let mut failed = call("read_file", r#"{"path":"a"}"#, "Error: there is no file a");
    failed.state = CallState::Error;
    assert_eq!(CallLine::of(&failed).note, Note::None);
}

#[test]
fn arguments_are_readable_whatever_they_are() {
    let check = |name, arguments: &str, expected| {
        assert_eq!(
            args_view(&call(name, arguments, "")),
            expected,
            "{arguments}"
        );
    };
    check(
        "read_file",
        r#"{"path":"a"}"#,
        ArgsView::Plain("{\n  \"path\": \"a\"\n}".into()),
    );
    check(
        "write_file",
        r#"{"path":"a"}"#,
        ArgsView::Plain("{\n  \"path\": \"a\"\n}".into()),
    );
    check("write_file", "{\"pa", ArgsView::Plain("{\"pa".into()));
    check(
        "append_file",
        r#"{"path":"a","content":"x"}"#,
        ArgsView::Content {
            path: "a".into(),
            content: "x".into(),
        },
    );
    check(
        "edit_file",
        r#"{"path":"a","edits":[{"old_text":"x","new_text":"y"}]}"#,
        ArgsView::Edits {
            path: "a".into(),
            edits: vec![("x".into(), "y".into())],
        },
    );
}
