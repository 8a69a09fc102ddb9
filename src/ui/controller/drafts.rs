//! What stands in the composer of each session, kept while another one is shown, and how
//! it is sent.

use leptos::prelude::*;

use super::keys::Then;
use super::{Controller, Sending};
use crate::kernel::session::SessionId;
use crate::protocol::Command;
use crate::ui::dom;
use crate::ui::state::way::WayOfWork;

impl Controller {
    /// Sends what stands in the composer: as a task, or to the run that is open.
    pub fn send_draft(self) {
        let text = self.draft.get_untracked();
        if text.trim().is_empty() {
            return;
        }
        if self.can_send_untracked() {
            self.draft.set(String::new());
            self.send(text);
        } else if untrack(|| self.can_steer()) {
            self.draft.set(String::new());
            self.steer(text);
        }
    }

    /// Sends a text as the task.
    pub fn send(self, text: String) {
        if !self.can_send_untracked() {
            return;
        }
        if self.waits_for_keys(Then::Send) {
            return self.draft.set(text);
        }
        let session = self.current.get_untracked();
        self.files.forget_changes();
        self.sending.set(Some(Sending {
            session: session.clone(),
            text: text.clone(),
        }));
        let WayOfWork { mode, rounds } = self.way.get_untracked();
        self.command(Command::Send {
            session,
            text,
            mode,
            rounds,
        });
    }

    /// A message that did not get through goes back to the composer.
    pub(super) fn give_back(self) {
        let Some(Sending { session, text }) = self.sending.try_update(Option::take).flatten()
        else {
            return;
        };
        if self.current.get_untracked() == session {
            self.draft.update(|draft| {
                if draft.is_empty() {
                    *draft = text;
                }
            });
        } else {
            self.keep_draft(session, text);
        }
    }

    /// What was written for a session and not sent.
    pub(super) fn kept_draft(self, session: Option<&str>) -> String {
        self.drafts
            .with_value(|drafts| {
                let kept = drafts.iter().find(|(of, _)| of.as_deref() == session);
                let kept = kept.filter(|(_, draft)| !draft.is_empty());
                kept.map(|(_, draft)| draft.clone())
            })
            // The tab has it over a reload.
            .or_else(|| dom::kept_in_tab(&draft_key(session)))
            .unwrap_or_default()
    }

    /// Keeps it.
    pub(super) fn keep_draft(self, session: Option<SessionId>, draft: String) {
        self.drafts.update_value(|drafts| {
            drafts.retain(|(of, _)| *of != session);
            drafts.push((session, draft));
        });
    }
}

/// Under which the tab keeps a session's draft; `None`: that of a new one.
pub fn draft_key(session: Option<&str>) -> String {
    format!("tabloop.draft.{}", session.unwrap_or_default())
}
