//! Runs of `*`, `_` and `~`, and which of them belong together.

use super::Element;
use super::inline::Piece;
use super::link::{is_space, is_symbol, is_wide_sign};
use super::open::MAX_OPEN;

/// A run of one sign.
pub struct Run<'a> {
    /// What is left of it as text.
    pub rest: &'a str,
    /// How many elements it closes.
    pub closes: usize,
    /// The elements it opens, the innermost first.
    pub opens: Vec<Element>,
    /// Where it begins.
    start: usize,
    byte: u8,
    length: usize,
    can_open: bool,
    can_close: bool,
}

/// What stands beside a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Space,
    Sign,
    /// A sign that is not ASCII; texts that have it put no space around it.
    WideSign,
    Letter,
    /// A letter of a script without spaces between words.
    WideLetter,
}

impl Beside {
    fn new(char: Option<char>) -> Self {
        match char {
            None => Self::Space,
            Some(char) if is_space(char) => Self::Space,
            Some(char) if char.is_ascii_punctuation() => Self::Sign,
            Some(char) if is_wide_sign(char) => Self::WideSign,
            Some(char) if is_symbol(char) => Self::Sign,
            Some('\u{2e80}'..) => Self::WideLetter,
            Some(_) => Self::Letter,
        }
    }

    /// Whether a run between `self` and `text` can touch `text`.
    fn lets_touch(self, text: Self) -> bool {
        match text {
            Self::Space => false,
            Self::Sign => self != Self::Letter,
            _ => true,
        }
    }

    fn is_sign(self) -> bool {
        matches!(self, Self::Sign | Self::WideSign)
    }
}

impl<'a> Run<'a> {
    /// The run from `start` to `end`; None if it means nothing.
    pub fn new(text: &'a str, start: usize, end: usize) -> Option<Self> {
        let byte = text.as_bytes()[start];
        let before = Beside::new(text[..start].chars().next_back());
        let after = Beside::new(text[end..].chars().next());
        let is_left = before.lets_touch(after);
        let is_right = after.lets_touch(before);
        // A single tilde between letters or digits tells a range.
        let is_within = byte == b'_' || (byte == b'~' && end - start == 1);
        let is_word = is_within && is_left && is_right;
        let run = Self {
            rest: &text[start..end],
            closes: 0,
            opens: Vec::new(),
            start,
            byte,
            length: end - start,
            can_open: is_left && (!is_word || before.is_sign()),
            can_close: is_right && (!is_word || after.is_sign()),
        };
        let is_sign = (run.can_open || run.can_close) && (byte != b'~' || run.length <= 2);
        is_sign.then_some(run)
    }

    /// Whether `self` can open what `closer` closes.
    fn fits(&self, closer: &Self) -> bool {
        let is_clear = !(self.can_close || closer.can_open)
            || self.byte == b'~'
            || !(self.length + closer.length).is_multiple_of(3)
            || (self.length.is_multiple_of(3) && closer.length.is_multiple_of(3));
        let is_as_long = self.byte != b'~' || self.length == closer.length;
        self.byte == closer.byte && is_clear && is_as_long
    }

    /// Runs of the same class find the same openers.
    fn class(&self) -> usize {
        let sign = match self.byte {
            b'*' => 0,
            b'_' => 1,
            _ => 2,
        };
        sign * 6 + usize::from(self.can_open) * 3 + self.length % 3
    }
}

/// Joins the runs among `pieces` that are at `runs`, and gives those that could be
/// closed by what follows.
pub fn pair(pieces: &mut [Piece<'_>], runs: &[usize]) -> Vec<usize> {
    let mut openers: Vec<usize> = Vec::new();
    // Before these places there is no opener for a run of the class.
    let mut bottoms = [0; 18];
    for &at in runs {
        let (before, after) = pieces.split_at_mut(at);
        let Some(Piece::Run(closer)) = after.first_mut() else {
            continue;
        };
        while closer.can_close && !closer.rest.is_empty() {
            let bottom = &mut bottoms[closer.class()];
            let Some(found) = find(before, &openers, closer, *bottom) else {
                *bottom = at;
                break;
            };
            openers.truncate(found + 1);
            if let Piece::Run(opener) = &mut before[openers[found]] {
                join(opener, closer);
                if opener.rest.is_empty() {
                    openers.pop();
                }
            }
        }
        if closer.can_open && !closer.rest.is_empty() {
            openers.push(at);
        }
    }
    openers
}

/// Lets these runs open what is closed by the end of the text, at `end`, where they most
/// likely are meant so: near it.
pub fn open_rest(pieces: &mut [Piece<'_>], openers: &[usize], end: usize) {
    for &at in openers {
        if let Piece::Run(run) = &mut pieces[at]
            && end - run.start <= MAX_OPEN
            && (!run.can_close || run.length == 2)
            && run.rest.len() <= 3
        {
            if run.byte == b'~' {
                run.opens.push(Element::Strike);
            } else {
                if run.rest.len() > 1 {
                    run.opens.push(Element::Strong);
                }
                if run.rest.len() != 2 {
                    run.opens.push(Element::Emphasis);
                }
            }
            run.rest = "";
        }
    }
}

fn find(pieces: &[Piece<'_>], openers: &[usize], closer: &Run<'_>, bottom: usize) -> Option<usize> {
    let mut at = openers.len();
    while at > 0 && openers[at - 1] >= bottom {
        at -= 1;
        if let Piece::Run(opener) = &pieces[openers[at]]
            && opener.fits(closer)
        {
            return Some(at);
        }
    }
    None
}

fn join(opener: &mut Run<'_>, closer: &mut Run<'_>) {
    let is_double = opener.rest.len() > 1 && closer.rest.len() > 1;
    let (element, length) = match (closer.byte, is_double) {
        (b'~', _) => (Element::Strike, closer.length),
        (_, true) => (Element::Strong, 2),
        (_, false) => (Element::Emphasis, 1),
    };
    opener.rest = &opener.rest[length..];
    opener.opens.push(element);
    closer.rest = &closer.rest[length..];
    closer.closes += 1;
}
