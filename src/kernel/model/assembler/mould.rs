//! In a stream most events are like the one before but for a few letters of text. Such an
//! event is told by what stands around its text, and its JSON is not read again: the same
//! JSON around another text means the same with another text.

use super::skim::{Kind, Skimmed, string_length, unescaped};
use super::{Assembler, Place};
use crate::kernel::model::ModelEvent;
use crate::kernel::model::sse::SseDecoder;

/// What stood around the text of the last event that brought nothing else.
#[derive(Default)]
pub(super) struct Mould {
    /// Up to the mark before the text.
    head: Vec<u8>,
    /// From the mark behind the text to the end of the event. Empty: there is no mould.
    tail: Vec<u8>,
    kind: Option<Kind>,
    noted: Option<Noted>,
}

/// An event that was read last.
struct Noted {
    kind: Kind,
    /// Bytes before its text, of its data.
    before: usize,
    /// Bytes behind it.
    behind: usize,
    /// Bytes of its data.
    all: usize,
}

impl Mould {
    /// An event with these data was read, by a quick look.
    pub(super) fn note(&mut self, data: &str, skimmed: &Skimmed<'_>) {
        let place = &skimmed.place;
        self.noted = (!place.is_empty()).then(|| Noted {
            kind: skimmed.kind,
            before: place.start,
            behind: data.len() - place.end,
            all: data.len(),
        });
    }

    /// Keeps what stood around the text, if `event` is the bytes of the event that was
    /// noted, in the plain form: one line of data and an empty one.
    fn learn(&mut self, event: &[u8]) {
        let (Some(noted), Some(value)) = (self.noted.take(), event.strip_prefix(b"data:")) else {
            return;
        };
        let ends: [&[u8]; 2] = [b"\n\n", b"\r\n\r\n"];
        let Some(end) = ends.iter().find(|end| value.ends_with(end)) else {
            return;
        };
        let blanks = usize::from(value.starts_with(b" "));
        // More lines, or bytes that are no text, would make it longer than its data.
        if value.len() != blanks + noted.all + end.len() {
            return;
        }
        let head = event.len() - value.len() + blanks + noted.before;
        let tail = event.len() - end.len() - noted.behind;
        self.head.clear();
        self.head.extend_from_slice(&event[..head]);
        self.tail.clear();
        self.tail.extend_from_slice(&event[tail..]);
        self.kind = Some(noted.kind);
    }

    /// The text in the event that `bytes` begin with, as it is written, and the event's
    /// length; nothing unless it is of this mould.
    fn fits<'a>(&self, bytes: &'a [u8]) -> Option<(Kind, &'a str, usize)> {
        let kind = self.kind?;
        let written = bytes.strip_prefix(self.head.as_slice())?;
        let (length, _) = string_length(written)?;
        let (written, rest) = written.split_at(length);
        let rest = rest.strip_prefix(self.tail.as_slice())?;
        let written = std::str::from_utf8(written).ok()?;
        Some((kind, written, bytes.len() - rest.len()))
    }
}

impl Assembler {
    /// Takes bytes of a stream of events.
    pub(super) fn take_bytes(
        &mut self,
        decoder: &mut SseDecoder,
        bytes: &[u8],
        out: &mut Vec<ModelEvent>,
    ) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let is_between = decoder.is_between();
            if is_between
                && let Some((kind, written, length)) = self.mould.fits(rest)
                && let Some(text) = unescaped(written)
            {
                self.take_skimmed(kind, &text, out);
                rest = &rest[length..];
                continue;
            }
            self.mould.noted = None;
            let behind = decoder.push_one(rest, &mut |name, data| {
                self.take_event(name, data, Place::Middle, out);
            });
            if is_between {
                self.mould.learn(&rest[..rest.len() - behind.len()]);
            }
            rest = behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::skim::skim;
    use super::*;

    fn mould(event: &str) -> Mould {
        let mut mould = Mould::default();
        let data = event.trim().strip_prefix("data:").expect("data").trim();
        mould.note(data, &skim(data).expect("text alone"));
        mould.learn(event.as_bytes());
        mould
    }

    const EVENT: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";

    #[test]
    fn the_same_around_another_text_fits() {
        let mould = mould(EVENT);
        let next = EVENT.replace("Hi", "早 \\\"");
        let both = format!("{next}{EVENT}");
        assert_eq!(
            mould.fits(both.as_bytes()),
            Some((Kind::Content, "早 \\\"", next.len()))
        );
    }

    #[test]
    fn anything_else_does_not() {
        let mould = mould(EVENT);
        for other in [
            EVENT.replace("}}]}", "},\"finish_reason\":\"stop\"}]}"),
            EVENT.replace("content", "reasoning"),
            EVENT.replace("Hi", "a\\x"),
            EVENT.replace("Hi", "a\tb"),
            EVENT.replace("data: ", "data:"),
            EVENT.trim_end().to_owned(),
            EVENT.replace("\n\n", "\ndata: x\n\n"),
        ] {
            assert_eq!(mould.fits(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn only_plain_events_make_a_mould() {
        for event in [
            EVENT.replace("data: ", "data:  "),
            EVENT.replace("\n\n", " \n\n"),
            EVENT.replace("\n\n", "\r\r"),
            EVENT.replace("Hi", ""),
        ] {
            assert_eq!(mould(&event).kind, None, "{event}");
        }
        let with_name = format!("event: x\n{EVENT}");
        let mut mould = mould(EVENT);
        mould.kind = None;
        let data = EVENT[6..].trim();
        mould.note(data, &skim(data).expect("text alone"));
        mould.learn(with_name.as_bytes());
        assert_eq!(mould.kind, None);
    }
}
