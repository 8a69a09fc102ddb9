//! Tools as a model uses them: each call a message of its own, through the whole loop.

use serde_json::Value as Json;

use super::World;
use super::endpoint::Reply;
use super::invariants::check_transcript;

/// What the model was told of each call, and the world after the last.
pub fn told(files: &[(&str, &[u8])], calls: &[(&str, Json)]) -> (World, Vec<String>) {
    let one = |(name, args): &(&str, Json)| Reply::calls(&[(*name, args.clone())]);
    let mut replies: Vec<Reply> = calls.iter().map(one).collect();
    replies.push(Reply::text("Done."));
    let world = World::new(replies);
    // What is asked for is tried, however often it fails and however many it is.
    world.limits(|limits| {
        limits.rounds = 500;
    });
    for (path, content) in files {
        world.put_file(path, *content);
    }
    let session = world.send("Go");
    check_transcript(&world.records(&session));
    let results = world.results(&session);
    (world, results)
}

/// What the model was told of one call.
pub fn told_once(files: &[(&str, &[u8])], name: &str, args: Json) -> String {
    let (_, mut results) = told(files, &[(name, args)]);
    results.remove(0)
}

/// The bytes of a file.
pub fn bytes(world: &World, path: &str) -> Option<Vec<u8>> {
    use tabloop::protocol::{Command, Event};
    world.handle(Command::ReadFile(path.into()));
    match world.events.borrow().last() {
        Some(Event::FileBytes { bytes, .. }) => Some(bytes.clone()),
        _ => None,
    }
}
