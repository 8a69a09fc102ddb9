//! What the demo model says next, worked out from the transcript alone.

use serde_json::{Value as Json, json};

use crate::kernel::session::{Entry, Outcome, Record, TodoItem, TodoState, ToolResult, Topic};

/// One message of the demo model.
pub(super) struct Step {
    pub text: String,
    pub call: Option<(&'static str, Json)>,
}

impl Step {
    /// A message of text alone.
    pub fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            call: None,
        }
    }
}

/// The task's language: the demo answers in it.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    English,
    Chinese,
}

/// What the user asked for, as far as a script can tell.
enum Task {
    /// Ask for the same tool for ever.
    Runaway,
    /// Collect the TODO lines of one file in another.
    Todos { from: String, to: String },
    /// Read a file and tell what is in it.
    Read { path: String },
    /// Anything else.
    Other,
}

/// The next message after `records`. Without tools it is a last word.
pub(super) fn next_step(records: &[Record], tools: bool) -> Step {
    let start = records
        .iter()
        .rposition(|record| matches!(record.entry, Entry::User { .. }));
    let task = start.map_or("", |at| match &records[at].entry {
        Entry::User { text, .. } => text,
        _ => "",
    });
    let results: Vec<&ToolResult> = records[start.unwrap_or(0)..]
        .iter()
        .filter_map(|record| match &record.entry {
            // Its list of steps is no part of the work.
            Entry::ToolResult(result) if result.name != "todo" => Some(result),
            _ => None,
        })
        .collect();
    let language = if task.chars().any(is_chinese) {
        Language::Chinese
    } else {
        Language::English
    };
    if !tools {
        return last_word(&results, language);
    }
    let of_task = &records[start.unwrap_or(0)..];
    if let Some(step) = plan(of_task, language) {
        return step;
    }
    let step = work(task, &results, language);
    match step.call {
        None => ticked(of_task).unwrap_or(step),
        Some(_) => step,
    }
}

/// In a run that plans first: the plan, until there is one.
fn plan(records: &[Record], language: Language) -> Option<Step> {
    let plans = records.iter().any(|record| {
        matches!(
            record.entry,
            Entry::Nudge {
                about: Topic::Mode,
                ..
            }
        )
    });
    let is_refused = |record: &Record| matches!(&record.entry, Entry::ToolResult(result) if result.name == "todo" && result.outcome != Outcome::Ok);
    if records.iter().any(is_refused) {
        return Some(Step::text(&say(
            language,
            "Then I leave everything as it is. Tell me what you would like instead.",
            "那我就不做改动。请告诉我你想怎么做。",
        )));
    }
    if !plans || steps(records).is_some() {
        return None;
    }
    let texts = [
        say(language, "Look at the files", "查看文件"),
        say(language, "Do what was asked", "完成任务"),
    ];
    let items = texts.map(|text| json!({ "text": text, "state": "open" }));
    let text = say(
        language,
        "This is how I would go about it.",
        "我打算这样做。",
    );
    Some(call(text, "todo", json!({ "items": items })))
}

/// The list with all steps done, if some are still open.
fn ticked(records: &[Record]) -> Option<Step> {
    let items = steps(records)?;
    if items.iter().all(|item| item.state == TodoState::Done) {
        return None;
    }
    let done = items
        .iter()
        .map(|item| json!({ "text": item.text, "state": "done" }));
    let items: Vec<Json> = done.collect();
    Some(call(String::new(), "todo", json!({ "items": items })))
}

fn steps(records: &[Record]) -> Option<&[TodoItem]> {
    records.iter().rev().find_map(|record| match &record.entry {
        Entry::Todo { items } => Some(items.as_slice()),
        _ => None,
    })
}

fn work(task: &str, results: &[&ToolResult], language: Language) -> Step {
    match understand(task) {
        Task::Runaway => runaway(results, language),
        Task::Todos { from, to } => todos(&from, &to, results, language),
        Task::Read { path } => read(&path, results, language),
        Task::Other => other(results, language),
    }
}

fn is_chinese(c: char) -> bool {
    ('\u{4E00}'..='\u{9FFF}').contains(&c)
}

fn understand(task: &str) -> Task {
    let lower = task.to_ascii_lowercase();
    if [
        "runaway",
        "for ever",
        "forever",
        "never stop",
        "一直",
        "不停",
    ]
    .iter()
    .any(|word| lower.contains(word))
    {
        return Task::Runaway;
    }
    let mut paths = paths_in(task).into_iter();
    match (paths.next(), paths.next()) {
        (Some(from), Some(to)) if task.contains("TODO") => Task::Todos { from, to },
        (Some(path), _) => Task::Read { path },
        _ => Task::Other,
    }
}

/// Words of the task that look like paths: with a dot inside, or leading out.
fn paths_in(task: &str) -> Vec<String> {
    let inside = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let words = task
        .split(|c: char| !inside(c))
        .map(|word| word.trim_end_matches(['.', '-']));
    let is_path = |word: &&str| {
        word.starts_with("../")
            || word
                .trim_start_matches('.')
                .split('/')
                .next_back()
                .is_some_and(|name| name.trim_start_matches('.').contains('.'))
    };
    words.filter(is_path).map(str::to_owned).collect()
}

fn say(language: Language, english: impl Into<String>, chinese: impl Into<String>) -> String {
    match language {
        Language::English => english.into(),
        Language::Chinese => chinese.into(),
    }
}

fn tell(text: String) -> Step {
    Step { text, call: None }
}

fn call(text: String, name: &'static str, arguments: Json) -> Step {
    Step {
        text,
        call: Some((name, arguments)),
    }
}

fn last_word(results: &[&ToolResult], language: Language) -> Step {
    let count = results.len();
    tell(say(
        language,
        format!(
            "I was stopped by the round limit after {count} tool calls, and the task is not done. This is the demo's runaway task: without a limit it would go on for ever."
        ),
        format!(
            "我在 {count} 次工具调用后到达了轮次上限，任务没有完成。这是演示用的失控任务：没有上限它会一直进行下去。"
        ),
    ))
}

fn runaway(results: &[&ToolResult], language: Language) -> Step {
    let text = match results.len() {
        0 => say(
            language,
            "I will look at the files.",
            "我来看看有哪些文件。",
        ),
        _ => say(language, "Let me look once more.", "我再看一遍。"),
    };
    // Another depth each time, or it would be stopped for making no progress.
    let depth = results.len() + 1;
    call(text, "list_dir", json!({ "path": ".", "depth": depth }))
}

fn todos(from: &str, to: &str, results: &[&ToolResult], language: Language) -> Step {
    match results {
        [] => call(
            say(
                language,
                format!("I will read {from} first."),
                format!("我先读取 {from}。"),
            ),
            "read_file",
            json!({ "path": from }),
        ),
        [read] if read.outcome == Outcome::Ok => {
            let todos: Vec<&str> = lines(&read.text)
                .filter(|line| line.starts_with("TODO"))
                .collect();
            let count = todos.len();
            let content: String = todos.iter().map(|line| format!("{line}\n")).collect();
            call(
                say(
                    language,
                    format!(
                        "{from} has {count} lines that begin with TODO. I will write them to {to}."
                    ),
                    format!("{from} 中有 {count} 行以 TODO 开头。我把它们写入 {to}。"),
                ),
                "write_file",
                json!({ "path": to, "content": content }),
            )
        }
        [.., last] if last.outcome == Outcome::Ok => tell(say(
            language,
            format!(
                "Done: the lines of {from} that begin with TODO are in {to}. {from} itself is unchanged."
            ),
            format!("完成：{from} 中以 TODO 开头的行已写入 {to}。{from} 本身没有改动。"),
        )),
        [.., last] => give_up(last, language),
    }
}

fn read(path: &str, results: &[&ToolResult], language: Language) -> Step {
    match results {
        [] => call(
            say(
                language,
                format!("I will read {path}."),
                format!("我来读取 {path}。"),
            ),
            "read_file",
            json!({ "path": path }),
        ),
        [.., last] if last.name == "read_file" && last.outcome == Outcome::Ok => {
            report(last, language)
        }
        [refused] if !refused.text.contains("there is no file") => give_up(refused, language),
        [_missing] => call(
            say(
                language,
                format!("{path} does not exist. I will look at what is there."),
                format!("{path} 不存在。我看看都有哪些文件。"),
            ),
            "list_dir",
            json!({ "path": ".", "depth": 3 }),
        ),
        [_, list] => match closest(path, &list.text) {
            Some(found) => call(
                say(
                    language,
                    format!("{found} looks like the one that was meant."),
                    format!("{found} 看起来就是要找的文件。"),
                ),
                "read_file",
                json!({ "path": found }),
            ),
            None => give_up(list, language),
        },
        [.., last] => give_up(last, language),
    }
}

fn report(read: &ToolResult, language: Language) -> Step {
    let first = read.text.lines().next().unwrap_or_default();
    let name = first.split(',').next().unwrap_or_default();
    let content: Vec<&str> = lines(&read.text)
        .filter(|line| !line.trim().is_empty())
        .take(6)
        .collect();
    let content = content.join("\n");
    tell(say(
        language,
        format!("This is what {name} says:\n\n{content}"),
        format!("{name} 的内容如下：\n\n{content}"),
    ))
}

fn give_up(result: &ToolResult, language: Language) -> Step {
    let told = result.text.trim_start_matches("Error: ");
    tell(say(
        language,
        format!("I can't do that: {told}"),
        format!("这件事我做不到：{told}"),
    ))
}

fn other(results: &[&ToolResult], language: Language) -> Step {
    match results {
        [] => call(
            say(
                language,
                "I will look at the files first.",
                "我先看看有哪些文件。",
            ),
            "list_dir",
            json!({ "path": "." }),
        ),
        _ => tell(say(
            language,
            "I am the demo model: a script that runs without network, so I only know a few tasks. The tools and files are real. Ask me to read a file of the workspace, or connect an endpoint in the settings to work with a real model.",
            "我是演示模型：一个不联网的脚本，只会几件任务。工具和文件都是真实的。可以让我读取工作区中的某个文件，或在设置中连接端点，使用真正的模型。",
        )),
    }
}

/// The lines of a `read_file` result, without its head and the line numbers.
fn lines(result: &str) -> impl Iterator<Item = &str> {
    result.lines().filter_map(|line| {
        let (number, text) = line.split_once('\t')?;
        number.trim().parse::<u32>().ok().map(|_| text)
    })
}

/// The listed file whose name without ending is that of `path`, or the first file.
fn closest(path: &str, listing: &str) -> Option<String> {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default().to_owned()
    };
    let files = || {
        listing
            .lines()
            .filter_map(|line| line.split_once('\t').map(|(path, _)| path))
    };
    let found = files()
        .find(|file| stem(file) == stem(path))
        .or_else(|| files().next());
    found.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_sentences() {
        let check = |task: &str, expected: &[&str]| assert_eq!(paths_in(task), expected, "{task}");
        check(
            "Read meeting.md, write todo-list.md.",
            &["meeting.md", "todo-list.md"],
        );
        check("Read ../secret and tell", &["../secret"]);
        check(
            "读取 meeting.md，写入 todo-list.md。",
            &["meeting.md", "todo-list.md"],
        );
        check("Hello. What can you do?", &[]);
    }
}
