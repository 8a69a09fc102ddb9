//! A better title for a session than the first line of its task: asked of a cheap
//! model once the first run has ended well, and kept only if it is one.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::LocalBoxStream;

use super::ask::FORMS;
use super::run_view::last_message;
use super::tracing::Tracer;
use crate::kernel::clock::Clock;
use crate::kernel::event::StopReason;
use crate::kernel::model::{ModelClient, ModelEvent, ModelRequest, Tape, Turn};
use crate::kernel::redact::Redactor;
use crate::kernel::session::{Entry, MAX_TITLE, Record, Usage};
use crate::kernel::tokens;
use crate::kernel::tool::floor_boundary;
use crate::kernel::trace::{Purpose, RoundTrace};

const TITLE_PROMPT: &str = include_str!("title.md");
/// Bytes of the task and of the answer that are sent.
const MAX_TASK: usize = 2_000;
const MAX_ANSWER: usize = 1_000;
/// How long the answer may take, seconds.
const MAX_SECONDS: u64 = 60;

/// What came of asking for a title.
pub struct Asked {
    /// The record that tells of it, with the title if there is one.
    pub entry: Entry,
    /// The title.
    pub title: Option<String>,
    /// What happened, for the trace.
    pub trace: RoundTrace,
}

/// Whether a session's first run has just ended well and nobody has asked for a title.
pub fn is_wanted(records: &[Record]) -> bool {
    let ends = records.iter().filter_map(|record| match &record.entry {
        Entry::Stopped(ending) => Some(&ending.reason),
        Entry::Titled { .. } => Some(&StopReason::Cancelled),
        _ => None,
    });
    let ends: Vec<&StopReason> = ends.collect();
    matches!(ends[..], [StopReason::Completed | StopReason::Finished])
}

/// Asks `client` for a title of the conversation. Tries once: a title is not worth more.
pub async fn ask(
    client: &dyn ModelClient,
    records: &[Record],
    redactor: &Rc<Redactor>,
    clock: &dyn Clock,
) -> Asked {
    let text = material(records);
    let prompt_tokens = tokens::estimate(&text) + tokens::estimate(TITLE_PROMPT);
    let records = [Record::alone(text)];
    let mut tape = Rc::default();
    let sent_ms = clock.now_ms();
    let asking = async {
        let mut told = String::new();
        for _ in 0..FORMS {
            tape = Rc::new(Tape::default());
            let stream = client.stream(ModelRequest {
                system: TITLE_PROMPT,
                records: &records,
                tools: &[],
                purpose: Purpose::Title,
                redactor,
                tape: Some(Rc::clone(&tape)),
            });
            match whole(stream).await {
                // The endpoint wants to be asked in another form.
                Err((failure, Again::Yes)) => told = failure,
                Err((failure, Again::No)) => return Err(failure),
                Ok(turn) => return Ok(turn),
            }
        }
        Err(told)
    };
    let time = clock.sleep(Duration::from_secs(MAX_SECONDS));
    let answer = match select(pin!(asking), time).await {
        Either::Left((answer, _)) => answer,
        Either::Right(_) => Err("the answer took too long".to_owned()),
    };
    let spent = answer.as_ref().ok().map(|turn| {
        turn.usage.unwrap_or_else(|| Usage {
            prompt_tokens,
            completion_tokens: tokens::estimate(&turn.text),
            cached_tokens: 0,
        })
    });
    let mut tracer = Tracer::default();
    tracer.hide_with(redactor);
    let times = (sent_ms, clock.now_ms());
    let trace = tracer.side(Purpose::Title, &tape, times, spent, answer.as_ref().err());
    let title = answer.ok().and_then(|turn| clean(&turn.text, redactor));
    Asked {
        entry: Entry::Titled {
            title: title.clone(),
            spent,
        },
        title,
        trace,
    }
}

/// The task and what came of it.
fn material(records: &[Record]) -> String {
    let task = records.iter().find_map(|record| match &record.entry {
        Entry::User { text, .. } => Some(text.trim()),
        _ => None,
    });
    let answer = last_message(records).map_or("", |(_, message)| message.text.trim());
    let cut = |text: &str, max| text[..floor_boundary(text, max)].to_owned();
    let task = cut(task.unwrap_or_default(), MAX_TASK);
    format!(
        "The task:\n{task}\n\nThe answer:\n{}",
        cut(answer, MAX_ANSWER)
    )
}

/// Whether asking again may help.
enum Again {
    Yes,
    No,
}

async fn whole(mut stream: LocalBoxStream<'static, ModelEvent>) -> Result<Turn, (String, Again)> {
    while let Some(event) = stream.next().await {
        match event {
            ModelEvent::Finished(turn) => return Ok(turn),
            ModelEvent::Learned { failure, .. } => return Err((failure.detail, Again::Yes)),
            ModelEvent::Failed { failure, .. } => return Err((failure.detail, Again::No)),
            _ => {}
        }
    }
    Err((String::new(), Again::No))
}

/// A model's answer as a title: the first line that says something, without secrets,
/// quotes and what else models put around it. `None` if nothing is left.
fn clean(answer: &str, redactor: &Redactor) -> Option<String> {
    let answer = redactor.redact(answer);
    answer.lines().find_map(title_of_line)
}

fn title_of_line(line: &str) -> Option<String> {
    let quotes = ['"', '“', '”', '„', '`', '«', '»', '「', '」', '『', '』'];
    // Signs that are not seen could turn the whole list around.
    let is_unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let kept = |c: &char| !quotes.contains(c) && (c.is_whitespace() || !is_unseen(*c));
    let line: String = line.chars().filter(kept).collect();
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let around = |c: char| matches!(c, '#' | '*' | '_' | '\'' | '‘' | '’' | '-' | ' ');
    let mut line = line.trim_matches(around);
    for name in ["title:", "title：", "标题:", "标题："] {
        let begins = line
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name));
        if begins {
            line = line[name.len()..].trim_matches(around);
        }
    }
    let line = line.trim_end_matches(['.', '。', ' ']);
    if !line.chars().any(char::is_alphanumeric) {
        return None;
    }
    if line.chars().count() <= MAX_TITLE {
        return Some(line.to_owned());
    }
    let mut title: String = line.chars().take(MAX_TITLE - 1).collect();
    title.truncate(title.trim_end().len());
    title.push('…');
    Some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_clean_line_or_none() {
        let mut redactor = Redactor::new();
        redactor.add_secret("TOKEN", "hunter2hunter2");
        for (answer, expected) in [
            ("Meeting notes sorted", Some("Meeting notes sorted")),
            ("\n  \"Meeting notes\"\nand more", Some("Meeting notes")),
            ("**Title: Fix the login.**", Some("Fix the login")),
            ("# TITLE: «Don't panic»", Some("Don't panic")),
            ("标题：“整理会议记录”。", Some("整理会议记录")),
            ("Use hunter2hunter2 now", Some("Use [redacted: TOKEN] now")),
            ("a\u{202e}b\tc", Some("ab c")),
            ("\"\"\n---\n…", None),
            ("", None),
        ] {
            assert_eq!(clean(answer, &redactor).as_deref(), expected, "{answer}");
        }
        let long = clean(&"长".repeat(80), &redactor).unwrap();
        assert_eq!(long, format!("{}…", "长".repeat(59)));
    }
}
