//! Looking for words in all sessions of a workspace: in their titles, and in what was said.

use super::Kernel;
use crate::kernel::session::{self, Entry, Record, Session};
use crate::protocol::{Event, Found, Hit, SessionEvent, Snippet};

/// Sessions on a page.
const PAGE: usize = 20;
/// Characters of what is looked for.
const LONGEST: usize = 200;
/// Characters that are shown before what was found, and behind it.
const BEFORE: usize = 40;
const AFTER: usize = 120;

impl Kernel {
    /// Tells the sessions that have all of the words, a page from the session `from` on. Each
    /// session is told as it is found; the next search ends this one.
    pub(super) async fn search(&self, words: String, from: usize) {
        let turn = self.0.searches.get() + 1;
        self.0.searches.set(turn);
        let needles = needles(&words);
        let all = self.searched();
        let tell = |hits: Vec<Hit>, next| {
            self.tell(Event::Sessions(SessionEvent::Found(Found {
                words: words.clone(),
                from,
                hits,
                next,
            })));
        };
        if needles.is_empty() {
            return tell(Vec::new(), None);
        }
        let mut hits = Vec::new();
        for (at, session) in all.iter().enumerate().skip(from) {
            if hits.len() == PAGE {
                return tell(hits, Some(at));
            }
            let records = session::records(self.store(), &session.id).await;
            if self.0.searches.get() != turn {
                return;
            }
            // What can't be read is not found.
            hits.extend(hit(session, &records.unwrap_or_default(), &needles));
        }
        tell(hits, None);
    }

    /// The sessions of the workspace, newest first.
    fn searched(&self) -> Vec<Session> {
        let mut all: Vec<Session> = {
            let sessions = self.0.sessions.borrow();
            let is_listed = |session: &&Session| {
                session.workspace == self.0.workspace.id()
                    && session.parent.is_none()
                    && !session.marks.is_deleted()
            };
            sessions.values().filter(is_listed).cloned().collect()
        };
        all.sort_by(|a, b| (b.updated_ms, &b.id).cmp(&(a.updated_ms, &a.id)));
        all
    }
}

/// The words that are looked for, without regard to case.
fn needles(words: &str) -> Vec<String> {
    let words: String = words.chars().take(LONGEST).collect();
    folded(&words)
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// A text without regard to case, of as many characters.
fn folded(text: &str) -> String {
    let small = |c: char| {
        let mut small = c.to_lowercase();
        match (small.next(), small.next()) {
            (Some(small), None) => small,
            _ => c,
        }
    };
    text.chars().map(small).collect()
}

/// Whether a session has all words in its title or in one thing that was said.
fn hit(session: &Session, records: &[Record], needles: &[String]) -> Option<Hit> {
    let id = || session.id.clone();
    if find(&session.title, needles).is_some() {
        return Some(Hit {
            id: id(),
            seq: None,
            snippet: None,
        });
    }
    records.iter().find_map(|record| {
        let text = said(&record.entry)?;
        let at = find(&text, needles)?;
        Some(Hit {
            id: id(),
            seq: Some(record.seq),
            snippet: Some(snippet(&text, at, &needles[0])),
        })
    })
}

/// What was said in a record, by the user or the model.
fn said(entry: &Entry) -> Option<std::borrow::Cow<'_, str>> {
    match entry {
        Entry::User { text, .. } | Entry::Steer { text } => Some(text.into()),
        Entry::Assistant(message) => {
            let finish = message.calls.iter().find(|call| call.name == "finish");
            let answer = finish.and_then(|call| {
                let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
                Some(arguments.get("answer")?.as_str()?.to_owned())
            });
            match answer {
                Some(answer) => Some(
                    format!("{} {answer}", message.text)
                        .trim()
                        .to_owned()
                        .into(),
                ),
                None => Some(message.text.as_str().into()),
            }
        }
        _ => None,
    }
}

/// At which character the first of the words stands, where all do.
fn find(text: &str, needles: &[String]) -> Option<usize> {
    let text = folded(text);
    let first = text.find(needles.first()?)?;
    let all = needles.iter().all(|needle| text.contains(needle));
    all.then(|| text[..first].chars().count())
}

fn snippet(text: &str, at: usize, needle: &str) -> Snippet {
    let length = needle.chars().count();
    let start = at.saturating_sub(BEFORE);
    let part = |from: usize, to: usize| -> String {
        let part = text.chars().skip(from).take(to - from);
        part.map(|c| if c.is_whitespace() { ' ' } else { c })
            .collect()
    };
    let ellipsis = |is: bool| if is { "…" } else { "" };
    let more = text.chars().nth(at + length + AFTER).is_some();
    Snippet {
        before: format!("{}{}", ellipsis(start > 0), part(start, at).trim_start()),
        found: part(at, at + length),
        after: format!(
            "{}{}",
            part(at + length, at + length + AFTER).trim_end(),
            ellipsis(more)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, words: &str, expected: Option<&str>) {
        let needles = needles(words);
        let told = find(text, &needles).map(|at| {
            let Snippet {
                before,
                found,
                after,
            } = snippet(text, at, &needles[0]);
            format!("{before}[{found}]{after}")
        });
        assert_eq!(told.as_deref(), expected, "{text} {words}");
    }

    #[test]
    fn all_words_are_found_wherever_they_stand_and_however_they_are_written() {
        check("Sort the Notes", "notes", Some("Sort the [Notes]"));
        check("Sort the Notes", "NOTES sort", Some("Sort the [Notes]"));
        check("Sort the Notes", "notes of", None);
        check("整理上周的会议记录", "会议", Some("整理上周的[会议]记录"));
        check("Größe ÄNDERN", "ändern", Some("Größe [ÄNDERN]"));
        // Characters that become two when they are made small keep their place.
        check("İİİ x İ", "x", Some("İİİ [x] İ"));
        check("one\n\ttwo three", "two", Some("one  [two] three"));
        // Signs of patterns are signs.
        check("a.b (c)*", ".b (c)*", Some("a[.b] (c)*"));
        check("aaaa", "(a+)+$", None);
    }

    #[test]
    fn long_texts_are_shown_around_what_was_found() {
        let text = format!("{}needle{}", "早 ".repeat(100), " x".repeat(100));
        let needles = needles("needle");
        let at = find(&text, &needles).unwrap();
        let cut = snippet(&text, at, &needles[0]);
        assert_eq!(cut.before, format!("…{}", "早 ".repeat(20)));
        assert_eq!(cut.after, format!("{}…", " x".repeat(60)));
    }
}
