//! A model behind an OpenAI-compatible endpoint: `/chat/completions`, streamed.
//!
//! Sends little and learns what a host refuses: a base URL without its `/v1`,
//! `stream_options`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures::StreamExt;
use futures::stream::{self, LocalBoxStream};
use serde_json::{Value as Json, json};

use super::assembler::Assembler;
use super::conversation::Conversation;
use super::{HttpRequest, HttpResponse, ModelClient, ModelEvent, ModelRequest, Transport, errors};
use crate::kernel::clock::{Clock, Random, unique_id};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::settings::{BaseUrl, Endpoint};
use crate::kernel::tool::ToolSpec;

/// Most bytes of an error's body that are read.
const MAX_ERROR_BODY: usize = 64 << 10;

/// What was found out about a host. Outlives a run, so that nothing is tried twice.
#[derive(Default)]
pub struct Learned {
    corrected: RefCell<Option<BaseUrl>>,
    refuses_stream_options: Cell<bool>,
}

impl Learned {
    /// The address that worked where the one given did not.
    pub fn corrected(&self) -> Option<BaseUrl> {
        self.corrected.borrow().clone()
    }
}

/// A client for the length of one run.
pub struct OpenAiClient {
    connection: Rc<Connection>,
    conversation: RefCell<Option<Conversation>>,
    mint: Rc<dyn Fn() -> String>,
}

/// What it takes to send one request.
struct Connection {
    endpoint: Endpoint,
    key: String,
    transport: Rc<dyn Transport>,
    learned: Rc<Learned>,
}

impl OpenAiClient {
    /// A client of `endpoint`; `key` may be empty.
    pub fn new(
        endpoint: Endpoint,
        key: String,
        transport: Rc<dyn Transport>,
        learned: Rc<Learned>,
        clock: Rc<dyn Clock>,
        random: Rc<dyn Random>,
    ) -> Self {
        Self {
            connection: Rc::new(Connection {
                endpoint,
                key,
                transport,
                learned,
            }),
            conversation: RefCell::new(None),
            mint: Rc::new(move || format!("call_{}", unique_id(&*clock, &*random))),
        }
    }

    /// The request's JSON up to the fields that may have to be left out.
    fn body(&self, request: &ModelRequest<'_>) -> String {
        let mut slot = self.conversation.borrow_mut();
        let host = self.connection.endpoint.base_url.host();
        let conversation = slot.get_or_insert_with(|| Conversation::new(host, request.system));
        let model = Json::from(self.connection.endpoint.model.as_str());
        let messages = conversation.messages(request.records);
        let mut body = format!("{{\"model\":{model},\"messages\":[{messages}]");
        if !request.tools.is_empty() {
            let tools: Vec<Json> = request.tools.iter().map(tool).collect();
            body.push_str(",\"tools\":");
            body.push_str(&Json::from(tools).to_string());
        }
        body.push_str(",\"stream\":true");
        body
    }
}

fn tool(spec: &ToolSpec) -> Json {
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        }
    })
}

impl ModelClient for OpenAiClient {
    fn stream(&self, request: ModelRequest<'_>) -> LocalBoxStream<'static, ModelEvent> {
        let mint = Rc::clone(&self.mint);
        let host = self.host();
        let body = self.body(&request);
        let connection = Rc::clone(&self.connection);
        let assembler = Assembler::new(host, Box::new(move || mint()));
        let reader = Reader {
            state: State::Unsent(connection, body, assembler),
            ready: VecDeque::new(),
        };
        stream::unfold(reader, Reader::next).boxed_local()
    }

    fn host(&self) -> String {
        self.connection.endpoint.base_url.host().to_owned()
    }
}

/// The stream behind [`OpenAiClient::stream`].
struct Reader {
    state: State,
    ready: VecDeque<ModelEvent>,
}

enum State {
    Unsent(Rc<Connection>, String, Assembler),
    Reading(HttpResponse, Rc<Connection>, Assembler),
    Done,
}

impl Reader {
    async fn next(mut self) -> Option<(ModelEvent, Self)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((event, self));
            }
            match std::mem::replace(&mut self.state, State::Done) {
                State::Unsent(connection, body, assembler) => match connection.open(&body).await {
                    Ok(response) => self.state = State::Reading(response, connection, assembler),
                    Err(failure) => self.ready.push_back(ModelEvent::Failed {
                        failure: connection.redacted(failure),
                        text: String::new(),
                        reasoning: String::new(),
                    }),
                },
                State::Reading(mut response, connection, mut assembler) => {
                    match response.body.next().await {
                        Some(Ok(bytes)) => {
                            self.ready.extend(assembler.push(&bytes));
                            self.state = State::Reading(response, connection, assembler);
                        }
                        Some(Err(error)) => self
                            .ready
                            .push_back(connection.redacted_event(assembler.broken(error.0))),
                        None => {
                            let events = assembler.finish().into_iter();
                            self.ready
                                .extend(events.map(|event| connection.redacted_event(event)));
                        }
                    }
                }
                State::Done => return None,
            }
        }
    }
}

impl Connection {
    /// Sends the request until an answer begins that is one of a chat endpoint.
    async fn open(&self, body: &str) -> Result<HttpResponse, Failure> {
        let mut base_url = self
            .learned
            .corrected()
            .unwrap_or_else(|| self.endpoint.base_url.clone());
        let mut first_failure = None;
        loop {
            let failure = match self.post(&base_url, body).await {
                Ok(response) => {
                    if base_url != self.endpoint.base_url {
                        self.learned.corrected.replace(Some(base_url));
                    }
                    return Ok(response);
                }
                Err(failure) => failure,
            };
            if asks_to_drop_stream_options(&failure)
                && !self.learned.refuses_stream_options.replace(true)
            {
                continue;
            }
            let wrong_address = matches!(
                failure.kind,
                FailureKind::NotFound | FailureKind::BadEndpoint
            );
            match base_url.with_v1() {
                Some(next) if wrong_address && first_failure.is_none() => {
                    first_failure = Some(failure);
                    base_url = next;
                }
                _ => return Err(first_failure.unwrap_or(failure)),
            }
        }
    }

    async fn post(&self, base_url: &BaseUrl, body: &str) -> Result<HttpResponse, Failure> {
        let host = base_url.host();
        let options = match self.learned.refuses_stream_options.get() {
            true => "}",
            false => ",\"stream_options\":{\"include_usage\":true}}",
        };
        let request = HttpRequest {
            url: base_url.join("/chat/completions"),
            headers: self.headers(host),
            body: [body, options].concat().into_bytes(),
        };
        let response = self
            .transport
            .post(request)
            .await
            .map_err(|error| Failure {
                kind: FailureKind::Network,
                host: host.to_owned(),
                status: None,
                detail: error.0,
                retry_after_ms: None,
            })?;
        if response.status >= 400 {
            let status = response.status;
            let body = read_some(response).await;
            return Err(errors::from_body(status, &body, host));
        }
        refuse_web_page(response, host).await
    }

    /// Few headers on purpose: any other can fail the browser's preflight.
    fn headers(&self, host: &str) -> Vec<(&'static str, String)> {
        let mut headers = vec![("Content-Type", "application/json".to_owned())];
        if !self.key.is_empty() {
            headers.push(("Authorization", format!("Bearer {}", self.key)));
        }
        // Anthropic answers web pages only when they say so.
        if host == "api.anthropic.com" {
            headers.push((
                "anthropic-dangerous-direct-browser-access",
                "true".to_owned(),
            ));
        }
        headers
    }

    /// Some hosts repeat the key in their error.
    fn redacted(&self, mut failure: Failure) -> Failure {
        if !self.key.is_empty() {
            failure.detail = failure.detail.replace(&self.key, "[key]");
        }
        failure
    }

    fn redacted_event(&self, event: ModelEvent) -> ModelEvent {
        match event {
            ModelEvent::Failed {
                failure,
                text,
                reasoning,
            } => ModelEvent::Failed {
                failure: self.redacted(failure),
                text,
                reasoning,
            },
            other => other,
        }
    }
}

fn asks_to_drop_stream_options(failure: &Failure) -> bool {
    matches!(failure.status, Some(400 | 422)) && failure.detail.contains("stream_options")
}

async fn read_some(mut response: HttpResponse) -> String {
    let mut body = Vec::new();
    while let Some(Ok(bytes)) = response.body.next().await {
        body.extend(bytes);
        if body.len() > MAX_ERROR_BODY {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// Looks at the first bytes, and gives an answer that still begins with them.
async fn refuse_web_page(mut response: HttpResponse, host: &str) -> Result<HttpResponse, Failure> {
    let mut seen = Vec::new();
    while let Some(piece) = response.body.next().await {
        let is_blank = |bytes: &Vec<u8>| bytes.iter().all(u8::is_ascii_whitespace);
        let decided = !piece.as_ref().is_ok_and(is_blank);
        seen.push(piece);
        if decided {
            break;
        }
    }
    let start = seen
        .iter()
        .flatten()
        .flatten()
        .find(|byte| !byte.is_ascii_whitespace());
    if start == Some(&b'<') {
        return Err(errors::web_page(host));
    }
    let body = stream::iter(seen).chain(response.body).boxed_local();
    Ok(HttpResponse { body, ..response })
}
