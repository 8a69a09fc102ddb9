//! What hosts say when they refuse, made into one [`Failure`].
//! The shapes and wordings are those of public servers; see `tests/streams`.

use serde_json::Value as Json;

use crate::kernel::event::{Failure, FailureKind};

/// Longest text of a host that is shown, in characters.
const MAX_DETAIL: usize = 400;

/// Reads the body of an answer with an error status.
pub fn from_body(status: u16, body: &str, host: &str) -> Failure {
    let parsed: Option<Json> = serde_json::from_str(body.trim()).ok();
    let mut failure = match &parsed {
        Some(json) => from_json(json, Some(status), host),
        None => failure(Some(status), &Told::default(), host),
    };
    if parsed.is_none() && !looks_like_markup(body) {
        failure.detail = capped(body.trim());
        failure.kind = classify(
            Some(status),
            &Told {
                message: body.into(),
                ..Told::default()
            },
        );
    }
    failure
}

/// Reads an error object that came inside an answer with status 200.
/// `None` if it is none: `null` and the empty string are no errors.
pub fn from_frame(error: &Json, host: &str) -> Option<Failure> {
    match error {
        Json::Object(_) => Some(from_json(error, None, host)),
        Json::String(text) if !text.is_empty() => Some(from_json(error, None, host)),
        _ => None,
    }
}

/// The answer is a web page: the address is wrong.
pub fn web_page(host: &str) -> Failure {
    Failure {
        kind: FailureKind::BadEndpoint,
        host: host.to_owned(),
        status: None,
        detail: String::new(),
        retry_after_ms: None,
    }
}

/// The wait that a `Retry-After` header asks for, milliseconds; dates are not read.
pub fn wait_of_header(value: &str) -> Option<u64> {
    let (seconds, _) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    Some(seconds.parse::<u64>().ok()?.saturating_mul(1_000))
}

/// The wait that a message asks for, as in "Please try again in 1.5s" or "in 20 seconds".
fn wait_of_text(text: &str) -> Option<u64> {
    let text = text.to_ascii_lowercase();
    let (_, rest) = text
        .split_once("try again in ")
        .or_else(|| text.split_once("retry in "))
        .or_else(|| text.split_once("retry after "))?;
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
    let (number, unit) = rest.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction_tenths: u64 = fraction
        .get(..1)
        .and_then(|digit| digit.parse().ok())
        .unwrap_or(0);
    let tenths = whole.parse::<u32>().ok()?;
    let tenths = u64::from(tenths) * 10 + fraction_tenths;
    match unit.trim_start() {
        unit if unit.starts_with("ms") => Some(tenths / 10),
        unit if unit.starts_with('s') => Some(tenths * 100),
        unit if unit.starts_with('m') => Some(tenths * 6_000),
        _ => None,
    }
}

/// Whether a body is a page for people and not for programs.
pub fn looks_like_markup(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

/// What a host told, as far as it was found.
#[derive(Default)]
struct Told {
    message: String,
    code: String,
    kind: String,
    status: Option<u16>,
}

fn from_json(json: &Json, status: Option<u16>, host: &str) -> Failure {
    let told = read(json);
    let status = status.or(told.status);
    failure(status, &told, host)
}

fn failure(status: Option<u16>, told: &Told, host: &str) -> Failure {
    Failure {
        kind: classify(status, told),
        host: host.to_owned(),
        status,
        detail: capped(&told.message),
        retry_after_ms: wait_of_text(&told.message),
    }
}

fn read(json: &Json) -> Told {
    let body = match json {
        Json::Array(list) => list.first().unwrap_or(&Json::Null),
        other => other,
    };
    let inner = match body.get("error") {
        Some(inner @ (Json::Object(_) | Json::String(_))) => inner,
        _ => body,
    };
    let mut told = Told {
        message: message_of(inner),
        code: text_of(inner.get("code")),
        kind: text_of(inner.get("type").or(inner.get("status"))),
        status: inner
            .get("code")
            .and_then(status_of)
            .or(inner.get("status").and_then(status_of)),
    };
    // OpenRouter keeps the upstream's own words a level deeper.
    if let Some(raw) = inner.pointer("/metadata/raw").and_then(Json::as_str) {
        told.message = format!("{}: {raw}", told.message);
    }
    told
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

fn message_of(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(list) => {
            let all: Vec<String> = list
                .iter()
                .map(message_of)
                .filter(|text| !text.is_empty())
                .collect();
            all.join("; ")
        }
        Json::Object(fields) => {
            if let Some(message) = fields
                .get("message")
                .or(fields.get("detail"))
                .or(fields.get("error"))
            {
                return message_of(message);
            }
            // A validation error names the field in `loc` and the trouble in `msg`.
            let place = fields.get("loc").and_then(Json::as_array).map(|parts| {
                let parts: Vec<String> = parts.iter().map(|part| text_of(Some(part))).collect();
                parts.join(".")
            });
            let told = text_of(fields.get("msg"));
            match place {
                Some(place) => format!("{place}: {told}"),
                None => told,
            }
        }
        _ => String::new(),
    }
}

fn classify(status: Option<u16>, told: &Told) -> FailureKind {
    let text = format!("{} {} {}", told.message, told.code, told.kind).to_ascii_lowercase();
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    if status != Some(429) && has(OVERFLOW) {
        return FailureKind::ContextOverflow;
    }
    if status == Some(402) || has(BILLING) {
        return FailureKind::Billing;
    }
    if has(&[
        "does not support tools",
        "does not support tool",
        "tool use is not supported",
        "no endpoints found that support tool",
    ]) {
        return FailureKind::ToolsUnsupported;
    }
    match status {
        Some(401) => return FailureKind::Unauthorized,
        Some(403) => return FailureKind::Forbidden,
        Some(404 | 405 | 410) => return FailureKind::NotFound,
        Some(408 | 409 | 425 | 429) => return FailureKind::RateLimited,
        Some(413) => return FailureKind::ContextOverflow,
        Some(500..) => return FailureKind::Server,
        _ => {}
    }
    if has(&[
        "invalid api key",
        "incorrect api key",
        "invalid_api_key",
        "unauthorized",
    ]) {
        FailureKind::Unauthorized
    } else if has(&["model_not_found", "does not exist", "model not found"]) {
        FailureKind::NotFound
    } else if has(&["rate limit", "rate_limit", "too many requests"]) {
        FailureKind::RateLimited
    } else if has(UNSUPPORTED) {
        FailureKind::UnsupportedParameter
    } else if status.is_some() {
        FailureKind::BadRequest
    } else {
        FailureKind::Server
    }
}

const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "maximum context length",
    "maximum prompt length",
    "context length",
    "context window",
    "exceeds the maximum number of tokens",
    "prompt is too long",
    "too many tokens",
    "input is too long",
    "exceed_context_size",
];

const BILLING: &[&str] = &[
    "insufficient_quota",
    "insufficient balance",
    "insufficient credit",
    "insufficient funds",
    "credit is used up",
    "credit balance",
    "exceeded your current quota",
    "billing_hard_limit",
    "billing_not_active",
    "billing details",
    "payment required",
    "out of credits",
    "arrearage",
];

const UNSUPPORTED: &[&str] = &[
    "extra inputs are not permitted",
    "extra_forbidden",
    "unsupported parameter",
    "unsupported_parameter",
    "unknown parameter",
    "unrecognized request argument",
    "unknown field",
    "unsupported value",
];

fn capped(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= MAX_DETAIL {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(MAX_DETAIL).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_as_hosts_write_them() {
        assert_eq!(wait_of_header(" 20 "), Some(20_000));
        assert_eq!(wait_of_header("1.5"), Some(1_000));
        assert_eq!(wait_of_header("Wed, 21 Oct 2026 07:28:00 GMT"), None);
        for (text, wait) in [
            (
                "Rate limit reached. Please try again in 1.5s. Visit",
                Some(1_500),
            ),
            ("Please try again in 250ms", Some(250)),
            ("retry after 2 minutes", Some(120_000)),
            ("Please retry in 20 seconds", Some(20_000)),
            ("try again in a while", None),
            ("slow down", None),
        ] {
            assert_eq!(wait_of_text(text), wait, "{text}");
        }
    }

    #[test]
    fn shapes_and_wordings_of_public_servers() {
        use FailureKind::*;
        for (status, body, kind, detail) in [
            (
                401,
                r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#,
                Unauthorized,
                "Incorrect API key",
            ),
            (
                404,
                r#"{"error":"model \"x\" not found"}"#,
                NotFound,
                "model \"x\" not found",
            ),
            (404, "404 page not found", NotFound, "404 page not found"),
            (404, "<html><b>nginx</b></html>", NotFound, ""),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}"#,
                Billing,
                "You exceeded your current quota",
            ),
            (
                429,
                r#"{"message":"slow down","type":"x","code":1}"#,
                RateLimited,
                "slow down",
            ),
            (402, "", Billing, ""),
            (
                529,
                r#"{"error":{"message":"overloaded"}}"#,
                Server,
                "overloaded",
            ),
            (
                422,
                r#"{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
                UnsupportedParameter,
                "body.stream_options: Extra inputs are not permitted",
            ),
            (400, r#"{"detail":"no"}"#, BadRequest, "no"),
            (413, "", ContextOverflow, ""),
        ] {
            let failure = from_body(status, body, "h");
            assert_eq!(
                (failure.kind, failure.detail.as_str()),
                (kind, detail),
                "{body}"
            );
        }
    }
}
