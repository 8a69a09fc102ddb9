//! What can be done with a file or a folder: the menu, and the dialog that asks for a path.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlInputElement, KeyboardEvent};

use super::controller::Controller;
use super::controller::files::Asking;
use super::dom;
use super::element::{El, button, div, el, span};
use super::icon::{Icon, icon};
use super::modal::modal;
use super::say::Word;
use super::state::file_tree::{join, name};
use crate::protocol::{Command, ImportedFile, TreeChange};

/// The menu and the dialog, each open while it is wanted.
pub fn file_dialogs(ui: Controller) -> [El; 2] {
    let files = ui.files;
    let px = |n: Option<i32>| format!("{}px", n.unwrap_or_default());
    let menu = modal(
        ui,
        "menu",
        move || files.menu.with(Option::is_some),
        move || files.menu.set(None),
        move || menu(ui),
    )
    .say_as("aria-label", ui, |words| words.files_act())
    .style("--x", move || {
        px(files.menu.with(|at| at.as_ref().map(|at| at.x)))
    })
    .style("--y", move || {
        px(files.menu.with(|at| at.as_ref().map(|at| at.y)))
    });
    let asking = modal(
        ui,
        "dialog dialog--small",
        move || files.asking.with(Option::is_some),
        move || files.asking.set(None),
        move || question(ui),
    )
    .attr("aria-labelledby", "file-ask-title");
    [menu, asking]
}

/// What an entry of the menu does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Open,
    Edit,
    NewFile,
    NewFolder,
    Add,
    Rename,
    CopyPath,
    Download,
    DownloadFolder,
    Link,
    Delete,
}

impl Deed {
    fn shown(self) -> (Icon, Word, &'static str) {
        match self {
            Self::Open => (Icon::Eye, |words| words.file_open(), ""),
            Self::Edit => (Icon::FilePen, |words| words.file_edit(), ""),
            Self::NewFile => (Icon::FilePlus, |words| words.file_make(), ""),
            Self::NewFolder => (Icon::FolderPlus, |words| words.folder_make(), ""),
            Self::Add => (Icon::Plus, |words| words.files_add_here(), ""),
            Self::Rename => (Icon::ArrowRight, |words| words.file_rename(), "F2"),
            Self::CopyPath => (Icon::Copy, |words| words.file_copy_path(), ""),
            Self::Download => (Icon::Download, |words| words.download, ""),
            Self::DownloadFolder => (Icon::Download, |words| words.folder_download(), ""),
            Self::Link => (Icon::Link, |words| words.link_folder(), ""),
            Self::Delete => (Icon::Trash, |words| words.file_delete(), "Del"),
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Edit => "edit",
            Self::NewFile => "new-file",
            Self::NewFolder => "new-folder",
            Self::Add => "add",
            Self::Rename => "rename",
            Self::CopyPath => "copy-path",
            Self::Download => "download",
            Self::DownloadFolder => "download-folder",
            Self::Link => "link",
            Self::Delete => "delete",
        }
    }

    fn changes(self) -> bool {
        !matches!(
            self,
            Self::Open | Self::CopyPath | Self::Download | Self::DownloadFolder
        )
    }
}

/// What can be done with the workspace, a folder, a file.
const OF_ROOT: &[Deed] = &[
    Deed::NewFile,
    Deed::NewFolder,
    Deed::Add,
    Deed::DownloadFolder,
];
const OF_FOLDER: &[Deed] = &[
    Deed::NewFile,
    Deed::NewFolder,
    Deed::Add,
    Deed::DownloadFolder,
    Deed::Link,
    Deed::Rename,
    Deed::CopyPath,
    Deed::Delete,
];
const OF_FILE: &[Deed] = &[
    Deed::Open,
    Deed::Edit,
    Deed::Download,
    Deed::Rename,
    Deed::CopyPath,
    Deed::Delete,
];

#[inline(never)]
fn menu(ui: Controller) -> El {
    let path = ui.files.menu.with_untracked(|at| at.as_ref()?.path.clone());
    let size = path.as_ref().map(|path| {
        let all = &ui.files.all;
        all.with_untracked(|all| all.get(path).copied().flatten())
    });
    let deeds = match size {
        None => OF_ROOT,
        Some(None) => OF_FOLDER,
        Some(Some(_)) => OF_FILE,
    };
    let may = untrack(|| ui.can_work());
    let links = untrack(|| ui.can_link() && !ui.linked.is_there());
    let items = deeds.iter().filter(|deed| may || !deed.changes());
    let items = items.filter(|deed| links || **deed != Deed::Link);
    let items = items.map(|deed| item(ui, *deed, path.clone().unwrap_or_default()));
    let title = path
        .clone()
        .map(|path| div("menu__title").child(super::middle_cut::middle_cut(move || path.clone())));
    div("menu__page").children(title).child(
        div("menu__items")
            .attr("role", "menu")
            .test_id("file-menu")
            .say_as("aria-label", ui, |words| words.files_act())
            .children(items)
            .key(walk),
    )
}

/// The arrows move through the menu, and around its ends.
pub(super) fn walk(event: &KeyboardEvent) {
    let list = event.current_target();
    let items = list.and_then(|list| list.dyn_into::<web_sys::Element>().ok());
    let items = items.map(|list| list.children());
    let Some(items) = items.filter(|items| items.length() > 0) else {
        return;
    };
    let now = document().active_element();
    let at = (0..items.length()).find(|at| items.item(*at) == now);
    let (at, last) = (at.unwrap_or(0), items.length() - 1);
    let to = match event.key().as_str() {
        "ArrowDown" if at == last => 0,
        "ArrowDown" => at + 1,
        "ArrowUp" if at == 0 => last,
        "ArrowUp" => at - 1,
        "Home" => 0,
        "End" => last,
        _ => return,
    };
    event.prevent_default();
    if let Some(item) = items.item(to) {
        El::from(item).focus();
    }
}

fn item(ui: Controller, deed: Deed, path: String) -> El {
    let (shape, word, key) = deed.shown();
    button("menu__item")
        .attr("role", "menuitem")
        .test_id(&format!("file-menu-{}", deed.id()))
        .child(icon(shape))
        .child(span("menu__word").say(ui, word))
        .child(span("menu__key").attr("aria-hidden", "true").text(key))
        .press(move || {
            ui.files.menu.set(None);
            perform(ui, deed, &path);
        })
}

fn perform(ui: Controller, deed: Deed, path: &str) {
    let path = path.to_owned();
    match deed {
        Deed::Open => ui.open_file(path),
        Deed::Edit => {
            ui.open_file(path.clone());
            ui.edit(path);
        }
        Deed::NewFile => ui.ask(Asking::NewFile(path)),
        Deed::NewFolder => ui.ask(Asking::NewFolder(path)),
        Deed::Add => choose_files(ui, path),
        Deed::Rename => ui.ask(Asking::Path(path)),
        Deed::CopyPath => leptos::task::spawn_local(async move {
            // Without the clipboard's leave nothing can be done.
            dom::copy(path).await;
        }),
        Deed::Download => ui.command(Command::ReadFile(path)),
        Deed::Link => ui.link_folder(path),
        Deed::DownloadFolder => ui.export((!path.is_empty()).then_some(path)),
        Deed::Delete => ui.command(Command::ChangeTree(TreeChange::Delete(path))),
    }
}

/// Lets the user choose files of the device, which are put into a folder.
fn choose_files(ui: Controller, folder: String) {
    let input = el("input").attr("type", "file").attr("multiple", "");
    let chosen = input.clone();
    let input = input.on("change", move |_| {
        let list = chosen.node().dyn_ref().and_then(HtmlInputElement::files);
        let Some(list) = list else { return };
        let files: Vec<web_sys::File> = (0..list.length()).filter_map(|at| list.get(at)).collect();
        let folder = folder.clone();
        leptos::task::spawn_local(async move {
            let mut read = Vec::new();
            for file in files {
                // One that went away meanwhile can't be read.
                if let Ok(buffer) = JsFuture::from(file.array_buffer()).await {
                    let content = js_sys::Uint8Array::new(&buffer).to_vec();
                    let path = join(&folder, &file.name());
                    read.push(ImportedFile { path, content });
                }
            }
            if !read.is_empty() {
                ui.command(Command::Import(read));
            }
        });
    });
    input.html().click();
}

#[inline(never)]
fn question(ui: Controller) -> El {
    let asking = ui.files.asking.get_untracked();
    let asking = asking.unwrap_or(Asking::NewFile(String::new()));
    let (title, doing, begin): (Word, Word, String) = match &asking {
        Asking::NewFile(folder) => (
            |words| words.file_make(),
            |words| words.file_create(),
            join(folder, ""),
        ),
        Asking::NewFolder(folder) => (
            |words| words.folder_make(),
            |words| words.file_create(),
            join(folder, ""),
        ),
        Asking::Path(path) => (
            |words| words.file_rename(),
            |words| words.file_rename_now(),
            path.clone(),
        ),
    };
    let input = path_field(ui, &begin);
    let given = input.clone();
    el("form")
        .class("ask")
        .test_id("file-ask")
        .child(
            el("h2")
                .class("dialog__title")
                .attr("id", "file-ask-title")
                .say(ui, title),
        )
        .child(
            el("label")
                .class("field__label")
                .attr("for", "file-ask-path")
                .say(ui, |words| words.file_path()),
        )
        .child(input)
        .child(
            el("p")
                .class("field__hint")
                .attr("id", "file-ask-hint")
                .say(ui, |words| words.file_path_hint()),
        )
        .child(problem(ui))
        .child(buttons(ui, doing))
        .on("submit", move |event| {
            event.prevent_default();
            answer(ui, &asking, given.value());
        })
}

/// Why the path was not taken.
fn problem(ui: Controller) -> El {
    let refused = ui.files.refused;
    let told = move || {
        refused.with(|problem| {
            let problem = problem.as_ref();
            problem.map_or_else(String::new, |problem| ui.words().file_problem(problem))
        })
    };
    el("p")
        .class("field__error")
        .attr("role", "alert")
        .attr("id", "file-ask-problem")
        .test_id("file-ask-problem")
        .live(told)
}

fn buttons(ui: Controller, doing: Word) -> El {
    let cancel = button("button button--quiet")
        .say(ui, |words| words.cancel)
        .press(move || ui.files.asking.set(None));
    let submit = el("button")
        .class("button button--main")
        .attr("type", "submit")
        .test_id("file-ask-do")
        .say(ui, doing);
    div("ask__buttons").child(cancel).child(submit)
}

/// The field, in which the name is marked, so that what is typed takes its place.
fn path_field(ui: Controller, begin: &str) -> El {
    let refused = ui.files.refused;
    let input = el("input")
        .class("field__input")
        .attr("id", "file-ask-path")
        .attr("autocomplete", "off")
        .attr("autocapitalize", "off")
        .attr("spellcheck", "false")
        .attr("aria-describedby", "file-ask-problem file-ask-hint")
        .test_id("file-ask-path")
        .bind("aria-invalid", move || {
            refused.with(Option::is_some).then_some("true")
        })
        .on("input", move |_| {
            if refused.with_untracked(Option::is_some) {
                refused.set(None);
            }
        });
    input.set_value(begin);
    let units = |text: &str| text.encode_utf16().count() as u32;
    let bare = name(begin);
    let start = units(begin) - units(bare);
    let stem = match bare.rfind('.') {
        Some(dot) if dot > 0 => &bare[..dot],
        _ => bare,
    };
    let (of_focus, end) = (input.clone(), start + units(stem));
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        of_focus.focus();
        if let Some(field) = of_focus.node().dyn_ref::<HtmlInputElement>() {
            // Refused only for fields that hold no text.
            let _ = field.set_selection_range(start, end);
        }
    });
    input
}

fn answer(ui: Controller, asking: &Asking, typed: String) {
    let change = match asking {
        Asking::NewFile(_) => TreeChange::NewFile(typed),
        Asking::NewFolder(_) => TreeChange::NewFolder(typed),
        Asking::Path(from) if *from == typed => return ui.files.asking.set(None),
        Asking::Path(from) => TreeChange::Move {
            from: from.clone(),
            to: typed,
        },
    };
    ui.command(Command::ChangeTree(change));
}
