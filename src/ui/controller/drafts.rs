//! What stands in the composer of each session, kept while another one is shown.

use leptos::prelude::*;

use super::Controller;
use crate::kernel::session::SessionId;

impl Controller {
    /// What was written for a session and not sent.
    pub(super) fn kept_draft(self, session: Option<&str>) -> String {
        self.drafts.with_value(|drafts| {
            let kept = drafts.iter().find(|(of, _)| of.as_deref() == session);
            kept.map_or_else(String::new, |(_, draft)| draft.clone())
        })
    }

    /// Keeps it.
    pub(super) fn keep_draft(self, session: Option<SessionId>, draft: String) {
        self.drafts.update_value(|drafts| {
            drafts.retain(|(of, _)| *of != session);
            drafts.push((session, draft));
        });
    }
}
