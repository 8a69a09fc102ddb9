//! A session as signals, and the events that change them.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::rows::{Row, mark_last};
use crate::kernel::event::{AgentEvent, ContextUse, Question};
use crate::kernel::session::branches::Fork;
use crate::kernel::session::rewind::Extent;
use crate::kernel::session::{Entry, Record, SessionId};
use crate::ui::signal::ArcRwSignal;
use crate::ui::state::transcript::{Busy, CallView, Tally, Touched, Transcript};

/// A session's signals. Clones are the same ones.
#[derive(Clone)]
pub struct SessionModel {
    /// The session.
    pub id: Arc<str>,
    /// The rows, in order.
    pub rows: ArcRwSignal<Vec<Row>>,
    /// Tokens.
    pub tally: ArcRwSignal<Tally>,
    /// What the next request takes of the window, where a run has told.
    pub context: ArcRwSignal<Option<ContextUse>>,
    /// What the run waits for, in the order it was asked.
    pub questions: ArcRwSignal<Vec<Arc<Question>>>,
    /// What takes a while right now, besides rounds.
    pub busy: ArcRwSignal<Option<Busy>>,
    /// The messages that wait for the next round.
    pub queued: ArcRwSignal<Vec<String>>,
    /// In what rounds were taken back that can be brought in again.
    pub undone: ArcRwSignal<Option<Extent>>,
    /// Where it could go on in other ways.
    pub forks: ArcRwSignal<Vec<Fork>>,
    /// Whether the records are here.
    loaded: Arc<AtomicBool>,
    transcript: Arc<Mutex<Transcript>>,
    /// What happened while the records were being waited for.
    early: Arc<Mutex<Vec<AgentEvent>>>,
}

impl PartialEq for SessionModel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.transcript, &other.transcript)
    }
}

impl SessionModel {
    /// A session whose records are not here yet.
    pub fn unloaded(id: &str) -> Self {
        Self {
            id: id.into(),
            rows: ArcRwSignal::default(),
            tally: ArcRwSignal::default(),
            context: ArcRwSignal::default(),
            questions: ArcRwSignal::default(),
            busy: ArcRwSignal::default(),
            queued: ArcRwSignal::default(),
            undone: ArcRwSignal::default(),
            forks: ArcRwSignal::default(),
            loaded: Arc::default(),
            transcript: Arc::default(),
            early: Arc::default(),
        }
    }

    /// Tells it from other sessions, and from itself before a restart.
    pub fn key(&self) -> u64 {
        Arc::as_ptr(&self.transcript) as u64
    }

    /// Its id, as commands name it.
    pub fn session(&self) -> SessionId {
        self.id.as_ref().to_owned()
    }

    /// Whether the records are here.
    pub fn is_loaded(&self) -> bool {
        self.loaded.load(Relaxed)
    }

    /// A session that has no records before those to come.
    pub fn begin(&self) {
        self.loaded.store(true, Relaxed);
    }

    /// Takes in the records, and what has happened since they were asked for.
    pub fn load(&self, records: &[Record], undone: Option<Extent>) {
        let mut transcript = Transcript::of(records);
        for event in locked(&self.early).drain(..) {
            transcript.apply(&event);
        }
        let rows = transcript.items().iter().enumerate();
        let rows: Vec<Row> = rows.map(|(at, item)| Row::new(at, item)).collect();
        mark_last(&rows, 0);
        *locked(&self.transcript) = transcript;
        self.rows.set(rows);
        self.undone.set(undone);
        self.loaded.store(true, Relaxed);
        self.tell_rest();
    }

    /// Folds in what happened in the session's run.
    pub fn apply(&self, event: &AgentEvent) {
        match event {
            AgentEvent::Context(context) => self.context.set(Some(*context)),
            // Something new is said.
            AgentEvent::Recorded(record)
                if !matches!(record.entry, Entry::Titled { .. })
                    && self.undone.with_untracked(Option::is_some) =>
            {
                self.undone.set(None);
            }
            _ => {}
        }
        if self.is_loaded() {
            self.change(|transcript| transcript.apply(event));
        } else {
            locked(&self.early).push(event.clone());
        }
    }

    /// Marks what was going on as broken off.
    pub fn break_off(&self) {
        self.change(Transcript::break_off);
    }

    /// The call with this id.
    pub fn call(&self, id: &str) -> Option<Arc<CallView>> {
        locked(&self.transcript).call(id).cloned()
    }

    /// Where the run stands: its last round, and the tools of the calls that have
    /// no result yet.
    pub fn place(&self) -> (u32, Vec<String>) {
        // The rows change with the transcript.
        self.rows.track();
        let transcript = locked(&self.transcript);
        let (round, open) = transcript.place();
        (round, open.into_iter().map(str::to_owned).collect())
    }

    fn change(&self, change: impl FnOnce(&mut Transcript) -> Touched) {
        let mut transcript = locked(&self.transcript);
        let touched = change(&mut transcript);
        let items = transcript.items();
        match touched {
            Touched::Nothing => {}
            Touched::Item(at) => self.rows.with_untracked(|rows| {
                if let Some(row) = rows.get(at) {
                    row.take(&items[at]);
                }
            }),
            Touched::From(first) => self.rows.update(|rows| {
                // A round that only changed keeps its row.
                let kept = rows.get(first).zip(items.get(first));
                let first = match kept {
                    Some((row, item)) if row.take(item) => first + 1,
                    _ => first,
                };
                let last_was = rows.len().saturating_sub(1);
                rows.truncate(first);
                let new = items.iter().enumerate().skip(first);
                rows.extend(new.map(|(at, item)| Row::new(at, item)));
                mark_last(rows, last_was);
            }),
        }
        drop(transcript);
        self.tell_rest();
    }

    /// Tells what is not a row, where it has changed.
    fn tell_rest(&self) {
        let transcript = locked(&self.transcript);
        let (tally, busy) = (transcript.tally(), transcript.busy());
        let asks = self
            .questions
            .with_untracked(|known| known.as_slice() != transcript.questions())
            .then(|| transcript.questions().to_vec());
        drop(transcript);
        if self.tally.get_untracked() != tally {
            self.tally.set(tally);
        }
        if self.busy.get_untracked() != busy {
            self.busy.set(busy);
        }
        if let Some(questions) = asks {
            self.questions.set(questions);
        }
    }
}

/// The page has one thread, so there is never a wait.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
