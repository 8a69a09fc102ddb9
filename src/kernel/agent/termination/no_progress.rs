//! No progress: a round, or a cycle of up to four, that comes three times with
//! the same calls, the same arguments and the same results.
//!
//! No false alarm, since something differs: polling until a result changes,
//! reading a file again after it was changed, the same call with other
//! arguments. An alarm: asking for the same file for ever, writing A and B in
//! turn, polling something that does not move. Order of arguments, white space
//! and how the JSON is written do not count as a difference; neither does what
//! the model says beside the calls. A message of the user starts the count anew.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value as Json;

use super::Verdict;
use crate::kernel::event::StopReason;
use crate::kernel::session::{AssistantMessage, Entry, Record, ToolResult, Topic};

/// Longest cycle that is noticed, in rounds.
const LONGEST: usize = 4;
/// How often it must come.
const TIMES: usize = 3;

const NUDGE: &str = "[Tabloop] You have made the same calls three times and got the same results. Nothing changes by repeating them: try another way, or answer with what you know and say what is missing.";

/// What the last rounds came to: one number each, newest last.
#[derive(Debug, Clone, Default)]
pub struct Signatures {
    rounds: VecDeque<u64>,
    /// Rounds since the nudge, if there was one.
    since_nudge: Option<usize>,
    /// The first record that is not taken in yet.
    next: u64,
}

impl Signatures {
    /// Takes in the rounds of `run` that are complete and new.
    pub fn take_in(&mut self, run: &[Record]) {
        let new = run.partition_point(|record| record.seq < self.next);
        let mut open: Option<(&AssistantMessage, Vec<Told<'_>>)> = None;
        for record in &run[new..] {
            match &record.entry {
                Entry::Assistant(message) => {
                    self.close(open.take());
                    open = Some((message, Vec::new()));
                }
                Entry::ToolResult(result) => {
                    if let Some((_, results)) = &mut open {
                        results.push((record.seq, result));
                    }
                }
                Entry::User { .. } | Entry::Steer { .. } => {
                    open = None;
                    self.rounds.clear();
                    self.since_nudge = None;
                }
                Entry::Nudge {
                    about: Topic::NoProgress,
                    ..
                } => {
                    self.close(open.take());
                    self.since_nudge = Some(0);
                }
                _ => {}
            }
        }
        self.close(open);
        self.next = run.last().map_or(self.next, |record| record.seq + 1);
    }

    fn close(&mut self, round: Option<(&AssistantMessage, Vec<Told<'_>>)>) {
        let Some((message, results)) = round.filter(|(message, _)| !message.calls.is_empty())
        else {
            return;
        };
        if self.rounds.len() == LONGEST * TIMES {
            self.rounds.pop_front();
        }
        self.rounds.push_back(signature(message, &results));
        // A nudge that lies far back was about something else.
        let since = self.since_nudge.map(|rounds| rounds + 1);
        self.since_nudge = since.filter(|rounds| *rounds <= LONGEST * TIMES);
    }

    /// A nudge when a cycle has come three times, the end when it comes again.
    pub(super) fn verdict(&self) -> Verdict {
        let Some(period) = (1..=LONGEST).find(|period| self.repeats(*period)) else {
            return Verdict::GoOn;
        };
        match self.since_nudge {
            None => Verdict::Nudge(Topic::NoProgress, NUDGE.into()),
            Some(rounds) if rounds >= period => Verdict::Stop(StopReason::NoProgress),
            Some(_) => Verdict::GoOn,
        }
    }

    fn repeats(&self, period: usize) -> bool {
        let Some(start) = self.rounds.len().checked_sub(period * TIMES) else {
            return false;
        };
        (start..self.rounds.len() - period).all(|at| self.rounds[at] == self.rounds[at + period])
    }
}

/// A result and its record.
type Told<'a> = (u64, &'a ToolResult);

fn signature(message: &AssistantMessage, results: &[Told<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for call in &message.calls {
        call.name.hash(&mut hasher);
        match serde_json::from_str(&call.arguments) {
            Ok(arguments) => hash_json(&arguments, &mut hasher),
            Err(_) => hash_text(&call.arguments, &mut hasher),
        }
    }
    for (seq, result) in results {
        // What was left out of a long result is named by its record.
        let text = result.text.replace(&format!("\"r{seq}\""), "");
        hash_text(&text, &mut hasher);
    }
    hasher.finish()
}

/// The same for values that differ in the order of their fields or in white space alone.
fn hash_json(value: &Json, hasher: &mut DefaultHasher) {
    match value {
        Json::Object(fields) => {
            // Added up, so that the order does not count.
            let field = |(name, value): (&String, &Json)| {
                let mut hasher = DefaultHasher::new();
                name.hash(&mut hasher);
                hash_json(value, &mut hasher);
                hasher.finish()
            };
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields.map(field).fold(0u64, u64::wrapping_add).hash(hasher);
        }
        Json::Array(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| hash_json(item, hasher));
        }
        Json::String(text) => hash_text(text, hasher),
        Json::Number(number) => match number.as_f64() {
            Some(number) => number.to_bits().hash(hasher),
            None => 0u64.hash(hasher),
        },
        Json::Bool(value) => value.hash(hasher),
        Json::Null => 0u8.hash(hasher),
    }
}

fn hash_text(text: &str, hasher: &mut DefaultHasher) {
    text.split_ascii_whitespace()
        .for_each(|word| word.hash(hasher));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::session::ToolCall;

    /// A run in which each round makes one call: arguments and result.
    fn run(rounds: &[(&str, &str)]) -> Vec<Record> {
        let entries = rounds.iter().flat_map(|(arguments, result)| {
            let call = ToolCall {
                id: "1".into(),
                name: "read_file".into(),
                arguments: (*arguments).into(),
                ..ToolCall::default()
            };
            let message = AssistantMessage {
                calls: vec![call],
                ..AssistantMessage::default()
            };
            let result = ToolResult {
                call_id: "1".into(),
                text: (*result).into(),
                ..ToolResult::default()
            };
            [Entry::Assistant(message), Entry::ToolResult(result)]
        });
        let records = (0..).zip(entries);
        records
            .map(|(seq, entry)| Record {
                seq,
                at_ms: 0,
                entry,
            })
            .collect()
    }

    fn verdict(run: &[Record]) -> Verdict {
        let mut signatures = Signatures::default();
        signatures.take_in(run);
        signatures.verdict()
    }

    fn is_nudge(rounds: &[(&str, &str)]) -> bool {
        matches!(verdict(&run(rounds)), Verdict::Nudge(Topic::NoProgress, _))
    }

    const A: (&str, &str) = (r#"{"path":"a","start_line":1}"#, "A");
    const B: (&str, &str) = (r#"{"path":"b"}"#, "B");
    const C: (&str, &str) = (r#"{"path":"c"}"#, "C");
    const D: (&str, &str) = (r#"{"path":"d"}"#, "D");

    #[test]
    fn what_comes_three_times_is_noticed() {
        assert!(!is_nudge(&[A, A]));
        assert!(is_nudge(&[A, A, A]));
        assert!(is_nudge(&[C, A, B, A, B, A, B]));
        assert!(!is_nudge(&[A, B, A, B, A]));
        assert!(is_nudge(&[A, B, C, D, A, B, C, D, A, B, C, D]));
    }

    #[test]
    fn order_and_white_space_do_not_count() {
        let other = (
            r#"{ "start_line": 1.0,  "path": " a", "end_line": null }"#,
            "A\n",
        );
        assert!(is_nudge(&[A, other, A]));
    }

    #[test]
    fn a_poll_that_moves_and_a_second_look_are_no_alarm() {
        assert!(!is_nudge(&[(A.0, "10%"), (A.0, "20%"), (A.0, "30%")]));
        let write = (r#"{"path":"a","content":"x"}"#, "Wrote a: 1 line");
        assert!(!is_nudge(&[A, write, (A.0, "x"), A, A]));
        let other_lines = (r#"{"path":"a","start_line":2}"#, "A");
        assert!(!is_nudge(&[A, other_lines, A]));
    }

    #[test]
    fn after_the_nudge_one_more_cycle_is_the_end() {
        let mut records = run(&[A, A, A]);
        let nudge = |seq| Record {
            seq,
            at_ms: 0,
            entry: Entry::Nudge {
                text: NUDGE.into(),
                about: Topic::NoProgress,
            },
        };
        let mut signatures = Signatures::default();
        records.push(nudge(6));
        signatures.take_in(&records);
        assert_eq!(signatures.verdict(), Verdict::GoOn);
        let more = run(&[A]).into_iter().enumerate();
        records.extend(more.map(|(n, record)| Record {
            seq: 7 + n as u64,
            ..record
        }));
        signatures.take_in(&records);
        assert_eq!(signatures.verdict(), Verdict::Stop(StopReason::NoProgress));
        // A kernel that takes it all in at once comes to the same.
        assert_eq!(verdict(&records), Verdict::Stop(StopReason::NoProgress));
    }

    #[test]
    fn a_word_of_the_user_starts_the_count_anew() {
        let mut records = run(&[A, A]);
        records.push(Record {
            seq: 4,
            at_ms: 0,
            entry: Entry::Steer {
                text: "Look again".into(),
            },
        });
        let more = run(&[A, A]).into_iter().enumerate();
        records.extend(more.map(|(n, record)| Record {
            seq: 5 + n as u64,
            ..record
        }));
        assert_eq!(verdict(&records), Verdict::GoOn);
    }
}
