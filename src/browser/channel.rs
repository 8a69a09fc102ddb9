//! What tabs tell each other: a `BroadcastChannel`, bound by hand as far as it is used
//! (<https://html.spec.whatwg.org/multipage/web-messaging.html#broadcasting-to-other-browsing-contexts>).

use std::cell::RefCell;

use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use crate::kernel::tabs::{Channel, Hint, Listener};
use crate::plain::{from_json, to_json};

/// The channel's name.
const NAME: &str = "tabloop";

#[wasm_bindgen]
extern "C" {
    type BroadcastChannel;

    #[wasm_bindgen(constructor, catch)]
    fn new(name: &str) -> Result<BroadcastChannel, JsValue>;

    #[wasm_bindgen(method, catch, js_name = postMessage)]
    fn post_message(this: &BroadcastChannel, message: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, setter, js_name = onmessage)]
    fn set_onmessage(this: &BroadcastChannel, listener: &JsValue);
}

type OnMessage = Closure<dyn FnMut(MessageEvent)>;

/// This worker's end of the channel.
pub(super) struct BrowserChannel {
    /// `None` where the browser has none: then tabs find out by looking.
    channel: Option<BroadcastChannel>,
    /// Kept for as long as it may be called.
    listener: RefCell<Option<OnMessage>>,
}

impl BrowserChannel {
    pub(super) fn open() -> Self {
        Self {
            channel: BroadcastChannel::new(NAME).ok(),
            listener: RefCell::default(),
        }
    }
}

impl Channel for BrowserChannel {
    fn tell(&self, hints: Vec<Hint>) {
        if let Some(channel) = &self.channel {
            // A hint that can't be told is one that got lost.
            drop(channel.post_message(&to_json(hints.as_slice())));
        }
    }

    fn listen(&self, listener: Listener) {
        let Some(channel) = &self.channel else {
            return;
        };
        let on_message = OnMessage::new(move |message: MessageEvent| {
            let text = message.data().as_string();
            if let Some(hints) = text.and_then(|text| from_json(&text)) {
                listener(hints);
            }
        });
        channel.set_onmessage(on_message.as_ref());
        self.listener.replace(Some(on_message));
    }
}
