//! The conversation as sent: derived from the transcript, valid whatever
//! happened, and append-only, so that what was sent before is a prefix of what
//! is sent next and providers' prompt caches hit.
//!
//! What a host refuses of the usual form is sent in another one ([`Form`]). When
//! that is found out on the way, the conversation begins anew.

mod form;
mod message;
mod pictures;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use serde_json::{Value as Json, json};

pub use self::form::Form;
use self::pictures::{Old, Shown};
pub use self::pictures::{Pictures, without_pictures};
use super::layout::{self, ROOT_RULES};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{AssistantMessage, Entry, Record};
use crate::kernel::settings::Refused;

/// What a call without a recorded result is told.
pub const NO_RESULT: &str = "Error: this call was interrupted and has no result; nothing was changed. Call the tool again if it is still needed.";

/// What the model says between a result and a message of the user, where no user may
/// speak right behind a result.
const NOTED: &str = "Noted.";
/// What the user says between two messages of the model, where roles must take turns.
const GO_ON: &str = "Go on.";

/// The messages of a request as JSON text, grown record by record; begun anew only
/// when a compaction is among the records, or the host wants another form. Each call has
/// exactly one result right behind it, no result stands alone, and no assistant message
/// is empty.
pub struct Conversation {
    form: Form,
    system: String,
    redactor: Rc<Redactor>,
    json: Rc<String>,
    taken: usize,
    open_calls: Vec<OpenCall>,
    last: Role,
    /// What the next message of the user begins with: the system prompt, for a host that has
    /// no role for it.
    lead: String,
    prune_before: u64,
    pictures_before: u64,
    shown: Shown,
}

/// A call that waits for its result.
struct OpenCall {
    /// Its id in the transcript.
    id: String,
    /// Its id as sent.
    sent: String,
    /// Its tool, as sent.
    name: String,
}

/// Whose message stands last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    System,
    User,
    Assistant,
    Tool,
    /// The user's, with images: nothing can be joined to it.
    Pictures,
}

impl Conversation {
    /// A conversation with a host and a model there, under a system prompt and in the
    /// usual form.
    pub fn new((host, model): (&str, &str), system: &str) -> Self {
        Self {
            form: Form {
                host: host.to_owned(),
                model: model.to_owned(),
                ..Form::default()
            },
            system: system.to_owned(),
            redactor: Rc::default(),
            json: Rc::default(),
            taken: 0,
            open_calls: Vec::new(),
            last: Role::System,
            lead: String::new(),
            prune_before: 0,
            pictures_before: 0,
            shown: Shown::default(),
        }
    }

    /// Sends in `form` from now on; tells whether that is another one.
    pub fn take_form(&mut self, form: Form) -> bool {
        let is_other = self.form != form;
        if is_other {
            self.form = form;
            self.json = Rc::default();
        }
        is_other
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
        self.shown.begin();
        self.last = Role::System;
        self.prune_before = layout.prune_before;
        self.pictures_before = layout.pictures_before;
        let rules = first_rules(&layout.pinned, layout.rest);
        let mut system = self.system.clone();
        if !self.form.about_tools.is_empty() {
            system.push_str("\n\n");
            system.push_str(&self.form.about_tools);
        }
        if let Some((_, text)) = &rules {
            system.push_str("\n\n# Rules of this workspace (AGENTS.md)\n\n");
            system.push_str(&self.redactor.redact(text));
        }
        self.lead.clear();
        match self.refuses(&Refused::System) {
            true => self.lead = system,
            false => self.add(
                Role::System,
                &json!({ "role": "system", "content": system }),
            ),
        }
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
                let pruned = (record.seq < self.prune_before)
                    .then(|| layout::pruned_calls(message, record.seq))
                    .flatten();
                self.answer(record.seq, pruned.as_ref().unwrap_or(message));
            }
            Entry::ToolResult(result) => {
                if let Some(at) = self.open_calls.iter().position(|call| call.id == result.call_id)
                {
                    // Results are recorded in the order of the calls; a gap is a lost result.
                    for lost in self.open_calls.drain(..at).collect::<Vec<_>>() {
                        self.result(&lost, NO_RESULT);
                    }
                    let call = self.open_calls.remove(0);
                    let pruned = (record.seq < self.prune_before)
                        .then(|| layout::pruned(&result.text, record.seq))
                        .flatten();
                    let text = pruned.as_deref().unwrap_or(&result.text);
                    let is_old = match record.seq < self.pictures_before {
                        true => Old::Yes,
                        false => Old::No,
                    };
                    let text = self.with_pictures(result, text, is_old);
                    self.result(&call, &text);
                    if self.open_calls.is_empty() {
                        self.show_pictures();
                    }
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
        self.user(&content);
    }

    fn user(&mut self, content: &str) {
        if !self.lead.is_empty() {
            let lead = std::mem::take(&mut self.lead);
            return self.user(&format!("{lead}\n\n{content}"));
        }
        if self.last == Role::User && self.joins() {
            return self.join(content);
        }
        let behind_result = self.last == Role::Tool && self.refuses(&Refused::UserAfterResult);
        if behind_result || (self.last == Role::Pictures && self.joins()) {
            let between = json!({ "role": "assistant", "content": NOTED });
            self.add(Role::Assistant, &between);
        }
        self.add(Role::User, &json!({ "role": "user", "content": content }));
    }

    fn answer(&mut self, seq: u64, message: &AssistantMessage) {
        self.close_calls();
        if message.text.trim().is_empty() && message.calls.is_empty() {
            return;
        }
        let is_out_of_turn = self.last == Role::Assistant && self.refuses(&Refused::Neighbours);
        if is_out_of_turn || !self.lead.is_empty() {
            self.user(GO_ON);
        }
        let sent = message::assistant(message, seq, &self.form);
        self.add(Role::Assistant, &sent);
        let calls = message.calls.iter().map(|call| OpenCall {
            id: call.id.clone(),
            sent: self.form.id_of(call, seq, message),
            name: message::sendable_name(&call.name),
        });
        self.open_calls = calls.collect();
    }

    fn result(&mut self, call: &OpenCall, text: &str) {
        if self.form.in_words() {
            return self.user(&message::result_in_words(&call.name, text));
        }
        let name = self
            .refuses(&Refused::NamelessResults)
            .then_some(call.name.as_str());
        self.add(Role::Tool, &message::result(&call.sent, name, text));
    }

    fn close_calls(&mut self) {
        for call in std::mem::take(&mut self.open_calls) {
            self.result(&call, NO_RESULT);
        }
        self.show_pictures();
    }

    fn refuses(&self, what: &Refused) -> bool {
        self.form.refused.contains(what)
    }

    fn add(&mut self, role: Role, message: &Json) {
        // Nobody else holds it any more once its request is sent.
        let json = Rc::make_mut(&mut self.json);
        if !json.is_empty() {
            json.push(',');
        }
        json.push_str(&message.to_string());
        self.last = role;
    }

    /// Goes on with the last message, which ends with its text.
    fn join(&mut self, content: &str) {
        let more = Json::from(content).to_string();
        let json = Rc::make_mut(&mut self.json);
        json.truncate(json.len() - "\"}".len());
        json.push_str("\\n\\n");
        json.push_str(&more[1..]);
        json.push('}');
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
