//! Files in the editor: what each is made from, and whether it is saved. They stay while
//! other tabs are looked at.

mod bridge;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event};

use self::bridge::Editor;
pub use self::bridge::load;
use super::controller::Controller;
use super::signal::ArcRwSignal;
use super::state::text_form::{LineEnds, NotText, TextForm, read};
use crate::kernel::workspace::Version;
use crate::protocol::FileProblem;

/// A file that is about to be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starting {
    /// The file.
    pub path: String,
    /// How far it is.
    pub step: Step,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The editor's code, or the file, is on its way.
    Loading,
    /// The editor's code did not come.
    NotLoaded,
    /// It can't be edited.
    NotText(NotText),
}

/// Where an edit stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is worked on.
    Open,
    /// It is being saved.
    Saving,
    /// The file is another one than it was made from.
    Changed(Theirs),
    /// It could not be saved.
    NotSaved(FileProblem),
    /// Its tab shall be closed, and it is not saved.
    Closing,
}

/// What a file has become meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theirs {
    /// What it is; `None`: it is not there.
    pub version: Option<Version>,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A file in the editor. Clones are the same one.
#[derive(Clone)]
pub struct Edit(Rc<Inner>);

struct Inner {
    path: RefCell<String>,
    /// The version that is edited; `None`: the file is to be put where nothing is.
    base: RefCell<Option<Version>>,
    form: Cell<TextForm>,
    editor: Editor,
    unsaved: ArcRwSignal<bool>,
    state: ArcRwSignal<State>,
    /// Whether its tab is closed when it is saved.
    closes: Cell<bool>,
    // What the editor calls.
    _changed: Closure<dyn Fn(bool)>,
    _save: Closure<dyn Fn()>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.editor.close();
    }
}

impl Edit {
    /// Opens a text in the editor; `save` is called when the user wants to save it.
    pub fn new(
        ui: Controller,
        path: &str,
        version: Option<Version>,
        (text, form): (String, TextForm),
        save: impl Fn() + 'static,
    ) -> Option<Self> {
        let unsaved = ArcRwSignal::new(false);
        let told = unsaved.clone();
        let changed = Closure::<dyn Fn(bool)>::new(move |differs| told.set(differs));
        let save = Closure::<dyn Fn()>::new(save);
        let separator = (form.ends == LineEnds::Mixed).then(|| "\n".to_owned());
        let tongue = ui.words().language.tag();
        let editor = bridge::maker()?.open(&text, path, separator, tongue, &changed, &save);
        Some(Self(Rc::new(Inner {
            path: RefCell::new(path.to_owned()),
            base: RefCell::new(version),
            form: Cell::new(form),
            editor,
            unsaved,
            state: ArcRwSignal::new(State::Open),
            closes: Cell::new(false),
            _changed: changed,
            _save: save,
        })))
    }

    /// The file.
    pub fn path(&self) -> String {
        self.0.path.borrow().clone()
    }

    /// It is at another path now.
    pub fn move_to(&self, path: String) {
        self.0.path.replace(path);
    }

    /// What it was made from.
    pub fn base(&self) -> Option<Version> {
        self.0.base.borrow().clone()
    }

    /// It counts as made from another version.
    pub fn set_base(&self, version: Option<Version>) {
        self.0.base.replace(version);
    }

    /// Whether it differs from what is saved.
    pub fn unsaved(&self) -> &ArcRwSignal<bool> {
        &self.0.unsaved
    }

    /// Where it stands.
    pub fn state(&self) -> &ArcRwSignal<State> {
        &self.0.state
    }

    /// Whether its tab is closed when it is saved.
    pub fn closes(&self) -> &Cell<bool> {
        &self.0.closes
    }

    /// What would be saved now.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.form.get().write(&self.0.editor.text())
    }

    /// What [`Edit::bytes`] gave last is saved.
    pub fn settle(&self) {
        self.0.editor.settled();
    }

    /// Shows what is saved now, in the place of what stands in the editor.
    ///
    /// # Errors
    /// If that is no text.
    pub fn take(&self, version: Option<Version>, bytes: &[u8]) -> Result<(), NotText> {
        let (text, form) = read(bytes)?;
        self.0.form.set(form);
        self.set_base(version);
        self.0.editor.take(&text);
        Ok(())
    }

    /// Its place in the page.
    pub fn element(&self) -> Element {
        self.0.editor.dom()
    }

    /// It has been put into the page.
    pub fn shown(&self) {
        self.0.editor.shown();
    }

    /// Gives it the focus.
    pub fn focus(&self) {
        self.0.editor.focus();
    }
}

/// Has the browser ask before the page is left with unsaved text; from the first edit on.
pub fn guard(ui: Controller) {
    let asks = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        let is_unsaved = |edit: &Edit| edit.unsaved().get_untracked();
        if ui
            .files
            .edits
            .with_untracked(|edits| edits.iter().any(is_unsaved))
        {
            event.prevent_default();
        }
    });
    let asks = asks.into_js_value();
    // Refused for no event that there is.
    let _ = window().add_event_listener_with_callback("beforeunload", asks.unchecked_ref());
}
