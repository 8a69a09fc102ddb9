//! A trace in OpenTelemetry's protocol, as JSON
//! (<https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>), with the
//! names of its conventions for generative models
//! (<https://github.com/open-telemetry/semantic-conventions-genai>, v0.1.0).
//!
//! One trace a run: a span `invoke_agent tabloop`, below it one `chat {model}` a
//! round, below that one `execute_tool {name}` a call, which begins when the
//! message has ended. What was said does not go along: requests, responses,
//! arguments and results are in our own JSON alone.

use super::export::quoted;
use super::{CallTrace, Purpose, RoundTrace};
use crate::kernel::session::Usage;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The flavour of the API that is spoken, whoever the host is.
const PROVIDER: &str = "openai";
/// `SPAN_KIND_INTERNAL` and `SPAN_KIND_CLIENT`.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;

/// A session's trace as one `ExportTraceServiceRequest`. The same rounds give
/// the same text, ids included.
pub fn export_otlp(session: &str, rounds: &[RoundTrace]) -> String {
    let mut spans = Spans {
        session,
        trace: String::new(),
        run: String::new(),
        out: String::new(),
    };
    let mut rest = rounds;
    while !rest.is_empty() {
        let (run, others) = rest.split_at(length_of_run(rest));
        spans.run(run);
        rest = others;
    }
    let mut resource = Attributes::default();
    resource.text("service.name", "tabloop");
    resource.text("service.version", VERSION);
    format!(
        "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{}]}},\"scopeSpans\":[{{\"scope\":{{\"name\":\"tabloop\",\"version\":\"{VERSION}\"}},\"spans\":[{}\n]}}]}}]}}\n",
        resource.0, spans.out
    )
}

/// How many of `rounds` belong to the first one's run: numbers grow within a run.
fn length_of_run(rounds: &[RoundTrace]) -> usize {
    let starts_anew = |pair: &[RoundTrace]| match pair[1].purpose {
        Purpose::Round => pair[1].round < pair[0].round || is_first_again(pair),
        // A summary or a judgement has the number of the round it belongs to.
        _ => pair[1].round < pair[0].round,
    };
    let at = rounds.windows(2).position(starts_anew);
    at.map_or(rounds.len(), |at| at + 1)
}

/// Two rounds of the loop with one number are of two runs.
fn is_first_again(pair: &[RoundTrace]) -> bool {
    pair[0].purpose == Purpose::Round && pair[0].round == pair[1].round
}

/// What is written, and the ids that hold for the run that is being written.
struct Spans<'a> {
    session: &'a str,
    trace: String,
    run: String,
    out: String,
}

impl Spans<'_> {
    fn run(&mut self, rounds: &[RoundTrace]) {
        let Some(first) = rounds.first() else {
            return;
        };
        self.trace = self.id("trace", first.seq, 32);
        self.run = self.id("run", first.seq, 16);
        let start = rounds.iter().map(|round| round.sent_ms).min();
        let end = rounds.iter().map(end_of).max();
        let usage = rounds.iter().filter_map(|round| round.usage);
        let mut attributes = operation("invoke_agent");
        attributes.text("gen_ai.provider.name", PROVIDER);
        attributes.text("gen_ai.agent.name", "tabloop");
        attributes.text("gen_ai.agent.version", VERSION);
        attributes.text("gen_ai.conversation.id", self.session);
        attributes.text("gen_ai.request.model", &first.model);
        attributes.usage(usage.reduce(|sum, usage| sum + usage));
        let failure = rounds.last().and_then(failure_of);
        self.span(Span {
            id: self.run.clone(),
            parent: "",
            name: "invoke_agent tabloop",
            kind: INTERNAL,
            start_ms: start.unwrap_or_default(),
            end_ms: end.unwrap_or_default(),
            attributes,
            failure,
        });
        rounds.iter().for_each(|round| self.round(round));
    }

    fn round(&mut self, round: &RoundTrace) {
        let id = self.id("round", round.seq, 16);
        let run = self.run.clone();
        let mut attributes = operation("chat");
        attributes.text("gen_ai.provider.name", PROVIDER);
        attributes.text("gen_ai.conversation.id", self.session);
        attributes.text("gen_ai.request.model", &round.model);
        attributes.add("gen_ai.request.stream", "bool", "true");
        attributes.server(&round.host);
        if round.status != 0 {
            attributes.number("http.response.status_code", round.status.into());
        }
        if !round.retries.is_empty() {
            attributes.number("http.request.resend_count", round.retries.len() as u64);
        }
        if round.first_ms != 0 {
            let seconds = decimal(round.first_ms, 3);
            attributes.add("gen_ai.response.time_to_first_chunk", "double", &seconds);
        }
        attributes.usage(round.usage);
        attributes.number("tabloop.round", round.round.into());
        attributes.text("tabloop.purpose", purpose(round.purpose));
        if let Some(cost) = round.cost {
            attributes.add("tabloop.cost_usd", "double", &decimal(cost, 6));
        }
        self.span(Span {
            id: id.clone(),
            parent: &run,
            name: &format!("chat {}", round.model),
            kind: CLIENT,
            start_ms: round.sent_ms,
            end_ms: round.sent_ms + round.end_ms,
            attributes,
            failure: failure_of(round),
        });
        for (n, call) in round.results.iter().enumerate() {
            let own = self.id(&format!("call {n}"), round.seq, 16);
            self.call(own, &id, call);
        }
    }

    fn call(&mut self, id: String, parent: &str, call: &CallTrace) {
        let mut attributes = operation("execute_tool");
        attributes.text("gen_ai.tool.name", &call.name);
        attributes.text("gen_ai.tool.call.id", &call.call_id);
        attributes.text("gen_ai.tool.type", "function");
        if call.waited_ms != 0 {
            attributes.number("tabloop.waited_ms", call.waited_ms);
        }
        self.span(Span {
            id,
            parent,
            name: &format!("execute_tool {}", call.name),
            kind: INTERNAL,
            start_ms: call.started_ms,
            end_ms: call.started_ms + call.waited_ms + call.took_ms,
            attributes,
            failure: (!call.ok).then(|| ("tool_error".to_owned(), "")),
        });
    }

    fn span(&mut self, mut span: Span) {
        let mut status = String::from("{}");
        if let Some((kind, message)) = &span.failure {
            span.attributes.text("error.type", kind);
            // STATUS_CODE_ERROR
            status = format!("{{\"code\":2,\"message\":{}}}", quoted(message));
        }
        let comma = if self.out.is_empty() { "" } else { "," };
        self.out.push_str(&format!(
            "{comma}\n{{\"traceId\":\"{}\",\"spanId\":\"{}\",\"parentSpanId\":\"{}\",\"name\":{},\"kind\":{},\"startTimeUnixNano\":\"{}000000\",\"endTimeUnixNano\":\"{}000000\",\"attributes\":[{}],\"status\":{status}}}",
            self.trace,
            span.id,
            span.parent,
            quoted(span.name),
            span.kind,
            span.start_ms,
            span.end_ms,
            span.attributes.0,
        ));
    }

    /// An id of `digits` hexadecimal digits that the same thing always has.
    fn id(&self, what: &str, seq: u64, digits: usize) -> String {
        let hash = blake3::hash(format!("{what} {seq} {}", self.session).as_bytes());
        hash.to_hex()[..digits].to_owned()
    }
}

struct Span<'a> {
    id: String,
    parent: &'a str,
    name: &'a str,
    kind: u8,
    start_ms: u64,
    end_ms: u64,
    attributes: Attributes,
    /// `error.type` and a message.
    failure: Option<(String, &'a str)>,
}

/// Attributes in the order they were added, as JSON.
#[derive(Default)]
struct Attributes(String);

impl Attributes {
    fn text(&mut self, key: &str, value: &str) {
        self.add(key, "string", &quoted(value));
    }

    /// Whole numbers are texts in this protocol.
    fn number(&mut self, key: &str, value: u64) {
        self.add(key, "int", &format!("\"{value}\""));
    }

    fn usage(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage else {
            return;
        };
        self.number("gen_ai.usage.input_tokens", usage.prompt_tokens);
        self.number("gen_ai.usage.output_tokens", usage.completion_tokens);
        if usage.cached_tokens != 0 {
            self.number("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens);
        }
    }

    /// Address and port of `host`; the demo has none.
    fn server(&mut self, host: &str) {
        if host.is_empty() {
            return;
        }
        let (address, port) = host.rsplit_once(':').unwrap_or((host, ""));
        self.text("server.address", address);
        let port = port.parse().unwrap_or(match address {
            "localhost" | "127.0.0.1" => 80,
            _ => 443,
        });
        self.number("server.port", port);
    }

    fn add(&mut self, key: &str, kind: &str, json: &str) {
        let comma = if self.0.is_empty() { "" } else { "," };
        self.0.push_str(&format!(
            "{comma}{{\"key\":\"{key}\",\"value\":{{\"{kind}Value\":{json}}}}}"
        ));
    }
}

fn operation(name: &str) -> Attributes {
    let mut attributes = Attributes::default();
    attributes.text("gen_ai.operation.name", name);
    attributes
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Round => "round",
        Purpose::Summary => "summary",
        Purpose::Critique => "critique",
        Purpose::Title => "title",
    }
}

/// The kind of a round's failure: the status, where it tells one.
fn failure_of(round: &RoundTrace) -> Option<(String, &str)> {
    let words = round.failure.as_deref()?;
    let kind = match round.status {
        0..400 => "_OTHER".to_owned(),
        status => status.to_string(),
    };
    Some((kind, words))
}

/// When a round and its calls had ended.
fn end_of(round: &RoundTrace) -> u64 {
    let calls = round.results.iter();
    let ends = calls.map(|call| call.started_ms + call.waited_ms + call.took_ms);
    ends.fold(round.sent_ms + round.end_ms, u64::max)
}

/// `value` with the last `places` digits behind the point.
fn decimal(value: u64, places: u32) -> String {
    let one = 10_u64.pow(places);
    format!("{}.{:02$}", value / one, value % one, places as usize)
}

#[cfg(test)]
mod tests;
