//! What stands in a line: a text becomes pieces, the pieces become nodes.

use super::bare;
use super::definition::{self, References, label_length};
use super::delimiter::{Run, open_rest, pair};
use super::link::{in_angles, target};
use super::markup::{Markup, is_line_break};
use super::math::{self, Form, Found};
use super::open::{self, Ending};
use super::sign::run;
use super::target::Target;
use super::{Node, escape, tree};

/// Bytes of addresses that a block may come to by names alone: a short text must not
/// become a huge page.
const MAX_NAMED: usize = 100_000;
/// As far behind a bracket it is looked whether a link may still come of it.
const NEAR: usize = 4_096;

/// A piece of a text.
pub enum Piece<'a> {
    Text(&'a str),
    Char(char),
    Code(String),
    Math(&'a str, Form),
    Markup(&'a str),
    Break,
    Run(Run<'a>),
    /// What is up to its [`Piece::Close`] leads there.
    Link(Target),
    /// What is up to its [`Piece::Close`] stands for the image there.
    Image(Target),
    Close,
}

/// What a block knows of the text around it.
pub struct Scope<'a> {
    /// What names stand for.
    references: &'a References,
    /// Keys of the names that the block asked for.
    pub asked: Vec<u64>,
    /// Bytes of addresses that names may still come to.
    left: usize,
}

impl<'a> Scope<'a> {
    pub fn new(references: &'a References) -> Self {
        Self {
            references,
            asked: Vec::new(),
            left: MAX_NAMED,
        }
    }

    fn find(&mut self, label: &str) -> Option<Target> {
        let key = definition::key(label)?;
        self.asked.push(key);
        let target = self.references.get(key)?;
        self.left = self.left.checked_sub(target.written().len())?;
        Some(target.clone())
    }
}

/// The nodes of a text.
pub fn parse(text: &str, scope: &mut Scope<'_>, ending: Ending) -> Vec<Node> {
    let text = match ending {
        Ending::Whole => text,
        Ending::Open => open::without_signs(text),
    };
    let mut scanner = Scanner {
        text,
        scope,
        ending,
        at: 0,
        from: 0,
        pieces: Vec::new(),
        runs: Vec::new(),
        brackets: Vec::new(),
        inactive: 0,
        ticks: ticks(text),
        tick: 0,
        missing: 0,
        markup: Markup::default(),
    };
    scanner.scan();
    let openers = pair(&mut scanner.pieces, &scanner.runs);
    if ending == Ending::Open {
        scanner.hide_bracket();
        open_rest(&mut scanner.pieces, &openers, text.len());
    }
    tree::build(scanner.pieces)
}

/// Where runs of backticks are, and how long they are.
fn ticks(text: &str) -> Vec<(usize, usize)> {
    let mut ticks = Vec::new();
    let mut length = 0;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        if byte == b'`' {
            length += 1;
        } else if length > 0 {
            ticks.push((at - length, length));
            length = 0;
        }
    }
    ticks
}

/// A bracket that may begin a link.
struct Bracket {
    /// Where what stands in it begins.
    start: usize,
    /// Its place among the pieces.
    piece: usize,
    /// How many runs come before it.
    runs: usize,
    kind: BracketKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketKind {
    Link,
    Image,
}

struct Scanner<'a, 'b, 'c> {
    text: &'a str,
    scope: &'b mut Scope<'c>,
    ending: Ending,
    at: usize,
    /// From here to `at` there is plain text.
    from: usize,
    pieces: Vec<Piece<'a>>,
    /// Which pieces are runs outside of links.
    runs: Vec<usize>,
    brackets: Vec<Bracket>,
    /// So many brackets are around a link and so begin none.
    inactive: usize,
    ticks: Vec<(usize, usize)>,
    /// The first of the ticks that may lie ahead.
    tick: usize,
    /// Bit by bit, the lengths of runs of backticks that do not come again.
    missing: u64,
    markup: Markup,
}

impl<'a> Scanner<'a, '_, '_> {
    fn scan(&mut self) {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            let is_sign = match byte {
                b'\\' => self.math() || self.backslash(),
                b'$' => self.math(),
                b'\n' => self.line_end(),
                b'`' => self.code(),
                b'*' | b'_' | b'~' => self.run(*byte),
                b'[' => self.open("[", BracketKind::Link),
                b'!' if self.rest().starts_with("![") => self.open("![", BracketKind::Image),
                b']' => self.close(),
                b'<' => self.angle(),
                b'&' => self.entity(),
                b'h' | b'f' | b'w' => self.address(),
                b'@' => self.mail(),
                _ => false,
            };
            if !is_sign {
                self.at += 1;
            }
        }
        self.flush();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn flush(&mut self) {
        if self.from < self.at {
            self.pieces
                .push(Piece::Text(&self.text[self.from..self.at]));
        }
        self.from = self.at;
    }

    /// Adds the piece that is written in the next `length` bytes.
    fn put(&mut self, piece: Piece<'a>, length: usize) -> bool {
        self.flush();
        self.pieces.push(piece);
        self.at += length;
        self.from = self.at;
        true
    }

    fn put_link(&mut self, address: &str, shown: &'a str, length: usize) -> bool {
        self.put(Piece::Link(Target::new(address, None)), 0);
        self.pieces.push(Piece::Text(shown));
        self.put(Piece::Close, length)
    }

    fn backslash(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with("\\\n") {
            self.put(Piece::Break, 2)
        } else if escape::is_escape(rest.as_bytes()) {
            self.put(Piece::Text(&rest[1..2]), 2)
        } else {
            false
        }
    }

    fn math(&mut self) -> bool {
        let rest = self.rest();
        let before = self.text[..self.at].chars().next_back();
        match math::find(rest, before) {
            Some(Found::Formula(length, form)) => {
                self.put(Piece::Math(&rest[..length], form), length)
            }
            // Its end is still to come.
            Some(Found::Open) if self.ending == Ending::Open && rest.len() <= open::MAX_OPEN => {
                self.put(Piece::Text(""), rest.len())
            }
            // Signs that mean nothing are not looked at one by one.
            _ if rest.starts_with("$$") => self.put(Piece::Text("$$"), 2),
            _ => false,
        }
    }

    fn line_end(&mut self) -> bool {
        let text = &self.text[self.from..self.at];
        let kept = text.trim_end_matches(' ');
        let piece = if text.len() - kept.len() >= 2 {
            Piece::Break
        } else {
            Piece::Text("\n")
        };
        self.pieces.push(Piece::Text(kept));
        self.from = self.at;
        self.put(piece, 1)
    }

    fn code(&mut self) -> bool {
        let rest = self.rest();
        let length = run(rest, b'`');
        let bit = if length < 64 { 1 << length } else { 0 };
        let start = self.at + length;
        while self.ticks.get(self.tick).is_some_and(|tick| tick.0 < start) {
            self.tick += 1;
        }
        let mut end = None;
        if self.missing & bit == 0 {
            let mut ahead = self.ticks[self.tick..].iter();
            end = ahead.find(|tick| tick.1 == length).map(|tick| tick.0);
        }
        let (end, length) = match (end, self.ending) {
            (Some(end), _) => (end, end + length - self.at),
            // Its end is still to come.
            (None, Ending::Open) if self.text.len() - start <= open::MAX_OPEN => {
                (self.text.len(), rest.len())
            }
            (None, _) => {
                self.missing |= bit;
                return self.put(Piece::Text(&rest[..length]), length);
            }
        };
        let code = self.text[start..end].replace('\n', " ");
        let inside = code
            .strip_prefix(' ')
            .and_then(|code| code.strip_suffix(' '));
        let code = match inside {
            Some(inside) if !inside.trim_matches(' ').is_empty() => inside.to_owned(),
            _ => code,
        };
        self.put(Piece::Code(code), length)
    }

    fn run(&mut self, byte: u8) -> bool {
        let length = run(self.rest(), byte);
        match Run::new(self.text, self.at, self.at + length) {
            Some(run) => {
                self.flush();
                self.runs.push(self.pieces.len());
                self.put(Piece::Run(run), length)
            }
            None => {
                self.at += length;
                true
            }
        }
    }

    fn open(&mut self, sign: &'static str, kind: BracketKind) -> bool {
        self.flush();
        self.brackets.push(Bracket {
            start: self.at + sign.len(),
            piece: self.pieces.len(),
            runs: self.runs.len(),
            kind,
        });
        self.put(Piece::Text(sign), sign.len())
    }

    fn close(&mut self) -> bool {
        let Some(bracket) = self.brackets.pop() else {
            return false;
        };
        let left = self.brackets.len();
        let is_active = bracket.kind == BracketKind::Image || left >= self.inactive;
        self.inactive = self.inactive.min(left);
        if !is_active {
            return false;
        }
        let after = &self.text[self.at + 1..];
        let found = target(after).or_else(|| self.named(&bracket, after));
        let Some((target, length)) = found else {
            return self.ending == Ending::Open && self.hide_target(&bracket, after);
        };
        pair(&mut self.pieces, &self.runs[bracket.runs..]);
        self.runs.truncate(bracket.runs);
        self.pieces[bracket.piece] = match bracket.kind {
            BracketKind::Image => Piece::Image(target),
            BracketKind::Link => {
                self.inactive = left;
                Piece::Link(target)
            }
        };
        self.put(Piece::Close, 1 + length)
    }

    /// What the name behind a closing bracket, or else the text before it, stands for.
    fn named(&mut self, bracket: &Bracket, after: &str) -> Option<(Target, usize)> {
        let length = label_length(after).unwrap_or_default();
        if length > 2 {
            let target = self.scope.find(&after[1..length - 1])?;
            return Some((target, length));
        }
        let label = &self.text[bracket.start - 1..=self.at];
        label_length(label).filter(|all| *all == label.len())?;
        let target = self.scope.find(&label[1..label.len() - 1])?;
        Some((target, length))
    }

    /// Shows only the text of a link whose target is still coming.
    fn hide_target(&mut self, bracket: &Bracket, after: &'a str) -> bool {
        let is_coming = after.is_empty()
            || (after.len() <= NEAR
                && match after.as_bytes()[0] {
                    b'(' => !after.contains([')', '\n']),
                    b'[' => label_length(after).is_none() && !after[1..].contains(['[', '\n']),
                    _ => false,
                });
        if is_coming {
            self.pieces[bracket.piece] = Piece::Text("");
            self.put(Piece::Text(""), 1 + after.len());
        }
        is_coming
    }

    /// Shows the text of a link that is still coming without the bracket before it.
    fn hide_bracket(&mut self) {
        if let Some(bracket) = self.brackets.last()
            && self.text.len() - bracket.start <= open::MAX_LINK
        {
            self.pieces[bracket.piece] = Piece::Text("");
        }
    }

    fn angle(&mut self) -> bool {
        let rest = self.rest();
        if let Some((address, shown)) = in_angles(rest) {
            return self.put_link(&address, shown, shown.len() + 2);
        }
        match self.markup.length(rest) {
            Some(length) if is_line_break(&rest[..length]) => self.put(Piece::Break, length),
            Some(length) => self.put(Piece::Markup(&rest[..length]), length),
            None if self.ending == Ending::Open && open::is_address(rest) => {
                self.put_link(&rest[1..], &rest[1..], rest.len())
            }
            None => false,
        }
    }

    fn entity(&mut self) -> bool {
        match escape::entity(self.rest()) {
            Some((char, length)) => self.put(Piece::Char(char), length),
            None => false,
        }
    }

    fn address(&mut self) -> bool {
        let rest = self.rest();
        let before = self.text[..self.at].chars().next_back();
        let is_apart = match before {
            Some(char) if rest.starts_with('w') => {
                !char.is_ascii_graphic() || matches!(char, '*' | '_' | '~' | '(' | '[')
            }
            Some(char) => !char.is_ascii_alphanumeric(),
            None => true,
        };
        // First, since an address is read to its end: many in a row would be read many times.
        if !is_apart {
            return false;
        }
        match bare::web(rest) {
            Some(length) => {
                let shown = &rest[..length];
                let scheme = if rest.starts_with('w') { "http://" } else { "" };
                self.put_link(
                    &format!("{scheme}{}", escape::unescape(shown)),
                    shown,
                    length,
                )
            }
            None => false,
        }
    }

    fn mail(&mut self) -> bool {
        let Some((before, behind)) = bare::mail(self.text, self.from, self.at) else {
            return false;
        };
        self.at -= before;
        let shown = &self.rest()[..before + behind];
        self.put_link(&format!("mailto:{shown}"), shown, shown.len())
    }
}
