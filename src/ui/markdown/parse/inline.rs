//! What stands in a line: a text becomes pieces, the pieces become nodes.

use super::delimiter::{Run, pair};
use super::link::{bare, in_angles, target};
use super::markup::{is_line_break, tag_length};
use super::sign::run;
use super::{Node, escape, tree};

/// A piece of a text.
pub enum Piece<'a> {
    Text(&'a str),
    Char(char),
    Code(String),
    Break,
    Run(Run<'a>),
    /// What is up to its [`Piece::Close`] leads to this address.
    Link(String),
    /// What is up to its [`Piece::Close`] stands for the image at this address.
    Image(String),
    Close,
}

/// The nodes of a text.
pub fn parse(text: &str) -> Vec<Node> {
    let mut scanner = Scanner {
        text,
        at: 0,
        from: 0,
        pieces: Vec::new(),
        runs: Vec::new(),
        brackets: Vec::new(),
        inactive: 0,
        ticks: ticks(text),
        tick: 0,
        missing: 0,
    };
    scanner.scan();
    pair(&mut scanner.pieces, &scanner.runs);
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

struct Scanner<'a> {
    text: &'a str,
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
}

impl<'a> Scanner<'a> {
    fn scan(&mut self) {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            let is_sign = match byte {
                b'\\' => self.backslash(),
                b'\n' => self.line_end(),
                b'`' => self.code(),
                b'*' | b'_' | b'~' => self.run(*byte),
                b'[' => self.open("[", BracketKind::Link),
                b'!' if self.rest().starts_with("![") => self.open("![", BracketKind::Image),
                b']' => self.close(),
                b'<' => self.angle(),
                b'&' => self.entity(),
                b'h' => self.address(),
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

    fn put_link(&mut self, address: String, shown: &'a str, length: usize) -> bool {
        self.put(Piece::Link(address), 0);
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
        let Some(end) = end else {
            self.missing |= bit;
            return self.put(Piece::Text(&rest[..length]), length);
        };
        let code = self.text[start..end].replace('\n', " ");
        let inside = code
            .strip_prefix(' ')
            .and_then(|code| code.strip_suffix(' '));
        let code = match inside {
            Some(inside) if !inside.trim_matches(' ').is_empty() => inside.to_owned(),
            _ => code,
        };
        self.put(Piece::Code(code), end + length - self.at)
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
        let Some((address, length)) = target(&self.text[self.at + 1..]) else {
            return false;
        };
        pair(&mut self.pieces, &self.runs[bracket.runs..]);
        self.runs.truncate(bracket.runs);
        self.pieces[bracket.piece] = match bracket.kind {
            BracketKind::Image => Piece::Image(address),
            BracketKind::Link => {
                self.inactive = left;
                Piece::Link(address)
            }
        };
        self.put(Piece::Close, 1 + length)
    }

    fn angle(&mut self) -> bool {
        let rest = self.rest();
        if let Some((address, shown)) = in_angles(rest) {
            return self.put_link(address, shown, shown.len() + 2);
        }
        match tag_length(rest) {
            Some(length) if is_line_break(&rest[..length]) => self.put(Piece::Break, length),
            Some(length) => self.put(Piece::Text(&rest[..length]), length),
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
        let before = self.at.checked_sub(1).map(|at| self.text.as_bytes()[at]);
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            return false;
        }
        let rest = self.rest();
        match bare(rest) {
            Some(length) => {
                let shown = &rest[..length];
                self.put_link(escape::unescape(shown), shown, length)
            }
            None => false,
        }
    }
}
