//! The kernel's role: what the app's binary does in a worker.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::clock::{BrowserClock, BrowserRandom};
use super::fetch::FetchTransport;
use super::handed;
use super::locks::{self, Ask};
use super::rest;
use super::seat::Seat;
use super::shell::WorkerShells;
use super::shrink::shrink;
use super::vault::BrowserVault;
use super::web::BrowserWeb;
use super::wire::{FromKernel, ToKernel, pack, unpack};
use crate::kernel::clock::{Clock, unique_id};
use crate::kernel::event::{AgentEvent, Progress};
use crate::kernel::link::Disks;
use crate::kernel::service::Platform;
use crate::kernel::stage::Stage;
use crate::kernel::store::Store;
use crate::kernel::tool::ToolRegistry;
use crate::kernel::tool::bash::Bash;
use crate::kernel::tool::fetch_url::FetchUrl;
use crate::kernel::tool::preview::Preview;
use crate::kernel::tool::run_js::RunJs;
use crate::protocol::{Access, Event, Storage};

/// How long news is gathered before the page gets it.
const GATHER: Duration = Duration::from_millis(16);

/// Runs the kernel in this worker, for as long as the worker lives.
pub fn run(scope: DedicatedWorkerGlobalScope) {
    let outlet = Outlet::new(scope.clone());
    let seat = Seat::new(outlet);
    let on_message = {
        Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
            let data = message.data();
            if let Some(module) = data.dyn_ref() {
                return rest::take(module);
            }
            for (id, source) in handed::take(&data) {
                if let Some(kernel) = seat.kernel() {
                    kernel.hand(id, source);
                }
            }
            match unpack(data) {
                Some(ToKernel::Start(sealed)) => spawn_local(Rc::clone(&seat).begin(sealed)),
                Some(ToKernel::Command { shown, command }) => seat.handle(shown, command),
                None => {}
            }
        })
    };
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();

    // The page waits for this lock: when it comes free, this worker is no more.
    let life = format!(
        "tabloop-kernel-{}",
        unique_id(&BrowserClock, &BrowserRandom)
    );
    spawn_local(async move {
        let life = match locks::take_for_life(&life, Ask::InTurn) {
            Some(lock) => lock.granted.await.map(|()| life).unwrap_or_default(),
            None => String::new(),
        };
        post(&scope, FromKernel::Listening(life));
    });
}

/// What a kernel over `store` needs of the browser.
pub(super) fn platform(
    store: Rc<dyn Store>,
    (storage, access): (Storage, Access),
    vault: BrowserVault,
    disks: Rc<dyn Disks>,
) -> Platform {
    let stage: Rc<Stage> = Rc::default();
    Platform {
        store,
        storage,
        access,
        clock: Rc::new(BrowserClock),
        random: Rc::new(BrowserRandom),
        transport: Rc::new(FetchTransport),
        tools: tools(&stage),
        vault: Rc::new(vault),
        stage,
        shrink,
        compose: |text| js_sys::JsString::from(text).normalize("NFC").into(),
        disks,
    }
}

/// The standard tools, and those that only a browser has.
fn tools(stage: &Rc<Stage>) -> ToolRegistry {
    let clock = || Rc::new(BrowserClock);
    ToolRegistry::standard()
        .with(Rc::new(Bash::new(Rc::new(WorkerShells::default()))))
        .with(Rc::new(RunJs::new(Rc::clone(stage), clock())))
        .with(Rc::new(Preview::new(Rc::clone(stage), clock())))
        .with(Rc::new(FetchUrl::new(Rc::new(BrowserWeb))))
}

/// Sends events to the page: answers at once, news of the work gathered for a
/// frame's time and deltas joined, so that neither a fast stream nor quick
/// rounds flood the page.
pub(super) struct Outlet {
    scope: DedicatedWorkerGlobalScope,
    waiting: RefCell<Vec<Event>>,
}

impl Outlet {
    fn new(scope: DedicatedWorkerGlobalScope) -> Rc<Self> {
        Rc::new(Self {
            scope,
            waiting: RefCell::default(),
        })
    }

    /// Tells the page.
    pub(super) fn push(self: &Rc<Self>, event: Event) {
        let can_wait = can_wait(&event);
        let mut waiting = self.waiting.borrow_mut();
        let was_empty = waiting.is_empty();
        if let Some(event) = waiting
            .last_mut()
            .map_or(Some(event.clone()), |last| join(last, event))
        {
            waiting.push(event);
        }
        drop(waiting);
        if !can_wait {
            self.flush();
        } else if was_empty {
            let outlet = Rc::clone(self);
            spawn_local(async move {
                BrowserClock.sleep(GATHER).await;
                outlet.flush();
            });
        }
    }

    fn flush(&self) {
        let events = self.waiting.take();
        if !events.is_empty() {
            post(&self.scope, FromKernel::Events(events));
        }
    }
}

/// Whether an event is news of the work, which the page draws a frame at a time,
/// and not an answer that it waits for.
fn can_wait(event: &Event) -> bool {
    matches!(
        event,
        Event::Agent { .. } | Event::FilesChanged { .. } | Event::SessionChanged(_)
    )
}

/// Joins a delta to the one before it; gives it back if they do not belong together.
fn join(last: &mut Event, next: Event) -> Option<Event> {
    let Event::Agent {
        session: last_session,
        event: last,
    } = last
    else {
        return Some(next);
    };
    let Event::Agent { session, event } = next else {
        return Some(next);
    };
    if *last_session != session {
        return Some(Event::Agent { session, event });
    }
    match (last, event) {
        (AgentEvent::TextDelta(text), AgentEvent::TextDelta(more))
        | (AgentEvent::ReasoningDelta(text), AgentEvent::ReasoningDelta(more)) => {
            text.push_str(&more);
            None
        }
        (last @ AgentEvent::CallDelta { .. }, next @ AgentEvent::CallDelta { .. })
            if same_call(last, &next) =>
        {
            *last = next;
            None
        }
        (
            AgentEvent::ToolProgress {
                call_id: of,
                progress: Progress::Printed(text),
            },
            AgentEvent::ToolProgress {
                call_id,
                progress: Progress::Printed(more),
            },
        ) if *of == call_id => {
            text.push_str(&more);
            None
        }
        (_, event) => Some(Event::Agent { session, event }),
    }
}

fn same_call(a: &AgentEvent, b: &AgentEvent) -> bool {
    matches!((a, b), (AgentEvent::CallDelta { index: a, .. }, AgentEvent::CallDelta { index: b, .. }) if a == b)
}

fn post(scope: &DedicatedWorkerGlobalScope, message: FromKernel) {
    // Fails only for what can't be cloned, and plain data always can.
    drop(scope.post_message(&pack(message)));
}
