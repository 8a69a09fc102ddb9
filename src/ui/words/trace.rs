//! A trace in words.

use super::units::{bytes, money, number, short_number};
use super::{Language, Words};
use crate::kernel::event::{Failure, Retry};
use crate::kernel::session::Usage;
use crate::kernel::trace::{CallTrace, Purpose, RoundTrace};
use crate::ui::state::trace::{Stages, Sums};

impl Words {
    /// What a request was for, with the round's number.
    pub fn purpose(&self, round: &RoundTrace) -> String {
        match round.purpose {
            Purpose::Round => self.round(round.round),
            Purpose::Summary => self.trace_summary.to_owned(),
            Purpose::Critique => self.trace_critique.to_owned(),
            Purpose::Title => self.trace_title.to_owned(),
        }
    }

    /// Tokens sent, had in the cache, received.
    pub fn tokens_by_kind(&self, usage: Usage) -> String {
        let [sent, cached, received] = [
            usage.prompt_tokens,
            usage.cached_tokens,
            usage.completion_tokens,
        ]
        .map(short_number);
        match (self.language, usage.cached_tokens) {
            (Language::English, 0) => format!("{sent} sent · {received} received"),
            (Language::English, _) => {
                format!("{sent} sent · {cached} of them cached · {received} received")
            }
            (Language::Chinese, 0) => format!("发送 {sent} · 接收 {received}"),
            (Language::Chinese, _) => {
                format!("发送 {sent}（缓存 {cached}）· 接收 {received}")
            }
        }
    }

    /// Tokens, cost, retries and status of a round.
    pub fn trace_facts(&self, round: &RoundTrace) -> String {
        let retries = round.retries.len();
        let tokens = match round.usage {
            Some(usage) => self.tokens_by_kind(usage),
            None => self.no_count.to_owned(),
        };
        let retries = match (self.language, retries) {
            (_, 0) => None,
            (Language::English, 1) => Some("1 retry".to_owned()),
            (Language::English, n) => Some(format!("{n} retries")),
            (Language::Chinese, n) => Some(format!("重试 {n} 次")),
        };
        let status = (round.status != 0).then(|| format!("HTTP {}", round.status));
        let facts = [Some(tokens), round.cost.map(money), retries, status];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        facts.join(" · ")
    }

    /// What all rounds come to.
    pub fn trace_sums(&self, sums: &Sums) -> String {
        let rounds = self.rounds(sums.rounds as u32);
        let took = self.took(sums.took_ms);
        let tokens = self.tokens(sums.usage.total());
        match sums.cost {
            Some(cost) => format!("{rounds} · {took} · {tokens} · {}", money(cost)),
            None => format!("{rounds} · {took} · {tokens}"),
        }
    }

    /// The stages of a round, each with its name.
    pub fn stages(&self, stages: Stages) -> [String; 4] {
        let names = self.stage_names();
        let times = stages.all();
        std::array::from_fn(|at| format!("{} {}", names[at], self.took(times[at])))
    }

    /// The names of the stages, in order.
    pub fn stage_names(&self) -> [&'static str; 4] {
        [
            self.trace_waiting,
            self.trace_first,
            self.trace_stream,
            self.trace_tools,
        ]
    }

    /// What a request has in common with the one before.
    pub fn same_bytes(&self, n: u64) -> String {
        let n = number(n);
        match self.language {
            Language::English => format!("{n} bytes as before, then:"),
            Language::Chinese => format!("前 {n} 字节与上次相同，其后为："),
        }
    }

    /// Shows the whole of a text of `size` bytes.
    pub fn show_all_of(&self, size: usize) -> String {
        let size = bytes(size as u64);
        match self.language {
            Language::English => format!("Show all {size}"),
            Language::Chinese => format!("显示全部 {size}"),
        }
    }

    /// Whether a call failed, how long it took, and how long it waited for the user.
    pub fn call_facts(&self, call: &CallTrace) -> String {
        match call.ok {
            true => self.call_time(call),
            false => format!("{} · {}", self.failed, self.call_time(call)),
        }
    }

    fn call_time(&self, call: &CallTrace) -> String {
        let took = self.took(call.took_ms);
        let waited = self.took(call.waited_ms);
        match (self.language, call.waited_ms) {
            (_, 0) => took,
            (Language::English, _) => format!("{took} · waited {waited} for you"),
            (Language::Chinese, _) => format!("{took} · 等待你 {waited}"),
        }
    }

    /// A try that failed.
    pub fn failed_try(&self, retry: &Retry) -> String {
        let n = retry.attempt.saturating_sub(1);
        let waited = self.took(retry.wait_ms);
        let why = failure_as_told(&retry.failure);
        match self.language {
            Language::English => format!("Try {n}: {why}. Waited {waited}."),
            Language::Chinese => format!("第 {n} 次：{why}。等待了 {waited}。"),
        }
    }
}

/// A failure as the other side told it: the trace is for whoever wants to know exactly.
fn failure_as_told(failure: &Failure) -> String {
    let status = failure.status.map(|status| format!("HTTP {status}"));
    let detail = failure.detail.trim().trim_end_matches('.');
    match (status, detail) {
        (Some(status), "") => status,
        (Some(status), detail) => format!("{status}, {detail}"),
        (None, "") => failure.host.clone(),
        (None, detail) => detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::event::FailureKind;

    #[test]
    fn the_facts_of_a_round_stand_in_one_line() {
        let failure = Failure {
            status: Some(503),
            ..Failure::new(FailureKind::Server, "overloaded.")
        };
        let retry = Retry {
            attempt: 2,
            of: 5,
            wait_ms: 1_200,
            failure,
        };
        let round = RoundTrace {
            round: 3,
            status: 200,
            usage: Some(Usage {
                prompt_tokens: 1_240,
                completion_tokens: 90,
                cached_tokens: 1_000,
            }),
            cost: Some(12_000),
            retries: vec![retry.clone()],
            ..RoundTrace::default()
        };
        let english = Language::English.words();
        assert_eq!(
            english.trace_facts(&round),
            "1.2k sent · 1k of them cached · 90 received · $0.01 · 1 retry · HTTP 200"
        );
        assert_eq!(english.purpose(&round), "Round 3");
        assert_eq!(
            english.failed_try(&retry),
            "Try 1: HTTP 503, overloaded. Waited 1.2 s."
        );
        let bare = RoundTrace::default();
        assert_eq!(english.trace_facts(&bare), "no count");
    }
}
