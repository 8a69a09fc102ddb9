//! What a host told, found in whatever shape it came in.

use serde_json::{Map, Value as Json};

use super::waits::wait_of_text;

/// How deep errors are wrapped in each other at most.
const MAX_DEPTH: u32 = 6;
/// Fields that hold the words, or what holds them.
const WORDS: [&str; 11] = [
    "message",
    "detail",
    "msg",
    "error_msg",
    "errmsg",
    "status_msg",
    "error",
    "errors",
    "error_message",
    "description",
    "title",
];
/// Fields of a request that hosts refuse.
const PARAMETERS: [&str; 22] = [
    "stream_options",
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "reasoning_content",
    "reasoning_details",
    "reasoning_effort",
    "reasoning",
    "tool_choice",
    "tools",
    "additionalProperties",
    "$schema",
    "strict",
    "developer",
    "name",
    "n",
    "seed",
    "stop",
    "user",
    "stream",
];

/// What a host told, as far as it was found.
#[derive(Default)]
pub(super) struct Told {
    pub message: String,
    pub code: String,
    pub kind: String,
    pub status: Option<u16>,
    /// The field of the request, where a field of the error names it.
    named: String,
    /// Whether there was nothing at all.
    pub is_empty: bool,
    /// Whether it was a page for people.
    pub is_markup: bool,
    /// A wait in a field of its own.
    wait_ms: Option<u64>,
}

impl Told {
    /// Reads a body.
    pub fn read_text(body: &str) -> Self {
        let body = body.trim_start_matches('\u{FEFF}').trim();
        // Some send the error as an event, in an answer with an error status.
        let json = body.strip_prefix("data:").unwrap_or(body).trim();
        let json = json
            .lines()
            .next()
            .filter(|_| json.len() < body.len())
            .unwrap_or(json);
        match serde_json::from_str::<Json>(json) {
            Ok(json) => Self::read(&json),
            Err(_) => Self {
                message: body.to_owned(),
                is_empty: body.is_empty(),
                is_markup: super::looks_like_markup(body),
                ..Self::default()
            },
        }
    }

    /// Reads JSON.
    pub fn read(json: &Json) -> Self {
        let mut told = Self {
            message: words(json, 0),
            ..Self::default()
        };
        told.look(json, 0);
        told
    }

    /// Looks for what stands beside the words, from the outside in.
    fn look(&mut self, json: &Json, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        match json {
            Json::Array(list) => {
                for item in list.iter().take(4) {
                    self.look(item, depth + 1);
                }
            }
            Json::Object(fields) => {
                self.look_at(fields);
                let inner = [
                    "error",
                    "errors",
                    "message",
                    "detail",
                    "details",
                    "metadata",
                    "base_resp",
                ];
                for name in inner {
                    if let Some(inner) = fields.get(name) {
                        self.look(inner, depth + 1);
                    }
                }
            }
            Json::String(text) => {
                if let Some(inner) = nested(text) {
                    self.look(&inner, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn look_at(&mut self, fields: &Map<String, Json>) {
        let text = |name: &str| text_of(fields.get(name));
        let add = |known: &mut String, more: String| {
            if !more.is_empty() && !known.contains(&more) {
                *known = format!("{known} {more}").trim().to_owned();
            }
        };
        add(&mut self.code, text("code"));
        add(&mut self.code, text("error_code"));
        add(&mut self.code, text("status_code"));
        add(&mut self.kind, text("type"));
        add(&mut self.kind, text("status"));
        add(&mut self.kind, text("reason"));
        for name in ["code", "status", "status_code"] {
            let status = fields.get(name).and_then(status_of);
            self.status = self.status.or(status);
        }
        if self.named.is_empty() {
            self.named = match place_of(fields) {
                Some(path) => named(&path),
                None => named(&text("param")),
            };
        }
        for name in ["retry_after", "retryDelay", "retry_after_seconds"] {
            let asked = text(name);
            if !asked.is_empty() {
                self.wait_ms = wait_of_text(&format!("retry after {asked}"));
            }
        }
        // OpenRouter keeps the upstream's own words a level deeper.
        if let Some(raw) = fields.get("raw").and_then(Json::as_str) {
            let inner = nested(raw).map_or_else(|| raw.to_owned(), |inner| words(&inner, 1));
            if !inner.is_empty() && !self.message.contains(&inner) {
                self.message = format!("{}: {inner}", self.message);
            }
        }
    }

    /// How long it asks to wait.
    pub fn wait_ms(&self) -> Option<u64> {
        self.wait_ms.or_else(|| wait_of_text(&self.message))
    }

    /// The field of the request that it does not want.
    pub fn parameter(&self) -> Option<String> {
        if !self.named.is_empty() {
            return Some(self.named.clone());
        }
        let quoted = self.message.split(['\'', '"', '`']).skip(1).step_by(2);
        let is_name = |text: &&str| {
            let fits =
                |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '$');
            !text.is_empty() && text.len() < 80 && text.chars().all(fits)
        };
        let quoted: Vec<String> = quoted.filter(is_name).map(named).collect();
        let known = quoted
            .iter()
            .find(|name| PARAMETERS.contains(&name.as_str()));
        if let Some(known) = known {
            return Some(known.clone());
        }
        // Short names are words of their own; they count when quoted alone.
        let in_text = PARAMETERS
            .iter()
            .filter(|name| name.len() > 6 || **name == "top_p");
        let mut in_text = in_text.filter(|name| self.message.contains(**name));
        match in_text.next() {
            Some(name) => Some((*name).to_owned()),
            None => quoted.into_iter().next(),
        }
    }
}

/// The words in an error of any shape.
fn words(json: &Json, depth: u32) -> String {
    if depth > MAX_DEPTH {
        return String::new();
    }
    match json {
        Json::String(text) => match nested(text).map(|inner| words(&inner, depth + 1)) {
            Some(inner) if !inner.is_empty() => inner,
            _ => text.clone(),
        },
        Json::Array(list) => {
            let all = list.iter().take(8).map(|item| words(item, depth + 1));
            let all: Vec<String> = all.filter(|text| !text.is_empty()).collect();
            all.join("; ")
        }
        Json::Object(fields) => {
            let inner = WORDS.iter().find_map(|name| {
                let text = words(fields.get(*name)?, depth + 1);
                (!text.is_empty()).then_some(text)
            });
            let inner = inner.or_else(|| Some(words(fields.get("base_resp")?, depth + 1)));
            let told = inner.unwrap_or_default();
            // A validation error names the field in `loc` and the trouble in `msg`.
            match place_of(fields) {
                Some(place) => format!("{place}: {told}"),
                None => told,
            }
        }
        _ => String::new(),
    }
}

/// Gateways put the upstream's JSON into a text.
fn nested(text: &str) -> Option<Json> {
    let text = text.trim();
    let is_json = text.starts_with(['{', '[']);
    serde_json::from_str(text).ok().filter(|_| is_json)
}

fn place_of(fields: &Map<String, Json>) -> Option<String> {
    let parts = fields.get("loc")?.as_array()?;
    let parts: Vec<String> = parts.iter().map(|part| text_of(Some(part))).collect();
    Some(parts.join("."))
}

/// The field of the request that a path such as `body.stream_options.include_usage` or
/// `messages[1].assistant.reasoning_content` is about.
fn named(path: &str) -> String {
    let parts = path.split(['.', '[', ']', '/']);
    let is_name = |part: &&str| !part.is_empty() && part.parse::<u32>().is_err();
    let mut parts = parts.filter(is_name).filter(|part| *part != "body");
    let first = parts.next().unwrap_or_default();
    match first {
        // What stands inside counts.
        "messages" | "tools" => parts.next_back().unwrap_or(first).to_owned(),
        first => first.to_owned(),
    }
}

fn status_of(code: &Json) -> Option<u16> {
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number)
        .ok()
        .filter(|code| (400..600).contains(code))
}

fn text_of(value: Option<&Json>) -> String {
    match value {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}
