//! What a call is about, in the few facts its line shows.

use serde_json::{Map, Value as Json};

use super::shell::ShellResult;
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
    /// Looks for files by their names.
    Find,
    /// Looks for text in files.
    Search,
    /// Makes a folder.
    MakeDir,
    /// Moves a file or a folder.
    Move,
    /// Copies a file or a folder.
    Copy,
    /// Deletes a file or a folder.
    Delete,
    /// Changes several files by a patch.
    Patch,
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
    /// Works out an expression.
    Calculate,
    /// Asks a host of the web.
    Fetch,
    /// Runs a command.
    Shell,
    /// Runs a script.
    Script,
    /// Shows a page of the workspace.
    Preview,
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
    /// This many places were found.
    Matches(usize),
    /// Lines that were added and taken away.
    Changed {
        /// Added.
        plus: usize,
        /// Taken away.
        minus: usize,
    },
    /// The command says that it failed.
    Exit(u32),
    /// The page told of this many errors.
    Errors(usize),
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
        "glob" => Act::Find,
        "grep" => Act::Search,
        "make_dir" => Act::MakeDir,
        "move" => Act::Move,
        "copy" => Act::Copy,
        "delete" => Act::Delete,
        "apply_patch" => Act::Patch,
        "finish" => Act::Finish,
        "todo" => Act::Todo,
        "ask_user" => Act::Ask,
        "recall" => Act::Recall,
        "task" => Act::Task,
        "calculate" => Act::Calculate,
        "fetch_url" => Act::Fetch,
        "bash" => Act::Shell,
        "run_js" => Act::Script,
        "preview" => Act::Preview,
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
            Act::Calculate => line("expression").map(|expression| with_result(expression, call)),
            Act::Fetch => line("url"),
            Act::Shell => line("command"),
            Act::Script => line("code"),
            Act::Find | Act::Search => line("pattern"),
            Act::Move | Act::Copy => text("from")
                .zip(text("to"))
                .map(|(from, to)| format!("{from} → {to}")),
            Act::Patch => text("patch").map(patched),
            Act::Read
            | Act::Write
            | Act::Append
            | Act::Edit
            | Act::MakeDir
            | Act::Delete
            | Act::Preview => text("path").map(str::to_owned),
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
        Act::Shell => text("command").map(ArgsView::Plain),
        Act::Patch => text("patch").map(ArgsView::Plain),
        Act::Script => text("code").map(ArgsView::Plain),
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

/// The expression and, once it is known, what it comes to.
fn with_result(expression: String, call: &CallView) -> String {
    match call.state {
        CallState::Ok if call.result.starts_with('≈') => format!("{expression} {}", call.result),
        CallState::Ok => format!("{expression} = {}", first_line(&call.result)),
        _ => expression,
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
        Act::List | Act::Find => Note::Entries(listed(&call.result)),
        Act::Search => Note::Matches(matches(&call.result)),
        Act::Patch => {
            let patch = args.get("patch").and_then(Json::as_str);
            let lines = |sign: &str, head: &str| {
                let lines = patch.unwrap_or_default().lines();
                let counts = |line: &&str| line.starts_with(sign) && !line.starts_with(head);
                lines.filter(counts).count()
            };
            Note::Changed {
                plus: lines("+", "+++ "),
                minus: lines("-", "--- "),
            }
        }
        // An image has none.
        Act::Read if !call.pictures.is_empty() => Note::None,
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
        Act::Shell => match ShellResult::read(&call.result) {
            Some(told) if told.exit_code != 0 => Note::Exit(told.exit_code),
            _ => Note::None,
        },
        Act::MakeDir | Act::Move | Act::Copy | Act::Delete => Note::None,
        Act::Finish | Act::Ask | Act::Recall | Act::Task => Note::None,
        Act::Calculate | Act::Fetch | Act::Other => Note::None,
        Act::Preview => match page_errors(&call.result) {
            0 => Note::None,
            n => Note::Errors(n),
        },
        Act::Script => Note::None,
    }
}

/// Errors among what a page printed, which stands above its text.
fn page_errors(told: &str) -> usize {
    let printed = told.split("\nVisible text:").next().unwrap_or_default();
    let is_error = |line: &&str| line.starts_with("error: ");
    printed.lines().filter(is_error).count()
}

/// The files that a patch names.
fn patched(patch: &str) -> String {
    let mut files: Vec<&str> = Vec::new();
    let heads = [
        "--- ",
        "+++ ",
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
    ];
    for line in patch.lines() {
        let head = heads.iter().find_map(|head| line.strip_prefix(head));
        let Some(path) = head.map(|path| path.split('\t').next().unwrap_or_default().trim()) else {
            continue;
        };
        let bare = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
        let path = bare.unwrap_or(path);
        if path != "/dev/null" && !path.is_empty() && !files.contains(&path) {
            files.push(path);
        }
    }
    files.join(", ")
}

/// How many places a `grep` result tells of at its start.
fn matches(result: &str) -> usize {
    let number = result.split(' ').next().unwrap_or_default();
    number.parse().unwrap_or(0)
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
mod tests;
