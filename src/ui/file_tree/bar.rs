//! What stands over the tree: a field to find files by, and the ways to make new ones.

use super::{Tree, focus_row};
use crate::ui::controller::files::Asking;
use crate::ui::element::{El, button, div, el, follow};
use crate::ui::icon::{Icon, icon};
use crate::ui::linked::link_line;
use crate::ui::state::file_tree::Turned;

pub(super) fn bar(tree: Tree) -> El {
    let ui = tree.ui;
    let make = |shape: Icon, of: fn(&str) -> Asking, word: crate::ui::say::Word, id: &str| {
        button("button button--icon")
            .test_id(id)
            .named(ui, word)
            .flag("disabled", move || !ui.can_work())
            .child(icon(shape))
            .press(move || ui.ask(of("")))
    };
    let told = move || {
        let found = tree.shown.with(|shown| shown.found);
        let all = ui.files.all.with(|all| all.values().flatten().count());
        match found {
            Some(found) => ui.words().found(found, all),
            None => String::new(),
        }
    };
    let is_filtered = move || tree.shown.with(|shown| shown.found.is_some());
    div("tree__top")
        .when_loaded(ui, move || ui.linked.is_there(), move || link_line(ui))
        .child(
            div("tree__bar")
                .child(field(tree))
                .child(make(
                    Icon::FilePlus,
                    |folder| Asking::NewFile(folder.to_owned()),
                    |words| words.file_make(),
                    "file-new",
                ))
                .child(make(
                    Icon::FolderPlus,
                    |folder| Asking::NewFolder(folder.to_owned()),
                    |words| words.folder_make(),
                    "folder-new",
                )),
        )
        .child(
            el("p")
                .class("tree__found")
                .attr("role", "status")
                .class_if("visually-hidden", move || !is_filtered())
                .live(told),
        )
}

fn field(tree: Tree) -> El {
    let ui = tree.ui;
    let input = el("input")
        .class("tree__find")
        .attr("type", "search")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .test_id("file-filter")
        .say_as("aria-label", ui, |words| words.files_find())
        .say_as("placeholder", ui, |words| words.files_find());
    let (typed, shown) = (input.clone(), input.clone());
    follow(Box::new(move || {
        ui.files.filter.with(|filter| {
            if shown.value() != *filter {
                shown.set_value(filter);
            }
        });
    }));
    input
        .on("input", move |_| {
            ui.files.filter_turned.set(Turned::new());
            ui.files.filter.set(typed.value());
        })
        .key(move |event| match event.key().as_str() {
            "Escape" if ui.files.filter.with_untracked(|filter| !filter.is_empty()) => {
                event.prevent_default();
                ui.files.filter.set(String::new());
            }
            "ArrowDown" | "Enter" => {
                event.prevent_default();
                let rows = tree.rows();
                // Down goes to the first row, Enter to the first file.
                let is_enter = event.key() == "Enter";
                let is_meant = |row: &&crate::ui::state::file_tree::TreeRow| {
                    !is_enter || matches!(row.kind, crate::ui::state::file_tree::RowKind::File(_))
                };
                if let Some(row) = rows.iter().find(is_meant) {
                    focus_row(ui, &row.path);
                    if is_enter {
                        tree.press(&row.path, row.kind);
                    }
                }
            }
            _ => {}
        })
}
