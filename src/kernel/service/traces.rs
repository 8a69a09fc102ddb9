//! What the page asks of the traces: show, hand out, remove.

use super::Kernel;
use crate::kernel::session::SessionId;
use crate::kernel::trace::{self, ExportFormat};
use crate::protocol::Event;

impl Kernel {
    pub(super) async fn open_trace(&self, session: SessionId) {
        match trace::load(self.store(), &session).await {
            Ok(rounds) => self.tell(Event::TraceOpened { session, rounds }),
            Err(error) => self.not_saved(error),
        }
    }

    pub(super) async fn export_trace(&self, session: SessionId, format: ExportFormat) {
        let title = {
            let sessions = self.0.sessions.borrow();
            let title = sessions.get(&session).map(|session| session.title.clone());
            title.unwrap_or_default()
        };
        match trace::load(self.store(), &session).await {
            Ok(rounds) => {
                let text = trace::export(format, &session, &title, &rounds);
                // A file leaves the browser as a request does.
                let text = self.redactor("").await.redact(&text).into_owned();
                self.tell(Event::FileBytes {
                    path: trace::file_name(format, &session),
                    bytes: text.into_bytes(),
                });
            }
            Err(error) => self.not_saved(error),
        }
    }

    pub(super) async fn clear_trace(&self, session: SessionId) {
        match trace::clear(self.store(), &session).await {
            Ok(()) => self.open_trace(session).await,
            Err(error) => self.not_saved(error),
        }
    }
}
