//! Puts a message together from the pieces of a stream, and decides what it
//! was only when the stream has ended. Pure: bytes in, events out.

mod calls;
mod chunk;
mod details;
mod ending;
mod json;
mod mould;
mod skim;
mod text_calls;

use std::rc::Rc;

use serde_json::{Map, Value as Json, json};

use self::calls::CallTable;
use self::ending::{Ending, ending, is_usual};
use self::json::{Joiner, parse};
use self::mould::Mould;
use self::skim::{Kind, skim};
pub use self::text_calls::Offered;
use self::text_calls::TextCalls;
use super::sse::{MAX_EVENT, SseDecoder};
use super::think::{ThinkSplitter, split_unopened};
use super::{Finish, ModelEvent, Turn, errors};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::session::{Reasoning, Remark, Usage};

/// The names under which hosts send a thought.
const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];
/// The name under which they send it in structured pieces.
const DETAILS: &str = "reasoning_details";
/// A byte order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";
/// Most bytes of a message that are kept: far more than any model writes.
const MAX_MESSAGE: usize = 32 << 20;

/// Reads one answer's body.
pub struct Assembler {
    host: String,
    body: Body,
    think: ThinkSplitter,
    written: TextCalls,
    text: String,
    reasoning: Reasoning,
    /// The thought in structured pieces.
    details: Vec<Map<String, Json>>,
    halves: [Joiner; 2],
    calls: CallTable,
    usage: Option<Usage>,
    finish_reason: String,
    saw_done: bool,
    failure: Option<Failure>,
    /// A part could not be read; told only if nothing else is.
    unreadable: Option<Failure>,
    remark: Option<Remark>,
    /// Bytes of what is kept in structured pieces.
    sealed: usize,
    gave_up: bool,
    mould: Mould,
}

/// What the body turned out to be, by its first letter.
enum Body {
    Unknown(Vec<u8>),
    Events(SseDecoder),
    /// JSON or a web page: read whole, looked at in the end.
    Whole(Vec<u8>),
}

/// Where a piece of a message stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the end of the body.
    Middle,
    /// At its end, where it may be cut.
    End,
}

impl Assembler {
    /// A reader for an answer of `host` to a request that offered these tools. `mint`
    /// makes ids for calls that come without one; each must be new to the conversation.
    pub fn new(
        host: impl Into<String>,
        offered: Rc<Offered>,
        mint: Box<dyn FnMut() -> String>,
    ) -> Self {
        Self {
            host: host.into(),
            body: Body::Unknown(Vec::new()),
            think: ThinkSplitter::default(),
            written: TextCalls::new(offered),
            text: String::new(),
            reasoning: Reasoning::default(),
            details: Vec::new(),
            halves: Default::default(),
            calls: CallTable::new(mint),
            usage: None,
            finish_reason: String::new(),
            saw_done: false,
            failure: None,
            unreadable: None,
            remark: None,
            sealed: 0,
            gave_up: false,
            mould: Mould::default(),
        }
    }

    /// Takes the next bytes of the body.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let mut out = Vec::new();
        if self.gave_up {
            return out;
        }
        match std::mem::replace(&mut self.body, Body::Unknown(Vec::new())) {
            Body::Whole(mut all) => {
                all.extend_from_slice(bytes);
                self.give_up_if(all.len() > MAX_EVENT);
                self.body = Body::Whole(all);
            }
            Body::Events(mut decoder) => {
                self.take_bytes(&mut decoder, bytes, &mut out);
                self.give_up_if(decoder.is_too_long() || self.bytes() > MAX_MESSAGE);
                self.body = Body::Events(decoder);
            }
            Body::Unknown(mut seen) => {
                seen.extend_from_slice(bytes);
                match first_letter(&seen) {
                    None => self.body = Body::Unknown(without_blanks(&seen)),
                    Some(b'{' | b'[' | b'<') => self.body = Body::Whole(seen),
                    Some(_) => {
                        self.body = Body::Events(SseDecoder::default());
                        return self.push(&seen);
                    }
                }
            }
        }
        out
    }

    /// Whether the host's own mark of the end was seen: nothing of worth follows.
    pub fn saw_done(&self) -> bool {
        self.saw_done
    }

    /// Whether the answer is beyond all bounds: the rest need not be read.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// The body has ended in an orderly way.
    pub fn finish(mut self) -> Vec<ModelEvent> {
        let mut out = Vec::new();
        match std::mem::replace(&mut self.body, Body::Unknown(Vec::new())) {
            _ if self.gave_up => {}
            Body::Events(mut decoder) => {
                decoder.finish(&mut |name, data| {
                    self.take_event(name, data, Place::End, &mut out);
                });
                if decoder.is_foreign() {
                    self.failure = Some(errors::not_chat(&self.host, String::new()));
                }
            }
            Body::Whole(all) | Body::Unknown(all) => self.take_whole(&all, &mut out),
        }
        self.end_text(&mut out);
        out.push(self.decide());
        out
    }

    /// The connection broke. A message that was whole before is whole all the same.
    pub fn broken(mut self, detail: String) -> ModelEvent {
        self.end_text(&mut Vec::new());
        if self.saw_done {
            return self.decide();
        }
        let nothing =
            self.text.is_empty() && self.reasoning.text.is_empty() && self.calls.is_empty();
        let kind = if nothing {
            FailureKind::Network
        } else {
            FailureKind::Truncated
        };
        let told = self.failure.take().or(self.unreadable.take());
        let failure = told.unwrap_or_else(|| self.trouble(kind, detail));
        self.failed(failure)
    }

    /// Nothing more is to be waited for.
    pub fn failed_by(mut self, failure: Failure) -> ModelEvent {
        self.end_text(&mut Vec::new());
        match self.saw_done {
            true => self.decide(),
            false => self.failed(failure),
        }
    }

    fn bytes(&self) -> usize {
        let thought = self.reasoning.text.len();
        self.text.len() + thought + self.written.bytes() + self.calls.bytes() + self.sealed
    }

    fn give_up_if(&mut self, is_too_much: bool) {
        if is_too_much {
            self.gave_up = true;
            self.failure = Some(errors::not_chat(
                &self.host,
                "the answer is longer than any model's could be".into(),
            ));
        }
    }

    fn take_event(&mut self, name: &str, data: &str, place: Place, out: &mut Vec<ModelEvent>) {
        let data = data.trim();
        if let Some(skimmed) = skim(data).filter(|_| name != "error") {
            self.mould.note(data, &skimmed);
            return self.take_skimmed(skimmed.kind, &skimmed.text, out);
        }
        if data == "[DONE]" {
            self.saw_done = true;
        } else if !data.is_empty() && !data.starts_with(':') {
            match parse(data) {
                Some((json, _)) if name == "error" => {
                    self.take_error(json.get("error").unwrap_or(&json));
                }
                Some((json, marked)) => self.take_chunk(&json, marked, out),
                None if name == "error" => self.take_error(&data.into()),
                // What is cut is told as such, or not missed at all.
                None if place == Place::End => {}
                None => {
                    let detail = "a part of the answer could not be read";
                    let mut failure = self.trouble(FailureKind::Server, detail.into());
                    failure.body = errors::shown_body(data);
                    self.unreadable.get_or_insert(failure);
                }
            }
        }
    }

    fn take_skimmed(&mut self, kind: Kind, text: &str, out: &mut Vec<ModelEvent>) {
        if text.is_empty() {
            return;
        }
        match kind {
            Kind::Content => {
                let joined = self.halves[0].joined_if_open(text);
                self.take_text(joined.as_deref().unwrap_or(text), out);
            }
            Kind::Thought(field) => {
                self.name_thought(field);
                let joined = self.halves[1].joined_if_open(text);
                self.add_thought(joined.as_deref().unwrap_or(text), out);
            }
        }
    }

    fn take_whole(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) {
        let body = String::from_utf8_lossy(body);
        let body = body.trim_start_matches('\u{FEFF}').trim();
        match parse(body) {
            Some((json, marked)) => {
                // The end of the body is the end of the message.
                self.saw_done = true;
                match completion(&json).get("choices") {
                    Some(Json::Array(_)) => self.take_chunk(&json, marked, out),
                    _ => self.failure = Some(errors::of_wrong_json(body, &self.host)),
                }
            }
            None if errors::looks_like_markup(body) => {
                self.failure = Some(errors::web_page(&self.host));
            }
            None if body.is_empty() => {}
            None => self.failure = Some(self.trouble(FailureKind::Truncated, String::new())),
        }
    }

    /// The text has ended: lets out what was held back.
    fn end_text(&mut self, out: &mut Vec<ModelEvent>) {
        let [of_text, of_thought] = self.halves.each_mut().map(Joiner::finish);
        let half = of_text.map(String::from).unwrap_or_default();
        self.take_text(&half, out);
        let half = of_thought.map(String::from).unwrap_or_default();
        self.add_thought(&half, out);
        let rest = self.think.finish();
        self.take_pieces(rest, out);
        let rest = self.written.finish(self.calls.is_empty());
        add(&mut self.text, &rest.text, out, ModelEvent::Text);
        for read in rest.calls {
            let function = json!({ "name": read.name, "arguments": read.arguments });
            let index = self.calls.len();
            self.take_call(&json!({ "index": index, "function": function }), false, out);
        }
        if rest.unread {
            self.remark = Some(Remark::UnreadCalls);
        }
    }

    fn decide(mut self) -> ModelEvent {
        if let Some(failure) = self.failure.take().or(self.unreadable.take()) {
            return self.failed(failure);
        }
        let finish = match ending(&self.finish_reason) {
            Ending::Whole(finish) => finish,
            Ending::None if self.saw_done => Finish::Stop,
            Ending::None => {
                let failure = self.trouble(FailureKind::Truncated, String::new());
                return self.failed(failure);
            }
            Ending::Failed => {
                let word = format!("finish_reason: {}", self.finish_reason);
                let failure = self.trouble(FailureKind::Server, word);
                return self.failed(failure);
            }
        };
        if !is_usual(&self.finish_reason) && finish == Finish::Stop {
            let word = self.finish_reason.clone();
            self.remark.get_or_insert(Remark::EndedWith(word));
        }
        if self.reasoning.text.is_empty()
            && let Some((thought, answer)) = split_unopened(&self.text)
        {
            self.reasoning.text = thought;
            self.text = answer;
        } else if let Some(answer) = self.text.trim_start().strip_prefix("</think>") {
            self.text = answer.trim_start().to_owned();
        }
        let turn = self.into_turn();
        ModelEvent::Finished(Turn { finish, ..turn })
    }

    fn trouble(&self, kind: FailureKind, detail: String) -> Failure {
        Failure {
            host: self.host.clone(),
            ..Failure::new(kind, detail)
        }
    }

    fn failed(self, failure: Failure) -> ModelEvent {
        let partial = Box::new(self.into_turn());
        ModelEvent::Failed { failure, partial }
    }

    fn into_turn(mut self) -> Turn {
        if !self.details.is_empty() {
            let details = self.details.into_iter().map(Json::Object).collect();
            self.reasoning.extra.insert(DETAILS.into(), details);
        }
        Turn {
            text: self.text,
            reasoning: (!self.reasoning.is_empty()).then(|| Box::new(self.reasoning)),
            calls: self.calls.finish(),
            finish: Finish::Stop,
            finish_reason: self.finish_reason,
            usage: self.usage,
            remark: self.remark,
        }
    }
}

/// Adds a piece to what came before and to what is told; pieces that come together are
/// told together.
fn add(all: &mut String, text: &str, out: &mut Vec<ModelEvent>, event: fn(String) -> ModelEvent) {
    if text.is_empty() {
        return;
    }
    all.push_str(text);
    let is_text = matches!(event(String::new()), ModelEvent::Text(_));
    match (out.last_mut(), is_text) {
        (Some(ModelEvent::Text(last)), true) | (Some(ModelEvent::Reasoning(last)), false) => {
            last.push_str(text);
        }
        _ => out.push(event(text.to_owned())),
    }
}

/// The completion in a body, which some gateways wrap: `{data: {…}, success}`.
fn completion(json: &Json) -> &Json {
    let inner = json
        .get("data")
        .filter(|data| data.get("choices").is_some());
    inner
        .filter(|_| json.get("choices").is_none())
        .unwrap_or(json)
}

/// What blanks before the first letter are worth: whether there was a byte order mark, a
/// line, and something before the letter in its own line.
fn without_blanks(seen: &[u8]) -> Vec<u8> {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mark = seen.strip_prefix(b"\xEF\xBB\xBF".as_slice());
    let Some(blanks) = mark.or(seen
        .first()
        .is_some_and(u8::is_ascii_whitespace)
        .then_some(seen))
    else {
        return seen.to_owned();
    };
    let mut kept = seen[..seen.len() - blanks.len()].to_vec();
    if blanks.iter().any(is_end) {
        kept.push(b'\n');
    }
    if blanks.last().is_some_and(|last| !is_end(last)) {
        kept.push(b' ');
    }
    kept
}

/// The first byte that is neither white space nor a byte order mark.
fn first_letter(bytes: &[u8]) -> Option<u8> {
    let is_cut_mark = bytes.len() < MARK.len() && MARK.starts_with(bytes);
    let letters = bytes.strip_prefix(MARK).unwrap_or(bytes).iter().copied();
    let mut letters = letters.filter(|byte| !byte.is_ascii_whitespace());
    letters.next().filter(|_| !is_cut_mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_connection_is_told_apart_from_a_broken_answer() {
        let broken = |body: &str| {
            let mut assembler = Assembler::new("h", Rc::default(), Box::new(|| "x".into()));
            assembler.push(body.as_bytes());
            match assembler.broken("reset".into()) {
                ModelEvent::Failed { failure, partial } => (failure.kind, partial.text),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(broken(""), (FailureKind::Network, String::new()));
        let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
        assert_eq!(broken(piece), (FailureKind::Truncated, "Hi".into()));
    }
}
