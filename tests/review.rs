//! Looking through what a run changed and taking parts of it back: by file and by place,
//! bound to what was shown, and itself undone.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};
use support::World;
use support::endpoint::Reply;
use tabloop::kernel::diff::DiffKind;
use tabloop::kernel::store::memory::Fault;
use tabloop::protocol::{
    Access, ChangeView, Changes, Command, Event, Notice, Outlook, Refusal, Reverting, Since,
    WentBack,
};

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "path": path, "content": content }))
}

fn move_to(from: &str, to: &str) -> (&'static str, Value) {
    ("move", json!({ "from": from, "to": to }))
}

fn list_page(world: &World, since: &Since, from: Option<usize>) -> Changes {
    let since = since.clone();
    world.handle(Command::ListChanges { since, from });
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::ChangesListed(changes) => Some((**changes).clone()),
        _ => None,
    });
    told.unwrap()
}

fn list(world: &World, since: &Since) -> Changes {
    list_page(world, since, Some(0))
}

/// All that a kernel finds which starts over what is stored now.
fn all_files(world: &World) -> BTreeMap<String, Option<String>> {
    let store = Rc::new(world.store.snapshot());
    let other = World::over(store, Vec::new(), Access::Reader);
    let rows = match other.events.borrow().first() {
        Some(Event::Ready(snapshot)) => snapshot.files.clone(),
        other => panic!("{other:?}"),
    };
    let content = |path: &str| other.file(path);
    let rows = rows.into_iter();
    rows.map(|row| (row.path.clone(), content(&row.path)))
        .collect()
}

/// Each file as `path kind +added -removed`, with where it was before it was moved.
fn lines(changes: &Changes) -> Vec<String> {
    let line = |file: &tabloop::protocol::ChangedFile| {
        let from = file.from.as_ref();
        let from = from.map_or_else(String::new, |from| format!("{from} > "));
        let (added, removed) = (file.added, file.removed);
        format!("{from}{} {:?} +{added} -{removed}", file.path, file.kind)
    };
    changes.files.iter().map(line).collect()
}

fn view(world: &World, since: &Since, path: &str) -> (u64, ChangeView) {
    let (since, path) = (since.clone(), path.to_owned());
    world.handle(Command::ShowChange { since, path });
    match world.events.borrow().last() {
        Some(Event::ChangeShown {
            generation, view, ..
        }) => (*generation, view.clone()),
        other => panic!("{other:?}"),
    }
}

fn revert(world: &World, since: &Since, shown: u64, meant: Reverting) {
    world.handle(Command::Revert {
        since: since.clone(),
        shown,
        meant,
    });
}

fn hunk(path: &str, at: usize) -> Reverting {
    let path = path.to_owned();
    Reverting::Hunk { path, at }
}

/// What was told last of going back: the commit, or the refusal.
fn went_back(world: &World) -> Result<u64, Option<String>> {
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::Notice(Notice::WentBack(WentBack::Reverted { generation, .. })) => {
            Some(Ok(*generation))
        }
        Event::Notice(Notice::NotUndone { path }) => Some(Err(path.clone())),
        _ => None,
    });
    told.unwrap()
}

fn outlook(world: &World, session: &str, seq: u64) -> Outlook {
    let session = session.to_owned();
    world.handle(Command::LookBack { session, seq });
    match world.events.borrow().last() {
        Some(Event::LookedBack(outlook)) => outlook.clone(),
        other => panic!("{other:?}"),
    }
}

/// A run over two files, in CRLF and without a last line end.
fn world() -> (World, Since) {
    let world = World::new(vec![
        Reply::calls(&[
            (
                "edit_file",
                json!({ "path": "crlf.txt", "edits": [
                { "old_text": "one", "new_text": "ONE" }, { "old_text": "ten", "new_text": "TEN" },
            ] }),
            ),
            write("new/deep/file.txt", "a\nb"),
            ("delete", json!({ "path": "gone.txt" })),
        ]),
        Reply::calls(&[
            move_to("old.txt", "there/moved.txt"),
            ("make_dir", json!({ "path": "empty" })),
        ]),
        Reply::calls(&[(
            "edit_file",
            json!({ "path": "there/moved.txt", "edits": [{ "old_text": "b", "new_text": "B" }] }),
        )]),
        Reply::text("Done."),
    ]);
    world.put_file("crlf.txt", crlf("one", "ten"));
    world.put_file("gone.txt", "1\n2\n");
    world.put_file("old.txt", "a\nb\nc");
    world.put_file("other.txt", "of the user");
    let session = world.send("Go");
    (world, Since::LastRun(session))
}

fn crlf(first: &str, last: &str) -> String {
    format!("{first}\r\n{}{last}", "x\r\n".repeat(9))
}

#[test]
fn a_run_is_told_by_file_with_its_lines_counted() {
    let (world, since) = world();
    let changes = list(&world, &since);
    let all = [
        "crlf.txt Changed +2 -2",
        "empty NewFolder +0 -0",
        "gone.txt Deleted +0 -2",
        "new/deep/file.txt New +2 -0",
        "old.txt > there/moved.txt Moved +1 -1",
    ];
    assert_eq!(lines(&changes), all);
    assert_eq!(
        (changes.total, changes.run, changes.kept),
        (5, Some(0), true)
    );
    let count = list_page(&world, &since, None);
    assert_eq!((count.total, count.files), (5, Vec::new()));
    assert!(list_page(&world, &since, Some(5)).files.is_empty());

    let (_, ChangeView::Lines(diff)) = view(&world, &since, "there/moved.txt") else {
        panic!();
    };
    assert_eq!(
        (diff.kind, diff.from.as_deref()),
        (DiffKind::Moved, Some("old.txt"))
    );
    assert_eq!(diff.patch(), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c");
    assert_eq!(view(&world, &since, "other.txt").1, ChangeView::Nothing);

    // A later run that changes nothing leaves the last one that did.
    world.endpoint.add(Reply::text("Nothing to do."));
    let Since::LastRun(session) = &since else {
        panic!();
    };
    world.handle(support::task(Some(session.clone()), "And?"));
    assert_eq!(lines(&list(&world, &since)), all);
    let nobody = Since::LastRun("nobody".into());
    assert_eq!(list(&world, &nobody).total, 0);
}

#[test]
fn one_place_is_taken_back_and_every_other_byte_stays() {
    let (world, since) = world();
    let (shown, ChangeView::Lines(diff)) = view(&world, &since, "crlf.txt") else {
        panic!();
    };
    assert_eq!(diff.hunks.len(), 2);
    revert(&world, &since, shown, hunk("crlf.txt", 0));
    assert_eq!(world.file("crlf.txt"), Some(crlf("one", "TEN")));
    let reverted = went_back(&world).unwrap();

    // What was shown before that no longer counts.
    revert(&world, &since, shown, hunk("crlf.txt", 1));
    assert_eq!(went_back(&world), Err(Some("crlf.txt".to_owned())));
    assert_eq!(world.file("crlf.txt"), Some(crlf("one", "TEN")));
    let (shown, _) = view(&world, &since, "crlf.txt");
    revert(&world, &since, shown, hunk("crlf.txt", 7));
    assert_eq!(went_back(&world), Err(Some("crlf.txt".to_owned())));
    revert(&world, &since, shown, hunk("crlf.txt", 0));
    assert_eq!(world.file("crlf.txt"), Some(crlf("one", "ten")));
    assert_eq!(list(&world, &since).total, 4);

    // The first of the two can't be undone behind the second; the second can.
    world.handle(Command::GoForward(reverted));
    assert_eq!(went_back(&world), Err(Some("crlf.txt".to_owned())));
    world.handle(Command::GoForward(reverted + 1));
    world.handle(Command::GoForward(reverted));
    assert_eq!(world.file("crlf.txt"), Some(crlf("ONE", "TEN")));
    // A round of a run is no such commit.
    world.handle(Command::GoForward(shown - 3));
    assert_eq!(went_back(&world), Err(None));
}

#[test]
fn files_are_taken_back_one_by_one_with_the_folders_made_for_them() {
    let (world, since) = world();
    let revert_file = |path: &str| {
        let shown = list(&world, &since).generation;
        revert(&world, &since, shown, Reverting::File(path.into()));
    };
    revert_file("there/moved.txt");
    assert_eq!(world.file("old.txt").as_deref(), Some("a\nb\nc"));
    assert!(!all_files(&world).contains_key("there"));
    revert_file("new/deep/file.txt");
    assert!(!all_files(&world).contains_key("new"));
    revert_file("gone.txt");
    assert_eq!(world.file("gone.txt").as_deref(), Some("1\n2\n"));
    revert_file("empty");
    assert_eq!(lines(&list(&world, &since)), ["crlf.txt Changed +2 -2"]);
    revert_file("other.txt");
    assert_eq!(went_back(&world), Err(Some("other.txt".to_owned())));
}

#[test]
fn all_is_taken_back_in_one_commit_that_can_be_undone() {
    let (world, since) = world();
    let before = all_files(&world);
    let shown = list(&world, &since).generation;
    revert(&world, &since, shown, Reverting::All);
    let generation = went_back(&world).unwrap();
    assert_eq!(generation, shown + 1);
    assert_eq!(list(&world, &since).total, 0);
    assert_eq!(world.file("old.txt").as_deref(), Some("a\nb\nc"));
    assert!(!all_files(&world).contains_key("empty"));
    world.handle(Command::GoForward(generation));
    assert_eq!(all_files(&world), before);

    // One file that somebody touched since it was shown holds up all of it.
    world.put_file("late.txt", "1");
    revert(
        &world,
        &Since::Checkpoint(1),
        generation + 1,
        Reverting::All,
    );
    assert_eq!(went_back(&world), Err(Some("late.txt".to_owned())));
    assert_eq!(world.file("late.txt").as_deref(), Some("1"));
}

#[test]
fn a_full_disk_or_a_dying_store_leaves_the_files_as_they_were() {
    let (world, since) = world();
    let before = all_files(&world);
    for fault in [Fault::Full, Fault::Closed] {
        for meant in [
            hunk("crlf.txt", 0),
            Reverting::File("old.txt".into()),
            Reverting::All,
        ] {
            let shown = list(&world, &since).generation;
            world.store.fail_at(world.store.batches(), fault);
            revert(&world, &since, shown, meant);
            assert_eq!(all_files(&world), before);
        }
    }
    // Another kernel, over what is stored now, does it.
    let store = Rc::new(world.store.snapshot());
    let world = World::over(store, Vec::new(), Access::Writer);
    let (shown, _) = view(&world, &since, "crlf.txt");
    revert(&world, &since, shown, hunk("crlf.txt", 0));
    let (shown, _) = view(&world, &since, "crlf.txt");
    revert(&world, &since, shown, hunk("crlf.txt", 0));
    assert_eq!(world.file("crlf.txt"), Some(crlf("one", "ten")));
}

#[test]
fn a_kernel_killed_at_any_step_has_taken_back_all_or_nothing() {
    let (first, since) = world();
    let shown = list(&first, &since).generation;
    let before = all_files(&first);
    for meant in [hunk("crlf.txt", 1), Reverting::All] {
        let mut seen = Vec::new();
        for steps in 1.. {
            let store = Rc::new(first.store.snapshot());
            let world = World::over(store, Vec::new(), Access::Writer);
            let mut work = world.start_slowly(Command::Revert {
                since: since.clone(),
                shown,
                meant: meant.clone(),
            });
            let is_done = (0..steps).any(|_| support::poll_on(work.as_mut()).0.is_ready());
            drop(work);
            let now = all_files(&world);
            if seen.last() != Some(&now) {
                seen.push(now);
            }
            if is_done {
                break;
            }
        }
        assert_eq!((seen.len(), &seen[0]), (2, &before), "{meant:?}");
    }
}

#[test]
fn images_and_large_files_are_shown_by_what_they_are() {
    let world = World::new(vec![
        Reply::calls(&[("copy", json!({ "from": "in/a.png", "to": "b.png" }))]),
        Reply::calls(&[
            ("delete", json!({ "path": "in/a.png" })),
            (
                "append_file",
                json!({ "path": "large.txt", "content": "more" }),
            ),
        ]),
        Reply::text("Done."),
    ]);
    world.put_file("in/a.png", vec![0x89, 0, 1]);
    world.put_file("large.txt", "x\n".repeat(600_000));
    let since = Since::LastRun(world.send("Go"));
    let all = [
        "b.png New +0 -0",
        "in/a.png Deleted +0 -0",
        "large.txt Binary +0 -0",
    ];
    assert_eq!(lines(&list(&world, &since)), all);
    let image = ChangeView::Image {
        mime: "image/png".into(),
        was: None,
        is: Some(vec![0x89, 0, 1]),
    };
    assert_eq!(view(&world, &since, "b.png").1, image);
    let sizes = ChangeView::Sizes {
        was: Some(1_200_000),
        is: Some(1_200_004),
    };
    assert_eq!(view(&world, &since, "large.txt").1, sizes);
}

#[test]
fn many_files_come_by_pages() {
    let files: Vec<_> = (0..450).map(|n| (format!("f/{n:03}"), "x\n")).collect();
    let calls: Vec<_> = files.iter().map(|(path, text)| write(path, text)).collect();
    let world = World::new(vec![Reply::calls(&calls), Reply::text("Done.")]);
    let since = Since::LastRun(world.send("Go"));
    let sizes = [0, 200, 400].map(|from| {
        let page = list_page(&world, &since, Some(from));
        (page.total, page.files.len())
    });
    assert_eq!(sizes, [(450, 200), (450, 200), (450, 50)]);
}

#[test]
fn before_an_undo_it_is_told_what_it_would_do() {
    let (world, since) = world();
    let Since::LastRun(session) = since else {
        panic!();
    };
    let all = outlook(&world, &session, 0);
    assert_eq!((all.rounds, all.total, all.refusal), (4, 5, None));
    let last = world.records(&session).last().unwrap().seq;
    let nothing = outlook(&world, &session, last);
    assert_eq!(
        (nothing.rounds, nothing.total, nothing.refusal),
        (0, 0, None)
    );
    // Somebody else has written to one of its files.
    let asked = Cell::new(false);
    world
        .endpoint
        .answer_by(move |_| match asked.replace(true) {
            false => Reply::calls(&[write("new/deep/file.txt", "mine")]),
            true => Reply::text("Done."),
        });
    let other = world.send("Another session");
    let refused = outlook(&world, &session, 0);
    assert_eq!(
        refused.refusal,
        Some(Refusal::Changed("new/deep/file.txt".into())),
        "{refused:?} {:?}",
        world.results(&other)
    );
}
