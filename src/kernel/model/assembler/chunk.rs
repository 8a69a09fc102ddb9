//! What a chunk adds to the message, in all the shapes that hosts give it.

use serde_json::{Value as Json, json};

use super::{Assembler, DETAILS, REASONING_FIELDS, add, completion, details};
use crate::kernel::model::think::Piece;
use crate::kernel::model::{ModelEvent, errors};
use crate::kernel::session::Usage;

impl Assembler {
    /// The first error counts: what follows it is its echo.
    pub(super) fn take_error(&mut self, error: &Json) {
        if self.failure.is_none() {
            self.failure = errors::from_frame(error, &self.host);
        }
    }

    pub(super) fn take_chunk(&mut self, chunk: &Json, marked: bool, out: &mut Vec<ModelEvent>) {
        if let Some(error) = chunk.get("error") {
            self.take_error(error);
        }
        let chunk = completion(chunk);
        let choice = chunk.get("choices").and_then(|choices| choices.get(0));
        match (chunk.get("error"), choice) {
            (Some(error), _) => self.take_error(error),
            // An error without a frame around it.
            (None, None) if errors::is_bare_error(chunk) => self.take_error(chunk),
            _ => {}
        }
        self.take_usage(chunk.get("usage"));
        let Some(choice) = choice else {
            return;
        };
        if let Some(error) = choice.get("error") {
            self.take_error(error);
        }
        self.take_usage(choice.get("usage"));
        if let Some(reason) = choice.get("finish_reason").and_then(Json::as_str)
            && !reason.is_empty()
        {
            self.finish_reason = reason.chars().take(80).collect();
        }
        if let Some(delta) = choice.get("delta") {
            self.take_delta(delta, marked, out);
        }
        if let Some(message) = choice.get("message") {
            self.take_message(message, marked, out);
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

    fn take_delta(&mut self, delta: &Json, marked: bool, out: &mut Vec<ModelEvent>) {
        self.take_thought(delta, marked, out);
        if let Some(content) = delta.get("content") {
            self.take_content(content, marked, out);
        }
        // A refusal is an answer, in a field of its own.
        if let Some(refusal) = delta.get("refusal") {
            self.take_content(refusal, marked, out);
        }
        match delta.get("tool_calls") {
            Some(Json::Array(list)) => {
                for piece in list {
                    self.take_call(piece, marked, out);
                }
            }
            Some(piece @ Json::Object(_)) => self.take_call(piece, marked, out),
            _ => {}
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            let piece = json!({ "index": 0, "function": function });
            self.take_call(&piece, marked, out);
        }
        if let Some(extra @ Json::Object(_)) = delta.get("extra_content") {
            self.reasoning
                .extra
                .insert("extra_content".into(), extra.clone());
        }
    }

    /// Some hosts send one thought under several names: the first that is not empty counts.
    fn take_thought(&mut self, delta: &Json, marked: bool, out: &mut Vec<ModelEvent>) {
        let thought = REASONING_FIELDS.iter().find_map(|field| {
            let text = text_of_parts(delta.get(field)?);
            (!text.is_empty()).then_some((*field, text))
        });
        let details = delta.get(DETAILS).map(|pieces| {
            self.sealed += pieces.to_string().len();
            let text = details::merge(&mut self.details, pieces);
            (DETAILS, text)
        });
        if let Some((field, text)) = thought.or(details.filter(|(_, text)| !text.is_empty())) {
            self.name_thought(field);
            let text = self.halves[1].join(&text, marked).into_owned();
            self.add_thought(&text, out);
        }
    }

    pub(super) fn name_thought(&mut self, field: &str) {
        if self.reasoning.field.is_empty() {
            field.clone_into(&mut self.reasoning.field);
        }
    }

    /// A whole message inside a stream repeats what was sent: only parts that
    /// no delta brought are taken from it.
    fn take_message(&mut self, message: &Json, marked: bool, out: &mut Vec<ModelEvent>) {
        let mut missing = message.clone();
        if let Some(fields) = missing.as_object_mut() {
            if !self.text.is_empty() || self.written.bytes() > 0 {
                fields.remove("content");
                fields.remove("refusal");
            }
            if !self.reasoning.text.is_empty() {
                REASONING_FIELDS
                    .iter()
                    .for_each(|field| drop(fields.remove(*field)));
            }
            if !self.details.is_empty() {
                fields.remove(DETAILS);
            }
            if !self.calls.is_empty() {
                fields.remove("tool_calls");
                fields.remove("function_call");
            }
        }
        self.take_delta(&missing, marked, out);
    }

    fn take_content(&mut self, content: &Json, marked: bool, out: &mut Vec<ModelEvent>) {
        match content {
            Json::String(text) => {
                let text = self.halves[0].join(text, marked).into_owned();
                self.take_text(&text, out);
            }
            Json::Array(parts) => {
                for part in parts {
                    let thinking = ["thinking", "reasoning"].iter().find_map(|name| {
                        let is_kind = part["type"].as_str() == Some(name);
                        part.get(name).or(part.get("text").filter(|_| is_kind))
                    });
                    match thinking {
                        Some(thinking) => self.add_thought(&text_of_parts(thinking), out),
                        None => self.show_text(&text_of_parts(part), out),
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn take_text(&mut self, text: &str, out: &mut Vec<ModelEvent>) {
        if self.think.is_past() {
            return self.show_text(text, out);
        }
        let pieces = self.think.push(text);
        self.take_pieces(pieces, out);
    }

    pub(super) fn take_pieces(
        &mut self,
        pieces: impl IntoIterator<Item = Piece>,
        out: &mut Vec<ModelEvent>,
    ) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.show_text(&text, out),
                Piece::Thought(text) => self.add_thought(&text, out),
            }
        }
    }

    /// Shows what is no call that the server passes on as text.
    fn show_text(&mut self, text: &str, out: &mut Vec<ModelEvent>) {
        let all = &mut self.text;
        self.written
            .push(text, &mut |text| add(all, text, out, ModelEvent::Text));
    }

    pub(super) fn add_thought(&mut self, text: &str, out: &mut Vec<ModelEvent>) {
        add(&mut self.reasoning.text, text, out, ModelEvent::Reasoning);
    }

    pub(super) fn take_call(&mut self, piece: &Json, marked: bool, out: &mut Vec<ModelEvent>) {
        let Some((index, name, bytes)) = self.calls.take(piece, marked) else {
            return;
        };
        // Pieces that come together are told together.
        if matches!(out.last(), Some(ModelEvent::Call { index: last, .. }) if *last == index) {
            out.pop();
        }
        out.push(ModelEvent::Call { index, name, bytes });
    }
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
