//! What travels between page and worker: the protocol's commands and events,
//! and the few words that the link itself needs. A message is one envelope:
//! JSON text, by the same code that writes records, and the bytes of files
//! beside it, as they are.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use wasm_bindgen::JsValue;

use crate::kernel::spaces::SpaceId;
use crate::plain::{FromJson, Plain, ToJson, from_json, to_json};
use crate::protocol::{Command, Event, FileView, Order, Said};

/// From the page to the worker.
#[derive(Plain)]
pub(super) enum ToKernel {
    /// The first message: the sealed key, if the tab holds one.
    Start(Option<Vec<u8>>),
    /// A command.
    Command {
        /// The workspace that the page showed when the user acted, once it was told of one.
        shown: Option<SpaceId>,
        /// What is asked for.
        command: Command,
    },
}

/// From the worker to the page.
#[derive(Plain)]
pub(super) enum FromKernel {
    /// The worker listens. It holds the named lock for as long as it lives.
    Listening(String),
    /// Events, in order.
    Events(Vec<Event>),
}

/// What is really posted.
#[derive(Serialize, Deserialize)]
struct Envelope {
    json: String,
    bytes: Vec<ByteBuf>,
}

/// A message and the places in it that hold bytes of files.
pub(super) trait Message: ToJson + FromJson {
    /// The places, always in the same order.
    fn bytes(&mut self) -> Vec<&mut Vec<u8>>;
}

impl Message for ToKernel {
    fn bytes(&mut self) -> Vec<&mut Vec<u8>> {
        let ToKernel::Command { command, .. } = self else {
            return Vec::new();
        };
        match command {
            Command::Import(files) => files.iter_mut().map(|file| &mut file.content).collect(),
            Command::SaveFile { content, .. } => vec![content],
            Command::Staged {
                said: Said::Parcel(parcel),
                ..
            } => vec![&mut parcel.bytes],
            _ => Vec::new(),
        }
    }
}

impl Message for FromKernel {
    fn bytes(&mut self) -> Vec<&mut Vec<u8>> {
        let FromKernel::Events(events) = self else {
            return Vec::new();
        };
        events.iter_mut().filter_map(bytes_of).collect()
    }
}

/// The bytes that an event carries.
fn bytes_of(event: &mut Event) -> Option<&mut Vec<u8>> {
    match event {
        Event::FileBytes { bytes, .. }
        | Event::ExportPiece { bytes }
        | Event::Exported { bytes, .. }
        | Event::FileToEdit { bytes, .. }
        | Event::FileOpened {
            view:
                FileView::Image { bytes, .. }
                | FileView::Pdf(bytes)
                | FileView::Binary { head: bytes, .. },
            ..
        }
        | Event::PictureRead {
            bytes: Some(bytes), ..
        } => Some(bytes),
        Event::Stage {
            order: Order::Say(parcel),
            ..
        } => Some(&mut parcel.bytes),
        _ => None,
    }
}

/// Makes a message. Plain data always can be made one.
pub(super) fn pack(mut message: impl Message) -> JsValue {
    let places = message.bytes().into_iter();
    let bytes = places
        .map(|place| ByteBuf::from(std::mem::take(place)))
        .collect();
    let json = to_json(&message);
    serde_wasm_bindgen::to_value(&Envelope { json, bytes }).unwrap_or(JsValue::NULL)
}

/// Reads a message; `None` if it is not one of ours.
pub(super) fn unpack<T: Message>(message: JsValue) -> Option<T> {
    let Envelope { json, bytes } = serde_wasm_bindgen::from_value(message).ok()?;
    let mut message: T = from_json(&json)?;
    for (place, bytes) in message.bytes().into_iter().zip(bytes) {
        *place = bytes.into_vec();
    }
    Some(message)
}
