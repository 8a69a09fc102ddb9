//! Sessions as a whole: names, pins, the archive, deleting with a way back, searching.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use serde_json::json;
use support::endpoint::{Reply, delta};
use support::{World, settle_on, task};
use tabloop::kernel::session::Session;
use tabloop::kernel::store::memory::{Fault, MemoryStore};
use tabloop::kernel::store::{Batch, Key, Store, StoreError, Table, Value};
use tabloop::protocol::{Access, Command, Event, Found, Notice, SessionCommand, SessionEvent};

fn rename(id: &str, title: &str) -> Command {
    let (id, title) = (id.to_owned(), title.to_owned());
    Command::Sessions(SessionCommand::Rename { id, title })
}

fn pin(id: &str, pinned: bool) -> Command {
    let id = id.to_owned();
    Command::Sessions(SessionCommand::Pin { id, pinned })
}

fn archive(id: &str, archived: bool) -> Command {
    let id = id.to_owned();
    Command::Sessions(SessionCommand::Archive { id, archived })
}

fn delete(id: &str) -> Command {
    Command::Sessions(SessionCommand::Delete(id.to_owned()))
}

fn restore(id: &str) -> Command {
    Command::Sessions(SessionCommand::Restore(id.to_owned()))
}

fn search(words: &str, from: usize) -> Command {
    let words = words.to_owned();
    Command::Sessions(SessionCommand::Search { words, from })
}

fn hanging() -> Reply {
    let body = format!("data: {}\n\n", delta(json!({ "content": "We" })));
    Reply::Hanging {
        body: body.into_bytes(),
    }
}

/// What a kernel that is started over the store tells of all sessions.
fn listed(world: &World) -> Vec<Session> {
    let again = World::over(world.store.clone(), Vec::new(), Access::Writer);
    let events = again.events.borrow();
    let told = events.iter().find_map(|event| match event {
        Event::Ready(snapshot) => Some(snapshot.sessions.clone()),
        _ => None,
    });
    told.unwrap()
}

/// The rows of a session, in all tables.
fn rows(world: &World, id: &str) -> usize {
    let count = |table| {
        let keys = world.store.keys(table, Key::new([id.into()]));
        support::block_on(keys).unwrap().len()
    };
    Table::ALL.into_iter().map(count).sum()
}

fn removed(world: &World) -> Vec<String> {
    let events = world.events.borrow();
    let told = events.iter().filter_map(|event| match event {
        Event::SessionsRemoved(ids) => Some(ids.clone()),
        _ => None,
    });
    told.flatten().collect()
}

fn notices(world: &World) -> Vec<Notice> {
    let events = world.events.borrow();
    let told = events.iter().filter_map(|event| match event {
        Event::Notice(notice) => Some(notice.clone()),
        _ => None,
    });
    told.collect()
}

fn found(world: &World) -> Vec<Found> {
    let events = world.events.borrow();
    let told = events.iter().filter_map(|event| match event {
        Event::Sessions(SessionEvent::Found(found)) => Some(found.clone()),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_session_is_renamed_pinned_and_put_away_for_good() {
    let world = World::new(vec![Reply::text("Done."), Reply::text("Again.")]);
    let id = world.send("Go");
    world.handle(rename(&id, "  Plans\n for 2027 "));
    world.handle(pin(&id, true));
    let state = world.state(&id);
    assert_eq!(
        (state.title.as_str(), state.marks.pinned),
        ("Plans for 2027", true)
    );
    assert_eq!(listed(&world), [state]);

    // A run keeps what was said.
    world.handle(task(Some(id.clone()), "More"));
    assert_eq!(world.state(&id).title, "Plans for 2027");
    world.handle(archive(&id, true));
    let state = world.state(&id);
    assert_eq!((state.marks.pinned, state.marks.archived), (false, true));
    assert_eq!(listed(&world), [state]);
    world.handle(archive(&id, false));
    assert!(!world.state(&id).marks.archived);

    world.handle(rename(&id, "   "));
    assert_eq!(world.state(&id).title, "Plans for 2027");
}

#[test]
fn a_name_given_during_a_run_stays_and_the_run_ends_as_it_would() {
    let world = World::new(vec![hanging()]);
    let mut run = world.start(task(None, "Go"));
    let id = world.session();
    world.handle(rename(&id, "Mine"));
    assert!(world.state(&id).running);
    assert_eq!(world.state(&id).title, "Mine");
    world.handle(Command::Stop(id.clone()));
    assert!(run.settle());
    let state = world.state(&id);
    assert_eq!((state.title.as_str(), state.running), ("Mine", false));
    assert_eq!(listed(&world), [state]);
}

#[test]
fn what_could_not_be_saved_is_not_told_as_done() {
    let world = World::new(vec![Reply::text("Done.")]);
    let id = world.send("Go");
    world.store.fail_at(world.store.batches(), Fault::Full);
    world.handle(rename(&id, "Mine"));
    assert_eq!(notices(&world), [Notice::Full]);
    assert_eq!(world.state(&id).title, "Go");
    world.handle(pin(&id, true));
    assert_eq!(world.state(&id).title, "Go");
}

#[test]
fn a_deleted_session_is_had_back_whole() {
    let world = World::new(vec![Reply::text("Done."), Reply::text("Again.")]);
    let id = world.send("Go");
    let records = world.records(&id);
    let mut deleting = world.start(delete(&id));
    assert_eq!(removed(&world), std::slice::from_ref(&id));
    let told = Notice::SessionDeleted {
        id: id.clone(),
        title: "Go".into(),
    };
    assert_eq!(notices(&world), [told]);
    assert!(rows(&world, &id) > 0);
    // It is not worked in meanwhile.
    world.handle(task(Some(id.clone()), "More"));
    assert_eq!(world.records(&id), records);

    world.handle(restore(&id));
    assert!(!world.state(&id).marks.is_deleted());
    world.clock.advance(Duration::from_secs(120));
    assert!(deleting.settle());
    assert_eq!(world.records(&id), records);
    assert_eq!(listed(&world).len(), 1);
    world.handle(task(Some(id.clone()), "More"));
    assert_eq!(world.reasons(&id).len(), 2);
}

#[test]
fn after_a_while_nothing_of_a_deleted_session_is_left() {
    let world = World::new(vec![Reply::text("Done."), Reply::text("Done.")]);
    let (id, other) = (world.send("Go"), world.send("Stay"));
    let kept = rows(&world, &other);
    let mut deleting = world.start(delete(&id));
    assert!(!deleting.settle());
    assert!(rows(&world, &id) > 0);
    world.clock.advance(Duration::from_secs(60));
    assert!(deleting.settle());
    assert_eq!((rows(&world, &id), rows(&world, &other)), (0, kept));
    world.handle(restore(&id));
    assert_eq!(listed(&world).len(), 1);
}

#[test]
fn a_session_that_was_being_deleted_goes_with_the_next_start() {
    let world = World::new(vec![Reply::text("Done.")]);
    let id = world.send("Go");
    let deleting = world.start(delete(&id));
    drop(deleting);
    let next = World::over(world.store.clone(), Vec::new(), Access::Writer);
    assert!(listed(&next).is_empty());
    assert!(rows(&next, &id) > 0);
    support::run_on(&next.clock, next.kernel.tidy());
    assert_eq!(rows(&next, &id), 0);
}

#[test]
fn deleting_twice_with_a_way_back_between_counts_from_the_second() {
    let world = World::new(vec![Reply::text("Done.")]);
    let id = world.send("Go");
    let mut first = world.start(delete(&id));
    world.clock.advance(Duration::from_secs(30));
    world.handle(restore(&id));
    let mut second = world.start(delete(&id));
    world.clock.advance(Duration::from_secs(40));
    assert!(first.settle() && !second.settle());
    assert!(rows(&world, &id) > 0);
    world.handle(restore(&id));
    world.clock.advance(Duration::from_secs(40));
    assert!(second.settle());
    assert_eq!(listed(&world).len(), 1);
}

#[test]
fn a_session_at_work_is_not_deleted() {
    let world = World::new(vec![hanging()]);
    let mut run = world.start(task(None, "Go"));
    let id = world.session();
    world.handle(delete(&id));
    assert_eq!(notices(&world), [Notice::SessionAtWork]);
    assert!(removed(&world).is_empty());
    world.handle(Command::Stop(id.clone()));
    assert!(run.settle());
    assert_eq!(world.reasons(&id).len(), 1);
}

#[test]
fn words_are_found_in_titles_and_in_what_was_said() {
    let world = World::new(vec![
        Reply::text("The cellar holds **apples**."),
        Reply::text("Nothing."),
        Reply::text("Done."),
    ]);
    let first = world.send("Where is the fruit");
    let second = world.send("Apples, please");
    let third = world.send("Something else");
    world.handle(archive(&third, true));
    world.handle(search("APPLES", 0));
    let page = found(&world).pop().unwrap();
    assert_eq!(
        (page.words.as_str(), page.from, page.next),
        ("APPLES", 0, None)
    );
    let hits = |page: &Found| -> Vec<(String, Option<String>)> {
        let hits = page.hits.iter().map(|hit| {
            let snippet = hit.snippet.as_ref();
            let text = snippet.map(|s| format!("{}[{}]{}", s.before, s.found, s.after));
            (hit.id.clone(), text)
        });
        hits.collect()
    };
    let expected = [
        (second.clone(), None),
        (first, Some("The cellar holds **[apples]**.".to_owned())),
    ];
    assert_eq!(hits(&page), expected);
    // Archived ones are found, deleted ones are not.
    world.handle(search("something", 0));
    assert_eq!(found(&world).pop().unwrap().hits[0].id, third);
    let deleting = world.start(delete(&second));
    world.handle(search("please", 0));
    assert!(found(&world).pop().unwrap().hits.is_empty());
    drop(deleting);
    world.handle(search("  ", 0));
    assert!(found(&world).pop().unwrap().hits.is_empty());
}

#[test]
fn many_hits_come_page_by_page() {
    let world = World::new((0..45).map(|_| Reply::text("Done.")).collect());
    for n in 0..45 {
        world.send(&format!("Task {n}"));
    }
    let (mut all, mut from) = (Vec::new(), 0);
    let mut sizes = Vec::new();
    loop {
        world.handle(search("task", from));
        let page = found(&world).pop().unwrap();
        sizes.push(page.hits.len());
        all.extend(page.hits.into_iter().map(|hit| hit.id));
        match page.next {
            Some(next) => from = next,
            None => break,
        }
    }
    assert_eq!(sizes, [20, 20, 5]);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 45);
}

/// A store that takes its time to read.
struct Slow(Rc<MemoryStore>);

impl Slow {
    /// Comes once again before it is ready.
    async fn pause() {
        let mut is_over = false;
        std::future::poll_fn(|context| match std::mem::replace(&mut is_over, true) {
            true => Poll::Ready(()),
            false => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await;
    }
}

impl Store for Slow {
    fn get(&self, table: Table, key: Key) -> LocalBoxFuture<'_, Result<Option<Value>, StoreError>> {
        self.0.get(table, key)
    }

    fn list(&self, table: Table, prefix: Key) -> LocalBoxFuture<'_, Rows> {
        Box::pin(async move {
            Self::pause().await;
            self.0.list(table, prefix).await
        })
    }

    fn list_after(&self, table: Table, prefix: Key, after: Key) -> LocalBoxFuture<'_, Rows> {
        self.0.list_after(table, prefix, after)
    }

    fn keys(&self, table: Table, prefix: Key) -> LocalBoxFuture<'_, Result<Vec<Key>, StoreError>> {
        self.0.keys(table, prefix)
    }

    fn apply(&self, batch: Batch) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        self.0.apply(batch)
    }

    fn renew(&self) -> LocalBoxFuture<'_, ()> {
        self.0.renew()
    }

    fn flush(&self) {
        self.0.flush();
    }
}

type Rows = Result<Vec<(Key, Value)>, StoreError>;

#[test]
fn a_search_ends_the_one_before() {
    let store: Rc<MemoryStore> = Rc::default();
    let slow = Rc::new(Slow(Rc::clone(&store)));
    let replies = vec![Reply::text("Done."), Reply::text("Done.")];
    let world = World::beside(store, slow, replies, Access::Writer);
    world.connect();
    world.send("One");
    world.send("Two");
    let mut first = world.start_slowly(search("one", 0));
    // It has begun, and waits for what it reads.
    assert!(support::poll_on(first.as_mut()).0.is_pending());
    world.handle(search("two", 0));
    assert!(settle_on(first.as_mut()).is_ready());
    let words: Vec<String> = found(&world).into_iter().map(|page| page.words).collect();
    assert_eq!(words, ["two"]);
}
