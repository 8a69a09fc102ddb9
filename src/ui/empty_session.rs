//! A session without a task: what can be done here.

use leptos::prelude::*;

use super::erase::{Show, live, part};

use super::controller::use_controller;
use super::preferences::use_words;

/// Files whose content is worth a task, by ending.
const TEXTS: [&str; 12] = [
    "md", "txt", "csv", "json", "html", "rs", "py", "js", "ts", "toml", "yaml", "log",
];

/// A task to begin with, and what it shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Suggestion {
    task: String,
    note: &'static str,
}

/// Offers tasks that can be done with the files that are there.
#[component]
pub fn EmptySession() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let texts = Memo::new(move |_| ui.files.all.with(|files| text_files(files.iter())));
    let suggestions = move || {
        if ui.is_demo() {
            let tasks = t().demo_tasks().into_iter().zip(t().demo_notes());
            return tasks
                .map(|(task, note)| Suggestion {
                    task: task.to_owned(),
                    note,
                })
                .collect();
        }
        let mut tasks = t().file_tasks(&texts.get());
        if tasks.is_empty() {
            tasks.push(t().suggest_without_files.to_owned());
        }
        let plain = |task| Suggestion { task, note: "" };
        tasks.into_iter().map(plain).collect::<Vec<_>>()
    };
    let has_nothing = move || !ui.is_demo() && texts.with(Vec::is_empty);
    let lead = move || match (ui.is_demo(), has_nothing()) {
        (true, _) => t().empty_demo_text,
        (_, true) => t().empty_no_files,
        _ => t().empty_text,
    };
    view! {
        <div class="conversation__scroll">
            <div class="empty">
                <h2 class="empty__title">{t().empty_title}</h2>
                <p class="muted">{lead}</p>
                <Show when=live(has_nothing)>
                    <label class="button add-files" for="import-files">{t().import}</label>
                </Show>
                <ul class="empty__tasks">
                    {part(move || suggestions().into_iter().map(|suggestion| view! { <SuggestionRow suggestion /> }).collect_view().into_any())}
                </ul>
            </div>
        </div>
    }
}

#[component]
fn SuggestionRow(suggestion: Suggestion) -> impl IntoView {
    let ui = use_controller();
    let Suggestion { task, note } = suggestion;
    let to_send = task.clone();
    view! {
        <li>
            <button
                type="button"
                class="suggestion"
                data-testid="suggestion"
                disabled=live(move || !ui.can_send())
                on:click=move |_| ui.send(to_send.clone())
            >
                <span class="suggestion__task">{task}</span>
                {(!note.is_empty()).then(|| view! { <span class="suggestion__note">{note}</span> })}
            </button>
        </li>
    }
}

/// Up to two files that hold text, those at the top of the workspace first.
fn text_files<'a>(files: impl Iterator<Item = (&'a String, &'a Option<u64>)>) -> Vec<String> {
    let is_text = |path: &str| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        TEXTS.contains(&ending.to_ascii_lowercase().as_str())
    };
    let mut found: Vec<&String> = files
        .filter(|(path, size)| size.is_some_and(|size| size > 0) && is_text(path))
        .map(|(path, _)| path)
        .collect();
    found.sort_by_key(|path| path.matches('/').count());
    found.into_iter().take(2).cloned().collect()
}
