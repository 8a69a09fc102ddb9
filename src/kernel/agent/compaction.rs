//! Making room in the window. At three fifths old results and arguments are cut to head and
//! tail, at four fifths the older part is summarised by the model, or put together
//! from the records if the model can't. What does not make the request smaller is
//! not done. System prompt, rules, tasks, open steps and the last rounds stay word
//! for word; a message and its results stay together.

use super::context::Weight;
use super::{Agent, pictures, storage_failed};
use crate::kernel::event::{AgentEvent, StopReason};
use crate::kernel::model::layout::{self, layout_with};
use crate::kernel::session::{Compaction, Entry, Record, Summary};
use crate::kernel::store::Durability;
use crate::kernel::trace::Purpose;

const SUMMARY_PROMPT: &str = include_str!("summary.md");

/// Parts of the window, in percent: where results are cut, where a summary is
/// written, what the last rounds may keep, what pruning must gain to be worth a
/// broken cache, and what the summariser may be given.
const PRUNE_AT: u64 = 60;
const SUMMARISE_AT: u64 = 80;
const KEEP: u64 = 25;
const WORTH: u64 = 20;
const MATERIAL: u64 = 50;
/// Bytes of one result or argument that the summariser sees.
const MAX_PIECE: usize = 1_500;
/// Bytes of one line of a summary that was put together from the records.
const MAX_LINE: usize = 160;

/// Why room is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// The window fills.
    Full,
    /// The host refused the request, and may have told how much it takes, in tokens.
    Overflow(Option<u64>),
}

impl Agent {
    /// Shortens the conversation if the window fills.
    pub(super) async fn make_room(&mut self) -> Result<(), StopReason> {
        self.context.take_in(self.parts.transcript.records());
        let (total, window) = (self.context.total(), self.context.window());
        if total * 100 < window * PRUNE_AT {
            return self.make_room_for_pictures(total).await;
        }
        if total * 100 >= window * SUMMARISE_AT {
            self.shorten(Force::Full).await?;
            return Ok(());
        }
        let compaction = self.pruned();
        let after = self.weight_with(&compaction);
        if (total.saturating_sub(after)) * 100 >= window * WORTH {
            self.record_compaction(compaction, total, after).await?;
        }
        Ok(())
    }

    /// Old images go where there are more than one request takes, however few tokens they
    /// are: the newest are those that the model asked for last.
    async fn make_room_for_pictures(&mut self, total: u64) -> Result<(), StopReason> {
        let records = self.parts.transcript.records();
        let last = last_compaction(records);
        let from = layout::layout(records).pictures_before;
        let Some(pictures_before) = pictures::crowded(records, from) else {
            return Ok(());
        };
        let compaction = Compaction {
            pictures_before,
            prune_before: last.map_or(0, |last| last.prune_before),
            ..self.pruned()
        };
        let after = self.weight_with(&compaction);
        self.record_compaction(compaction, total, after).await
    }

    /// Has the older part summarised. Tells whether the request is smaller now.
    pub(super) async fn shorten(&mut self, force: Force) -> Result<bool, StopReason> {
        self.context.take_in(self.parts.transcript.records());
        let before = self.context.total();
        if let Force::Overflow(told) = force {
            self.context.learn_overflow(told);
        }
        let records = self.parts.transcript.records();
        let until = self.tail_start(records);
        let mut compaction = self.pruned();
        let done_before = self.summarised_until();
        let is_old = |record: &Record| {
            (done_before..until).contains(&record.seq)
                && matches!(record.entry, Entry::Assistant(_))
        };
        let helps = {
            // The best that a summary can do.
            let mut without = compaction.clone();
            without.summary = Some(Summary {
                until,
                text: String::new(),
                by_model: false,
                spent: None,
            });
            self.weight_with(&without) * 100 < before * 90
        };
        if helps && records.iter().any(is_old) {
            compaction.summary = Some(self.summarise(until).await?);
        }
        let mut after = self.weight_with(&compaction);
        let window = self.context.window();
        if after * 100 >= window * SUMMARISE_AT {
            // Even the last rounds are too much: they are cut as well.
            compaction.prune_before = self.parts.transcript.next_seq();
            after = self.weight_with(&compaction);
        }
        if after * 100 >= before * 95 {
            return Ok(false);
        }
        self.record_compaction(compaction, before, after).await?;
        Ok(true)
    }

    async fn record_compaction(
        &mut self,
        compaction: Compaction,
        before: u64,
        after: u64,
    ) -> Result<(), StopReason> {
        let compaction = Compaction {
            tokens_before: before,
            tokens_after: after,
            ..compaction
        };
        self.tracer
            .note(&format!("Shortened from {before} to {after} tokens."));
        let transcript = &mut self.parts.transcript;
        let entries = vec![Entry::Compaction(compaction)];
        let saved = transcript.record(entries, &[], Durability::Relaxed).await;
        saved.map_err(storage_failed)?;
        self.context.take_in(self.parts.transcript.records());
        Ok(())
    }

    /// The compaction that cuts results and arguments before the last rounds and changes nothing else.
    fn pruned(&self) -> Compaction {
        let records = self.parts.transcript.records();
        Compaction {
            prune_before: self.tail_start(records),
            pictures_before: last_compaction(records).map_or(0, |last| last.pictures_before),
            summary: last_compaction(records).and_then(|compaction| {
                let mut summary = compaction.summary.clone()?;
                // What it took is told once.
                summary.spent = None;
                Some(summary)
            }),
            tokens_before: 0,
            tokens_after: 0,
        }
    }

    fn summarised_until(&self) -> u64 {
        let last = last_compaction(self.parts.transcript.records());
        let summary = last.and_then(|compaction| compaction.summary.as_ref());
        summary.map_or(0, |summary| summary.until)
    }

    fn weight_with(&self, compaction: &Compaction) -> u64 {
        let layout = layout_with(self.parts.transcript.records(), compaction);
        self.context.total_with(Weight::of(&layout))
    }

    /// Where the last rounds begin that stay as they are: at a message of the model,
    /// and the last one of all at the latest.
    fn tail_start(&self, records: &[Record]) -> u64 {
        let room = self.context.window() * KEEP / 100;
        let (mut start, mut weight) = (None, 0);
        for record in records.iter().rev() {
            weight += self.context.weight_of(record);
            if start.is_some() && weight > room {
                break;
            }
            match record.entry {
                Entry::Assistant(_) => start = Some(record.seq),
                // What stands before the first message of a run is its task.
                Entry::User { .. } if start.is_some() => break,
                _ => {}
            }
        }
        start.unwrap_or_else(|| self.parts.transcript.next_seq())
    }

    /// A summary of the records before `until`.
    async fn summarise(&mut self, until: u64) -> Result<Summary, StopReason> {
        self.parts.transcript.emit(AgentEvent::Compacting);
        let records = self.parts.transcript.records();
        let from = self.summarised_until();
        let before = last_compaction(records).and_then(|compaction| compaction.summary.as_ref());
        let mut material = String::new();
        if let Some(before) = before {
            material.push_str("Summary of what came before:\n");
            material.push_str(&before.text);
            material.push_str("\n\n");
        }
        let told = records
            .iter()
            .filter(|record| (from..until).contains(&record.seq));
        for record in told.clone() {
            render(record, MAX_PIECE, &mut material);
        }
        // Three bytes to a token is on the safe side.
        let room = (self.context.window() * MATERIAL / 100 * 3) as usize;
        let material = middle_out(material, room);
        let mechanical = {
            let mut lines = before.map_or_else(String::new, |before| before.text.clone() + "\n");
            for record in told {
                render(record, MAX_LINE, &mut lines);
            }
            middle_out(lines, (room / 8).max(1_000))
        };
        let given = material.len();
        let (answer, spent) = self
            .side_request(Purpose::Summary, SUMMARY_PROMPT, material)
            .await?;
        let answer = answer.filter(|text| !text.trim().is_empty() && text.len() < given);
        Ok(Summary {
            until,
            by_model: answer.is_some(),
            text: answer.unwrap_or(mechanical),
            spent,
        })
    }
}

fn last_compaction(records: &[Record]) -> Option<&Compaction> {
    records.iter().rev().find_map(|record| match &record.entry {
        Entry::Compaction(compaction) => Some(compaction),
        _ => None,
    })
}

/// Writes down what a record says, its longer pieces cut to `max` bytes.
pub fn render(record: &Record, max: usize, out: &mut String) {
    let mut line = |who: &str, text: &str| {
        let cut = super::super::tool::floor_boundary(text.trim(), max);
        out.push_str(who);
        out.push_str(": ");
        out.push_str(&text.trim()[..cut]);
        out.push_str(if cut < text.trim().len() {
            " […]\n"
        } else {
            "\n"
        });
    };
    match &record.entry {
        Entry::User { text, .. } | Entry::Steer { text } => line("User", text),
        Entry::Assistant(message) => {
            if !message.text.trim().is_empty() {
                line("Agent", &message.text);
            }
            for call in &message.calls {
                line(&format!("Call {}", call.name), &call.arguments);
            }
        }
        Entry::ToolResult(result) => line(&format!("Result of {}", result.name), &result.text),
        Entry::Critique { text, .. } if !text.is_empty() => line("Critic", text),
        _ => {}
    }
}

/// Head and tail of a text that is too long.
fn middle_out(text: String, room: usize) -> String {
    if text.len() <= room {
        return text;
    }
    let floor = super::super::tool::floor_boundary;
    let head = floor(&text, room / 3);
    let tail = floor(&text, text.len() - room * 2 / 3);
    format!("{}\n[…]\n{}", &text[..head], &text[tail..])
}
