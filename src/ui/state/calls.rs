//! What a call is about, in the few facts its line shows.

use serde_json::{Map, Value as Json};

use super::transcript::{CallState, CallView};

/// What a tool does, as far as its line words it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Lists a folder.
    List,
    /// Reads a file.
    Read,
    /// Writes a file.
    Write,
    /// Adds to a file.
    Append,
    /// Changes a file in places.
    Edit,
    /// Hands in the answer.
    Finish,
    /// Keeps the list of steps.
    Todo,
    /// Asks the user.
    Ask,
    /// Looks up what is no longer sent.
    Recall,
    /// Has a sub-agent do something.
    Task,
    /// Anything else.
    Other,
}

/// What the line says behind the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// Nothing.
    None,
    /// This many lines were read.
    Lines(usize),
    /// This many files and folders were listed.
    Entries(usize),
    /// Lines that were added and taken away.
    Changed {
        /// Added.
        plus: usize,
        /// Taken away.
        minus: usize,
    },
    /// Steps that are done, of all.
    Steps {
        /// Done.
        done: usize,
        /// All.
        of: usize,
    },
}

/// A call's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLine {
    /// What it does.
    pub act: Act,
    /// What it does that to: a path, a question, or the tool's name. Empty: the whole
    /// workspace, or what the verb names already.
    pub object: String,
    /// What came of it.
    pub note: Note,
    /// How far it has come.
    pub state: CallState,
    /// How long it took, milliseconds.
    pub took_ms: u64,
}

/// How a call's arguments are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgsView {
    /// As they are, with line breaks if they are JSON.
    Plain(String),
    /// The text for a file.
    Content {
        /// The file.
        path: String,
        /// The text.
        content: String,
    },
    /// Replacements in a file.
    Edits {
        /// The file.
        path: String,
        /// For each, the lines that go and those that come.
        edits: Vec<(String, String)>,
    },
}

/// The act of the tool called `name`.
pub fn act_of(name: &str) -> Act {
    match name {
        "list_dir" => Act::List,
        "read_file" => Act::Read,
        "write_file" => Act::Write,
        "append_file" => Act::Append,
        "edit_file" => Act::Edit,
        "finish" => Act::Finish,
        "todo" => Act::Todo,
        "ask_user" => Act::Ask,
        "recall" => Act::Recall,
        "task" => Act::Task,
        _ => Act::Other,
    }
}

impl CallLine {
    /// The line of `call`.
    pub fn of(call: &CallView) -> Self {
        let act = act_of(&call.name);
        let args = parse(&call.arguments);
        let text = |name: &str| args.get(name).and_then(Json::as_str);
        let line = |name: &str| text(name).map(first_line);
        let object = match act {
            Act::Other => None,
            Act::List => Some(shown_folder(text("path").unwrap_or_default())),
            Act::Finish | Act::Todo => Some(String::new()),
            Act::Ask => line("question").map(|question| with_answer(question, call)),
            Act::Recall => line("id"),
            Act::Task => line("prompt"),
            Act::Read | Act::Write | Act::Append | Act::Edit => text("path").map(str::to_owned),
        };
        let object = object.unwrap_or_else(|| call.name.clone());
        Self {
            act,
            object,
            note: note(act, call, &args),
            state: call.state,
            took_ms: call.took_ms,
        }
    }
}

/// The arguments of `call`, made readable.
pub fn args_view(call: &CallView) -> ArgsView {
    let args = parse(&call.arguments);
    let text = |name: &str| args.get(name).and_then(Json::as_str).map(str::to_owned);
    let known = match act_of(&call.name) {
        Act::Write | Act::Append => text("path")
            .zip(text("content"))
            .map(|(path, content)| ArgsView::Content { path, content }),
        Act::Edit => text("path")
            .zip(edits(&args))
            .map(|(path, edits)| ArgsView::Edits { path, edits }),
        Act::Finish => text("answer").map(ArgsView::Plain),
        Act::Task => text("prompt").map(ArgsView::Plain),
        _ => None,
    };
    known.unwrap_or_else(|| ArgsView::Plain(pretty(&call.arguments)))
}

/// The text of the argument called `name`.
pub fn text_argument(arguments: &str, name: &str) -> Option<String> {
    match parse(arguments).get(name) {
        Some(Json::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The question and, once there is one, the user's answer.
fn with_answer(question: String, call: &CallView) -> String {
    match call.result.strip_prefix("The user answered: ") {
        Some(answer) => format!("{question} → {}", first_line(answer)),
        None => question,
    }
}

/// The first line that says something.
fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    lines
        .find(|line| !line.is_empty())
        .unwrap_or_default()
        .to_owned()
}

fn parse(arguments: &str) -> Map<String, Json> {
    match serde_json::from_str(arguments) {
        Ok(Json::Object(args)) => args,
        _ => Map::new(),
    }
}

fn pretty(arguments: &str) -> String {
    let parsed: Result<Json, _> = serde_json::from_str(arguments);
    let pretty = parsed.and_then(|args| serde_json::to_string_pretty(&args));
    pretty.unwrap_or_else(|_| arguments.to_owned())
}

fn edits(args: &Map<String, Json>) -> Option<Vec<(String, String)>> {
    let pair = |edit: &Json| {
        let text = |name: &str| edit.get(name)?.as_str().map(str::to_owned);
        Some((text("old_text")?, text("new_text")?))
    };
    args.get("edits")?.as_array()?.iter().map(pair).collect()
}

fn shown_folder(path: &str) -> String {
    let path = path.trim_start_matches("./").trim_matches('/');
    if path == "." {
        String::new()
    } else {
        path.to_owned()
    }
}

fn note(act: Act, call: &CallView, args: &Map<String, Json>) -> Note {
    if call.state != CallState::Ok {
        return Note::None;
    }
    let content = || {
        args.get("content")
            .and_then(Json::as_str)
            .unwrap_or_default()
    };
    match act {
        Act::List => Note::Entries(listed(&call.result)),
        Act::Read => Note::Lines(numbered(&call.result)),
        Act::Write | Act::Append => Note::Changed {
            plus: content().lines().count(),
            minus: 0,
        },
        Act::Edit => {
            let edits = edits(args).unwrap_or_default();
            let lines = |text: &String| text.lines().count();
            Note::Changed {
                plus: edits.iter().map(|(_, new)| lines(new)).sum(),
                minus: edits.iter().map(|(old, _)| lines(old)).sum(),
            }
        }
        Act::Todo => steps(args).unwrap_or(Note::None),
        Act::Finish | Act::Ask | Act::Recall | Act::Task | Act::Other => Note::None,
    }
}

/// How many of the steps are done.
fn steps(args: &Map<String, Json>) -> Option<Note> {
    let items = args.get("items")?.as_array()?;
    let is_done = |item: &&Json| item.get("state").and_then(Json::as_str) == Some("done");
    Some(Note::Steps {
        done: items.iter().filter(is_done).count(),
        of: items.len(),
    })
}

/// Lines of a `read_file` result that begin with a number and a tab.
fn numbered(result: &str) -> usize {
    let is_numbered = |line: &&str| {
        line.split_once('\t')
            .is_some_and(|(number, _)| number.trim().parse::<u32>().is_ok())
    };
    result.lines().filter(is_numbered).count()
}

/// Lines of a `list_dir` result that name a file or a folder.
fn listed(result: &str) -> usize {
    let is_entry = |line: &&str| line.contains('\t') || line.ends_with('/');
    result.lines().filter(is_entry).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str, result: &str) -> CallView {
        CallView {
            id: "1".into(),
            seq: 0,
            name: name.into(),
            arguments: arguments.into(),
            state: CallState::Ok,
            result: result.into(),
            took_ms: 4,
            cached: false,
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
}
