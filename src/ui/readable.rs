//! A conversation as a file that people read: Markdown, or a page that stands for itself.
//! What each says is worked out here once; neither holds anything that runs or loads.

mod page;

use crate::kernel::session::Record;
use crate::ui::state::calls::{CallLine, act_of};
use crate::ui::state::transcript::{CallView, Item, RoundView, Stage, Transcript};
use crate::ui::words::Words;

/// In which form a conversation is handed out to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Markdown.
    Markdown,
    /// A page.
    Page,
}

/// One thing that the file tells.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// The user wrote this.
    You(String),
    /// The model said this, in Markdown.
    Said(String),
    /// A tool was used.
    Call(String),
    /// Anything else worth telling, in a line.
    Note(String),
}

/// The conversation of `records` in `form`.
pub fn readable(form: Form, title: &str, records: &[Record], words: &Words) -> String {
    let parts = parts(records, words);
    match form {
        Form::Markdown => markdown(title, &parts, words),
        Form::Page => page::page(title, &parts, words),
    }
}

/// A name for the file; no system takes all signs.
pub fn file_name(form: Form, title: &str) -> String {
    const LONGEST: usize = 60;
    let sign = |c: char| match c {
        c if c.is_alphanumeric() || "-_.() ".contains(c) => c,
        _ => '-',
    };
    let name: String = title.chars().take(LONGEST).map(sign).collect();
    let name = name.trim_matches([' ', '.', '-']);
    let name = if name.is_empty() { "session" } else { name };
    match form {
        Form::Markdown => format!("{name}.md"),
        Form::Page => format!("{name}.html"),
    }
}

fn parts(records: &[Record], words: &Words) -> Vec<Part> {
    let transcript = Transcript::of(records);
    let mut parts = Vec::new();
    for item in transcript.items() {
        match item {
            Item::User(user) => parts.push(Part::You(user.text.clone())),
            Item::Round(round) => of_round(round, words, &mut parts),
            Item::Answer(text) => parts.push(Part::Said(text.clone())),
            Item::Rules { path, .. } => parts.push(Part::Note(words.rules_read(path))),
            Item::Compaction(compaction) => {
                parts.push(Part::Note(words.compacted(compaction)));
            }
            Item::Critique(critique) => parts.push(Part::Note(words.critique(critique))),
            Item::Stop(stop) => {
                let limit = stop.rounds.unwrap_or_default();
                parts.push(Part::Note(words.ending(&stop.ending.reason, limit).told));
            }
            // What the model alone was told, and a list that its calls tell too.
            Item::Nudge(_) | Item::Todo(_) => {}
        }
    }
    parts
}

fn of_round(round: &RoundView, words: &Words, parts: &mut Vec<Part>) {
    if !round.text.trim().is_empty() {
        parts.push(Part::Said(round.text.clone()));
    }
    if round.stage == Stage::Incomplete {
        parts.push(Part::Note(words.incomplete.to_owned()));
    }
    let calls = round.calls.iter().filter(|call| call.name != "finish");
    parts.extend(calls.map(|call| Part::Call(line(call, words))));
}

/// `Read notes.md`
fn line(call: &CallView, words: &Words) -> String {
    let verb = words.verb(act_of(&call.name), call.state);
    let object = words.object(&CallLine::of(call));
    format!("{verb} {object}").trim().to_owned()
}

fn markdown(title: &str, parts: &[Part], words: &Words) -> String {
    let mut out = format!("# {}\n", in_a_line(title));
    let mut is_list = false;
    for part in parts {
        let is_call = matches!(part, Part::Call(_));
        if !(is_list && is_call) {
            out.push('\n');
        }
        is_list = is_call;
        match part {
            Part::You(text) => {
                out.push_str(&format!("## {}\n\n{}\n", words.you, text.trim_end()));
            }
            Part::Said(text) => {
                out.push_str(text.trim_end());
                out.push('\n');
            }
            Part::Call(line) => out.push_str(&format!("- {}\n", in_a_line(line))),
            Part::Note(text) => out.push_str(&format!("*{}*\n", in_a_line(text))),
        }
    }
    out
}

/// A text of ours or a path as it reads in a line of Markdown.
fn in_a_line(text: &str) -> String {
    let mut out = String::new();
    for c in text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
    {
        if "\\`*_[]<>#|~&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::event::StopReason;
    use crate::kernel::session::{
        AssistantMessage, Ending, Entry, Mode, Outcome, ToolCall, ToolResult,
    };
    use crate::ui::words::Language;

    fn records() -> Vec<Record> {
        let entries = vec![
            Entry::User {
                text: "Read <b>it</b> & tell".into(),
                mode: Mode::Act,
                rounds: None,
            },
            Entry::Assistant(AssistantMessage {
                round: 1,
                calls: vec![ToolCall {
                    id: "1".into(),
                    name: "read_file".into(),
                    arguments: r#"{"path":"a_<b>.md"}"#.into(),
                    ..ToolCall::default()
                }],
                ..AssistantMessage::default()
            }),
            Entry::ToolResult(ToolResult {
                round: 1,
                call_id: "1".into(),
                name: "read_file".into(),
                outcome: Outcome::Ok,
                text: "secret".into(),
                ..ToolResult::default()
            }),
            Entry::Assistant(AssistantMessage {
                round: 2,
                text: "It says **this**: <script>alert(1)</script> ![x](https://evil.example/x.png) [a](javascript:alert(1)) [b](https://example.com/?a=1&b=\"2\")".into(),
                ..AssistantMessage::default()
            }),
            Entry::Stopped(Ending {
                reason: StopReason::Completed,
                rounds: 2,
                usage: None,
                took_ms: 5,
                cost: None,
            }),
        ];
        let numbered = (0..).zip(entries);
        numbered
            .map(|(seq, entry)| Record {
                seq,
                at_ms: 0,
                entry,
            })
            .collect()
    }

    #[test]
    fn the_text_says_who_said_what_and_what_was_done() {
        let text = readable(
            Form::Markdown,
            "Notes # 1",
            &records(),
            Language::English.words(),
        );
        assert!(text.starts_with("# Notes \\# 1\n\n## You\n\nRead <b>it</b> & tell\n\n- Read a\\_\\<b\\>.md\n\nIt says **this**"), "{text}");
        assert!(!text.contains("secret"), "results stay where they are");
    }

    #[test]
    fn the_page_runs_nothing_and_loads_nothing() {
        for language in [Language::English, Language::Chinese] {
            let page = readable(Form::Page, "<i>T</i>", &records(), language.words());
            for bad in [
                "<script",
                "<b>",
                "<i>",
                "<img",
                "javascript:",
                "src=",
                "onerror",
                "evil.example/x.png\"",
            ] {
                assert!(!page.contains(bad), "{bad}: {page}");
            }
            assert!(page.contains("<title>&lt;i&gt;T&lt;/i&gt;</title>"));
            assert!(page.contains("<strong>this</strong>"));
            assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
            assert!(
                page.contains("href=\"https://example.com/?a=1&amp;b=%222%22\"")
                    || page.contains("b=&quot;2&quot;"),
                "{page}"
            );
            assert!(page.contains("default-src 'none'"));
        }
    }

    #[test]
    fn names_of_files_are_names_everywhere() {
        assert_eq!(file_name(Form::Markdown, "a/b: c?"), "a-b- c.md");
        assert_eq!(file_name(Form::Page, "会议"), "会议.html");
        assert_eq!(file_name(Form::Page, "../.."), "session.html");
    }
}
