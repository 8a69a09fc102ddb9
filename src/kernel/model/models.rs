//! The models that an endpoint has: asks `/models`, and reads what hosts answer.

use std::cmp::Ordering;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};
use serde_json::Value as Json;

use super::openai::headers;
use super::{HttpRequest, Method, Transport, errors};
use crate::kernel::clock::Clock;
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::fixed;
use crate::kernel::settings::{BaseUrl, Endpoint, Limit, ModelFacts, RequestOptions, Takes};

/// Most bytes of a list that are read. The longest in use, of a host with hundreds of
/// models and a text to each, have about one million.
pub const MAX_LIST: usize = 16 << 20;
/// Most models that are kept.
const MAX_MODELS: usize = 20_000;
/// Longest name, in bytes.
const MAX_NAME: usize = 200;
/// Under these names hosts tell what a model takes in.
const WINDOW_FIELDS: [&str; 5] = [
    "context_length",
    "context_window",
    "max_model_len",
    "max_context_length",
    "max_input_tokens",
];
/// Where hosts list what a model takes: beside its name, or a level below.
const TAKEN_FIELDS: [[&str; 2]; 3] = [
    ["architecture", "input_modalities"],
    ["modalities", "input"],
    ["", "input_modalities"],
];
/// Where some hosts tell the prices of one token, in dollars as decimal text.
const PRICE_FIELDS: [&str; 3] = ["prompt", "input_cache_read", "completion"];
/// Places behind the point from a dollar a token to a hundredth of a cent a million.
const PRICE_PLACES: usize = 10;

/// Whom to ask, and by what.
pub struct Question {
    /// The endpoint; its model does not matter.
    pub endpoint: Endpoint,
    /// May be empty.
    pub key: String,
    /// The network.
    pub transport: Rc<dyn Transport>,
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// How long all of it may take.
    pub limit: Duration,
}

impl Question {
    /// The endpoint's models, by name, with what it tells of them; zeros for what it
    /// doesn't.
    ///
    /// # Errors
    /// Why there is no list.
    pub async fn ask(&self) -> Result<Vec<ModelFacts>, Failure> {
        let base_url = &self.endpoint.base_url;
        let asked = async {
            let failure = match self.models_at(base_url).await {
                Ok(models) => return Ok(models),
                Err(failure) => failure,
            };
            let is_wrong_address = matches!(
                failure.kind,
                FailureKind::NotFound | FailureKind::BadEndpoint
            );
            match base_url.with_v1().filter(|_| is_wrong_address) {
                Some(next) => self.models_at(&next).await.map_err(|_| failure),
                None => Err(failure),
            }
        };
        match select(pin!(asked), self.clock.sleep(self.limit)).await {
            Either::Left((listed, _)) => listed.map_err(|failure| failure.without(&self.key)),
            Either::Right(_) => Err(self.failed(FailureKind::Idle, String::new())),
        }
    }

    async fn models_at(&self, base_url: &BaseUrl) -> Result<Vec<ModelFacts>, Failure> {
        let host = base_url.host();
        let request = request(&self.endpoint.options, base_url, &self.key);
        let sent = self.transport.send(request).await;
        let mut response = sent.map_err(|error| self.failed(FailureKind::Network, error.0))?;
        let mut body = Vec::new();
        while let Some(piece) = response.body.next().await {
            let piece = piece.map_err(|error| self.failed(FailureKind::Truncated, error.0))?;
            body.extend(piece);
            if body.len() > MAX_LIST {
                let detail = format!("more than {MAX_LIST} bytes");
                return Err(errors::not_chat(host, detail));
            }
        }
        if errors::is_redirect(response.status) {
            return Err(errors::redirected(host));
        }
        if response.status >= 400 {
            let told = String::from_utf8_lossy(&body);
            return Err(errors::from_body(response.status, &told, host));
        }
        read(&body).ok_or_else(|| self.failed(FailureKind::BadEndpoint, String::new()))
    }

    fn failed(&self, kind: FailureKind, detail: String) -> Failure {
        Failure {
            host: self.endpoint.base_url.host().to_owned(),
            ..Failure::new(kind, detail)
        }
    }
}

/// What the models at `base_url` are asked for with.
pub fn request(options: &RequestOptions, base_url: &BaseUrl, key: &str) -> HttpRequest {
    let mut headers = headers(options, base_url.host(), key);
    // There is no content, and one header less to be allowed.
    headers.retain(|(name, _)| name != "Content-Type");
    HttpRequest {
        method: Method::Get,
        url: base_url.join("/models"),
        headers,
        body: Vec::new(),
    }
}

/// Reads a list in any of the shapes in use: `{data: […]}`, `{models: […]}` or the bare
/// list; of objects with `id`, `model` or `name`, or of names. `None`: it is no list.
pub fn read(body: &[u8]) -> Option<Vec<ModelFacts>> {
    let json: Json = serde_json::from_str(&String::from_utf8_lossy(body)).ok()?;
    let list = match &json {
        Json::Array(list) => list,
        object => ["data", "models"]
            .iter()
            .find_map(|name| object.get(name)?.as_array())?,
    };
    let mut models: Vec<ModelFacts> = list.iter().filter_map(read_one).collect();
    // Stable: of two with the same name the first stays.
    models.sort_by(|a, b| by_name(&a.model, &b.model));
    models.dedup_by(|a, b| a.model == b.model);
    models.truncate(MAX_MODELS);
    Some(models)
}

fn by_name(a: &str, b: &str) -> Ordering {
    let lower = |name: &str| name.to_ascii_lowercase();
    lower(a).cmp(&lower(b)).then_with(|| a.cmp(b))
}

fn read_one(json: &Json) -> Option<ModelFacts> {
    let name = ["id", "model", "name"]
        .iter()
        .find_map(|field| json.get(field)?.as_str());
    let name = name.or_else(|| json.as_str())?.trim();
    let is_name = !name.is_empty() && name.len() <= MAX_NAME && !name.contains(char::is_control);
    if !is_name {
        return None;
    }
    let (least, most) = Limit::Window.range();
    let fields = WINDOW_FIELDS.iter().map(|field| json.get(field));
    // llama.cpp's server tells what it was started with beside what the model could take.
    let beside = json.get("meta").and_then(|meta| meta.get("n_ctx"));
    let window = fields.chain([beside]).flatten().find_map(|told| {
        let window = u32::try_from(told.as_u64()?).ok()?;
        (least..=most).contains(&window).then_some(window)
    });
    let price = |at: usize| {
        let text = json.get("pricing")?.get(PRICE_FIELDS[at])?.as_str()?;
        let price = fixed::parse(text, PRICE_PLACES)?;
        (price <= Limit::PriceOut.range().1).then_some(price)
    };
    let price_in = price(0).unwrap_or(0);
    Some(ModelFacts {
        model: name.to_owned(),
        window: window.unwrap_or(0),
        price_in,
        price_cached: price(1).unwrap_or(price_in),
        price_out: price(2).unwrap_or(0),
        takes: takes(json),
    })
}

/// What a host tells of what a model takes: a list of kinds, or a word on sight.
fn takes(json: &Json) -> Takes {
    let lists = TAKEN_FIELDS.iter().filter_map(|[above, name]| {
        let place = if above.is_empty() {
            json
        } else {
            json.get(above)?
        };
        let kinds = place.get(name)?.as_array()?;
        let kinds = kinds.iter().filter_map(Json::as_str);
        // An empty list tells nothing.
        kinds.map(|kind| kind == "image").reduce(|a, b| a || b)
    });
    let sees = json.get("capabilities").and_then(|all| all.get("vision"));
    match lists.chain(sees.and_then(Json::as_bool)).next() {
        Some(true) => Takes::Images,
        Some(false) => Takes::Text,
        None => Takes::Unknown,
    }
}
