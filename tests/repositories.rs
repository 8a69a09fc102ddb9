//! Public repositories of GitHub's, against a host that plays it.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use support::block_on;
use support::host::{Does, Host};
use tabloop::kernel::clock::{ManualClock, SeededRandom};
use tabloop::kernel::model::Leave;
use tabloop::kernel::service::{Kernel, Platform};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::tool::ToolRegistry;
use tabloop::kernel::vault::memory::MemoryVault;
use tabloop::protocol::{Access, Command, Event, LeftOut, Notice, Report, Storage, Why};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const TREE: &str = r#"{"sha":"x","url":"y","truncated":false,"tree":[
  {"path":"README.md","mode":"100644","type":"blob","sha":"1","size":6,"url":"u"},
  {"path":"src","mode":"040000","type":"tree","sha":"2","url":"u"},
  {"path":"src/a b#.rs","mode":"100755","type":"blob","sha":"3","size":4,"url":"u"},
  {"path":"link","mode":"120000","type":"blob","sha":"4","size":3,"url":"u"},
  {"path":"dep","mode":"160000","type":"commit","sha":"5"}]}"#;

struct Brought {
    report: Report,
    asked: Vec<String>,
    files: Vec<String>,
}

/// Has a repository brought in from a host that answers paths so.
fn bring_in(address: &str, answer: fn(&str) -> Does) -> Brought {
    let host = Rc::new(Host {
        manner: Box::new(move |request, _| answer(&request.url)),
        asked: RefCell::default(),
        leave: Leave::Unknown,
    });
    let events: Rc<RefCell<Vec<Event>>> = Rc::default();
    let platform = Platform {
        store: Rc::new(MemoryStore::default()),
        storage: Storage::Browser,
        access: Access::Writer,
        clock: Rc::new(ManualClock::at(1_000)),
        random: Rc::new(SeededRandom::new(1)),
        transport: Rc::clone(&host) as _,
        tools: ToolRegistry::standard(),
        stage: Rc::default(),
        compose: support::compose,
        shrink: tabloop::kernel::shrink::not_at_all,
        disks: Rc::new(tabloop::kernel::link::NoDisks),
        vault: Rc::new(MemoryVault::default()),
    };
    let heard = Rc::clone(&events);
    let outlet = Rc::new(move |event| heard.borrow_mut().push(event));
    let kernel = block_on(Kernel::start(platform, None, outlet)).unwrap();
    block_on(kernel.handle(Command::BringInRepository(address.into())));
    let (mut report, mut files) = (None, Vec::new());
    for event in events.borrow().iter() {
        match event {
            Event::Notice(Notice::Imported(told)) => report = Some((**told).clone()),
            Event::FilesChanged { rows, .. } => {
                files.extend(rows.iter().map(|row| row.path.clone()));
            }
            _ => {}
        }
    }
    let asked = host.asked.borrow().clone();
    Brought {
        report: report.unwrap(),
        asked,
        files,
    }
}

fn github(url: &str) -> Does {
    let (_, path) = url.split_once("://").unwrap();
    match path {
        "api.github.com/repos/ab/cd/commits/HEAD" => Does::Says(200, COMMIT.into()),
        path if path.starts_with("api.github.com/repos/ab/cd/git/trees/0123") => {
            Does::Says(200, TREE.into())
        }
        path if path.ends_with("/README.md") => Does::Says(200, "hello\n".into()),
        path if path.ends_with("/src/a%20b%23.rs") => Does::Says(200, "code".into()),
        _ => Does::Says(404, String::new()),
    }
}

fn left_out(name: &str, why: Why) -> LeftOut {
    let name = name.to_owned();
    LeftOut { name, why }
}

#[test]
fn a_repository_comes_in_at_one_commit() {
    let brought = bring_in("https://github.com/ab/cd", github);
    assert_eq!(
        brought.report,
        Report {
            files: 2,
            places: vec!["cd".into()],
            left_out: vec![
                left_out("cd/link", Why::Link),
                left_out("cd/dep", Why::Submodule)
            ],
            ..Report::default()
        }
    );
    assert_eq!(
        brought.files,
        ["cd", "cd/README.md", "cd/src", "cd/src/a b#.rs"]
    );
    assert_eq!(
        brought.asked,
        [
            "Get /repos/ab/cd/commits/HEAD".to_owned(),
            format!("Get /repos/ab/cd/git/trees/{COMMIT}?recursive=1"),
            format!("Get /ab/cd/{COMMIT}/README.md"),
            format!("Get /ab/cd/{COMMIT}/src/a%20b%23.rs"),
        ]
    );
}

#[test]
fn what_goes_wrong_is_told_and_leaves_nothing() {
    let check = |answer: fn(&str) -> Does, why: Why| {
        let brought = bring_in("ab/cd", answer);
        assert_eq!(brought.report.left_out, [left_out("ab/cd", why)]);
        assert_eq!(brought.files, Vec::<String>::new());
    };
    check(|_| Does::Says(404, "{}".into()), Why::NotFound);
    check(|_| Does::Says(403, "{}".into()), Why::RateLimited(None));
    check(|_| Does::Says(500, String::new()), Why::Refused(500));
    check(|_| Does::Blocks, Why::Network);
    check(|_| Does::Says(200, "<html>".into()), Why::Network);
    // One file of it is missing, or not as long as it is told.
    check(
        |url| match url.ends_with(".rs") {
            true => Does::Blocks,
            false => github(url),
        },
        Why::Network,
    );
    check(
        |url| match url.ends_with(".rs") {
            true => Does::Says(200, "longer".into()),
            false => github(url),
        },
        Why::Network,
    );
    let none = bring_in("https://example.com/x", |_| Does::Blocks);
    assert_eq!(none.report.left_out[0].why, Why::NoRepository);
    assert_eq!(none.asked, Vec::<String>::new());
}
