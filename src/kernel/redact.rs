//! Takes secrets out of texts before they are sent, logged or exported, and
//! leaves a marker in their place: `[redacted: LABEL]`.
//!
//! It knows the secrets it was given and the shapes of common keys. A false
//! alarm spoils the user's work, so a shape must be unmistakable.

mod env_file;
mod forms;
mod shapes;

use std::borrow::Cow;

/// Shortest value that is taken for a secret, in characters.
const MIN_SECRET: usize = 8;
/// Shortest line of a secret of several lines that is one by itself, in bytes.
const MIN_SECRET_LINE: usize = 20;
/// Longest label, in characters.
const MAX_LABEL: usize = 60;

const MARKER_START: &str = "[redacted: ";
const MARKER_END: char = ']';

/// Knows what must not be shown.
pub struct Redactor {
    labels: Vec<String>,
    /// By first byte, then the longest first.
    needles: Vec<Needle>,
    /// Where the needles of each first byte begin; one more entry for the end.
    starts: [usize; 257],
}

/// One form of a secret.
struct Needle {
    text: String,
    label: usize,
}

/// A part of a text that must not be shown.
struct Found<'a> {
    start: usize,
    end: usize,
    label: &'a str,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

impl Redactor {
    /// Knows the common key shapes only.
    pub fn new() -> Self {
        Self {
            labels: Vec::new(),
            needles: Vec::new(),
            starts: [0; 257],
        }
    }

    /// Adds a secret by the name that may be shown in its place. It is found as
    /// it is and as JSON, URLs and base64 write it; white space around it and
    /// values shorter than 8 characters are ignored.
    pub fn add_secret(&mut self, label: &str, value: &str) {
        let value = value.trim();
        if value.chars().count() < MIN_SECRET {
            return;
        }
        let plain = |c: char| if is_label_char(c) { c } else { '_' };
        self.labels
            .push(label.chars().take(MAX_LABEL).map(plain).collect());
        for form in forms::forms(value) {
            self.add_needle(form);
        }
        // Listings put numbers and signs between the lines of a key.
        if value.contains('\n') {
            let long = |line: &&str| line.len() >= MIN_SECRET_LINE && !line.starts_with("-----");
            for line in value.lines().map(str::trim).filter(long) {
                self.add_needle(line.to_owned());
            }
        }
    }

    /// Adds what looks secret in a file of environment variables, by the
    /// variables' names.
    pub fn add_env_file(&mut self, content: &str) {
        for (name, value) in env_file::secrets(content) {
            self.add_secret(&name, &value);
        }
    }

    /// Adds a form of the newest secret, unless it is known.
    fn add_needle(&mut self, text: String) {
        let Some(&first) = text.as_bytes().first() else {
            return;
        };
        let range = self.starts[usize::from(first)]..self.starts[usize::from(first) + 1];
        let same_first = &self.needles[range.clone()];
        if same_first.iter().any(|needle| needle.text == text) {
            return;
        }
        let longer = same_first.partition_point(|needle| needle.text.len() >= text.len());
        let label = self.labels.len().saturating_sub(1);
        self.needles
            .insert(range.start + longer, Needle { text, label });
        for start in &mut self.starts[usize::from(first) + 1..] {
            *start += 1;
        }
    }

    /// The text with a marker in place of each secret; as it was when there is none.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut copied = 0;
        let mut open: Option<Found<'_>> = None;
        // Up to where a shape was recognised: none is sought inside another.
        let mut shape_end = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let needles = self.starts[usize::from(byte)]..self.starts[usize::from(byte) + 1];
            let shaped = at >= shape_end && shapes::may_begin(byte);
            if needles.is_empty() && !shaped {
                continue;
            }
            let known = self.needles[needles]
                .iter()
                .find(|needle| bytes[at..].starts_with(needle.text.as_bytes()))
                .map(|needle| Found {
                    start: at,
                    end: at + needle.text.len(),
                    label: &self.labels[needle.label],
                });
            let shape = if shaped {
                shapes::find(bytes, at)
            } else {
                None
            };
            if let Some(shape) = &shape {
                shape_end = shape.end;
            }
            for found in [known, shape].into_iter().flatten() {
                open = match open {
                    // Secrets that overlap go together, by the name of the longer.
                    Some(before) if found.start < before.end => Some(before.joined(found)),
                    Some(before) => {
                        before.write(text, &mut out, &mut copied);
                        Some(found)
                    }
                    None => Some(found),
                };
            }
        }
        let Some(last) = open else {
            return Cow::Borrowed(text);
        };
        last.write(text, &mut out, &mut copied);
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }
}

impl<'a> Found<'a> {
    fn joined(self, other: Found<'a>) -> Found<'a> {
        let longer = other.end - other.start > self.end - self.start;
        Found {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
            label: if longer { other.label } else { self.label },
        }
    }

    /// Writes what stands before it, then its marker.
    fn write(&self, text: &str, out: &mut String, copied: &mut usize) {
        out.push_str(&text[*copied..self.start]);
        out.push_str(MARKER_START);
        out.push_str(self.label);
        out.push(MARKER_END);
        *copied = self.end;
    }
}

fn is_label_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | ':')
}

/// Whether a text holds a marker as [`Redactor::redact`] leaves it. Written into
/// a file it would replace the secret for good.
pub fn holds_marker(text: &str) -> bool {
    text.match_indices(MARKER_START).any(|(at, start)| {
        let label = text[at + start.len()..].chars().take(MAX_LABEL + 1);
        let mut rest = label.skip_while(|c| is_label_char(*c));
        let named = text[at + start.len()..].starts_with(is_label_char);
        named && rest.next() == Some(MARKER_END)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor() -> Redactor {
        let mut redactor = Redactor::new();
        for (label, value) in [
            ("DB", "p\"ss/wörd+1"),
            ("LONG", "abcdefgh-abcdefgh"),
            ("SHORT", "abcdefgh"),
            ("OVER", "efgh-abcdefgh-end"),
            ("tiny", "seven77"),
            ("a]\nb", "  white-space  \n"),
        ] {
            redactor.add_secret(label, value);
        }
        redactor
    }

    #[test]
    fn known_secrets_are_found_in_each_form() {
        let redactor = redactor();
        for (text, expected) in [
            ("nothing here, seven77", "nothing here, seven77"),
            ("", ""),
            ("x p\"ss/wörd+1 y", "x [redacted: DB] y"),
            (r#"{"a":"p\"ss/wörd+1"}"#, r#"{"a":"[redacted: DB]"}"#),
            (r#"p\\\"ss/wörd+1"#, "[redacted: DB]"),
            ("?p=p%22ss%2Fw%C3%B6rd%2B1&q", "?p=[redacted: DB]&q"),
            ("abcdefgh", "[redacted: SHORT]"),
            ("abcdefgh-abcdefgh", "[redacted: LONG]"),
            ("abcdefghabcdefgh", "[redacted: SHORT][redacted: SHORT]"),
            // Overlapping ones: nothing of either is left.
            ("abcdefgh-abcdefgh-end!", "[redacted: LONG]!"),
            ("长white-space长", "长[redacted: a__b]长"),
        ] {
            let redacted = redactor.redact(text);
            assert_eq!(redacted, expected);
            assert_eq!(matches!(redacted, Cow::Borrowed(_)), text == expected);
            assert_eq!(redactor.redact(&redacted), expected, "twice is once");
            assert_eq!(holds_marker(&redacted), text != expected);
        }
    }

    #[test]
    fn base64_is_found_wherever_it_begins() {
        let mut redactor = Redactor::new();
        redactor.add_secret("S", "hunter22-hunter33");
        for (text, expected) in [
            // The secret alone, and after "u:", "us:" and "use:".
            ("aHVudGVyMjItaHVudGVyMzM=", "[redacted: S]="),
            ("dTpodW50ZXIyMi1odW50ZXIzMw==", "dTp[redacted: S]w=="),
            ("dXM6aHVudGVyMjItaHVudGVyMzM=", "dXM6[redacted: S]="),
            ("dXNlOmh1bnRlcjIyLWh1bnRlcjMz", "dXNlOm[redacted: S]"),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
    }

    #[test]
    fn a_secret_of_several_lines_is_found_whole_and_line_by_line() {
        let mut redactor = Redactor::new();
        let line = "Zm9vYmFyYmF6cXV4Zm9vYmFy";
        redactor.add_secret(
            "KEY",
            &format!("-----BEGIN X-----\n{line}\nshort\n-----END X-----"),
        );
        assert_eq!(
            redactor.redact(&format!("1\t-----BEGIN X-----\n2\t{line}\n")),
            "1\t-----BEGIN X-----\n2\t[redacted: KEY]\n"
        );
        assert_eq!(
            redactor.redact(&format!(
                "-----BEGIN X-----\\n{line}\\nshort\\n-----END X-----"
            )),
            "[redacted: KEY]"
        );
    }

    #[test]
    fn values_of_an_env_file_are_secrets_by_their_name() {
        let mut redactor = Redactor::new();
        redactor.add_env_file("export DB_PASSWORD='correct horse'\nNODE_ENV=development\n");
        assert_eq!(
            redactor.redact("development: correct horse"),
            "development: [redacted: DB_PASSWORD]"
        );
    }

    #[test]
    fn markers_are_told_from_texts_about_them() {
        for (text, expected) in [
            ("[redacted: API key]", true),
            ("x=[redacted: DB_URL]\n", true),
            ("[redacted: [redacted: A]", true),
            ("[redacted: …]", false),
            ("[redacted: ]", false),
            ("[redacted: A", false),
            ("[redacted: A\n]", false),
            ("[redacted]", false),
        ] {
            assert_eq!(holds_marker(text), expected, "{text}");
        }
        assert!(!holds_marker(&format!(
            "{}{}]",
            MARKER_START,
            "a".repeat(61)
        )));
        assert!(holds_marker(&format!(
            "{}{}]",
            MARKER_START,
            "a".repeat(60)
        )));
    }

    #[test]
    fn large_hostile_texts_take_one_pass() {
        let mut redactor = redactor();
        redactor.add_secret("RUN", &format!("{}b", "a".repeat(200)));
        for part in [
            "a",
            "sk-",
            "eyJ.",
            "eyJaaaaaaaaaaa.",
            "Bearer ",
            "-----BEGIN PRIVATE KEY-----",
            "abcdefgh",
        ] {
            let text = part.repeat(1_000_000 / part.len());
            redactor.redact(&text);
        }
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "QUJD".repeat(16));
        let redacted = redactor.redact(&key.repeat(5_000)).into_owned();
        assert!(!redacted.contains("QUJD"));
    }
}
