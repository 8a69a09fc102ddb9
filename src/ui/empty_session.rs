//! A session without a task: what can be done here.

use super::controller::Controller;
use super::element::{El, button, div, el, span};
use super::import::add_files_label;
use super::state::key_of;

/// Files whose content is worth a task, by ending.
const TEXTS: [&str; 12] = [
    "md", "txt", "csv", "json", "html", "rs", "py", "js", "ts", "toml", "yaml", "log",
];

/// Offers tasks that can be done with the files that are there.
pub fn empty_session(ui: Controller) -> El {
    let has_nothing = move || !ui.is_demo() && text_files(ui).is_empty();
    let lead = move || match (ui.is_demo(), has_nothing()) {
        (true, _) => ui.words().empty_demo_text,
        (_, true) => ui.words().empty_no_files,
        _ => ui.words().empty_text,
    };
    let items = move || {
        let suggestions = suggestions(ui).into_iter();
        suggestions
            .map(|suggestion| (key_of(&suggestion), suggestion))
            .collect()
    };
    let page = div("empty")
        .child(
            el("h2")
                .class("empty__title")
                .say(ui, |words| words.empty_title),
        )
        .child(el("p").class("muted").live(lead))
        .when(has_nothing, move || add_files_label(ui))
        .child(
            el("ul")
                .class("empty__tasks")
                .each(items, move |(task, note)| suggestion(ui, task, note)),
        );
    div("conversation__scroll").child(page)
}

/// Tasks to begin with, and what each shows.
fn suggestions(ui: Controller) -> Vec<(String, &'static str)> {
    let words = ui.words();
    if ui.is_demo() {
        let tasks = words.demo_tasks().into_iter().map(str::to_owned);
        return tasks.zip(words.demo_notes()).collect();
    }
    let mut tasks = words.file_tasks(&text_files(ui));
    if tasks.is_empty() {
        tasks.push(words.suggest_without_files.to_owned());
    }
    tasks.into_iter().map(|task| (task, "")).collect()
}

fn suggestion(ui: Controller, task: String, note: &'static str) -> El {
    let note = (!note.is_empty()).then(|| span("suggestion__note").text(note));
    let button = button("suggestion")
        .test_id("suggestion")
        .flag("disabled", move || !ui.can_send())
        .child(span("suggestion__task").text(&task))
        .children(note)
        .press(move || ui.send(task.clone()));
    el("li").child(button)
}

/// Up to two files that hold text, those at the top of the workspace first.
fn text_files(ui: Controller) -> Vec<String> {
    let is_text = |path: &str| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        TEXTS.contains(&ending.to_ascii_lowercase().as_str())
    };
    ui.files.all.with(|files| {
        let texts = || {
            files
                .iter()
                .filter(|(path, size)| size.is_some_and(|size| size > 0) && is_text(path))
        };
        let at_top = texts().filter(|(path, _)| !path.contains('/'));
        let below = texts().filter(|(path, _)| path.contains('/'));
        at_top
            .chain(below)
            .take(2)
            .map(|(path, _)| path.clone())
            .collect()
    })
}
