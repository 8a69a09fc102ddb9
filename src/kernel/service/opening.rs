//! Showing a session.

use super::Kernel;
use crate::kernel::session::branches::{self, Fork};
use crate::kernel::session::rewind::{self, Extent};
use crate::kernel::session::{self, Record, SessionId};
use crate::kernel::store::StoreError;
use crate::protocol::Event;

impl Kernel {
    pub(super) async fn open_session(&self, id: SessionId) {
        match self.told_of(&id).await {
            Ok((records, undone, forks)) => {
                if !self.may_write() {
                    let last = records.last().map(|record| record.seq);
                    self.0.followed.borrow_mut().insert(id.clone(), last);
                }
                self.tell(Event::SessionOpened {
                    id: id.clone(),
                    records,
                    undone,
                    forks,
                });
                if self.open_tray(&id).await.is_ok() {
                    self.tell_waiting(&id);
                }
            }
            Err(error) => self.not_saved(error),
        }
    }

    /// The records of a session, what can be brought in again, and where it parts.
    async fn told_of(
        &self,
        id: &str,
    ) -> Result<(Vec<Record>, Option<Extent>, Vec<Fork>), StoreError> {
        let records = session::records(self.store(), id).await?;
        let undone = rewind::undone(self.store(), id).await?;
        let others = branches::branches(self.store(), id).await?;
        let forks = match others.is_empty() {
            true => Vec::new(),
            false => branches::forks(&records, &others),
        };
        Ok((records, undone.last().map(|step| step.extent), forks))
    }
}
