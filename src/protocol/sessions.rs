//! What page and kernel say to each other about sessions as a whole.

use crate::kernel::session::{Record, SessionId};
use crate::plain::Plain;

/// What is to be done about sessions.
#[derive(Debug, Clone, Plain)]
pub enum SessionCommand {
    /// Call one otherwise. Answered by [`super::Event::SessionChanged`], as what follows.
    Rename {
        /// Which.
        id: SessionId,
        /// As typed.
        title: String,
    },
    /// Have one stand above all others, or no more.
    Pin {
        /// Which.
        id: SessionId,
        /// Whether it shall.
        pinned: bool,
    },
    /// Put one away, or take it out again.
    Archive {
        /// Which.
        id: SessionId,
        /// Whether it shall be put away.
        archived: bool,
    },
    /// Delete one, with those of its sub-agents; for a while it can be had back. Answered by
    /// [`super::Event::SessionsRemoved`].
    Delete(SessionId),
    /// Have a deleted one back.
    Restore(SessionId),
    /// Look for words in titles and in what was said, in place of what was looked for
    /// before. Answered by [`SessionEvent::Found`], again and again.
    Search {
        /// As typed.
        words: String,
        /// Where to go on; 0: at the start.
        from: usize,
    },
    /// Have a task worked on again; what came of it so far is kept as a branch. Answered by
    /// [`super::Event::SessionOpened`], and the run begins.
    Fork {
        /// The session.
        session: SessionId,
        /// The record of the task.
        task: u64,
        /// In other words; `None`: in the same.
        text: Option<String>,
        /// Whether what was done to files since is taken back first.
        files: bool,
    },
    /// Go to another branch. Answered by [`super::Event::SessionOpened`].
    Switch {
        /// The session.
        session: SessionId,
        /// The branch.
        branch: u64,
    },
    /// Hand out one as a file that can be taken in again. Answered by
    /// [`super::Event::FileBytes`].
    HandOut(SessionId),
    /// Tell the conversation of one as it may be read by others. Answered by
    /// [`SessionEvent::ReadOut`].
    ReadOut(SessionId),
    /// Take in a file that was handed out. Answered by [`SessionEvent::Begun`], or by
    /// [`super::Notice::SessionNotTaken`]; then nothing has happened.
    TakeIn(Vec<u8>),
    /// Begin a session with a part of another. Answered by [`SessionEvent::Begun`].
    Copy {
        /// The other.
        session: SessionId,
        /// The first record that is left out; `None`: with all of it.
        until: Option<u64>,
    },
}

/// What the kernel tells of sessions as a whole.
#[derive(Debug, Clone, PartialEq, Plain)]
pub enum SessionEvent {
    /// Some of what was looked for.
    Found(Found),
    /// This one was begun, and shall be shown.
    Begun {
        /// Which.
        id: SessionId,
        /// The task that was left out, to be written another way.
        draft: String,
    },
    /// The conversation of one, secrets replaced.
    ReadOut {
        /// Which.
        id: SessionId,
        /// What it is called.
        title: String,
        /// Its records.
        records: Vec<Record>,
    },
}

/// A page of what was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Found {
    /// The words, as typed.
    pub words: String,
    /// Where the page begins.
    pub from: usize,
    /// The sessions, the newest first.
    pub hits: Vec<Hit>,
    /// Where the next page begins; `None`: there is none.
    pub next: Option<usize>,
}

/// A session that was found.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Hit {
    /// Which.
    pub id: SessionId,
    /// The record in which it was said; `None`: its title says it.
    pub seq: Option<u64>,
    /// Some of what was said, if the title alone does not say it.
    pub snippet: Option<Snippet>,
}

/// Some of a text around what was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Snippet {
    /// What stands before it.
    pub before: String,
    /// What was looked for, as it stands there.
    pub found: String,
    /// What stands behind it.
    pub after: String,
}
