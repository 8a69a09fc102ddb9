//! Compares what a reader made of a body with what is expected, field by field.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};
use tabloop::kernel::event::{Failure, FailureKind, StopReason};
use tabloop::kernel::model::conversation::Conversation;
use tabloop::kernel::model::{Finish, ModelEvent, Turn};
use tabloop::kernel::session::{AssistantMessage, Entry, Record, ToolCall};
use tabloop::ui::words::Language;

pub const HOST: &str = "model.example";
const MODEL: &str = "m";

/// What a reader made of a body.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// What was shown while it came.
    text: String,
    reasoning: String,
    pub end: ModelEvent,
}

impl Outcome {
    pub fn of(mut events: Vec<ModelEvent>) -> Self {
        let end = events.pop().expect("an end");
        let (mut text, mut reasoning) = (String::new(), String::new());
        for event in events {
            match event {
                ModelEvent::Text(more) => text.push_str(&more),
                ModelEvent::Reasoning(more) => reasoning.push_str(&more),
                ModelEvent::Call { .. } => {}
                other => panic!("{other:?} before the end"),
            }
        }
        Self {
            text,
            reasoning,
            end,
        }
    }

    fn turn(&self) -> (&Turn, Option<&Failure>) {
        match &self.end {
            ModelEvent::Finished(turn) => (turn, None),
            ModelEvent::Failed { failure, partial } => (partial, Some(failure)),
            other => panic!("ended with {other:?}"),
        }
    }
}

/// What is not as expected; nothing if it is, or as one of the `accept` alternatives is.
pub fn problems(expected: &Json, outcome: &Outcome) -> Vec<String> {
    let first = problems_of(expected, outcome);
    let others = expected["accept"].as_array().into_iter().flatten();
    for other in others {
        let mut merged = expected.clone();
        for (field, value) in other.as_object().expect("alternatives are objects") {
            merged[field] = value.clone();
        }
        if problems_of(&merged, outcome).is_empty() {
            return Vec::new();
        }
    }
    first
}

fn problems_of(expected: &Json, outcome: &Outcome) -> Vec<String> {
    let (turn, failure) = outcome.turn();
    let (whole, incomplete) = calls(turn, failure);
    let mut problems = Vec::new();
    let fields = expected.as_object().expect("an object");
    for (field, wanted) in fields {
        let problem = match field.as_str() {
            "content" => text(expected, field, &turn.text),
            "reasoning" => {
                let reasoning = turn.reasoning.as_ref();
                let got = reasoning.map_or("", |reasoning| reasoning.text.as_str());
                text(expected, field, got)
            }
            "tool_calls" => same_calls(wanted, &whole),
            "incomplete_tool_calls" => same_incomplete(wanted, &incomplete),
            "finish_reason" => finish_reason(wanted, turn, failure),
            "raw_finish_reason" => {
                let got = Some(turn.finish_reason.as_str()).filter(|word| !word.is_empty());
                (wanted.as_str() != got).then(|| format!("{got:?}"))
            }
            "error" => same_error(wanted, failure),
            "usage" => usage(wanted, turn),
            "echo" => echo(wanted, turn),
            "name" | "http" | "tools_offered" | "compare" | "accept" | "why" => None,
            _ => Some("a field that this test does not know".into()),
        };
        problems.extend(problem.map(|problem| format!("{field}: {problem}, not {wanted}")));
    }
    problems.extend(shown(outcome, turn));
    problems
}

fn text(expected: &Json, field: &str, got: &str) -> Option<String> {
    let wanted = expected[field].as_str().unwrap_or_default();
    let compare = &expected["compare"];
    let same = match compare == "trim" || compare[field] == "trim" {
        true => got.trim() == wanted.trim(),
        false => got == wanted,
    };
    (!same).then(|| format!("{got:?}"))
}

/// What was shown is what was meant; only a thought without its opening mark may have
/// been taken for the answer while it came.
fn shown(outcome: &Outcome, turn: &Turn) -> Option<String> {
    let thought = turn.reasoning.as_ref();
    let thought = thought.map_or("", |reasoning| reasoning.text.as_str());
    let fits = outcome.text.trim_end().ends_with(turn.text.trim_end())
        || matches!(outcome.end, ModelEvent::Failed { .. });
    let thought_fits = outcome.reasoning == thought || outcome.text.contains(thought);
    (!fits || !thought_fits).then(|| format!("shown {:?} {:?}", outcome.text, outcome.reasoning))
}

/// The calls to run, and those that must not be.
fn calls<'a>(turn: &'a Turn, failure: Option<&Failure>) -> (Vec<&'a ToolCall>, Vec<&'a ToolCall>) {
    let last = turn.calls.len().wrapping_sub(1);
    let is_whole = |(at, call): &(usize, &ToolCall)| {
        let is_cut = turn.finish == Finish::Length && *at == last;
        failure.is_none() && !is_cut && arguments(call).is_some()
    };
    let (whole, rest): (Vec<_>, Vec<_>) = turn.calls.iter().enumerate().partition(is_whole);
    let plain = |calls: Vec<(usize, &'a ToolCall)>| calls.into_iter().map(|(_, call)| call);
    (plain(whole).collect(), plain(rest).collect())
}

fn arguments(call: &ToolCall) -> Option<Json> {
    let fields = serde_json::from_str::<Map<String, Json>>(&call.arguments);
    fields.ok().map(Json::Object)
}

fn same_calls(wanted: &Json, got: &[&ToolCall]) -> Option<String> {
    let wanted = wanted.as_array().expect("a list of calls");
    let mut ids = HashSet::new();
    let fits = |(wanted, got): (&Json, &&ToolCall)| {
        let id = wanted["id"].as_str().unwrap_or(&got.id);
        let wanted_arguments = wanted.get("arguments");
        let arguments = arguments(got);
        id == got.id
            && !id.is_empty()
            && ids.insert(got.id.clone())
            && wanted["name"] == got.name.as_str()
            && wanted_arguments.is_none_or(|wanted| Some(wanted) == arguments.as_ref())
    };
    let same = wanted.len() == got.len() && wanted.iter().zip(got).all(fits);
    (!same).then(|| format!("{got:?}"))
}

/// Calls that must not be run may be told by name, by id, or by what is known of them.
fn same_incomplete(wanted: &Json, got: &[&ToolCall]) -> Option<String> {
    let fits = |wanted: &Json, got: &ToolCall| match wanted {
        Json::String(word) => *word == got.name || *word == got.id,
        Json::Object(fields) => fields.iter().all(|(field, wanted)| match field.as_str() {
            "id" => *wanted == got.id.as_str(),
            "name" => *wanted == got.name.as_str(),
            "arguments" if wanted.is_object() => arguments(got).as_ref() == Some(wanted),
            _ => wanted
                .as_str()
                .is_none_or(|wanted| wanted.trim() == got.arguments.trim()),
        }),
        _ => false,
    };
    let same = match wanted {
        Json::Array(list) => {
            list.len() == got.len() && list.iter().zip(got).all(|(wanted, got)| fits(wanted, got))
        }
        Json::Number(count) => count.as_u64() == Some(got.len() as u64),
        other => other.is_null() && got.is_empty(),
    };
    (!same).then(|| format!("{got:?}"))
}

fn finish_reason(wanted: &Json, turn: &Turn, failure: Option<&Failure>) -> Option<String> {
    let meant = match (turn.finish, turn.calls.is_empty()) {
        (Finish::Stop, false) => "tool_calls",
        (Finish::Stop, true) => "stop",
        (Finish::Length, _) => "length",
        (Finish::ContentFilter, _) => "content_filter",
    };
    let word = turn.finish_reason.as_str();
    let fits = match (failure, wanted.as_str()) {
        (None, wanted) => wanted == Some(meant),
        // The error counts for more than a word beside it.
        (Some(_), Some(wanted)) => !word.is_empty() && (wanted == "error" || wanted == word),
        (Some(_), None) => word != "error",
    };
    (!fits).then(|| format!("{meant:?}, {word:?}"))
}

fn same_error(wanted: &Json, failure: Option<&Failure>) -> Option<String> {
    let (wanted, failure) = match (wanted.as_object(), failure) {
        (None, None) => return None,
        (Some(wanted), Some(failure)) => (wanted, failure),
        (_, failure) => return Some(format!("{failure:?}")),
    };
    let words = Language::English
        .words()
        .ending(&StopReason::Failed(failure.clone()), 24);
    let message = format!("{}\n{}", words.told, failure.detail).to_lowercase();
    let contains = |part: &Json| {
        let part = part.as_str().unwrap_or_default().to_lowercase();
        message.contains(&part)
    };
    let parts = |wanted: &Json| match wanted {
        Json::Array(parts) => parts.clone(),
        part => vec![part.clone()],
    };
    let fits = |(field, wanted): (&String, &Json)| match field.as_str() {
        "kind" => labels(failure.kind).contains(&wanted.as_str().unwrap_or_default()),
        "retryable" => *wanted == failure.kind.is_retryable(),
        "http_status" => wanted.as_u64() == failure.status.map(u64::from),
        "parameter" => wanted.as_str() == failure.parameter.as_deref(),
        "message_contains" => parts(wanted).iter().all(contains),
        "message_must_not_contain" => !parts(wanted).iter().any(contains),
        "retry_after_ms" => wanted.as_u64() == failure.retry_after_ms,
        _ => false,
    };
    (!wanted.iter().all(fits)).then(|| format!("{failure:?}"))
}

/// Names of a kind are only labels: these are what ours may be called.
fn labels(kind: FailureKind) -> &'static [&'static str] {
    match kind {
        FailureKind::Network => &["network", "unreachable"],
        FailureKind::Unauthorized => &["auth", "unauthorized", "authentication"],
        FailureKind::Forbidden => &["forbidden", "auth", "permission"],
        FailureKind::NotFound => &["bad_endpoint", "not_found"],
        FailureKind::UnknownModel => &["unknown_model", "model_not_found", "not_found"],
        FailureKind::BadEndpoint => &["bad_endpoint"],
        FailureKind::Billing => &["billing"],
        FailureKind::RateLimited => &["rate_limit", "rate_limited"],
        FailureKind::Server => &["server", "overloaded"],
        FailureKind::ContextOverflow => &["context_overflow", "overflow"],
        FailureKind::ToolsUnsupported => &["tools_unsupported"],
        FailureKind::UnsupportedParameter => &["unsupported_parameter", "parameter_refused"],
        FailureKind::ContentFilter => &["content_filter"],
        FailureKind::BadRequest => &["bad_request", "invalid_request"],
        FailureKind::Truncated => &["truncated"],
        FailureKind::Idle => &["idle", "timeout"],
        FailureKind::Interrupted | FailureKind::Storage | FailureKind::Full => &[],
    }
}

fn usage(wanted: &Json, turn: &Turn) -> Option<String> {
    let Some(got) = turn.usage else {
        return (!wanted.is_null()).then(|| "none".into());
    };
    let fits = |(field, wanted): (&String, &Json)| match field.as_str() {
        "prompt_tokens" => *wanted == got.prompt_tokens,
        "completion_tokens" => *wanted == got.completion_tokens,
        "cached_tokens" => *wanted == got.cached_tokens,
        "total_tokens" => *wanted == got.total(),
        _ => false,
    };
    let fields = wanted.as_object().into_iter().flatten();
    (!fields.into_iter().all(fits)).then(|| format!("{got:?}"))
}

/// The next request carries back what the host needs to see again, and to no other host.
fn echo(wanted: &Json, turn: &Turn) -> Option<String> {
    let message = |host: &str, model: &str| {
        let message = AssistantMessage {
            text: turn.text.clone(),
            reasoning: turn.reasoning.clone(),
            calls: turn.calls.clone(),
            host: HOST.into(),
            model: MODEL.into(),
            ..AssistantMessage::default()
        };
        let records = [Record {
            seq: 0,
            at_ms: 0,
            entry: Entry::Assistant(message),
        }];
        let mut conversation = Conversation::new((host, model), "s");
        let messages = format!("[{}]", conversation.messages(&records, &Default::default()));
        let messages: Json = serde_json::from_str(&messages).expect("JSON");
        messages[1].clone()
    };
    let own = message(HOST, MODEL);
    let mut others = [message("other.example", MODEL), message(HOST, "other")].into_iter();
    let fits = |(field, wanted): (&String, &Json)| match field.as_str() {
        "tool_calls" => same_extra(wanted, &own["tool_calls"]),
        "content" => own["content"] == *wanted,
        _ => own[field] == *wanted && others.all(|message| message.get(field).is_none()),
    };
    let same = wanted.as_object().expect("fields").iter().all(fits);
    (!same).then(|| own.to_string())
}

/// Every call carries its own foreign fields, and none of another's.
fn same_extra(wanted: &Json, got: &Json) -> bool {
    let (wanted, got) = (wanted.as_array(), got.as_array());
    let (Some(wanted), Some(got)) = (wanted, got) else {
        return false;
    };
    let fits = |(wanted, got): (&Json, &Json)| {
        let wanted = wanted.as_object().expect("calls are objects");
        let got = got.as_object().expect("calls are objects");
        let is_known = |field: &str| ["id", "type", "function"].contains(&field);
        let foreign = got.keys().filter(|field| !is_known(field));
        wanted
            .iter()
            .all(|(field, value)| got.get(field) == Some(value))
            && foreign.into_iter().all(|field| wanted.contains_key(field))
    };
    wanted.len() == got.len() && wanted.iter().zip(got).all(fits)
}
