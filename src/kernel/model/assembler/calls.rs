//! Tool calls from their pieces. Hosts differ in what they repeat, leave out
//! and number; the rules here are those of the sample bodies in `tests/streams`.

use serde_json::{Map, Value as Json};

use crate::kernel::session::ToolCall;

/// Fields of a call that are read here; all others are kept and echoed.
const OWN_FIELDS: [&str; 4] = ["index", "id", "type", "function"];

/// The calls of one message, while they come in.
pub(super) struct CallTable {
    calls: Vec<Open>,
    mint: Box<dyn FnMut() -> String>,
}

struct Open {
    label: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra: Map<String, Json>,
}

impl CallTable {
    pub(super) fn new(mint: Box<dyn FnMut() -> String>) -> Self {
        Self {
            calls: Vec::new(),
            mint,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes one element of `tool_calls`; gives the call's place, name and bytes so far.
    pub(super) fn take(&mut self, piece: &Json) -> (usize, String, usize) {
        let text =
            |value: Option<&Json>| value.and_then(Json::as_str).unwrap_or_default().to_owned();
        let function = piece.get("function");
        let id = text(piece.get("id"));
        let name = text(function.and_then(|function| function.get("name")));
        let label = piece.get("index").and_then(Json::as_u64);

        let at = self.place(label, &id, &name);
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = id;
        }
        if call.arguments.is_empty() {
            call.name = join_name(&call.name, &name);
        }
        match function.and_then(|function| function.get("arguments")) {
            Some(Json::String(more)) => call.arguments.push_str(more),
            Some(whole @ Json::Object(_)) => call.arguments = whole.to_string(),
            _ => {}
        }
        let fields = piece.as_object().into_iter().flatten();
        let foreign = fields.filter(|(field, _)| !OWN_FIELDS.contains(&field.as_str()));
        call.extra
            .extend(foreign.map(|(field, value)| (field.clone(), value.clone())));
        (at, call.name.clone(), call.arguments.len())
    }

    /// Which call a piece belongs to; opens a new one where it must.
    fn place(&mut self, label: Option<u64>, id: &str, name: &str) -> usize {
        let last = self.calls.len().checked_sub(1);
        let found = match label {
            Some(_) => self.calls.iter().rposition(|call| call.label == label),
            None => self
                .calls
                .iter()
                .rposition(|call| !id.is_empty() && call.id == id),
        };
        let found = match (found, label) {
            (Some(at), Some(_)) => (!opens_another(&self.calls[at], id, name)).then_some(at),
            (Some(at), None) => Some(at),
            // A bare piece goes on with the call opened last, whatever its number.
            (None, _) if id.is_empty() && name.is_empty() => last,
            (None, _) => None,
        };
        found.unwrap_or_else(|| {
            self.calls.push(Open {
                label,
                id: String::new(),
                name: String::new(),
                arguments: String::new(),
                extra: Map::new(),
            });
            self.calls.len() - 1
        })
    }

    /// The calls, each with a name, arguments that are not empty and an id of its own.
    pub(super) fn finish(mut self) -> Vec<ToolCall> {
        let mut calls: Vec<ToolCall> = Vec::new();
        for open in self.calls {
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

/// Some hosts give every call the number 0: a new id with a name, or another
/// name behind finished arguments, is a new call all the same.
fn opens_another(call: &Open, id: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    if !id.is_empty() {
        return !call.id.is_empty() && call.id != id;
    }
    call.name != name && serde_json::from_str::<Json>(&call.arguments).is_ok()
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
    let trimmed = arguments.trim();
    if trimmed.is_empty() {
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
            table.take(piece);
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
