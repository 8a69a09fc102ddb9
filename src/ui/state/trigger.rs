//! What is being typed in the composer that a list can help with: a command at the
//! beginning, or the path of a file behind an `@`.

/// What a list is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// `/` at the very beginning.
    Command,
    /// `@` before a word.
    File,
}

/// A piece of the text for which a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trigger<'a> {
    /// What for.
    pub wanted: Wanted,
    /// Where its sign stands, in bytes.
    pub from: usize,
    /// What was typed behind the sign, up to the caret.
    pub query: &'a str,
}

/// Longest query: behind that it is a text like any other.
const LONGEST: usize = 120;

impl<'a> Trigger<'a> {
    /// What is wanted at a caret that stands `caret` bytes from the beginning.
    pub fn at(text: &'a str, caret: usize) -> Option<Self> {
        let before = text.get(..caret)?;
        if let Some(query) = before.strip_prefix('/')
            && is_query(query)
        {
            return Some(Self {
                wanted: Wanted::Command,
                from: 0,
                query,
            });
        }
        let from = before.rfind('@')?;
        let query = &before[from + 1..];
        // As in an address of mail.
        let in_word = before[..from]
            .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@'));
        (is_query(query) && !in_word).then_some(Self {
            wanted: Wanted::File,
            from,
            query,
        })
    }
}

fn is_query(query: &str) -> bool {
    query.len() <= LONGEST && !query.contains(char::is_whitespace)
}

/// Bytes before the UTF-16 unit at `units`, as the browser counts carets.
pub fn byte_of(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += c.len_utf16();
    }
    text.len()
}

/// UTF-16 units before the byte at `bytes`.
pub fn unit_of(text: &str, bytes: usize) -> usize {
    text[..bytes].encode_utf16().count()
}

/// A path as it is written into a message: apart from the words around it.
pub fn mention(path: &str) -> String {
    match path.contains(|c: char| c.is_whitespace() || matches!(c, '`' | ',' | ';' | '"' | '\'')) {
        false => path.to_owned(),
        true if path.contains('`') => format!("\"{path}\""),
        true => format!("`{path}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` marks the caret.
    fn check(text: &str, expected: Option<(Wanted, usize, &str)>) {
        let caret = text.find('|').unwrap();
        let text = text.replace('|', "");
        let found = Trigger::at(&text, caret);
        let found = found.map(|found| (found.wanted, found.from, found.query));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_command_stands_at_the_very_beginning() {
        check("/|", Some((Wanted::Command, 0, "")));
        check("/mo|del", Some((Wanted::Command, 0, "mo")));
        check("/model x|", None);
        check(" /model|", None);
        check("|/model", None);
        check("a/b|", None);
    }

    #[test]
    fn a_file_stands_behind_a_sign_that_is_in_no_word() {
        check("@|", Some((Wanted::File, 0, "")));
        check("read @src/a|pp.rs", Some((Wanted::File, 5, "src/a")));
        check("(@a|)", Some((Wanted::File, 1, "a")));
        check("看看@纪|要", Some((Wanted::File, 6, "纪")));
        check("@a @b|", Some((Wanted::File, 3, "b")));
        check("me@mail|", None);
        check("@a b|", None);
        check("none|", None);
        check(&format!("@{}|", "x".repeat(200)), None);
    }

    #[test]
    fn carets_are_counted_as_the_browser_does() {
        let text = "a纪😀b";
        for (units, bytes) in [(0, 0), (1, 1), (2, 4), (4, 8), (5, 9)] {
            assert_eq!(byte_of(text, units), bytes);
            assert_eq!(unit_of(text, bytes), units);
        }
        assert_eq!(byte_of(text, 99), text.len());
    }

    #[test]
    fn a_path_with_blanks_is_set_apart() {
        for (path, written) in [
            ("src/app.rs", "src/app.rs"),
            ("my notes.md", "`my notes.md`"),
            ("a`b c", "\"a`b c\""),
        ] {
            assert_eq!(mention(path), written);
        }
    }
}
