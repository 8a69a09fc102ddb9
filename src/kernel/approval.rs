//! Which calls may run: rules by tool and target, and the mode for all others.

use serde::{Deserialize, Serialize};

/// What a rule says of the calls it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// They run.
    Allow,
    /// The user is asked.
    Ask,
    /// They don't run.
    Deny,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The tool's name, or `*`.
    pub tool: String,
    /// A pattern of paths or hosts; empty: everything.
    pub target: String,
    /// What it says.
    pub action: Action,
}

/// What is asked about where no rule matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ApprovalMode {
    /// Every write.
    Writes,
    /// What can't be undone or reaches outside.
    #[default]
    Dangerous,
    /// Nothing.
    Never,
}
