//! Files, folders and archives that come in: what they become, what is told of them, and
//! that nothing is half done.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use support::archives::{Interrupted, bring_in, bytes, contents, paths, raw, report, zip};
use support::{World, block_on};
use tabloop::kernel::store::Durability;
use tabloop::kernel::store::memory::Fault;
use tabloop::kernel::workspace::{Keep, Node, Workspace, WorkspacePath};
use tabloop::protocol::{Command, HandedFile, LeftOut, Report, Why};

const INFO: &[u8] = include_bytes!("archives/info.zip");
const GNU: &[u8] = include_bytes!("archives/gnu.tar.gz");
const PAX: &[u8] = include_bytes!("archives/pax.tgz");
const ODD: &[u8] = include_bytes!("archives/odd.tar");
const PICTURE: &[u8] = include_bytes!("archives/a.png");

fn left_out(name: &str, why: Why) -> LeftOut {
    let name = name.to_owned();
    LeftOut { name, why }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(one, other): &(&str, &str)| ((*one).to_owned(), (*other).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn a_file_is_never_written_over() {
    let world = World::new(Vec::new());
    bring_in(&world, &[("a.md", b"one".into())]);
    let told = bring_in(&world, &[("a.md", b"one".into())]);
    assert_eq!((told.files, told.known), (0, 1));
    let told = bring_in(&world, &[("a.md", b"two".into()), ("b.md", b"b".into())]);
    assert_eq!(told.files, 2);
    assert_eq!(told.renamed, pairs(&[("a.md", "a (2).md")]));
    let told = bring_in(&world, &[("a.md", b"two".into())]);
    assert_eq!(
        (told.files, told.known),
        (0, 1),
        "it is there under its number"
    );
    assert_eq!(bytes(&world, "a.md"), b"one");
    assert_eq!(bytes(&world, "a (2).md"), b"two");
    assert_eq!(paths(&world), ["a (2).md", "a.md", "b.md"]);
}

#[test]
fn a_folder_that_is_there_gets_a_neighbour_and_empty_ones_come_along() {
    let world = World::new(Vec::new());
    let folder: [(&str, Vec<u8>); 4] = [
        ("v1.2/", Vec::new()),
        ("v1.2/src/a.rs", b"a".into()),
        ("v1.2/empty/", Vec::new()),
        ("v1.2/lib.zip", INFO.into()),
    ];
    let told = bring_in(&world, &folder);
    assert_eq!((told.files, told.places), (2, vec!["v1.2".to_owned()]));
    // An archive inside of a folder stays one.
    assert_eq!(
        paths(&world),
        [
            "v1.2/",
            "v1.2/empty/",
            "v1.2/lib.zip",
            "v1.2/src/",
            "v1.2/src/a.rs"
        ]
    );
    let told = bring_in(&world, &[("V1.2/src/a.rs", b"other".into())]);
    assert_eq!(told.renamed, pairs(&[("V1.2", "V1.2 (2)")]));
    assert_eq!(bytes(&world, "v1.2/src/a.rs"), b"a");
    assert_eq!(bytes(&world, "V1.2 (2)/src/a.rs"), b"other");
}

#[test]
fn archives_of_real_tools_become_what_went_into_them() {
    for (name, archive) in [("info.zip", INFO), ("gnu.tar.gz", GNU), ("pax.tgz", PAX)] {
        let world = World::new(Vec::new());
        world.clock.advance(Duration::from_secs(2_000_000_000));
        let told = bring_in(&world, &[(name, archive.into())]);
        let expected = Report {
            files: 4,
            places: vec!["site".into()],
            left_out: vec![left_out("site/link", Why::Link)],
            ..Report::default()
        };
        assert_eq!(told, expected, "{name}");
        assert_eq!(
            paths(&world),
            [
                "site/",
                "site/empty/",
                "site/img/",
                "site/img/a.png",
                "site/index.html",
                "site/numbers.txt",
                "site/ümlaut 会议/",
                "site/ümlaut 会议/é.md",
            ],
            "{name}"
        );
        assert_eq!(bytes(&world, "site/img/a.png"), PICTURE);
        assert_eq!(bytes(&world, "site/numbers.txt").len(), 13_893);
        assert_eq!(bytes(&world, "site/ümlaut 会议/é.md"), b"text");
        assert_eq!(
            modified(&world, "site/index.html"),
            1_714_979_290_000,
            "{name}"
        );
    }
}

fn modified(world: &World, path: &str) -> u64 {
    let store = Rc::clone(&world.store) as _;
    let opened = Workspace::open(store, Rc::new(world.clock.clone()), "default");
    let path = WorkspacePath::parse_file(path).unwrap();
    match block_on(opened).unwrap().node(&path) {
        Some(Node::File { modified_ms, .. }) => modified_ms,
        other => panic!("{other:?}"),
    }
}

#[test]
fn other_forms_of_zip_are_read_and_what_is_not_is_told() {
    let world = World::new(Vec::new());
    let streamed = include_bytes!("archives/streamed.zip").to_vec();
    bring_in(&world, &[("streamed.zip", streamed)]);
    assert_eq!(
        bytes(&world, "streamed/a.txt"),
        "streamed\n".repeat(50).as_bytes()
    );
    assert_eq!(bytes(&world, "streamed/dir/b.txt"), b"");
    let large = include_bytes!("archives/zip64.zip").to_vec();
    let told = bring_in(&world, &[("zip64.zip", large)]);
    assert_eq!(told.left_out, [left_out("lzma.txt", Why::Unsupported)]);
    assert_eq!(
        bytes(&world, "big.txt"),
        "sixty-four\n".repeat(20).as_bytes()
    );
    let locked = include_bytes!("archives/locked.zip").to_vec();
    let told = bring_in(&world, &[("locked.zip", locked)]);
    assert_eq!(
        (told.files, told.left_out[0].why.clone()),
        (0, Why::Encrypted)
    );
    // One that unpacks itself has a program in front.
    let mut program = b"MZ program".to_vec();
    program.extend(zip(&[raw("x.txt", "x"), raw("y.txt", "y")]));
    bring_in(&world, &[("setup.zip", program)]);
    assert_eq!(bytes(&world, "setup/x.txt"), b"x");
}

#[test]
fn what_is_odd_in_a_tar_is_told_and_stays_inside() {
    let world = World::new(Vec::new());
    let told = bring_in(&world, &[("odd.tar", ODD.into())]);
    assert_eq!(
        told.left_out,
        [
            left_out("one/gone.txt", Why::Link),
            left_out("../out.txt", Why::Outside),
            left_out("one/dev", Why::Special),
            left_out("one/a.txt", Why::Twice),
            left_out("one/a.txt/below", Why::Clash),
            left_out(&format!("one/{}", "n".repeat(300))[..300], Why::TooLong),
        ]
    );
    assert_eq!(told.renamed, pairs(&[("/etc/passwd", "etc/passwd")]));
    assert_eq!(bytes(&world, "odd/one/a.txt"), b"later");
    // Another name of a file is a copy of what that was then.
    assert_eq!(bytes(&world, "odd/one/same.txt"), b"a");
    assert_eq!(bytes(&world, "odd/etc/passwd"), b"p");
    let deep = format!("odd/one/{}/{}", "d".repeat(150), "e".repeat(120));
    assert_eq!(bytes(&world, &deep), b"deep");
}

#[test]
fn a_stop_leaves_nothing_and_says_so() {
    let world = Rc::new(World::new(Vec::new()));
    bring_in(&world, &[("here.md", b"here".into())]);
    let before = contents(&world.store);
    let many: Vec<_> = (0..40)
        .map(|n| raw(format!("d/{n}.txt"), &format!("{n} {}", "x".repeat(60_000))))
        .collect();
    let archive = zip(&many);
    let kernel = world.kernel.clone();
    let source = Interrupted {
        content: archive,
        at: 2,
        reads: Cell::new(0),
        then: Box::new(move || block_on(kernel.handle(Command::StopTransfer))),
    };
    world.kernel.hand(1, Rc::new(source));
    world
        .kernel
        .hand(2, Rc::new(tabloop::kernel::archive::MemorySource(zip(&[]))));
    let file = |path: &str, id| HandedFile {
        path: path.into(),
        id,
    };
    world.handle(Command::BringIn(vec![file("d.zip", 1), file("e.zip", 2)]));
    let told = report(&world);
    assert_eq!(
        told.left_out,
        [
            left_out("d.zip", Why::Stopped),
            left_out("e.zip", Why::Stopped)
        ]
    );
    assert_eq!(paths(&world), ["here.md"]);
    block_on(world.kernel.tidy());
    assert_eq!(contents(&world.store), before);
}

/// A zip of so much that its contents take several batches.
fn large(files: usize) -> Vec<u8> {
    let one = |n: usize| {
        let text = format!("{n} {}", "0123456789".repeat(30_000));
        raw(format!("big/{n}.txt"), &text)
    };
    zip(&(0..files).map(one).collect::<Vec<_>>())
}

#[test]
fn a_full_disk_at_any_batch_leaves_the_files_as_they_were() {
    let archive = large(70);
    let whole = World::new(Vec::new());
    let before = whole.store.batches();
    bring_in(&whole, &[("big.zip", archive.clone())]);
    let batches = whole.store.batches() - before;
    assert!((3..=5).contains(&batches), "{batches} batches for 20 MB");
    for n in 0..batches {
        let world = World::new(Vec::new());
        bring_in(&world, &[("here.md", b"here".into())]);
        world.store.fail_at(world.store.batches() + n, Fault::Full);
        let told = bring_in(
            &world,
            &[("big.zip", archive.clone()), ("a.tar", ODD.into())],
        );
        assert_eq!(told.files, 0, "batch {n}");
        assert_eq!(
            told.left_out,
            [
                left_out("big.zip", Why::Full(None)),
                left_out("a.tar", Why::Full(None))
            ]
        );
        assert_eq!(paths(&world), ["here.md"], "batch {n}");
        block_on(world.kernel.tidy());
        assert_eq!(contents(&world.store), 1, "batch {n}");
        // With room again, it is added whole.
        assert_eq!(bring_in(&world, &[("big.zip", archive.clone())]).files, 70);
    }
}

#[test]
fn a_large_file_goes_into_the_store_some_megabytes_at_a_time() {
    let content: Vec<u8> = (0..21_000_000_u32).map(|n| (n / 7) as u8).collect();
    let world = World::new(Vec::new());
    let before = world.store.batches();
    bring_in(&world, &[("large.bin", content.clone())]);
    // Twice 8 MB, and what is left with the name.
    assert_eq!(world.store.batches() - before, 3);
    assert_eq!(bytes(&world, "large.bin"), content);

    let world = World::new(Vec::new());
    world.store.fail_at(world.store.batches() + 1, Fault::Full);
    let told = bring_in(&world, &[("large.bin", content.clone())]);
    assert_eq!(told.left_out, [left_out("large.bin", Why::Full(None))]);
    // What came of it is gone again at once: there is no room to waste.
    assert_eq!(contents(&world.store), 0);
    assert_eq!(bring_in(&world, &[("large.bin", content.clone())]).files, 1);
    assert_eq!(bytes(&world, "large.bin"), content);
}

#[test]
fn a_kill_in_the_middle_leaves_contents_that_the_next_start_sweeps() {
    let world = Rc::new(World::new(Vec::new()));
    let store = Rc::clone(&world.store);
    let killed = Rc::new(std::cell::RefCell::new(None));
    let kept = Rc::clone(&killed);
    let source = Interrupted {
        content: large(70),
        at: 18,
        reads: Cell::new(0),
        then: Box::new(move || drop(kept.replace(Some(store.snapshot())))),
    };
    world.kernel.hand(1, Rc::new(source));
    let path = "big.zip".to_owned();
    world.handle(Command::BringIn(vec![HandedFile { path, id: 1 }]));
    assert_eq!(report(&world).files, 70);
    let left = Rc::new(killed.take().expect("it was read that often"));
    assert!(contents(&left) > 0, "some contents were there already");
    let next = World::over(
        Rc::clone(&left),
        Vec::new(),
        tabloop::protocol::Access::Writer,
    );
    assert_eq!(paths(&next), Vec::<String>::new());
    block_on(next.kernel.tidy());
    assert_eq!(contents(&left), 0);
}

#[test]
fn tidying_in_the_middle_takes_nothing_that_waits_for_its_name() {
    let world = Rc::new(World::new(Vec::new()));
    let kernel = world.kernel.clone();
    let source = Interrupted {
        content: large(70),
        at: 18,
        reads: Cell::new(0),
        then: Box::new(move || block_on(kernel.tidy())),
    };
    world.kernel.hand(1, Rc::new(source));
    let path = "big.zip".to_owned();
    world.handle(Command::BringIn(vec![HandedFile { path, id: 1 }]));
    for n in 0..70 {
        let content = bytes(&world, &format!("big/{n}.txt"));
        assert!(content.starts_with(format!("{n} 0123").as_bytes()), "{n}");
    }
}

#[test]
fn what_an_agent_writes_meanwhile_is_not_written_over() {
    let store = Rc::new(tabloop::kernel::store::memory::MemoryStore::default());
    let clock = Rc::new(tabloop::kernel::clock::ManualClock::at(1));
    let workspace = block_on(Workspace::open(store, clock, "w")).unwrap();
    let path = WorkspacePath::parse_file("a/b.md").unwrap();
    let mut stock = workspace.stock();
    let node = block_on(stock.put(b"mine".to_vec(), 1)).unwrap();
    let write = tabloop::kernel::workspace::FileChange::Write {
        path: path.clone(),
        content: b"theirs".as_slice().into(),
        expect: tabloop::kernel::workspace::Expect::Nothing,
    };
    block_on(workspace.commit(&[write], Vec::new(), Durability::Relaxed)).unwrap();
    let refused = block_on(stock.name(&[(path.clone(), node.clone())]));
    assert!(refused.is_err());
    let other = WorkspacePath::parse_file("a/c.md").unwrap();
    block_on(stock.name(&[(other.clone(), node)])).unwrap();
    assert_eq!(block_on(workspace.read(&path)).unwrap().0, b"theirs");
    assert_eq!(block_on(workspace.read(&other)).unwrap().0, b"mine");
    drop(stock);
    block_on(workspace.tidy(Keep::default())).unwrap();
    assert_eq!(block_on(workspace.read(&other)).unwrap().0, b"mine");
}

#[test]
fn twenty_thousand_files_take_few_batches() {
    let world = World::new(Vec::new());
    let entries: Vec<_> = (0..20_000)
        .map(|n| raw(format!("d{}/{n}.txt", n % 200), &n.to_string()))
        .collect();
    let before = world.store.batches();
    let told = bring_in(&world, &[("many.zip", zip(&entries))]);
    assert_eq!((told.files, told.places), (20_000, vec!["many".to_owned()]));
    assert!(world.store.batches() - before <= 9);
    assert_eq!(bytes(&world, "many/d7/19807.txt"), b"19807");
}
