//! Sessions as files: what is handed out is taken in elsewhere as it was, and a file that is
//! not whole changes nothing.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use support::endpoint::Reply;
use support::{World, task};
use tabloop::kernel::session::portable::{LARGEST, NotTaken};
use tabloop::kernel::session::{Entry, Record};
use tabloop::kernel::store::memory::{Fault, MemoryStore};
use tabloop::kernel::store::{Key, Store, Table};
use tabloop::protocol::{Access, Command, Event, Notice, SessionCommand, SessionEvent};

fn sessions(command: SessionCommand) -> Command {
    Command::Sessions(command)
}

fn write(path: &str, content: &str) -> (&'static str, Json) {
    ("write_file", json!({ "path": path, "content": content }))
}

/// The last file that was handed out.
fn handed_out(world: &World, id: &str) -> Vec<u8> {
    world.handle(sessions(SessionCommand::HandOut(id.to_owned())));
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::FileBytes { bytes, .. } => Some(bytes.clone()),
        _ => None,
    });
    told.unwrap()
}

fn take_in(world: &World, bytes: &[u8]) {
    world.handle(sessions(SessionCommand::TakeIn(bytes.to_vec())));
}

fn begun(world: &World) -> Vec<String> {
    let events = world.events.borrow();
    let told = events.iter().filter_map(|event| match event {
        Event::Sessions(SessionEvent::Begun { id, .. }) => Some(id.clone()),
        _ => None,
    });
    told.collect()
}

fn refused(world: &World) -> Option<NotTaken> {
    let events = world.events.borrow();
    events.iter().rev().find_map(|event| match event {
        Event::Notice(Notice::SessionNotTaken(why)) => Some(*why),
        _ => None,
    })
}

/// A session with two branches, a sub-agent and a result that was cut.
fn rich() -> (World, String) {
    let world = World::new(vec![
        Reply::calls(&[write("long.txt", &"line\n".repeat(30_000))]),
        Reply::calls(&[("read_file", json!({ "path": "long.txt" }))]),
        Reply::calls(&[("task", json!({ "prompt": "Look at it" }))]),
        Reply::text("I looked."),
        Reply::text("All done."),
        Reply::text("Another answer."),
    ]);
    let id = world.send("Go");
    let records = world.records(&id);
    let task = records
        .iter()
        .find(|record| matches!(record.entry, Entry::User { .. }));
    world.endpoint.taken_back.set(true);
    world.handle(sessions(SessionCommand::Fork {
        session: id.clone(),
        task: task.unwrap().seq,
        text: None,
        files: false,
    }));
    (world, id)
}

/// All rows of all sessions but their lines, which tell of the place they are in.
fn rows(store: &MemoryStore) -> Vec<(Key, String)> {
    let tables = [
        Table::Messages,
        Table::Journal,
        Table::Overflow,
        Table::Traces,
    ];
    let rows = tables
        .into_iter()
        .flat_map(|table| support::block_on(store.list(table, Key(Vec::new()))).unwrap());
    rows.map(|(key, value)| (key, format!("{value:?}")))
        .collect()
}

fn fresh() -> World {
    World::over(Default::default(), Vec::new(), Access::Writer)
}

#[test]
fn a_session_that_is_handed_out_is_taken_in_elsewhere_as_it_was() {
    let (world, id) = rich();
    let next = fresh();
    take_in(&next, &handed_out(&world, &id));
    assert_eq!(begun(&next), std::slice::from_ref(&id));
    assert_eq!(rows(&next.store), rows(&world.store));
    let (was, is) = (world.state(&id), next.state(&id));
    assert_eq!(
        (is.title, is.created_ms, is.updated_ms, is.floor),
        (was.title, was.created_ms, was.updated_ms, was.floor)
    );
    // The other branch is there too, and the session can be gone on with.
    let answer = |records: Vec<Record>| {
        records
            .into_iter()
            .rev()
            .find_map(|record| match record.entry {
                Entry::Assistant(message) => Some(message.text),
                _ => None,
            })
    };
    assert_eq!(
        answer(next.records(&id)).as_deref(),
        Some("Another answer.")
    );
    next.handle(Command::OpenSession(id.clone()));
    let way = next
        .events
        .borrow()
        .iter()
        .rev()
        .find_map(|event| match event {
            Event::SessionOpened { forks, .. } => forks[0].ways[0],
            _ => None,
        });
    next.handle(sessions(SessionCommand::Switch {
        session: id.clone(),
        branch: way.unwrap(),
    }));
    assert_eq!(answer(next.records(&id)).as_deref(), Some("All done."));
    next.connect();
    next.endpoint.add(Reply::text("On it."));
    next.handle(task(Some(id.clone()), "More"));
    assert_eq!(answer(next.records(&id)).as_deref(), Some("On it."));
}

#[test]
fn taken_in_twice_it_is_another_one() {
    let (world, id) = rich();
    let file = handed_out(&world, &id);
    let before = rows(&world.store).len();
    take_in(&world, &file);
    let new = begun(&world).pop().unwrap();
    assert_ne!(new, id);
    assert_eq!(world.records(&new), world.records(&id));
    assert_eq!(rows(&world.store).len(), 2 * before);
}

#[test]
fn what_is_no_whole_session_changes_nothing() {
    let (world, id) = rich();
    let file = handed_out(&world, &id);
    let json: Json = serde_json::from_slice(&file).unwrap();
    let check = |bytes: &[u8], why| {
        let next = fresh();
        let before = next.store.dump();
        take_in(&next, bytes);
        assert_eq!(refused(&next), Some(why));
        assert_eq!(next.store.dump(), before);
        assert!(begun(&next).is_empty());
    };
    let changed = |change: &dyn Fn(&mut Json)| {
        let mut json = json.clone();
        change(&mut json);
        serde_json::to_vec(&json).unwrap()
    };
    check(b"", NotTaken::Broken);
    check(b"{}", NotTaken::Broken);
    check(b"\xff\xfe", NotTaken::Broken);
    for cut in [1, 2, file.len() / 3, file.len() - 3] {
        check(&file[..cut], NotTaken::Broken);
    }
    check(
        &changed(&|json| json["version"] = json!(2)),
        NotTaken::Newer,
    );
    check(
        &changed(&|json| json["version"] = json!(0)),
        NotTaken::Broken,
    );
    check(
        &changed(&|json| json["format"] = json!("tabloop-trace")),
        NotTaken::Broken,
    );
    check(
        &changed(&|json| json["sessions"] = json!([])),
        NotTaken::Broken,
    );
    // Records that are not in order, or are not known.
    check(
        &changed(&|json| {
            json["sessions"][0]["records"]
                .as_array_mut()
                .unwrap()
                .reverse()
        }),
        NotTaken::Broken,
    );
    check(
        &changed(&|json| json["sessions"][0]["records"][0]["entry"] = json!({"Later": 1})),
        NotTaken::Broken,
    );
    check(
        &changed(&|json| json["sessions"][0]["records"][0]["seq"] = json!(u64::MAX)),
        NotTaken::Broken,
    );
    // A sub-agent of nobody, and two of one name.
    check(
        &changed(&|json| drop(json["sessions"].as_array_mut().unwrap().remove(0))),
        NotTaken::Broken,
    );
    check(
        &changed(&|json| {
            let first = json["sessions"][0].clone();
            json["sessions"].as_array_mut().unwrap().push(first);
        }),
        NotTaken::Broken,
    );
    check(&vec![b' '; LARGEST as usize + 1], NotTaken::TooLong);
}

#[test]
fn without_room_nothing_of_it_is_taken_in() {
    let (world, id) = rich();
    let file = handed_out(&world, &id);
    let next = fresh();
    let before = next.store.dump();
    next.store.fail_at(next.store.batches(), Fault::Full);
    take_in(&next, &file);
    assert_eq!(next.store.dump(), before);
    assert!(next.events.borrow().contains(&Event::Notice(Notice::Full)));
    take_in(&next, &file);
    assert_eq!(begun(&next), [id]);
}

#[test]
fn secrets_are_in_no_file() {
    let world = World::new(vec![Reply::text(&format!("Your key is {}.", support::KEY))]);
    world.put_file(".env", "TOKEN=tk-93jf83hf83hf\n");
    let id = world.send("Is tk-93jf83hf83hf mine?");
    let text = String::from_utf8(handed_out(&world, &id)).unwrap();
    assert!(
        !text.contains(support::KEY) && !text.contains("tk-93jf83hf83hf"),
        "{text}"
    );
    take_in(&world, text.as_bytes());
    assert_eq!(begun(&world).len(), 1);

    world.handle(sessions(SessionCommand::ReadOut(id)));
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::Sessions(SessionEvent::ReadOut { title, records, .. }) => Some((title, records)),
        _ => None,
    });
    let (title, records) = told.unwrap();
    assert_eq!(records.len(), world.records(&world.session()).len());
    let told = format!("{title}{records:?}");
    assert!(
        !told.contains(support::KEY) && !told.contains("tk-93jf83hf83hf"),
        "{told}"
    );
}
