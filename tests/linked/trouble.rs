//! What goes wrong between both sides, and what is moved or taken away: it is named, it holds
//! up nothing else, and nothing is taken for deleted because of it.

use tabloop::kernel::event::StopReason;
use tabloop::kernel::store::{Key, Store, Table};
use tabloop::kernel::tabs::ClaimedStore;
use tabloop::kernel::tabs::memory::Wire;

use super::support::block_on;
use super::*;

fn blocked(path: &str, block: Block) -> (String, Block) {
    (path.to_owned(), block)
}

impl Sides {
    fn move_tree(&self, from: &str, to: &str) {
        let (from, to) = (from.into(), to.into());
        self.world
            .handle(Command::ChangeTree(TreeChange::Move { from, to }));
    }

    /// How the link was told to stand last.
    fn told_last(&self) -> LinkView {
        let events = self.world.events.borrow();
        let told = events.iter().rev().find_map(|event| match event {
            Event::Linked(Some(view)) => Some((**view).clone()),
            _ => None,
        });
        told.expect("the link was told")
    }

    /// What both sides have, if the folder of the workspace is `folder`.
    fn check_same(&self, folder: &str, list: &[(&str, &str)]) {
        assert_eq!(self.disk.files(), files(list));
        let here: BTreeMap<String, Vec<u8>> = list
            .iter()
            .map(|(path, text)| (format!("{folder}/{path}"), text.as_bytes().to_vec()))
            .collect();
        assert_eq!(self.here(), here);
    }
}

/// A site of two files, linked.
fn site() -> Sides {
    let sides = Sides::new();
    sides.write("work/site/index.html", "page");
    sides.write("work/site/css/style.css", "style");
    sides.link("work/site");
    sides.sync();
    sides
}

const SITE: [(&str, &str); 2] = [("css/style.css", "style"), ("index.html", "page")];

#[test]
fn the_link_goes_along_when_its_folder_or_one_above_is_moved() {
    for (from, to, is) in [
        ("work/site", "work/web", "work/web"),
        ("work/site", "site", "site"),
        ("work", "old work", "old work/site"),
    ] {
        let sides = site();
        sides.move_tree(from, to);
        let view = sides.told_last();
        assert_eq!(
            (view.folder.as_str(), &view.state),
            (is, &LinkState::InSync)
        );
        assert_eq!((view.gone_here.len(), view.gone_there.len()), (0, 0));
        sides.check_same(is, &SITE);
        // What comes later goes there too, and over a reload.
        sides.disk.put("new", "new");
        let sides = sides.reload();
        let view = sides.sync();
        assert_eq!(view.folder, is);
        sides.check_same(is, &[SITE[0], SITE[1], ("new", "new")]);
    }
}

#[test]
fn a_folder_that_moved_with_all_in_it_changed_is_still_the_linked_one() {
    let sides = Sides::new();
    sides.write("site/a", "1");
    sides.link("site");
    sides.sync();
    sides.move_tree("site", "web");
    sides.write("web/a", "2");
    assert_eq!(sides.sync().folder, "web");
    sides.check_same("web", &[("a", "2")]);
}

#[test]
fn whatever_else_moves_the_folder_the_link_finds_it_by_what_is_in_it() {
    let shift = serde_json::json!({"from": "work/site", "to": "moved/here"});
    let replies = vec![Reply::calls(&[("move", shift)]), Reply::text("Done.")];
    let sides = Sides::with(MemoryDisk::new, replies);
    for (path, text) in SITE {
        sides.write(&format!("work/site/{path}"), text);
    }
    sides.link("work/site");
    sides.world.handle(task(None, "move it"));
    let view = sides.told_last();
    assert_eq!(
        (view.folder.as_str(), &view.state),
        ("moved/here", &LinkState::InSync)
    );
    sides.check_same("moved/here", &SITE);
}

#[test]
fn a_deleted_folder_is_missing_and_comes_back_from_the_disk() {
    let sides = site();
    sides.delete_quietly("work/site");
    for _ in 0..2 {
        let view = sides.sync();
        assert_eq!(view.state, LinkState::Missing);
        assert_eq!(view.gone_here, [""; 0], "nothing is offered for deletion");
        assert_eq!(sides.disk.files(), files(&SITE));
    }
    let view = sides.settle(Settling::PutBack);
    assert_eq!(view.state, LinkState::InSync);
    sides.check_same("work/site", &SITE);

    sides.delete_quietly("work");
    assert_eq!(sides.sync().state, LinkState::Missing);
    sides.world.handle(Command::Link(LinkCommand::End));
    assert_eq!(
        sides.world.events.borrow().last(),
        Some(&Event::Linked(None))
    );
    assert_eq!(sides.disk.files(), files(&SITE));
}

#[test]
fn of_two_folders_that_hold_the_same_neither_is_taken_for_the_moved_one() {
    let sides = site();
    for folder in ["a", "b"] {
        for (path, text) in SITE {
            sides.write(&format!("{folder}/{path}"), text);
        }
    }
    sides.delete_quietly("work/site");
    assert_eq!(sides.sync().state, LinkState::Missing);
}

#[test]
fn a_folder_that_has_a_file_in_common_is_not_taken_for_the_moved_one() {
    let sides = Sides::new();
    sides.write("site/LICENSE", "all may");
    sides.write("site/node_modules/x", "left out");
    sides.write(".gitignore", "node_modules");
    for name in ["LICENSE", "a", "b"] {
        sides.write(&format!("other/{name}"), "all may");
    }
    sides.link("site");
    sides.sync();
    sides.delete_quietly("site");
    assert_eq!(sides.sync().state, LinkState::Missing);
    assert_eq!(sides.disk.files(), files(&[("LICENSE", "all may")]));
}

#[test]
fn a_comparison_can_be_stopped_and_both_sides_are_sound() {
    for n in 0..8 {
        let sides = Sides::new();
        sides.write("a", "mine");
        sides.disk.put("b", "theirs");
        sides.disk.put("dir/c", "theirs");
        sides.disk.fail_at(n, Lapse::Hangs);
        let begin = Command::Link(LinkCommand::Begin {
            id: "1".into(),
            name: "site".into(),
            folder: String::new(),
        });
        let mut going = sides.world.start(begin);
        if sides.told_last().state != LinkState::InSync {
            assert!(!going.settle(), "{n}: it hangs");
            let stopped = sides.told(Command::Link(LinkCommand::Stop));
            assert!(matches!(stopped.state, LinkState::Syncing { .. }), "{n}");
            assert!(going.settle(), "{n}: without waiting for the disk");
            assert_eq!(sides.told_last().state, LinkState::Stopped, "{n}");
        }
        let view = sides.sync();
        assert_eq!(
            (view.state, view.conflicts.len()),
            (LinkState::InSync, 0),
            "{n}"
        );
        let all = [("a", "mine"), ("b", "theirs"), ("dir/c", "theirs")];
        assert_eq!(
            (sides.here(), sides.disk.files()),
            (files(&all), files(&all))
        );
    }
}

#[test]
fn a_disk_that_never_answers_holds_up_neither_a_run_nor_unlinking() {
    let sides = Sides::with(
        MemoryDisk::new,
        vec![Reply::text("One."), Reply::text("Two.")],
    );
    sides.link("");
    sides.disk.put("slow.txt", "1");
    // The folder answers, the file does not.
    sides.disk.fail_at(1, Lapse::Hangs);
    let view = sides.sync();
    assert_eq!(view.state, LinkState::Silent("slow.txt".into()));
    // It is not asked again before a run, but behind it.
    sides.disk.fail_at(0, Lapse::Hangs);
    let mut run = sides.world.start(task(None, "work"));
    run.settle();
    let reasons = sides.world.reasons(&sides.world.session());
    assert_eq!(reasons.len(), 1, "the run has ended without a wait");
    // Unlinking waits for nothing either.
    let mut unlink = sides.world.start(Command::Link(LinkCommand::End));
    run.settle();
    assert!(unlink.settle());
    let events = sides.world.events.borrow();
    let is_told = |event: &&Event| matches!(event, Event::Linked(_));
    assert_eq!(
        events.iter().rev().find(is_told),
        Some(&Event::Linked(None))
    );
}

#[test]
fn stopping_a_run_stops_its_wait_for_the_disk() {
    let sides = Sides::with(MemoryDisk::new, vec![Reply::text("One.")]);
    sides.link("");
    sides.disk.fail_at(0, Lapse::Hangs);
    let mut run = sides.world.start(task(None, "work"));
    assert!(!run.settle());
    sides.world.handle(Command::Stop(sides.world.session()));
    assert!(run.settle());
    let reasons = sides.world.reasons(&sides.world.session());
    assert_eq!(reasons, [StopReason::Cancelled]);
}

#[test]
fn what_can_not_be_read_is_named_and_the_rest_goes_on() {
    let sides = Sides::new();
    for path in ["kept", "open", "shut/file"] {
        sides.disk.put(path, path);
    }
    sides.link("");
    sides.sync();
    let other = |words: &str| Some(DiskError::Other(words.into()));
    sides.disk.lock("kept", other("it is in use"));
    sides.disk.lock("new", other("it is in use"));
    sides.disk.lock("shut", Some(DiskError::Denied));
    for path in ["kept", "open", "new", "shut/file"] {
        sides.disk.put(path, "changed there");
    }
    sides.write("mine", "mine");
    let view = sides.sync();
    assert_eq!(view.state, LinkState::InSync);
    let unreadable = |path, words: &str| blocked(path, Block::Unreadable(words.into()));
    assert_eq!(
        view.blocked,
        [
            unreadable("kept", "it is in use"),
            unreadable("new", "it is in use"),
            unreadable("shut", ""),
        ]
    );
    let gone = [&view.gone_here, &view.gone_there];
    assert!(gone.iter().all(|list| list.is_empty()), "{view:?}");
    assert_eq!(sides.here()["open"], b"changed there");
    assert_eq!(sides.here()["kept"], b"kept");
    assert_eq!(sides.disk.files()["mine"], b"mine");

    // Once it can be read, what one side changed is no conflict.
    for path in ["kept", "new", "shut"] {
        sides.disk.lock(path, None);
    }
    let view = sides.sync();
    assert_eq!((view.state, view.blocked.len()), (LinkState::InSync, 0));
    assert!(view.conflicts.is_empty());
    assert_eq!(sides.here(), sides.disk.files());
}

#[test]
fn what_can_not_be_written_is_named_and_the_rest_goes_on() {
    let sides = Sides::new();
    sides.write("a", "mine");
    sides.write("b", "mine");
    // The disk's folder, then the look at `a`, then its write.
    sides
        .disk
        .fail_at(2, Lapse::NotDone(DiskError::Other("read-only".into())));
    let view = sides.link("");
    let not_written = Block::NotWritten("read-only".into());
    assert_eq!(view.blocked, [blocked("a", not_written)]);
    assert_eq!(sides.disk.files(), files(&[("b", "mine")]));
    assert!(sides.sync().blocked.is_empty());
    assert_eq!(sides.disk.files().len(), 2);
}

#[test]
fn a_write_that_was_killed_before_its_content_is_done_the_next_time() {
    let sides = Sides::new();
    sides.write("a", "mine");
    sides.disk.fail_at(2, Lapse::LeftEmpty);
    sides.link("");
    assert_eq!(sides.disk.files(), files(&[("a", "")]));
    let view = sides.sync();
    assert_eq!((view.state, view.conflicts.len()), (LinkState::InSync, 0));
    assert_eq!(sides.disk.files(), files(&[("a", "mine")]));
}

#[test]
fn leave_that_is_taken_away_is_no_deletion() {
    for error in [DiskError::Refused, DiskError::Denied] {
        for n in 0..4 {
            let sides = Sides::new();
            sides.disk.put("a", "1");
            sides.disk.put("dir/b", "2");
            sides.link("");
            sides.disk.put("a", "changed");
            sides.disk.put("dir/b", "changed");
            sides.world.clock.advance(Duration::from_secs(10));
            // Taken away in the middle: the rest of the calls fail too.
            sides.disk.fail_from(n, error.clone());
            let view = sides.told(Command::Link(LinkCommand::Sync));
            assert_eq!(view.state, LinkState::Asks, "{error:?} {n}");
            assert_eq!(view.gone_there, [""; 0]);
            sides.disk.heal();
            assert_eq!(sides.sync().state, LinkState::InSync);
            assert_eq!(sides.here(), sides.disk.files());
        }
    }
}

#[test]
fn a_disk_with_nothing_left_is_told_as_such() {
    let sides = site();
    sides.disk.delete("css");
    assert!(!sides.sync().is_emptied);
    sides.disk.delete("index.html");
    let view = sides.sync();
    assert!(view.is_emptied && view.gone_there.len() == 2);
    let view = sides.settle(Settling::BringBack(view.gone_there));
    assert!(!view.is_emptied);
    sides.check_same("work/site", &SITE);
}

#[test]
fn a_tab_that_lost_the_claim_writes_nothing_to_the_disk() {
    let clock = ManualClock::at(1_000_000);
    let disk = MemoryDisk::new(clock.clone());
    let store: Rc<MemoryStore> = Rc::default();
    let wire = Wire::default();
    let claim = || {
        let store = Rc::clone(&store) as Rc<dyn Store>;
        block_on(ClaimedStore::take(store, wire.join(), Rc::new(|| {}))).unwrap()
    };
    let disks = Rc::new(disk.clone());
    let world = World::beside_disks_through(Rc::clone(&store), claim(), Vec::new(), clock, disks);
    let sides = Sides { world, disk };
    sides.disk.put("gone", "1");
    sides.link("");
    sides.write("a", "1");
    assert_eq!(sides.sync().state, LinkState::InSync);
    sides.write("a", "2");
    sides.delete_quietly("gone");
    // Another tab takes over; this one was frozen, and heard nothing of it.
    drop(claim());
    let view = sides.sync();
    assert_eq!(
        view.state,
        LinkState::Failed("another tab has taken over".into())
    );
    sides.settle(Settling::Delete(vec!["gone".into()]));
    assert_eq!(sides.disk.files(), files(&[("a", "1"), ("gone", "1")]));
}

#[test]
fn what_is_a_file_here_and_a_folder_there_is_told_as_that() {
    let sides = Sides::new();
    // Folders that hold no file that counts.
    sides.write(".gitignore", "here/\nout\n!out/\n");
    sides.write("here/x", "left out");
    sides.write("file", "1");
    sides.write("out", "left out");
    sides.disk.put("here", "a file there");
    sides.disk.make_folder("file");
    sides.disk.put("fine", "fine");
    sides.disk.put("out/below", "a folder there");
    let view = sides.link("");
    assert_eq!(view.state, LinkState::InSync, "{view:?}");
    let kinds: Vec<&str> = view
        .blocked
        .iter()
        .map(|(path, block)| {
            assert_eq!(*block, Block::Kind, "{path}");
            path.as_str()
        })
        .collect();
    assert_eq!(kinds, ["here", "out/below", "file"]);
    assert_eq!(sides.here()["fine"], b"fine");
}

#[test]
fn rules_that_are_too_many_leave_their_folder_as_it_is() {
    let many = "x\n".repeat(6_000);
    let long = format!("secret\n#{}\n", "-".repeat(300_000));
    for (rules, is_here) in [(&many, false), (&long, false), (&long, true)] {
        let sides = Sides::new();
        sides.disk.put("fine", "1");
        sides.disk.put("dir/secret", "2");
        match is_here {
            true => sides.write("dir/.gitignore", rules),
            false => sides.disk.put("dir/.gitignore", rules.as_str()),
        }
        let view = sides.link("");
        assert_eq!(view.state, LinkState::InSync);
        assert_eq!(view.blocked, [blocked("dir/.gitignore", Block::Rules)]);
        assert_eq!(sides.here()["fine"], b"1");
        assert!(!sides.here().contains_key("dir/secret"));
        match is_here {
            true => sides.write("dir/.gitignore", "secret"),
            false => sides.disk.put("dir/.gitignore", "secret"),
        }
        assert!(sides.sync().blocked.is_empty());
        assert!(!sides.here().contains_key("dir/secret"));
        assert!(sides.here().contains_key("dir/.gitignore"));
    }
}

#[test]
fn a_workspace_that_goes_while_its_folder_is_compared_leaves_no_row() {
    for n in 0..6 {
        let sides = Sides::new();
        let first = sides.world.kernel.shown_workspace();
        let create = SpaceCommand::Create("Other".into());
        sides.world.handle(Command::Spaces(create));
        let other = sides.world.kernel.shown_workspace();
        sides.write("a", "1");
        sides.disk.put("b", "2");
        sides.disk.put("c", "3");
        sides.disk.fail_at(n, Lapse::Late);
        let begin = Command::Link(LinkCommand::Begin {
            id: "1".into(),
            name: "site".into(),
            folder: String::new(),
        });
        let mut going = sides.world.start(begin);
        assert!(!going.settle(), "{n}");
        let delete = SpaceCommand::Delete(other.clone());
        let mut deleting = sides.world.start(Command::Spaces(delete));
        assert!(going.settle(), "{n}: it is stopped");
        assert!(deleting.settle(), "{n}");
        assert_eq!(sides.world.kernel.shown_workspace(), first);
        sides.world.clock.advance(Duration::from_secs(300));
        let store: &dyn Store = &*sides.world.store;
        let rows = |table, first: &str| {
            let keys = block_on(store.keys(table, Key::new([first.into()])));
            keys.unwrap().len()
        };
        assert_eq!(rows(Table::Journal, "link"), 0, "{n}");
        assert_eq!(rows(Table::Settings, "link"), 0, "{n}");
        for table in [
            Table::Nodes,
            Table::Blobs,
            Table::Changes,
            Table::Workspaces,
        ] {
            assert_eq!(rows(table, &other), 0, "{n} {table:?}");
        }
    }
}
