//! The model's side of the loop: what is asked, what comes back, and the two
//! traits behind which the network and the model live.

pub mod assembler;
pub mod conversation;
pub mod demo;
pub mod errors;
pub mod layout;
pub mod models;
pub mod openai;
pub mod sse;
pub mod think;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

use super::event::Failure;
use super::redact::Redactor;
use super::session::{Picture, Reasoning, Record, Remark, ToolCall, Usage};
use super::settings::Lesson;
use super::tool::ToolSpec;
use super::trace::Purpose;
use crate::plain::Plain;

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// With a body.
    Post,
    /// Without one.
    Get,
    /// As [`Method::Get`], but the host is not asked for leave and tells nothing: an answer
    /// has no status (0) and no body. So it comes from a host that lets no web page in, too.
    Knock,
}

/// A request to send. Its headers may hold a key: it is never logged.
pub struct HttpRequest {
    /// How it is sent.
    pub method: Method,
    /// The whole address.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// JSON, in pieces that follow each other: with a long history a copy costs, so
    /// only the edge puts them together.
    pub body: Vec<Rc<String>>,
}

/// The beginning of an answer, and the rest as it comes.
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The `Retry-After` header, where the host lets web pages see it.
    pub retry_after: Option<String>,
    /// The bytes of the body, in whatever pieces the network makes of it.
    pub body: LocalBoxStream<'static, Result<Vec<u8>, TransportError>>,
}

/// The network gave no answer, or broke it off. The text is the platform's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TransportError(pub String);

/// Sends requests. Dropping the future or the body aborts the request.
pub trait Transport {
    /// Sends `request` and resolves with the head of the answer.
    fn send(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, TransportError>>;

    /// Whether the page may reach `host`, which is this machine or in its network.
    fn leave(&self, _host: &str) -> LocalBoxFuture<'static, Leave> {
        Box::pin(std::future::ready(Leave::Unknown))
    }
}

/// What the user has said to the browser's question whether a page may reach this machine
/// and its network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leave {
    /// The browser has no such question.
    #[default]
    Unknown,
    /// Yes.
    Given,
    /// It was not asked, or not answered.
    Open,
    /// No.
    Denied,
}

/// What one round asks of the model.
pub struct ModelRequest<'a> {
    /// The system prompt.
    pub system: &'a str,
    /// The transcript so far; within one client it only ever grows.
    pub records: &'a [Record],
    /// The tools on offer; none for a last word.
    pub tools: &'a [ToolSpec],
    /// What it is for.
    pub purpose: Purpose,
    /// What hides secrets, as they are known now.
    pub redactor: &'a Rc<Redactor>,
    /// Where to note down what goes over the wire.
    pub tape: Option<Rc<Tape>>,
}

/// What went over the wire for one request, for the trace. Nothing is noted by a
/// model that needs no wire.
#[derive(Default)]
pub struct Tape {
    /// The model that was asked.
    pub model: RefCell<String>,
    /// Bytes at the request's start that the one before had sent already.
    pub same_bytes: Cell<usize>,
    /// The request's body behind those; of any but the first, without the tools and
    /// options at its end, which stay the same.
    pub request: RefCell<String>,
    /// The HTTP status.
    pub status: Cell<u16>,
    /// When the response's head came, milliseconds since the Unix epoch.
    pub head_ms: Cell<u64>,
    /// The response's body as it came, up to [`trace::MAX_BODY`](super::trace::MAX_BODY).
    pub response: RefCell<Vec<u8>>,
}

/// What a model sends. The last event is `Finished`, `Learned` or `Failed`, exactly once.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More of the answer.
    Text(String),
    /// More of the thought.
    Reasoning(String),
    /// A call is being written.
    Call {
        /// Its place in the message, from 0.
        index: usize,
        /// The tool's name as far as known.
        name: String,
        /// Bytes of arguments so far.
        bytes: usize,
    },
    /// Something came that is no part of a message, such as a comment to keep the
    /// connection open.
    Alive,
    /// The message is complete.
    Finished(Turn),
    /// The host refused a part of the request. Asked again at once, the model is asked
    /// in another way.
    Learned {
        /// What was refused.
        lesson: Lesson,
        /// How.
        failure: Failure,
    },
    /// There is no complete message. What had come is for the eye alone.
    Failed {
        /// Why.
        failure: Failure,
        /// What had come of it. Its calls must not be run.
        partial: Box<Turn>,
    },
}

impl ModelEvent {
    /// A request that failed before anything came.
    pub fn refused(failure: Failure) -> Self {
        let partial = Box::default();
        ModelEvent::Failed { failure, partial }
    }
}

/// A complete message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    /// The answer.
    pub text: String,
    /// The thought.
    pub reasoning: Option<Box<Reasoning>>,
    /// The calls, in order.
    pub calls: Vec<ToolCall>,
    /// How it ended.
    pub finish: Finish,
    /// The host's own word for that; may be empty.
    pub finish_reason: String,
    /// Tokens, if the endpoint counted.
    pub usage: Option<Usage>,
    /// What is odd about it.
    pub remark: Option<Remark>,
}

/// How a message ended. Calls count for more: with any, the loop goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
pub enum Finish {
    /// In an orderly way.
    #[default]
    Stop,
    /// Cut off at the length limit; the last call, if any, is not whole.
    Length,
    /// Held back by a filter.
    ContentFilter,
}

/// A model that can be asked.
pub trait ModelClient {
    /// Sends the request; dropping the stream aborts it.
    fn stream(&self, request: ModelRequest<'_>) -> LocalBoxStream<'static, ModelEvent>;

    /// Whether images are sent to the model, as far as is known.
    fn takes_pictures(&self) -> bool {
        false
    }

    /// Takes an image that records name, as an address that holds it, before they are sent.
    fn take_picture(&self, _picture: &Picture, _address: String) {}

    /// The host that answers, as shown to the user.
    fn host(&self) -> String;

    /// The model there that is asked.
    fn model(&self) -> String;
}
