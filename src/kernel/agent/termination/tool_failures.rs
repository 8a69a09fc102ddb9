//! The same tool failing again and again: a nudge after three rounds, the end
//! after five.
//!
//! A round counts as one failure of a tool if every call of it in the round
//! failed: of a hundred calls in one message the model has had no chance to
//! learn yet. Rounds that don't call the tool are passed over, one success or a
//! word of the user ends the count. What the user did not allow is no failure.

use super::Verdict;
use crate::kernel::agent::run_view::results;
use crate::kernel::event::StopReason;
use crate::kernel::session::{Entry, Outcome, Record, Topic};

/// Failures after which the model is told.
const NUDGE_AT: usize = 3;
/// Failures after which the run ends.
const STOP_AT: usize = 5;
/// Most rounds that are looked at.
const FAR_BACK: usize = 64;
/// Longest part of an error that is repeated, in characters.
const MAX_ERROR: usize = 300;

/// Asks for the tools of the last round.
pub(super) fn verdict(run: &[Record]) -> Verdict {
    let mut rounds = Rounds(run);
    let Some(last) = rounds.next() else {
        return Verdict::GoOn;
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut nudge = Verdict::GoOn;
    for result in results(last) {
        let tool = result.name.as_str();
        if seen.contains(&tool) || !failed(last, tool).unwrap_or(false) {
            continue;
        }
        seen.push(tool);
        let (count, told) = count(run, tool);
        if count >= STOP_AT {
            let tool = tool.to_owned();
            return Verdict::Stop(StopReason::ToolFailures { tool });
        }
        if count >= NUDGE_AT && !told {
            let error: String = result.text.chars().take(MAX_ERROR).collect();
            let text = format!(
                "[Tabloop] {tool} has failed {count} times running, the last time with: {error} Do something else: check what is there first, use another tool, or ask the user."
            );
            nudge = Verdict::Nudge(Topic::ToolFailures, text);
        }
    }
    nudge
}

/// How many rounds running `tool` has failed, and whether the model was told in that time.
fn count(run: &[Record], tool: &str) -> (usize, bool) {
    let (mut count, mut told) = (0, false);
    for round in Rounds(run).take(FAR_BACK) {
        match failed(round, tool) {
            Some(false) => break,
            Some(true) => count += 1,
            None => {}
        }
        told |= round.iter().any(|record| {
            matches!(
                record.entry,
                Entry::Nudge {
                    about: Topic::ToolFailures,
                    ..
                }
            )
        });
    }
    (count, told)
}

/// Whether all calls of `tool` in a round failed; `None` if there was none.
fn failed(round: &[Record], tool: &str) -> Option<bool> {
    let mut outcomes = results(round)
        .filter(|result| result.name == tool && result.outcome != Outcome::Denied)
        .map(|result| result.outcome == Outcome::Error)
        .peekable();
    outcomes.peek()?;
    Some(outcomes.all(|failed| failed))
}

/// Rounds from the last one back, up to the last word of the user.
struct Rounds<'a>(&'a [Record]);

impl<'a> Iterator for Rounds<'a> {
    type Item = &'a [Record];

    fn next(&mut self) -> Option<&'a [Record]> {
        let at = self.0.iter().rposition(|record| {
            matches!(
                record.entry,
                Entry::Assistant(_) | Entry::User { .. } | Entry::Steer { .. }
            )
        })?;
        let (before, round) = self.0.split_at(at);
        self.0 = before;
        matches!(round[0].entry, Entry::Assistant(_)).then_some(round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::session::{AssistantMessage, ToolResult};

    /// `x` fails, `o` works, `-` was denied; a letter is a call, a space ends the round.
    fn run(rounds: &str) -> Vec<Record> {
        let entries = rounds.split(' ').flat_map(|round| {
            let calls = round.chars().map(|letter| {
                Entry::ToolResult(ToolResult {
                    name: if letter == 'r' { "read" } else { "edit" }.into(),
                    outcome: match letter {
                        'x' => Outcome::Error,
                        '-' => Outcome::Denied,
                        _ => Outcome::Ok,
                    },
                    text: "Error: no such text".into(),
                    ..ToolResult::default()
                })
            });
            std::iter::once(Entry::Assistant(AssistantMessage::default())).chain(calls)
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

    fn check(rounds: &str, expected: &str) {
        let told = match verdict(&run(rounds)) {
            Verdict::GoOn => "go on",
            Verdict::Nudge(Topic::ToolFailures, _) => "nudge",
            Verdict::Stop(StopReason::ToolFailures { .. }) => "stop",
            other => panic!("{other:?}"),
        };
        assert_eq!(told, expected, "{rounds}");
    }

    #[test]
    fn failures_running_are_counted() {
        check("x x", "go on");
        check("x x x", "nudge");
        check("x x x x", "nudge");
        check("x x x x x", "stop");
        check("x x o x x", "go on");
        check("x r x r r x", "nudge");
    }

    #[test]
    fn many_calls_of_one_message_are_one_failure() {
        check("xxxxxx", "go on");
        check("xxx xx xo", "go on");
        check("xx xx xx", "nudge");
    }

    #[test]
    fn what_was_not_allowed_is_no_failure() {
        check("- - - - -", "go on");
        check("x - x - x", "nudge");
    }

    #[test]
    fn the_model_is_told_once() {
        let mut records = run("x x x");
        records.push(Record {
            seq: 9,
            at_ms: 0,
            entry: Entry::Nudge {
                text: String::new(),
                about: Topic::ToolFailures,
            },
        });
        assert_eq!(verdict(&records), Verdict::GoOn);
        records.extend(run("x"));
        assert_eq!(verdict(&records), Verdict::GoOn);
        records.extend(run("x"));
        assert!(matches!(verdict(&records), Verdict::Stop(_)));
    }
}
