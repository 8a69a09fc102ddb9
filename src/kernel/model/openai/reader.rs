//! One request on its way: sent, and read as it is answered.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, LocalBoxStream};

use super::learned::Sent;
use super::{Prepared, Wiring};
use crate::kernel::event::Failure;
use crate::kernel::model::assembler::Assembler;
use crate::kernel::model::{HttpResponse, ModelEvent, Tape, Turn};
use crate::kernel::trace;

/// How long a body may stay open behind its host's own mark of the end.
const AFTER_DONE: Duration = Duration::from_secs(2);

/// Sends a request and gives what comes of it.
pub(super) fn read(
    connection: Rc<Wiring>,
    Prepared { body, sent, .. }: Prepared,
    assembler: Assembler,
    tape: Option<Rc<Tape>>,
) -> LocalBoxStream<'static, ModelEvent> {
    let reader = Reader {
        state: State::Unsent(body, assembler),
        connection,
        sent,
        ready: VecDeque::new(),
        tape,
    };
    stream::unfold(reader, Reader::next).boxed_local()
}

struct Reader {
    state: State,
    connection: Rc<Wiring>,
    sent: Sent,
    ready: VecDeque<ModelEvent>,
    tape: Option<Rc<Tape>>,
}

enum State {
    Unsent(Vec<Rc<String>>, Assembler),
    Reading(HttpResponse, Assembler),
    Done,
}

impl Reader {
    async fn next(mut self) -> Option<(ModelEvent, Self)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((event, self));
            }
            match std::mem::replace(&mut self.state, State::Done) {
                State::Unsent(body, assembler) => match self.connection.open(body).await {
                    Ok(response) => {
                        if let Some(tape) = &self.tape {
                            tape.status.set(response.status);
                            tape.head_ms.set(self.connection.clock.now_ms());
                        }
                        self.state = State::Reading(response, assembler);
                    }
                    Err(failure) => {
                        let event = self.failed(failure);
                        self.ready.push_back(event);
                    }
                },
                State::Reading(response, assembler) => self.go_on(response, assembler).await,
                State::Done => return None,
            }
        }
    }

    async fn go_on(&mut self, mut response: HttpResponse, mut assembler: Assembler) {
        let patience = match assembler.saw_done() {
            true => AFTER_DONE.min(self.connection.patience()),
            false => self.connection.patience(),
        };
        let last = match self.connection.within(patience, response.body.next()).await {
            Some(Some(Ok(bytes))) => {
                if let Some(tape) = &self.tape {
                    note(tape, &bytes);
                }
                self.ready.extend(assembler.push(&bytes));
                if !assembler.gave_up() {
                    if self.ready.is_empty() {
                        self.ready.push_back(ModelEvent::Alive);
                    }
                    self.state = State::Reading(response, assembler);
                    return;
                }
                assembler.finish()
            }
            Some(Some(Err(error))) => vec![assembler.broken(error.0)],
            Some(None) => assembler.finish(),
            None => vec![assembler.failed_by(self.connection.silent())],
        };
        for event in last {
            let event = self.ended(event);
            self.ready.push_back(event);
        }
    }

    /// The last event, with what is to be said about it.
    fn ended(&self, event: ModelEvent) -> ModelEvent {
        match event {
            // Some gateways tell what was refused with the status of a success.
            ModelEvent::Failed { failure, partial } if *partial == Turn::default() => {
                self.failed(failure)
            }
            ModelEvent::Failed { failure, partial } => ModelEvent::Failed {
                failure: failure.without(&self.connection.key),
                partial,
            },
            other => other,
        }
    }

    /// There is no answer: something is learnt from that, or it is the end.
    fn failed(&self, failure: Failure) -> ModelEvent {
        let endpoint = &self.connection.endpoint;
        let refused = self.sent.refused_by(&failure);
        let failure = failure.without(&self.connection.key);
        match refused {
            Some(refused) => ModelEvent::Learned {
                lesson: self.connection.learned.add(&endpoint.model, refused),
                failure,
            },
            None => ModelEvent::refused(failure),
        }
    }
}

/// Keeps what came, up to a size.
fn note(tape: &Tape, bytes: &[u8]) {
    let mut response = tape.response.borrow_mut();
    let room = trace::MAX_BODY.saturating_sub(response.len());
    response.extend_from_slice(&bytes[..bytes.len().min(room)]);
}
