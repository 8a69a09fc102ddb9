//! The round limit: one last word without tools, then the user decides.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::World;
use support::endpoint::Reply;
use support::invariants::check_transcript;
use tabloop::kernel::event::StopReason;
use tabloop::kernel::session::Entry;
use tabloop::kernel::settings::{Limit, Problem};
use tabloop::protocol::{Command, Event, Field};

#[test]
fn at_the_limit_the_model_reports_without_tools_and_can_be_let_on() {
    let list = || Reply::calls(&[("list_dir", json!({}))]);
    let world = World::new(vec![
        list(),
        list(),
        Reply::text("Half done."),
        list(),
        Reply::text("All done."),
    ]);
    world.limits(|limits| limits.rounds = 2);
    let session = world.send("Go on and on");
    assert_eq!(
        world.reasons(&session),
        [StopReason::RoundLimit { limit: 2 }]
    );
    let rounds = world
        .records(&session)
        .into_iter()
        .find_map(|record| match record.entry {
            Entry::Stopped(ending) => Some(ending.rounds),
            _ => None,
        });
    assert_eq!(rounds, Some(2), "the report is not counted as a round");
    let requests = world.endpoint.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[1].body.get("tools").is_some());
    assert!(requests[2].body.get("tools").is_none());
    let nudge = requests[2].body["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert!(
        nudge["content"]
            .as_str()
            .unwrap()
            .contains("the limit of 2 rounds is reached"),
        "{nudge}"
    );

    world.handle(Command::Continue(session.clone()));
    assert_eq!(
        world.reasons(&session),
        [StopReason::RoundLimit { limit: 2 }, StopReason::Completed]
    );
    let requests = world.endpoint.requests();
    assert_eq!(requests.len(), 5);
    assert!(requests[3].body.get("tools").is_some());
    check_transcript(&world.records(&session));
}

#[test]
fn calls_in_the_last_word_are_not_run() {
    let write = Reply::calls(&[("append_file", json!({ "path": "log", "content": "x" }))]);
    let world = World::new(vec![write]);
    world.limits(|limits| limits.rounds = 3);
    let session = world.send("Go");
    assert_eq!(
        world.reasons(&session),
        [StopReason::RoundLimit { limit: 3 }]
    );
    assert_eq!(world.file("log").as_deref(), Some("xxx"));
    check_transcript(&world.records(&session));
}

#[test]
fn every_limit_out_of_range_is_refused_at_its_field_and_nothing_is_kept() {
    let world = World::new(vec![Reply::text("Hi")]);
    let kept = world.settings();
    for limit in Limit::ALL {
        let (min, max) = limit.range();
        let wrong = [min.checked_sub(1), Some(max + 1), Some(u32::MAX)];
        for value in wrong.into_iter().flatten() {
            world.limits(|limits| limits.set(limit, value));
            let refused = Event::Refused(vec![(
                Field::Limit(limit),
                Problem::OutOfRange { min, max },
            )]);
            assert_eq!(world.events.borrow().last(), Some(&refused), "{limit:?}");
            assert_eq!(world.settings(), kept, "{limit:?} {value}");
        }
        for value in [min, max] {
            world.limits(|limits| limits.set(limit, value));
            let last = world.events.borrow().last().cloned();
            assert!(
                matches!(last, Some(Event::SettingsChanged(_))),
                "{limit:?} {value}: {last:?}"
            );
        }
        world.limits(|_| {});
    }
}
