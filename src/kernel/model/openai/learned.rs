//! What was found out about a host, and how it is found out: from the words with which
//! it refuses a request. The wordings ([`wordings`]) are those of public servers.

mod wordings;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value as Json;

use self::wordings::{
    NO_PICTURES, NO_STREAM, NO_SYSTEM, NO_TOOLS, ONLY_STREAM, PICTURE, REFUSALS, SOME_PICTURES,
    THOUGHTS, WANTS,
};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::settings::{BaseUrl, Lesson, Refused};
use crate::kernel::workspace::Version;

/// What was found out about a host. Outlives a run, so that nothing is tried twice.
#[derive(Default)]
pub struct Learned {
    corrected: RefCell<Option<BaseUrl>>,
    lessons: RefCell<Vec<Lesson>>,
}

impl Learned {
    /// With what was learnt before.
    pub fn new(lessons: Vec<Lesson>) -> Self {
        Self {
            corrected: RefCell::default(),
            lessons: RefCell::new(lessons),
        }
    }

    /// The address that worked where the one given did not.
    pub fn corrected(&self) -> Option<BaseUrl> {
        self.corrected.borrow().clone()
    }

    /// All that was learnt.
    pub fn lessons(&self) -> Vec<Lesson> {
        self.lessons.borrow().clone()
    }

    pub(super) fn correct(&self, base_url: BaseUrl) {
        self.corrected.replace(Some(base_url));
    }

    /// What is refused for `model`, the newest last.
    pub(super) fn refused(&self, model: &str) -> Vec<Refused> {
        let lessons = self.lessons.borrow();
        let of_model = lessons.iter().filter(|lesson| lesson.model == model);
        of_model.map(|lesson| lesson.refused.clone()).collect()
    }

    pub(super) fn add(&self, model: &str, refused: Refused) -> Lesson {
        let lesson = Lesson {
            model: model.to_owned(),
            refused,
        };
        let mut lessons = self.lessons.borrow_mut();
        if !lessons.contains(&lesson) {
            lessons.push(lesson.clone());
        }
        lesson
    }
}

/// What a host is known to refuse before it is asked, by the word of its own pages.
pub(super) fn known_of(host: &str) -> Vec<Refused> {
    match host {
        "api.mistral.ai" | "codestral.mistral.ai" => vec![Refused::Ids, Refused::UserAfterResult],
        "generativelanguage.googleapis.com" => vec![Refused::NamelessResults],
        _ => Vec::new(),
    }
}

/// What was in a request that can be refused.
pub(super) struct Sent {
    /// Names of fields that can be left out.
    pub fields: Vec<String>,
    /// Whether tools were offered.
    pub has_tools: bool,
    /// Whether the task can go on without them.
    pub may_lose_tools: bool,
    /// The messages.
    pub messages: Rc<String>,
    /// What was known to be refused.
    pub refused: Vec<Refused>,
    /// The image that was sent last, if there is one.
    pub picture: Option<Version>,
}

impl Sent {
    /// What of the request a host refused, if it is something that can be sent otherwise
    /// and has not been tried.
    pub fn refused_by(&self, failure: &Failure) -> Option<Refused> {
        let words = Words::of(failure);
        let found = match (failure.kind, failure.status) {
            (
                FailureKind::Unauthorized
                | FailureKind::Forbidden
                | FailureKind::Billing
                | FailureKind::RateLimited,
                _,
            ) => None,
            // An id may be too long, too.
            (FailureKind::ContextOverflow, status) => self.ids(&words).or_else(|| {
                let too_large = status == Some(413);
                too_large.then(|| self.pictures(&words)).flatten()
            }),
            (_, None | Some(400 | 422)) => self.find(&words),
            // Some servers tell of missing abilities as of a fault of their own.
            (_, Some(404 | 500 | 501)) => self
                .pictures(&words)
                .or_else(|| self.tools(&words))
                .or_else(|| self.system(&words))
                .or_else(|| self.order(&words))
                .or_else(|| self.streaming(&words)),
            _ => None,
        };
        found.filter(|refused| !self.refused.contains(refused))
    }

    fn find(&self, words: &Words) -> Option<Refused> {
        self.pictures(words)
            .or_else(|| self.tools(words))
            .or_else(|| self.schemas(words))
            .or_else(|| self.system(words))
            .or_else(|| self.order(words))
            .or_else(|| self.messages(words))
            .or_else(|| self.streaming(words))
            .or_else(|| self.field(words))
            .or_else(|| self.thoughts(words))
            .or_else(|| {
                let names_tools = words.refuse() && words.quote("tools");
                (names_tools && self.has_tools && self.may_lose_tools).then_some(Refused::Tools)
            })
    }

    /// That images are not taken at all is learnt only where it is said; else it is one image
    /// that is refused, for what it is or shows. Which it is, is seldom told, so the last one
    /// is left out first.
    fn pictures(&self, words: &Words) -> Option<Refused> {
        let version = self.picture.as_ref()?;
        if words.have(&NO_PICTURES) && !words.have(&SOME_PICTURES) {
            return Some(Refused::Pictures);
        }
        let one = || Refused::Picture(version.as_str().to_owned());
        words.have(&PICTURE).then(one)
    }

    fn tools(&self, words: &Words) -> Option<Refused> {
        if !self.has_tools {
            let wants = words.have(&["must define tools", "without `tools=`", "without tools"]);
            return (wants && self.holds("\"tool_calls\":")).then_some(Refused::CallsWithoutTools);
        }
        (self.may_lose_tools && words.have(&NO_TOOLS)).then_some(Refused::Tools)
    }

    fn schemas(&self, words: &Words) -> Option<Refused> {
        let place = [
            "schema",
            "function_declarations",
            "tools[",
            "tools.",
            ".parameters",
        ];
        let is_about = self.has_tools && words.have(&place);
        (is_about && (words.refuse() || words.have(&["invalid", "required", "empty"])))
            .then_some(Refused::Schemas)
    }

    /// The order of messages.
    fn order(&self, words: &Words) -> Option<Refused> {
        if words.have(&["'user' after role 'tool'", "user after tool"]) {
            return Some(Refused::UserAfterResult);
        }
        if !words.have(&["must alternate", "alternate between", "consecutive"]) {
            return None;
        }
        // Templates without a role for the system find its message to be one out of turn.
        if self.has_system() && self.messages.matches("\"role\":").count() == 2 {
            return Some(Refused::System);
        }
        let tries = [
            Refused::Neighbours,
            Refused::UserAfterResult,
            Refused::System,
        ];
        tries
            .into_iter()
            .find(|refused| !self.refused.contains(refused))
    }

    fn system(&self, words: &Words) -> Option<Refused> {
        (self.has_system() && words.have(&NO_SYSTEM)).then_some(Refused::System)
    }

    fn has_system(&self) -> bool {
        self.holds("\"role\":\"system\"")
    }

    /// What stands in single messages.
    fn messages(&self, words: &Words) -> Option<Refused> {
        let has_results = self.holds("\"role\":\"tool\"");
        let wants = words.have(&WANTS);
        let is_thought = THOUGHTS.iter().any(|name| words.name(name));
        if is_thought && wants && self.holds("\"role\":\"assistant\"") {
            return Some(Refused::NoThoughts);
        }
        if has_results && wants && (words.have(&["response.name"]) || words.quote("name")) {
            return Some(Refused::NamelessResults);
        }
        if let Some(ids) = self.ids(words) {
            return Some(ids);
        }
        let of_null = ["null", "nil", "none", "a string", "valid string"];
        let is_null = words.have(&of_null) || wants;
        (self.holds("\"content\":null") && words.name("content") && is_null)
            .then_some(Refused::NullText)
    }

    fn ids(&self, words: &Words) -> Option<Refused> {
        let of_id = [
            "tool call id",
            "tool_call_id",
            "tool_calls",
            "tool_use",
            "call_id",
        ];
        let of_form = ["must be a-z", "length", "pattern", "too long", "at most"];
        let is_about = words.have(&of_id) && words.have(&of_form) && words.name("id");
        (is_about && self.holds("\"role\":\"tool\"")).then_some(Refused::Ids)
    }

    fn streaming(&self, words: &Words) -> Option<Refused> {
        if words.name("stream_options") {
            return None;
        }
        if words.have(&ONLY_STREAM) {
            return Some(Refused::Whole);
        }
        let is_named = words.quote("stream") && words.refuse();
        (is_named || words.have(&NO_STREAM)).then_some(Refused::Streaming)
    }

    /// The field that is named first.
    fn field(&self, words: &Words) -> Option<Refused> {
        let is_sent = |name: &str| self.fields.iter().any(|field| field == name);
        let max_tokens = is_sent("max_tokens") && words.name("max_tokens");
        if max_tokens && (words.refuse() || words.name("max_completion_tokens")) {
            return Some(Refused::MaxTokens);
        }
        if !words.refuse() {
            return None;
        }
        let named = self.fields.iter();
        let named = named.filter_map(|name| Some((words.place(name)?, name)));
        let first = named.min();
        let effort = "reasoning_effort";
        let thinks = is_sent(effort) && words.have(&["think", "reasoning effort"]);
        let name = first.map(|(_, name)| name.as_str());
        let name = name.or(thinks.then_some(effort));
        name.map(|name| Refused::Field(name.to_owned()))
    }

    fn thoughts(&self, words: &Words) -> Option<Refused> {
        let is_refused = |name: &str| words.name(name) && self.holds(&format!("\"{name}\":"));
        let found = words.refuse() && THOUGHTS.iter().any(|name| is_refused(name));
        found.then_some(Refused::Thoughts)
    }

    /// Whether there is such a piece of JSON in the messages. Within texts quotes are
    /// escaped, so that no text is taken for one.
    fn holds(&self, piece: &str) -> bool {
        self.messages.contains(piece)
    }
}

/// What a host says, in small letters: each text of its JSON on a line of its own.
struct Words(String);

impl Words {
    fn of(failure: &Failure) -> Self {
        let parameter = failure.parameter.as_deref().unwrap_or_default();
        let mut text = format!("\n{parameter}\n");
        match serde_json::from_str(&failure.body) {
            Ok(json) => collect(&json, &mut text),
            Err(_) => text.push_str(&failure.body),
        }
        text.push('\n');
        text.push_str(&failure.detail);
        text.push('\n');
        Self(text.to_lowercase())
    }

    fn have(&self, any: &[&str]) -> bool {
        any.iter().any(|words| self.0.contains(words))
    }

    fn refuse(&self) -> bool {
        self.have(&REFUSALS)
    }

    /// Whether `name` stands somewhere as a whole word.
    fn name(&self, name: &str) -> bool {
        self.find(name, |_, _| true).is_some()
    }

    /// Whether `name` stands somewhere as a name and not as a word of a sentence.
    fn quote(&self, name: &str) -> bool {
        self.find(name, is_name).is_some()
    }

    /// Where a field is named. One whose name is a word of the language must be quoted.
    fn place(&self, name: &str) -> Option<usize> {
        let name = name.to_lowercase();
        match name.contains('_') || name == "temperature" {
            true => self.find(&name, |_, _| true),
            false => self.find(&name, is_name),
        }
    }

    fn find(&self, name: &str, fits: impl Fn(&str, &str) -> bool) -> Option<usize> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut places = self.0.match_indices(name);
        let place = places.find(|(at, _)| {
            let (before, after) = (&self.0[..*at], &self.0[at + name.len()..]);
            !before.ends_with(is_part) && !after.starts_with(is_part) && fits(before, after)
        });
        place.map(|(at, _)| at)
    }
}

/// Whether what stands between is quoted, a text of its own, or told behind a colon.
fn is_name(before: &str, after: &str) -> bool {
    let is_quote = |c: char| "'\"`‘’“”".contains(c);
    let is_edge = |c: char| is_quote(c) || "\n.[]()".contains(c);
    let is_quoted = before.ends_with(is_edge) && after.starts_with(is_edge);
    is_quoted || before.ends_with(": ")
}

fn collect(json: &Json, text: &mut String) {
    match json {
        Json::String(words) => {
            text.push_str(words);
            text.push('\n');
        }
        Json::Array(list) => list.iter().for_each(|json| collect(json, text)),
        Json::Object(fields) => fields.values().for_each(|json| collect(json, text)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
