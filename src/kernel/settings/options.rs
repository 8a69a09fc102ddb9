//! What is sent to an endpoint beside the conversation, and the checks on it.

use serde_json::Value as Json;

use super::Problem;
use crate::plain::Plain;

/// What is sent beside the conversation. Texts are as typed, and empty where nothing is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
#[plain(default)]
pub struct RequestOptions {
    /// Further headers: name and value.
    pub headers: Vec<(String, String)>,
    /// The header that carries the key; empty: `Authorization`, as `Bearer`.
    pub key_header: String,
    /// Further fields of the request, as a JSON object.
    pub extra_body: String,
    /// 0 to 2.
    pub temperature: String,
    /// 0 to 1.
    pub top_p: String,
    /// Most tokens of an answer.
    pub max_tokens: String,
    /// How much a model that reasons shall think, in the host's own word.
    pub effort: String,
    /// How answers come.
    pub delivery: Delivery,
    /// Whether calls that a model writes into its text are read.
    pub text_calls: bool,
    /// Whether images are sent.
    pub images: Images,
}

/// Whether images are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
#[plain(lowercase)]
pub enum Images {
    /// Unless the model is known to take none.
    #[default]
    Auto,
    /// To every model.
    Always,
    /// To none.
    Never,
}

/// How answers come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub enum Delivery {
    /// Piece by piece, as they are written.
    #[default]
    Streamed,
    /// Whole, for hosts that can't stream.
    Whole,
}

/// A field of [`RequestOptions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Plain)]
pub enum OptionField {
    /// See [`RequestOptions::headers`].
    Headers,
    /// See [`RequestOptions::key_header`].
    KeyHeader,
    /// See [`RequestOptions::extra_body`].
    ExtraBody,
    /// See [`RequestOptions::temperature`].
    Temperature,
    /// See [`RequestOptions::top_p`].
    TopP,
    /// See [`RequestOptions::max_tokens`].
    MaxTokens,
}

/// Headers that the browser sets itself or does not let a page set (the Fetch standard's
/// "forbidden request-header names", as far as anyone would type them), or that the key's
/// own field is for.
const RESERVED_HEADERS: [&str; 12] = [
    "authorization",
    "content-type",
    "content-length",
    "cookie",
    "host",
    "origin",
    "referer",
    "connection",
    "accept-encoding",
    "user-agent",
    "accept-charset",
    "transfer-encoding",
];
/// Fields of a request that are Tabloop's own.
const RESERVED_FIELDS: [&str; 5] = ["messages", "model", "stream", "stream_options", "tools"];

impl RequestOptions {
    /// The fields that can't be used as they are.
    pub fn problems(&self) -> Vec<(OptionField, Problem)> {
        let header = self.headers.iter().find_map(check_header);
        let key_header = match self.key_header.is_empty() || is_token(&self.key_header) {
            true => None,
            false => Some(Problem::BadHeader),
        };
        let max_tokens = match self.max_tokens.parse::<u32>() {
            Ok(1..) => None,
            _ if self.max_tokens.is_empty() => None,
            _ => Some(Problem::NotANumber),
        };
        let checks = [
            (OptionField::Headers, header),
            (OptionField::KeyHeader, key_header),
            (OptionField::ExtraBody, self.extra_fields().err()),
            (OptionField::Temperature, check_number(&self.temperature, 2)),
            (OptionField::TopP, check_number(&self.top_p, 1)),
            (OptionField::MaxTokens, max_tokens),
        ];
        let found = |(field, problem): (_, Option<Problem>)| Some((field, problem?));
        checks.into_iter().filter_map(found).collect()
    }

    /// The further fields of the request.
    ///
    /// # Errors
    /// The [`Problem`] to show at the field.
    pub fn extra_fields(&self) -> Result<serde_json::Map<String, Json>, Problem> {
        let text = self.extra_body.trim();
        if text.is_empty() {
            return Ok(serde_json::Map::new());
        }
        let Ok(Json::Object(fields)) = serde_json::from_str(text) else {
            return Err(Problem::NotAnObject);
        };
        let is_reserved = |name: &&String| RESERVED_FIELDS.contains(&name.as_str());
        match fields.keys().find(is_reserved) {
            Some(name) => Err(Problem::ReservedField(name.clone())),
            None => Ok(fields),
        }
    }
}

fn check_header((name, value): &(String, String)) -> Option<Problem> {
    let lower = name.to_ascii_lowercase();
    if RESERVED_HEADERS.contains(&lower.as_str())
        || lower.starts_with("sec-")
        || lower.starts_with("proxy-")
    {
        return Some(Problem::ReservedHeader);
    }
    let is_value = value.chars().all(|c| matches!(c, ' '..='~' | '\t'));
    (!is_token(name) || !is_value).then_some(Problem::BadHeader)
}

/// Whether it can be a header's name (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_part)
}

/// A decimal number from 0 to `max`, or nothing.
fn check_number(text: &str, max: u32) -> Option<Problem> {
    if text.is_empty() {
        return None;
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let is_long_zero = whole.len() > 1;
    let above = whole
        .parse::<u32>()
        .is_ok_and(|whole| whole > max || (whole == max && part.chars().any(|c| c != '0')));
    (!is_digits(whole) || !is_digits(part) || is_long_zero || above).then_some(Problem::NotANumber)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: RequestOptions, expected: &[(OptionField, Problem)]) {
        assert_eq!(options.problems(), expected, "{options:?}");
    }

    #[test]
    fn options_are_checked_field_by_field() {
        check(RequestOptions::default(), &[]);
        let good = RequestOptions {
            headers: vec![("X-Title".into(), "My page".into())],
            key_header: "api-key".into(),
            extra_body: "{\"seed\": 7}".into(),
            temperature: "0.7".into(),
            top_p: "1.0".into(),
            max_tokens: "4096".into(),
            ..RequestOptions::default()
        };
        check(good, &[]);
        let bad = RequestOptions {
            headers: vec![("X Title".into(), "a".into())],
            key_header: "a:b".into(),
            extra_body: "[1]".into(),
            temperature: "2.1".into(),
            top_p: "-1".into(),
            max_tokens: "0".into(),
            ..RequestOptions::default()
        };
        check(
            bad,
            &[
                (OptionField::Headers, Problem::BadHeader),
                (OptionField::KeyHeader, Problem::BadHeader),
                (OptionField::ExtraBody, Problem::NotAnObject),
                (OptionField::Temperature, Problem::NotANumber),
                (OptionField::TopP, Problem::NotANumber),
                (OptionField::MaxTokens, Problem::NotANumber),
            ],
        );
    }

    #[test]
    fn what_is_not_the_users_to_set_is_refused() {
        for (name, problem) in [
            ("Authorization", Problem::ReservedHeader),
            ("Sec-Fetch-Mode", Problem::ReservedHeader),
            ("X-A", Problem::BadHeader),
        ] {
            let options = RequestOptions {
                headers: vec![(name.into(), "line\nbreak".into())],
                ..RequestOptions::default()
            };
            check(options, &[(OptionField::Headers, problem)]);
        }
        let options = RequestOptions {
            extra_body: "{\"messages\": []}".into(),
            ..RequestOptions::default()
        };
        let reserved = Problem::ReservedField("messages".into());
        check(options, &[(OptionField::ExtraBody, reserved)]);
    }
}
