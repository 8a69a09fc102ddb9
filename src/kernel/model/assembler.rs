//! Puts a message together from the pieces of a stream, and decides what it
//! was only when the stream has ended. Pure: bytes in, events out.

mod calls;
mod json;

use serde_json::Value as Json;

use self::calls::CallTable;
use self::json::parse;
use super::sse::{SseDecoder, SseEvent};
use super::think::{Piece, ThinkSplitter, split_unopened};
use super::{Finish, ModelEvent, Turn, errors};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::session::{Reasoning, Usage};

/// The names under which hosts send a thought.
const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// Reads one answer's body.
pub struct Assembler {
    host: String,
    body: Body,
    think: ThinkSplitter,
    text: String,
    reasoning: Reasoning,
    calls: CallTable,
    usage: Option<Usage>,
    finish_reason: String,
    saw_done: bool,
    failure: Option<Failure>,
}

/// What the body turned out to be, by its first letter.
enum Body {
    Unknown(Vec<u8>),
    Events(SseDecoder),
    /// JSON or a web page: read whole, looked at in the end.
    Whole(Vec<u8>),
}

impl Assembler {
    /// A reader for an answer of `host`. `mint` makes ids for calls that come
    /// without one; each must be new to the conversation.
    pub fn new(host: impl Into<String>, mint: Box<dyn FnMut() -> String>) -> Self {
        Self {
            host: host.into(),
            body: Body::Unknown(Vec::new()),
            think: ThinkSplitter::default(),
            text: String::new(),
            reasoning: Reasoning::default(),
            calls: CallTable::new(mint),
            usage: None,
            finish_reason: String::new(),
            saw_done: false,
            failure: None,
        }
    }

    /// Takes the next bytes of the body.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        match &mut self.body {
            Body::Whole(all) => {
                all.extend_from_slice(bytes);
                Vec::new()
            }
            Body::Events(decoder) => {
                let events = decoder.push(bytes);
                self.take_events(events)
            }
            Body::Unknown(seen) => {
                seen.extend_from_slice(bytes);
                let seen = std::mem::take(seen);
                match first_letter(&seen) {
                    None => self.body = Body::Unknown(seen),
                    Some(b'{' | b'[' | b'<') => self.body = Body::Whole(seen),
                    Some(_) => {
                        self.body = Body::Events(SseDecoder::default());
                        return self.push(&seen);
                    }
                }
                Vec::new()
            }
        }
    }

    /// The body has ended in an orderly way.
    pub fn finish(mut self) -> Vec<ModelEvent> {
        let mut out = match std::mem::replace(&mut self.body, Body::Unknown(Vec::new())) {
            Body::Events(mut decoder) => {
                let events = decoder.finish();
                self.take_events(events)
            }
            Body::Whole(all) | Body::Unknown(all) => self.take_whole(&all),
        };
        let rest = self.think.finish();
        self.take_pieces(rest, &mut out);
        out.push(self.decide());
        out
    }

    /// The connection broke.
    pub fn broken(mut self, detail: String) -> ModelEvent {
        let rest = self.think.finish();
        self.take_pieces(rest, &mut Vec::new());
        let nothing =
            self.text.is_empty() && self.reasoning.text.is_empty() && self.calls.is_empty();
        let kind = if nothing {
            FailureKind::Network
        } else {
            FailureKind::Truncated
        };
        let failure = self
            .failure
            .take()
            .unwrap_or_else(|| self.trouble(kind, detail));
        self.failed(failure)
    }

    /// Nothing more is to be waited for.
    pub fn failed_by(mut self, failure: Failure) -> ModelEvent {
        let rest = self.think.finish();
        self.take_pieces(rest, &mut Vec::new());
        self.failed(failure)
    }

    fn take_events(&mut self, events: Vec<SseEvent>) -> Vec<ModelEvent> {
        let mut out = Vec::new();
        for event in events {
            let data = event.data.trim();
            if data == "[DONE]" {
                self.saw_done = true;
            } else if !data.is_empty() && !data.starts_with(':') {
                match parse(data) {
                    Some(json) if event.name == "error" => {
                        self.take_error(json.get("error").unwrap_or(&json))
                    }
                    Some(json) => self.take_chunk(&json, &mut out),
                    None if event.name == "error" => self.take_error(&Json::String(data.into())),
                    None => {
                        let detail = "a part of the answer could not be read";
                        let failure = self.trouble(FailureKind::Server, detail.into());
                        self.failure.get_or_insert(failure);
                    }
                }
            }
        }
        out
    }

    fn take_whole(&mut self, body: &[u8]) -> Vec<ModelEvent> {
        let body = String::from_utf8_lossy(body);
        let body = body.trim_start_matches('\u{FEFF}').trim();
        let mut out = Vec::new();
        match parse(body) {
            Some(json) => {
                // Some gateways wrap the completion: `{data: {…}, success}`.
                let json = json
                    .get("data")
                    .filter(|data| data.is_object())
                    .unwrap_or(&json);
                // The end of the body is the end of the message.
                self.saw_done = true;
                match json.get("choices") {
                    Some(_) => self.take_chunk(json, &mut out),
                    None => self.failure = Some(errors::from_body(200, body, &self.host)),
                }
            }
            None if errors::looks_like_markup(body) => {
                self.failure = Some(errors::web_page(&self.host))
            }
            None if body.is_empty() => {}
            None => self.failure = Some(self.trouble(FailureKind::Truncated, String::new())),
        }
        out
    }

    fn take_error(&mut self, error: &Json) {
        if let Some(failure) = errors::from_frame(error, &self.host) {
            self.failure = Some(failure);
        }
    }

    fn take_chunk(&mut self, chunk: &Json, out: &mut Vec<ModelEvent>) {
        if let Some(error) = chunk.get("error") {
            self.take_error(error);
        }
        self.take_usage(chunk.get("usage"));
        let Some(choice) = chunk.get("choices").and_then(|choices| choices.get(0)) else {
            return;
        };
        self.take_usage(choice.get("usage"));
        if let Some(reason) = choice.get("finish_reason").and_then(Json::as_str)
            && !reason.is_empty()
        {
            reason.clone_into(&mut self.finish_reason);
        }
        if let Some(delta) = choice.get("delta") {
            self.take_delta(delta, out);
        }
        if let Some(message) = choice.get("message") {
            self.take_message(message, out);
        }
    }

    fn take_usage(&mut self, usage: Option<&Json>) {
        let count = |names: [&str; 2]| {
            let usage = usage?;
            let count = names.iter().find_map(|name| usage.get(name)?.as_u64());
            // No request has more; larger numbers could only overflow sums.
            count.map(|count| count.min(1 << 32))
        };
        let prompt = count(["prompt_tokens", "input_tokens"]);
        let completion = count(["completion_tokens", "output_tokens"]);
        let cached = usage.and_then(|usage| {
            // OpenAI's place, DeepSeek's, and that of hosts in Anthropic's manner.
            let inner = usage.pointer("/prompt_tokens_details/cached_tokens");
            inner
                .or(usage.get("prompt_cache_hit_tokens"))
                .or(usage.get("cache_read_input_tokens"))?
                .as_u64()
        });
        if prompt.is_some() || completion.is_some() {
            self.usage = Some(Usage {
                prompt_tokens: prompt.unwrap_or_default(),
                completion_tokens: completion.unwrap_or_default(),
                cached_tokens: cached.unwrap_or_default().min(1 << 32),
            });
        }
    }

    fn take_delta(&mut self, delta: &Json, out: &mut Vec<ModelEvent>) {
        let thought = REASONING_FIELDS.iter().find_map(|field| {
            let text = delta.get(field)?.as_str().filter(|text| !text.is_empty())?;
            Some((*field, text))
        });
        if let Some((field, text)) = thought {
            if self.reasoning.field.is_empty() {
                field.clone_into(&mut self.reasoning.field);
            }
            self.add_thought(text, out);
        }
        if let Some(content) = delta.get("content") {
            self.take_content(content, out);
        }
        if let Some(list) = delta.get("tool_calls").and_then(Json::as_array) {
            for piece in list {
                self.take_call(piece, out);
            }
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            self.take_call(
                &serde_json::json!({ "index": 0, "function": function }),
                out,
            );
        }
    }

    /// A whole message inside a stream repeats what was sent: only parts that
    /// no delta brought are taken from it.
    fn take_message(&mut self, message: &Json, out: &mut Vec<ModelEvent>) {
        let mut missing = message.clone();
        if let Some(fields) = missing.as_object_mut() {
            if !self.text.is_empty() {
                fields.remove("content");
            }
            if !self.reasoning.text.is_empty() {
                REASONING_FIELDS
                    .iter()
                    .for_each(|field| drop(fields.remove(*field)));
            }
            if !self.calls.is_empty() {
                fields.remove("tool_calls");
                fields.remove("function_call");
            }
        }
        self.take_delta(&missing, out);
    }

    fn take_content(&mut self, content: &Json, out: &mut Vec<ModelEvent>) {
        match content {
            Json::String(text) => {
                let pieces = self.think.push(text);
                self.take_pieces(pieces, out);
            }
            Json::Array(parts) => {
                for part in parts {
                    match part.get("thinking") {
                        Some(thinking) => self.add_thought(&text_of_parts(thinking), out),
                        None => self.add_text(&text_of_parts(part), out),
                    }
                }
            }
            _ => {}
        }
    }

    fn take_pieces(&mut self, pieces: impl IntoIterator<Item = Piece>, out: &mut Vec<ModelEvent>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.add_text(&text, out),
                Piece::Thought(text) => self.add_thought(&text, out),
            }
        }
    }

    fn add_text(&mut self, text: &str, out: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.text.push_str(text);
            out.push(ModelEvent::Text(text.to_owned()));
        }
    }

    fn add_thought(&mut self, text: &str, out: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.reasoning.text.push_str(text);
            out.push(ModelEvent::Reasoning(text.to_owned()));
        }
    }

    fn take_call(&mut self, piece: &Json, out: &mut Vec<ModelEvent>) {
        let (index, name, bytes) = self.calls.take(piece);
        out.push(ModelEvent::Call { index, name, bytes });
    }

    fn decide(mut self) -> ModelEvent {
        if let Some(failure) = self.failure.take() {
            return self.failed(failure);
        }
        let finish = match self.finish_reason.as_str() {
            "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => {
                Finish::Length
            }
            "content_filter" | "sensitive" | "safety" | "SAFETY" => Finish::ContentFilter,
            "error" | "network_error" => {
                let failure = self.trouble(FailureKind::Server, String::new());
                return self.failed(failure);
            }
            "abort" => {
                let failure = self.trouble(FailureKind::Truncated, String::new());
                return self.failed(failure);
            }
            "" if !self.saw_done => {
                let failure = self.trouble(FailureKind::Truncated, String::new());
                return self.failed(failure);
            }
            _ => Finish::Stop,
        };
        let mut text = self.text;
        let mut reasoning = self.reasoning;
        if reasoning.text.is_empty()
            && let Some((thought, answer)) = split_unopened(&text)
        {
            reasoning.text = thought;
            text = answer;
        }
        ModelEvent::Finished(Turn {
            text,
            reasoning: (!reasoning.text.is_empty()).then_some(reasoning),
            calls: self.calls.finish(),
            finish,
            usage: self.usage,
        })
    }

    fn trouble(&self, kind: FailureKind, detail: String) -> Failure {
        let host = self.host.clone();
        Failure {
            kind,
            host,
            status: None,
            detail,
            retry_after_ms: None,
        }
    }

    fn failed(self, failure: Failure) -> ModelEvent {
        ModelEvent::Failed {
            failure,
            text: self.text,
            reasoning: self.reasoning.text,
        }
    }
}

/// The first byte that is neither white space nor a byte order mark.
fn first_letter(bytes: &[u8]) -> Option<u8> {
    let bytes = bytes
        .strip_prefix(b"\xEF\xBB\xBF".as_slice())
        .unwrap_or(bytes);
    let is_mark = b"\xEF\xBB\xBF".starts_with(bytes);
    let mut letters = bytes
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace());
    if is_mark { None } else { letters.next() }
}

/// The text in a part, in a list of parts, or in parts of parts.
fn text_of_parts(part: &Json) -> String {
    match part {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts.iter().map(text_of_parts).collect(),
        Json::Object(fields) => fields.get("text").map(text_of_parts).unwrap_or_default(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_connection_is_told_apart_from_a_broken_answer() {
        let broken = |body: &str| {
            let mut assembler = Assembler::new("h", Box::new(|| "x".into()));
            assembler.push(body.as_bytes());
            match assembler.broken("reset".into()) {
                ModelEvent::Failed { failure, text, .. } => (failure.kind, text),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(broken(""), (FailureKind::Network, String::new()));
        let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
        assert_eq!(broken(piece), (FailureKind::Truncated, "Hi".into()));
    }
}
