//! The conversation as sent: derived from the transcript, valid whatever
//! happened, and append-only, so that what was sent before is a prefix of what
//! is sent next and providers' prompt caches hit.

use std::rc::Rc;

use serde_json::{Map, Value as Json, json};

use super::layout::{self, ROOT_RULES};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{AssistantMessage, Entry, Reasoning, Record, ToolCall};

/// Longest id of a call that every host takes, in bytes.
const MAX_ID: usize = 40;

/// What a call without a recorded result is told.
pub const NO_RESULT: &str = "Error: this call was interrupted and has no result; nothing was changed. Call the tool again if it is still needed.";

/// The messages of a request as JSON text, grown record by record; begun anew only
/// when a compaction is among the records. Each call has exactly one result right
/// behind it, no result stands alone, and no assistant message is empty.
pub struct Conversation {
    host: String,
    model: String,
    system: String,
    redactor: Rc<Redactor>,
    json: Rc<String>,
    taken: usize,
    open_calls: Vec<OpenCall>,
    prune_before: u64,
}

/// A call that has no result yet.
struct OpenCall {
    /// Its id in the transcript.
    id: String,
    /// Its id as it was sent.
    sent: String,
}

impl Conversation {
    /// A conversation with a host and a model there, under a system prompt.
    pub fn new((host, model): (&str, &str), system: &str) -> Self {
        Self {
            host: host.to_owned(),
            model: model.to_owned(),
            system: system.to_owned(),
            redactor: Rc::default(),
            json: Rc::default(),
            taken: 0,
            open_calls: Vec::new(),
            prune_before: 0,
        }
    }

    /// Takes the records behind those it has already, and gives all messages
    /// as the inside of a JSON array. What the user and the workspace's rules say in
    /// the new ones goes through `redactor`; what was sent before stays as it is.
    pub fn messages(&mut self, records: &[Record], redactor: &Rc<Redactor>) -> Rc<String> {
        self.redactor = Rc::clone(redactor);
        let new = &records[self.taken.min(records.len())..];
        let is_shortened = |record: &Record| matches!(record.entry, Entry::Compaction(_));
        if self.json.is_empty() || new.iter().any(is_shortened) {
            self.begin(records);
        } else {
            new.iter().for_each(|record| self.take(record));
        }
        self.taken = records.len();
        self.close_calls();
        Rc::clone(&self.json)
    }

    /// Bytes at the start of the next messages that are those of the ones before.
    pub fn start_of_next(&self, records: &[Record]) -> usize {
        let new = &records[self.taken.min(records.len())..];
        let is_shortened = |record: &Record| matches!(record.entry, Entry::Compaction(_));
        match new.iter().any(is_shortened) {
            true => 0,
            false => self.json.len(),
        }
    }

    fn begin(&mut self, records: &[Record]) {
        let layout = layout::layout(records);
        self.json = Rc::default();
        self.open_calls.clear();
        self.prune_before = layout.prune_before;
        let rules = first_rules(&layout.pinned, layout.rest);
        let system = match &rules {
            Some((_, text)) => format!(
                "{}\n\n# Rules of this workspace (AGENTS.md)\n\n{}",
                self.system,
                self.redactor.redact(text)
            ),
            None => self.system.clone(),
        };
        self.add(&json!({ "role": "system", "content": system }));
        // Those before them hold no more.
        let is_in_system = |record: &Record| {
            let is_root = matches!(&record.entry, Entry::Rules { path, .. } if path == ROOT_RULES);
            is_root && rules.as_ref().is_some_and(|(seq, _)| record.seq <= *seq)
        };
        for record in &layout.pinned {
            if !is_in_system(record) {
                self.take(record);
            }
        }
        if let Some(summary) = &layout.summary {
            self.say(summary);
        }
        for record in layout.rest {
            if !is_in_system(record) {
                self.take(record);
            }
        }
    }

    fn take(&mut self, record: &Record) {
        match &record.entry {
            Entry::User { text, .. } | Entry::Steer { text } | Entry::Nudge { text, .. } => {
                self.say(text);
            }
            Entry::Rules { path, text } => {
                let folder = path.strip_suffix(ROOT_RULES).unwrap_or(path);
                let reach = match folder {
                    "" => "These are now the rules of this workspace".to_owned(),
                    folder => format!("These rules hold below {folder}"),
                };
                self.say(&format!("[Tabloop] {reach} ({path}):\n\n{text}"));
            }
            Entry::Critique {
                passed: false,
                text,
                ..
            } => self.say(&format!(
                "[Tabloop] A critic judged the work and found it wanting:\n\n{text}\n\nMend this, then answer again."
            )),
            Entry::Assistant(message) => {
                self.close_calls();
                if !message.text.trim().is_empty() || !message.calls.is_empty() {
                    let origin = match message.host == self.host && message.model == self.model {
                        true => Origin::Same,
                        false => Origin::Other,
                    };
                    self.add(&assistant(message, origin));
                    let open = message.calls.iter().map(|call| OpenCall {
                        id: call.id.clone(),
                        sent: sendable_id(&call.id, origin),
                    });
                    self.open_calls = open.collect();
                }
            }
            Entry::ToolResult(result) => {
                if let Some(at) = self.open_calls.iter().position(|call| call.id == result.call_id) {
                    // Results are recorded in the order of the calls; a gap is a lost result.
                    for lost in self.open_calls.drain(..at).collect::<Vec<_>>() {
                        self.add(&tool_result(&lost.sent, NO_RESULT));
                    }
                    let sent = self.open_calls.remove(0).sent;
                    let pruned = (record.seq < self.prune_before)
                        .then(|| layout::pruned(&result.text, record.seq))
                        .flatten();
                    let text = pruned.as_deref().unwrap_or(&result.text);
                    self.add(&tool_result(&sent, text));
                }
            }
            Entry::Partial { .. }
            | Entry::Begun { .. }
            | Entry::Titled { .. }
            | Entry::Stopped(_)
            | Entry::Todo { .. }
            | Entry::Critique { .. }
            | Entry::Compaction(_) => {}
        }
    }

    fn say(&mut self, text: &str) {
        self.close_calls();
        let content = self.redactor.redact(text).into_owned();
        self.add(&json!({ "role": "user", "content": content }));
    }

    fn close_calls(&mut self) {
        for call in std::mem::take(&mut self.open_calls) {
            self.add(&tool_result(&call.sent, NO_RESULT));
        }
    }

    fn add(&mut self, message: &Json) {
        // Nobody else holds it any more once its request is sent.
        let json = Rc::make_mut(&mut self.json);
        if !json.is_empty() {
            json.push(',');
        }
        json.push_str(&message.to_string());
    }
}

/// The workspace's rules as they were when the conversation began, or was begun anew:
/// they go into the system prompt. Later ones come where they were read.
fn first_rules(pinned: &[&Record], rest: &[Record]) -> Option<(u64, String)> {
    let is_message = |record: &&Record| matches!(record.entry, Entry::Assistant(_));
    let start = rest.iter().take_while(|record| !is_message(record));
    let root = |record: &Record| match &record.entry {
        Entry::Rules { path, text } if path == ROOT_RULES => Some((record.seq, text.clone())),
        _ => None,
    };
    // With a part left out, what is pinned of it is the newest.
    let of_pinned = pinned.iter().rev().find_map(|record| root(record));
    of_pinned.or_else(|| start.filter_map(root).last())
}

fn tool_result(call_id: &str, text: &str) -> Json {
    json!({ "role": "tool", "tool_call_id": call_id, "content": text })
}

/// Where a message came from, seen from where it goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The same host and model: what only they understand goes back to them.
    Same,
    /// Another one.
    Other,
}

fn assistant(message: &AssistantMessage, origin: Origin) -> Json {
    let mut fields = Map::new();
    fields.insert("role".into(), "assistant".into());
    let content = match message.text.as_str() {
        // Some hosts refuse a text of white space alone.
        text if text.trim().is_empty() => Json::Null,
        text => text.into(),
    };
    fields.insert("content".into(), content);
    if let Some(reasoning) = message
        .reasoning
        .as_ref()
        .filter(|_| origin == Origin::Same)
    {
        echo(reasoning, &mut fields);
    }
    if !message.calls.is_empty() {
        let calls: Vec<Json> = message
            .calls
            .iter()
            .map(|call| tool_call(call, origin))
            .collect();
        fields.insert("tool_calls".into(), calls.into());
    }
    Json::Object(fields)
}

/// What the host wants to see again, under the names it came in.
fn echo(reasoning: &Reasoning, fields: &mut Map<String, Json>) {
    let extra = &reasoning.extra;
    if !reasoning.field.is_empty() && !extra.contains_key(&reasoning.field) {
        fields.insert(reasoning.field.clone(), reasoning.text.as_str().into());
    }
    fields.extend(extra.clone());
}

fn tool_call(call: &ToolCall, origin: Origin) -> Json {
    let mut fields = Map::new();
    fields.insert("id".into(), sendable_id(&call.id, origin).into());
    fields.insert("type".into(), "function".into());
    // Invalid arguments would make hosts refuse the whole conversation for ever.
    let is_object = serde_json::from_str::<Map<String, Json>>(&call.arguments).is_ok();
    let arguments = if is_object {
        call.arguments.clone()
    } else {
        json!({ "invalid_json": call.arguments }).to_string()
    };
    let function = json!({ "name": sendable_name(&call.name), "arguments": arguments });
    fields.insert("function".into(), function);
    if origin == Origin::Same {
        fields.extend(call.extra.clone());
    }
    Json::Object(fields)
}

/// A host gets its own ids back, letter for letter: some put into them what they need to
/// know. Others refuse ids that are longer than OpenAI's may be, so those get a short
/// one, the same each time.
fn sendable_id(id: &str, origin: Origin) -> String {
    if origin == Origin::Same || id.len() <= MAX_ID {
        return id.to_owned();
    }
    let hash = blake3::hash(id.as_bytes()).to_hex();
    format!("call_{}", &hash[..24])
}

/// Hosts take names of `[A-Za-z_][A-Za-z0-9_-]{0,63}` and refuse all others.
fn sendable_name(name: &str) -> String {
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

#[cfg(test)]
mod tests;
