//! The rows of a conversation as signals: one for each thing that changes after
//! it is there, so that a delta draws nothing but its round again.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::kernel::session::{Compaction, TodoItem};
use crate::ui::dom;
use crate::ui::signal::ArcRwSignal;
use crate::ui::state::transcript::{CallView, CritiqueView, Item, RoundView, StopView, UserView};

/// Tells rows apart, also those that stand where another one stood.
static NEXT_KEY: AtomicU64 = AtomicU64::new(0);

/// One row of the conversation.
#[derive(Clone)]
pub struct Row {
    /// Tells it from all other rows.
    pub key: u64,
    /// Its place among the rows, from 0.
    pub at: usize,
    /// Whether no other row follows.
    pub is_last: ArcRwSignal<bool>,
    /// What it shows.
    pub content: RowContent,
}

/// What a row shows. Only rounds and steps change once they are there.
#[derive(Clone)]
pub enum RowContent {
    /// The user wrote.
    User(Arc<UserView>),
    /// A round.
    Round(RoundModel),
    /// A note to the model.
    Nudge(Arc<str>),
    /// Rules: the file, and its text.
    Rules(Arc<(String, String)>),
    /// The list of steps.
    Todo(ArcRwSignal<Vec<TodoItem>>),
    /// A judgement.
    Critique(Arc<CritiqueView>),
    /// A shortening.
    Compaction(Arc<Compaction>),
    /// The answer that was handed in.
    Answer(Arc<str>),
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
    /// The row of `item`, which stands at `at`.
    pub fn new(at: usize, item: &Item) -> Self {
        let content = match item {
            Item::User(user) => RowContent::User(Arc::new(user.clone())),
            Item::Round(round) => RowContent::Round(RoundModel::new(round)),
            Item::Nudge(text) => RowContent::Nudge(text.as_str().into()),
            Item::Rules { path, text } => RowContent::Rules(Arc::new((path.clone(), text.clone()))),
            Item::Todo(items) => RowContent::Todo(ArcRwSignal::new(items.clone())),
            Item::Critique(critique) => RowContent::Critique(Arc::new(critique.clone())),
            Item::Compaction(compaction) => RowContent::Compaction(Arc::new(compaction.clone())),
            Item::Answer(text) => RowContent::Answer(text.as_str().into()),
            Item::Stop(stop) => RowContent::Stop(Arc::new(stop.clone())),
        };
        Self {
            key: NEXT_KEY.fetch_add(1, Relaxed),
            at,
            is_last: ArcRwSignal::new(false),
            content,
        }
    }

    /// Whether this is the row of `item`, whose new content it then shows.
    pub fn take(&self, item: &Item) -> bool {
        match (&self.content, item) {
            (RowContent::Round(known), Item::Round(round)) => known.set(round),
            (RowContent::Todo(known), Item::Todo(items)) => known.set(items.clone()),
            _ => return false,
        }
        true
    }
}

/// Tells the last row that it is, and the one that was that it no longer is.
pub fn mark_last(rows: &[Row], last_was: usize) {
    let last = rows.len().saturating_sub(1);
    if let Some(row) = rows.get(last_was).filter(|_| last_was != last) {
        row.is_last.set(false);
    }
    if let Some(row) = rows.last() {
        row.is_last.set(true);
    }
}
