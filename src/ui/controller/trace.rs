//! The trace of the shown session as signals. It is here only while it is looked at.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::Controller;
use crate::kernel::session::SessionId;
use crate::kernel::trace::{ExportFormat, RoundTrace};
use crate::protocol::Command;
use crate::ui::signal::RwSignal;

/// How long a trace that grows is left alone before it is asked for again.
const REST: Duration = Duration::from_secs(1);

/// The part of the page that a small window shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The list of sessions.
    Sessions,
    /// The conversation.
    Chat,
    /// The files.
    Files,
}

/// What the pane beside the conversation shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The files.
    Files,
    /// What was changed.
    Changes,
    /// The trace.
    Trace,
    /// A page of the workspace as it runs.
    Preview,
}

/// Whether the trace may be asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// At once.
    Ready,
    /// It was just asked for.
    Resting,
    /// It was just asked for, and has grown since.
    Wanted,
}

/// The trace's signals.
#[derive(Debug, Clone, Copy)]
pub struct TraceModel {
    /// Whether it stands in the place of the files.
    pub view: RwSignal<View>,
    /// The rounds, in order; `None` until they are here.
    pub rounds: RwSignal<Option<Vec<Arc<RoundTrace>>>>,
    /// Rounds that are unfolded, by their `seq`.
    pub unfolded: RwSignal<Vec<u64>>,
    pace: StoredValue<Pace>,
}

impl TraceModel {
    /// Not shown.
    pub fn new() -> Self {
        Self {
            view: RwSignal::new(View::Files),
            rounds: RwSignal::new(None),
            unfolded: RwSignal::new(Vec::new()),
            pace: StoredValue::new(Pace::Ready),
        }
    }

    /// Unfolds or folds a round.
    pub fn turn(self, seq: u64) {
        self.unfolded.update(|all| {
            let before = all.len();
            all.retain(|other| *other != seq);
            if all.len() == before {
                all.push(seq);
            }
        });
    }

    /// Lets go of the rounds.
    pub fn forget(self) {
        self.rounds.set(None);
        self.unfolded.set(Vec::new());
    }
}

impl Controller {
    /// Shows the trace of the shown session.
    pub fn open_trace(self) {
        self.pane.set(Pane::Files);
        self.trace.view.set(View::Trace);
    }

    /// Asks for the trace of the session that is shown now.
    pub fn load_trace(self) {
        self.trace.forget();
        self.refresh_trace();
    }

    /// Asks for it again; what there is stays until then.
    pub fn refresh_trace(self) {
        if let Some(id) = self.current.get_untracked() {
            self.command(Command::OpenTrace(id));
        }
    }

    /// Hands it out as a file.
    pub fn export_trace(self, format: ExportFormat) {
        if let Some(session) = self.current.get_untracked() {
            self.command(Command::ExportTrace { session, format });
        }
    }

    /// Removes it.
    pub fn clear_trace(self) {
        if let Some(id) = self.current.get_untracked() {
            self.command(Command::ClearTrace(id));
        }
    }

    fn looks_at_trace_of(self, session: &str) -> bool {
        let current = |id: &Option<SessionId>| id.as_deref() == Some(session);
        self.trace.view.get_untracked() == View::Trace && self.current.with_untracked(current)
    }

    /// Takes it in, if it is still wanted.
    pub(super) fn show_trace(self, session: &str, rounds: Vec<RoundTrace>) {
        if self.looks_at_trace_of(session) {
            let rounds = rounds.into_iter().map(Arc::new).collect();
            self.trace.rounds.set(Some(rounds));
        }
    }

    /// A round was recorded: asks for the trace, but not more often than it can be read.
    pub(super) fn trace_grew(self, session: &str) {
        if !self.looks_at_trace_of(session) {
            return;
        }
        let pace = self.trace.pace;
        if pace.get_value() != Pace::Ready {
            return pace.set_value(Pace::Wanted);
        }
        pace.set_value(Pace::Resting);
        self.refresh_trace();
        let session = session.to_owned();
        let rested = move || {
            let was = pace.try_get_value();
            pace.try_set_value(Pace::Ready);
            if was == Some(Pace::Wanted) {
                self.trace_grew(&session);
            }
        };
        set_timeout(rested, REST);
    }
}
