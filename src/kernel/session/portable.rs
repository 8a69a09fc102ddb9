//! A session as a file that can be read back: all records, those of branches, whole results
//! that were cut, traces, and the sessions of the sub-agents that worked for it.

use std::collections::HashSet;

use super::branches::Branch;
use super::{Record, Session};
use crate::kernel::trace::RoundTrace;
use crate::plain::{Plain, from_value, to_json};

/// The newest form of the file that is known.
const VERSION: u64 = 1;
/// What the file calls itself.
const FORMAT: &str = "tabloop-session";
/// Bytes of a file that is read.
pub const LARGEST: u64 = 64 << 20;

/// One session of the file; the first is the one that was handed out.
#[derive(Debug, Clone, PartialEq, Plain)]
pub struct Portable {
    /// Its line in the list.
    pub session: Session,
    /// The conversation that is shown.
    pub records: Vec<Record>,
    /// What else became of it.
    #[plain(default)]
    pub branches: Vec<PortableBranch>,
    /// Whole texts of results that were cut.
    #[plain(default)]
    pub whole: Vec<WholeResult>,
    /// What happened in its rounds.
    #[plain(default)]
    pub traces: Vec<RoundTrace>,
}

/// A branch that is not shown.
#[derive(Debug, Clone, PartialEq, Plain)]
pub struct PortableBranch {
    /// Where it parts.
    pub branch: Branch,
    /// Its records from there on.
    pub records: Vec<Record>,
}

/// The whole text of a result that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct WholeResult {
    /// The record of the result.
    pub seq: u64,
    /// The text.
    pub text: String,
}

/// Why a file was not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum NotTaken {
    /// It is no session, or not all of one.
    Broken,
    /// It was made by a newer Tabloop.
    Newer,
    /// It is longer than [`LARGEST`].
    TooLong,
}

/// The file of these sessions.
pub fn write(sessions: &[Portable]) -> String {
    format!(
        "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\n\"sessions\":{}}}\n",
        to_json(sessions)
    )
}

/// The sessions of a file, if they are whole.
///
/// # Errors
/// Why they are not taken in.
pub fn read(bytes: &[u8]) -> Result<Vec<Portable>, NotTaken> {
    if bytes.len() as u64 > LARGEST {
        return Err(NotTaken::TooLong);
    }
    let mut json: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|_| NotTaken::Broken)?;
    if json["format"] != FORMAT {
        return Err(NotTaken::Broken);
    }
    match json["version"].as_u64() {
        Some(1..=VERSION) => {}
        Some(newer) if newer > VERSION => return Err(NotTaken::Newer),
        _ => return Err(NotTaken::Broken),
    }
    let sessions: Option<Vec<Portable>> = from_value(json["sessions"].take());
    let sessions = sessions.ok_or(NotTaken::Broken)?;
    match is_whole(&sessions) {
        true => Ok(sessions),
        false => Err(NotTaken::Broken),
    }
}

/// Whether the sessions belong together, and the records of each are in order.
fn is_whole(sessions: &[Portable]) -> bool {
    let mut known: HashSet<&str> = HashSet::new();
    sessions.first().is_some_and(|first| {
        // One alone can't be listed.
        first.session.parent.is_none() && !first.records.is_empty()
    }) && sessions.iter().all(|of| {
        let parent = of.session.parent.as_ref();
        let works_for_known = parent.is_none_or(|parent| known.contains(&*parent.session));
        let is_first = known.is_empty();
        known.insert(&of.session.id)
            && works_for_known
            && (is_first || parent.is_some())
            && is_in_order(&of.records)
            && are_branches(&of.branches)
    })
}

fn is_in_order(records: &[Record]) -> bool {
    let numbers = records.windows(2);
    records.iter().all(|record| record.seq < MOST)
        && numbers.into_iter().all(|two| two[0].seq < two[1].seq)
}

/// Keys of a store are whole numbers up to 2^53; more may come behind.
const MOST: u64 = 1 << 52;

fn are_branches(branches: &[PortableBranch]) -> bool {
    let mut known = HashSet::new();
    branches.iter().all(|of| {
        let first = of.records.first().map(|record| record.seq);
        let is_behind = of.branch.after.is_none_or(|after| after < of.branch.first);
        known.insert(of.branch.n)
            && of.branch.n < MOST
            && first == Some(of.branch.first)
            && is_behind
            && is_in_order(&of.records)
    })
}
