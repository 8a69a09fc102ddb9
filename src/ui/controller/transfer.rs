//! Files that come in or go out: how far that is, and the pieces of a zip on their way.

use js_sys::{Array, Uint8Array};
use leptos::prelude::{LocalStorage, StoredValue, UpdateValue};
use web_sys::Blob;

use super::Controller;
use crate::protocol::{Command, Progress};
use crate::ui::dom;
use crate::ui::handing::Picked;
use crate::ui::signal::RwSignal;

/// The signals of a transfer.
#[derive(Debug, Clone, Copy)]
pub struct TransferModel {
    /// How far it is, if one goes on that takes a while.
    pub now: RwSignal<Option<Progress>>,
    /// Pieces of a zip. The browser keeps blobs where there is room, not we.
    pieces: StoredValue<Vec<Blob>, LocalStorage>,
}

impl TransferModel {
    /// Nothing goes on.
    pub fn new() -> Self {
        Self {
            now: RwSignal::new(None),
            pieces: StoredValue::new_local(Vec::new()),
        }
    }

    /// Keeps a piece until the last one comes.
    pub fn add(self, bytes: &[u8]) {
        let parts = Array::of1(&Uint8Array::from(bytes));
        if let Ok(blob) = Blob::new_with_u8_array_sequence(&parts) {
            self.pieces.update_value(|pieces| pieces.push(blob));
        }
    }

    /// Hands all pieces to the user, the last one among them.
    pub fn save(self, name: &str, bytes: &[u8]) {
        self.add(bytes);
        let pieces = self.pieces.try_update_value(std::mem::take);
        dom::save_blobs(name, &pieces.unwrap_or_default());
    }

    /// The pieces are of no use.
    pub fn forget(self) {
        self.pieces.update_value(Vec::clear);
    }

    /// There is nobody any more who goes on.
    pub fn end(self) {
        self.now.set(None);
        self.forget();
    }
}

impl Controller {
    /// Has files brought in.
    pub fn bring_in(self, picked: Vec<Picked>) {
        if let Some(link) = self.link().filter(|_| !picked.is_empty()) {
            link.hand(picked);
        }
    }

    /// Has a repository brought in.
    pub fn bring_in_repository(self, address: String) {
        self.command(Command::BringInRepository(address));
    }

    /// Has a folder handed out as a zip; `None`: everything.
    pub fn export(self, folder: Option<String>) {
        self.files.transfer.forget();
        self.command(Command::Export(folder));
    }

    /// Stops whatever comes in or goes out.
    pub fn stop_transfer(self) {
        self.command(Command::StopTransfer);
    }
}
