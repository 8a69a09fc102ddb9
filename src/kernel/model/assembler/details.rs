//! A thought in structured pieces (`reasoning_details`), put together as the host
//! wants it back: pieces of one number and kind are one, with its signature.

use serde_json::{Map, Value as Json};

/// Fields that come in pieces.
const JOINED: [&str; 3] = ["text", "summary", "data"];
/// Most parts of one thought; more are left out.
const MAX_PARTS: usize = 256;

/// Adds what a chunk brought to what came before; gives the text in it.
pub(super) fn merge(known: &mut Vec<Map<String, Json>>, pieces: &Json) -> String {
    let mut text = String::new();
    let pieces = pieces.as_array().into_iter().flatten();
    for piece in pieces.filter_map(Json::as_object) {
        let shown = ["text", "summary"]
            .iter()
            .find_map(|name| text_of(piece, name));
        text.push_str(shown.unwrap_or_default());
        match known.iter().rposition(|part| belongs(part, piece)) {
            Some(at) => add(&mut known[at], piece),
            None if known.len() < MAX_PARTS => known.push(piece.clone()),
            None => {}
        }
    }
    text
}

fn text_of<'a>(piece: &'a Map<String, Json>, name: &str) -> Option<&'a str> {
    piece.get(name)?.as_str()
}

/// Whether a piece goes on with a part. Without numbers only running text does: two
/// sealed pieces behind each other are two.
fn belongs(part: &Map<String, Json>, piece: &Map<String, Json>) -> bool {
    let is_same = |name: &str| {
        let [a, b] = [part, piece].map(|fields| fields.get(name).filter(|value| !value.is_null()));
        a.is_none() || b.is_none() || a == b
    };
    let has_number = |fields: &Map<String, Json>| fields.get("index").is_some_and(Json::is_u64);
    match (has_number(part), has_number(piece)) {
        (true, true) => part["index"] == piece["index"] && is_same("type"),
        (false, false) => is_same("type") && is_same("id") && text_of(piece, "data").is_none(),
        _ => false,
    }
}

fn add(part: &mut Map<String, Json>, piece: &Map<String, Json>) {
    for (name, value) in piece {
        match (part.get_mut(name), value) {
            (_, Json::Null) => {}
            (Some(Json::String(known)), Json::String(more)) if JOINED.contains(&name.as_str()) => {
                known.push_str(more);
            }
            // An empty signature behind the real one takes nothing away.
            (Some(_), Json::String(more)) if more.is_empty() => {}
            _ => {
                part.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(pieces: &[Json], expected: Json, text: &str) {
        let mut known = Vec::new();
        let shown: String = pieces
            .iter()
            .map(|piece| merge(&mut known, piece))
            .collect();
        let known: Vec<Json> = known.into_iter().map(Json::Object).collect();
        assert_eq!((Json::from(known), shown.as_str()), (expected, text));
    }

    #[test]
    fn pieces_are_merged_by_number_and_the_signature_is_kept() {
        check(
            &[
                json!([{"type": "reasoning.text", "index": 0, "text": "a ", "signature": null}]),
                json!([{"type": "reasoning.text", "index": 0, "text": "b"}]),
                json!([{"type": "reasoning.text", "index": 1, "text": "c"}]),
                json!([{"type": "reasoning.text", "index": 0, "text": "", "signature": "S"}]),
                json!([{"type": "reasoning.text", "index": 0, "signature": ""}]),
            ],
            json!([
                {"type": "reasoning.text", "index": 0, "text": "a b", "signature": "S"},
                {"type": "reasoning.text", "index": 1, "text": "c"},
            ]),
            "a bc",
        );
    }

    #[test]
    fn kinds_are_kept_apart_and_sealed_pieces_without_numbers_too() {
        check(
            &[
                json!([{"type": "reasoning.summary", "index": 0, "summary": "s"}]),
                json!([{"type": "reasoning.encrypted", "index": 0, "data": "x"}]),
                json!([{"type": "reasoning.encrypted", "index": 0, "data": "y"}]),
            ],
            json!([
                {"type": "reasoning.summary", "index": 0, "summary": "s"},
                {"type": "reasoning.encrypted", "index": 0, "data": "xy"},
            ]),
            "s",
        );
        check(
            &[
                json!([{"type": "reasoning.text", "text": "a"}]),
                json!([{"type": "reasoning.text", "text": "b"}]),
                json!([{"type": "reasoning.encrypted", "data": "x"}, {"type": "reasoning.encrypted", "data": "y"}]),
            ],
            json!([
                {"type": "reasoning.text", "text": "ab"},
                {"type": "reasoning.encrypted", "data": "x"},
                {"type": "reasoning.encrypted", "data": "y"},
            ]),
            "ab",
        );
    }
}
