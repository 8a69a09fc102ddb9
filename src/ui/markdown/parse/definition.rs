//! What links by name refer to: lines that name an address.

use std::collections::{BTreeMap, BTreeSet};

use super::escape::unescape;
use super::link::{destination, skip_space, title};
use super::target::Target;
use crate::ui::state::key_of;

/// Longest name, in bytes.
const MAX_LABEL: usize = 999;

/// A name's key, and what it stands for.
pub type Definition = (u64, Target);

/// What names stand for. Of two definitions of a name the first counts.
#[derive(Debug, Default)]
pub struct References {
    /// Of blocks to which nothing is added any more.
    settled: BTreeMap<u64, Target>,
    /// Of those behind them.
    open: BTreeMap<u64, Target>,
}

impl References {
    /// What `key` stands for.
    pub fn get(&self, key: u64) -> Option<&Target> {
        self.settled.get(&key).or_else(|| self.open.get(&key))
    }

    /// Adds definitions of blocks that are settled now, and takes those of the blocks
    /// behind them. Gives the keys that stand for something else than before, in order.
    pub fn go_on<'a>(
        &mut self,
        settled: impl Iterator<Item = &'a Definition>,
        open: impl Iterator<Item = &'a Definition>,
    ) -> Vec<u64> {
        let settled: Vec<_> = settled.collect();
        let open: Vec<_> = open.collect();
        let named = settled.iter().chain(&open).map(|(key, _)| *key);
        let keys: BTreeSet<u64> = self.open.keys().copied().chain(named).collect();
        let before: Vec<_> = keys.iter().map(|key| self.get(*key).cloned()).collect();
        for (key, target) in settled {
            self.settled.entry(*key).or_insert_with(|| target.clone());
        }
        self.open.clear();
        for (key, target) in open {
            self.open.entry(*key).or_insert_with(|| target.clone());
        }
        let changed = keys.into_iter().zip(before);
        let changed = changed.filter(|(key, before)| self.get(*key) != before.as_ref());
        changed.map(|(key, _)| key).collect()
    }
}

/// The key of the name that `label` is, without its brackets.
pub fn key(label: &str) -> Option<u64> {
    let mut name = String::new();
    for word in label.split_ascii_whitespace() {
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    // Both, since some letters have more than one form of the other case.
    (!name.is_empty()).then(|| key_of(&name.to_lowercase().to_uppercase()))
}

/// The length of the name in brackets at the start of `text`, brackets included.
pub fn label_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let mut at = 1;
    while at <= MAX_LABEL + 1 {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b'[' => return None,
            b']' => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The definition at the start of `text`, and its length.
pub fn read(text: &str) -> Option<(Definition, usize)> {
    let label = label_length(text)?;
    let key = key(&text[1..label - 1])?;
    let bytes = text.as_bytes();
    if bytes.get(label) != Some(&b':') {
        return None;
    }
    let start = skip_space(text, label + 1);
    let (address, end) = destination(text, start)?;
    if end == start {
        return None;
    }
    let without = line_end(text, end);
    let at = skip_space(text, end);
    if at > end
        && let Some((title, behind)) = title(text, at)
        && let Some(length) = line_end(text, behind)
    {
        let target = Target::new(&unescape(address), Some(&unescape(title)));
        return Some(((key, target), length));
    }
    without.map(|length| ((key, Target::new(&unescape(address), None)), length))
}

/// Where the next line begins, if nothing more stands on this one.
fn line_end(text: &str, mut at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    while let Some(b' ' | b'\t') = bytes.get(at) {
        at += 1;
    }
    match bytes.get(at) {
        None => Some(at),
        Some(b'\n') => Some(at + 1),
        Some(_) => None,
    }
}
