//! A model behind an OpenAI-compatible endpoint: `/chat/completions`, streamed.
//!
//! Sends little and learns what a host refuses: a base URL without its `/v1`,
//! `stream_options`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::{self, LocalBoxStream};
use serde_json::{Value as Json, json};

use super::assembler::{Assembler, Offered};
use super::conversation::Conversation;
use super::{
    HttpRequest, HttpResponse, Method, ModelClient, ModelEvent, ModelRequest, Tape, Transport,
    errors,
};
use crate::kernel::clock::{Clock, Random, unique_id};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::settings::{BaseUrl, Endpoint, RequestOptions};
use crate::kernel::tool::ToolSpec;
use crate::kernel::trace;

/// Most bytes of an error's body that are read.
const MAX_ERROR_BODY: usize = 64 << 10;
/// How long a body may stay open behind its host's own mark of the end.
const AFTER_DONE: Duration = Duration::from_secs(2);
/// How a request ends, and how if the host refuses to be asked for a count of tokens.
const WITH_OPTIONS: &str = ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}";
const WITHOUT_OPTIONS: &str = ",\"stream\":true}";

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

/// What a client is made of.
#[derive(Clone)]
pub struct Wiring {
    /// Whom to ask.
    pub endpoint: Endpoint,
    /// May be empty.
    pub key: String,
    /// The network.
    pub transport: Rc<dyn Transport>,
    /// What is known of the host.
    pub learned: Rc<Learned>,
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Chance.
    pub random: Rc<dyn Random>,
    /// How long the host may be silent within a request.
    pub idle: Duration,
}

/// A client for the length of one run.
pub struct OpenAiClient {
    connection: Rc<Wiring>,
    conversation: RefCell<Option<Conversation>>,
    /// Bytes of the messages that were sent last.
    sent: Cell<usize>,
    /// The tools as they are sent.
    tools: RefCell<Option<String>>,
    /// The tools of the last request.
    offered: RefCell<Rc<Offered>>,
}

impl OpenAiClient {
    /// A client that has sent nothing yet.
    pub fn new(wiring: Wiring) -> Self {
        Self {
            connection: Rc::new(wiring),
            conversation: RefCell::new(None),
            sent: Cell::new(0),
            tools: RefCell::default(),
            offered: RefCell::default(),
        }
    }

    /// The request's JSON.
    fn body(&self, request: &ModelRequest<'_>) -> Vec<Rc<String>> {
        let mut slot = self.conversation.borrow_mut();
        let host = self.connection.endpoint.base_url.host();
        let conversation = slot.get_or_insert_with(|| {
            let of = (host, self.connection.endpoint.model.as_str());
            Conversation::new(of, request.system)
        });
        let model = Json::from(self.connection.endpoint.model.as_str());
        let before = conversation.start_of_next(request.records);
        let messages = conversation.messages(request.records, request.redactor);
        let head = format!("{{\"model\":{model},\"messages\":[");
        let same = before.min(self.sent.replace(messages.len()));
        let mut cached = self.tools.borrow_mut();
        let tools = match request.tools.is_empty() {
            true => "",
            // What is on offer stays the same within a run.
            false => cached
                .get_or_insert_with(|| {
                    self.offered.replace(Rc::new(Offered::of(request.tools)));
                    let tools: Vec<Json> = request.tools.iter().map(tool).collect();
                    format!(",\"tools\":{}", Json::from(tools))
                })
                .as_str(),
        };
        let end = match self.connection.learned.refuses_stream_options.get() {
            true => WITHOUT_OPTIONS,
            false => WITH_OPTIONS,
        };
        let rest = ["]", tools, end].concat();
        if let Some(tape) = &request.tape {
            tape.model.replace(self.connection.endpoint.model.clone());
            let new = &messages[same..];
            let noted = match same {
                0 => [&head, new, &rest].concat(),
                // What follows the messages stays the same too.
                _ => new.to_owned(),
            };
            let same = if same > 0 { head.len() + same } else { 0 };
            tape.same_bytes.set(same);
            tape.request.replace(noted);
        }
        vec![Rc::new(head), messages, Rc::new(rest)]
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
        let host = self.host();
        let body = self.body(&request);
        let connection = Rc::clone(&self.connection);
        let of_mint = Rc::clone(&connection);
        let mint = move || {
            let id = unique_id(&*of_mint.clock, &*of_mint.random);
            format!("call_{id}")
        };
        let offered = match request.tools.is_empty() {
            true => Rc::default(),
            false => Rc::clone(&self.offered.borrow()),
        };
        let assembler = Assembler::new(host, offered, Box::new(mint));
        let reader = Reader {
            state: State::Unsent(connection, body, assembler),
            ready: VecDeque::new(),
            tape: request.tape,
        };
        stream::unfold(reader, Reader::next).boxed_local()
    }

    fn host(&self) -> String {
        self.connection.endpoint.base_url.host().to_owned()
    }

    fn model(&self) -> String {
        self.connection.endpoint.model.clone()
    }
}

/// The stream behind [`OpenAiClient::stream`].
struct Reader {
    state: State,
    ready: VecDeque<ModelEvent>,
    tape: Option<Rc<Tape>>,
}

enum State {
    Unsent(Rc<Wiring>, Vec<Rc<String>>, Assembler),
    Reading(HttpResponse, Rc<Wiring>, Assembler),
    Done,
}

impl Reader {
    async fn next(mut self) -> Option<(ModelEvent, Self)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((event, self));
            }
            match std::mem::replace(&mut self.state, State::Done) {
                State::Unsent(connection, body, assembler) => match connection.open(body).await {
                    Ok(response) => {
                        if let Some(tape) = &self.tape {
                            tape.status.set(response.status);
                            tape.head_ms.set(connection.clock.now_ms());
                        }
                        self.state = State::Reading(response, connection, assembler);
                    }
                    Err(failure) => self
                        .ready
                        .push_back(ModelEvent::refused(failure.without(&connection.key))),
                },
                State::Reading(mut response, connection, mut assembler) => {
                    let patience = match assembler.saw_done() {
                        true => AFTER_DONE.min(connection.idle),
                        false => connection.idle,
                    };
                    match connection.within(patience, response.body.next()).await {
                        None => {
                            let end = assembler.failed_by(connection.silent());
                            self.ready.push_back(connection.redacted_event(end));
                        }
                        Some(Some(Ok(bytes))) => {
                            if let Some(tape) = &self.tape {
                                note(tape, &bytes);
                            }
                            self.ready.extend(assembler.push(&bytes));
                            if assembler.gave_up() {
                                self.ready.extend(assembler.finish());
                                continue;
                            }
                            if self.ready.is_empty() {
                                self.ready.push_back(ModelEvent::Alive);
                            }
                            self.state = State::Reading(response, connection, assembler);
                        }
                        Some(Some(Err(error))) => self
                            .ready
                            .push_back(connection.redacted_event(assembler.broken(error.0))),
                        Some(None) => {
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

/// Keeps what came, up to a size.
fn note(tape: &Tape, bytes: &[u8]) {
    let mut response = tape.response.borrow_mut();
    let room = trace::MAX_BODY.saturating_sub(response.len());
    response.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

impl Wiring {
    /// What `work` gives, or nothing if the host is silent for too long.
    async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.within(self.idle, work).await
    }

    async fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        match select(pin!(work), self.clock.sleep(limit)).await {
            Either::Left((value, _)) => Some(value),
            Either::Right(_) => None,
        }
    }

    fn silent(&self) -> Failure {
        Failure {
            host: self.endpoint.base_url.host().to_owned(),
            ..Failure::new(FailureKind::Idle, "")
        }
    }

    /// Sends the request until an answer begins that is one of a chat endpoint.
    async fn open(&self, mut body: Vec<Rc<String>>) -> Result<HttpResponse, Failure> {
        let mut base_url = self
            .learned
            .corrected()
            .unwrap_or_else(|| self.endpoint.base_url.clone());
        let mut first_failure = None;
        loop {
            let failure = match self.post(&base_url, &body).await {
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
                if let Some(rest) = body.last_mut() {
                    *rest = Rc::new(rest.replace(WITH_OPTIONS, WITHOUT_OPTIONS));
                }
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

    async fn post(&self, base_url: &BaseUrl, body: &[Rc<String>]) -> Result<HttpResponse, Failure> {
        let host = base_url.host();
        let request = HttpRequest {
            method: Method::Post,
            url: base_url.join("/chat/completions"),
            headers: headers(&self.endpoint.options, host, &self.key),
            body: body.to_vec(),
        };
        let Some(response) = self.in_time(self.transport.send(request)).await else {
            return Err(self.silent());
        };
        let response = response.map_err(|error| Failure {
            host: host.to_owned(),
            ..Failure::new(FailureKind::Network, error.0)
        })?;
        if response.status >= 400 {
            let (status, retry_after) = (response.status, response.retry_after.clone());
            let body = self.in_time(read_some(response)).await.unwrap_or_default();
            let mut failure = errors::from_body(status, &body, host);
            if let Some(wait_ms) = retry_after.as_deref().and_then(errors::wait_of_header) {
                failure.retry_after_ms = Some(wait_ms);
            }
            return Err(failure);
        }
        match self.in_time(refuse_web_page(response, host)).await {
            Some(checked) => checked,
            None => Err(self.silent()),
        }
    }

    /// Some hosts repeat the key in their error.
    fn redacted_event(&self, event: ModelEvent) -> ModelEvent {
        match event {
            ModelEvent::Failed { failure, partial } => ModelEvent::Failed {
                failure: failure.without(&self.key),
                partial,
            },
            other => other,
        }
    }
}

/// The headers of a chat request. Few on purpose: any other can fail the browser's preflight.
pub fn headers(options: &RequestOptions, host: &str, key: &str) -> Vec<(String, String)> {
    let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    match options.key_header.as_str() {
        _ if key.is_empty() => {}
        "" => headers.push(("Authorization".to_owned(), format!("Bearer {key}"))),
        name => headers.push((name.to_owned(), key.to_owned())),
    }
    // Anthropic answers web pages only when they say so.
    if host == "api.anthropic.com" {
        headers.push((
            "anthropic-dangerous-direct-browser-access".to_owned(),
            "true".to_owned(),
        ));
    }
    headers.extend(options.headers.iter().cloned());
    headers
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
