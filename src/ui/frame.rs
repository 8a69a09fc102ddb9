//! A frame for foreign code: a file of the app's own in an `iframe` without an origin,
//! from which neither page nor network nor storage can be reached. What is said in it
//! comes by a port, is counted, and is read by the kernel alone.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, JsString, Uint8Array};
use leptos::prelude::document;
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlIFrameElement, MessageChannel, MessageEvent, MessagePort};

use super::element::{El, el};
use crate::protocol::{Order, Parcel};

/// Bytes that may be said in one frame, files and all.
const MAX_SAID: u32 = 64 << 20;
/// Longest text that is said at once, in UTF-16 units.
const MAX_TEXT: u32 = 2 << 20;
/// What a message counts for beside its bytes.
const MESSAGE: u32 = 64;

/// What comes out of a frame.
pub enum Heard {
    /// Something for the kernel.
    Parcel(Parcel),
    /// More than may be said.
    TooMuch,
}

/// A frame. Dropping it takes it out of the page, with all that runs in it.
pub struct Frame {
    element: El,
    port: Rc<Port>,
    _on_load: Closure<dyn FnMut(Event)>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

/// The page's end of the way into a frame.
struct Port {
    port: MessagePort,
    said: Cell<u32>,
    /// Questions whether it is there that it has not answered.
    unanswered: Cell<u32>,
    has_answered: Cell<bool>,
}

impl Frame {
    /// A frame that does what `order` says once it stands in the page; `None` if the
    /// page does not know its file, or the browser refuses.
    pub fn new(order: &Order, hear: impl Fn(Heard) + 'static) -> Option<Self> {
        let (kind, text) = match order {
            Order::Run { code } => ("run", code.clone()),
            Order::Show { path } => ("show", path.clone()),
            Order::Say(_) | Order::Close => return None,
        };
        let link = document().query_selector("link[rel=sandbox]").ok()??;
        let address = link.get_attribute("href")?;
        let channel = MessageChannel::new().ok()?;
        let port = Rc::new(Port {
            port: channel.port1(),
            said: Cell::new(0),
            unanswered: Cell::new(0),
            has_answered: Cell::new(false),
        });
        let on_message = {
            let port = Rc::clone(&port);
            Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
                if let Some(heard) = port.read(&message.data()) {
                    hear(heard);
                }
            })
        };
        port.port
            .set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let element = el("iframe")
            .attr("sandbox", "allow-scripts")
            .attr("referrerpolicy", "no-referrer")
            .attr("src", &address);
        let mut others = Some((channel.port2(), kind, text));
        let on_load = {
            let (element, port) = (element.clone(), Rc::clone(&port));
            Closure::<dyn FnMut(Event)>::new(move |_| {
                // Only the first load is that of our file: the code in it may go elsewhere.
                if let Some((other, kind, text)) = others.take() {
                    give(&element, &other);
                    port.post("ping", "", &[]);
                    port.post(kind, &text, &[]);
                }
            })
        };
        let loads = on_load.as_ref().unchecked_ref();
        // Fails for no element and no event.
        let _ = element
            .node()
            .add_event_listener_with_callback("load", loads);
        Some(Self {
            element,
            port,
            _on_load: on_load,
            _on_message: on_message,
        })
    }

    /// The element, to be put into the page.
    pub fn element(&self) -> El {
        self.element.clone()
    }

    /// Hands something to the frame.
    pub fn say(&self, parcel: &Parcel) {
        self.port.post("answer", &parcel.text, &parcel.bytes);
    }

    /// Asks whether it is there. Gives how often it has not answered since.
    pub fn ask(&self) -> u32 {
        self.port.post("ping", "", &[]);
        let unanswered = self.port.unanswered.get() + 1;
        self.port.unanswered.set(unanswered);
        unanswered
    }

    /// Whether it ever said anything.
    pub fn has_answered(&self) -> bool {
        self.port.has_answered.get()
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.port.port.set_onmessage(None);
        self.port.port.close();
        self.element.node().remove();
    }
}

impl Port {
    fn post(&self, kind: &str, text: &str, bytes: &[u8]) {
        let message = Array::of3(&kind.into(), &text.into(), &Uint8Array::from(bytes));
        // Fails only for what can't be cloned.
        let _ = self.port.post_message(&message);
    }

    /// Reads a message, which foreign code may have made.
    fn read(&self, data: &JsValue) -> Option<Heard> {
        self.unanswered.set(0);
        self.has_answered.set(true);
        let parts: &Array = data.dyn_ref()?;
        let (text, bytes) = (parts.get(0), parts.get(1));
        let text: &JsString = text.dyn_ref()?;
        let bytes: Option<&Uint8Array> = bytes.dyn_ref();
        let size = bytes.map_or(0, Uint8Array::length);
        let said = [MESSAGE, text.length(), size];
        let said = said
            .iter()
            .fold(self.said.get(), |sum, part| sum.saturating_add(*part));
        self.said.set(said);
        if said > MAX_SAID || text.length() > MAX_TEXT {
            return Some(Heard::TooMuch);
        }
        if text.length() == 0 {
            return None;
        }
        Some(Heard::Parcel(Parcel {
            text: String::from(text),
            bytes: bytes.map(Uint8Array::to_vec).unwrap_or_default(),
        }))
    }
}

/// Hands the other end of the way to the file in the frame.
fn give(element: &El, port: &MessagePort) {
    let frame: Option<&HtmlIFrameElement> = element.node().dyn_ref();
    if let Some(window) = frame.and_then(HtmlIFrameElement::content_window) {
        // An origin that is none can't be named.
        let _ = window.post_message_with_transfer(&"begin".into(), "*", &Array::of1(port));
    }
}
