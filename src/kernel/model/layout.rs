//! Which records are sent, and in what form, after the conversation was shortened:
//! one answer for the request itself and for whoever weighs it.

use crate::kernel::session::{Compaction, Entry, Record, TodoItem, TodoState};

/// The rules of the whole workspace.
pub const ROOT_RULES: &str = "AGENTS.md";

/// Bytes that a shortened result keeps of its head and of its tail.
const HEAD: usize = 500;
const TAIL: usize = 200;

/// A transcript as it is sent.
pub struct Layout<'a> {
    /// Records from the part that is left out which are sent all the same, word for
    /// word: the tasks and the rules.
    pub pinned: Vec<&'a Record>,
    /// What stands for that part.
    pub summary: Option<String>,
    /// All records behind it.
    pub rest: &'a [Record],
    /// Results of records before this one are shortened.
    pub prune_before: u64,
}

/// The layout that the last compaction among `records` asks for.
pub fn layout(records: &[Record]) -> Layout<'_> {
    let compaction = records.iter().rev().find_map(|record| match &record.entry {
        Entry::Compaction(compaction) => Some(compaction),
        _ => None,
    });
    match compaction {
        Some(compaction) => layout_with(records, compaction),
        None => Layout {
            pinned: Vec::new(),
            summary: None,
            rest: records,
            prune_before: 0,
        },
    }
}

/// The layout that `compaction` asks for.
pub fn layout_with<'a>(records: &'a [Record], compaction: &Compaction) -> Layout<'a> {
    let prune_before = compaction.prune_before;
    let Some(summary) = &compaction.summary else {
        return Layout {
            pinned: Vec::new(),
            summary: None,
            rest: records,
            prune_before,
        };
    };
    let at = records.partition_point(|record| record.seq < summary.until);
    let (left_out, rest) = records.split_at(at);
    let pinned = pinned(left_out);
    let mut text = format!(
        "[Tabloop] The conversation before this point was left out. This stands for it; recall with the id \"r0-r{}\" brings it back whole.\n\n{}",
        summary.until.saturating_sub(1),
        summary.text.trim()
    );
    let steps = open_steps(todo_of(records));
    if !steps.is_empty() {
        text.push_str("\n\nOpen steps:\n");
        text.push_str(&steps);
    }
    Layout {
        pinned,
        summary: Some(text),
        rest,
        prune_before,
    }
}

/// The first task, the last one, and the newest rules of each folder.
fn pinned(left_out: &[Record]) -> Vec<&Record> {
    let is_task = |record: &Record| matches!(record.entry, Entry::User { .. });
    let first = left_out.iter().position(is_task);
    let last = left_out.iter().rposition(is_task);
    let mut kept = Vec::new();
    for (at, record) in left_out.iter().enumerate() {
        let is_kept = match &record.entry {
            Entry::User { .. } => Some(at) == first || Some(at) == last,
            Entry::Rules { path, .. } => !left_out[at + 1..].iter().any(
                |later| matches!(&later.entry, Entry::Rules { path: other, .. } if other == path),
            ),
            _ => false,
        };
        if is_kept {
            kept.push(record);
        }
    }
    kept
}

/// The list of steps as it now is.
pub fn todo_of(records: &[Record]) -> &[TodoItem] {
    let items = records.iter().rev().find_map(|record| match &record.entry {
        Entry::Todo { items } => Some(items.as_slice()),
        _ => None,
    });
    items.unwrap_or_default()
}

/// The steps that are not done, a line each.
pub fn open_steps(items: &[TodoItem]) -> String {
    let open = (1..)
        .zip(items)
        .filter(|(_, item)| item.state != TodoState::Done);
    open.map(|(n, item)| format!("{n}. {}\n", item.text))
        .collect()
}

/// A result by head and tail, with the id that brings it back.
pub fn pruned(text: &str, seq: u64) -> Option<String> {
    if text.len() <= HEAD + TAIL + 200 {
        return None;
    }
    let head = (0..=HEAD).rev().find(|at| text.is_char_boundary(*at))?;
    let tail = (text.len() - TAIL..).find(|at| text.is_char_boundary(*at))?;
    Some(format!(
        "{}\n[… {} bytes left out; recall id \"r{seq}\" …]\n{}",
        &text[..head],
        tail - head,
        &text[tail..]
    ))
}
