//! A twin of the frame in which foreign code runs: the test says in it what it wants.

use std::cell::RefCell;

use serde_json::json;
use tabloop::protocol::{Command, Event, Gone, Order, Parcel, Said};

use super::endpoint::Reply;
use super::invariants::check_transcript;
use super::{Started, World, task};

thread_local! {
    /// The run that the frame belongs to: it goes on whenever something is said.
    static RUN: RefCell<Option<Started>> = const { RefCell::new(None) };
}

/// A world whose model makes one call, then ends.
pub fn world(name: &str, args: serde_json::Value) -> World {
    World::with_sandbox(vec![Reply::calls(&[(name, args)]), Reply::text("Done.")])
}

/// What the kernel wanted of frames.
pub fn orders(world: &World) -> Vec<(u32, Order)> {
    let events = world.events.borrow();
    let orders = events.iter().filter_map(|event| match event {
        Event::Stage { scene, order } => Some((*scene, order.clone())),
        _ => None,
    });
    orders.collect()
}

/// Says a line in the frame `scene`.
#[track_caller]
pub fn say(world: &World, scene: u32, line: serde_json::Value, bytes: &[u8]) {
    let parcel = Parcel {
        text: line.to_string(),
        bytes: bytes.to_vec(),
    };
    let said = Said::Parcel(parcel);
    world.handle(Command::Staged { scene, said });
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run.as_mut() {
            run.settle();
        }
    });
}

pub fn gone(world: &World, scene: u32, gone: Gone) {
    let said = Said::Gone(gone);
    world.handle(Command::Staged { scene, said });
}

/// The kernel's last answer in a frame.
pub fn answer(world: &World) -> (serde_json::Value, Vec<u8>) {
    match orders(world).pop() {
        Some((_, Order::Say(parcel))) => {
            (serde_json::from_str(&parcel.text).unwrap(), parcel.bytes)
        }
        other => panic!("{other:?} is no answer"),
    }
}

/// Runs `play` as the frame, and gives what the model was told.
pub fn told(world: &World, play: impl FnOnce(u32)) -> String {
    RUN.replace(Some(world.start(task(None, "Go"))));
    let (scene, order) = orders(world).pop().expect("a frame is opened");
    assert!(matches!(order, Order::Run { .. } | Order::Show { .. }));
    play(scene);
    RUN.take().unwrap().finish();
    let session = world.session();
    check_transcript(&world.records(&session));
    world.results(&session).remove(0)
}

pub fn done(value: Option<&str>) -> serde_json::Value {
    json!({ "Done": { "value": value } })
}
