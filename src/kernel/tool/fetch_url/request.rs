//! The request as the model wants it, checked for what a browser would refuse or drop
//! without a word.

use serde_json::Value as Json;

use super::WebRequest;

/// Most bytes that are sent along.
const MAX_BODY: usize = 1 << 20;
/// Most headers, and the longest value.
const MAX_HEADERS: usize = 30;
const MAX_VALUE: usize = 4_000;
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/// Headers that browsers keep to themselves
/// (<https://fetch.spec.whatwg.org/#forbidden-request-header>); also by how they begin.
const FORBIDDEN: [&str; 20] = [
    "accept-charset",
    "accept-encoding",
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "date",
    "dnt",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "user-agent",
];

/// The request.
///
/// # Errors
/// What of it can't be: a sentence for the model.
pub(super) fn checked(
    url: String,
    method: Option<String>,
    headers: Vec<(String, Json)>,
    body: Option<String>,
) -> Result<WebRequest, String> {
    let given = method.unwrap_or_else(|| "GET".into());
    let is_given = |method: &&&str| method.eq_ignore_ascii_case(given.trim());
    let Some(method) = METHODS.iter().find(is_given).copied() else {
        let given: String = given.chars().take(20).collect();
        let all = METHODS.join(", ");
        return Err(format!("method must be one of {all}, got {given:?}"));
    };
    let body = body.filter(|body| !body.is_empty());
    if body.is_some() && matches!(method, "GET" | "HEAD") {
        return Err(format!(
            "{method} carries no body; use POST, or put it into the address"
        ));
    }
    if body.as_ref().is_some_and(|body| body.len() > MAX_BODY) {
        return Err("body is longer than 1 MB".into());
    }
    let mut headers = checked_headers(headers)?;
    if let Some(body) = &body
        && !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        let is_json = serde_json::from_str::<Json>(body).is_ok();
        let kind = if is_json {
            "application/json"
        } else {
            "text/plain;charset=UTF-8"
        };
        headers.push(("content-type".into(), kind.into()));
    }
    // What is sent along was meant for this host: a browser would take it to the next.
    let follows = matches!(method, "GET" | "HEAD") && headers.is_empty();
    Ok(WebRequest {
        method,
        url: url.split('#').next().unwrap_or_default().to_owned(),
        headers,
        body,
        follows,
    })
}

fn checked_headers(given: Vec<(String, Json)>) -> Result<Vec<(String, String)>, String> {
    if given.len() > MAX_HEADERS {
        return Err(format!("headers are more than {MAX_HEADERS}"));
    }
    let mut headers = Vec::new();
    for (name, value) in given {
        let shown: String = name.chars().take(60).collect();
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) || name.len() > 200 {
            return Err(format!("headers: {shown:?} is no name of a header"));
        }
        let small = name.to_ascii_lowercase();
        let is_forbidden = FORBIDDEN.contains(&small.as_str())
            || ["proxy-", "sec-", "access-control-"]
                .iter()
                .any(|start| small.starts_with(start));
        if is_forbidden {
            return Err(format!(
                "headers: browsers let no page set {shown}; leave it out"
            ));
        }
        let value = match value {
            Json::String(text) => text.trim().to_owned(),
            Json::Number(number) => number.to_string(),
            Json::Bool(flag) => flag.to_string(),
            _ => return Err(format!("headers.{shown} must be a string")),
        };
        let fits = |c: char| c == '\t' || (' '..='\u{ff}').contains(&c) && c != '\u{7f}';
        if !value.chars().all(fits) || value.len() > MAX_VALUE {
            return Err(format!("headers.{shown} holds what no header can"));
        }
        headers.push((name, value));
    }
    Ok(headers)
}
