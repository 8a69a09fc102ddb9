//! What an endpoint may answer instead of an answer: the cause is told apart,
//! the session is intact, and trying again works.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use support::{KEY, World};
use tabloop::kernel::event::{Failure, FailureKind, StopReason};
use tabloop::kernel::model::errors;
use tabloop::kernel::session::Entry;
use tabloop::kernel::settings::{Problem, ProfileDraft};
use tabloop::protocol::{Command, Event, Field};

fn failure(world: &World, session: &str) -> Failure {
    match world.reasons(session).pop() {
        Some(StopReason::Failed(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

fn check(replies: Vec<Reply>, kind: FailureKind, status: Option<u16>) {
    let tries = replies.len();
    let world = World::new(replies);
    let session = world.send("Hello");
    let failure = failure(&world, &session);
    assert_eq!(
        (failure.kind, failure.status, failure.host.as_str()),
        (kind, status, "model.example")
    );
    // What may pass is tried again; anything else is told at once.
    let tries = if kind.is_retryable() { 5 } else { tries };
    assert_eq!(world.endpoint.requests().len(), tries);
    // Trying again sends the same conversation and works.
    world.endpoint.add(Reply::text("Hi"));
    world.endpoint.add(Reply::text("Hi"));
    world.handle(Command::Continue(session.clone()));
    if world.reasons(&session).last() != Some(&StopReason::Completed) {
        world.handle(Command::Continue(session.clone()));
    }
    assert_eq!(world.reasons(&session).last(), Some(&StopReason::Completed));
    check_transcript(&world.records(&session));
}

#[test]
fn causes_are_told_apart() {
    let error = |status, message: &str| {
        vec![Reply::error(
            status,
            &json!({ "error": { "message": message } }).to_string(),
        )]
    };
    check(error(401, "bad key"), FailureKind::Unauthorized, Some(401));
    check(error(403, "no"), FailureKind::Forbidden, Some(403));
    check(
        error(404, "no such model"),
        FailureKind::UnknownModel,
        Some(404),
    );
    check(error(404, "nothing here"), FailureKind::NotFound, Some(404));
    check(error(402, "pay"), FailureKind::Billing, Some(402));
    check(error(429, "slow down"), FailureKind::RateLimited, Some(429));
    check(error(500, "oops"), FailureKind::Server, Some(500));
    check(
        error(400, "maximum context length is 4096 tokens"),
        FailureKind::ContextOverflow,
        Some(400),
    );
    check(
        vec![Reply::error(200, "<!doctype html><html></html>")],
        FailureKind::BadEndpoint,
        None,
    );
    check(vec![Reply::Unreachable], FailureKind::Network, None);
}

#[test]
fn a_stream_without_an_end_is_shown_and_not_taken_as_an_answer() {
    let body = format!(
        "data: {}\n\n",
        delta(json!({ "content": "The three steps" }))
    )
    .into_bytes();
    for reply in [
        Reply::Body {
            status: 200,
            body: body.clone(),
            piece: 5,
        },
        Reply::Broken { body: body.clone() },
    ] {
        let world = World::new(vec![reply]);
        let session = world.send("Steps");
        assert_eq!(world.endpoint.requests().len(), 5);
        world.endpoint.add(Reply::text("All three."));
        assert_eq!(failure(&world, &session).kind, FailureKind::Truncated);
        let partial = world
            .records(&session)
            .into_iter()
            .find_map(|record| match record.entry {
                Entry::Partial { text, .. } => Some(text),
                _ => None,
            });
        assert_eq!(partial.as_deref(), Some("The three steps"));
        world.handle(Command::Continue(session.clone()));
        assert_eq!(world.endpoint.last_messages().len(), 2);
        assert_eq!(world.reasons(&session).last(), Some(&StopReason::Completed));
        check_transcript(&world.records(&session));
    }
}

#[test]
fn a_call_in_a_stream_without_an_end_is_not_run() {
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "write_file", "arguments": "{\"path\":\"a\",\"content\":\"x\"}" } }] });
    let body = format!("data: {}\n\n", delta(call)).into_bytes();
    let world = World::new(vec![Reply::Body {
        status: 200,
        body,
        piece: 9,
    }]);
    let session = world.send("Write");
    assert_eq!(failure(&world, &session).kind, FailureKind::Truncated);
    assert_eq!(world.file("a"), None);
}

#[test]
fn a_missing_v1_is_found_and_kept() {
    for first in [
        Reply::error(404, "404 page not found"),
        Reply::error(405, ""),
        Reply::error(200, "<html>"),
    ] {
        let world = World::new(vec![first, Reply::text("Hi")]);
        world.save(
            None,
            ProfileDraft {
                base_url: "https://model.example/".into(),
                key: None,
                model: "m".into(),
                ..ProfileDraft::default()
            },
        );
        let session = world.send("Hello");
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
        let urls: Vec<String> = world
            .endpoint
            .requests()
            .into_iter()
            .map(|sent| sent.url)
            .collect();
        assert_eq!(
            urls,
            [
                "https://model.example/chat/completions",
                "https://model.example/v1/chat/completions"
            ]
        );
        let kept = world.settings().kept.profiles.pop().unwrap();
        assert_eq!(kept.base_url.as_str(), "https://model.example/v1");
        world.handle(support::task(Some(session), "Again"));
        assert_eq!(world.endpoint.requests().len(), 3);
    }
}

#[test]
fn refused_stream_options_are_left_out_from_then_on() {
    let refusal = json!({ "detail": [{ "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted" }] });
    let world = World::new(vec![
        Reply::error(422, &refusal.to_string()),
        Reply::text("Hi"),
    ]);
    let session = world.send("Hello");
    world.handle(support::task(Some(session.clone()), "Again"));
    let sent: Vec<bool> = world
        .endpoint
        .requests()
        .iter()
        .map(|sent| sent.body.get("stream_options").is_some())
        .collect();
    assert_eq!(sent, [true, false, false]);
    assert_eq!(
        world.reasons(&session),
        [StopReason::Completed, StopReason::Completed]
    );
}

#[test]
fn few_headers_are_sent_and_no_empty_key() {
    let world = World::new(vec![Reply::text("Hi")]);
    world.send("Hello");
    world.save(
        None,
        ProfileDraft {
            base_url: "http://localhost:11434/v1".into(),
            key: Some("  ".into()),
            model: "m".into(),
            ..ProfileDraft::default()
        },
    );
    world.send("Hello");
    let requests = world.endpoint.requests().into_iter();
    let names = requests.map(|sent| sent.headers.into_iter().map(|(name, _)| name));
    let headers: Vec<Vec<String>> = names.map(Iterator::collect).collect();
    assert_eq!(
        headers,
        [vec!["Content-Type", "Authorization"], vec!["Content-Type"]]
    );
}

#[test]
fn what_was_typed_wrong_is_told_at_the_field_and_nothing_is_sent() {
    let world = World::new(vec![Reply::text("Hi")]);
    world.save(
        None,
        ProfileDraft {
            base_url: "not a url".into(),
            key: Some("sk 1".into()),
            model: " ".into(),
            ..ProfileDraft::default()
        },
    );
    let refused = Event::Refused(vec![
        (Field::BaseUrl, Problem::NotAnAddress),
        (Field::Key, Problem::BadKey),
        (Field::Model, Problem::Empty),
    ]);
    assert_eq!(world.events.borrow().last(), Some(&refused));
    assert!(world.endpoint.requests().is_empty());
}

#[test]
fn a_host_that_repeats_the_key_does_not_get_it_into_an_error() {
    let world = World::new(vec![Reply::error(
        401,
        &json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } })
            .to_string(),
    )]);
    let session = world.send("Hello");
    let failure = failure(&world, &session);
    assert_eq!(failure.detail, "Incorrect API key provided: [key]");
    assert!(failure.body.contains("[key]") && !failure.body.contains(KEY));
}

/// Every wording in `endpoint_errors/wordings.json` is of a public server.
#[test]
fn wordings_of_public_servers_are_told_apart() {
    let cases: Json = serde_json::from_str(include_str!("endpoint_errors/wordings.json")).unwrap();
    let problem = |case: &Json| {
        let status = case["status"].as_u64().unwrap() as u16;
        let body = match &case["body"] {
            Json::String(text) => text.clone(),
            json => json.to_string(),
        };
        let got = match status {
            200 => errors::of_wrong_json(&body, "h"),
            status => errors::from_body(status, &body, "h"),
        };
        let window = errors::told_window(&got.detail);
        let window = window.filter(|_| got.kind == FailureKind::ContextOverflow);
        let same = format!("{:?}", got.kind) == case["kind"].as_str().unwrap()
            && window == case["window"].as_u64()
            && got.parameter.as_deref() == case["parameter"].as_str()
            && got.retry_after_ms == case["wait_ms"].as_u64()
            && case["detail"]
                .as_str()
                .is_none_or(|detail| detail == got.detail);
        (!same).then(|| format!("{case}\n  {got:?} {window:?}"))
    };
    let problems: Vec<String> = cases
        .as_array()
        .unwrap()
        .iter()
        .filter_map(problem)
        .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn a_stream_left_open_behind_its_end_is_whole() {
    let Reply::Body { body, .. } = Reply::text("All of it.") else {
        panic!()
    };
    let world = World::new(vec![Reply::Hanging { body }]);
    let session = world.send("Hello");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(world.endpoint.requests().len(), 1);
}

#[test]
fn an_answer_without_bounds_ends_clearly_and_is_not_asked_for_again() {
    let mut body = b"data: ".to_vec();
    body.resize(50 << 20, b'x');
    let world = World::new(vec![Reply::Body {
        status: 200,
        body,
        piece: 64 << 10,
    }]);
    let session = world.send("Hello");
    let failure = failure(&world, &session);
    assert_eq!(failure.kind, FailureKind::BadEndpoint);
    assert!(failure.detail.contains("longer"), "{}", failure.detail);
    assert_eq!(world.endpoint.requests().len(), 1);
}

#[test]
fn blanks_without_an_end_are_no_answer() {
    let body = vec![b'\n'; 10 << 20];
    let world = World::new(vec![Reply::Body {
        status: 200,
        body,
        piece: 16 << 10,
    }]);
    let session = world.send("Hello");
    assert_eq!(failure(&world, &session).kind, FailureKind::BadEndpoint);
    assert_eq!(world.endpoint.requests().len(), 1);
    // A host that keeps the connection open with some of them is waited for.
    let Reply::Body { body, piece, .. } = Reply::text("Hi") else {
        panic!()
    };
    let world = World::new(vec![Reply::Body {
        status: 200,
        body: [vec![b'\n'; 4 << 10], body].concat(),
        piece,
    }]);
    let session = world.send("Hello");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
}

#[test]
fn a_redirect_is_told_as_a_wrong_address() {
    for status in [301, 302, 307, 308] {
        let world = World::new(vec![Reply::error(status, "")]);
        let session = world.send("Hello");
        let failure = failure(&world, &session);
        assert_eq!(failure.kind, FailureKind::BadEndpoint);
        assert!(failure.detail.contains("redirects"), "{}", failure.detail);
        assert_eq!(world.endpoint.requests().len(), 1);
    }
}
