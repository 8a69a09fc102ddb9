//! The text inside a block: emphasis, code, links, breaks. What is not whole stays
//! the text that it is.

use super::parse::{Element, Node};

/// Longest address that is looked for, in bytes.
const MAX_ADDRESS: usize = 2_000;
/// The same for one between `<` and `>`.
const MAX_ANGLE: usize = 400;
/// Longer runs of signs stress nothing.
const MAX_RUN: usize = 8;
/// Signs that wait for a partner at the same time.
const MAX_OPEN: usize = 16;

/// A piece of the text while it is being read.
enum Piece {
    Node(Node),
    /// Signs of emphasis that may find a partner.
    Signs(Signs),
    /// `[` or `![`
    Bracket(Bracket),
}

#[derive(Clone, Copy)]
struct Signs {
    sign: char,
    count: usize,
    opens: bool,
    closes: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Bracket {
    Link,
    Image,
}

/// The nodes of `text`.
pub(super) fn inline(text: &str) -> Vec<Node> {
    let mut reader = Reader {
        text,
        at: 0,
        brackets: 0,
        pieces: Vec::new(),
    };
    while let Some(c) = reader.rest().chars().next() {
        reader.step(c);
    }
    emphasise(reader.pieces)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// How many of the pieces are brackets.
    brackets: usize,
    pieces: Vec<Piece>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn step(&mut self, c: char) {
        let taken = match c {
            '\\' => self.escape(),
            '`' => self.code(),
            '*' | '_' | '~' => self.signs(c),
            '!' if self.rest().starts_with("![") => self.bracket(Bracket::Image),
            '[' => self.bracket(Bracket::Link),
            ']' => self.close_bracket(),
            '<' => self.angle(),
            '&' => self.entity(),
            'h' => self.address(),
            '\n' => self.line_end(),
            _ => false,
        };
        if !taken {
            let length = match c {
                // Nothing begins in the middle of a word, except for the signs above.
                c if c.is_alphanumeric() => word(self.rest()),
                c => c.len_utf8(),
            };
            let text = &self.rest()[..length];
            self.push_text(text);
            self.at += length;
        }
    }

    fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Node(Node::Text(before))) => before.push_str(text),
            _ => self.push(Node::Text(text.to_owned())),
        }
    }

    fn push(&mut self, node: Node) {
        self.pieces.push(Piece::Node(node));
    }

    fn escape(&mut self) -> bool {
        match self.rest().chars().nth(1) {
            Some('\n') => {
                self.push(Node::Break);
                self.at += 2;
                true
            }
            Some(c) if c.is_ascii_punctuation() => {
                self.push_text(&self.rest()[1..2]);
                self.at += 2;
                true
            }
            _ => false,
        }
    }

    fn code(&mut self) -> bool {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| *byte == b'`').count();
        let inside = &rest[length..];
        let mut from = 0;
        while let Some(found) = inside[from..].find('`') {
            let start = from + found;
            let run = inside[start..]
                .bytes()
                .take_while(|byte| *byte == b'`')
                .count();
            if run == length {
                let code = inside[..start].replace('\n', " ");
                let trimmed = code
                    .strip_prefix(' ')
                    .and_then(|code| code.strip_suffix(' '));
                let code = trimmed
                    .filter(|code| !code.trim().is_empty())
                    .unwrap_or(&code);
                self.push(Node::Code(code.to_owned()));
                self.at += length + start + run;
                return true;
            }
            from = start + run;
        }
        self.push_text(&rest[..length]);
        self.at += length;
        true
    }

    fn signs(&mut self, sign: char) -> bool {
        let rest = self.rest();
        let count = rest.chars().take_while(|c| *c == sign).count();
        if count > MAX_RUN || (sign == '~' && count != 2) {
            self.push_text(&rest[..count]);
            self.at += count;
            return true;
        }
        let before = self.text[..self.at].chars().next_back().unwrap_or(' ');
        let after = rest[count..].chars().next().unwrap_or(' ');
        let opens = !after.is_whitespace() && (!is_punctuation(after) || !is_word(before));
        let closes = !before.is_whitespace() && (!is_punctuation(before) || !is_word(after));
        let in_word = sign == '_' && is_word(before) && is_word(after);
        self.pieces.push(Piece::Signs(Signs {
            sign,
            count,
            opens: opens && !in_word,
            closes: closes && !in_word,
        }));
        self.at += count;
        true
    }

    fn bracket(&mut self, bracket: Bracket) -> bool {
        self.pieces.push(Piece::Bracket(bracket));
        self.brackets += 1;
        self.at += if bracket == Bracket::Image { 2 } else { 1 };
        true
    }

    fn close_bracket(&mut self) -> bool {
        if self.brackets == 0 {
            return false;
        }
        let open = self
            .pieces
            .iter()
            .rposition(|piece| matches!(piece, Piece::Bracket(_)));
        let Some(open) = open else { return false };
        self.brackets -= 1;
        let target = target(&self.rest()[1..]);
        let inside = self.pieces.split_off(open);
        let mut inside = inside.into_iter();
        let Some(Piece::Bracket(bracket)) = inside.next() else {
            return false;
        };
        let Some((address, length)) = target else {
            self.push_text(if bracket == Bracket::Image { "![" } else { "[" });
            self.pieces.extend(inside);
            self.push_text("]");
            self.at += 1;
            return true;
        };
        let children = emphasise(inside.collect());
        let children = match bracket {
            Bracket::Link => children,
            // An image is never loaded: it would tell a stranger that it was looked at.
            Bracket::Image => vec![Node::Text(match plain(&children) {
                alt if alt.is_empty() => address.to_owned(),
                alt => alt,
            })],
        };
        match safe_address(address) {
            Some(href) if !has_link(&children) => self.push(Node::Link { href, children }),
            _ => self.pieces.extend(children.into_iter().map(Piece::Node)),
        }
        self.at += 1 + length;
        true
    }

    /// `<https://…>` and `<br>`; all other markup is text.
    fn angle(&mut self) -> bool {
        let rest = self.rest();
        let Some(end) = rest.bytes().take(MAX_ANGLE).position(|byte| byte == b'>') else {
            return false;
        };
        let inside = &rest[1..end];
        if inside
            .trim_end_matches('/')
            .trim()
            .eq_ignore_ascii_case("br")
        {
            self.push(Node::Break);
        } else if let (false, Some(href)) =
            (inside.contains(char::is_whitespace), safe_address(inside))
        {
            let children = vec![Node::Text(inside.to_owned())];
            self.push(Node::Link { href, children });
        } else {
            return false;
        }
        self.at += end + 1;
        true
    }

    fn entity(&mut self) -> bool {
        let rest = self.rest();
        let known = [
            ("&amp;", "&"),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&nbsp;", "\u{a0}"),
        ];
        let Some((name, text)) = known.into_iter().find(|(name, _)| rest.starts_with(name)) else {
            return false;
        };
        self.push_text(text);
        self.at += name.len();
        true
    }

    /// An address that stands in the text as it is.
    fn address(&mut self) -> bool {
        let rest = self.rest();
        let in_word = self.text[..self.at]
            .chars()
            .next_back()
            .is_some_and(|c| c.is_ascii_alphanumeric());
        if in_word
            || self.brackets > 0
            || !(rest.starts_with("https://") || rest.starts_with("http://"))
        {
            return false;
        }
        let is_end = |c: char| {
            c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '*') || !c.is_ascii()
        };
        let mut length = rest.find(is_end).unwrap_or(rest.len());
        while let Some(last) = rest[..length].chars().next_back() {
            let count = |paren: char| rest[..length].matches(paren).count();
            let unbalanced = last == ')' && count(')') > count('(');
            if !unbalanced
                && !matches!(
                    last,
                    '.' | ',' | ':' | ';' | '!' | '?' | '\'' | ']' | '_' | '~' | '|'
                )
            {
                break;
            }
            length -= 1;
        }
        let href = rest[..length].to_owned();
        if href.ends_with('/') && href.len() <= "https://".len() {
            return false;
        }
        self.push(Node::Link {
            children: vec![Node::Text(href.clone())],
            href,
        });
        self.at += length;
        true
    }

    fn line_end(&mut self) -> bool {
        let mut is_break = false;
        if let Some(Piece::Node(Node::Text(before))) = self.pieces.last_mut() {
            is_break = before.ends_with("  ");
            before.truncate(before.trim_end_matches(' ').len());
        }
        match is_break {
            true => self.push(Node::Break),
            false => self.push_text("\n"),
        }
        let rest = self.rest();
        self.at += rest.len() - rest[1..].trim_start_matches([' ', '\t']).len();
        true
    }
}

/// Length of the word that `text` begins with.
fn word(text: &str) -> usize {
    let is_inside = |c: char| c.is_alphanumeric() && c != 'h';
    let first = text.chars().next().map_or(0, char::len_utf8);
    let more = text[first..].find(|c| !is_inside(c));
    first + more.unwrap_or(text.len() - first)
}

/// A sign; other than the rule of the standard, one of Chinese or Japanese counts as
/// a blank does, so that `**重点：**正文` is what its writer meant.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
}

/// A letter of a script that puts blanks between words.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !('\u{2E80}'..='\u{FFDC}').contains(&c)
}

/// Address and length of `(address "title")`.
fn target(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix('(')?;
    let mut depth = 0;
    let mut end = None;
    for (at, c) in inside.char_indices().take(MAX_ADDRESS) {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => {
                end = Some(at);
                break;
            }
            ')' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    let end = end?;
    let address = inside[..end].trim();
    // A title may follow; it is not shown.
    let address = address.split_whitespace().next().unwrap_or_default();
    let address = address
        .strip_prefix('<')
        .and_then(|address| address.strip_suffix('>'))
        .unwrap_or(address);
    Some((address, end + 2))
}

/// The address if following it can do no more than open a page or a letter.
pub(super) fn safe_address(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once(':')?;
    let is_safe = match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => rest.len() > 2 && rest.starts_with("//"),
        "mailto" => true,
        _ => false,
    };
    is_safe.then(|| address.to_owned())
}

/// Finds partners for signs of emphasis; those without one are text.
fn emphasise(pieces: Vec<Piece>) -> Vec<Node> {
    let mut open: Vec<(Signs, Vec<Node>)> = Vec::new();
    let mut top: Vec<Node> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Node(node) => add(target_of(&mut top, &mut open), node),
            Piece::Bracket(bracket) => {
                let text = if bracket == Bracket::Image { "![" } else { "[" };
                add(target_of(&mut top, &mut open), Node::Text(text.into()));
            }
            Piece::Signs(mut signs) => {
                while signs.closes && signs.count > 0 {
                    let Some(at) = open
                        .iter()
                        .rposition(|(opener, _)| opener.sign == signs.sign)
                    else {
                        break;
                    };
                    // What opened in between found no partner.
                    while open.len() > at + 1 {
                        give_up(&mut top, &mut open);
                    }
                    close(&mut top, &mut open, &mut signs);
                }
                if signs.count > 0 && signs.opens && open.len() < MAX_OPEN {
                    open.push((signs, Vec::new()));
                } else if signs.count > 0 {
                    let text = signs.sign.to_string().repeat(signs.count);
                    add(target_of(&mut top, &mut open), Node::Text(text));
                }
            }
        }
    }
    while !open.is_empty() {
        give_up(&mut top, &mut open);
    }
    top
}

fn target_of<'a>(top: &'a mut Vec<Node>, open: &'a mut [(Signs, Vec<Node>)]) -> &'a mut Vec<Node> {
    match open.last_mut() {
        Some((_, children)) => children,
        None => top,
    }
}

fn add(nodes: &mut Vec<Node>, node: Node) {
    match (nodes.last_mut(), node) {
        (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
        (_, node) => nodes.push(node),
    }
}

/// The last opener becomes text.
fn give_up(top: &mut Vec<Node>, open: &mut Vec<(Signs, Vec<Node>)>) {
    let Some((signs, children)) = open.pop() else {
        return;
    };
    let into = target_of(top, open);
    add(into, Node::Text(signs.sign.to_string().repeat(signs.count)));
    children.into_iter().for_each(|child| add(into, child));
}

/// The last opener and `signs` are partners.
fn close(top: &mut Vec<Node>, open: &mut Vec<(Signs, Vec<Node>)>, signs: &mut Signs) {
    let Some((mut opener, children)) = open.pop() else {
        return;
    };
    let used = if opener.count >= 2 && signs.count >= 2 {
        2
    } else {
        1
    };
    let element = match (signs.sign, used) {
        ('~', _) => Element::Strike,
        (_, 2) => Element::Strong,
        _ => Element::Emphasis,
    };
    opener.count -= used;
    signs.count -= used;
    let node = Node::Element(element, children);
    if opener.count > 0 {
        open.push((opener, vec![node]));
    } else {
        add(target_of(top, open), node);
    }
}

fn has_link(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Link { .. } => true,
        Node::Element(_, children) => has_link(children),
        _ => false,
    })
}

/// The text in `nodes` without what wraps it.
fn plain(nodes: &[Node]) -> String {
    let text = nodes.iter().map(|node| match node {
        Node::Text(text) | Node::Code(text) => text.clone(),
        Node::Link { children, .. } | Node::Element(_, children) => plain(children),
        _ => String::new(),
    });
    text.collect()
}
