//! A model behind an OpenAI-compatible endpoint: `/chat/completions`.
//!
//! Sends little, and learns what a host refuses of it (`openai/learned.rs`): what was
//! refused once is sent otherwise from then on.

mod learned;
mod reader;
mod request;
mod wire;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::stream::LocalBoxStream;
use serde_json::Value as Json;

pub use self::learned::Learned;
use self::learned::Sent;
use self::request::Tail;
pub use self::wire::headers;
use super::assembler::{Assembler, Offered};
use super::conversation::{Conversation, Form, Pictures, without_pictures};
use super::{ModelClient, ModelEvent, ModelRequest, Tape, Transport};
use crate::kernel::clock::{Clock, Random, unique_id};
use crate::kernel::session::{Entry, Picture, Record};
use crate::kernel::settings::{Endpoint, Refused};

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
    state: RefCell<State>,
}

/// What was sent last.
#[derive(Default)]
struct State {
    conversation: Option<Conversation>,
    /// Bytes of the messages.
    sent: usize,
    /// The tools as they are sent; what is on offer stays the same within a run.
    tools: String,
    /// The tools that may be called in words.
    in_words: Option<Rc<Offered>>,
    /// What stands behind the messages.
    tail: String,
    /// What the system prompt says of tools for a host that has no field for them.
    about_tools: String,
    /// The images that records name.
    pictures: Pictures,
}

/// A request, ready to be sent.
struct Prepared {
    body: Vec<Rc<String>>,
    sent: Sent,
    /// The tools that may be called in words.
    in_words: Rc<Offered>,
}

impl OpenAiClient {
    /// A client that has sent nothing yet.
    pub fn new(wiring: Wiring) -> Self {
        Self {
            connection: Rc::new(wiring),
            state: RefCell::default(),
        }
    }

    fn prepare(&self, request: &ModelRequest<'_>) -> Prepared {
        let connection = &self.connection;
        let endpoint = &connection.endpoint;
        let plan = connection.plan(request.tools);
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        // A last word offers none, and keeps the system prompt as it was.
        if plan.describes_tools && state.about_tools.is_empty() && !request.tools.is_empty() {
            state.about_tools = request::about(request.tools, &endpoint.options);
        }
        let form = Form {
            host: endpoint.base_url.host().to_owned(),
            model: endpoint.model.clone(),
            refused: plan.form.clone(),
            about_tools: match plan.describes_tools {
                true => state.about_tools.clone(),
                false => String::new(),
            },
        };
        let conversation = state.conversation.get_or_insert_with(|| {
            let of = (form.host.as_str(), form.model.as_str());
            Conversation::new(of, request.system)
        });
        if conversation.take_form(form) {
            state.tools.clear();
            state.sent = 0;
        }
        if state.tools.is_empty() && plan.sends_tools {
            state.tools = request::tools(request.tools, &plan.refused);
        }
        let tools = if plan.sends_tools { &state.tools } else { "" };
        let tail = Tail::new(&endpoint.options, &plan.refused, tools);
        let before = conversation.start_of_next(request.records);
        conversation.take_pictures(&state.pictures);
        let messages = conversation.messages(request.records, request.redactor);
        let model = Json::from(endpoint.model.as_str());
        let head = format!("{{\"model\":{model},\"messages\":[");
        let same = before.min(std::mem::replace(&mut state.sent, messages.len()));
        if let Some(tape) = &request.tape {
            // What follows the messages stays the same too, or else all is noted.
            let same = if state.tail == tail.text { same } else { 0 };
            let body = [head.as_str(), &messages, &tail.text];
            match conversation.newest_picture() {
                None => note(tape, &endpoint.model, body, same),
                Some(_) => {
                    let before = without_pictures(&messages[..same]);
                    let all = without_pictures(&messages);
                    let body = [head.as_str(), &all, &tail.text];
                    note(tape, &endpoint.model, body, before.len());
                }
            }
        }
        state.tail.clone_from(&tail.text);
        let sent = Sent {
            fields: tail.fields,
            has_tools: plan.sends_tools,
            may_lose_tools: endpoint.options.text_calls || !has_worked(request.records),
            messages: Rc::clone(&messages),
            refused: plan.refused,
            picture: conversation.newest_picture().cloned(),
        };
        let in_words = match request.tools.is_empty() || !endpoint.options.text_calls {
            true => Rc::default(),
            false => {
                let offered = || Rc::new(Offered::of(request.tools));
                Rc::clone(state.in_words.get_or_insert_with(offered))
            }
        };
        Prepared {
            body: vec![Rc::new(head), messages, Rc::new(tail.text)],
            sent,
            in_words,
        }
    }
}

/// Notes down what is sent: all of it, or the messages behind the `same` bytes at their
/// start.
fn note(tape: &Tape, model: &str, [head, messages, tail]: [&str; 3], same: usize) {
    model.clone_into(&mut tape.model.borrow_mut());
    let noted = match same {
        0 => [head, messages, tail].concat(),
        _ => messages[same..].to_owned(),
    };
    let same = if same > 0 { head.len() + same } else { 0 };
    tape.same_bytes.set(same);
    tape.request.replace(noted);
}

/// Whether the open task has led to calls already: then it can't go on without tools.
fn has_worked(records: &[Record]) -> bool {
    let of_task = records.iter().rev();
    let mut of_task = of_task.take_while(|record| !matches!(record.entry, Entry::User { .. }));
    of_task.any(|record| match &record.entry {
        Entry::Assistant(message) => !message.calls.is_empty(),
        _ => false,
    })
}

impl ModelClient for OpenAiClient {
    fn stream(&self, request: ModelRequest<'_>) -> LocalBoxStream<'static, ModelEvent> {
        let prepared = self.prepare(&request);
        let of_mint = Rc::clone(&self.connection);
        let mint = move || {
            let id = unique_id(&*of_mint.clock, &*of_mint.random);
            format!("call_{id}")
        };
        let offered = Rc::clone(&prepared.in_words);
        let assembler = Assembler::new(self.host(), offered, Box::new(mint));
        reader::read(
            Rc::clone(&self.connection),
            prepared,
            assembler,
            request.tape,
        )
    }

    fn takes_pictures(&self) -> bool {
        !self.connection.refused().contains(&Refused::Pictures)
    }

    fn take_picture(&self, picture: &Picture, address: String) {
        let mut state = self.state.borrow_mut();
        state
            .pictures
            .insert(picture.version.clone(), address.into());
    }

    fn host(&self) -> String {
        self.connection.endpoint.base_url.host().to_owned()
    }

    fn model(&self) -> String {
        self.connection.endpoint.model.clone()
    }
}
