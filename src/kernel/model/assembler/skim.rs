//! A quick look at a chunk: most of them bring a few letters of text and nothing else.
//! Those are read without building what they hold, at a tenth of the cost. Whatever is
//! out of the ordinary in any way is left to the full reader.

use std::borrow::Cow;
use std::ops::Range;

/// Deepest nesting of what is passed over.
const MAX_DEPTH: u32 = 32;

/// What a text is more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The answer.
    Content,
    /// The thought, in this one of [`REASONING_FIELDS`](super::REASONING_FIELDS).
    Thought(&'static str),
}

/// The only thing a chunk brings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Skimmed<'a> {
    pub kind: Kind,
    /// The text; may be empty.
    pub text: Cow<'a, str>,
    /// Where it stands in the chunk, between its marks.
    pub place: Range<usize>,
}

/// What `chunk` brings, if it is a whole JSON object that brings nothing but text.
pub(super) fn skim(chunk: &str) -> Option<Skimmed<'_>> {
    let mut reader = Skimmer {
        text: chunk,
        at: 0,
        content: None,
        thought: None,
        saw_choices: false,
        saw_delta: false,
        is_escaped: false,
    };
    reader.object(0, Skimmer::of_chunk)?;
    if reader.at != chunk.len() || !reader.saw_choices {
        return None;
    }
    let content = reader.content.unwrap_or_default();
    let (kind, written) = match reader.thought {
        Some((field, text)) if !text.is_empty() => (Kind::Thought(field), text),
        _ => (Kind::Content, content),
    };
    if kind != Kind::Content && !content.is_empty() {
        return None;
    }
    // Both lie in one text, so that the difference of their places is a place in it.
    let place = match written.is_empty() {
        true => 0..0,
        false => {
            let start = written.as_ptr() as usize - chunk.as_ptr() as usize;
            start..start + written.len()
        }
    };
    let text = unescaped(written)?;
    Some(Skimmed { kind, text, place })
}

struct Skimmer<'a> {
    text: &'a str,
    at: usize,
    content: Option<&'a str>,
    thought: Option<(&'static str, &'a str)>,
    saw_choices: bool,
    saw_delta: bool,
    /// Whether anything in the string that was read last is escaped.
    is_escaped: bool,
}

/// Reads the value of a field of this name.
type Field<'a> = fn(&mut Skimmer<'a>, &str, u32) -> Option<()>;

impl<'a> Skimmer<'a> {
    fn of_chunk(&mut self, name: &str, depth: u32) -> Option<()> {
        match name {
            "choices" => {
                if std::mem::replace(&mut self.saw_choices, true) {
                    return None;
                }
                self.only_choice()
            }
            "usage" | "error" => self.null(),
            _ => self.skip(depth),
        }
    }

    fn only_choice(&mut self) -> Option<()> {
        self.expect(b'[')?;
        self.blanks();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        self.object(2, Self::of_choice)?;
        self.blanks();
        self.expect(b']')
    }

    fn of_choice(&mut self, name: &str, depth: u32) -> Option<()> {
        match name {
            "delta" => {
                if std::mem::replace(&mut self.saw_delta, true) {
                    return None;
                }
                self.object(depth, Self::of_delta)
            }
            "finish_reason" if self.peek()? == b'"' => self.string()?.is_empty().then_some(()),
            "finish_reason" | "message" | "usage" | "error" => self.null(),
            _ => self.skip(depth),
        }
    }

    fn of_delta(&mut self, name: &str, depth: u32) -> Option<()> {
        let field = match name {
            "content" => {
                let text = self.text_or_null()?;
                // A field that comes twice is for the full reader.
                return self.content.replace(text).is_none().then_some(());
            }
            "reasoning_content" => "reasoning_content",
            "reasoning" => "reasoning",
            "reasoning_text" => "reasoning_text",
            "tool_calls" | "function_call" | "reasoning_details" | "refusal" | "extra_content" => {
                return self.null();
            }
            _ => return self.skip(depth),
        };
        let text = self.text_or_null()?;
        match self.thought {
            Some((known, before)) if known == field || !(before.is_empty() || text.is_empty()) => {
                None
            }
            Some((_, before)) if text.is_empty() && !before.is_empty() => Some(()),
            _ => {
                self.thought = Some((field, text));
                Some(())
            }
        }
    }

    fn text_or_null(&mut self) -> Option<&'a str> {
        match self.peek()? {
            b'"' => self.string(),
            _ => self.null().map(|()| ""),
        }
    }

    /// Reads an object's fields, each by `field`.
    fn object(&mut self, depth: u32, field: Field<'a>) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.blanks();
        self.expect(b'{')?;
        self.blanks();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.blanks();
            let name = self.string()?;
            if self.is_escaped {
                return None;
            }
            self.blanks();
            self.expect(b':')?;
            self.blanks();
            field(self, name, depth + 1)?;
            self.blanks();
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    /// Passes over a value of any kind.
    fn skip(&mut self, depth: u32) -> Option<()> {
        match self.peek()? {
            b'"' => {
                // Escaped halves of characters are for the full reader.
                let text = self.string()?;
                (!self.is_escaped || !text.contains("\\u")).then_some(())
            }
            b'{' => self.object(depth, |reader, _, depth| reader.skip(depth)),
            b'[' => self.list(depth),
            b'n' => self.null(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.expect(b'[')?;
        self.blanks();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.blanks();
            self.skip(depth + 1)?;
            self.blanks();
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    /// Behind an item: whether another one comes.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Some(true),
            byte if byte == end => Some(false),
            _ => None,
        }
    }

    /// What stands between the marks, as it is written; every escape is a valid one.
    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let start = self.at;
        let (length, is_escaped) = string_length(&self.text.as_bytes()[start..])?;
        self.at = start + length + 1;
        self.is_escaped = is_escaped;
        self.text.get(start..start + length)
    }

    /// A plain number: others are for the full reader.
    fn number(&mut self) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at..];
        let rest = rest.strip_prefix(b"-").unwrap_or(rest);
        let digits = |bytes: &[u8]| {
            bytes
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        };
        let whole = digits(rest);
        if whole == 0 || whole > 15 || (whole > 1 && rest[0] == b'0') {
            return None;
        }
        let mut rest = &rest[whole..];
        if let Some(fraction) = rest.strip_prefix(b".") {
            let length = digits(fraction);
            if length == 0 {
                return None;
            }
            rest = &fraction[length..];
        }
        if matches!(rest.first(), Some(b'e' | b'E')) {
            return None;
        }
        self.at = self.text.len() - rest.len();
        Some(())
    }

    fn null(&mut self) -> Option<()> {
        self.word("null")
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += word.len();
        rest.starts_with(word.as_bytes()).then_some(())
    }

    // These three are what the reader does all the time. The app is compiled for size,
    // which would make each of them a call.
    #[inline(always)]
    fn blanks(&mut self) {
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.pass_blanks();
        }
    }

    fn pass_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8) -> Option<()> {
        let is_it = self.peek()? == byte;
        self.at += 1;
        is_it.then_some(())
    }
}

/// The length of a string that `bytes` begin with, up to its closing mark, and whether
/// anything in it is escaped.
pub(super) fn string_length(bytes: &[u8]) -> Option<(usize, bool)> {
    let mut at = 0;
    let mut is_escaped = false;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some((at, is_escaped)),
            b'\\' => {
                is_escaped = true;
                at += escape_length(&bytes[at + 1..])?;
            }
            0..0x20 => return None,
            _ => {}
        }
        at += 1;
    }
}

/// How many bytes follow the backslash of a valid escape, of which `rest` begins with
/// the first.
fn escape_length(rest: &[u8]) -> Option<usize> {
    match rest.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(1),
        b'u' => rest
            .get(1..5)?
            .iter()
            .all(u8::is_ascii_hexdigit)
            .then_some(5),
        _ => None,
    }
}

/// The text that is written so; nothing if it holds half a character.
pub(super) fn unescaped(written: &str) -> Option<Cow<'_, str>> {
    let Some(first) = written.find('\\') else {
        return Some(written.into());
    };
    let mut text = String::with_capacity(written.len());
    text.push_str(&written[..first]);
    let mut rest = &written[first..];
    while let Some(escape) = rest.strip_prefix('\\') {
        let kind = *escape.as_bytes().first()?;
        let (c, length) = match kind {
            b'u' => unicode(escape)?,
            b'n' => ('\n', 1),
            b't' => ('\t', 1),
            b'r' => ('\r', 1),
            b'b' => ('\u{8}', 1),
            b'f' => ('\u{c}', 1),
            other => (char::from(other), 1),
        };
        text.push(c);
        rest = &escape[length..];
        let next = rest.find('\\').unwrap_or(rest.len());
        text.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Some(text.into())
}

/// The character of `uXXXX`, or of `uXXXX\uXXXX`, and the length of its writing.
fn unicode(escape: &str) -> Option<(char, usize)> {
    let code = |digits: Option<&str>| u32::from_str_radix(digits?, 16).ok();
    let first = code(escape.get(1..5))?;
    match first {
        0xD800..=0xDBFF => {
            let second = escape.get(5..)?.strip_prefix("\\u")?;
            let second = code(second.get(..4))?;
            if !(0xDC00..=0xDFFF).contains(&second) {
                return None;
            }
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            Some((char::from_u32(code)?, 11))
        }
        other => Some((char::from_u32(other)?, 5)),
    }
}

#[cfg(test)]
mod tests;
