//! Several endpoints: each with its key, its model and what is known of it; a session
//! keeps the one that was chosen for it.

mod support;

use std::rc::Rc;

use serde_json::json;
use support::endpoint::Reply;
use support::{World, draft, task};
use tabloop::kernel::settings::{ModelChoice, ProfileDraft};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::store::{Batch, Change, Key, Store, Table, Value};
use tabloop::protocol::{Access, Command};

const OTHER_URL: &str = "https://other.example/v1";
const OTHER_KEY: &str = "sk-other-11";

/// A world with two endpoints, of which the second answers in new sessions.
fn two_endpoints(replies: Vec<Reply>) -> (World, ModelChoice, ModelChoice) {
    let world = World::new(replies);
    let first = world.settings().kept.choice.unwrap();
    world.save(None, draft(OTHER_URL, OTHER_KEY, "other-model"));
    let second = world.settings().kept.choice.unwrap();
    (world, first, second)
}

/// Whom each request went to: host, key, model.
fn asked(world: &World) -> Vec<(String, String, String)> {
    let requests = world.endpoint.requests().into_iter();
    let of_one = requests.map(|sent| {
        let host = sent.url.split('/').nth(2).unwrap_or_default().to_owned();
        let mut headers = sent.headers.into_iter();
        let key = headers.find(|(name, _)| name == "Authorization");
        let model = sent.body["model"].as_str().unwrap_or_default().to_owned();
        (host, key.map_or_else(String::new, |(_, key)| key), model)
    });
    of_one.collect()
}

fn to_first() -> (String, String, String) {
    let key = format!("Bearer {}", support::KEY);
    ("model.example".into(), key, "test-model".into())
}

fn to_second() -> (String, String, String) {
    let key = format!("Bearer {OTHER_KEY}");
    ("other.example".into(), key, "other-model".into())
}

#[test]
fn each_session_asks_the_endpoint_it_was_given_with_that_endpoints_key() {
    let (world, first, second) = two_endpoints(vec![Reply::text("Hi")]);
    let a = world.send("One");
    world.handle(Command::Choose {
        session: None,
        choice: first,
    });
    let b = world.send("Two");
    world.handle(task(Some(a.clone()), "Three"));
    world.handle(Command::Choose {
        session: Some(b.clone()),
        choice: second,
    });
    world.handle(task(Some(b), "Four"));
    assert_eq!(
        asked(&world),
        [to_second(), to_first(), to_second(), to_second()]
    );
}

#[test]
fn a_choice_made_during_a_run_counts_from_the_next_one_and_survives_a_reload() {
    let replies = vec![
        Reply::calls(&[("list_dir", json!({}))]),
        Reply::text("Done"),
        Reply::text("Hi"),
    ];
    let (world, first, _) = two_endpoints(replies);
    world.endpoint.delay_ms.set(10);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    let mut run = world.start(task(None, "One"));
    assert!(!run.settle());
    let id = world.session();
    world.handle(Command::Choose {
        session: Some(id.clone()),
        choice: first.clone(),
    });
    run.finish();
    assert_eq!(asked(&world), [to_second(), to_second()]);
    assert_eq!(world.state(&id).choice, Some(first));
    let heir = World::over(
        Rc::clone(&world.store),
        vec![Reply::text("Hi")],
        Access::Writer,
    );
    heir.handle(task(Some(id), "Two"));
    assert_eq!(asked(&heir), [to_first()]);
}

#[test]
fn an_endpoint_that_is_removed_takes_its_key_along() {
    let (world, first, second) = two_endpoints(vec![Reply::text("Hi")]);
    let ModelChoice::Profile { id, .. } = second else {
        panic!("an endpoint was chosen");
    };
    let session = world.send("One");
    world.handle(Command::RemoveProfile(id));
    let settings = world.settings();
    assert_eq!(settings.kept.choice, Some(first));
    assert_eq!(
        (settings.kept.profiles.len(), settings.with_key.len()),
        (1, 1)
    );
    // The session goes on with whoever is left.
    world.handle(task(Some(session), "Two"));
    assert_eq!(asked(&world), [to_second(), to_first()]);
}

#[test]
fn a_key_does_not_follow_an_address_to_another_host() {
    let world = World::new(vec![Reply::text("Hi")]);
    let id = world.settings().kept.profiles[0].id.clone();
    let moved = ProfileDraft {
        key: None,
        ..draft("https://else.example/v1", "", "m")
    };
    world.save(Some(&id), moved);
    let settings = world.settings();
    assert_eq!(
        (settings.kept.profiles.len(), settings.with_key.len()),
        (1, 0)
    );
    world.send("One");
    let (host, key, _) = asked(&world).remove(0);
    assert_eq!((host.as_str(), key.as_str()), ("else.example", ""));
}

#[test]
fn window_and_prices_belong_to_the_model() {
    let (world, first, second) = two_endpoints(vec![Reply::text("Hi")]);
    world.limits(|limits| {
        limits.window = 9_000;
        limits.rounds = 7;
        limits.second_model = "cheap".into();
    });
    let kept = world.settings().kept;
    let of_second = kept.limits_for(Some(&second));
    let of_first = kept.limits_for(Some(&first));
    assert_eq!(
        (
            of_second.window,
            of_second.rounds,
            of_second.second_model.as_str()
        ),
        (9_000, 7, "cheap")
    );
    assert_eq!(
        (
            of_first.window,
            of_first.rounds,
            of_first.second_model.as_str()
        ),
        (128_000, 7, "")
    );
}

#[test]
fn the_endpoint_of_an_earlier_version_is_taken_over() {
    let store = Rc::new(MemoryStore::default());
    let old = r#"{"model":{"Endpoint":{"base_url":"https://model.example/v1","model":"test-model","uses_key":false}},"limits":{"window":9000,"second_model":"cheap"}}"#;
    let put = Change::Put(
        Table::Settings,
        Key::new(["settings".into()]),
        Value::Json(old.into()),
    );
    support::block_on(store.apply(Batch::of(vec![put]))).unwrap();
    let world = World::over(store, vec![Reply::text("Hi")], Access::Writer);
    let kept = world.settings().kept;
    let limits = kept.limits_for(kept.choice.as_ref());
    assert_eq!(
        (limits.window, limits.second_model.as_str()),
        (9_000, "cheap")
    );
    world.send("One");
    assert_eq!(asked(&world)[0].2, "test-model");
}

#[test]
fn a_model_that_is_renamed_in_its_endpoint_is_so_in_the_sessions_that_asked_it() {
    let world = World::new(vec![Reply::text("Hi")]);
    let profile = world.settings().kept.profiles.remove(0);
    let a = world.send("One");
    let b = world.send("Two");
    world.handle(Command::Choose {
        session: Some(b.clone()),
        choice: ModelChoice::Profile {
            id: profile.id.clone(),
            model: "chosen".into(),
        },
    });
    let corrected = ProfileDraft {
        key: None,
        ..draft(support::BASE_URL, "", "corrected")
    };
    world.save(Some(&profile.id), corrected);
    world.handle(task(Some(a), "Three"));
    world.handle(task(Some(b), "Four"));
    let models: Vec<String> = asked(&world)
        .into_iter()
        .map(|(_, _, model)| model)
        .collect();
    assert_eq!(models, ["test-model", "test-model", "corrected", "chosen"]);
}
