//! A profile: an endpoint with its models, what is sent to it and what is known of it.

use serde_json::Value as Json;

use super::{BaseUrl, FactsSource, Lesson, ModelFacts, Problem, parse_model};
use crate::plain::Plain;

/// Names a profile.
pub type ProfileId = String;

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum ModelChoice {
    /// The scripted model that needs no network.
    Demo,
    /// A model at an endpoint.
    Profile {
        /// The endpoint.
        id: ProfileId,
        /// The model's name there.
        model: String,
    },
}

/// An OpenAI-compatible endpoint as the user set it up. Its key is not among it.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// What the user calls it; empty: its host says enough.
    #[plain(default)]
    pub name: String,
    /// The address below which `/chat/completions` lives.
    pub base_url: BaseUrl,
    /// The model that is asked where none was chosen.
    pub model: String,
    /// A second, cheap model for summaries, titles and sub-agents; empty: none.
    #[plain(default)]
    pub second_model: String,
    /// Whether it was given a key. Then it is not asked without one.
    pub uses_key: bool,
    /// What is sent beside the conversation.
    #[plain(default)]
    pub options: RequestOptions,
    /// What the user said about single models.
    #[plain(default)]
    pub facts: Vec<ModelFacts>,
    /// What it was found to refuse.
    #[plain(default)]
    pub lessons: Vec<Lesson>,
    /// What its host told of models that were chosen.
    #[plain(default)]
    pub told: Vec<ModelFacts>,
}

/// Where one request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// See [`Profile::base_url`].
    pub base_url: BaseUrl,
    /// The model's name there.
    pub model: String,
    /// See [`Profile::options`].
    pub options: RequestOptions,
}

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

/// A profile as it stands in a form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct ProfileDraft {
    /// As typed.
    pub name: String,
    /// As typed.
    pub base_url: String,
    /// As typed; `None` keeps the one there is.
    pub key: Option<String>,
    /// As typed.
    pub model: String,
    /// What is sent beside the conversation; `None` keeps what was set.
    pub options: Option<RequestOptions>,
}

impl Profile {
    /// One with nothing set but its address and its model.
    pub fn new(id: ProfileId, base_url: BaseUrl, model: String) -> Self {
        Self {
            id,
            name: String::new(),
            base_url,
            model,
            second_model: String::new(),
            uses_key: false,
            options: RequestOptions::default(),
            facts: Vec::new(),
            lessons: Vec::new(),
            told: Vec::new(),
        }
    }

    /// Its name, or its host.
    pub fn label(&self) -> &str {
        match self.name.as_str() {
            "" => self.base_url.host(),
            name => name,
        }
    }

    /// The choice of its first model.
    pub fn choice(&self) -> ModelChoice {
        ModelChoice::Profile {
            id: self.id.clone(),
            model: self.model.clone(),
        }
    }

    /// Where a request to `model` goes.
    pub fn endpoint(&self, model: String) -> Endpoint {
        Endpoint {
            base_url: self.base_url.clone(),
            model,
            options: self.options.clone(),
        }
    }

    /// What the user said about `model`, or what else is known.
    pub fn facts(&self, model: &str) -> ModelFacts {
        let said = self.facts.iter().find(|facts| facts.model == model);
        said.cloned().unwrap_or_else(|| self.without_user(model).0)
    }

    /// Where [`Profile::facts`] come from.
    pub fn source(&self, model: &str) -> FactsSource {
        match self.facts.iter().any(|facts| facts.model == model) {
            true => FactsSource::User,
            false => self.without_user(model).1,
        }
    }

    /// What is known of `model` without the user's word. Its own host knows best.
    fn without_user(&self, model: &str) -> (ModelFacts, FactsSource) {
        let (mut facts, source) = ModelFacts::known(model);
        match self.told.iter().find(|facts| facts.model == model) {
            Some(told) => {
                facts.learn(told);
                (facts, FactsSource::Host)
            }
            None => (facts, source),
        }
    }

    /// Sets what the user says about `model`; what is known anyway is not kept.
    pub fn set_facts(&mut self, model: &str, facts: ModelFacts) {
        let (known, _) = self.without_user(model);
        let facts = ModelFacts {
            model: model.to_owned(),
            ..facts
        };
        let said = (facts != known).then_some(facts);
        keep_one(&mut self.facts, model, said);
    }

    /// Keeps what the host told of `model`; nothing is told by zeros.
    pub fn hear(&mut self, model: &str, told: Option<&ModelFacts>) {
        let tells = |facts: &&ModelFacts| facts.window > 0 || facts.price_out > 0;
        keep_one(&mut self.told, model, told.filter(tells).cloned());
    }
}

fn keep_one(all: &mut Vec<ModelFacts>, model: &str, now: Option<ModelFacts>) {
    all.retain(|facts| facts.model != model);
    all.extend(now);
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

impl ProfileDraft {
    /// The address and the model's name.
    ///
    /// # Errors
    /// What is wrong with each.
    pub fn parse(&self) -> (Result<BaseUrl, Problem>, Result<String, Problem>) {
        (BaseUrl::parse(&self.base_url), parse_model(&self.model))
    }
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

    use crate::kernel::settings::DEFAULT_WINDOW;

    #[test]
    fn what_is_known_anyway_is_not_kept() {
        let base_url = BaseUrl::parse("https://x.example/v1").unwrap();
        let mut profile = Profile::new("p".into(), base_url, "m".into());
        let small = ModelFacts {
            window: 8_000,
            ..ModelFacts::known("m").0
        };
        profile.set_facts("m", small.clone());
        assert_eq!(profile.facts("m"), small);
        assert_eq!(profile.source("m"), FactsSource::User);
        assert_eq!(profile.facts("other").window, DEFAULT_WINDOW);
        assert_eq!(profile.source("other"), FactsSource::Unknown);
        profile.set_facts("m", ModelFacts::known("m").0);
        assert_eq!(profile.facts, []);
    }
    #[test]
    fn the_host_knows_its_models_better_than_a_list_and_the_user_better_than_the_host() {
        let base_url = BaseUrl::parse("https://x.example/v1").unwrap();
        let model = "gpt-4.1-mini";
        let mut profile = Profile::new("p".into(), base_url, model.into());
        let (listed, _) = ModelFacts::known(model);
        assert_eq!(profile.source(model), FactsSource::Published);
        let told = ModelFacts {
            window: 32_000,
            ..ModelFacts::nothing(model)
        };
        profile.hear(model, Some(&told));
        let heard = ModelFacts {
            window: 32_000,
            ..listed
        };
        assert_eq!(profile.facts(model), heard);
        assert_eq!(profile.source(model), FactsSource::Host);
        let said = ModelFacts {
            price_out: 1,
            ..heard.clone()
        };
        profile.set_facts(model, said.clone());
        assert_eq!(profile.facts(model), said);
        profile.set_facts(model, heard);
        assert_eq!(profile.facts, []);
        profile.hear(model, Some(&ModelFacts::nothing(model)));
        assert_eq!(profile.told, []);
    }
}
