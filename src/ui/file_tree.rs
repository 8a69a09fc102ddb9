//! The tree of files. One row has the Tab key's focus; arrows move it.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::attr::custom::custom_attribute;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::erase::{Each, Show, live, row};

use super::controller::files::FilesModel;
use super::controller::use_controller;
use super::dom;
use super::icon::{Icon, IconView};
use super::middle_cut::MiddleCut;
use super::preferences::use_words;
use super::state::file_tree::{Move, RowKind, Step, TreeRow, rows, step};
use super::words::units;

/// Rows that are drawn at first, and with each press on "more".
const ROWS_AT_ONCE: usize = 500;

type Rows = Memo<Arc<Vec<TreeRow>>>;

/// All files of the workspace.
#[component]
pub fn FileTree() -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let files = ui.files;
    let all: Rows = Memo::new(move |_| {
        let rows = files
            .all
            .with(|all| files.turned.with(|turned| rows(all, turned)));
        Arc::new(rows)
    });
    let by_path = Memo::new(move |_| {
        let rows = all.get();
        let by_path = rows.iter().map(|row| (row.path.clone(), row.clone()));
        Arc::new(by_path.collect::<HashMap<_, _>>())
    });
    let limit = RwSignal::new(ROWS_AT_ONCE);
    let shown = move || {
        let rows = all.get();
        rows.iter()
            .take(limit.get())
            .map(|row| row.path.clone())
            .collect::<Vec<_>>()
    };
    let hidden = move || all.with(|rows| rows.len().saturating_sub(limit.get()));
    let focused = RwSignal::new(None::<String>);
    // The row that Tab goes to: the last one that had the focus, if it is still there.
    let tab_stop = Memo::new(move |_| {
        let rows = all.get();
        let wanted = focused
            .get()
            .filter(|path| by_path.with(|rows| rows.contains_key(path)));
        wanted.or_else(|| rows.first().map(|row| row.path.clone()))
    });
    let key = move |event: KeyboardEvent| {
        on_key(
            &event,
            files,
            &all.get_untracked(),
            tab_stop.get_untracked(),
        )
    };
    view! {
        <div class="tree">
            <Show when=live(move || all.with(|rows| rows.is_empty()))>
                <div class="tree__none">
                    <p class="tree__none-title">{t().files_none}</p>
                    <p>{t().files_none_text}</p>
                </div>
            </Show>
            <ul class="tree__rows" role="tree" data-testid="file-tree" aria-label=t().files on:keydown=key>
                <Each
                    keys=live(shown)
                    row=row(move |path| view! { <Row path by_path tab_stop focused /> }.into_any())
                />
            </ul>
            <Show when=live(move || { hidden() > 0 })>
                <button
                    type="button"
                    class="button button--quiet tree__more"
                    on:click=move |_| limit.update(|limit| *limit += ROWS_AT_ONCE)
                >
                    {live(move || t().more(hidden()))}
                </button>
            </Show>
        </div>
    }
}

fn on_key(event: &KeyboardEvent, files: FilesModel, rows: &[TreeRow], at: Option<String>) {
    let Some(path) = at else { return };
    let to = match event.key().as_str() {
        "ArrowDown" => Move::Down,
        "ArrowUp" => Move::Up,
        "ArrowRight" => Move::In,
        "ArrowLeft" => Move::Out,
        "Home" => Move::First,
        "End" => Move::Last,
        _ => return,
    };
    event.prevent_default();
    match step(rows, &path, to) {
        Step::Focus(path) => focus_row(&path),
        Step::Turn(path) => files.turn(&path),
        Step::Stay => {}
    }
}

fn focus_row(path: &str) {
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"");
    dom::focus(&format!("[data-testid=file-row][data-path=\"{escaped}\"]"));
}

/// A file or a folder.
#[component]
fn Row(
    path: String,
    by_path: Memo<Arc<HashMap<String, TreeRow>>>,
    tab_stop: Memo<Option<String>>,
    focused: RwSignal<Option<String>>,
) -> impl IntoView {
    let ui = use_controller();
    let path = StoredValue::new(path);
    let row =
        Memo::new(move |_| by_path.with(|rows| path.with_value(|path| rows.get(path).cloned())));
    let kind =
        Memo::new(move |_| row.with(|row| row.as_ref().map_or(RowKind::File(0), |row| row.kind)));
    let number = move |of: fn(&TreeRow) -> usize| row.with(|row| row.as_ref().map_or(1, of));
    let is_here =
        move |signal: &Option<String>| path.with_value(|path| signal.as_ref() == Some(path));
    let is_opened = Memo::new(move |_| {
        ui.files.opened.with(|opened| {
            path.with_value(|path| opened.as_ref().is_some_and(|open| open.path == *path))
        })
    });
    let press = move || match kind.get_untracked() {
        RowKind::File(_) => ui.open_file(path.get_value()),
        RowKind::Folded | RowKind::Unfolded => ui.files.turn(&path.get_value()),
    };
    let key = move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            press();
        }
    };
    let level = custom_attribute("aria-level", move || number(|row| row.level));
    view! {
        <li
            class="tree__row"
            class:tree__row--opened=live(move || is_opened.get())
            role="treeitem"
            data-testid="file-row"
            data-path=path.get_value()
            {..level}
            aria-posinset=live(move || number(|row| row.position))
            aria-setsize=live(move || number(|row| row.siblings))
            aria-expanded=live(move || expanded(kind.get()))
            aria-selected=live(move || if is_opened.get() { "true" } else { "false" })
            tabindex=live(move || if tab_stop.with(is_here) { "0" } else { "-1" })
            style=("--level", move || number(|row| row.level).to_string())
            on:click=move |_| press()
            on:keydown=key
            on:focus=move |_| focused.set(Some(path.get_value()))
        >
            <RowContent row kind />
        </li>
    }
}

fn expanded(kind: RowKind) -> Option<&'static str> {
    match kind {
        RowKind::File(_) => None,
        RowKind::Folded => Some("false"),
        RowKind::Unfolded => Some("true"),
    }
}

#[component]
fn RowContent(row: Memo<Option<TreeRow>>, kind: Memo<RowKind>) -> impl IntoView {
    let ui = use_controller();
    let t = use_words();
    let name = Signal::derive(move || {
        row.with(|row| row.as_ref().map(|row| row.name.clone()).unwrap_or_default())
    });
    let icon = Signal::derive(move || match kind.get() {
        RowKind::File(_) => Icon::File,
        RowKind::Folded => Icon::Folder,
        RowKind::Unfolded => Icon::FolderOpen,
    });
    let size = move || match kind.get() {
        RowKind::File(size) => units::bytes(size),
        _ => String::new(),
    };
    let is_changed = Memo::new(move |_| {
        ui.files.changed.with(|changed| {
            row.with(|row| row.as_ref().is_some_and(|row| changed.contains(&row.path)))
        })
    });
    view! {
        <span class="tree__chevron" class:tree__chevron--none=live(move || matches!(kind.get(), RowKind::File(_)))>
            <IconView icon=Icon::ChevronRight />
        </span>
        <span class="tree__icon"><IconView icon /></span>
        <span class="tree__name"><MiddleCut text=name /></span>
        <Show when=live(move || is_changed.get())>
            <span class="tree__changed">{t().changed}</span>
        </Show>
        <span class="tree__size">{size}</span>
    }
}
