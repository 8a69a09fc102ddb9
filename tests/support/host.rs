//! A host with manners of its own: answers, blocks or hangs, request by request.

use std::cell::RefCell;

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream;
use serde_json::{Value as Json, json};
use tabloop::kernel::model::{HttpRequest, HttpResponse, Leave, Method, Transport, TransportError};

/// What a host does with a request.
pub enum Does {
    /// It answers so.
    Says(u16, String),
    /// The browser gives no answer.
    Blocks,
    /// It takes the request and is silent.
    Hangs,
}

pub type Manner = Box<dyn Fn(&HttpRequest, &Json) -> Does>;

/// A host, and what it was asked: `GET /v1/models`.
pub struct Host {
    pub manner: Manner,
    pub asked: RefCell<Vec<String>>,
    pub leave: Leave,
}

impl Transport for Host {
    fn send(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, TransportError>> {
        let body: String = request.body.iter().map(|part| part.as_str()).collect();
        let body = serde_json::from_str(&body).unwrap_or_default();
        let path: String = request
            .url
            .split('/')
            .skip(3)
            .map(|part| format!("/{part}"))
            .collect();
        self.asked
            .borrow_mut()
            .push(format!("{:?} {path}", request.method));
        let does = (self.manner)(&request, &body);
        Box::pin(async move {
            match does {
                Does::Blocks => Err(TransportError("Failed to fetch".into())),
                Does::Hangs => std::future::pending().await,
                Does::Says(status, body) => Ok(HttpResponse {
                    status,
                    retry_after: None,
                    body: stream::iter([Ok(body.into_bytes())]).boxed_local(),
                }),
            }
        })
    }

    fn leave(&self, _host: &str) -> LocalBoxFuture<'static, Leave> {
        Box::pin(std::future::ready(self.leave))
    }
}

/// An answer.
pub fn says(status: u16, body: impl ToString) -> Does {
    Does::Says(status, body.to_string())
}

/// A refusal.
pub fn error(status: u16, message: &str) -> Does {
    says(status, json!({ "error": { "message": message } }))
}

/// A sound answer to any probe.
pub fn sound(request: &HttpRequest, body: &Json) -> Does {
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 1});
    let message = match body["tools"].is_array() {
        true => {
            json!({"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "ping", "arguments": "{}"}}]})
        }
        false => json!({"content": "OK"}),
    };
    match (request.method, body["stream"].as_bool()) {
        (Method::Knock, _) => says(0, ""),
        (Method::Get, _) => says(200, json!({"data": [{"id": "small-1"}, {"id": "large-1"}]})),
        (Method::Post, Some(true)) => {
            let chunk =
                json!({"choices": [{"delta": message, "finish_reason": "stop"}], "usage": usage});
            says(200, format!("data: {chunk}\n\ndata: [DONE]\n\n"))
        }
        (Method::Post, _) => says(
            200,
            json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}),
        ),
    }
}
