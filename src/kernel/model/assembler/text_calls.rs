//! Calls that a server passes on as text, for want of a parser for its model's way of
//! writing them. They are held back from the eye, and read when the message has ended.
//!
//! Two kinds: markup that might also be meant as text (`<tool_call>`), which counts only
//! as a whole block, outside code, with the name of a tool on offer and beside no real
//! call; and the models' own control tokens, which are never meant for the eye.

mod read;

use std::rc::Rc;

use serde_json::{Map, Value as Json};

use crate::kernel::tool::ToolSpec;

/// What calls in markup begin with.
const MARKUP: [&str; 5] = [
    "<tool_call>",
    "<function=",
    "<function_calls>",
    "<minimax:tool_call>",
    "<invoke ",
];
/// What calls in control tokens begin with: DeepSeek's and Kimi's.
const TOKENS: [&str; 7] = [
    "<｜DSML｜",
    "</｜DSML｜",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<|tool_call_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
];
/// What they end with.
const TOKEN_ENDS: [&str; 3] = [
    "</｜DSML｜function_calls>",
    "<|tool_calls_section_end|>",
    "<｜tool▁calls▁end｜>",
];

/// Most white space behind an opening mark, in bytes.
const MAX_BLANK: usize = 64;
/// Most blocks of one message that are looked into.
const MAX_BLOCKS: usize = 64;

/// The tools of a request, as far as it takes to read calls that come as text.
#[derive(Debug, Default)]
pub struct Offered {
    tools: Vec<Tool>,
}

#[derive(Debug)]
struct Tool {
    name: String,
    /// Names and types of its arguments.
    arguments: Vec<(String, String)>,
}

impl Offered {
    /// Those of `specs`.
    pub fn of(specs: &[ToolSpec]) -> Self {
        let tools = specs.iter().map(|spec| Tool {
            name: spec.name.to_owned(),
            arguments: types_of(&spec.parameters),
        });
        Self {
            tools: tools.collect(),
        }
    }

    /// Tools of which only the names are known.
    pub fn named(names: impl IntoIterator<Item = String>) -> Self {
        let tools = names.into_iter().map(|name| Tool {
            name,
            arguments: Vec::new(),
        });
        Self {
            tools: tools.collect(),
        }
    }

    fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    fn has_name_beginning(&self, start: &str) -> bool {
        self.tools.iter().any(|tool| tool.name.starts_with(start))
    }
}

fn types_of(schema: &Json) -> Vec<(String, String)> {
    let fields = schema.get("properties").and_then(Json::as_object);
    let type_of = |field: &Json| field["type"].as_str().unwrap_or_default().to_owned();
    fields
        .into_iter()
        .flatten()
        .map(|(name, field)| (name.clone(), type_of(field)))
        .collect()
}

/// A call that was read from text.
#[derive(Debug, PartialEq)]
pub(super) struct Read {
    pub name: String,
    pub arguments: Map<String, Json>,
}

/// What was held back, when the message has ended.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rest {
    /// What is text after all.
    pub text: String,
    /// The calls in it.
    pub calls: Vec<Read>,
    /// Whether control tokens were left out of which no call could be read.
    pub unread: bool,
}

/// Holds back what may be a call.
#[derive(Default)]
pub(super) struct TextCalls {
    offered: Rc<Offered>,
    held: String,
    is_holding: bool,
    fence: Fence,
}

impl TextCalls {
    pub(super) fn new(offered: Rc<Offered>) -> Self {
        Self {
            offered,
            ..Self::default()
        }
    }

    /// Bytes that are held back.
    pub(super) fn bytes(&self) -> usize {
        self.held.len()
    }

    /// Takes more of the answer; `show` gets what is text for sure.
    pub(super) fn push(&mut self, text: &str, show: &mut dyn FnMut(&str)) {
        if self.held.is_empty() && !text.contains('<') {
            self.fence.pass(text);
            return show(text);
        }
        self.held.push_str(text);
        if self.is_holding {
            return;
        }
        let mut shown = 0;
        let held = std::mem::take(&mut self.held);
        while let Some(at) = held[shown..].find('<') {
            let (before, rest) = held[shown..].split_at(at);
            self.fence.pass(before);
            show(before);
            shown += at;
            match self.look(rest) {
                Look::Call => {
                    self.is_holding = true;
                    break;
                }
                Look::Perhaps => break,
                Look::Text => {
                    self.fence.pass("<");
                    show("<");
                    shown += 1;
                }
            }
        }
        if !self.is_holding && !held[shown..].starts_with('<') {
            self.fence.pass(&held[shown..]);
            show(&held[shown..]);
            shown = held.len();
        }
        held[shown..].clone_into(&mut self.held);
    }

    /// Whether a call begins at the start of `rest`.
    fn look(&self, rest: &str) -> Look {
        let begins = |marks: &[&str]| marks.iter().any(|mark| rest.starts_with(mark));
        let may_begin = |marks: &[&str]| marks.iter().any(|mark| mark.starts_with(rest));
        if begins(&TOKENS) {
            return Look::Call;
        }
        if may_begin(&TOKENS) {
            return Look::Perhaps;
        }
        if self.offered.tools.is_empty() || self.fence.is_code() {
            return Look::Text;
        }
        if may_begin(&MARKUP) {
            return Look::Perhaps;
        }
        if !begins(&MARKUP) {
            return Look::Text;
        }
        let inside = match rest.strip_prefix("<tool_call>") {
            Some(inside) => inside.trim_start(),
            None => rest,
        };
        let name = match inside.strip_prefix("<function=") {
            Some(name) => name,
            None if inside.is_empty() && rest.len() < MAX_BLANK => return Look::Perhaps,
            // Other markup, or JSON.
            None if inside.starts_with(['<', '{']) => return Look::Call,
            None => inside,
        };
        match name.find(|c: char| c == '>' || c == '<' || c.is_whitespace()) {
            Some(end) if self.offered.find(&name[..end]).is_some() => Look::Call,
            None if self.offered.has_name_beginning(name) => Look::Perhaps,
            _ => Look::Text,
        }
    }

    /// The message has ended; `alone` if it has no real calls.
    pub(super) fn finish(&mut self, alone: bool) -> Rest {
        let held = std::mem::take(&mut self.held);
        let mut rest = Rest::default();
        let mut left = held.as_str();
        let mut blocks = 0;
        while let Some(at) = left.find('<') {
            let (before, block) = left.split_at(at);
            rest.add(before);
            self.fence.pass(before);
            let is_token = TOKENS.iter().any(|mark| block.starts_with(mark));
            let is_block = is_token || self.look(block) == Look::Call;
            blocks += usize::from(is_block);
            let read = match alone && is_block && blocks <= MAX_BLOCKS {
                true => read::block(block, &self.offered),
                false => None,
            };
            left = match read {
                Some((calls, length)) => {
                    rest.calls.extend(calls);
                    &block[length..]
                }
                None if is_token => {
                    rest.unread = alone;
                    behind_tokens(block)
                }
                None => {
                    rest.add("<");
                    self.fence.pass("<");
                    &block[1..]
                }
            };
        }
        rest.add(left);
        if !rest.calls.is_empty() {
            rest.text.truncate(rest.text.trim_end().len());
        }
        rest
    }
}

impl Rest {
    fn add(&mut self, text: &str) {
        // Between two calls there is only white space.
        if self.calls.is_empty() || !text.trim().is_empty() {
            self.text.push_str(text);
        }
    }
}

/// What begins with `<`.
#[derive(Debug, PartialEq, Eq)]
enum Look {
    Call,
    /// More must come to tell.
    Perhaps,
    Text,
}

/// What stands before the first control token.
pub(super) fn without_tokens(text: &str) -> &str {
    let begins = |at: &usize| {
        let mut marks = TOKENS.iter().chain(&TOKEN_ENDS);
        marks.any(|mark| text[*at..].starts_with(mark))
    };
    let mut starts = text.match_indices('<').map(|(at, _)| at);
    starts.find(begins).map_or(text, |at| &text[..at])
}

/// What follows a part in control tokens.
fn behind_tokens(text: &str) -> &str {
    let ends = TOKEN_ENDS
        .iter()
        .filter_map(|end| Some(text.find(end)? + end.len()));
    ends.min().map_or("", |end| &text[end..])
}

/// Knows whether the text so far ends inside code.
#[derive(Default)]
struct Fence {
    is_open: bool,
    /// Marks at the start of the line so far; 3 and more: it can't be a fence any more.
    marks: u8,
    after_tick: bool,
}

impl Fence {
    fn pass(&mut self, text: &str) {
        for byte in text.bytes() {
            self.marks = match byte {
                b'\n' => 0,
                b'`' | b'~' if self.marks < 3 => self.marks + 1,
                b' ' if self.marks == 0 => 0,
                _ => 4,
            };
            if self.marks == 3 {
                self.is_open = !self.is_open;
                self.marks = 4;
            }
            self.after_tick = byte == b'`';
        }
    }

    fn is_code(&self) -> bool {
        self.is_open || self.after_tick
    }
}

#[cfg(test)]
mod tests;
