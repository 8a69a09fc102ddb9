//! Earlier messages, by the arrows of an empty field.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use web_sys::KeyboardEvent;

use super::write;
use crate::ui::controller::Controller;
use crate::ui::controller::rows::RowContent;
use crate::ui::controller::session::SessionModel;
use crate::ui::element::{El, follow};

/// Where one stands among the messages.
pub(super) struct History {
    ui: Controller,
    input: El,
    texts: RefCell<Vec<String>>,
    at: Cell<Option<usize>>,
    /// The session that was shown last: a new one begins with its messages.
    last: Rc<RefCell<Option<SessionModel>>>,
}

impl History {
    pub(super) fn new(ui: Controller, input: &El) -> Self {
        let last = Rc::new(RefCell::new(None));
        let seen = Rc::clone(&last);
        follow(Box::new(move || {
            if let Some(shown) = ui.shown.get() {
                seen.replace(Some(shown));
            }
        }));
        Self {
            ui,
            input: input.clone(),
            texts: RefCell::default(),
            at: Cell::new(None),
            last,
        }
    }

    /// Takes a key; `false` if it is for others.
    pub(super) fn key(&self, event: &KeyboardEvent) -> bool {
        let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        if !is_plain || event.shift_key() {
            return false;
        }
        let typed = self.input.value();
        let is_its = |at: &usize| self.texts.borrow().get(*at) == Some(&typed);
        let at = self.at.get().filter(is_its);
        self.at.set(at);
        match event.key().as_str() {
            "ArrowUp" if at.is_some() => self.show(at.and_then(|at| at.checked_sub(1)).or(at)),
            "ArrowUp" if typed.is_empty() => {
                self.texts.replace(self.messages());
                let last = self.texts.borrow().len().checked_sub(1);
                last.is_some() && self.show(last)
            }
            "ArrowDown" => match at {
                Some(at) => self.show(Some(at + 1)),
                None => false,
            },
            _ => false,
        }
    }

    /// Shows a message; behind the last one the field is empty again.
    fn show(&self, at: Option<usize>) -> bool {
        let text = at.and_then(|at| self.texts.borrow().get(at).cloned());
        self.at.set(at.filter(|_| text.is_some()));
        write(self.ui, &self.input, &text.unwrap_or_default());
        true
    }

    /// What the user wrote in the session, each text once where it stands twice in a row.
    fn messages(&self) -> Vec<String> {
        let last = self.last.borrow();
        let Some(model) = &*last else {
            return Vec::new();
        };
        let mut texts: Vec<String> = model.rows.with_untracked(|rows| {
            let texts = rows.iter().filter_map(|row| match &row.content {
                RowContent::User(user) => Some(user.text.clone()),
                _ => None,
            });
            texts.collect()
        });
        texts.dedup();
        texts
    }
}
