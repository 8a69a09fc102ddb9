//! The conversation as sent: derived from the transcript, valid whatever
//! happened, and append-only, so that what was sent before is a prefix of what
//! is sent next and providers' prompt caches hit.

use std::rc::Rc;

use serde_json::{Map, Value as Json, json};

use super::layout::{self, ROOT_RULES};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{AssistantMessage, Entry, Record, ToolCall};

/// What a call without a recorded result is told.
pub const NO_RESULT: &str = "Error: this call was interrupted and has no result; nothing was changed. Call the tool again if it is still needed.";

/// The messages of a request as JSON text, grown record by record; begun anew only
/// when a compaction is among the records. Each call has exactly one result right
/// behind it, no result stands alone, and no assistant message is empty.
pub struct Conversation {
    host: String,
    system: String,
    redactor: Rc<Redactor>,
    json: Rc<String>,
    taken: usize,
    open_calls: Vec<String>,
    prune_before: u64,
}

impl Conversation {
    /// A conversation with `host` under a system prompt.
    pub fn new(host: &str, system: &str) -> Self {
        Self {
            host: host.to_owned(),
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
                    self.add(&assistant(message, &self.host));
                    self.open_calls = message.calls.iter().map(|call| call.id.clone()).collect();
                }
            }
            Entry::ToolResult(result) => {
                if let Some(at) = self.open_calls.iter().position(|id| *id == result.call_id) {
                    // Results are recorded in the order of the calls; a gap is a lost result.
                    for lost in self.open_calls.drain(..at).collect::<Vec<_>>() {
                        self.add(&tool_result(&lost, NO_RESULT));
                    }
                    self.open_calls.remove(0);
                    let pruned = (record.seq < self.prune_before)
                        .then(|| layout::pruned(&result.text, record.seq))
                        .flatten();
                    let text = pruned.as_deref().unwrap_or(&result.text);
                    self.add(&tool_result(&result.call_id, text));
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
        for id in std::mem::take(&mut self.open_calls) {
            self.add(&tool_result(&id, NO_RESULT));
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

fn assistant(message: &AssistantMessage, host: &str) -> Json {
    let mut fields = Map::new();
    fields.insert("role".into(), "assistant".into());
    let content = match message.text.as_str() {
        // Some hosts refuse a text of white space alone.
        text if text.trim().is_empty() => Json::Null,
        text => text.into(),
    };
    fields.insert("content".into(), content);
    let same_host = message.host == host;
    if let Some(reasoning) = &message.reasoning
        && same_host
        && !reasoning.field.is_empty()
    {
        fields.insert(reasoning.field.clone(), reasoning.text.as_str().into());
    }
    if !message.calls.is_empty() {
        let calls: Vec<Json> = message
            .calls
            .iter()
            .map(|call| tool_call(call, same_host))
            .collect();
        fields.insert("tool_calls".into(), calls.into());
    }
    Json::Object(fields)
}

fn tool_call(call: &ToolCall, same_host: bool) -> Json {
    let mut fields = Map::new();
    fields.insert("id".into(), call.id.as_str().into());
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
    if same_host {
        fields.extend(call.extra.clone());
    }
    Json::Object(fields)
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
mod tests {
    use super::*;
    use crate::kernel::session::{Mode, Outcome, Reasoning, ToolResult};

    fn record(seq: usize, entry: Entry) -> Record {
        Record {
            seq: seq as u64,
            at_ms: 0,
            entry,
        }
    }

    fn user(text: &str) -> Entry {
        Entry::User {
            text: text.into(),
            mode: Mode::Act,
            rounds: None,
        }
    }

    fn calls(ids: &[&str]) -> Entry {
        let call = |id: &&str| ToolCall {
            id: (*id).into(),
            name: "f".into(),
            arguments: "{}".into(),
            extra: json!({"x": 1}).as_object().cloned().unwrap_or_default(),
        };
        Entry::Assistant(AssistantMessage {
            calls: ids.iter().map(call).collect(),
            host: "h".into(),
            reasoning: Some(Reasoning {
                field: "reasoning".into(),
                text: "t".into(),
            }),
            ..AssistantMessage::default()
        })
    }

    fn result(id: &str) -> Entry {
        Entry::ToolResult(ToolResult {
            round: 1,
            call_id: id.into(),
            name: "f".into(),
            outcome: Outcome::Ok,
            text: "r".into(),
            ..ToolResult::default()
        })
    }

    fn sent(host: &str, entries: Vec<Entry>) -> Vec<Json> {
        let records: Vec<Record> = entries
            .into_iter()
            .enumerate()
            .map(|(n, entry)| record(n, entry))
            .collect();
        let mut conversation = Conversation::new(host, "s");
        serde_json::from_str(&format!(
            "[{}]",
            conversation.messages(&records, &Rc::default())
        ))
        .unwrap()
    }

    fn shape(messages: &[Json]) -> Vec<String> {
        let word = |message: &Json| match message["tool_call_id"].as_str() {
            Some(id) if message["content"] == NO_RESULT => format!("lost {id}"),
            Some(id) => format!("result {id}"),
            None => message["role"].as_str().unwrap_or_default().to_owned(),
        };
        messages.iter().map(word).collect()
    }

    #[test]
    fn lost_results_are_filled_in_and_lone_ones_left_out() {
        let messages = sent(
            "h",
            vec![
                user("a"),
                calls(&["1", "2", "3"]),
                result("2"),
                result("9"),
                user("b"),
            ],
        );
        assert_eq!(
            shape(&messages),
            [
                "system",
                "user",
                "assistant",
                "lost 1",
                "result 2",
                "lost 3",
                "user"
            ]
        );
        let messages = sent("h", vec![user("a"), result("1"), calls(&["1"])]);
        assert_eq!(shape(&messages), ["system", "user", "assistant", "lost 1"]);
    }

    #[test]
    fn empty_and_partial_messages_are_not_sent() {
        let empty = Entry::Assistant(AssistantMessage {
            text: " \n".into(),
            ..AssistantMessage::default()
        });
        let partial = Entry::Partial {
            round: 1,
            text: "x".into(),
            reasoning: String::new(),
        };
        assert_eq!(
            shape(&sent("h", vec![user("a"), empty, partial, user("b")])),
            ["system", "user", "user"]
        );
    }

    #[test]
    fn thoughts_and_foreign_fields_go_back_to_their_own_host_alone() {
        let of = |host| sent(host, vec![user("a"), calls(&["1"])])[2].clone();
        assert_eq!(
            (&of("h")["reasoning"], &of("h")["tool_calls"][0]["x"]),
            (&json!("t"), &json!(1))
        );
        assert_eq!(
            (&of("o")["reasoning"], &of("o")["tool_calls"][0]["x"]),
            (&Json::Null, &Json::Null)
        );
    }

    #[test]
    fn names_and_arguments_that_hosts_refuse_are_made_sendable() {
        assert_eq!(sendable_name("read file"), "read_file");
        assert_eq!(sendable_name("9x"), "_9x");
        assert_eq!(sendable_name(""), "_");
        let call = ToolCall {
            arguments: "{\"a".into(),
            ..ToolCall::default()
        };
        let arguments = tool_call(&call, true)["function"]["arguments"].clone();
        assert_eq!(arguments, json!("{\"invalid_json\":\"{\\\"a\"}"));
    }

    #[test]
    fn what_was_sent_is_a_prefix_of_what_is_sent_next() {
        let entries = [user("a"), calls(&["1"]), result("1"), user("b")];
        let records: Vec<Record> = entries
            .into_iter()
            .enumerate()
            .map(|(n, entry)| record(n, entry))
            .collect();
        let mut conversation = Conversation::new("h", "s");
        let mut before = String::new();
        for end in [1, 3, 4] {
            let now = conversation
                .messages(&records[..end], &Rc::default())
                .to_string();
            assert!(now.starts_with(&before), "{now} after {before}");
            before = now;
        }
    }
}
