//! What a run was begun with.

use std::rc::Rc;

use crate::kernel::model::openai::Learned;
use crate::kernel::settings::{Endpoint, Settings};

/// Settings, key and what is known of the host, as they were when a run began. Its
/// sub-agents and side requests go by the same: what is set later is for later runs,
/// and a new host's key never goes to the old host.
pub struct Terms {
    /// The settings.
    pub settings: Settings,
    /// Who answers; `None`: the demo model.
    pub answers: Option<Answers>,
}

/// An endpoint, and what only a run may know of it.
pub struct Answers {
    /// Where requests go.
    pub endpoint: Endpoint,
    /// The endpoint's key; may be empty. It is never shown and never saved.
    pub key: String,
    /// What is known of the endpoint's host.
    pub learned: Rc<Learned>,
}

impl Terms {
    /// The endpoint's key; empty if there is none.
    pub fn key(&self) -> &str {
        self.answers.as_ref().map_or("", |answers| &answers.key)
    }
}
