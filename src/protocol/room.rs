//! What page and kernel say of the room that stored things take up, and of making some.

use crate::kernel::session::SessionId;
use crate::kernel::store::Room;
use crate::plain::Plain;

/// Something that can go to make room.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Freeable {
    /// What files were before the last few changes.
    OldHistory,
    /// What files were, and files that were deleted.
    History,
    /// The traces of all sessions.
    Traces,
    /// Parts of conversations that were taken back and can still be brought in again.
    TakenBack,
    /// A session, with those of its sub-agents.
    Session(SessionId),
}

/// What something takes up.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Weight {
    /// What.
    pub what: Freeable,
    /// Bytes.
    pub bytes: u64,
    /// For a session: its title.
    pub title: String,
    /// For a session: when it was used last, milliseconds since the Unix epoch.
    pub at_ms: u64,
}

/// What takes up room.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Weighed {
    /// How full the browser's storage is, if it tells.
    pub room: Option<Room>,
    /// Bytes of the files as they are now.
    pub files: u64,
    /// What can go; sessions come last, the largest first.
    pub parts: Vec<Weight>,
    /// Why what was to go is still there: the reason; empty if even for that there was
    /// no room.
    pub failed: Option<String>,
}
