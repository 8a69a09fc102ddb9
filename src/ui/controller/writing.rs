//! What is attached to a message that is being written, and what lies over the page while
//! something is looked for: the palette, the list of shortcuts, a prompt with variables.

use leptos::prelude::*;

use super::Controller;
use crate::kernel::session::SessionId;
use crate::kernel::settings::Prompt;
use crate::protocol::{Command, ImportedFile, Report};
use crate::ui::handing::Picked;
use crate::ui::state::attached::places;
use crate::ui::state::trigger::mention;

/// What lies over the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// The palette.
    Palette,
    /// The list of shortcuts.
    Shortcuts,
    /// The variables of a prompt.
    Prompt(Prompt),
}

/// Files that were attached to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// The session that it is written for.
    session: Option<SessionId>,
    /// Their names at the top of what was picked.
    names: Vec<String>,
}

impl Controller {
    /// Brings files in, and mentions them in the message that is being written.
    pub fn attach(self, picked: Vec<Picked>) {
        let mut names: Vec<String> = Vec::new();
        for picked in &picked {
            let top = picked.path.split('/').next().unwrap_or_default();
            if !top.is_empty() && names.iter().all(|name| name != top) {
                names.push(top.to_owned());
            }
        }
        self.expect_attached(names);
        self.bring_in(picked);
    }

    /// The same with a text.
    pub fn attach_text(self, name: String, text: String) {
        self.expect_attached(vec![name.clone()]);
        self.command(Command::Import(vec![ImportedFile {
            path: name,
            content: text.into_bytes(),
        }]));
    }

    fn expect_attached(self, names: Vec<String>) {
        let session = self.current.get_untracked();
        let attached = Attached { session, names };
        self.attached.update_value(|all| all.push(attached));
    }

    /// Files came in: those that were attached are mentioned.
    #[inline(never)]
    pub(super) fn attached(self, report: &Report) {
        let waiting = self.attached.with_value(Clone::clone);
        for (at, attached) in waiting.into_iter().enumerate() {
            let is_there = |path: &str| self.files.all.with_untracked(|all| all.contains_key(path));
            let Some(places) = places(&attached.names, report, &is_there) else {
                continue;
            };
            self.attached.update_value(|all| drop(all.remove(at)));
            let mentions: Vec<String> = places.iter().map(|path| mention(path)).collect();
            return self.add_to_draft(attached.session, &mentions.join(" "));
        }
    }

    /// Writes words at the end of a session's draft.
    fn add_to_draft(self, session: Option<SessionId>, words: &str) {
        if words.is_empty() {
            return;
        }
        let joined = |draft: &str| match draft.is_empty() || draft.ends_with(char::is_whitespace) {
            true => format!("{draft}{words} "),
            false => format!("{draft} {words} "),
        };
        if self.current.get_untracked() == session {
            self.draft.update(|draft| *draft = joined(draft));
        } else {
            let draft = self.kept_draft(session.as_deref());
            self.keep_draft(session, joined(&draft));
        }
    }
}
