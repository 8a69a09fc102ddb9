//! The page's side of the link: starts the worker, carries messages, notices
//! when the worker ends or hangs, keeps the sealed key for the tab's life.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

use super::clock::{BrowserClock, BrowserRandom};
use super::folders;
use super::handed;
use super::locks;
use super::rest;
use super::seat::DATABASE;
use super::wire::{FromKernel, ToKernel, pack, unpack};
use crate::kernel::clock::{Clock, unique_id};
use crate::kernel::spaces::SpaceId;
use crate::protocol::{Command, Event, HandedFile, LinkCommand};

/// Where the sealed key lies in `sessionStorage`.
const SEALED_KEY: &str = "tabloop-sealed-key";
/// How often the kernel is asked whether it is there.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Pauses between attempts to fetch the rest of the module: each twice the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Heartbeats without an answer after which it counts as hanging.
const PATIENCE: u32 = 4;

#[wasm_bindgen]
extern "C" {
    /// The address of the glue that runs now: the worker loads the same one.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    pub(super) static GLUE: String;
}

/// What the link tells the page.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, and it is taken apart at once"
)]
pub enum Told {
    /// The kernel said something.
    Event(Box<Event>),
    /// The kernel ended, with the platform's words if there are any.
    Died(String),
    /// The kernel has not answered for a while.
    Silent,
    /// The rest of the module is there.
    Loaded,
    /// It could not be fetched yet.
    NotLoaded,
}

/// A link that survives its worker.
#[derive(Clone)]
pub struct WorkerLink(Rc<Inner>);

struct Inner {
    tell: Rc<dyn Fn(Told)>,
    worker: RefCell<Option<Running>>,
    /// Counts the workers started, so that late news of an old one is ignored.
    generation: Cell<u32>,
    /// Counts the files handed over.
    handed: Cell<u64>,
    /// The workspace that the page was told last to show: what its user does is meant
    /// for that one.
    shown: RefCell<Option<SpaceId>>,
    /// Heartbeats sent since the worker last said anything.
    unanswered: Cell<u32>,
}

struct Running {
    worker: Worker,
    listens: bool,
    /// Messages for a worker that does not listen yet, or without the rest of the module.
    waiting: Vec<JsValue>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(web_sys::ErrorEvent)>,
}

impl Running {
    fn post(&self, message: &JsValue) {
        drop(self.worker.post_message(message));
    }

    /// Gives the kernel the rest of the module, then whatever waited.
    fn complete(&mut self) {
        if let Some(rest) = rest::module() {
            drop(self.worker.post_message(&rest));
        }
        for message in std::mem::take(&mut self.waiting) {
            self.post(&message);
        }
    }
}

impl WorkerLink {
    /// Starts a kernel; everything it tells goes to `tell`.
    pub fn start(tell: Rc<dyn Fn(Told)>) -> Self {
        let link = Self(Rc::new(Inner {
            tell,
            worker: RefCell::default(),
            generation: Cell::new(0),
            handed: Cell::new(0),
            shown: RefCell::default(),
            unanswered: Cell::new(0),
        }));
        link.restart();
        link.watch_heartbeat();
        link
    }

    /// Sends a command, as soon as the kernel has all it may need for it.
    pub fn send(&self, command: Command) {
        self.send_from(self.shown(), command, Vec::new());
    }

    fn shown(&self) -> Option<SpaceId> {
        self.0.shown.borrow().clone()
    }

    /// Has files brought in: their paths, and the files but for folders.
    pub fn hand(&self, files: Vec<(String, Option<File>)>) {
        let mut handed = Vec::new();
        let file = |(path, file)| {
            let id = match file {
                Some(file) => {
                    let id = self.0.handed.get() + 1;
                    self.0.handed.set(id);
                    handed.push((id, file));
                    id
                }
                None => 0,
            };
            HandedFile { path, id }
        };
        let files = files.into_iter().map(file).collect();
        self.send_from(self.shown(), Command::BringIn(files), handed);
    }

    /// Lets the user choose a folder of the device, which is linked with one of the
    /// workspace. Must be called in a press.
    pub fn pick_folder(&self, folder: String) {
        let link = self.clone();
        let id = unique_id(&BrowserClock, &BrowserRandom);
        let shown = self.shown();
        spawn_local(async move {
            if let Some(name) = folders::pick(DATABASE, &id).await {
                let begin = Command::Link(LinkCommand::Begin { id, name, folder });
                link.send_from(shown, begin, Vec::new());
            }
        });
    }

    /// Asks the user for leave to the linked folder once more. Must be called in a press.
    pub fn ask_folder(&self, id: String) {
        let (link, shown) = (self.clone(), self.shown());
        spawn_local(async move {
            if folders::ask(DATABASE, &id).await {
                link.send_from(shown, Command::Link(LinkCommand::Sync), Vec::new());
            }
        });
    }

    fn send_from(&self, shown: Option<SpaceId>, command: Command, handed: Vec<(u64, File)>) {
        if let Some(running) = self.0.worker.borrow_mut().as_mut() {
            let can_go = running.listens && (command.needs_little() || rest::is_complete());
            let message = pack(ToKernel::Command { shown, command });
            if !handed.is_empty() {
                handed::put(&message, handed.into_iter());
            }
            match can_go {
                true => running.post(&message),
                false => running.waiting.push(message),
            }
        }
    }

    /// Fetches the rest of the module, for the page and for the kernel. Tries again for as
    /// long as it takes.
    pub async fn fetch_rest(&self) {
        let mut pause = FIRST_PAUSE;
        while rest::fetch().await.is_err() {
            if pause == FIRST_PAUSE {
                (self.0.tell)(Told::NotLoaded);
            }
            // Somebody who could not wait may have fetched it meanwhile.
            rest::arrival_within(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        if let Some(running) = self.0.worker.borrow_mut().as_mut()
            && running.listens
        {
            running.complete();
        }
        (self.0.tell)(Told::Loaded);
    }

    /// Ends the kernel if it still runs, and starts a new one.
    pub fn restart(&self) {
        self.end();
        let generation = self.0.generation.get() + 1;
        self.0.generation.set(generation);
        self.0.unanswered.set(0);
        match self.spawn(generation) {
            Ok(running) => drop(self.0.worker.replace(Some(running))),
            Err(thrown) => (self.0.tell)(Told::Died(super::words_of(&thrown))),
        }
    }

    fn end(&self) {
        if let Some(running) = self.0.worker.take() {
            running.worker.set_onmessage(None);
            running.worker.set_onerror(None);
            running.worker.terminate();
        }
    }

    fn spawn(&self, generation: u32) -> Result<Running, JsValue> {
        let glue = GLUE.with(String::clone);
        let script = Url::new_with_base("worker.js", &glue)?.href();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&script, &options)?;

        let on_message = {
            let link = self.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
                link.hear(message.data(), generation)
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let on_error = {
            let link = self.clone();
            Closure::<dyn FnMut(web_sys::ErrorEvent)>::new(move |error: web_sys::ErrorEvent| {
                let place = format!("{}:{}", error.filename(), error.colno());
                link.died(format!("{} ({place})", error.message()), generation);
            })
        };
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));

        let first = Object::new();
        Reflect::set(&first, &"glue".into(), &glue.into())?;
        Reflect::set(&first, &"module".into(), &wasm_bindgen::module())?;
        worker.post_message(&first)?;
        Ok(Running {
            worker,
            listens: false,
            waiting: Vec::new(),
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    fn hear(&self, message: JsValue, generation: u32) {
        if generation != self.0.generation.get() {
            return;
        }
        self.0.unanswered.set(0);
        match unpack(message) {
            Some(FromKernel::Listening(life)) => self.begin(&life, generation),
            Some(FromKernel::Events(events)) => {
                for event in events {
                    match &event {
                        Event::KeySealed(sealed) => keep_sealed_key(sealed.as_deref()),
                        Event::Ready(now) | Event::SpaceOpened(now) => {
                            self.0.shown.replace(Some(now.spaces.open.clone()));
                        }
                        _ => {}
                    }
                    (self.0.tell)(Told::Event(Box::new(event)));
                }
            }
            None => {}
        }
    }

    /// The worker listens: it gets the sealed key, then whatever waited.
    fn begin(&self, life: &str, generation: u32) {
        if let Some(running) = self.0.worker.borrow_mut().as_mut() {
            running.listens = true;
            let start = ToKernel::Start(sealed_key());
            drop(running.worker.post_message(&pack(start)));
            if rest::is_complete() {
                running.complete();
            }
        }
        if let Some(freed) = (!life.is_empty()).then(|| locks::when_free(life)).flatten() {
            let link = self.clone();
            spawn_local(async move {
                if freed.await.is_ok() {
                    link.died(String::new(), generation);
                }
            });
        }
    }

    fn died(&self, reason: String, generation: u32) {
        if generation == self.0.generation.get() && self.0.worker.borrow().is_some() {
            self.end();
            (self.0.tell)(Told::Died(reason));
        }
    }

    fn watch_heartbeat(&self) {
        let link = self.clone();
        spawn_local(async move {
            loop {
                BrowserClock.sleep(HEARTBEAT).await;
                let waits = link
                    .0
                    .worker
                    .borrow()
                    .as_ref()
                    .is_some_and(|running| running.listens);
                if !waits {
                    continue;
                }
                let unanswered = link.0.unanswered.get() + 1;
                link.0.unanswered.set(unanswered);
                if unanswered == PATIENCE {
                    (link.0.tell)(Told::Silent);
                }
                link.send(Command::Ping);
            }
        });
    }
}

fn session_storage() -> Option<web_sys::Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// The sealed key as hexadecimal digits, since the storage takes text only.
fn keep_sealed_key(sealed: Option<&[u8]>) {
    let Some(storage) = session_storage() else {
        return;
    };
    // Where the storage is full or off, the key has to be typed again after a reload.
    drop(match sealed {
        Some(sealed) => {
            let digits: String = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
            storage.set_item(SEALED_KEY, &digits)
        }
        None => storage.remove_item(SEALED_KEY),
    });
}

fn sealed_key() -> Option<Vec<u8>> {
    let digits = session_storage()?.get_item(SEALED_KEY).ok()??;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}
