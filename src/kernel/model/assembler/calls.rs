//! Tool calls from their pieces. Hosts differ in what they repeat, leave out
//! and number; the rules here are those of the sample bodies in `tests/streams`.

use serde_json::{Map, Value as Json};

use super::json::Joiner;
use super::text_calls;
use crate::kernel::session::ToolCall;

/// Fields of a call that are read here; all others are kept and echoed.
const OWN_FIELDS: [&str; 4] = ["index", "id", "type", "function"];
/// Most calls of one message; pieces of more are dropped.
const MAX_CALLS: usize = 1_024;

/// The calls of one message, while they come in.
pub(super) struct CallTable {
    calls: Vec<Open>,
    mint: Box<dyn FnMut() -> String>,
    bytes: usize,
}

#[derive(Default)]
struct Open {
    label: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    joiner: Joiner,
    extra: Map<String, Json>,
}

impl CallTable {
    pub(super) fn new(mint: Box<dyn FnMut() -> String>) -> Self {
        Self {
            calls: Vec::new(),
            mint,
            bytes: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Bytes of all arguments and fields so far.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes one element of `tool_calls`, with halves of characters `marked` or not;
    /// gives the call's place, name and bytes so far.
    pub(super) fn take(&mut self, piece: &Json, marked: bool) -> Option<(usize, String, usize)> {
        let function = piece.get("function");
        let id = text(piece.get("id"));
        let name = text(function.and_then(|function| function.get("name")));
        let label = piece.get("index").and_then(Json::as_u64);
        let arguments = function.and_then(|function| function.get("arguments"));

        let at = self.place(label, id, name, text(arguments));
        let call = self.calls.get_mut(at)?;
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.arguments.is_empty() || call.name.is_empty() {
            call.name = join_name(&call.name, name);
        }
        let before = call.arguments.len();
        match arguments {
            Some(Json::String(more)) => call.arguments.push_str(&call.joiner.join(more, marked)),
            Some(whole @ Json::Object(_)) => call.arguments = whole.to_string(),
            _ => {}
        }
        self.bytes += call.arguments.len().saturating_sub(before);
        let fields = piece.as_object().into_iter().flatten();
        let foreign = fields
            .filter(|(field, value)| !OWN_FIELDS.contains(&field.as_str()) && !value.is_null());
        for (field, value) in foreign {
            self.bytes += field.len() + value.to_string().len();
            call.extra.insert(field.clone(), value.clone());
        }
        Some((at, call.name.clone(), call.arguments.len()))
    }

    /// Which call a piece belongs to; opens a new one where it must.
    fn place(&mut self, label: Option<u64>, id: &str, name: &str, arguments: &str) -> usize {
        let last = self.calls.len().checked_sub(1);
        let found = match label {
            Some(_) => self.calls.iter().rposition(|call| call.label == label),
            None if id.is_empty() => last.filter(|_| !name.is_empty()),
            None => self.calls.iter().rposition(|call| call.id == id),
        };
        let found = match found {
            // The id alone tells where there is no number.
            Some(at) if label.is_none() && !id.is_empty() => Some(at),
            Some(at) => (!opens_another(&self.calls[at], id, name, arguments)).then_some(at),
            // A bare piece goes on with the call opened last, whatever its number.
            None if id.is_empty() && name.is_empty() => last,
            None => None,
        };
        found.unwrap_or_else(|| {
            if self.calls.len() < MAX_CALLS {
                self.calls.push(Open {
                    label,
                    ..Open::default()
                });
                return self.calls.len() - 1;
            }
            MAX_CALLS
        })
    }

    /// The calls, each with a name, arguments that are not empty and an id of its own.
    /// What has neither name nor arguments is none.
    pub(super) fn finish(mut self) -> Vec<ToolCall> {
        let mut calls: Vec<ToolCall> = Vec::new();
        for mut open in self.calls {
            open.arguments.extend(open.joiner.finish());
            if open.name.is_empty() && open.arguments.trim().is_empty() {
                continue;
            }
            let taken = calls.iter().any(|call| call.id == open.id);
            let id = if open.id.is_empty() || taken {
                (self.mint)()
            } else {
                open.id
            };
            let arguments = whole_arguments(&open.arguments);
            calls.push(ToolCall {
                id,
                name: open.name,
                arguments,
                extra: open.extra,
            });
        }
        calls
    }
}

fn text(value: Option<&Json>) -> &str {
    value.and_then(Json::as_str).unwrap_or_default()
}

/// Whether a piece with the number of a call, or with none, is the beginning of another
/// one: some hosts give every call the number 0. A new id with a name is a new call;
/// without ids, another name or more arguments behind whole ones are.
fn opens_another(call: &Open, id: &str, name: &str, arguments: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    if !id.is_empty() {
        return !call.id.is_empty() && call.id != id;
    }
    let known = call.arguments.trim();
    let is_whole = || serde_json::from_str::<Map<String, Json>>(known).is_ok();
    match (call.label.is_some(), call.name == name) {
        // An empty object may stand before the real arguments, and a name be repeated.
        (true, true) => arguments.trim_start().starts_with('{') && known != "{}" && is_whole(),
        (true, false) => is_whole(),
        (false, true) => is_whole(),
        (false, false) => true,
    }
}

/// A name may come in pieces, or again and again.
fn join_name(known: &str, more: &str) -> String {
    if more.is_empty() || known == more {
        known.to_owned()
    } else if more.starts_with(known) {
        more.to_owned()
    } else {
        format!("{known}{more}")
    }
}

fn whole_arguments(arguments: &str) -> String {
    let trimmed = text_calls::without_tokens(arguments).trim();
    if trimmed.is_empty() || trimmed == "null" {
        return "{}".into();
    }
    // Some hosts send an empty object ahead of the real one.
    match trimmed.strip_prefix("{}").map(str::trim_start) {
        Some(rest) if rest.starts_with('{') => rest.to_owned(),
        _ => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(pieces: &[Json], expected: &[(&str, &str, &str)]) {
        let mut table = CallTable::new(Box::new(|| "minted".into()));
        for piece in pieces {
            table.take(piece, false);
        }
        let calls = table.finish();
        let calls: Vec<_> = calls
            .iter()
            .map(|call| {
                (
                    call.id.as_str(),
                    call.name.as_str(),
                    call.arguments.as_str(),
                )
            })
            .collect();
        assert_eq!(calls, expected);
    }

    #[test]
    fn a_bare_piece_on_a_fresh_number_goes_on_with_the_last_call() {
        check(
            &[
                json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\":"}}),
                json!({"index": 1, "function": {"arguments": "1}"}}),
            ],
            &[("a", "f", "{\"x\":1}")],
        );
    }

    #[test]
    fn an_id_that_changes_within_a_call_is_not_a_new_call() {
        check(
            &[
                json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}),
                json!({"index": 0, "id": "b", "function": {"arguments": "}"}}),
            ],
            &[("a", "f", "{}")],
        );
    }

    #[test]
    fn a_name_in_pieces_is_joined_and_a_repeated_one_is_not() {
        let name = |name: &str| json!({"index": 0, "function": {"name": name}});
        check(
            &[name("read_"), name("file")],
            &[("minted", "read_file", "{}")],
        );
        check(
            &[name("read_"), name("read_file")],
            &[("minted", "read_file", "{}")],
        );
        check(&[name("read"), name("read")], &[("minted", "read", "{}")]);
    }

    #[test]
    fn an_empty_object_before_the_real_arguments_is_dropped() {
        let piece = |arguments: &str| json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}});
        check(
            &[piece("{}"), piece("{\"x\":1}")],
            &[("a", "f", "{\"x\":1}")],
        );
    }

    #[test]
    fn two_calls_with_one_id_get_two_ids() {
        let piece = |index: u64| json!({"index": index, "id": "a", "function": {"name": "f", "arguments": "{}"}});
        check(
            &[piece(0), piece(1)],
            &[("a", "f", "{}"), ("minted", "f", "{}")],
        );
    }
}
