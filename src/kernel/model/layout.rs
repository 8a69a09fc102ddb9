//! Which records are sent, and in what form, after the conversation was shortened:
//! one answer for the request itself and for whoever weighs it.

use serde_json::{Map, Value as Json, json};

use crate::kernel::session::{AssistantMessage, Compaction, Entry, Record, TodoItem, TodoState};

/// The rules of the whole workspace.
pub const ROOT_RULES: &str = "AGENTS.md";

/// Bytes that a shortened result or argument keeps of its head and of its tail.
const HEAD: usize = 500;
const TAIL: usize = 200;
/// Bytes that shortened arguments have at most.
const MAX_ARGUMENTS: usize = 4 * (HEAD + TAIL);

/// A transcript as it is sent.
pub struct Layout<'a> {
    /// Records from the part that is left out which are sent all the same, word for
    /// word: the tasks and the rules.
    pub pinned: Vec<&'a Record>,
    /// What stands for that part.
    pub summary: Option<String>,
    /// All records behind it.
    pub rest: &'a [Record],
    /// Results and arguments of records before this one are shortened.
    pub prune_before: u64,
    /// Images of results before this one are not sent.
    pub pictures_before: u64,
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
            pictures_before: 0,
        },
    }
}

/// The layout that `compaction` asks for.
pub fn layout_with<'a>(records: &'a [Record], compaction: &Compaction) -> Layout<'a> {
    let prune_before = compaction.prune_before;
    let pictures_before = compaction.pictures_before.max(prune_before);
    let Some(summary) = &compaction.summary else {
        return Layout {
            pinned: Vec::new(),
            summary: None,
            rest: records,
            prune_before,
            pictures_before,
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
        pictures_before,
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

/// A message whose calls' long arguments are cut; `None` if there are none. Whole files are
/// written that way, and the model has seen what became of them.
pub fn pruned_calls(message: &AssistantMessage, seq: u64) -> Option<AssistantMessage> {
    let calls = message.calls.iter();
    let cut: Vec<Option<String>> = calls
        .map(|call| pruned_arguments(&call.arguments, seq))
        .collect();
    if cut.iter().all(Option::is_none) {
        return None;
    }
    let mut message = message.clone();
    for (call, cut) in message.calls.iter_mut().zip(cut) {
        call.arguments = cut.unwrap_or_else(|| std::mem::take(&mut call.arguments));
    }
    Some(message)
}

/// Arguments whose long texts are cut; all of them as one text, if that is not enough.
fn pruned_arguments(arguments: &str, seq: u64) -> Option<String> {
    let whole = pruned(arguments, seq)?;
    if let Ok(fields) = serde_json::from_str::<Map<String, Json>>(arguments) {
        let mut fields = Json::Object(fields);
        let is_cut = cut_texts(&mut fields, seq);
        let text = fields.to_string();
        if text.len() <= MAX_ARGUMENTS {
            return is_cut.then_some(text);
        }
    }
    Some(json!({ "left_out": whole }).to_string())
}

/// Cuts the long texts in a value; tells whether there were any.
fn cut_texts(value: &mut Json, seq: u64) -> bool {
    let mut cut = |is_cut: bool, value| cut_texts(value, seq) || is_cut;
    match value {
        Json::String(text) => match pruned(text, seq) {
            Some(short) => {
                *text = short;
                true
            }
            None => false,
        },
        Json::Array(items) => items.iter_mut().fold(false, &mut cut),
        Json::Object(fields) => fields.values_mut().fold(false, &mut cut),
        _ => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &str, expected: Option<&str>) {
        let cut = pruned_arguments(arguments, 7);
        assert_eq!(cut.as_deref(), expected);
    }

    #[test]
    fn long_texts_of_arguments_are_cut_wherever_they_stand() {
        let long = "x".repeat(5_000);
        let short = format!(
            "{}\\n[… 4300 bytes left out; recall id \\\"r7\\\" …]\\n{}",
            "x".repeat(HEAD),
            "x".repeat(TAIL)
        );
        let write = |text: &str| format!(r#"{{"path":"a","content":"{text}"}}"#);
        check(&write(&long), Some(&write(&short)));
        let edit = |text: &str| format!(r#"{{"edits":[{{"old_text":"{text}"}}],"path":"a"}}"#);
        check(&edit(&long), Some(&edit(&short)));
        check(&write("short"), None);
    }

    #[test]
    fn what_stays_long_is_cut_as_one_text() {
        let items = |n: usize| format!("{{\"items\":[{}1]}}", "1,".repeat(n));
        check(&items(800), None);
        for arguments in [items(5_000), "not JSON ".repeat(500), "[".repeat(5_000)] {
            let cut = pruned_arguments(&arguments, 7).unwrap();
            assert!(
                cut.starts_with("{\"left_out\":") && cut.len() < 1_000,
                "{cut}"
            );
        }
    }
}
