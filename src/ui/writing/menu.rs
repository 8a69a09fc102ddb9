//! The list over the composer: commands and prompts behind `/`, files behind `@`. The focus
//! stays in the field; arrows move through the list, Enter and Tab take, Escape closes it.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Function, Reflect};
use leptos::prelude::{document, untrack};
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::{field, use_prompt};
use crate::kernel::settings::Prompt;
use crate::ui::actions::{ACTIONS, possible};
use crate::ui::combobox::reveal;
use crate::ui::controller::Controller;
use crate::ui::element::{El, div, el, follow, span};
use crate::ui::icon::{Icon, icon};
use crate::ui::signal::RwSignal;
use crate::ui::state::trigger::{Trigger, Wanted, byte_of, mention, unit_of};
use crate::ui::state::{fuzzy, key_of};

/// Most lines that are shown.
const MOST: usize = 30;
const LIST: &str = "composer-list";

/// What taking a line does.
#[derive(Clone, Hash)]
enum Take {
    /// Does something, by its place among all actions.
    Act(usize),
    /// Writes a prompt.
    Write(Prompt),
    /// Mentions a file or a folder.
    Mention(String),
}

/// A line of the list.
#[derive(Clone)]
struct Line {
    take: Take,
    icon: Icon,
    text: String,
    note: String,
}

/// The list as it stands.
#[derive(Clone)]
pub(super) struct Menu {
    ui: Controller,
    input: El,
    lines: RwSignal<Rc<Vec<Line>>>,
    /// The place of the line that Enter takes.
    active: RwSignal<usize>,
    wanted: RwSignal<Wanted>,
    /// Where the sign stands that the list is of, in bytes.
    from: Rc<Cell<usize>>,
    /// Where one stands whose list was closed.
    left: Rc<Cell<Option<usize>>>,
}

impl Menu {
    pub(super) fn new(ui: Controller, input: &El) -> Self {
        Self {
            ui,
            input: input.clone(),
            lines: RwSignal::new(Rc::default()),
            active: RwSignal::new(0),
            wanted: RwSignal::new(Wanted::Command),
            from: Rc::default(),
            left: Rc::default(),
        }
    }

    /// Follows the field.
    pub(super) fn join(&self) {
        let [
            typed,
            moved,
            pressed,
            left,
            switched,
            of_controls,
            of_active,
        ] = std::array::from_fn(|_| self.clone());
        self.input
            .clone()
            .attr("aria-autocomplete", "list")
            .attr("aria-haspopup", "listbox")
            .bind("aria-controls", move || {
                of_controls.is_shown().then_some(LIST)
            })
            .bind("aria-activedescendant", move || {
                let is_shown = of_active.is_shown();
                is_shown.then(|| line_id(of_active.active.get()))
            })
            .on("input", move |_| typed.look())
            .on("keyup", move |event| {
                let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
                let moves = ["ArrowLeft", "ArrowRight", "Home", "End"];
                if key.is_some_and(|key| moves.contains(&key.as_str())) {
                    moved.look();
                }
            })
            .press(move || pressed.look())
            .on("blur", move |_| left.close());
        follow(Box::new(move || {
            switched.ui.current.track();
            switched.close();
        }));
    }

    fn is_shown(&self) -> bool {
        self.lines.with(|lines| !lines.is_empty())
    }

    fn close(&self) {
        if self.lines.with_untracked(|lines| !lines.is_empty()) {
            self.lines.set(Rc::default());
        }
    }

    /// The text, and where the caret stands in it.
    fn at_caret(&self) -> Option<(String, usize)> {
        let (text, field) = (self.input.value(), field(&self.input));
        let start = field.selection_start().ok()??;
        let end = field.selection_end().ok()??;
        let caret = byte_of(&text, start as usize);
        (start == end).then_some((text, caret))
    }

    /// Shows what fits at the caret.
    fn look(&self) {
        let at = self.at_caret();
        let trigger = at
            .as_ref()
            .and_then(|(text, caret)| Trigger::at(text, *caret));
        let Some(trigger) = trigger else {
            self.left.set(None);
            return self.close();
        };
        if self.left.get() == Some(trigger.from) {
            return self.close();
        }
        self.left.set(None);
        let lines = untrack(|| match trigger.wanted {
            Wanted::Command => commands(self.ui, trigger.query),
            Wanted::File => files(self.ui, trigger.query),
        });
        self.from.set(trigger.from);
        self.wanted.set(trigger.wanted);
        self.active.set(0);
        self.lines.set(Rc::new(lines));
        reveal(&line_id(0));
    }

    /// Takes a key; `false` if it is for others.
    pub(super) fn key(&self, event: &KeyboardEvent) -> bool {
        let count = self.lines.with_untracked(|lines| lines.len());
        let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        if count == 0 || !is_plain || event.shift_key() {
            return false;
        }
        let at = self.active.get_untracked();
        let next = match event.key().as_str() {
            "ArrowDown" => (at + 1) % count,
            "ArrowUp" => (at + count - 1) % count,
            "Enter" | "Tab" => {
                self.take(at);
                return true;
            }
            "Escape" => {
                self.left.set(Some(self.from.get()));
                self.close();
                return true;
            }
            _ => return false,
        };
        self.active.set(next);
        reveal(&line_id(next));
        true
    }

    fn take(&self, at: usize) {
        let line = self.lines.with_untracked(|lines| lines.get(at).cloned());
        let (Some(line), Some((text, caret))) = (line, self.at_caret()) else {
            return;
        };
        self.close();
        let ui = self.ui;
        let from = self.from.get().min(caret);
        match line.take {
            Take::Mention(path) => {
                self.replace(&text, from..caret, &format!("{} ", mention(&path)))
            }
            Take::Write(prompt) => {
                self.replace(&text, from..caret, "");
                use_prompt(ui, prompt);
            }
            Take::Act(at) => {
                self.replace(&text, from..caret, "");
                leptos::task::spawn_local(async move {
                    leptos::task::tick().await;
                    (ACTIONS[at].run)(ui);
                });
            }
        }
    }

    /// Puts `new` in the place of a piece of the text, so that the browser can undo it.
    fn replace(&self, text: &str, piece: std::ops::Range<usize>, new: &str) {
        let units = [piece.start, piece.end].map(|bytes| unit_of(text, bytes) as u32);
        // Refused by no field of this kind.
        let _ = field(&self.input).set_selection_range(units[0], units[1]);
        if !insert(new) {
            let text = format!("{}{new}{}", &text[..piece.start], &text[piece.end..]);
            let end = unit_of(&text, piece.start + new.len()) as u32;
            self.input.set_value(&text);
            let _ = field(&self.input).set_selection_range(end, end);
            self.ui.draft.set(text);
        }
    }

    /// The list; drawn while there is something to show.
    pub(super) fn view(self) -> El {
        let [of_shown, of_told] = std::array::from_fn(|_| self.clone());
        let told = move || match of_told.is_shown() {
            true => {
                let count = of_told.lines.with(|lines| lines.len());
                of_told.ui.words().list_has(count)
            }
            false => String::new(),
        };
        div("tools__place")
            .when(move || of_shown.is_shown(), move || self.list())
            .child(span("visually-hidden").attr("role", "status").live(told))
    }

    fn list(&self) -> El {
        let (ui, wanted, lines) = (self.ui, self.wanted, self.lines);
        let menu = self.clone();
        let items = move || {
            let lines = lines.get();
            let keyed = |(at, line): (usize, &Line)| {
                let key = key_of(&(at, &line.take, &line.text, &line.note));
                (key, (at, line.clone()))
            };
            lines.iter().enumerate().map(keyed).collect()
        };
        el("ul")
            .class("tools__list")
            .attr("role", "listbox")
            .attr("id", LIST)
            .test_id(LIST)
            .bind("aria-label", move || match wanted.get() {
                Wanted::Command => ui.words().commands(),
                Wanted::File => ui.words().files_to_mention(),
            })
            // The focus stays in the field.
            .on("mousedown", |event| event.prevent_default())
            .each(items, move |(at, line)| menu.line(at, &line))
    }

    fn line(&self, at: usize, line: &Line) -> El {
        let (menu, active) = (self.clone(), self.active);
        el("li")
            .class("tools__line")
            .attr("role", "option")
            .attr("id", &line_id(at))
            .attr("title", &line.text)
            .bind("aria-selected", move || active.get() == at)
            .child(icon(line.icon))
            .child(span("tools__text").text(&line.text))
            .child(span("tools__note").text(&line.note))
            .press(move || menu.take(at))
    }
}

fn line_id(at: usize) -> String {
    format!("{LIST}-{at}")
}

/// Types text at the caret as the user would; `false` where the browser does not do that
/// for a page.
fn insert(text: &str) -> bool {
    let page = document();
    let Ok(command) = Reflect::get(&page, &"execCommand".into()) else {
        return false;
    };
    let Some(command) = command.dyn_ref::<Function>() else {
        return false;
    };
    let typed = match text {
        "" => Array::of1(&"delete".into()),
        text => Array::of3(&"insertText".into(), &false.into(), &text.into()),
    };
    command
        .apply(&page, &typed)
        .is_ok_and(|done| done.is_truthy())
}

/// The commands that can be given, and the prompts.
fn commands(ui: Controller, query: &str) -> Vec<Line> {
    let query = query.to_lowercase();
    let fits = |name: &str| {
        let name = name.to_lowercase();
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word.starts_with(&query)) || !query.is_ascii() && name.contains(&query)
    };
    let action = |(at, action): (usize, &'static crate::ui::actions::Action)| {
        let name = (action.name)(ui.words());
        let is_one = !action.command.is_empty();
        let is_wanted = is_one && (action.command.starts_with(&query) || fits(name));
        is_wanted.then(|| Line {
            take: Take::Act(at),
            icon: action.icon,
            text: format!("/{}", action.command),
            note: name.to_owned(),
        })
    };
    let mut lines: Vec<Line> = possible(ui).filter_map(action).collect();
    // What was typed whole comes first.
    lines.sort_by_key(|line| !line.text[1..].starts_with(&query));
    let prompts = ui.settings.with(|settings| {
        let prompts = settings.as_ref().map(|settings| &settings.kept.prompts);
        prompts.cloned().unwrap_or_default()
    });
    let wanted = prompts.into_iter().filter(|prompt| fits(&prompt.name));
    lines.extend(wanted.map(|prompt| Line {
        icon: Icon::Chat,
        text: prompt.name.clone(),
        note: ui.words().prompts().to_owned(),
        take: Take::Write(prompt),
    }));
    lines.truncate(MOST);
    lines
}

/// The files and folders that fit; those that a run changed of late first, where nothing
/// was typed yet.
fn files(ui: Controller, query: &str) -> Vec<Line> {
    ui.files.all.with(|all| {
        let changed = ui.files.changed.get();
        let mut paths: Vec<&str> = Vec::new();
        if query.is_empty() {
            paths.extend(changed.iter().map(String::as_str).take(MOST));
        }
        let names = all.keys().map(String::as_str);
        for path in fuzzy::best(names, query.trim_start_matches('/'), MOST) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths.truncate(MOST);
        let line = |path: &str| {
            let is_folder = matches!(all.get(path), Some(None));
            let mark = if is_folder { "/" } else { "" };
            let note = match changed.contains(path) {
                true => ui.words().recent_file(),
                false => "",
            };
            Line {
                take: Take::Mention(format!("{path}{mark}")),
                icon: if is_folder {
                    Icon::Folder
                } else {
                    Icon::FileText
                },
                text: format!("{path}{mark}"),
                note: note.to_owned(),
            }
        };
        paths.into_iter().map(line).collect()
    })
}
