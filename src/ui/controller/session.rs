//! A session as signals: a list of rows, and a signal of its own for each round,
//! so that a delta draws nothing but its round again.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leptos::prelude::*;

use crate::kernel::event::AgentEvent;
use crate::kernel::session::Record;
use crate::ui::dom;
use crate::ui::state::transcript::{
    CallView, Item, RoundView, StopView, Tally, Touched, Transcript,
};

/// One row of the conversation.
#[derive(Clone)]
pub struct Row {
    /// Its place among the rows, from 0.
    pub at: usize,
    /// Whether no other row follows.
    pub is_last: ArcRwSignal<bool>,
    /// What it shows.
    pub content: RowContent,
}

/// What a row shows. Only rounds change once they are there.
#[derive(Clone)]
pub enum RowContent {
    /// The user wrote.
    User(Arc<str>),
    /// A round.
    Round(RoundModel),
    /// A note to the model.
    Nudge(Arc<str>),
    /// The end of a run.
    Stop(Arc<StopView>),
}

/// A round's signals: one for each call, so that a result draws its call alone.
#[derive(Clone)]
pub struct RoundModel {
    /// The round.
    pub round: ArcRwSignal<RoundView>,
    /// Its calls, in order.
    pub calls: ArcRwSignal<Vec<ArcRwSignal<Arc<CallView>>>>,
    /// When the page saw it begin, milliseconds since the Unix epoch.
    pub since_ms: u64,
}

impl RoundModel {
    fn new(round: &RoundView) -> Self {
        Self {
            round: ArcRwSignal::new(round.clone()),
            calls: ArcRwSignal::new(round.calls.iter().cloned().map(ArcRwSignal::new).collect()),
            since_ms: dom::now_ms(),
        }
    }

    fn set(&self, round: &RoundView) {
        let is_known = self.calls.with_untracked(|known| {
            if known.len() != round.calls.len() {
                return false;
            }
            for (signal, call) in known.iter().zip(&round.calls) {
                if !signal.with_untracked(|known| Arc::ptr_eq(known, call)) {
                    signal.set(Arc::clone(call));
                }
            }
            true
        });
        self.round.set(round.clone());
        if !is_known {
            self.calls
                .set(round.calls.iter().cloned().map(ArcRwSignal::new).collect());
        }
    }
}

impl Row {
    fn new(at: usize, item: &Item) -> Self {
        let content = match item {
            Item::User(text) => RowContent::User(text.as_str().into()),
            Item::Round(round) => RowContent::Round(RoundModel::new(round)),
            Item::Nudge(text) => RowContent::Nudge(text.as_str().into()),
            Item::Stop(stop) => RowContent::Stop(Arc::new(stop.clone())),
        };
        let is_last = ArcRwSignal::new(false);
        Self {
            at,
            is_last,
            content,
        }
    }

    /// Tells it from other rows, also from one of another kind in its place.
    pub fn key(&self) -> u64 {
        let kind = match self.content {
            RowContent::User(_) => 0,
            RowContent::Round(_) => 1,
            RowContent::Nudge(_) => 2,
            RowContent::Stop(_) => 3,
        };
        self.at as u64 * 4 + kind
    }
}

/// A session's signals. Clones are the same ones.
#[derive(Clone)]
pub struct SessionModel {
    /// The rows, in order.
    pub rows: ArcRwSignal<Vec<Row>>,
    /// Tokens.
    pub tally: ArcRwSignal<Tally>,
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
    pub fn unloaded() -> Self {
        Self {
            rows: ArcRwSignal::new(Vec::new()),
            tally: ArcRwSignal::new(Tally::default()),
            loaded: Arc::default(),
            transcript: Arc::default(),
            early: Arc::default(),
        }
    }

    /// Tells it from other sessions, and from itself before a restart.
    pub fn key(&self) -> u64 {
        Arc::as_ptr(&self.transcript) as u64
    }

    /// Whether the records are here.
    pub fn is_loaded(&self) -> bool {
        self.loaded.load(Relaxed)
    }

    /// A session that has no records before those to come.
    pub fn begin(&self) {
        self.loaded.store(true, Relaxed);
    }

    /// Puts the records in that were loaded.
    pub fn load(&self, records: &[Record]) {
        let mut transcript = Transcript::of(records);
        for event in locked(&self.early).drain(..) {
            transcript.apply(&event);
        }
        let rows = transcript.items().iter().enumerate();
        let rows: Vec<Row> = rows.map(|(at, item)| Row::new(at, item)).collect();
        mark_last(&rows, 0);
        self.tally.set(transcript.tally());
        *locked(&self.transcript) = transcript;
        self.rows.set(rows);
        self.loaded.store(true, Relaxed);
    }

    /// Folds in what happened in the session's run.
    pub fn apply(&self, event: &AgentEvent) {
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

    fn change(&self, change: impl FnOnce(&mut Transcript) -> Touched) {
        let mut transcript = locked(&self.transcript);
        let touched = change(&mut transcript);
        let items = transcript.items();
        match touched {
            Touched::Nothing => return,
            Touched::Item(at) => self.refresh(at, &items[at]),
            Touched::From(first) => self.rows.update(|rows| {
                // A round that only changed keeps its row.
                let kept = rows.get(first).zip(items.get(first));
                let first = match kept {
                    Some((row, item)) if set_round(row, item) => first + 1,
                    _ => first,
                };
                let last_was = rows.len().saturating_sub(1);
                rows.truncate(first);
                let new = items.iter().enumerate().skip(first);
                rows.extend(new.map(|(at, item)| Row::new(at, item)));
                mark_last(rows, last_was);
            }),
        }
        let tally = transcript.tally();
        drop(transcript);
        if self.tally.get_untracked() != tally {
            self.tally.set(tally);
        }
    }

    fn refresh(&self, at: usize, item: &Item) {
        self.rows.with_untracked(|rows| {
            if let Some(row) = rows.get(at) {
                set_round(row, item);
            }
        });
    }
}

/// Tells the last row that it is, and the one that was that it no longer is.
fn mark_last(rows: &[Row], last_was: usize) {
    let last = rows.len().saturating_sub(1);
    if let Some(row) = rows.get(last_was).filter(|_| last_was != last) {
        row.is_last.set(false);
    }
    if let Some(row) = rows.last() {
        row.is_last.set(true);
    }
}

/// Whether `row` is the round in `item`, which then is its new content.
fn set_round(row: &Row, item: &Item) -> bool {
    match (&row.content, item) {
        (RowContent::Round(known), Item::Round(round)) => {
            known.set(round);
            true
        }
        _ => false,
    }
}

/// The page has one thread, so there is never a wait.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
