//! Server-sent events from bytes, however they are cut
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

/// One event of the stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    /// The event's name; empty if none was given.
    pub name: String,
    /// Its data lines, joined by line ends.
    pub data: String,
}

/// Collects bytes into lines and lines into events. Works on bytes until a
/// line is whole, so that a character cut in two comes out right.
#[derive(Default)]
pub struct SseDecoder {
    line: Vec<u8>,
    after_cr: bool,
    past_first_line: bool,
    name: String,
    data: Option<String>,
}

impl SseDecoder {
    /// Takes the next bytes and gives the events they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = Vec::new();
        let mut rest = bytes;
        if self.after_cr && rest.first() == Some(&b'\n') {
            rest = &rest[1..];
        }
        if !bytes.is_empty() {
            self.after_cr = false;
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.extend_from_slice(&rest[..end]);
            let skip = match (rest[end], rest.get(end + 1)) {
                (b'\r', Some(b'\n')) => 2,
                (b'\r', None) => {
                    self.after_cr = true;
                    1
                }
                _ => 1,
            };
            rest = &rest[end + skip..];
            events.extend(self.end_line());
        }
        self.line.extend_from_slice(rest);
        events
    }

    /// The body has ended: gives the event that no blank line closed.
    pub fn finish(&mut self) -> Vec<SseEvent> {
        let mut events: Vec<SseEvent> = self.end_line().into_iter().collect();
        events.extend(self.dispatch());
        events
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = String::from_utf8_lossy(&bytes).into_owned();
        if !self.past_first_line {
            self.past_first_line = true;
            if let Some(stripped) = line.strip_prefix('\u{FEFF}') {
                line = stripped.to_owned();
            }
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value),
            "event" => value.clone_into(&mut self.name),
            // llama.cpp reports failures in a field of its own.
            "error" => {
                self.name = "error".into();
                self.add_data(value);
            }
            // Comments (an empty name), id, retry and what nobody knows.
            _ => {}
        }
        None
    }

    fn add_data(&mut self, value: &str) {
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let name = std::mem::take(&mut self.name);
        let data = self.data.take()?;
        Some(SseEvent { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[(&str, &str)]) {
        let expected: Vec<SseEvent> = expected
            .iter()
            .map(|(name, data)| SseEvent {
                name: (*name).into(),
                data: (*data).into(),
            })
            .collect();
        for size in 1..=body.len() {
            let mut decoder = SseDecoder::default();
            let mut events = Vec::new();
            for piece in body.as_bytes().chunks(size) {
                events.extend(decoder.push(piece));
            }
            events.extend(decoder.finish());
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
}
