//! What page and kernel say to each other about workspaces.

use crate::kernel::session::SessionId;
use crate::kernel::spaces::SpaceId;
use crate::plain::Plain;

/// What is to be done about workspaces.
#[derive(Debug, Clone, Plain)]
pub enum SpaceCommand {
    /// Show one. Answered by [`super::Event::SpaceOpened`].
    Open(SpaceId),
    /// Make a new one and show it. Answered by [`super::Event::SpaceOpened`].
    Create(String),
    /// Call one otherwise. Answered by [`super::Event::SpacesChanged`].
    Rename {
        /// Which.
        id: SpaceId,
        /// As typed.
        name: String,
    },
    /// Tell what would go with one. Answered by [`super::Event::SpaceCounted`].
    Count(SpaceId),
    /// Delete one with all that is in it; the last one stays. Answered by
    /// [`super::Event::SpaceOpened`] or [`super::Event::SpacesChanged`], or, while something
    /// is at work in it, by [`super::Event::SpaceCounted`].
    Delete(SpaceId),
}

/// A run that waits for an answer of the user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Plain)]
pub struct Waiting {
    /// The workspace it works in.
    pub space: SpaceId,
    /// The session; where a sub-agent asks, the one that it works for.
    pub session: SessionId,
}

/// What would go with a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct SpaceCounts {
    /// Which.
    pub id: SpaceId,
    /// Files.
    pub files: usize,
    /// Sessions, without those of sub-agents.
    pub sessions: usize,
    /// Whether a run or an import is at work in it: then it can't go.
    pub at_work: bool,
}
