//! Markup in a text: where it begins and ends. It is shown as it is.

/// Names of elements that begin a block wherever they stand.
const BLOCKS: &str = "address article aside base basefont blockquote body caption center col \
    colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame \
    frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav \
    noframes ol optgroup option p param search section summary table tbody td tfoot th thead \
    title tr track ul";

/// Where a block of markup ends.
#[derive(Clone, Copy)]
pub enum End {
    /// With the line that has this in it.
    With(&'static str),
    /// Before the next blank line.
    Blank,
    /// The same, and it does not begin within a paragraph.
    BlankAlone,
}

impl End {
    /// The end of the block of markup that begins with this line.
    pub fn of(rest: &str) -> Option<Self> {
        let inside = rest.strip_prefix('<')?;
        if inside.starts_with("!--") {
            return Some(Self::With("-->"));
        }
        if inside.starts_with('?') {
            return Some(Self::With("?>"));
        }
        if inside.starts_with("![CDATA[") {
            return Some(Self::With("]]>"));
        }
        if inside.starts_with('!') {
            let is_named = matches!(inside.as_bytes().get(1), Some(b'a'..=b'z' | b'A'..=b'Z'));
            return is_named.then_some(Self::With(">"));
        }
        let named = inside.strip_prefix('/').unwrap_or(inside);
        let length = name_length(named);
        let (name, after) = named.split_at(length);
        let is_end = after.is_empty() || after.starts_with([' ', '\t', '>']);
        if is_end && named.len() == inside.len() {
            for (known, end) in [
                ("script", "</script>"),
                ("pre", "</pre>"),
                ("style", "</style>"),
                ("textarea", "</textarea>"),
            ] {
                if name.eq_ignore_ascii_case(known) {
                    return Some(Self::With(end));
                }
            }
        }
        let is_block = |known: &str| name.eq_ignore_ascii_case(known);
        if (is_end || after.starts_with("/>")) && BLOCKS.split(' ').any(is_block) {
            return Some(Self::Blank);
        }
        let tag = tag_length(rest)?;
        rest[tag..]
            .trim_ascii()
            .is_empty()
            .then_some(Self::BlankAlone)
    }

    /// Whether the block ends with this line.
    pub fn is_in(self, line: &str) -> bool {
        let Self::With(end) = self else {
            return false;
        };
        let mut windows = line.as_bytes().windows(end.len());
        windows.any(|window| window.eq_ignore_ascii_case(end.as_bytes()))
    }
}

/// Letters, digits and hyphens, after a letter.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let is_name =
            byte.is_ascii_alphabetic() || (length > 0 && (byte.is_ascii_digit() || byte == b'-'));
        if !is_name {
            break;
        }
        length += 1;
    }
    length
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The length of the tag at the start of `text`.
pub fn tag_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'<') {
        return None;
    }
    let is_closing = bytes.get(1) == Some(&b'/');
    let name = if is_closing { 2 } else { 1 };
    let length = name_length(text.get(name..)?);
    if length == 0 {
        return None;
    }
    let mut at = name + length;
    loop {
        let next = skip_space(bytes, at);
        match bytes.get(next)? {
            b'>' => return Some(next + 1),
            b'/' if !is_closing && bytes.get(next + 1) == Some(&b'>') => return Some(next + 2),
            _ if is_closing || next == at => return None,
            _ => at = attribute(bytes, next)?,
        }
    }
}

/// Where the attribute that begins at `start` ends.
fn attribute(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b':' => {}
            b'0'..=b'9' | b'.' | b'-' if at > start => {}
            _ => break,
        }
        at += 1;
    }
    if at == start {
        return None;
    }
    let equals = skip_space(bytes, at);
    if bytes.get(equals) != Some(&b'=') {
        return Some(at);
    }
    let value = skip_space(bytes, equals + 1);
    let quote = *bytes.get(value)?;
    if quote == b'"' || quote == b'\'' {
        let length = bytes[value + 1..].iter().position(|byte| *byte == quote)?;
        return Some(value + 1 + length + 1);
    }
    let mut end = value;
    while let Some(byte) = bytes.get(end) {
        if byte.is_ascii_whitespace() || b"\"'=<>`".contains(byte) {
            break;
        }
        end += 1;
    }
    (end > value).then_some(end)
}

/// Whether it is the tag of a line break.
pub fn is_line_break(tag: &str) -> bool {
    let inside = tag.trim_start_matches('<').trim_end_matches('>');
    let inside = inside.trim_end_matches('/').trim_ascii();
    inside.eq_ignore_ascii_case("br")
}

/// Markup in a line: tags, comments and the like.
#[derive(Default)]
pub struct Markup {
    /// Bit by bit, the kinds whose end does not come again.
    missing: u8,
}

impl Markup {
    /// The length of the markup at the start of `text`.
    pub fn length(&mut self, text: &str) -> Option<usize> {
        if text.starts_with("<!-->") {
            return Some(5);
        }
        if text.starts_with("<!--->") {
            return Some(6);
        }
        let declares = matches!(text.as_bytes().get(2), Some(byte) if byte.is_ascii_alphabetic());
        let kinds = [
            ("<!--", "-->"),
            ("<?", "?>"),
            ("<![CDATA[", "]]>"),
            ("<!", ">"),
        ];
        for (at, (start, end)) in kinds.into_iter().enumerate() {
            if !text.starts_with(start) || (start == "<!" && !declares) {
                continue;
            }
            let bit = 1 << at;
            let found = match self.missing & bit {
                0 => text[start.len()..].find(end),
                _ => None,
            };
            if found.is_none() {
                self.missing |= bit;
            }
            return found.map(|length| start.len() + length + end.len());
        }
        tag_length(text)
    }
}
