//! The models that an endpoint has: asked for as the profile says, read in every shape
//! hosts give, and what they tell of windows and prices put to use.

mod support;

use serde_json::{Value as Json, json};
use support::endpoint::Reply;
use support::{KEY, World, draft};
use tabloop::kernel::event::{Failure, FailureKind};
use tabloop::kernel::model::models::read;
use tabloop::kernel::settings::{
    DEFAULT_WINDOW, FactsSource, ModelChoice, ModelFacts, Problem, ProfileDraft, RequestOptions,
};
use tabloop::protocol::{Command, Event, Field, ListedModel, ModelList};

/// What is read, as `name window in cached out`.
fn check(json: Json, expected: &[&str]) {
    let models = read(json.to_string().as_bytes()).expect("a list");
    let told = |facts: &ModelFacts| {
        let figures = [
            facts.window,
            facts.price_in,
            facts.price_cached,
            facts.price_out,
        ];
        let figures = figures.map(|figure| figure.to_string()).join(" ");
        format!("{} {figures}", facts.model)
    };
    assert_eq!(models.iter().map(told).collect::<Vec<_>>(), expected);
}

#[test]
fn lists_are_read_in_every_shape_in_use() {
    let plain = ["a 0 0 0 0", "b 0 0 0 0"];
    check(
        json!({ "object": "list", "data": [{ "id": "b", "object": "model" }, { "id": "a", "owned_by": "x" }] }),
        &plain,
    );
    check(json!([{ "id": "b" }, { "id": "a" }]), &plain);
    check(
        json!({ "models": [{ "name": "b" }, { "name": "a" }] }),
        &plain,
    );
    check(json!({ "models": ["b", "a"] }), &plain);
    check(json!(["b", "a"]), &plain);
    check(json!({ "data": [] }), &[]);
    for json in [
        json!({}),
        json!(null),
        json!("a"),
        json!({ "data": "a" }),
        json!({ "error": { "message": "no" } }),
    ] {
        assert_eq!(read(json.to_string().as_bytes()), None, "{json}");
    }
}

#[test]
fn windows_and_prices_are_read_where_a_host_tells_them() {
    check(
        json!({ "data": [
            { "id": "openrouter", "name": "A long name", "context_length": 131_072,
              "pricing": { "prompt": "0.0000004", "completion": "0.0000016", "input_cache_read": "0.0000001" } },
            { "id": "groq", "context_window": 32_768 },
            { "id": "vllm", "max_model_len": 8_192, "context_length": null },
            { "id": "mistral", "max_context_length": 40_000 },
            { "id": "free", "pricing": { "prompt": "0", "completion": "0" } },
            { "id": "odd", "context_length": "much", "pricing": { "prompt": "-1", "completion": 3 } },
            { "id": "absurd", "context_length": 1e30, "pricing": { "completion": "99" } },
            { "id": "tiny", "max_model_len": 5 },
            { "id": "llama", "meta": { "n_ctx_train": 131_072, "n_ctx": 16_384, "n_vocab": 49_152 } },
            { "id": "older-llama", "meta": { "n_ctx_train": 131_072 } },
        ] }),
        &[
            "absurd 0 0 0 0",
            "free 0 0 0 0",
            "groq 32768 0 0 0",
            "llama 16384 0 0 0",
            "mistral 40000 0 0 0",
            "odd 0 0 0 0",
            "older-llama 0 0 0 0",
            "openrouter 131072 4000 1000 16000",
            "tiny 0 0 0 0",
            "vllm 8192 0 0 0",
        ],
    );
}

#[test]
fn junk_and_duplicates_are_dropped() {
    let long = "x".repeat(201);
    check(
        json!([
            { "id": "b", "context_length": 9_000 }, { "id": "b", "context_length": 5_000 }, "B", " c ",
            "", "  ", "a\nb", long, 7, null, [], {}, { "id": 7, "name": "d" }, { "id": null }, "e\u{202e}",
        ]),
        &[
            "B 0 0 0 0",
            "b 9000 0 0 0",
            "c 0 0 0 0",
            "d 0 0 0 0",
            "e\u{202e} 0 0 0 0",
        ],
    );
}

/// A body that is no stream of events.
fn body(json: &Json) -> Reply {
    Reply::error(200, &json.to_string())
}

fn of(world: &World) -> Option<String> {
    Some(world.settings().kept.profiles[0].id.clone())
}

fn list(world: &World, id: Option<String>, draft: Option<ProfileDraft>) -> ModelList {
    world.handle(Command::ListModels { id, draft });
    match world.events.borrow().last() {
        Some(Event::ModelsListed { list, .. }) => list.clone(),
        other => panic!("a list is told, not {other:?}"),
    }
}

fn names(list: ModelList) -> Vec<String> {
    match list {
        ModelList::Models(models) => models.into_iter().map(|model| model.name).collect(),
        ModelList::Failed(failure) => panic!("{failure:?}"),
    }
}

fn failure(list: ModelList) -> Failure {
    match list {
        ModelList::Failed(failure) => failure,
        ModelList::Models(models) => panic!("{models:?}"),
    }
}

/// The value of a header of what was got last.
fn header(world: &World, name: &str) -> Option<String> {
    let (_, headers) = world.endpoint.got().pop()?;
    let mut headers = headers.into_iter();
    Some(headers.find(|(given, _)| given == name)?.1)
}

#[test]
fn a_kept_endpoint_is_asked_with_its_key() {
    let world = World::new(vec![]);
    world.endpoint.add_list(body(
        &json!({ "data": [{ "id": "m", "context_length": 9_000 }] }),
    ));
    let listed = list(&world, of(&world), None);
    let expected = ListedModel {
        name: "m".into(),
        window: 9_000,
    };
    assert_eq!(listed, ModelList::Models(vec![expected]));
    let (url, _) = world.endpoint.got().remove(0);
    assert_eq!(url, "https://model.example/v1/models");
    let bearer = format!("Bearer {KEY}");
    assert_eq!(header(&world, "Authorization"), Some(bearer));
    // One more would have to be allowed by the host.
    assert_eq!(header(&world, "Content-Type"), None);
}

#[test]
fn what_stands_in_the_form_is_asked_and_a_kept_key_stays_with_its_host() {
    let world = World::new(vec![]);
    for _ in 0..3 {
        world.endpoint.add_list(body(&json!(["m"])));
    }
    let typed = draft("https://new.example/v1/", "sk-new-1", "");
    assert_eq!(names(list(&world, None, Some(typed))), ["m"]);
    assert_eq!(world.endpoint.got()[0].0, "https://new.example/v1/models");
    assert_eq!(header(&world, "Authorization").unwrap(), "Bearer sk-new-1");

    let unchanged = |base_url: &str| ProfileDraft {
        key: None,
        ..draft(base_url, "", "")
    };
    list(&world, of(&world), Some(unchanged(support::BASE_URL)));
    let bearer = format!("Bearer {KEY}");
    assert_eq!(header(&world, "Authorization"), Some(bearer));
    let moved = unchanged("https://else.example/v1");
    list(&world, of(&world), Some(moved));
    assert_eq!(header(&world, "Authorization"), None);
}

#[test]
fn a_draft_that_can_not_be_asked_is_refused_field_by_field() {
    let world = World::new(vec![]);
    let bad = ProfileDraft {
        options: Some(RequestOptions {
            headers: vec![("a b".into(), "c".into())],
            ..RequestOptions::default()
        }),
        ..draft("javascript:alert(1)", "clé", "")
    };
    world.handle(Command::ListModels {
        id: None,
        draft: Some(bad),
    });
    let events = world.events.borrow();
    let Some(Event::Refused(problems)) = events.last() else {
        panic!("it is refused");
    };
    assert_eq!(problems[0], (Field::BaseUrl, Problem::NotAnAddress));
    assert_eq!(problems[1], (Field::Key, Problem::BadKey));
    assert_eq!(problems.len(), 3);
    assert_eq!(world.endpoint.got(), []);
}

#[test]
fn an_address_without_its_v1_is_mended() {
    let world = World::new(vec![]);
    world.endpoint.add_list(Reply::error(404, "not here"));
    world.endpoint.add_list(body(&json!(["m"])));
    let typed = draft("https://new.example", "", "");
    assert_eq!(names(list(&world, None, Some(typed))), ["m"]);
    let urls: Vec<String> = world.endpoint.got().into_iter().map(|got| got.0).collect();
    let expected = [
        "https://new.example/models",
        "https://new.example/v1/models",
    ];
    assert_eq!(urls, expected);
}

#[test]
fn why_there_is_no_list_is_told_and_never_the_key() {
    let said = format!("Incorrect API key provided: {KEY}");
    let refused = json!({ "error": { "message": said } }).to_string();
    let huge = Reply::Body {
        status: 200,
        body: vec![b' '; (16 << 20) + 1],
        piece: 1 << 20,
    };
    let replies = [
        (Reply::error(401, &refused), FailureKind::Unauthorized),
        (Reply::error(404, "{}"), FailureKind::NotFound),
        (
            Reply::error(200, "<html>Welcome</html>"),
            FailureKind::BadEndpoint,
        ),
        (
            Reply::error(200, "\u{1f}\u{8b}rubbish"),
            FailureKind::BadEndpoint,
        ),
        (body(&json!({ "ok": true })), FailureKind::BadEndpoint),
        (Reply::Unreachable, FailureKind::Network),
        (
            Reply::Hanging {
                body: b"[\"a\",".to_vec(),
            },
            FailureKind::Idle,
        ),
        (
            Reply::Broken {
                body: b"[\"a\",".to_vec(),
            },
            FailureKind::Truncated,
        ),
        (huge, FailureKind::BadEndpoint),
        (Reply::error(307, ""), FailureKind::BadEndpoint),
    ];
    let world = World::new(vec![]);
    for (reply, kind) in replies {
        world.endpoint.add_list(reply);
        let failure = failure(list(&world, of(&world), None));
        assert_eq!(
            (failure.kind, failure.host.as_str()),
            (kind, "model.example")
        );
        assert!(!failure.detail.contains(KEY), "{}", failure.detail);
    }
}

#[test]
fn an_endpoint_whose_key_was_forgotten_is_not_asked_without_it() {
    let world = World::new(vec![]);
    let id = of(&world);
    world.handle(Command::SaveProfile {
        id: id.clone(),
        draft: draft(support::BASE_URL, KEY, "m"),
    });
    let heir = {
        let (store, endpoint) = (world.store.clone(), world.endpoint.clone());
        let kernel = support::start_without_key(store, endpoint, world.events.clone());
        support::block_on(kernel).unwrap()
    };
    support::block_on(heir.handle(Command::ListModels { id, draft: None }));
    let events = world.events.borrow();
    let Some(Event::ModelsListed { list, .. }) = events.last() else {
        panic!("it is told");
    };
    assert_eq!(failure(list.clone()).kind, FailureKind::Unauthorized);
    assert_eq!(world.endpoint.got(), []);
}

#[test]
fn only_the_answer_to_the_last_question_counts() {
    let world = World::new(vec![]);
    let id = of(&world);
    world.endpoint.add_list(Reply::Hanging {
        body: b"[".to_vec(),
    });
    world.endpoint.add_list(body(&json!(["new"])));
    let ask = Command::ListModels {
        id: id.clone(),
        draft: None,
    };
    let mut first = world.start(ask.clone());
    assert!(!first.settle());
    assert_eq!(names(list(&world, id, None)), ["new"]);
    let told = world.events.borrow().len();
    first.finish();
    assert_eq!(
        world.events.borrow().len(),
        told,
        "the late answer is not told"
    );
}

#[test]
fn a_window_the_host_told_counts_for_the_model_that_is_chosen() {
    let world = World::new(vec![Reply::text("Hi")]);
    let id = of(&world).unwrap();
    let listed = json!({ "data": [{ "id": "small", "max_model_len": 4_096 }, { "id": "plain" }] });
    world.endpoint.add_list(body(&listed));
    list(&world, Some(id.clone()), None);
    for (model, window, source) in [
        ("small", 4_096, FactsSource::Host),
        ("plain", DEFAULT_WINDOW, FactsSource::Unknown),
    ] {
        let choice = ModelChoice::Profile {
            id: id.clone(),
            model: model.into(),
        };
        world.handle(Command::Choose {
            session: None,
            choice: choice.clone(),
        });
        let kept = world.settings().kept;
        assert_eq!(kept.limits_for(Some(&choice)).window, window);
        assert_eq!(kept.profiles[0].source(model), source);
    }
}

#[test]
fn a_list_got_in_the_form_of_a_new_endpoint_serves_it_when_it_is_kept() {
    let world = World::new(vec![]);
    let typed = draft("https://new.example/v1", "", "small");
    world
        .endpoint
        .add_list(body(&json!([{ "id": "small", "context_length": 4_096 }])));
    list(&world, None, Some(typed.clone()));
    world.save(None, typed);
    // At another address the same name means nothing.
    world.save(None, draft("https://third.example/v1", "", "small"));
    let kept = world.settings().kept;
    let windows = kept
        .profiles
        .iter()
        .map(|profile| profile.facts("small").window);
    assert_eq!(
        windows.collect::<Vec<_>>(),
        [DEFAULT_WINDOW, 4_096, DEFAULT_WINDOW]
    );
}
