//! Sessions as files: handed out to be read or to be taken in elsewhere, and taken in.

use std::collections::HashMap;

use super::Kernel;
use crate::kernel::agent::transcript::Observer;
use crate::kernel::session::branches;
use crate::kernel::session::portable::{self, Portable, PortableBranch, WholeResult};
use crate::kernel::session::{self, Record, Session, SessionId};
use crate::kernel::settings::ModelChoice;
use crate::kernel::store::{Batch, Change, Key, Part, StoreError, Table, Value};
use crate::kernel::trace;
use crate::plain::{from_json, to_json};
use crate::protocol::{Event, Notice, SessionEvent};

impl Kernel {
    /// Hands out a session with all that belongs to it.
    pub(super) async fn hand_out(&self, id: &str) {
        let Some(session) = self.session(id) else {
            return;
        };
        match self.portable(session).await {
            Ok(sessions) => {
                let text = portable::write(&sessions);
                // A file leaves the browser as a request does.
                let text = self.redactor("").await.redact(&text).into_owned();
                self.tell(Event::FileBytes {
                    path: format!("session-{id}.json"),
                    bytes: text.into_bytes(),
                });
            }
            Err(error) => self.not_saved(error),
        }
    }

    /// Tells the conversation as it may be read by others.
    pub(super) async fn read_out(&self, id: SessionId) {
        let Some(session) = self.session(&id) else {
            return;
        };
        match session::records(self.store(), &id).await {
            Ok(records) => {
                let redactor = self.redactor("").await;
                let title = redactor.redact(&session.title).into_owned();
                let text = to_json(records.as_slice());
                let records: Option<Vec<Record>> = from_json(&redactor.redact(&text));
                let records = records.unwrap_or_default();
                self.tell(Event::Sessions(SessionEvent::ReadOut {
                    id,
                    title,
                    records,
                }));
            }
            Err(error) => self.not_saved(error),
        }
    }

    async fn portable(&self, session: Session) -> Result<Vec<Portable>, StoreError> {
        let mut all = Vec::new();
        for session in self.line(session, u64::MAX) {
            let id = session.id.as_str();
            let mut whole = Vec::new();
            let cut = self.store().list(Table::Overflow, Key::new([id.into()]));
            for (key, value) in cut.await? {
                if let (Some(Part::Number(seq)), Value::Bytes(bytes)) = (key.0.get(1), value) {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    whole.push(WholeResult { seq: *seq, text });
                }
            }
            let mut others = Vec::new();
            for branch in branches::branches(self.store(), id).await? {
                let records = branches::records(self.store(), id, branch.n).await?;
                others.push(PortableBranch { branch, records });
            }
            all.push(Portable {
                records: session::records(self.store(), id).await?,
                branches: others,
                whole,
                traces: trace::load(self.store(), id).await?,
                session,
            });
        }
        Ok(all)
    }

    /// Takes in a session that was handed out, in one batch, and shows it.
    pub(super) async fn take_in_session(&self, bytes: &[u8]) {
        let told = match portable::read(bytes) {
            Ok(sessions) => self.put_all(sessions).await,
            Err(not) => return self.tell(Event::Notice(Notice::SessionNotTaken(not))),
        };
        match told {
            Ok(sessions) => {
                for session in &sessions {
                    Observer::session(&*self.0, session);
                }
                if let Some(first) = sessions.first() {
                    self.tell(Event::Sessions(SessionEvent::Begun {
                        id: first.id.clone(),
                        draft: String::new(),
                    }));
                }
            }
            Err(error) => self.not_saved(error),
        }
    }

    async fn put_all(&self, sessions: Vec<Portable>) -> Result<Vec<Session>, StoreError> {
        let mut renamed: HashMap<SessionId, SessionId> = HashMap::new();
        let (mut taken, mut changes) = (Vec::new(), Vec::new());
        for mut of in sessions {
            let mut session = of.session;
            let is_known = self.0.sessions.borrow().contains_key(&session.id);
            let id = match is_known || session.id.is_empty() {
                true => self.new_id(),
                false => session.id.clone(),
            };
            renamed.insert(std::mem::replace(&mut session.id, id.clone()), id.clone());
            if let Some(parent) = &mut session.parent
                && let Some(above) = renamed.get(&parent.session)
            {
                parent.session.clone_from(above);
            }
            self.0.workspace.id().clone_into(&mut session.workspace);
            session.choice = session.choice.filter(|choice| self.has(choice));
            session.interrupted |= session.running;
            session.running = false;
            session.marks.deleted_ms = None;
            let branches: Vec<branches::Branch> =
                of.branches.iter().map(|of| of.branch.clone()).collect();
            let aside = of.branches.iter().flat_map(|of| &of.records);
            // Numbers are not given twice, also not those of records that stand aside.
            let next = of.records.last().map_or(0, |record| record.seq + 1);
            let used = aside.map(|record| record.seq + 1).max();
            if used.is_some_and(|used| used > next.max(session.floor)) {
                session.floor = used.unwrap_or_default();
            }
            changes.push(session.put());
            changes.extend(of.records.iter().map(|record| record.put(&id)));
            changes.push(branches::branches_change(&id, &branches));
            for PortableBranch { branch, records } in &of.branches {
                changes.extend(records.iter().map(|of| branches::put(&id, branch.n, of)));
            }
            changes.extend(of.whole.drain(..).map(|whole| {
                let key = Key::new([id.as_str().into(), whole.seq.into()]);
                Change::Put(Table::Overflow, key, Value::Bytes(whole.text.into_bytes()))
            }));
            changes.extend(of.traces.iter().map(|round| trace::put(&id, round)));
            taken.push(session);
        }
        self.store().apply(Batch::of(changes).strict()).await?;
        Ok(taken)
    }

    /// Whether that can answer here.
    fn has(&self, choice: &ModelChoice) -> bool {
        match choice {
            ModelChoice::Demo => true,
            ModelChoice::Profile { id, .. } => self.0.settings.borrow().profile(id).is_some(),
        }
    }
}
