//! What hosts say when they refuse, made into one [`Failure`]. The shapes and wordings
//! are those of public servers; see `tests/streams` and `tests/endpoint_errors`.

mod clean;
mod kinds;
mod told;
mod waits;
mod window;

use serde_json::Value as Json;

use self::kinds::classify;
use self::told::Told;
use crate::kernel::event::{Failure, FailureKind};

pub use self::clean::shown_body;
pub use self::waits::wait_of_header;
pub use self::window::told_window;

/// Reads the body of an answer with an error status.
pub fn from_body(status: u16, body: &str, host: &str) -> Failure {
    let told = Told::read_text(body);
    let mut failure = failure(Some(status), &told, host);
    failure.body = shown_body(body);
    failure
}

/// Reads an error that came inside an answer with status 200. `None` if it is none:
/// `null` and the empty string are no errors.
pub fn from_frame(error: &Json, host: &str) -> Option<Failure> {
    match error {
        Json::Object(_) => {}
        Json::String(text) if !text.is_empty() => {}
        _ => return None,
    }
    let told = Told::read(error);
    let mut failure = failure(None, &told, host);
    failure.body = shown_body(&error.to_string());
    Some(failure)
}

/// Whether a part of a stream without choices is an error without a frame around it.
pub fn is_bare_error(chunk: &Json) -> bool {
    let has = |name: &str| chunk.get(name).is_some_and(|value| !value.is_null());
    chunk["object"] == "error"
        || has("detail")
        || has("base_resp")
        || (has("message") && (has("code") || has("type") || has("status")))
}

/// The body at status 200 is JSON, but no completion.
pub fn of_wrong_json(body: &str, host: &str) -> Failure {
    let told = Told::read_text(body);
    let mut failure = match told.message.is_empty() {
        true => not_chat(host, String::new()),
        false => failure(None, &told, host),
    };
    failure.body = shown_body(body);
    failure
}

/// The answer is a web page: the address is wrong.
pub fn web_page(host: &str) -> Failure {
    not_chat(host, String::new())
}

/// The host sends on to another address. The key is for this host alone, so nobody follows.
pub fn redirected(host: &str) -> Failure {
    let detail = "It redirects to another address. The key is for this host alone, so that is not followed. Set the address it leads to.";
    not_chat(host, detail.to_owned())
}

/// Whether a status sends on to another address.
pub fn is_redirect(status: u16) -> bool {
    (300..400).contains(&status)
}

/// The answer is not one of a chat endpoint.
pub fn not_chat(host: &str, detail: String) -> Failure {
    Failure {
        host: host.to_owned(),
        ..Failure::new(FailureKind::BadEndpoint, detail)
    }
}

/// Whether a body is a page for people and not for programs.
pub fn looks_like_markup(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

fn failure(status: Option<u16>, told: &Told, host: &str) -> Failure {
    let status = status.or(told.status);
    let kind = classify(status, told);
    let parameter = match kind {
        FailureKind::UnsupportedParameter => told.parameter(),
        _ => None,
    };
    Failure {
        kind,
        host: host.to_owned(),
        status,
        detail: clean::detail(&told.message),
        body: String::new(),
        parameter,
        retry_after_ms: told.wait_ms(),
    }
}
