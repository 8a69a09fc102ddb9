//! Several tabs over one store: what they tell each other, and which of them may write.
//!
//! What tabs tell each other are hints. They may be lost, come late or twice: what counts
//! is what stands in the store, which is read behind each hint and now and then without
//! one. Who may write is told by a row of the store, the claim: see [`ClaimedStore`].
//!
//! Two twins implement [`Channel`]: [`memory::MemoryChannel`] and the edge in `browser`.

mod claim;
pub mod memory;
mod place;

use std::rc::Rc;

pub use self::claim::ClaimedStore;
pub use self::place::{Place, Way, come_to, could_take};
use super::session::SessionId;
use crate::plain::Plain;

/// What a tab tells the others: where it is worth looking.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Hint {
    /// The files of this workspace changed.
    Files(String),
    /// A session is new, its line in the list changed, or its transcript.
    Session(SessionId),
    /// The settings changed, or the keys that are kept.
    Settings,
    /// Another tab has taken the claim.
    TakenOver,
}

/// What hears of hints.
pub type Listener = Rc<dyn Fn(Vec<Hint>)>;

/// A way from each tab to all others.
pub trait Channel {
    /// Tells the others; nobody waits for it, and nobody need hear it.
    fn tell(&self, hints: Vec<Hint>);
    /// Has `listener` hear what others tell from now on, in place of the one before.
    fn listen(&self, listener: Listener);
}
