//! Traces as they go out, compared whole.

use super::*;
use serde_json::{Value as Json, json};

fn round(seq: u64, number: u32) -> RoundTrace {
    RoundTrace {
        seq,
        round: number,
        host: "api.example.com".into(),
        model: "m-1".into(),
        sent_ms: 1_000 * seq,
        end_ms: 500,
        status: 200,
        ..RoundTrace::default()
    }
}

fn spans(rounds: &[RoundTrace]) -> Vec<Json> {
    let json: Json = serde_json::from_str(&export_otlp("s", rounds)).unwrap();
    let spans = &json["resourceSpans"][0]["scopeSpans"][0]["spans"];
    spans.as_array().unwrap().clone()
}

/// A span's name and its attributes, without their types.
fn attributes(span: &Json) -> Vec<(String, String)> {
    let pairs = span["attributes"].as_array().unwrap().iter().map(|pair| {
        let value = pair["value"].as_object().unwrap().values().next().unwrap();
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        (pair["key"].as_str().unwrap().to_owned(), value)
    });
    pairs.collect()
}

fn check(span: &Json, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect();
    assert_eq!(attributes(span), expected, "{}", span["name"]);
}

#[test]
fn a_run_is_a_tree_of_spans() {
    let full = RoundTrace {
        first_ms: 120,
        usage: Some(Usage {
            prompt_tokens: 900,
            completion_tokens: 40,
            cached_tokens: 800,
        }),
        cost: Some(1_250),
        results: vec![CallTrace {
            call_id: "c1".into(),
            name: "write_file".into(),
            started_ms: 1_510,
            took_ms: 20,
            waited_ms: 70,
            ok: false,
        }],
        ..round(1, 1)
    };
    let spans = spans(&[full, round(4, 2)]);
    let names: Vec<&str> = spans.iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "invoke_agent tabloop",
            "chat m-1",
            "execute_tool write_file",
            "chat m-1"
        ]
    );
    let parents: Vec<&Json> = spans.iter().map(|s| &s["parentSpanId"]).collect();
    let id = |n: usize| &spans[n]["spanId"];
    assert_eq!(parents, [&json!(""), id(0), id(1), id(0)]);
    let times = |n: usize| {
        let span = &spans[n];
        [&span["startTimeUnixNano"], &span["endTimeUnixNano"]]
    };
    assert_eq!(times(0), [&json!("1000000000"), &json!("4500000000")]);
    assert_eq!(times(2), [&json!("1510000000"), &json!("1600000000")]);
    check(
        &spans[1],
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.provider.name", "openai"),
            ("gen_ai.conversation.id", "s"),
            ("gen_ai.request.model", "m-1"),
            ("gen_ai.request.stream", "true"),
            ("server.address", "api.example.com"),
            ("server.port", "443"),
            ("http.response.status_code", "200"),
            ("gen_ai.response.time_to_first_chunk", "0.12"),
            ("gen_ai.usage.input_tokens", "900"),
            ("gen_ai.usage.output_tokens", "40"),
            ("gen_ai.usage.cache_read.input_tokens", "800"),
            ("tabloop.round", "1"),
            ("tabloop.purpose", "round"),
            ("tabloop.cost_usd", "0.00125"),
        ],
    );
    check(
        &spans[2],
        &[
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "write_file"),
            ("gen_ai.tool.call.id", "c1"),
            ("gen_ai.tool.type", "function"),
            ("tabloop.waited_ms", "70"),
            ("error.type", "tool_error"),
        ],
    );
}

#[test]
fn ids_are_hexadecimal_of_the_right_length_and_always_the_same() {
    let rounds = [round(1, 1), round(2, 2)];
    assert_eq!(export_otlp("s", &rounds), export_otlp("s", &rounds));
    for span in spans(&rounds) {
        for (field, digits) in [("traceId", 32), ("spanId", 16)] {
            let id = span[field].as_str().unwrap();
            assert!(id.len() == digits && id.bytes().all(|b| b.is_ascii_hexdigit()));
        }
    }
}

#[test]
fn each_run_is_a_trace_of_its_own() {
    let critique = RoundTrace {
        purpose: Purpose::Critique,
        ..round(3, 2)
    };
    let rounds = [
        round(1, 1),
        round(2, 2),
        critique,
        round(5, 3),
        round(7, 1),
        round(9, 1),
    ];
    let roots = spans(&rounds)
        .into_iter()
        .filter(|span| span["parentSpanId"] == "");
    let starts: Vec<String> = roots
        .map(|span| span["startTimeUnixNano"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(starts, ["1000000000", "7000000000", "9000000000"]);
}

#[test]
fn a_failure_is_told_by_its_status_and_words() {
    let failed = RoundTrace {
        host: "localhost:11434".into(),
        status: 503,
        failure: Some("\"overloaded\"".into()),
        ..round(1, 1)
    };
    let spans = spans(&[failed]);
    for span in &spans {
        let status = json!({ "code": 2, "message": "\"overloaded\"" });
        assert_eq!(span["status"], status);
        let last = attributes(span).pop().unwrap();
        assert_eq!(last, ("error.type".into(), "503".into()));
    }
    assert!(attributes(&spans[1]).contains(&("server.port".into(), "11434".into())));
}

#[test]
fn what_was_said_does_not_go_along() {
    let round = RoundTrace {
        request: "SECRET".into(),
        response: "SECRET".into(),
        notes: vec!["SECRET".into()],
        ..round(1, 1)
    };
    assert!(!export_otlp("s", &[round]).contains("SECRET"));
    assert_eq!(spans(&[]), Vec::<Json>::new());
}
