//! What is sent: the profile's options as they were set, and what a host refuses in
//! another form from then on.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::endpoint::{Reply, Sent};
use support::{BASE_URL, KEY, World, draft, task};
use tabloop::kernel::event::{AgentEvent, FailureKind, StopReason};
use tabloop::kernel::session::Mode;
use tabloop::kernel::settings::{Delivery, Profile, ProfileDraft, Refused, RequestOptions};
use tabloop::protocol::{Access, Command};

fn with(options: RequestOptions) -> ProfileDraft {
    ProfileDraft {
        options: Some(options),
        ..draft(BASE_URL, KEY, "test-model")
    }
}

/// A world whose endpoint has these options and answers by `script`.
fn world(options: RequestOptions, script: impl Fn(&Json) -> Reply + 'static) -> World {
    let world = World::new(vec![Reply::text("Hi")]);
    let id = profile(&world).id;
    world.save(Some(&id), with(options));
    world.endpoint.answer_by(script);
    world
}

fn profile(world: &World) -> Profile {
    world.settings().kept.profiles.remove(0)
}

/// What the endpoint is known to refuse.
fn lessons(world: &World) -> Vec<Refused> {
    let lessons = profile(world).lessons.into_iter();
    let refused = lessons.map(|lesson| {
        assert_eq!(lesson.model, "test-model");
        lesson.refused
    });
    refused.collect()
}

/// What the user was told of it.
fn told(world: &World) -> Vec<Refused> {
    let events = world.agent_events().into_iter();
    let told = events.filter_map(|event| match event {
        AgentEvent::Learned { host, lesson } => {
            assert_eq!(host, "model.example");
            Some(lesson.refused)
        }
        _ => None,
    });
    told.collect()
}

fn refusal(message: &str) -> Reply {
    let error = json!({ "error": { "message": message, "type": "invalid_request_error" } });
    Reply::error(400, &error.to_string())
}

fn header(sent: &Sent, name: &str) -> Option<String> {
    let mut headers = sent.headers.iter();
    let found = headers.find(|(sent, _)| sent.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.clone())
}

fn all_options() -> RequestOptions {
    RequestOptions {
        headers: vec![("X-Title".into(), "Mine".into())],
        key_header: "api-key".into(),
        extra_body: "{\"seed\": 7, \"temperature\": 2, \"thinking\": {\"type\": \"on\"}}".into(),
        temperature: "0.1".into(),
        top_p: "0.90".into(),
        max_tokens: "4096".into(),
        effort: "low".into(),
        ..RequestOptions::default()
    }
}

#[test]
fn options_are_sent_as_they_were_set() {
    let world = world(all_options(), |_| Reply::text("Hi"));
    world.send("Hello");
    let sent = world.endpoint.requests().remove(0);
    let start = sent.raw.rfind(",\"temperature\"").unwrap();
    // Numbers as typed; what the form has a field for is not said twice.
    assert_eq!(
        &sent.raw[start..],
        ",\"temperature\":0.1,\"top_p\":0.90,\"max_tokens\":4096,\"reasoning_effort\":\"low\",\"seed\":7,\"thinking\":{\"type\":\"on\"},\"stream\":true,\"stream_options\":{\"include_usage\":true}}"
    );
    assert!(sent.raw[..start].contains("\"tools\":[{"), "{}", sent.raw);
    let headers: Vec<(&str, &str)> = sent
        .headers
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_str()))
        .collect();
    assert_eq!(
        headers,
        [
            ("Content-Type", "application/json"),
            ("api-key", KEY),
            ("X-Title", "Mine")
        ]
    );
}

#[test]
fn nothing_is_sent_that_was_not_set() {
    let world = world(RequestOptions::default(), |_| Reply::text("Hi"));
    world.send("Hello");
    let sent = world.endpoint.requests().remove(0);
    let fields: Vec<&String> = sent.body.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        ["model", "messages", "tools", "stream", "stream_options"]
    );
    assert_eq!(
        header(&sent, "Authorization"),
        Some(format!("Bearer {KEY}"))
    );
}

/// A host that takes none of the optional fields, and names one at a time.
fn picky(body: &Json) -> Reply {
    let fields = body.as_object().unwrap();
    if fields.contains_key("max_tokens") {
        return refusal(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        );
    }
    for name in ["temperature", "reasoning_effort", "seed", "stream_options"] {
        if fields.contains_key(name) {
            return refusal(&format!("Unsupported parameter: '{name}'"));
        }
    }
    Reply::text("Hi")
}

#[test]
fn what_is_refused_is_left_out_told_kept_and_tried_anew_when_forgotten() {
    let options = RequestOptions {
        key_header: String::new(),
        extra_body: "{\"seed\": 7}".into(),
        ..all_options()
    };
    let field = |name: &str| Refused::Field(name.into());
    let expected = [
        Refused::MaxTokens,
        field("temperature"),
        field("reasoning_effort"),
        field("seed"),
        field("stream_options"),
    ];
    let world = world(options.clone(), picky);
    let session = world.send("Hello");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(lessons(&world), expected);
    assert_eq!(told(&world), expected);
    let requests = world.endpoint.requests();
    assert_eq!(requests.len(), 6);
    let last = requests[5].body.as_object().unwrap();
    let fields: Vec<&String> = last.keys().collect();
    assert_eq!(
        fields,
        [
            "model",
            "messages",
            "tools",
            "top_p",
            "max_completion_tokens",
            "stream"
        ]
    );

    // Nothing is tried twice, also after a reload.
    world.handle(task(Some(session.clone()), "Again"));
    assert_eq!(world.endpoint.requests().len(), 7);
    let heir = World::over(Rc::clone(&world.store), Vec::new(), Access::Writer);
    heir.endpoint.answer_by(picky);
    heir.send("Hello");
    assert_eq!(heir.endpoint.requests().len(), 1);

    // The trace tells what was refused, with the host's words.
    let rounds = support::block_on(tabloop::kernel::trace::load(&*world.store, &session)).unwrap();
    let notes = rounds[0].notes.join("\n");
    assert!(
        notes.contains("model.example refused: max_tokens"),
        "{notes}"
    );
    assert!(notes.contains("Unsupported parameter: 'seed'"), "{notes}");
    assert!(rounds[0].request.contains("max_completion_tokens"));

    let id = profile(&world).id;
    world.handle(Command::ForgetLessons(id.clone()));
    assert_eq!(lessons(&world), []);
    world.handle(task(Some(session.clone()), "And again"));
    assert_eq!(world.endpoint.requests().len(), 7 + 6);

    // Another setting may be taken: all is tried anew. The same ones are not.
    world.save(Some(&id), with(options.clone()));
    assert_eq!(lessons(&world).len(), 5);
    let warmer = RequestOptions {
        temperature: "1".into(),
        ..options
    };
    world.save(Some(&id), with(warmer));
    assert_eq!(lessons(&world), []);
}

#[test]
fn a_refusal_that_stays_is_told_and_never_asked_for_in_a_loop() {
    for (status, message, requests) in [
        (400, "Unsupported parameter: 'stream_options'", 2),
        (422, "stream_options: extra inputs are not permitted", 2),
        (401, "stream_options not supported", 1),
        (402, "stream_options not supported", 1),
        (403, "stream_options not supported", 1),
        (400, "no such thing", 1),
    ] {
        let world = world(RequestOptions::default(), move |_| {
            Reply::error(
                status,
                &json!({ "error": { "message": message } }).to_string(),
            )
        });
        let session = world.send("Hello");
        let failed = matches!(world.reasons(&session)[..], [StopReason::Failed(_)]);
        assert!(failed, "{message}");
        assert_eq!(world.endpoint.requests().len(), requests, "{message}");
    }
    // However much a host finds to refuse.
    let extra: Vec<String> = (0..40).map(|n| format!("\"field_{n}\": 1")).collect();
    let options = RequestOptions {
        extra_body: format!("{{{}}}", extra.join(",")),
        ..RequestOptions::default()
    };
    let world = world(options, |body| {
        let mut fields = body.as_object().unwrap().keys();
        match fields.find(|name| name.starts_with("field_")) {
            Some(name) => refusal(&format!("unknown field '{name}'")),
            None => Reply::text("Hi"),
        }
    });
    let session = world.send("Hello");
    assert!(matches!(
        world.reasons(&session)[..],
        [StopReason::Failed(_)]
    ));
    assert_eq!(world.endpoint.requests().len(), 9);
}

/// A template that knows no role but those of user and model.
fn without_system(body: &Json) -> Reply {
    match body["messages"][0]["role"] == "system" {
        true => refusal("System role not supported"),
        false => Reply::text("Hi"),
    }
}

#[test]
fn a_template_without_a_role_for_the_system_gets_its_words_in_front_of_the_task() {
    let world = world(RequestOptions::default(), without_system);
    let session = world.send("Hello");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(lessons(&world), [Refused::System]);
    assert_eq!(told(&world), [Refused::System]);
    world.handle(task(Some(session), "Again"));
    let requests = world.endpoint.requests();
    assert_eq!(requests.len(), 3, "it is refused once");
    let first = |sent: &Sent| sent.body["messages"][0].clone();
    let system = first(&requests[0])["content"].as_str().unwrap().to_owned();
    for sent in &requests[1..] {
        assert_eq!(
            first(sent),
            json!({ "role": "user", "content": format!("{system}\n\nHello") })
        );
    }
    assert_eq!(requests[2].body["messages"][2]["content"], "Again");
}

/// The answer of a host that does not stream.
fn whole(message: Json) -> Reply {
    let body = json!({
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 2 },
    });
    Reply::error(200, &body.to_string())
}

fn list_dir(id: &str) -> Json {
    json!({ "role": "assistant", "content": null, "tool_calls": [
        { "id": id, "type": "function", "function": { "name": "list_dir", "arguments": "{}" } },
    ] })
}

fn is_worked(body: &Json) -> bool {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().any(|message| message["role"] == "tool")
}

#[test]
fn a_host_that_can_not_stream_is_asked_for_whole_answers() {
    let script = |body: &Json| match (body["stream"].as_bool(), is_worked(body)) {
        (Some(true), _) => refusal("This model does not support streaming."),
        (_, false) => whole(list_dir("call_1")),
        (_, true) => whole(json!({ "role": "assistant", "content": "Empty." })),
    };
    for (delivery, requests) in [(Delivery::Streamed, 3), (Delivery::Whole, 2)] {
        let options = RequestOptions {
            delivery,
            ..RequestOptions::default()
        };
        let world = world(options, script);
        let session = world.send("What is here?");
        assert_eq!(world.reasons(&session), [StopReason::Completed]);
        assert_eq!(world.endpoint.requests().len(), requests);
        let last = world.endpoint.requests().pop().unwrap();
        assert_eq!(last.body["stream"], false);
        assert!(last.body.get("stream_options").is_none());
    }
    // And the other way round.
    let options = RequestOptions {
        delivery: Delivery::Whole,
        ..RequestOptions::default()
    };
    let world = world(options, |body| match body["stream"].as_bool() {
        Some(true) => Reply::text("Hi"),
        _ => refusal("This model only support stream mode, please enable the stream parameter."),
    });
    let session = world.send("Hello");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(lessons(&world), [Refused::Whole]);
}

const NO_TOOLS: &str = "registry.example/library/tiny:1b does not support tools";

#[test]
fn a_model_without_tools_is_asked_without_them_and_told_so() {
    let world = world(RequestOptions::default(), |body| {
        match body.get("tools").is_some() {
            true => refusal(NO_TOOLS),
            false => Reply::text("I can't look."),
        }
    });
    let session = world.send("What is here?");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(told(&world), [Refused::Tools]);
    let requests = world.endpoint.requests();
    assert_eq!(requests.len(), 2);
    let system = requests[1].body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("# No tools"), "{system}");
}

#[test]
fn work_under_way_does_not_go_on_without_tools() {
    let world = world(RequestOptions::default(), |body| match is_worked(body) {
        true => refusal(NO_TOOLS),
        false => Reply::calls(&[("list_dir", json!({}))]),
    });
    let session = world.send("What is here?");
    match world.reasons(&session).pop() {
        Some(StopReason::Failed(failure)) => {
            assert_eq!(failure.kind, FailureKind::ToolsUnsupported);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(lessons(&world), []);
}

#[test]
fn calls_in_words_work_where_the_option_is_on() {
    let say = |text: &str| Reply::text(text);
    let options = RequestOptions {
        text_calls: true,
        ..RequestOptions::default()
    };
    let world = world(options, move |body| {
        if body.get("tools").is_some() {
            return refusal(NO_TOOLS);
        }
        let messages = body["messages"].as_array().unwrap();
        match messages.len() {
            2 => say(
                "I write it.\n<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.md\", \"content\": \"x\"}}\n</tool_call>",
            ),
            _ => say("Done."),
        }
    });
    let session = world.send("Write a.md");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(world.file("a.md").as_deref(), Some("x"));
    let messages = world.endpoint.last_messages();
    let texts: Vec<&str> = messages
        .iter()
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert!(texts[0].contains("- write_file: "), "{}", texts[0]);
    assert!(
        texts[2].starts_with("I write it.\n\n<tool_call>"),
        "{}",
        texts[2]
    );
    assert!(
        texts[3].starts_with("<tool_response name=\"write_file\">\n"),
        "{}",
        texts[3]
    );
    assert_eq!(messages[3]["role"], "user");
    assert!(
        messages
            .iter()
            .all(|message| message.get("tool_calls").is_none())
    );
}

#[test]
fn calls_in_words_stay_words_where_the_option_is_off() {
    let text = "<tool_call>{\"name\": \"list_dir\", \"arguments\": {}}</tool_call>";
    let world = world(RequestOptions::default(), move |_| Reply::text(text));
    let session = world.send("How does a call look?");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!(world.endpoint.requests().len(), 1);
}

#[test]
fn a_last_word_is_had_from_a_host_that_wants_tools_beside_calls() {
    let world = world(RequestOptions::default(), |body| {
        let has_calls = body["messages"].to_string().contains("\"tool_calls\"");
        match (body.get("tools").is_some(), has_calls) {
            (true, _) => Reply::calls(&[("list_dir", json!({}))]),
            (false, true) => refusal(
                "Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param",
            ),
            (false, false) => Reply::text("This is where it stands."),
        }
    });
    world.handle(Command::Send {
        session: None,
        text: "Look".into(),
        mode: Mode::Act,
        rounds: Some(1),
    });
    let session = world.session();
    assert_eq!(
        world.reasons(&session),
        [StopReason::RoundLimit { limit: 1 }]
    );
    let records = format!("{:?}", world.records(&session));
    assert!(records.contains("This is where it stands."), "{records}");
}
