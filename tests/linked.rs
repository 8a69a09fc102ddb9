//! A linked folder: both sides become the same, neither loses what it had, and whatever
//! fails on the way is made good the next time.
#![cfg(not(target_arch = "wasm32"))]

#[path = "contract/disk.rs"]
mod contract;
mod support;
#[path = "linked/trouble.rs"]
mod trouble;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use support::endpoint::Reply;
use support::{World, task};
use tabloop::kernel::clock::{ManualClock, Random, SeededRandom};
use tabloop::kernel::link::memory::{Lapse, MemoryDisk};
use tabloop::kernel::link::plan::Block;
use tabloop::kernel::link::{Disk, DiskError};
use tabloop::kernel::store::memory::{Fault, MemoryStore};
use tabloop::protocol::{
    Command, Event, Keep, LinkCommand, LinkState, LinkView, Settling, SpaceCommand, TreeChange,
};

/// A kernel beside a disk, not linked yet.
struct Sides {
    world: World,
    disk: MemoryDisk,
}

impl Sides {
    fn new() -> Self {
        Self::with(MemoryDisk::new, Vec::new())
    }

    fn with(disk: fn(ManualClock) -> MemoryDisk, replies: Vec<Reply>) -> Self {
        let clock = ManualClock::at(1_000_000);
        let disk = disk(clock.clone());
        let store = Rc::new(MemoryStore::default());
        let world = World::beside_disks(store, replies, clock, Rc::new(disk.clone()));
        world.connect();
        Self { world, disk }
    }

    /// As a tab that is loaded anew finds both.
    fn reload(&self) -> Self {
        let clock = self.world.clock.clone();
        let store = Rc::new(self.world.store.snapshot());
        let world = World::beside_disks(store, Vec::new(), clock, Rc::new(self.disk.clone()));
        let disk = self.disk.clone();
        Self { world, disk }
    }

    fn link(&self, folder: &str) -> LinkView {
        self.told(Command::Link(LinkCommand::Begin {
            id: "1".into(),
            name: "site".into(),
            folder: folder.into(),
        }))
    }

    /// Some time passes, then both are made the same.
    fn sync(&self) -> LinkView {
        self.world.clock.advance(Duration::from_secs(10));
        self.told(Command::Link(LinkCommand::Sync))
    }

    fn settle(&self, settling: Settling) -> LinkView {
        self.told(Command::Link(LinkCommand::Settle(settling)))
    }

    fn told(&self, command: Command) -> LinkView {
        self.world.handle(command);
        let events = self.world.events.borrow();
        let told = events.iter().rev().find_map(|event| match event {
            Event::Linked(Some(view)) => Some((**view).clone()),
            _ => None,
        });
        told.expect("the link was told")
    }

    fn write(&self, path: &str, text: &str) {
        self.delete_quietly(path);
        self.world.handle(Command::SaveFile {
            path: path.into(),
            content: text.into(),
            base: None,
        });
    }

    fn delete_quietly(&self, path: &str) {
        let change = TreeChange::Delete(path.into());
        self.world.handle(Command::ChangeTree(change));
    }

    /// The workspace's files.
    fn here(&self) -> BTreeMap<String, Vec<u8>> {
        let paths = support::archives::paths(&self.world);
        let files = paths.into_iter().filter(|path| !path.ends_with('/'));
        let file = |path: String| {
            let content = support::archives::bytes(&self.world, &path);
            (path, content)
        };
        files.map(file).collect()
    }
}

fn files(list: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    let file = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
    list.iter().map(file).collect()
}

#[test]
fn the_disk_in_memory_keeps_the_contract() {
    let open = async || {
        let disk = MemoryDisk::new(ManualClock::at(1_000_000));
        Rc::new(disk) as Rc<dyn Disk>
    };
    support::block_on(contract::check_all(open));
}

#[test]
fn both_sides_get_what_the_other_has_and_then_what_it_changes() {
    let sides = Sides::new();
    sides.write("a.txt", "mine");
    sides.disk.put("deep/b.txt", "theirs");
    let view = sides.link("");
    assert_eq!(view.state, LinkState::InSync);
    let both = files(&[("a.txt", "mine"), ("deep/b.txt", "theirs")]);
    assert_eq!((sides.here(), sides.disk.files()), (both.clone(), both));

    sides.write("a.txt", "mine 2");
    sides.disk.put("deep/b.txt", "theirs 2");
    sides.disk.put("new.txt", "new");
    let view = sides.sync();
    assert_eq!(view.state, LinkState::InSync);
    let both = files(&[
        ("a.txt", "mine 2"),
        ("deep/b.txt", "theirs 2"),
        ("new.txt", "new"),
    ]);
    assert_eq!(
        (sides.here(), sides.disk.files()),
        (both.clone(), both.clone())
    );

    // It is the same after a reload, and nothing is carried when nothing changed.
    let again = sides.reload();
    let generation = again.world.store.batches();
    again.world.handle(Command::Link(LinkCommand::Sync));
    let settled = again.sync();
    assert_eq!(settled.state, LinkState::InSync);
    let quiet = again.world.store.batches();
    again.sync();
    assert_eq!(again.world.store.batches(), quiet, "{generation}");
    assert_eq!((again.here(), again.disk.files()), (both.clone(), both));
}

#[test]
fn a_folder_of_the_workspace_is_linked_and_the_rest_is_left_alone() {
    let sides = Sides::new();
    sides.write("site/index.html", "page");
    sides.write("notes.md", "notes");
    sides.disk.put("style.css", "style");
    sides.link("site");
    let there = files(&[("index.html", "page"), ("style.css", "style")]);
    assert_eq!(sides.disk.files(), there);
    let here = [
        ("notes.md", "notes"),
        ("site/index.html", "page"),
        ("site/style.css", "style"),
    ];
    assert_eq!(sides.here(), files(&here));
}

#[test]
fn git_and_what_is_ignored_stay_on_their_side() {
    let sides = Sides::new();
    sides.write(".gitignore", "*.log\n");
    sides.write("run.log", "mine");
    for path in [
        ".git/HEAD",
        "node_modules/x/i.js",
        "lib/.gitignore",
        "lib/out/o",
        "lib/a",
    ] {
        let text = match path {
            "lib/.gitignore" => "out/",
            _ => "x",
        };
        sides.disk.put(path, text);
    }
    sides.disk.put("sub.log", "theirs");
    sides.disk.put(".git/config", "x");
    sides.disk.put(".gitignore", "*.log\nnode_modules\n");
    let view = sides.link("");
    assert_eq!(view.conflicts.len(), 1, "both have rules: {view:?}");
    let here: Vec<String> = sides.here().into_keys().collect();
    assert_eq!(here, [".gitignore", "lib/.gitignore", "lib/a", "run.log"]);
    assert!(!sides.disk.files().contains_key("run.log"));
}

#[test]
fn nothing_gets_into_git_by_another_spelling_and_odd_rules_do_no_harm() {
    let sides = Sides::new();
    for path in [
        ".GIT/config",
        "a/.Git/hooks/x",
        "git~1/config",
        ".g\u{200c}it/config",
    ] {
        sides.write(path, "mine");
    }
    sides.write("a/b", "b");
    // A space that is not ASCII, escaped at the end.
    sides.disk.put(".gitignore", "foo\\\u{a0}\nbar\\\u{3000}");
    let view = sides.link("");
    assert_eq!(view.state, LinkState::InSync, "{view:?}");
    let there: Vec<String> = sides.disk.files().into_keys().collect();
    assert_eq!(there, [".gitignore", "a/b"]);
}

#[test]
fn a_link_is_of_its_workspace_and_taken_up_when_that_is_shown() {
    let sides = Sides::new();
    sides.link("");
    sides
        .world
        .handle(Command::Spaces(SpaceCommand::Create("Other".into())));
    sides.write("b", "of another");
    sides.world.handle(Command::Link(LinkCommand::Sync));
    assert!(sides.disk.files().is_empty(), "{:?}", sides.disk.files());
    sides.disk.put("new", "from the disk");
    let again = sides.reload();
    assert_eq!(again.world.file("b").as_deref(), Some("of another"));
    let other = again.world.kernel.shown_workspace();
    again
        .world
        .handle(Command::Spaces(SpaceCommand::Delete(other)));
    assert_eq!(again.world.file("new").as_deref(), Some("from the disk"));
    assert_eq!(again.world.file("b"), None);
}

#[test]
fn nothing_is_deleted_before_it_was_shown_and_it_can_come_back() {
    let sides = Sides::new();
    for path in ["a", "b", "dir/c", "dir/d"] {
        sides.write(path, path);
    }
    sides.link("");
    sides.delete_quietly("a");
    sides.delete_quietly("b");
    sides.disk.delete("dir");
    let view = sides.sync();
    assert_eq!(view.gone_here, ["a", "b"]);
    assert_eq!(view.gone_there, ["dir/c", "dir/d"]);
    assert_eq!(sides.disk.files().len(), 2);
    assert_eq!(sides.here().len(), 2);

    let view = sides.settle(Settling::Delete(vec!["a".into(), "dir/c".into()]));
    assert_eq!(
        (view.gone_here, view.gone_there),
        (vec!["b".into()], vec!["dir/d".into()])
    );
    let all = vec!["b".into(), "dir/d".into()];
    let view = sides.settle(Settling::BringBack(all));
    assert_eq!((view.gone_here.len(), view.gone_there.len()), (0, 0));
    let both = files(&[("b", "b"), ("dir/d", "dir/d")]);
    assert_eq!((sides.here(), sides.disk.files()), (both.clone(), both));

    sides.disk.delete("dir");
    sides.sync();
    sides.settle(Settling::Delete(vec!["dir/d".into()]));
    assert_eq!(
        support::archives::paths(&sides.world),
        ["b"],
        "no empty folder is left"
    );
}

#[test]
fn a_conflict_touches_neither_side_until_it_is_settled() {
    for (keep, here, there) in [
        (Keep::Mine, vec![("n.md", "mine")], vec![("n.md", "mine")]),
        (
            Keep::Theirs,
            vec![("n.md", "theirs")],
            vec![("n.md", "theirs")],
        ),
        (
            Keep::Both,
            vec![("n (from disk).md", "theirs"), ("n.md", "mine")],
            vec![("n (from disk).md", "theirs"), ("n.md", "mine")],
        ),
    ] {
        let sides = Sides::new();
        sides.write("n.md", "first");
        sides.link("");
        sides.write("n.md", "mine");
        sides.disk.put("n.md", "theirs");
        let view = sides.sync();
        assert_eq!(sides.here(), files(&[("n.md", "mine")]));
        assert_eq!(sides.disk.files(), files(&[("n.md", "theirs")]));
        let conflict = view.conflicts[0].clone();
        assert_eq!((conflict.here, conflict.there), (Some(4), Some(6)));
        let (path, mark) = (conflict.path, conflict.mark);
        // Settled as it was shown, or not at all.
        let stale = Settling::Conflict {
            path: path.clone(),
            mark: "other".into(),
            keep,
        };
        assert_eq!(sides.settle(stale).conflicts.len(), 1);
        let view = sides.settle(Settling::Conflict { path, mark, keep });
        assert_eq!((view.conflicts.len(), view.state), (0, LinkState::InSync));
        assert_eq!(sides.here(), files(&here), "{keep:?}");
        assert_eq!(sides.disk.files(), files(&there), "{keep:?}");
    }
}

#[test]
fn a_change_against_a_deletion_is_a_conflict() {
    for keep in [Keep::Mine, Keep::Theirs] {
        let sides = Sides::new();
        sides.write("a", "1");
        sides.write("b", "1");
        sides.link("");
        sides.delete_quietly("a");
        sides.disk.put("a", "changed");
        sides.write("b", "changed");
        sides.disk.delete("b");
        let view = sides.sync();
        assert_eq!(view.conflicts.len(), 2);
        for conflict in view.conflicts {
            let (path, mark) = (conflict.path, conflict.mark);
            sides.settle(Settling::Conflict { path, mark, keep });
        }
        let left = match keep {
            Keep::Mine => files(&[("b", "changed")]),
            _ => files(&[("a", "changed")]),
        };
        assert_eq!((sides.here(), sides.disk.files()), (left.clone(), left));
    }
}

#[test]
fn names_that_can_not_be_on_both_sides_are_told() {
    let sides = Sides::with(MemoryDisk::without_case, Vec::new());
    sides.write("README", "capital");
    sides.write("readme", "small");
    sides.write("refused.txt", "the disk takes no such name");
    sides
        .disk
        .put("what?.txt", "the workspace takes no such name");
    let view = sides.link("");
    let blocked = |path: &str, block| (path.to_owned(), block);
    assert_eq!(
        view.blocked,
        [
            blocked("what?.txt", Block::Name),
            blocked("readme", Block::Case),
            blocked("refused.txt", Block::Name),
        ]
    );
    assert_eq!(sides.disk.files()["README"], b"capital");
    assert_eq!(sides.here()["readme"], b"small");
}

#[test]
fn without_leave_nothing_is_done_and_with_it_all_is_made_good() {
    let sides = Sides::new();
    sides.write("a", "1");
    sides.link("");
    sides.disk.allow(false);
    sides.write("a", "2");
    assert_eq!(sides.sync().state, LinkState::Asks);
    sides.disk.allow(true);
    assert_eq!(sides.sync().state, LinkState::InSync);
    assert_eq!(sides.disk.files(), files(&[("a", "2")]));
    sides.world.handle(Command::Link(LinkCommand::End));
    assert_eq!(
        sides.world.events.borrow().last(),
        Some(&Event::Linked(None))
    );
    sides.write("a", "3");
    sides.world.handle(Command::Link(LinkCommand::Sync));
    assert_eq!(sides.disk.files(), files(&[("a", "2")]));
}

#[test]
fn a_run_sees_what_is_on_the_disk_and_its_work_is_written_there() {
    let args = serde_json::json!({"path": "out.txt", "content": "made"});
    let replies = vec![
        Reply::calls(&[("read_file", serde_json::json!({"path": "in.txt"}))]),
        Reply::calls(&[("write_file", args)]),
        Reply::text("Done."),
    ];
    let sides = Sides::with(MemoryDisk::new, replies);
    sides.link("");
    sides.disk.put("in.txt", "put there by hand");
    sides.world.handle(task(None, "work"));
    let session = sides.world.session();
    assert!(sides.world.results(&session)[0].contains("put there by hand"));
    assert_eq!(sides.disk.files()["out.txt"], b"made");
}

/// One of a few files, with one of many contents.
fn shake(random: &SeededRandom, step: u64, sides: &Sides) {
    let at = |n: u64| random.next_u64() % n;
    let paths = ["a", "b", "dir/a", "dir/b", "dir/deep/c"];
    let path = paths[at(5) as usize];
    let text = format!("step {step} {}", at(3));
    match at(4) {
        0 => sides.write(path, &text),
        1 => sides.delete_quietly(path),
        2 => sides.disk.put(path, text),
        _ => sides.disk.delete(path),
    }
}

/// All contents of both sides.
fn contents(sides: &Sides) -> Vec<Vec<u8>> {
    sides
        .here()
        .into_values()
        .chain(sides.disk.files().into_values())
        .collect()
}

#[test]
fn whatever_fails_at_whatever_step_neither_side_loses_a_change() {
    let lapses = [
        Lapse::NotDone(DiskError::Other("it hangs".into())),
        Lapse::NotDone(DiskError::Full),
        Lapse::DoneUnheard,
    ];
    let mut failed = 0;
    for seed in 0..150 {
        let random = SeededRandom::new(seed);
        let mut sides = Sides::new();
        sides.write("a", "first");
        sides.disk.put("dir/b", "second");
        sides.link("");
        sides.sync();
        // What both had is no change of either.
        let known = contents(&sides);
        for step in 0..6 {
            shake(&random, step, &sides);
        }
        let new: Vec<Vec<u8>> = contents(&sides)
            .into_iter()
            .filter(|content| !known.contains(content))
            .collect();
        let at = random.next_u64() % 12;
        match seed % 4 {
            3 => {
                let fault = [Fault::Full, Fault::Closed][at as usize % 2];
                let store = &sides.world.store;
                store.fail_at(store.batches() + at / 3, fault);
            }
            n => sides.disk.fail_at(at, lapses[n as usize].clone()),
        }
        let view = sides.sync();
        failed += u32::from(view.state != LinkState::InSync);
        sides.disk.heal();
        // The tab is closed and opened again.
        sides = sides.reload();
        let mut view = sides.sync();
        assert_eq!(view.state, LinkState::InSync, "{seed}");
        let all = contents(&sides);
        for content in &new {
            assert!(all.contains(content), "{seed}: {content:?} is lost");
        }
        // The user settles everything so that nothing goes.
        for _ in 0..12 {
            let Some(conflict) = view.conflicts.first().cloned() else {
                break;
            };
            let (path, mark, keep) = (conflict.path, conflict.mark, Keep::Both);
            view = sides.settle(Settling::Conflict { path, mark, keep });
        }
        let gone = [view.gone_here.clone(), view.gone_there.clone()].concat();
        let view = sides.settle(Settling::BringBack(gone));
        assert_eq!(
            (view.conflicts.len(), view.gone_here.len()),
            (0, 0),
            "{seed}"
        );
        assert_eq!(sides.here(), sides.disk.files(), "{seed}: {view:?}");
        let all = contents(&sides);
        for content in &new {
            assert!(
                all.contains(content),
                "{seed}: {content:?} is lost in the end"
            );
        }
    }
    assert!(failed > 40, "{failed}");
}
