//! The list of workspaces: their names, and which of them is shown. What is in each lies in
//! tables of its own, by its id.

use super::store::{Change, Key, Store, StoreError, Table, Value};
use crate::plain::Plain;

/// Names a workspace.
pub type SpaceId = String;

/// The workspace that there was before there were several.
const FIRST: &str = "default";
/// Most characters of a name.
pub const MAX_NAME: usize = 60;

/// A workspace in the list.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Space {
    /// Its id.
    pub id: SpaceId,
    /// As the user calls it; empty: it was never named.
    pub name: String,
}

/// All workspaces, in the order they were made. There is always one.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Spaces {
    /// The list.
    pub all: Vec<Space>,
    /// The one that is shown.
    pub open: SpaceId,
}

impl Default for Spaces {
    fn default() -> Self {
        let first = Space {
            id: FIRST.to_owned(),
            name: String::new(),
        };
        Self {
            open: first.id.clone(),
            all: vec![first],
        }
    }
}

impl Spaces {
    fn key() -> Key {
        Key::new(["workspaces".into()])
    }

    /// Reads the list; what was never saved, or can't be read, is the first workspace alone.
    ///
    /// # Errors
    /// What the store says.
    pub async fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let found = store.get(Table::Settings, Self::key()).await?;
        let spaces = found.and_then(|value| value.parse::<Self>().ok());
        let mut spaces = spaces
            .filter(|spaces| !spaces.all.is_empty())
            .unwrap_or_default();
        if !spaces.has(&spaces.open) {
            spaces.open = spaces.all[0].id.clone();
        }
        Ok(spaces)
    }

    /// Whether there is a workspace `id`.
    pub fn has(&self, id: &str) -> bool {
        self.all.iter().any(|space| space.id == id)
    }

    /// The change that saves it.
    pub fn put(&self) -> Change {
        Change::Put(Table::Settings, Self::key(), Value::record(self))
    }
}

/// A name as it is kept: one line, without spaces around it, and not too long. `None` if
/// nothing is left.
pub fn space_name(typed: &str) -> Option<String> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(MAX_NAME).collect();
    (!name.is_empty()).then_some(name)
}
