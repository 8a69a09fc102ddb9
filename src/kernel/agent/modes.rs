//! The ways of working as strategies over the one loop: what is said at the start
//! of a run, what may run before a plan is approved, what happens behind an answer.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::LocalBoxStream;

use super::ask::{Broken, FORMS, Outcome};
use super::run_view::{has_nudge, last_message, todo_of};
use super::{Agent, compaction};
use crate::kernel::event::{AgentEvent, Failure, FailureKind, StopReason};
use crate::kernel::model::layout::open_steps;
use crate::kernel::model::{ModelEvent, ModelRequest, Tape};
use crate::kernel::session::{Entry, Mode, Record, Topic, Usage};
use crate::kernel::tokens;
use crate::kernel::tool::Effect;
use crate::kernel::trace::Purpose;

const CRITIC_PROMPT: &str = include_str!("critic.md");
/// Longest part of the task that a reminder repeats, in characters.
const MAX_TASK: usize = 240;
/// Bytes of one result or argument that the critic sees.
const MAX_PIECE: usize = 2_000;

const PLAN_FIRST: &str = "[Tabloop] Work by a plan. First look around with tools that only read. Then call todo with the steps you would take, in order; the user may change them and must approve them before anything is changed. Then carry them out and tick each one. If the plan turns out wrong, call todo with better steps: they are approved anew.";

/// What a writing call is told before there is a plan.
pub(super) const NO_PLAN_YET: &str = "nothing may be changed before the user has approved a plan; call todo with the steps you would take";

/// The steps that a run which plans has had approved; `None` if it does not plan.
pub(super) fn approved_steps(mode: Mode, records: &[Record]) -> Option<Vec<String>> {
    // Not looked for in vain: a long history would be gone through in each round.
    if mode != Mode::Plan {
        return None;
    }
    let is_task = |record: &Record| matches!(record.entry, Entry::User { .. });
    let start = records.iter().rposition(is_task).unwrap_or(0);
    let todo = todo_of(&records[start..]);
    Some(todo.iter().map(|item| item.text.clone()).collect())
}

/// Whether a call of this effect has to wait for a plan.
pub(super) fn wants_plan(approved: Option<&Vec<String>>, effect: Effect) -> bool {
    effect != Effect::ReadOnly && approved.is_some_and(Vec::is_empty)
}

/// The task and the open steps in a line or two.
pub(super) fn reminder(records: &[Record]) -> String {
    let task = records.iter().rev().find_map(|record| match &record.entry {
        Entry::User { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let task = task.unwrap_or_default().trim();
    let words: Vec<&str> = task.split_whitespace().take(MAX_TASK).collect();
    let words = words.join(" ");
    let mut short: String = words.chars().take(MAX_TASK).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    let steps = open_steps(todo_of(records));
    let steps = match steps.is_empty() {
        true => String::new(),
        false => format!(" Open steps: {}", steps.trim_end().replace('\n', "; ")),
    };
    format!("[Tabloop] Keep to the task: \"{short}\".{steps}")
}

impl Agent {
    /// What a run says and reads before its first round.
    pub(super) async fn begin(&mut self) -> Result<(), StopReason> {
        let run = self.parts.transcript.run();
        if last_message(run).is_some() {
            return Ok(());
        }
        let has_task = run
            .iter()
            .any(|record| matches!(record.entry, Entry::User { .. }));
        let plans = self.mode == Mode::Plan && has_task && !has_nudge(run, Topic::Mode);
        self.read_root_rules().await?;
        if plans {
            self.nudge(Topic::Mode, PLAN_FIRST.to_owned());
        }
        Ok(())
    }

    /// The model is done: in a run that reflects a critic has a word first.
    pub(super) async fn judged(
        &mut self,
        reason: StopReason,
    ) -> Result<Option<StopReason>, StopReason> {
        if self.mode != Mode::Reflect {
            return Ok(Some(reason));
        }
        let work = self.parts.transcript.work();
        let judged = work.iter().rev().find_map(|record| match record.entry {
            Entry::Critique {
                attempt, passed, ..
            } => Some((attempt, passed)),
            Entry::User { .. } => Some((0, false)),
            _ => None,
        });
        let (attempt, passed) = judged.unwrap_or_default();
        let is_last_word = |record: &Record| matches!(record.entry, Entry::Critique { .. });
        let is_judged = work.last().is_some_and(is_last_word);
        if attempt > self.parts.limits.attempts || (is_judged && passed) {
            return Ok(Some(reason));
        }
        self.parts.transcript.emit(AgentEvent::Judging);
        let material = self.material_for_critic();
        let answer = self
            .side_request(Purpose::Critique, CRITIC_PROMPT, material)
            .await?;
        let (answer, spent) = answer;
        let (passed, text) = verdict_of(answer.as_deref());
        let attempt = attempt + 1;
        self.record(vec![Entry::Critique {
            attempt,
            passed,
            text,
            spent,
        }])
        .await?;
        // The last critique is shown, but there is no further attempt.
        let is_over = passed || attempt > self.parts.limits.attempts;
        Ok(is_over.then_some(reason))
    }

    fn material_for_critic(&self) -> String {
        let records = self.parts.transcript.records();
        let is_task = |record: &Record| matches!(record.entry, Entry::User { .. });
        // All that was done for the task, also in runs before this one.
        let start = records.iter().rposition(is_task).unwrap_or(0);
        let room = (self.context.window() * 3 / 2) as usize;
        let mut lines = Vec::new();
        let mut left = room;
        // From the end, since the newest matters most.
        for record in records[start..].iter().rev() {
            let mut line = String::new();
            compaction::render(record, MAX_PIECE, &mut line);
            if line.len() > left && !matches!(record.entry, Entry::User { .. }) {
                continue;
            }
            left = left.saturating_sub(line.len());
            lines.push(line);
        }
        lines.reverse();
        let task = match records.get(start).map(|record| &record.entry) {
            Some(Entry::User { text, .. }) => text.as_str(),
            _ => "",
        };
        format!("The task:\n{task}\n\nThe record:\n{}", lines.concat())
    }

    /// Reads a stream to its end.
    async fn whole_turn(
        &self,
        mut stream: LocalBoxStream<'static, ModelEvent>,
    ) -> Result<Outcome, StopReason> {
        let mut time_is_up = pin!(self.watch.has_worked(self.time_ms()));
        loop {
            let next = self.while_it_may(stream.next(), time_is_up.as_mut());
            match next.await? {
                Some(ModelEvent::Finished(turn)) => return Ok(Outcome::Turn(turn)),
                Some(ModelEvent::Failed { failure, .. }) => {
                    return Ok(Outcome::Broken(Broken::without_words(failure)));
                }
                Some(ModelEvent::Learned { lesson, failure }) => {
                    return Ok(Outcome::Learned(lesson, failure));
                }
                None => {
                    let failure = Failure::new(FailureKind::Truncated, "");
                    return Ok(Outcome::Broken(Broken::without_words(failure)));
                }
                Some(_) => {}
            }
            if let Some(reason) = self.out_of_time() {
                return Err(reason);
            }
        }
    }

    /// A request beside the conversation: the answer, `None` if it failed, and the tokens
    /// it took, which count.
    pub(super) async fn side_request(
        &mut self,
        purpose: Purpose,
        system: &str,
        text: String,
    ) -> Result<(Option<String>, Option<Usage>), StopReason> {
        self.look_again().await;
        let prompt_tokens = tokens::estimate(&text) + tokens::estimate(system);
        let records = [Record::alone(text)];
        let (mut attempt, mut forms) = (1, 0);
        let (tape, sent_ms, answer) = loop {
            let tape = Rc::new(Tape::default());
            let sent_ms = self.parts.clock.now_ms();
            let client = (self.parts.side)(purpose);
            let stream = client.stream(ModelRequest {
                system,
                records: &records,
                tools: &[],
                purpose,
                redactor: &self.parts.redactor,
                tape: Some(Rc::clone(&tape)),
            });
            let failure = match self.whole_turn(stream).await? {
                Outcome::Turn(turn) => break (tape, sent_ms, Ok(turn)),
                Outcome::Learned(lesson, failure) if forms < FORMS => {
                    forms += 1;
                    self.learned(lesson, &failure);
                    continue;
                }
                Outcome::Learned(_, failure) => failure,
                Outcome::Broken(broken) => broken.failure,
            };
            attempt += 1;
            let Some(wait_ms) = self.wait_before(attempt, &failure) else {
                break (tape, sent_ms, Err(failure.detail));
            };
            let wait = self.watch.pause(Duration::from_millis(wait_ms));
            if self.parts.cancel.guard(wait).await.is_err() {
                return Err(StopReason::Cancelled);
            }
        };
        let usage = answer.as_ref().ok().map(|turn| {
            turn.usage.unwrap_or_else(|| Usage {
                prompt_tokens,
                completion_tokens: tokens::estimate(&turn.text),
                cached_tokens: 0,
            })
        });
        self.account
            .add(usage.unwrap_or_default(), &self.parts.limits);
        let now_ms = self.parts.clock.now_ms();
        let trace = self.tracer.side(
            purpose,
            &tape,
            (sent_ms, now_ms),
            usage,
            answer.as_ref().err(),
        );
        self.keep_trace(trace);
        Ok((answer.ok().map(|turn| turn.text), usage))
    }
}

/// Whether a critic's answer lets the work pass, and what it finds wanting.
fn verdict_of(answer: Option<&str>) -> (bool, String) {
    let Some(answer) = answer.map(str::trim).filter(|text| !text.is_empty()) else {
        return (
            true,
            "The critic could not be asked, so the work was not judged.".into(),
        );
    };
    let trimmed = answer.trim_start_matches(|c: char| !c.is_alphabetic());
    let is_fail = trimmed
        .get(..4)
        .is_some_and(|word| word.eq_ignore_ascii_case("fail"));
    let is_pass = trimmed
        .get(..4)
        .is_some_and(|word| word.eq_ignore_ascii_case("pass"));
    let rest = trimmed.get(4..).unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
    match (is_pass, is_fail) {
        (true, _) => (true, String::new()),
        (_, true) if !rest.is_empty() => (false, rest.to_owned()),
        _ => (false, answer.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_critic_passes_or_says_what_is_wanting() {
        assert_eq!(verdict_of(Some("PASS")), (true, String::new()));
        assert_eq!(verdict_of(Some("**Pass** – fine")), (true, String::new()));
        assert_eq!(
            verdict_of(Some("FAIL\n- no file")),
            (false, "- no file".into())
        );
        assert_eq!(verdict_of(Some("Fail: x")), (false, "x".into()));
        // Who does not keep to the form has at least said something.
        assert_eq!(verdict_of(Some("Looks odd")), (false, "Looks odd".into()));
        assert!(verdict_of(None).0);
    }
}
