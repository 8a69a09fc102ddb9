//! Server-sent events from bytes, however they are cut
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
//!
//! Works on bytes until a line is whole, so that a character cut in two comes out
//! right, and copies a line only when it is cut: a long answer is a hundred thousand
//! of them.

use std::borrow::Cow;

/// Most bytes of one event that are kept. A whole file in one piece fits; what is
/// longer is no piece of an answer.
pub const MAX_EVENT: usize = 8 << 20;

/// What takes the events: the event's name, empty if none was given, and its data
/// lines, joined by line ends.
pub type Sink<'a> = dyn FnMut(&str, &str) + 'a;

/// Collects bytes into lines and lines into events.
#[derive(Default)]
pub struct SseDecoder {
    /// A line that is not yet whole.
    line: Vec<u8>,
    after_cr: bool,
    past_first_line: bool,
    name: String,
    data: String,
    has_data: bool,
    /// A line of the protocol was seen, so the body is one of events.
    is_stream: bool,
    /// A line of something else was seen.
    is_foreign: bool,
    is_too_long: bool,
}

impl SseDecoder {
    /// Takes the next bytes and hands on the events they complete.
    pub fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = self.push_one(rest, sink);
        }
    }

    /// Takes bytes up to the end of an event, which it hands on, and gives back the rest.
    pub fn push_one<'a>(&mut self, bytes: &'a [u8], sink: &mut Sink<'_>) -> &'a [u8] {
        let mut rest = bytes;
        if self.after_cr && rest.first() == Some(&b'\n') {
            rest = &rest[1..];
        }
        if !bytes.is_empty() {
            self.after_cr = false;
        }
        while let Some(end) = line_end(rest) {
            let (line, behind) = (&rest[..end], &rest[end + 1..]);
            rest = match (rest[end], behind.first()) {
                (b'\r', Some(b'\n')) => &behind[1..],
                (b'\r', None) => {
                    self.after_cr = true;
                    behind
                }
                _ => behind,
            };
            let is_event = match self.line.is_empty() {
                true => self.end_line(line, sink),
                false => self.end_cut_line(line, sink),
            };
            if is_event {
                return rest;
            }
        }
        if self.has_room(self.line.len() + rest.len()) {
            self.line.extend_from_slice(rest);
        }
        &[]
    }

    /// Whether what comes next begins an event.
    pub fn is_between(&self) -> bool {
        let is_bare = self.line.is_empty() && self.name.is_empty() && !self.has_data;
        is_bare && self.past_first_line && !self.after_cr
    }

    /// The body has ended: hands on the event that no blank line closed.
    pub fn finish(&mut self, sink: &mut Sink<'_>) {
        let line = std::mem::take(&mut self.line);
        if !is_cut_field(&line) {
            self.end_line(&line, sink);
        }
        self.dispatch(sink);
    }

    /// Whether an event was longer than [`MAX_EVENT`]. Nothing is kept of it.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// Whether there were lines, and none of them was of the protocol.
    pub fn is_foreign(&self) -> bool {
        self.is_foreign && !self.is_stream
    }

    fn has_room(&mut self, line: usize) -> bool {
        let fits = self.data.len() + line <= MAX_EVENT && !self.is_too_long;
        if !fits {
            self.is_too_long = true;
            self.line = Vec::new();
            self.data = String::new();
        }
        fits
    }

    /// Ends a line of which the start came before.
    fn end_cut_line(&mut self, line: &[u8], sink: &mut Sink<'_>) -> bool {
        let mut whole = std::mem::take(&mut self.line);
        let mut is_event = false;
        if self.has_room(whole.len() + line.len()) {
            whole.extend_from_slice(line);
            is_event = self.end_line(&whole, sink);
        }
        // Its room serves the next line that is cut.
        whole.clear();
        self.line = whole;
        is_event
    }

    /// Takes a whole line; tells whether it ended an event.
    fn end_line(&mut self, line: &[u8], sink: &mut Sink<'_>) -> bool {
        let mut line = line;
        if !self.past_first_line {
            self.past_first_line = true;
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(sink);
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let is_known = match field {
            b"data" => {
                self.add_data(value);
                true
            }
            b"event" => {
                self.name = text(value).into_owned();
                true
            }
            // llama.cpp reports failures in a field of its own.
            b"error" => {
                self.name = "error".into();
                self.add_data(value);
                true
            }
            b"" | b"id" | b"retry" => true,
            _ => false,
        };
        self.is_stream |= is_known;
        self.is_foreign |= !is_known;
        false
    }

    fn add_data(&mut self, value: &[u8]) {
        if !self.has_room(value.len()) {
            return;
        }
        if self.has_data {
            self.data.push('\n');
        }
        self.data.push_str(&text(value));
        self.has_data = true;
    }

    fn dispatch(&mut self, sink: &mut Sink<'_>) -> bool {
        let is_event = std::mem::take(&mut self.has_data) && !self.is_too_long;
        if is_event {
            sink(&self.name, &self.data);
        }
        self.data.clear();
        self.name.clear();
        is_event
    }
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'))
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Looked at as a whole first: the other way goes letter by letter.
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Whether a line without an end is a field's name of which the rest is missing.
fn is_cut_field(line: &[u8]) -> bool {
    let fields: [&[u8]; 5] = [b"data:", b"event:", b"error:", b"retry:", b"id:"];
    fields
        .iter()
        .any(|field| line.len() < field.len() && field.starts_with(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(decoder: &mut SseDecoder, pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut events = Vec::new();
        let mut sink = |name: &str, data: &str| events.push((name.to_owned(), data.to_owned()));
        for piece in pieces {
            decoder.push(piece, &mut sink);
        }
        decoder.finish(&mut sink);
        events
    }

    fn check(body: &str, expected: &[(&str, &str)]) {
        for size in 1..=body.len() {
            let pieces: Vec<&[u8]> = body.as_bytes().chunks(size).collect();
            let events = events(&mut SseDecoder::default(), &pieces);
            let events: Vec<(&str, &str)> = events
                .iter()
                .map(|(name, data)| (name.as_str(), data.as_str()))
                .collect();
            assert_eq!(events, expected, "{body:?} in pieces of {size}");
        }
    }

    #[test]
    fn line_ends_of_every_kind() {
        check(
            "data: a\n\ndata:b\r\n\r\ndata: c\r\rdata: d",
            &[("", "a"), ("", "b"), ("", "c"), ("", "d")],
        );
    }

    #[test]
    fn comments_and_other_fields_are_passed_over() {
        check(": hi\n\n:\n\nid: 1\nretry: 5\ndata: a\n\n", &[("", "a")]);
    }

    #[test]
    fn data_lines_are_joined_and_names_kept() {
        check(
            "\u{FEFF}event: x\ndata: a\ndata:  b\n\ndata\n\n",
            &[("x", "a\n b"), ("", "")],
        );
        check("error: {\"m\":1}\n\n", &[("error", "{\"m\":1}")]);
    }

    #[test]
    fn a_character_cut_in_two_is_whole_again() {
        check("data: 早上好 🦉\n\n", &[("", "早上好 🦉")]);
    }

    #[test]
    fn a_line_without_end_is_given_up_and_not_kept() {
        let mut decoder = SseDecoder::default();
        let piece = vec![b'x'; 1 << 20];
        let mut none = |_: &str, _: &str| panic!("no event was closed");
        decoder.push(b"data: ", &mut none);
        for _ in 0..50 {
            decoder.push(&piece, &mut none);
            assert!(decoder.line.capacity() <= 2 * MAX_EVENT);
        }
        decoder.push(b"\n\n", &mut none);
        decoder.finish(&mut none);
        assert!(decoder.is_too_long());
        assert_eq!(decoder.line.capacity() + decoder.data.capacity(), 0);
    }

    #[test]
    fn many_data_lines_of_one_event_are_given_up_too() {
        let mut decoder = SseDecoder::default();
        let mut none = |_: &str, _: &str| panic!("no event was closed");
        let line = [b"data: ".as_slice(), &vec![b'x'; 1 << 20], b"\n"].concat();
        for _ in 0..50 {
            decoder.push(&line, &mut none);
        }
        assert!(decoder.is_too_long());
    }

    #[test]
    fn a_body_of_other_lines_is_told_apart() {
        for (body, is_foreign) in [
            ("Not Found", true),
            ("upstream timed out\n", true),
            ("dat", false),
            ("data", false),
            (": hi\n\n", false),
            ("data: {}\n\nwhat", false),
            ("", false),
        ] {
            let mut decoder = SseDecoder::default();
            events(&mut decoder, &[body.as_bytes()]);
            assert_eq!(decoder.is_foreign(), is_foreign, "{body}");
        }
    }
}
