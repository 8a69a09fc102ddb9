//! Single messages as JSON.

use serde_json::{Map, Value as Json, json};

use super::form::{Form, Thoughts};
use crate::kernel::session::{AssistantMessage, Reasoning, ToolCall};
use crate::kernel::settings::Refused;

/// The field of a thought where a host wants one in every message.
const THOUGHT: &str = "reasoning_content";

/// A message of the model; `seq` is its record.
pub(super) fn assistant(message: &AssistantMessage, seq: u64, form: &Form) -> Json {
    let mut fields = Map::new();
    fields.insert("role".into(), "assistant".into());
    let is_home = form.is_home_of(message);
    let content = match message.text.as_str() {
        _ if form.in_words() => in_words(message).into(),
        text if !text.trim().is_empty() => text.into(),
        // Some hosts refuse a text of white space alone.
        _ if form.refused.contains(&Refused::NullText) => "".into(),
        _ => Json::Null,
    };
    fields.insert("content".into(), content);
    let thoughts = form.thoughts();
    if let Some(reasoning) = &message.reasoning
        && is_home
        && thoughts != Thoughts::LeftOut
    {
        echo(reasoning, &mut fields);
    }
    if thoughts == Thoughts::Everywhere && !fields.contains_key(THOUGHT) {
        fields.insert(THOUGHT.into(), "".into());
    }
    if !message.calls.is_empty() && !form.in_words() {
        let of_one = |call: &ToolCall| tool_call(call, &form.id_of(call, seq, message), is_home);
        let calls: Vec<Json> = message.calls.iter().map(of_one).collect();
        fields.insert("tool_calls".into(), calls.into());
    }
    Json::Object(fields)
}

/// What the host wants to see again, under the names it came in.
pub(super) fn echo(reasoning: &Reasoning, fields: &mut Map<String, Json>) {
    let extra = &reasoning.extra;
    if !reasoning.field.is_empty() && !extra.contains_key(&reasoning.field) {
        fields.insert(reasoning.field.clone(), reasoning.text.as_str().into());
    }
    fields.extend(extra.clone());
}

/// A call; fields that are not ours go home alone.
pub(super) fn tool_call(call: &ToolCall, id: &str, is_home: bool) -> Json {
    let mut fields = Map::new();
    fields.insert("id".into(), id.into());
    fields.insert("type".into(), "function".into());
    let function = json!({ "name": sendable_name(&call.name), "arguments": arguments(call) });
    fields.insert("function".into(), function);
    if is_home {
        fields.extend(call.extra.clone());
    }
    Json::Object(fields)
}

/// Invalid arguments would make hosts refuse the whole conversation for ever.
fn arguments(call: &ToolCall) -> String {
    match serde_json::from_str::<Map<String, Json>>(&call.arguments) {
        Ok(_) => call.arguments.clone(),
        Err(_) => json!({ "invalid_json": call.arguments }).to_string(),
    }
}

/// A result.
pub(super) fn result(call_id: &str, name: Option<&str>, text: &str) -> Json {
    let mut message = json!({ "role": "tool", "tool_call_id": call_id });
    if let Some(name) = name {
        message["name"] = name.into();
    }
    message["content"] = text.into();
    message
}

/// A message of the model whose calls are told as a model without tools writes them.
fn in_words(message: &AssistantMessage) -> String {
    let mut text = message.text.trim().to_owned();
    for call in &message.calls {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let name = Json::from(sendable_name(&call.name));
        let arguments = arguments(call);
        text.push_str(&format!(
            "<tool_call>\n{{\"name\": {name}, \"arguments\": {arguments}}}\n</tool_call>"
        ));
    }
    text
}

/// A result for a model without tools.
pub(super) fn result_in_words(name: &str, text: &str) -> String {
    format!("<tool_response name=\"{name}\">\n{text}\n</tool_response>")
}

/// Hosts take names of `[A-Za-z_][A-Za-z0-9_-]{0,63}` and refuse all others.
pub(super) fn sendable_name(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut sendable: String = name
        .chars()
        .take(64)
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    if !sendable.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        sendable.insert(0, '_');
        sendable.truncate(64);
    }
    sendable
}
