//! HTML cut into tags and texts, in one pass whatever it is: what is broken is read as
//! browsers read it, as far as that matters for the text.

use std::borrow::Cow;

/// A piece of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text between tags, with its references resolved.
    Text(Cow<'a, str>),
    /// The start of an element.
    Start(Tag<'a>),
    /// The end of one, by its name in small letters.
    End(String),
}

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// In small letters.
    pub name: String,
    /// What stands between the name and the end.
    attributes: &'a str,
}

impl Tag<'_> {
    /// The value of an attribute; empty where it has none.
    pub fn get(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            let (name, value, behind) = attribute(rest)?;
            if name.eq_ignore_ascii_case(wanted) {
                return Some(unescaped(value).into_owned());
            }
            rest = behind;
        }
    }
}

/// The first attribute, its value and what follows it.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let blank = |c: char| c.is_ascii_whitespace() || c == '/';
    let text = text.trim_start_matches(blank);
    // A name is one character at least, so that there is always a step.
    let first = text.chars().next()?.len_utf8();
    let end = text[first..].find(|c: char| blank(c) || c == '=');
    let end = end.map_or(text.len(), |at| first + at);
    let (name, rest) = text.split_at(end);
    let Some(value) = rest.trim_ascii_start().strip_prefix('=') else {
        return Some((name, "", rest));
    };
    let value = value.trim_ascii_start();
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = &value[1..];
        let end = inner.find(quote).unwrap_or(inner.len());
        return Some((
            name,
            &inner[..end],
            inner.get(end + 1..).unwrap_or_default(),
        ));
    }
    let end = value.find(|c: char| c.is_ascii_whitespace());
    let (value, rest) = value.split_at(end.unwrap_or(value.len()));
    Some((name, value, rest))
}

/// Elements whose content is text up to their end tag, whatever stands in it.
const RAW: [&str; 9] = [
    "script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title", "noscript",
];

/// The pieces of a page.
pub(super) struct Pieces<'a> {
    rest: &'a str,
    /// The element whose raw text comes next.
    raw: Option<String>,
}

impl<'a> Pieces<'a> {
    pub fn of(html: &'a str) -> Self {
        Self {
            rest: html,
            raw: None,
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// The text up to where the raw element ends.
    fn raw_text(&mut self, name: &str) -> Piece<'a> {
        let bytes = self.rest.as_bytes();
        let ends = |at: &usize| {
            bytes[*at..].starts_with(b"</")
                && bytes[at + 2..].len() >= name.len()
                && bytes[at + 2..at + 2 + name.len()].eq_ignore_ascii_case(name.as_bytes())
        };
        let mut places = self.rest.match_indices('<').map(|(at, _)| at);
        let end = places.find(ends).unwrap_or(self.rest.len());
        let text = self.take(end);
        Piece::Text(match name {
            "textarea" | "title" => unescaped(text),
            _ => Cow::Borrowed(text),
        })
    }

    /// What stands at a `<`, if it is no text.
    fn markup(&mut self) -> Option<Option<Piece<'a>>> {
        let behind = &self.rest[1..];
        let first = behind.chars().next()?;
        if let Some(comment) = behind.strip_prefix("!--") {
            let end = comment.find("-->").map(|at| 1 + 3 + at + 3);
            self.take(end.unwrap_or(self.rest.len()));
            return Some(None);
        }
        if matches!(first, '!' | '?') {
            let end = self.rest.find('>').map(|at| at + 1);
            self.take(end.unwrap_or(self.rest.len()));
            return Some(None);
        }
        let is_end = first == '/';
        let name_at = 1 + usize::from(is_end);
        let named = &self.rest[name_at..];
        if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let length = named.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'));
        let name_end = name_at + length.unwrap_or(named.len());
        let tag_end = self.tag_end(name_end);
        let tag = self.take(tag_end);
        let name = tag[name_at..name_end].to_ascii_lowercase();
        let attributes = tag[name_end..].trim_end_matches('>');
        if is_end {
            return Some(Some(Piece::End(name)));
        }
        if RAW.contains(&name.as_str()) {
            self.raw = Some(name.clone());
        }
        Some(Some(Piece::Start(Tag { name, attributes })))
    }

    /// Where the tag ends: a `>` inside a quoted value is none.
    fn tag_end(&self, from: usize) -> usize {
        let bytes = self.rest.as_bytes();
        let mut quote = None;
        let mut is_value = false;
        for (at, &byte) in bytes.iter().enumerate().skip(from) {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'>') => return at + 1,
                (None, b'"' | b'\'') if is_value => quote = Some(byte),
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                is_value = byte == b'=';
            }
        }
        bytes.len()
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if let Some(name) = self.raw.take() {
            return Some(self.raw_text(&name));
        }
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if self.rest.starts_with('<')
                && let Some(markup) = self.markup()
            {
                match markup {
                    Some(piece) => return Some(piece),
                    None => continue,
                }
            }
            // The first character is text in any case.
            let first = self.rest.chars().next()?.len_utf8();
            let end = self.rest[first..]
                .find('<')
                .map_or(self.rest.len(), |at| first + at);
            return Some(Piece::Text(unescaped(self.take(end))));
        }
    }
}

/// The references that pages are full of; others stay as they are written.
const NAMED: [(&str, &str); 48] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("sbquo", "‚"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("bull", "•"),
    ("middot", "·"),
    ("deg", "°"),
    ("plusmn", "±"),
    ("times", "×"),
    ("divide", "÷"),
    ("minus", "−"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("larr", "←"),
    ("rarr", "→"),
    ("uarr", "↑"),
    ("darr", "↓"),
    ("euro", "€"),
    ("pound", "£"),
    ("sect", "§"),
    ("para", "¶"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("ensp", " "),
];

/// A text with its references resolved.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match reference(&rest[1..]) {
            Some((meant, length)) => {
                out.push_str(&meant);
                rest = &rest[1 + length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What a reference stands for, and how long it is behind its `&`.
fn reference(text: &str) -> Option<(String, usize)> {
    if let Some(number) = text.strip_prefix('#') {
        let (digits, radix, head) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16, 2),
            None => (number, 10, 1),
        };
        let length = digits
            .find(|c: char| !c.is_digit(radix))
            .unwrap_or(digits.len());
        let code = u32::from_str_radix(digits[..length].get(..8.min(length))?, radix).ok()?;
        let meant = char::from_u32(code)
            .filter(|c| *c != '\0')
            .unwrap_or('\u{fffd}');
        let end = head + length;
        let semicolon = usize::from(text[end..].starts_with(';'));
        return Some((meant.to_string(), end + semicolon));
    }
    let end = text.bytes().take(10).position(|byte| byte == b';')?;
    let (_, meant) = NAMED.iter().find(|(name, _)| *name == &text[..end])?;
    Some(((*meant).to_owned(), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(html: &str) -> Vec<String> {
        let tell = |piece| match piece {
            Piece::Text(text) => format!("{text:?}"),
            Piece::Start(tag) => format!("<{}{}>", tag.name, tag.attributes),
            Piece::End(name) => format!("</{name}>"),
        };
        Pieces::of(html).map(tell).collect()
    }

    #[test]
    fn pages_are_cut_as_browsers_cut_them() {
        for (html, expected) in [
            (
                "a<b>c</B >d",
                &["\"a\"", "<b>", "\"c\"", "</b>", "\"d\""][..],
            ),
            (
                "1 < 2 <3 &lt; &#x34; &unknown; & &",
                &["\"1 \"", "\"< 2 \"", "\"<3 < 4 &unknown; & &\""],
            ),
            ("<!doctype html><!-- <p> --><?x?>a", &["\"a\""]),
            ("<!-- never closed <p>", &[]),
            (
                "<script>if (a<b) '</p>'</script>x",
                &["<script>", "\"if (a<b) '</p>'\"", "</script>", "\"x\""],
            ),
            ("<style>never closed", &["<style>", "\"never closed\""]),
            ("<a title='a > b' href=x>", &["<a title='a > b' href=x>"]),
            ("<a href=\"x", &["<a href=\"x>"]),
            ("<p", &["<p>"]),
            ("<", &["\"<\""]),
            (
                "<title>a &amp; <b></title>",
                &["<title>", "\"a & <b>\"", "</title>"],
            ),
        ] {
            assert_eq!(told(html), expected, "{html}");
        }
    }

    #[test]
    fn attributes_are_found_however_they_are_written() {
        let html = "<a HREF = 'a&amp;b' checked data-x=1 title=\"say &quot;hi&quot;\"/>";
        let Some(Piece::Start(tag)) = Pieces::of(html).next() else {
            panic!("a start tag");
        };
        assert_eq!(tag.get("href").as_deref(), Some("a&b"));
        assert_eq!(tag.get("checked").as_deref(), Some(""));
        assert_eq!(tag.get("data-x").as_deref(), Some("1"));
        assert_eq!(tag.get("title").as_deref(), Some("say \"hi\""));
        assert_eq!(tag.get("src"), None);
    }
}
