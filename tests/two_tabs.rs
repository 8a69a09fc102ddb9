//! Two tabs over one store: one writes, the other follows live and may take over at any
//! moment. The store decides what is so; what tabs tell each other only hints at it.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::LocalBoxFuture;
use serde_json::json;
use support::endpoint::Reply;
use support::invariants::check_transcript;
use support::{World, block_on, settle_on, task};
use tabloop::kernel::approval::ApprovalMode;
use tabloop::kernel::clock::ManualClock;
use tabloop::kernel::event::{AgentEvent, Reply as Answer};
use tabloop::kernel::session::rewind::Extent;
use tabloop::kernel::session::{Entry, Record, Session};
use tabloop::kernel::settings::Settings;
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::store::{Batch, Durability, Store, StoreError};
use tabloop::kernel::tabs::memory::{MemoryChannel, Order, Wire};
use tabloop::kernel::tabs::{ClaimedStore, Hint, Place, Way as Coming, come_to};
use tabloop::kernel::workspace::{
    Committed, Expect, FileChange, Keep, Workspace, WorkspaceError, WorkspacePath,
};
use tabloop::protocol::{
    Access, Command, Event, Freeable, Notice, Snapshot, SpaceCommand, Waiting,
};

/// A tab that may write.
struct Writer {
    world: World,
    claimed: Rc<ClaimedStore>,
    /// How often it was told that it may not any more.
    lost: Rc<Cell<u32>>,
}

#[derive(Clone, Copy)]
enum Claim {
    Inherited,
    Taken,
}

fn writer(store: &Rc<MemoryStore>, wire: &Wire, replies: Vec<Reply>, claim: Claim) -> Writer {
    let lost: Rc<Cell<u32>> = Rc::default();
    let count = Rc::clone(&lost);
    let on_lost = Rc::new(move || count.set(count.get() + 1));
    let (below, channel) = (Rc::clone(store), wire.join());
    let claimed = match claim {
        Claim::Inherited => block_on(ClaimedStore::inherit(below, channel, on_lost)),
        Claim::Taken => block_on(ClaimedStore::take(below, channel, on_lost)),
    };
    let claimed = claimed.unwrap();
    let seen = Rc::clone(&claimed);
    let world = World::beside(Rc::clone(store), seen, replies, Access::Writer);
    Writer {
        world,
        claimed,
        lost,
    }
}

/// A tab that follows.
struct Follower {
    world: World,
    work: LocalBoxFuture<'static, ()>,
}

impl Follower {
    fn new(store: &Rc<MemoryStore>, wire: &Wire) -> Self {
        let seen = Rc::clone(store);
        let world = World::beside(Rc::clone(store), seen, Vec::new(), Access::Reader);
        let (kernel, channel): (_, Rc<MemoryChannel>) = (world.kernel.clone(), wire.join());
        let work = Box::pin(async move { kernel.follow(&*channel).await });
        let mut follower = Self { world, work };
        follower.pass(100);
        follower
    }

    /// Lets time pass, milliseconds.
    fn pass(&mut self, ms: u64) {
        for _ in 0..ms.div_ceil(20) {
            assert!(settle_on(self.work.as_mut()).is_pending());
            self.world.clock.advance(Duration::from_millis(20));
        }
        assert!(settle_on(self.work.as_mut()).is_pending());
    }

    fn open(&self, session: &str) {
        self.world.handle(Command::OpenSession(session.to_owned()));
    }

    fn shown(&self) -> Shown {
        Shown::of(&self.world.events.borrow())
    }
}

/// What a page shows that was told these events.
#[derive(Debug, Default, PartialEq)]
struct Shown {
    files: BTreeMap<String, Option<u64>>,
    sessions: BTreeMap<String, Session>,
    settings: Option<Settings>,
    records: BTreeMap<String, Vec<Record>>,
    queued: Vec<String>,
}

impl Shown {
    fn of(events: &[Event]) -> Self {
        let mut shown = Self::default();
        for event in events.iter().cloned() {
            shown.take(event);
        }
        shown
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Ready(snapshot) => {
                let Snapshot {
                    files,
                    sessions,
                    settings,
                    ..
                } = *snapshot;
                self.files = files.into_iter().map(|row| (row.path, row.size)).collect();
                let lines = sessions.into_iter();
                self.sessions = lines.map(|line| (line.id.clone(), line)).collect();
                self.settings = Some(settings.kept);
            }
            Event::SpaceOpened(snapshot) => {
                let (settings, records) = (self.settings.take(), std::mem::take(&mut self.records));
                self.take(Event::Ready(snapshot));
                (self.settings, self.records) = (settings, records);
            }
            Event::SettingsChanged(settings) => self.settings = Some(settings.kept),
            Event::SessionChanged(line) => drop(self.sessions.insert(line.id.clone(), line)),
            Event::SessionOpened { id, records, .. } => drop(self.records.insert(id, records)),
            Event::Agent {
                session,
                event: AgentEvent::Recorded(record),
            } => {
                let known = self.records.get_mut(&session).expect("it was opened");
                let is_next = known.last().is_none_or(|last| last.seq < record.seq);
                assert!(is_next, "told twice or out of order: {record:?}");
                known.push(record);
            }
            Event::FilesChanged { rows, removed, .. } => {
                removed.iter().for_each(|path| {
                    self.files.remove(path);
                });
                self.files
                    .extend(rows.into_iter().map(|row| (row.path, row.size)));
            }
            Event::Queued { texts, .. } => self.queued = texts,
            Event::SessionsRemoved(ids) => {
                self.sessions.retain(|id, _| !ids.contains(id));
                self.records.retain(|id, _| !ids.contains(id));
            }
            _ => {}
        }
    }
}

/// What a tab shows that is opened now and has these sessions opened.
fn fresh(store: &Rc<MemoryStore>, sessions: &[&str]) -> Shown {
    let seen = Rc::clone(store);
    let world = World::beside(Rc::clone(store), seen, Vec::new(), Access::Reader);
    for id in sessions {
        world.handle(Command::OpenSession((*id).to_owned()));
    }
    Shown::of(&world.events.borrow())
}

fn write(path: &str, content: &str) -> Reply {
    let arguments = json!({ "path": path, "content": content });
    Reply::calls(&[("write_file", arguments)])
}

fn replies() -> Vec<Reply> {
    vec![
        write("a.md", "one"),
        write("b/c.md", "two"),
        Reply::text("Done."),
        write("d.md", "three"),
        Reply::text("Done again."),
        Reply::text("And again."),
    ]
}

/// How hints come through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Prompt,
    Twice,
    Backwards,
    Late,
    Never,
}

/// Everything a user may do, one thing after the other; `then` is called behind each.
fn do_everything(world: &World, mut then: impl FnMut(Option<&str>)) -> String {
    world.connect();
    world.put_file("by-hand.md", "mine");
    then(None);
    let session = world.send("Go");
    then(Some(&session));
    world.handle(task(Some(session.clone()), "More"));
    then(Some(&session));
    let undo = |extent| Command::Undo {
        session: session.clone(),
        seq: None,
        extent,
    };
    world.handle(undo(Extent::Both));
    then(Some(&session));
    world.handle(undo(Extent::Chat));
    then(Some(&session));
    world.handle(Command::Redo(session.clone()));
    then(Some(&session));
    world.endpoint.taken_back.set(true);
    world.limits(|limits| limits.rounds = 77);
    world.handle(task(Some(session.clone()), "Something else"));
    then(Some(&session));
    session
}

#[test]
fn a_follower_shows_what_is_saved_however_hints_come_through() {
    for way in [
        Way::Prompt,
        Way::Twice,
        Way::Backwards,
        Way::Late,
        Way::Never,
    ] {
        let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
        let writer = writer(&store, &wire, replies(), Claim::Inherited);
        let mut follower = Follower::new(&store, &wire);
        let mut is_open = false;
        let session = do_everything(&writer.world, |session| {
            match way {
                Way::Prompt => wire.deliver(1, Order::Told),
                Way::Twice => wire.deliver(2, Order::Told),
                Way::Backwards => wire.deliver(1, Order::Backwards),
                Way::Late | Way::Never => {}
            }
            follower.pass(if way == Way::Never { 3_100 } else { 200 });
            if let (Some(session), false) = (session, is_open) {
                is_open = true;
                follower.open(session);
            }
        });
        match way {
            Way::Late => wire.deliver(1, Order::Told),
            Way::Never => assert!(!wire.waiting().is_empty()),
            _ => assert!(wire.waiting().is_empty()),
        }
        follower.pass(200);
        let shown = follower.shown();
        assert_eq!(shown, fresh(&store, &[&session]), "{way:?}");
        assert_eq!(shown.settings.unwrap().limits.rounds, 77, "{way:?}");
        assert!(shown.files.contains_key("by-hand.md"), "{way:?}");
        assert_eq!(shown.records[&session], writer.world.records(&session));
        assert_eq!(writer.lost.get(), 0);
    }
}

#[test]
fn a_run_is_followed_round_by_round_as_it_is_saved() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let hangs = Reply::Hanging { body: Vec::new() };
    let replies = vec![write("a.md", "one"), write("b.md", "two"), hangs];
    let writer = writer(&store, &wire, replies, Claim::Inherited);
    writer.world.connect();
    let mut follower = Follower::new(&store, &wire);
    let mut run = writer.world.start(task(None, "Go"));
    assert!(!run.settle());
    let session = writer.world.session();
    wire.deliver(1, Order::Told);
    follower.pass(200);
    let line = &follower.shown().sessions[&session];
    assert!(line.running && line.title == "Go");
    assert_eq!(follower.world.file("b.md").as_deref(), Some("two"));

    // A word in between waits for the next round, and is seen to wait.
    follower.open(&session);
    writer.world.handle(Command::Steer {
        session: session.clone(),
        text: "Mind the gap".into(),
    });
    wire.deliver(1, Order::Told);
    follower.pass(200);
    let shown = follower.shown();
    assert_eq!(shown.queued, ["Mind the gap"]);
    let results = |shown: &Shown| {
        let records = shown.records[&session].iter();
        let is_result = |record: &&Record| matches!(record.entry, Entry::ToolResult(_));
        records.filter(is_result).count()
    };
    assert_eq!(results(&shown), 2);
    writer.world.handle(Command::Stop(session.clone()));
    run.finish();
    wire.deliver(1, Order::Told);
    follower.pass(200);
    let shown = follower.shown();
    assert_eq!(shown.records[&session], writer.world.records(&session));
    assert!(!shown.sessions[&session].running);
}

/// The runs that a page was told last to wait for an answer.
fn waiting(world: &World) -> Vec<Waiting> {
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::Waiting(waiting) => Some(waiting.clone()),
        _ => None,
    });
    told.unwrap_or_default()
}

#[test]
fn a_follower_sees_that_a_run_waits_for_an_answer_in_the_other_tab() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let replies = vec![
        write("a.md", "one"),
        write("b.md", "two"),
        Reply::text("Done."),
    ];
    let writer = writer(&store, &wire, replies, Claim::Inherited);
    writer.world.connect();
    writer.world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    let mut follower = Follower::new(&store, &wire);
    let mut run = writer.world.start(task(None, "Go"));
    assert!(!run.settle());
    let session = writer.world.session();
    let space = "default".to_owned();
    let waits = vec![Waiting { space, session }];
    wire.deliver(1, Order::Told);
    follower.pass(200);
    assert_eq!(waiting(&follower.world), waits);
    // So does one that is opened now; and whoever writes knows it at once.
    assert_eq!(waiting(&Follower::new(&store, &wire).world), waits);
    assert_eq!(waiting(&writer.world), waits);
    writer.world.answer(Answer::No {
        word: String::new(),
    });
    assert!(!run.settle());
    writer.world.answer(Answer::Once);
    run.finish();
    // Without a hint too.
    follower.pass(3_100);
    for world in [&follower.world, &writer.world] {
        assert_eq!(waiting(world), []);
    }
    assert!(!store.dump().contains("waits"));
}

#[test]
fn a_run_that_was_stopped_while_it_asked_waits_no_more() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let writer = writer(&store, &wire, replies(), Claim::Inherited);
    writer.world.connect();
    writer.world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    let mut follower = Follower::new(&store, &wire);
    let mut run = writer.world.start(task(None, "Go"));
    assert!(!run.settle());
    let session = writer.world.session();
    wire.deliver(1, Order::Told);
    follower.pass(200);
    assert_eq!(waiting(&follower.world).len(), 1);
    writer.world.handle(Command::Stop(session));
    run.finish();
    wire.deliver(1, Order::Told);
    follower.pass(200);
    assert_eq!(waiting(&follower.world), []);
    assert!(!store.dump().contains("waits"));
}

#[test]
fn a_follower_has_changes_and_checkpoints_of_the_other_tab() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let writer = writer(&store, &wire, replies(), Claim::Inherited);
    let mut follower = Follower::new(&store, &wire);
    writer.world.connect();
    let session = writer.world.send("Go");
    wire.deliver(1, Order::Told);
    follower.pass(200);
    follower.world.handle(Command::ListCheckpoints);
    let last = follower.world.events.borrow().last().cloned();
    let Some(Event::Checkpoints(checkpoints)) = last else {
        panic!("{last:?}");
    };
    assert_eq!(checkpoints.len(), 2);
    follower.world.handle(Command::ListChanges {
        since: tabloop::protocol::Since::Session(session),
        from: Some(0),
    });
    let last = follower.world.events.borrow().last().cloned();
    let Some(Event::ChangesListed(changes)) = last else {
        panic!("{last:?}");
    };
    let paths: Vec<&str> = changes.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["a.md", "b/c.md"]);
}

#[test]
fn a_follower_looks_where_it_likes_until_that_workspace_is_deleted() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let writer = writer(&store, &wire, replies(), Claim::Inherited);
    writer.world.put_file("first.md", "1");
    let mut follower = Follower::new(&store, &wire);
    let act = |world: &World, command| world.handle(Command::Spaces(command));
    act(&writer.world, SpaceCommand::Create("Other".into()));
    writer.world.put_file("other.md", "2");
    wire.deliver(1, Order::Told);
    follower.pass(200);
    let files = |follower: &Follower| follower.shown().files.into_keys().collect::<Vec<_>>();
    assert_eq!(files(&follower), ["first.md"]);
    let last = follower
        .world
        .events
        .borrow()
        .iter()
        .rev()
        .find_map(|event| match event {
            Event::SpacesChanged(spaces) => Some(spaces.clone()),
            _ => None,
        });
    let other = last.expect("it is told").all.pop().unwrap();
    assert_eq!(other.name, "Other");
    act(&follower.world, SpaceCommand::Open(other.id.clone()));
    assert_eq!(files(&follower), ["other.md"]);
    writer.world.put_file("more.md", "3");
    wire.deliver(1, Order::Told);
    follower.pass(200);
    assert_eq!(files(&follower), ["more.md", "other.md"]);
    act(&writer.world, SpaceCommand::Delete(other.id));
    wire.deliver(1, Order::Told);
    follower.pass(200);
    assert_eq!(files(&follower), ["first.md"]);
    assert_eq!(follower.world.file("first.md").as_deref(), Some("1"));
}

#[test]
fn sessions_that_were_removed_go_from_the_list_of_a_follower() {
    for hinted in [true, false] {
        let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
        let all = vec![Reply::text("One."), Reply::text("Two.")];
        let writer = writer(&store, &wire, all, Claim::Inherited);
        writer.world.connect();
        let first = writer.world.send("First");
        writer.world.endpoint.taken_back.set(true);
        let second = writer.world.send("Second");
        let mut follower = Follower::new(&store, &wire);
        follower.open(&first);
        let command = Command::Free(Freeable::Session(first.clone()));
        writer.world.handle(command);
        if hinted {
            wire.deliver(1, Order::Told);
        }
        follower.pass(if hinted { 200 } else { 3_100 });
        let shown = follower.shown();
        let listed: Vec<&String> = shown.sessions.keys().collect();
        assert_eq!(listed, [&second], "{hinted}");
        assert!(!shown.records.contains_key(&first));
        assert_eq!(follower.world.kernel.session_ids(), [second]);
        let told = Event::SessionsRemoved(vec![first]);
        let events = follower.world.events.borrow();
        assert_eq!(events.iter().filter(|event| **event == told).count(), 1);
    }
}

#[test]
fn hints_name_what_was_saved_and_nothing_is_told_of_what_was_not() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let writer = writer(&store, &wire, replies(), Claim::Inherited);
    writer.world.connect();
    writer.world.put_file("a.md", "x");
    let told: Vec<Hint> = wire.waiting().concat();
    assert_eq!(told, [Hint::Settings, Hint::Files("default".into())]);
    let session = writer.world.send("Go");
    assert!(wire.waiting().concat().contains(&Hint::Session(session)));
    let before = wire.waiting().len();
    let fault = tabloop::kernel::store::memory::Fault::Full;
    store.fail_at(store.batches(), fault);
    writer.world.put_file("b.md", "x");
    assert_eq!(wire.waiting().len(), before);
}

/// Ten rounds would do no more: calls that write, read and depend on each other.
fn long_replies() -> Vec<Reply> {
    let append = |text: &str| ("append_file", json!({ "path": "log", "content": text }));
    let read = || ("read_file", json!({ "path": "log" }));
    vec![
        Reply::calls(&[append("1"), ("list_dir", json!({})), append("2")]),
        Reply::calls(&[read()]),
        Reply::calls(&[append("3"), append("4")]),
        Reply::text("Done."),
    ]
}

/// What the model said and what it was told.
fn told(records: &[Record]) -> Vec<String> {
    let line = |record: &Record| match &record.entry {
        Entry::Assistant(message) => Some(format!("{} {}", message.text, message.calls.len())),
        Entry::ToolResult(result) => Some(result.text.clone()),
        Entry::Stopped(ending) => Some(ending.reason.name().to_owned()),
        _ => None,
    };
    records.iter().filter_map(line).collect()
}

#[test]
fn taken_over_at_any_step_of_a_run_nothing_is_lost_or_done_twice() {
    let whole = World::new(long_replies());
    let session = whole.send("Go");
    let expected = told(&whole.records(&session));
    assert_eq!(whole.file("log").as_deref(), Some("1234"));
    for steps in 1.. {
        let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
        let first = writer(&store, &wire, long_replies(), Claim::Inherited);
        first.world.connect();
        let mut run = first.world.start_slowly(task(None, "Go"));
        let mut context = Context::from_waker(futures::task::noop_waker_ref());
        if (0..steps).any(|_| run.as_mut().poll(&mut context) == Poll::Ready(())) {
            assert!(steps > 100, "the run has many steps: {steps}");
            break;
        }
        let Some(session) = first.world.known_session() else {
            continue;
        };
        let answered = first.world.records(&session);
        let is_message = |record: &&Record| matches!(record.entry, Entry::Assistant(_));
        let answered = answered.iter().filter(is_message).count();
        let rest = long_replies().split_off(answered.min(3));
        let second = writer(&store, &wire, rest, Claim::Taken);
        second.world.endpoint.goes_on_from(&first.world.endpoint);

        // The first was frozen and wakes up, unaware: it goes on with its run to its end, and
        // its user saves a file. None of it comes into the store.
        let before = store.dump();
        support::run_on(&first.world.clock, run);
        first.world.put_file("late.md", "too late");
        assert_eq!(store.dump(), before, "after {steps} steps");
        assert_eq!(first.lost.get(), 1, "after {steps} steps");
        let is_not_saved = |event: &Event| matches!(event, Event::Notice(Notice::Imported(report)) if !report.left_out.is_empty());
        assert!(first.world.events.borrow().iter().any(is_not_saved));

        if second.world.records(&session).is_empty() {
            continue;
        }
        if second.world.reasons(&session).is_empty() {
            assert!(second.world.state(&session).interrupted);
            second.world.handle(Command::Continue(session.clone()));
        }
        let records = second.world.records(&session);
        check_transcript(&records);
        assert_eq!(told(&records), expected, "after {steps} steps");
        second.world.put_file("meanwhile.md", "mine");
        assert_eq!(second.world.file("log").as_deref(), Some("1234"));
        assert_eq!(second.world.file("meanwhile.md").as_deref(), Some("mine"));
        assert_eq!(second.lost.get(), 0);
    }
}

#[test]
fn who_was_taken_over_finds_out_by_the_hint_or_by_the_next_thing_it_saves() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let first = writer(&store, &wire, replies(), Claim::Inherited);
    block_on(first.claimed.look());
    assert_eq!(first.lost.get(), 0, "nobody has taken anything");
    let second = writer(&store, &wire, replies(), Claim::Taken);
    assert!(wire.waiting().concat().contains(&Hint::TakenOver));
    block_on(first.claimed.look());
    block_on(first.claimed.look());
    assert_eq!(first.lost.get(), 1, "it is told once");

    let third = writer(&store, &wire, replies(), Claim::Taken);
    second.world.connect();
    assert_eq!(second.lost.get(), 1);
    third.world.connect();
    assert_eq!(third.lost.get(), 0);
    // Who comes after the last one has ended goes on under its claim.
    drop(third);
    let fourth = writer(&store, &wire, replies(), Claim::Inherited);
    fourth.world.put_file("a.md", "x");
    assert_eq!(fourth.world.file("a.md").as_deref(), Some("x"));
    assert_eq!(fourth.lost.get(), 0);
}

/// A commit of one file and nothing else, as saving it in the editor makes.
fn commit(workspace: &Workspace, name: &str) -> Result<Committed, WorkspaceError> {
    let change = FileChange::Write {
        path: WorkspacePath::parse_file(name).unwrap(),
        content: name.as_bytes().into(),
        expect: Expect::Anything,
    };
    block_on(workspace.commit(&[change], Vec::new(), Durability::Relaxed))
}

#[test]
fn who_wakes_up_commits_to_no_workspace_whatever_has_become_of_it() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let first = writer(&store, &wire, replies(), Claim::Inherited);
    let open = |id: &str| {
        let (seen, clock) = (Rc::clone(&first.claimed), Rc::new(ManualClock::at(1)));
        block_on(Workspace::open(seen, clock, id)).unwrap()
    };
    let untouched = open("untouched");
    let ids = ["tidied", "deleted", "quiet"];
    let known = ids.map(open);
    for workspace in &known {
        for name in ["a.md", "b.md"] {
            commit(workspace, name).unwrap();
        }
    }
    // A second tab takes over, a third one from it. They tidy one of the workspaces so that
    // nothing of old commits is kept, and remove another.
    for _ in 0..2 {
        let next = writer(&store, &wire, replies(), Claim::Taken);
        let open = |id: &str| {
            let (seen, clock) = (Rc::clone(&next.claimed), Rc::new(ManualClock::at(1)));
            block_on(Workspace::open(seen, clock, id)).unwrap()
        };
        let none = Keep {
            commits: 0,
            bytes: 0,
        };
        let tidied = open("tidied");
        assert_eq!(tidied.nodes().len(), 2, "taking over changed no file");
        block_on(tidied.tidy(none)).unwrap();
        let removal = block_on(open("deleted").removal()).unwrap();
        block_on(next.claimed.apply(Batch::of(removal))).unwrap();
    }
    let before = store.dump();
    for workspace in known.iter().chain([&untouched]) {
        let refused = commit(workspace, "late.md").unwrap_err();
        let id = workspace.id();
        let taken_over = WorkspaceError::Store(StoreError::TakenOver);
        assert_eq!(refused, taken_over, "{id}");
        assert_eq!(store.dump(), before, "{id}");
    }
    assert_eq!(first.lost.get(), 1);
}

/// A tab on its way to a place, over `store`. It is overtaken once it was asked `asked` times
/// whether it is wanted.
fn come(
    store: &Rc<MemoryStore>,
    wire: &Wire,
    way: Coming,
    asked: u32,
) -> Option<Place<MemoryStore>> {
    let left = Cell::new(asked);
    let is_wanted = || {
        let now = left.get();
        left.set(now.saturating_sub(1));
        now > 0
    };
    let open = async { Ok(Rc::clone(store)) };
    let coming = come_to(way, open, wire.join(), Rc::new(|| {}), is_wanted);
    block_on(coming).unwrap()
}

#[test]
fn a_start_that_was_overtaken_goes_no_further() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let first = writer(&store, &wire, replies(), Claim::Inherited);
    first.world.put_file("a.md", "1");
    // Overtaken while the database was opened: the claim stays where it is.
    for way in [
        Coming::Takes,
        Coming::Inherits,
        Coming::Follows(Access::Reader),
    ] {
        let before = store.dump();
        assert!(come(&store, &wire, way, 0).is_none(), "{way:?}");
        assert_eq!(store.dump(), before, "{way:?}");
    }
    block_on(first.claimed.look());
    assert_eq!(first.lost.get(), 0);
    first.world.put_file("b.md", "2");
    assert_eq!(first.world.file("b.md").as_deref(), Some("2"));
    // Overtaken while the claim was taken: nobody writes through it.
    assert!(come(&store, &wire, Coming::Takes, 1).is_none());
    assert!(come(&store, &wire, Coming::Inherits, 1).is_none());
    let place = come(&store, &wire, Coming::Takes, 2).unwrap();
    assert_eq!(place.access, Access::Writer);
    assert!(place.claimed.is_some() && place.refused.is_none());
}

#[test]
fn a_tab_that_takes_over_on_a_full_disk_goes_on_following_and_stops_nobody() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let first = writer(&store, &wire, replies(), Claim::Inherited);
    first.world.put_file("a.md", "mine");
    let follower = Follower::new(&store, &wire);
    block_on(follower.world.kernel.could_write()).unwrap();
    let before = store.dump();
    store.set_quota(Some(store.used()));
    // It is seen beforehand, and nothing is done then.
    let could = block_on(follower.world.kernel.could_write());
    assert_eq!(could, Err(StoreError::Full));
    // The disk may get full in between.
    let place = come(&store, &wire, Coming::Takes, 9).unwrap();
    assert_eq!(place.access, Access::Reader);
    assert_eq!(place.refused, Some(StoreError::Full));
    assert_eq!(store.dump(), before, "nothing has changed");
    let after = World::beside(Rc::clone(&store), place.store(), Vec::new(), place.access);
    assert_eq!(after.file("a.md").as_deref(), Some("mine"));
    // Whoever writes goes on, once there is room.
    block_on(first.claimed.look());
    assert_eq!(first.lost.get(), 0);
    store.set_quota(None);
    first.world.put_file("b.md", "more");
    assert_eq!(first.world.file("b.md").as_deref(), Some("more"));
    let place = come(&store, &wire, Coming::Takes, 9).unwrap();
    assert_eq!((place.access, place.refused), (Access::Writer, None));
}

#[test]
fn tabs_that_take_over_from_each_other_again_and_again_lose_no_file() {
    let (store, wire): (Rc<MemoryStore>, Wire) = Default::default();
    let mut kept = Vec::new();
    let mut last: Option<Writer> = None;
    for n in 0..20 {
        let now = writer(&store, &wire, replies(), Claim::Taken);
        if let Some(last) = &last {
            // It does not know yet.
            assert_eq!(last.lost.get(), 0);
            last.world.put_file("lost.md", "x");
            assert_eq!(last.lost.get(), 1);
        }
        let name = format!("{n}.md");
        now.world.put_file(&name, name.clone());
        kept.push(name);
        last = Some(now);
    }
    let shown = fresh(&store, &[]);
    let files: Vec<&String> = shown.files.keys().collect();
    kept.sort();
    assert_eq!(files, kept.iter().collect::<Vec<_>>());
    let last = last.unwrap();
    for name in &kept {
        assert_eq!(last.world.file(name).as_deref(), Some(name.as_str()));
    }
    assert_eq!(last.lost.get(), 0);
}
