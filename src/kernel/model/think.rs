//! Parts a leading `<think>` block from the answer while it streams in.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A piece of the stream, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Part of the answer.
    Text(String),
    /// Part of the thought.
    Thought(String),
}

/// Only a block at the very beginning is a thought; any later `<` is text.
#[derive(Default)]
pub struct ThinkSplitter {
    state: State,
    held: String,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    /// Nothing but white space or the beginning of the tag has come.
    #[default]
    Start,
    /// Inside the block.
    Thought,
    /// Behind the block, before the answer's first letter.
    Gap,
    /// In the answer.
    Text,
}

impl ThinkSplitter {
    /// Whether all that comes from now on is text.
    pub fn is_past(&self) -> bool {
        self.state == State::Text && self.held.is_empty()
    }

    /// Takes more of the content.
    pub fn push(&mut self, content: &str) -> Vec<Piece> {
        self.held.push_str(content);
        let mut pieces = Vec::new();
        while let Some(piece) = self.step() {
            pieces.extend(piece);
        }
        pieces
    }

    /// The content has ended: lets out what was held back.
    pub fn finish(&mut self) -> Option<Piece> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return None;
        }
        match self.state {
            State::Thought => Some(Piece::Thought(held)),
            State::Gap => None,
            State::Start | State::Text => Some(Piece::Text(held)),
        }
    }

    /// One step of the machine: `None` when it needs more, `Some(None)` when
    /// it moved on without a piece.
    fn step(&mut self) -> Option<Option<Piece>> {
        if self.held.is_empty() {
            return None;
        }
        match self.state {
            State::Start => {
                let seen = self.held.trim_start();
                if let Some(rest) = seen.strip_prefix(OPEN) {
                    self.held = rest.to_owned();
                    self.state = State::Thought;
                    return Some(None);
                }
                if OPEN.starts_with(seen) {
                    return None;
                }
                self.state = State::Text;
                Some(None)
            }
            State::Thought => self.step_thought(),
            State::Gap => {
                self.held = self.held.trim_start().to_owned();
                if self.held.is_empty() {
                    return None;
                }
                self.state = State::Text;
                Some(None)
            }
            State::Text => Some(Some(Piece::Text(std::mem::take(&mut self.held)))),
        }
    }

    fn step_thought(&mut self) -> Option<Option<Piece>> {
        if let Some(at) = self.held.find(CLOSE) {
            let thought = self.held[..at].to_owned();
            self.held.drain(..at + CLOSE.len());
            self.state = State::Gap;
            return Some((!thought.is_empty()).then_some(Piece::Thought(thought)));
        }
        // What might be the beginning of the closing tag waits.
        let kept = (1..CLOSE.len())
            .rev()
            .find(|n| self.held.ends_with(&CLOSE[..*n]))
            .unwrap_or(0);
        let sure = self.held.len() - kept;
        if sure == 0 {
            return None;
        }
        let thought: String = self.held.drain(..sure).collect();
        Some(Some(Piece::Thought(thought)))
    }
}

/// Some servers swallow the opening tag: then what stands before the closing
/// one is the thought. Only for a message that has ended. A tag that somebody writes
/// about, in code or with its opening one, parts nothing.
pub fn split_unopened(text: &str) -> Option<(String, String)> {
    let (thought, answer) = text.split_once(CLOSE)?;
    let is_quoted = thought.ends_with('`') || thought.matches("```").count() % 2 == 1;
    if is_quoted || thought.contains(OPEN) {
        return None;
    }
    Some((thought.trim().to_owned(), answer.trim_start().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, thought: &str, text: &str) {
        for size in 1..=content.chars().count() {
            let mut splitter = ThinkSplitter::default();
            let (mut thoughts, mut texts) = (String::new(), String::new());
            let chars: Vec<char> = content.chars().collect();
            let mut pieces: Vec<Piece> = chars
                .chunks(size)
                .flat_map(|piece| splitter.push(&piece.iter().collect::<String>()))
                .collect();
            pieces.extend(splitter.finish());
            for piece in pieces {
                match piece {
                    Piece::Text(piece) => texts.push_str(&piece),
                    Piece::Thought(piece) => thoughts.push_str(&piece),
                }
            }
            assert_eq!(
                (thoughts.as_str(), texts.as_str()),
                (thought, text),
                "pieces of {size}"
            );
        }
    }

    #[test]
    fn a_leading_block_is_thought_and_the_rest_text() {
        check(
            "<think>3 < 5</think>\n\n3 < 5 <table>",
            "3 < 5",
            "3 < 5 <table>",
        );
        check(" \n<think>a</think>b", "a", "b");
    }

    #[test]
    fn other_tags_are_text() {
        check("<thing> x", "", "<thing> x");
        check("a <think>b</think>", "", "a <think>b</think>");
        check("<thi", "", "<thi");
    }

    #[test]
    fn a_block_never_closed_is_thought_to_the_end() {
        check("<think>a </thin", "a </thin", "");
    }

    #[test]
    fn a_closing_tag_alone_parts_the_text() {
        assert_eq!(
            split_unopened("a\n</think>\nb"),
            Some(("a".into(), "b".into()))
        );
        for text in [
            "a",
            "Write <think>x</think> first",
            "The tag `</think>` ends it",
            "```\n</think>\n```",
        ] {
            assert_eq!(split_unopened(text), None, "{text}");
        }
    }
}
