//! What is sent to a host, and what is made of its answer.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};
use serde_json::{Value as Json, json};

use super::Examiner;
use crate::kernel::doctor::{Probe, Seen};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::model::assembler::Assembler;
use crate::kernel::model::models::MAX_LIST;
use crate::kernel::model::{HttpRequest, Method, ModelEvent, Turn, errors, openai};
use crate::kernel::redact::Redactor;
use crate::kernel::settings::RequestOptions;

/// How long an answer may take: a server at home loads its model first.
const ANSWER_TIME: Duration = Duration::from_secs(60);
/// The fields by which hosts are told how long an answer may be, in the order they are tried.
const CAPS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// What the model is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// One token.
    Answer,
    /// A few, piece by piece.
    Stream,
    /// A call.
    Call,
}

impl Examiner {
    /// Asks the model, leaving out what the host turns out to refuse.
    pub(super) async fn ask(&mut self, task: Task) -> Seen {
        loop {
            let seen = self.ask_once(task).await;
            let text = seen.refusal().map_or("", |failure| failure.detail.as_str());
            let cap = CAPS.get(self.cap);
            if self.takes_options && text.contains("stream_options") {
                self.takes_options = false;
            } else if cap.is_some_and(|cap| text.contains(cap)) {
                self.cap += 1;
            } else {
                return seen;
            }
        }
    }

    async fn ask_once(&mut self, task: Task) -> Seen {
        let request = HttpRequest {
            body: vec![Rc::new(self.body(task).to_string())],
            ..self.request(
                Method::Post,
                "/chat/completions",
                self.headers(&self.patient.endpoint.options),
            )
        };
        let body = match self.exchange(request, ANSWER_TIME).await {
            Ok(body) => body,
            Err(seen) => return seen,
        };
        let is_whole = body.trim_ascii_start().starts_with(b"{");
        let turn = match self.read(&body) {
            Ok(turn) => turn,
            Err(failure) if is_no_answer(failure.kind) => return Seen::Strange,
            Err(failure) => return Seen::Refused(self.redacted(failure)),
        };
        self.counted |= turn.usage.is_some();
        match task {
            Task::Call if turn.calls.is_empty() => Seen::NotCalled,
            Task::Call => Seen::Called,
            Task::Stream if is_whole => Seen::Whole,
            Task::Stream => Seen::Streamed,
            Task::Answer => Seen::Answered,
        }
    }

    fn body(&self, task: Task) -> Json {
        let endpoint = &self.patient.endpoint;
        let mut fields = endpoint.options.extra_fields().unwrap_or_default();
        let mut put = |name: &str, value: Json| drop(fields.insert(name.to_owned(), value));
        let (words, most) = match task {
            Task::Answer => ("Reply with OK.", 1),
            Task::Stream => ("Reply with OK.", 8),
            Task::Call => ("Call the tool ping.", 96),
        };
        put("model", endpoint.model.as_str().into());
        put("messages", json!([{"role": "user", "content": words}]));
        if let Some(cap) = CAPS.get(self.cap) {
            put(cap, most.into());
        }
        if task == Task::Call {
            let parameters = json!({"type": "object", "properties": {}});
            let ping =
                json!({"name": "ping", "description": "Answers pong.", "parameters": parameters});
            put("tools", json!([{"type": "function", "function": ping}]));
        }
        // A call is asked for as runs do it, if the host can.
        let streams = match task {
            Task::Answer => false,
            Task::Stream => true,
            Task::Call => *self.facts.of(Probe::Stream) == Seen::Streamed,
        };
        if streams {
            put("stream", true.into());
            if self.takes_options {
                put("stream_options", json!({"include_usage": true}));
            }
        }
        fields.into()
    }

    fn read(&self, body: &[u8]) -> Result<Turn, Failure> {
        let mut assembler = Assembler::new(
            self.base_url.host(),
            Rc::default(),
            Box::new(|| "call".to_owned()),
        );
        assembler.push(body);
        match assembler.finish().pop() {
            Some(ModelEvent::Finished(turn)) => Ok(turn),
            Some(ModelEvent::Failed { failure, .. }) => Err(failure),
            _ => Err(errors::web_page(self.base_url.host())),
        }
    }

    pub(super) fn headers(&self, options: &RequestOptions) -> Vec<(String, String)> {
        openai::headers(options, self.base_url.host(), &self.patient.key)
    }

    pub(super) fn request(
        &self,
        method: Method,
        route: &str,
        headers: Vec<(String, String)>,
    ) -> HttpRequest {
        HttpRequest {
            method,
            url: self.base_url.join(route),
            headers,
            body: Vec::new(),
        }
    }

    /// Sends a request and reads the answer's body, if it is one for a program.
    pub(super) async fn exchange(
        &self,
        request: HttpRequest,
        limit: Duration,
    ) -> Result<Vec<u8>, Seen> {
        let work = async {
            let sent = self.instruments.transport.send(request).await;
            let mut response = sent.map_err(|_| Seen::Nothing)?;
            let mut body = Vec::new();
            while let Some(piece) = response.body.next().await {
                body.extend(piece.map_err(|_| Seen::Nothing)?);
                if body.len() > MAX_LIST {
                    break;
                }
            }
            Ok((response.status, response.retry_after, body))
        };
        let sleep = self.instruments.clock.sleep(limit);
        let (status, retry_after, body) = match select(pin!(work), sleep).await {
            Either::Left((answer, _)) => answer?,
            Either::Right(_) => return Err(Seen::Late),
        };
        if status >= 400 {
            let text = String::from_utf8_lossy(&body);
            let mut failure = errors::from_body(status, &text, self.base_url.host());
            let wait = retry_after.as_deref().and_then(errors::wait_of_header);
            failure.retry_after_ms = wait.or(failure.retry_after_ms);
            return Err(Seen::Refused(self.redacted(failure)));
        }
        // Where it leads may be a chat endpoint; here is none.
        if errors::is_redirect(status) {
            return Err(Seen::WebPage);
        }
        match body.trim_ascii_start().starts_with(b"<") {
            true => Err(Seen::WebPage),
            false => Ok(body),
        }
    }

    /// Some hosts repeat the key in their error. The body is of no use here.
    fn redacted(&self, failure: Failure) -> Failure {
        let mut failure = failure.without(&self.patient.key);
        failure.detail = Redactor::new().redact(&failure.detail).into_owned();
        failure.body = String::new();
        failure
    }
}

/// Whether the body was none of a chat, or not a whole one.
fn is_no_answer(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::BadEndpoint | FailureKind::Truncated)
}
