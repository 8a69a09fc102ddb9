//! A scripted endpoint: answers requests in turn, byte for byte as a host
//! would, and checks every request it gets.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures::StreamExt;
use futures::future::LocalBoxFuture;
use futures::stream;
use serde_json::{Value as Json, json};
use tabloop::kernel::clock::{Clock, ManualClock};
use tabloop::kernel::model::{HttpRequest, HttpResponse, Method, Transport, TransportError};

use super::invariants;

/// One answer.
#[derive(Clone)]
pub enum Reply {
    /// A status and a body, in pieces of so many bytes; then the end.
    Body {
        status: u16,
        body: Vec<u8>,
        piece: usize,
    },
    /// A body that breaks off by an error of the network.
    Broken { body: Vec<u8> },
    /// No answer at all.
    Unreachable,
    /// A body that is begun and never ends.
    Hanging { body: Vec<u8> },
    /// A body that is begun, and then comments alone, one every so many milliseconds of
    /// the endpoint's clock: for many hours, so that who falls for it still comes to an end.
    KeptAlive { body: Vec<u8>, every_ms: u64 },
    /// An error that says when to come again.
    Later {
        status: u16,
        retry_after: &'static str,
    },
}

impl Reply {
    /// A streamed answer of text.
    pub fn text(text: &str) -> Self {
        Self::stream(&[delta(json!({ "content": text })), finish("stop")])
    }

    /// A streamed message that calls tools: names and arguments.
    pub fn calls(calls: &[(&str, Json)]) -> Self {
        let raw: Vec<(&str, String)> = calls
            .iter()
            .map(|(name, args)| (*name, args.to_string()))
            .collect();
        Self::raw_calls(
            &raw.iter()
                .map(|(name, args)| (*name, args.as_str()))
                .collect::<Vec<_>>(),
        )
    }

    /// As [`Reply::calls`], with arguments as the model wrote them.
    pub fn raw_calls(calls: &[(&str, &str)]) -> Self {
        let mut chunks = Vec::new();
        for (n, (name, arguments)) in calls.iter().enumerate() {
            let id = format!("call_{n}");
            chunks.push(delta(json!({ "tool_calls": [{ "index": n, "id": id, "function": { "name": name, "arguments": "" } }] })));
            chunks.push(delta(
                json!({ "tool_calls": [{ "index": n, "function": { "arguments": arguments } }] }),
            ));
        }
        chunks.push(finish("tool_calls"));
        Self::stream(&chunks)
    }

    pub fn stream(chunks: &[Json]) -> Self {
        let mut body: String = chunks
            .iter()
            .map(|chunk| format!("data: {chunk}\n\n"))
            .collect();
        body.push_str("data: [DONE]\n\n");
        Self::Body {
            status: 200,
            body: body.into_bytes(),
            piece: 7,
        }
    }

    pub fn error(status: u16, body: &str) -> Self {
        Self::Body {
            status,
            body: body.as_bytes().to_vec(),
            piece: 1_000,
        }
    }
}

pub fn delta(delta: Json) -> Json {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

pub fn finish(reason: &str) -> Json {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }], "usage": { "prompt_tokens": 10, "completion_tokens": 2 } })
}

/// What was sent: address, headers, body.
#[derive(Clone)]
pub struct Sent {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Json,
    pub raw: String,
    /// Whether the answer was that something of it can't be taken.
    pub refused: Rc<Cell<bool>>,
}

/// Where the list of messages ends in a request.
fn end_of_messages(raw: &str) -> usize {
    let start = raw.find("\"messages\":[").expect("messages");
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, c) in raw[start..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_text = !in_text,
            '[' | '{' if !in_text => depth += 1,
            ']' | '}' if !in_text => depth -= 1,
            _ => {}
        }
        if depth == 0 && c == ']' && !in_text {
            return start + at;
        }
    }
    panic!("messages without an end: {raw}")
}

/// After a kill a conversation begins as it did before: with what was sent last, or with the
/// part of it that was saved.
fn check_resumed(last: Option<&Sent>, raw: &str) {
    let Some(last) = last else { return };
    let (then, now) = (&last.raw, raw);
    let [of_then, of_now] = [then.as_str(), now].map(|raw| &raw[..end_of_messages(raw)]);
    assert!(
        now.starts_with(of_then) || then.starts_with(of_now),
        "a request that does not go on from the one before the kill:\n{now}\nafter\n{then}"
    );
}

/// The address and the headers of something that was got.
pub type Got = (String, Vec<(String, String)>);

/// See the module.
pub struct ScriptedEndpoint {
    replies: RefCell<VecDeque<Reply>>,
    sent: RefCell<Vec<Sent>>,
    /// What was sent by a kernel that is gone.
    earlier: RefCell<Vec<Sent>>,
    /// Tokens that a request may have, four bytes each; 0: any number.
    pub window: Cell<usize>,
    /// How long an answer takes to begin, milliseconds on `clock`.
    pub delay_ms: Cell<u64>,
    pub clock: RefCell<Option<ManualClock>>,
    /// Rounds were taken back: the next request need not begin with the one before.
    pub taken_back: Cell<bool>,
    by: RefCell<Option<Script>>,
    lists: RefCell<VecDeque<Reply>>,
    got: RefCell<Vec<Got>>,
}

/// Answers a request by what is in it.
type Script = Box<dyn Fn(&Json) -> Reply>;

impl ScriptedEndpoint {
    /// Gives `replies` in turn, and the last one for ever.
    pub fn new(replies: Vec<Reply>) -> Self {
        Self {
            replies: RefCell::new(replies.into()),
            sent: RefCell::default(),
            earlier: RefCell::default(),
            window: Cell::new(0),
            delay_ms: Cell::new(0),
            clock: RefCell::default(),
            taken_back: Cell::new(false),
            by: RefCell::default(),
            lists: RefCell::default(),
            got: RefCell::default(),
        }
    }

    /// Gives `reply` when something is got, after those that were added before.
    pub fn add_list(&self, reply: Reply) {
        self.lists.borrow_mut().push_back(reply);
    }

    /// What was got: addresses and headers.
    pub fn got(&self) -> Vec<Got> {
        self.got.borrow().clone()
    }

    /// Holds what is sent against what `other` got before its kernel was killed, too.
    pub fn goes_on_from(&self, other: &Self) {
        let mut earlier = other.earlier.borrow().clone();
        earlier.extend(other.requests());
        self.earlier.replace(earlier);
    }

    /// The request before of the same conversation is a prefix of this one, byte for
    /// byte, unless the conversation was shortened in between, or the host refused something
    /// of the model's requests. A message of the user that got no answer may go on.
    fn check_prefix(&self, body: &Json, raw: &str) {
        let window = self.window.get();
        assert!(
            window == 0 || raw.len() / 4 <= window,
            "{} bytes do not fit a window of {window} tokens",
            raw.len()
        );
        if self.taken_back.take() {
            return;
        }
        let sent = self.sent.borrow();
        let conversation = |body: &Json| [0, 1].map(|at| body["messages"][at]["content"].clone());
        let of_model = |sent: &&Sent| sent.body["model"] == body["model"];
        let of_same = |sent: &&Sent| conversation(&sent.body) == conversation(body);
        let mut since = sent.iter().rev().filter(of_model);
        let mut is_refused = false;
        let before = since.find(|sent| {
            is_refused |= sent.refused.get();
            of_same(sent)
        });
        let Some(before) = before.filter(|_| !is_refused) else {
            let earlier = self.earlier.borrow();
            let mut earlier = earlier.iter().rev().filter(of_model);
            let last = earlier.find(of_same).filter(|_| !is_refused);
            return check_resumed(last, raw);
        };
        if body["messages"]
            .as_array()
            .is_some_and(|all| all.len() == 2)
        {
            // A new conversation that begins with the same words.
            return;
        }
        let [now, then] = [body, &before.body].map(|body| body.get("tools"));
        assert!(
            now.is_none() || then.is_none() || now == then,
            "the tools are others than before:\n{raw}"
        );
        let end = end_of_messages(&before.raw);
        let shortened = |body: &Json| {
            let messages = body["messages"].as_array().expect("messages");
            let is_mark = |message: &&Json| {
                let text = message["content"].as_str().unwrap_or_default();
                text.starts_with("[Tabloop] The conversation before this point")
                    || message.to_string().contains("bytes left out; recall id")
                    || text.ends_with("[It is no longer shown; read it again if you need it.]")
            };
            let marks = messages.iter().filter(is_mark);
            marks.map(Json::to_string).collect::<Vec<_>>()
        };
        assert!(
            raw.starts_with(before.raw[..end].trim_end_matches("\"}"))
                || shortened(&before.body) != shortened(body),
            "a request that does not begin with the one before:\n{raw}\nafter\n{}",
            before.raw
        );
    }

    /// Answers each request by what is in it.
    pub fn answer_by(&self, script: impl Fn(&Json) -> Reply + 'static) {
        self.by.replace(Some(Box::new(script)));
    }

    pub fn add(&self, reply: Reply) {
        self.replies.borrow_mut().push_back(reply);
    }

    pub fn requests(&self) -> Vec<Sent> {
        self.sent.borrow().clone()
    }

    /// The messages of the last request.
    pub fn last_messages(&self) -> Vec<Json> {
        let sent = self.sent.borrow();
        let last = sent.last().expect("a request was sent");
        last.body["messages"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }

    fn next(&self) -> Reply {
        let mut replies = self.replies.borrow_mut();
        let reply = replies
            .pop_front()
            .expect("the script has a reply for each request");
        if replies.is_empty() {
            replies.push_back(reply.clone());
        }
        reply
    }
}

impl Transport for ScriptedEndpoint {
    fn send(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, TransportError>> {
        if request.method == Method::Get {
            assert!(request.body.is_empty(), "nothing is sent where one gets");
            self.got.borrow_mut().push((request.url, request.headers));
            let reply = self.lists.borrow_mut().pop_front();
            return self.answer(reply.expect("the script has a list for each request"));
        }
        let raw = request
            .body
            .iter()
            .map(|part| part.as_str())
            .collect::<String>();
        let body: Json = serde_json::from_str(&raw).expect("requests are JSON");
        invariants::check_request(&body);
        self.check_prefix(&body, &raw);
        let scripted = self.by.borrow().as_ref().map(|script| script(&body));
        let refused = Rc::new(Cell::new(false));
        self.sent.borrow_mut().push(Sent {
            refused: Rc::clone(&refused),
            url: request.url,
            headers: request.headers,
            body,
            raw,
        });
        let reply = scripted.unwrap_or_else(|| self.next());
        if let Reply::Body { status, .. } = &reply {
            refused.set(matches!(status, 400 | 404 | 422 | 500 | 501));
        }
        self.answer(reply)
    }
}

impl ScriptedEndpoint {
    fn answer(
        &self,
        reply: Reply,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, TransportError>> {
        let delay = self.clock.borrow().as_ref().map(|clock| {
            let delay = std::time::Duration::from_millis(self.delay_ms.get());
            clock.sleep(delay)
        });
        let clock = self.clock.borrow().clone();
        Box::pin(async move {
            yield_once().await;
            if let Some(delay) = delay {
                delay.await;
            }
            let (status, body, piece) = match &reply {
                Reply::Unreachable => return Err(TransportError("Failed to fetch".into())),
                Reply::Body {
                    status,
                    body,
                    piece,
                } => (*status, body, *piece),
                Reply::Broken { body }
                | Reply::Hanging { body }
                | Reply::KeptAlive { body, .. } => (200, body, 7),
                Reply::Later { status, .. } => (*status, &Vec::new(), 7),
            };
            let retry_after = match &reply {
                Reply::Later { retry_after, .. } => Some((*retry_after).to_owned()),
                _ => None,
            };
            let pieces: Vec<Vec<u8>> = body.chunks(piece).map(<[u8]>::to_vec).collect();
            let pieces = stream::iter(pieces).then(|piece| async {
                yield_once().await;
                Ok(piece)
            });
            let body = match reply {
                Reply::Broken { .. } => pieces
                    .chain(stream::once(async {
                        Err(TransportError("network error".into()))
                    }))
                    .boxed_local(),
                Reply::KeptAlive { every_ms, .. } => {
                    let clock = clock.expect("keeping alive takes a clock");
                    let pause = std::time::Duration::from_millis(every_ms);
                    let comments = stream::iter(0..10_000).then(move |_| {
                        let pause = clock.sleep(pause);
                        async move {
                            pause.await;
                            Ok(b": keep-alive\n\n".to_vec())
                        }
                    });
                    pieces.chain(comments).boxed_local()
                }
                Reply::Hanging { .. } => pieces.chain(stream::pending()).boxed_local(),
                _ => pieces.boxed_local(),
            };
            Ok(HttpResponse {
                status,
                retry_after,
                body,
            })
        })
    }
}

/// Gives way once, as the network would.
async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
