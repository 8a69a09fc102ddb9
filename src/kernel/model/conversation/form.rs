//! In which form a host takes a conversation.

use crate::kernel::session::{AssistantMessage, ToolCall};
use crate::kernel::settings::Refused;

/// Longest id of a call that every host takes, in bytes.
const MAX_ID: usize = 40;
/// What an id is made of that every host takes, and how long it is.
const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SAFE_ID: usize = 9;

/// How messages are written for one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    /// The host: what only it understands goes back to it alone.
    pub host: String,
    /// The model there: so does what only that understands.
    pub model: String,
    /// What it refuses of the usual form.
    pub refused: Vec<Refused>,
    /// What the system prompt says about tools, where requests have no field for them.
    pub about_tools: String,
}

impl Form {
    /// Whether calls and results are told in words.
    pub fn in_words(&self) -> bool {
        self.refused.contains(&Refused::Tools)
    }

    /// Whether a message came from where it goes to.
    pub(super) fn is_home_of(&self, message: &AssistantMessage) -> bool {
        message.host == self.host && message.model == self.model
    }

    /// The id of a call as sent; `seq` is its message's record.
    pub(super) fn id_of(&self, call: &ToolCall, seq: u64, message: &AssistantMessage) -> String {
        // A host takes back the ids that it has given itself: some put into them what they
        // need to know.
        let is_too_long = call.id.len() > MAX_ID && !self.is_home_of(message);
        match is_too_long || self.refused.contains(&Refused::Ids) {
            true => safe_id(&call.id, seq),
            false => call.id.clone(),
        }
    }

    /// What becomes of thoughts.
    pub(super) fn thoughts(&self) -> Thoughts {
        let newest = self.refused.iter().rev().find_map(|refused| match refused {
            Refused::Thoughts => Some(Thoughts::LeftOut),
            Refused::NoThoughts => Some(Thoughts::Everywhere),
            _ => None,
        });
        newest.unwrap_or(Thoughts::AsReceived)
    }
}

/// Where thoughts stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thoughts {
    /// In the messages that came with one.
    AsReceived,
    /// In every message of the model.
    Everywhere,
    /// Nowhere.
    LeftOut,
}

/// Another id for a call, always the same one. Some providers use an id again in a later
/// message, so the message counts too.
fn safe_id(id: &str, seq: u64) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seq.to_le_bytes());
    hasher.update(id.as_bytes());
    let bytes = *hasher.finalize().as_bytes();
    let letter = |byte: &u8| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]);
    bytes.iter().take(SAFE_ID).map(letter).collect()
}
