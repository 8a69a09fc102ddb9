//! Images as messages: a result is text alone, as many hosts take no image in one
//! (<https://github.com/openai/openai-openapi/issues/523>), so they stand in a message of
//! the user right behind the results of their round.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value as Json, json};

use super::{Conversation, NOTED, Role};
use crate::kernel::session::{Picture, ToolResult};
use crate::kernel::settings::Refused;
use crate::kernel::workspace::Version;

/// The contents of images, by their versions, as addresses that hold them.
pub type Pictures = BTreeMap<Version, Rc<str>>;

/// What an image begins with in a request.
const START: &str = "\"image_url\":{\"url\":\"";

/// The images among the messages.
#[derive(Default)]
pub(super) struct Shown {
    /// Those that are known.
    pub known: Pictures,
    /// Those of the results that are being told, with their paths.
    waiting: Vec<(String, Rc<str>)>,
    /// Those that are sent.
    sent: Vec<Version>,
}

impl Shown {
    /// The messages begin anew.
    pub fn begin(&mut self) {
        self.waiting.clear();
        self.sent.clear();
    }
}

impl Conversation {
    /// Knows these images from now on.
    pub fn take_pictures(&mut self, pictures: &Pictures) {
        if self.shown.known.len() != pictures.len() {
            self.shown.known.clone_from(pictures);
        }
    }

    /// The image that was sent last.
    pub fn newest_picture(&self) -> Option<&Version> {
        self.shown.sent.last()
    }

    /// The text of a result with a word on what became of its images; those that are
    /// shown wait for the end of the results.
    pub(super) fn with_pictures(&mut self, result: &ToolResult, text: &str, is_old: Old) -> String {
        let mut text = text.to_owned();
        for picture in &result.pictures {
            text.push_str(self.word_on(picture, is_old));
        }
        text
    }

    fn word_on(&mut self, picture: &Picture, is_old: Old) -> &'static str {
        if self.refuses(&Refused::Pictures) {
            return "\n[This model takes no images, so it is not shown.]";
        }
        if is_old == Old::Yes {
            return "\n[It is no longer shown; read it again if you need it.]";
        }
        let version = &picture.version;
        if self.refuses(&Refused::Picture(version.as_str().to_owned())) {
            return "\n[This model's host refused this image, so it is not shown; others may be.]";
        }
        if self.shown.sent.contains(version) {
            return "\n[It is shown already.]";
        }
        match self.shown.known.get(version) {
            Some(address) => {
                let waiting = (picture.path.clone(), Rc::clone(address));
                self.shown.waiting.push(waiting);
                self.shown.sent.push(version.clone());
                "\n[It is shown behind the results.]"
            }
            None => {
                "\n[It can't be shown: it is gone, can't be read, or there are too many images already.]"
            }
        }
    }

    /// Shows the images that wait.
    pub(super) fn show_pictures(&mut self) {
        let waiting = std::mem::take(&mut self.shown.waiting);
        if waiting.is_empty() {
            return;
        }
        let after_result = self.last == Role::Tool && self.refuses(&Refused::UserAfterResult);
        let after_user = self.last == Role::User && self.joins();
        if after_result || after_user {
            let between = json!({ "role": "assistant", "content": NOTED });
            self.add(Role::Assistant, &between);
        }
        let names: Vec<&str> = waiting.iter().map(|(path, _)| path.as_str()).collect();
        let head = format!("[Tabloop] Shown as read: {}", names.join(", "));
        let head = self.redactor.redact(&head).into_owned();
        let mut parts = vec![json!({ "type": "text", "text": head })];
        let part = |(_, address): &(String, Rc<str>)| json!({ "type": "image_url", "image_url": { "url": &**address } });
        parts.extend(waiting.iter().map(part));
        let message = json!({ "role": "user", "content": Json::Array(parts) });
        self.add(Role::Pictures, &message);
    }

    /// Whether messages of the user in a row are made one.
    pub(super) fn joins(&self) -> bool {
        self.refuses(&Refused::Neighbours) || self.form.in_words()
    }
}

/// Whether a result stands so far back that its images are not sent any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Old {
    Yes,
    No,
}

/// Messages as a trace keeps them: without the bytes of images.
pub fn without_pictures(messages: &str) -> String {
    let mut kept = String::new();
    let mut rest = messages;
    while let Some(at) = rest.find(START) {
        let (before, address) = rest.split_at(at + START.len());
        kept.push_str(before);
        let end = address.find('"').unwrap_or(address.len());
        let comma = address[..end].find(',').map_or(end, |comma| comma + 1);
        kept.push_str(&address[..comma]);
        kept.push('…');
        rest = &address[end..];
    }
    kept.push_str(rest);
    kept
}
