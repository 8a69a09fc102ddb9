//! What a call works on, read with care, and the patterns it is held against.

use crate::kernel::workspace::WorkspacePath;

/// What a call works on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Nothing that it names.
    Nothing,
    /// A path of the workspace, in its one spelling.
    Path(String),
    /// The host of an address, in small letters, with the port unless it is the
    /// scheme's own.
    Host(String),
    /// Neither: where it leads can't be told from here.
    Unreadable,
}

impl Target {
    pub(super) fn parse(given: &str) -> Self {
        if let Some((scheme, rest)) = given.split_once("://") {
            return host_of(scheme, rest).map_or(Target::Unreadable, Target::Host);
        }
        match WorkspacePath::parse(given) {
            Ok(path) => Target::Path(path.as_str().to_owned()),
            Err(_) => Target::Unreadable,
        }
    }
}

/// The host as browsers read it (<https://url.spec.whatwg.org/#concept-basic-url-parser>),
/// or `None` where they would decode, strip or convert characters first.
fn host_of(scheme: &str, rest: &str) -> Option<String> {
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "https" | "wss" => ":443",
        "http" | "ws" => ":80",
        _ => return None,
    };
    // Browsers take a backslash for a slash and skip slashes before the host.
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.to_ascii_lowercase();
    let host = host.strip_suffix(default_port).unwrap_or(&host);
    let host = host.strip_suffix('.').unwrap_or(host);
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    // Control characters anywhere are dropped by browsers, so the parts could differ.
    let whole = !rest.chars().any(char::is_control);
    (!host.is_empty() && host.chars().all(plain) && whole).then(|| host.to_owned())
}

/// A step of a pattern.
#[derive(Clone, Copy)]
enum Step {
    /// This character.
    Char(char),
    /// `*`: any characters but slashes.
    Star,
    /// `**`: any characters.
    Any,
    /// `**/` at the start of a name: nothing, or whole folders.
    Folders,
}

/// Whether `text` as a whole fits `pattern`. All ways through the pattern are
/// followed at once, so the work is the product of the two lengths at most.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let steps = steps_of(pattern);
    let mut at = Places {
        reached: vec![false; steps.len() + 1],
        steps: &steps,
    };
    at.arrive(0);
    for c in text.chars() {
        let before = std::mem::replace(&mut at.reached, vec![false; steps.len() + 1]);
        for (place, step) in steps.iter().enumerate() {
            if !before[place] {
                continue;
            }
            match step {
                Step::Char(wanted) if *wanted == c => at.arrive(place + 1),
                Step::Char(_) => {}
                Step::Star if c == '/' => {}
                Step::Star | Step::Any => at.arrive(place),
                Step::Folders => {
                    // Inside a folder's name: staying is no arrival.
                    at.reached[place] = true;
                    if c == '/' {
                        at.arrive(place + 1);
                    }
                }
            }
        }
    }
    at.reached[steps.len()]
}

/// Where in the pattern the text read so far may have led.
struct Places<'a> {
    reached: Vec<bool>,
    steps: &'a [Step],
}

impl Places<'_> {
    /// Comes to a place, and to those behind steps that may stand for nothing.
    fn arrive(&mut self, mut place: usize) {
        loop {
            if std::mem::replace(&mut self.reached[place], true) {
                return;
            }
            match self.steps.get(place) {
                None | Some(Step::Char(_)) => return,
                Some(_) => place += 1,
            }
        }
    }
}

fn steps_of(pattern: &str) -> Vec<Step> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let mut rest = pattern.strip_prefix('/').unwrap_or(pattern);
    let mut steps = Vec::new();
    let mut name_starts = true;
    while let Some(c) = rest.chars().next() {
        let (step, length) = match c {
            '*' if name_starts && rest.starts_with("**/") => (Step::Folders, 3),
            '*' if rest.starts_with("**") => (Step::Any, 2),
            '*' => (Step::Star, 1),
            _ => (Step::Char(c), c.len_utf8()),
        };
        name_starts = matches!(step, Step::Folders | Step::Char('/'));
        steps.push(step);
        rest = &rest[length..];
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, fits, fits_not) in [
            (
                "a.md",
                &["a.md"][..],
                &["", "a.mdx", "ba.md", "A.md", "x/a.md"][..],
            ),
            ("*", &["a", "a.b.c", ""], &["a/b", "/"]),
            ("*.md", &["a.md", ".md"], &["a/b.md", "a.mdx", "md"]),
            (
                "notes/*",
                &["notes/a", "notes/"],
                &["notes", "notes/a/b", "xnotes/a"],
            ),
            ("/notes/*", &["notes/a"], &["a"]),
            ("./notes/*", &["notes/a"], &["a"]),
            ("notes/**", &["notes/a", "notes/a/b"], &["notes", "note/a"]),
            ("**/a", &["a", "x/a", "x/y/a"], &["xa", "x/ba", "a/x"]),
            ("x/**/a", &["x/a", "x/y/a", "x/y/z/a"], &["xa", "x/ya", "a"]),
            ("a**b", &["ab", "a/x/b"], &["a", "b", "ab/"]),
            (
                "**/*.rs",
                &["a.rs", "src/a.rs", "src/x/a.rs"],
                &["a.r", "src/rs"],
            ),
            ("*a*b", &["ab", "xaaxb", "aabab"], &["a/b", "ba", "abc"]),
            ("*/a*b/c", &["x/ab/c", "a/aabb/c"], &["ab/c", "x/a/b/c"]),
            ("***", &["", "a/b"], &[]),
            ("长*", &["长", "长城"], &["城长"]),
            (
                "*.example.com",
                &["a.example.com", "a.b.example.com"],
                &["example.com"],
            ),
            ("[a-z]?", &["[a-z]?"], &["ab"]),
        ] {
            for text in fits {
                assert!(matches(pattern, text), "{pattern} {text}");
            }
            for text in fits_not {
                assert!(!matches(pattern, text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn hostile_patterns_take_no_more_than_the_product_of_the_lengths() {
        let text = format!("{}b", "a/".repeat(500));
        for part in ["*a", "**a", "**/", "a*", "***", "*/**/"] {
            let pattern = format!("{}c", part.repeat(200 / part.len()));
            assert!(!matches(&pattern, &text), "{part}");
        }
        assert!(matches(&"**/".repeat(60), &"a/".repeat(500)));
    }

    #[test]
    fn targets_are_read_as_the_workspace_and_the_browser_do() {
        let path = |path: &str| Target::Path(path.into());
        let host = |host: &str| Target::Host(host.into());
        for (given, expected) in [
            ("notes/a.md", path("notes/a.md")),
            ("/a//b/./c", path("a/b/c")),
            ("", path("")),
            ("../a", Target::Unreadable),
            ("https://a.b/c", host("a.b")),
            ("https://a.b:443", host("a.b")),
            ("http://a.b:443/", host("a.b:443")),
            ("https://x:y@a.b@c.d/", host("c.d")),
            ("https://a.b?@c.d", host("a.b")),
            ("https://a.b#://c.d", host("a.b")),
            ("https:///a.b", Target::Unreadable),
            ("https://", Target::Unreadable),
            ("https://a\t.b/", Target::Unreadable),
            ("https://a%2eb/", Target::Unreadable),
            ("https://ａ.b/", Target::Unreadable),
            ("https://*/", Target::Unreadable),
            ("data://a", Target::Unreadable),
            ("https:a.b", Target::Unreadable),
            (" https://a.b", Target::Unreadable),
        ] {
            assert_eq!(Target::parse(given), expected, "{given:?}");
        }
    }
}
