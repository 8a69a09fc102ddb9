//! Titles of sessions: once the first run has ended well, a second model that is named
//! in the settings is asked for one. Without one nothing is asked, since it would cost.

use super::Kernel;
use super::delegates::Use;
use crate::kernel::agent::Terms;
use crate::kernel::agent::title::{self, Asked};
use crate::kernel::session::{self, branches::branches};
use crate::kernel::store::{Durability, StoreError};
use crate::kernel::trace;
use crate::kernel::workspace::WorkspaceError;

impl Kernel {
    /// Gives the session a title, if it is time for one. Failing leaves the one it has.
    pub(super) async fn give_title(&self, id: &str, terms: &Terms) {
        // One that came while another run was open.
        let _ = self.save_title(id).await;
        if let Ok(Some(asked)) = self.ask_for_title(id, terms).await {
            self.0.titles.borrow_mut().insert(id.to_owned(), asked);
            let _ = self.save_title(id).await;
        }
    }

    async fn ask_for_title(&self, id: &str, terms: &Terms) -> Result<Option<Asked>, StoreError> {
        let settings = &terms.settings;
        if terms.answers.is_none() || settings.limits.second_model.is_empty() {
            return Ok(None);
        }
        let is_named = self.session(id).is_none_or(|session| session.marks.named);
        // What was answered again has been given a title before.
        if is_named || !branches(self.store(), id).await?.is_empty() {
            return Ok(None);
        }
        let records = session::records(self.store(), id).await?;
        if !title::is_wanted(&records) {
            return Ok(None);
        }
        let client = self.client(terms, Use::Summary);
        let redactor = self.redactor(terms.key()).await;
        let clock = &*self.0.platform.clock;
        Ok(Some(title::ask(&*client, &records, &redactor, clock).await))
    }

    /// Saves a title that has come. While a run is open its transcript is in use: the
    /// run's end does it then.
    async fn save_title(&self, id: &str) -> Result<(), WorkspaceError> {
        let _turn = self.0.saving_title.lock().await;
        if self.0.running.borrow().contains_key(id) {
            return Ok(());
        }
        let (asked, session) = (self.0.titles.borrow_mut().remove(id), self.session(id));
        let (Some(asked), Some(session)) = (asked, session) else {
            return Ok(());
        };
        let records = session::records(self.store(), id).await?;
        let mut transcript = self.transcript(session, records);
        if let Some(title) = asked.title {
            transcript.set_title(title);
        }
        let mut round = asked.trace;
        round.seq = transcript.next_seq();
        round.round = transcript.rounds_of_task();
        let put = trace::put(id, &round);
        transcript
            .record_with(vec![asked.entry], &[], vec![put], Durability::Relaxed)
            .await
    }
}
