//! What the user does with files by hand: each deed is one commit, with plain errors, and
//! can be undone.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use support::World;
use support::tools::bytes;
use tabloop::kernel::workspace::{PathProblem, Version};
use tabloop::protocol::{
    Access, Command, Event, FileProblem, Notice, SaveOutcome, TreeChange, TreeOutcome,
};

fn world(files: &[(&str, &str)]) -> World {
    let world = World::new(Vec::new());
    for (path, content) in files {
        world.put_file(path, *content);
    }
    world
}

/// What became of a change, and how the files were told to have changed by it: new ones
/// with a plus, others with a minus.
fn change(world: &World, change: TreeChange) -> (TreeOutcome, String) {
    let before = world.events.borrow().len();
    world.handle(Command::ChangeTree(change.clone()));
    let events = world.events.borrow()[before..].to_vec();
    let mut told = String::new();
    let mut outcome = None;
    for event in events {
        match event {
            Event::TreeChanged {
                change: of,
                outcome: is,
            } => {
                assert_eq!(of, change);
                assert_eq!(
                    told, "",
                    "the files are told after what became of the change"
                );
                outcome = Some(is);
            }
            Event::FilesChanged { rows, removed, .. } => {
                removed.iter().for_each(|path| told += &format!("-{path} "));
                rows.iter()
                    .for_each(|row| told += &format!("+{} ", row.path));
            }
            other => panic!("{other:?}"),
        }
    }
    (outcome.unwrap(), told.trim_end().to_owned())
}

fn done(world: &World, of: TreeChange) -> (usize, u64, String) {
    match change(world, of) {
        (
            TreeOutcome::Done {
                files, generation, ..
            },
            told,
        ) => (files, generation, told),
        (not, _) => panic!("{not:?}"),
    }
}

fn not_done(world: &World, of: TreeChange) -> FileProblem {
    match change(world, of) {
        (TreeOutcome::NotDone(problem), told) if told.is_empty() => problem,
        other => panic!("{other:?}"),
    }
}

fn new_file(path: &str) -> TreeChange {
    TreeChange::NewFile(path.into())
}

fn moving(from: &str, to: &str) -> TreeChange {
    let (from, to) = (from.into(), to.into());
    TreeChange::Move { from, to }
}

#[test]
fn files_and_folders_are_made_moved_and_deleted_and_that_is_undone() {
    let world = world(&[("src/a.rs", "a"), ("src/deep/b.rs", "b"), ("c.md", "c")]);
    let (files, _, told) = done(&world, new_file("notes/new.md"));
    assert_eq!((files, told.as_str()), (1, "+notes +notes/new.md"));
    assert_eq!(bytes(&world, "notes/new.md"), Some(Vec::new()));
    let (_, _, told) = done(&world, TreeChange::NewFolder("empty".into()));
    assert_eq!(told, "+empty");

    let (files, moved, told) = done(&world, moving("src", "lib/core"));
    assert_eq!(files, 2);
    assert_eq!(
        told,
        "-src -src/a.rs -src/deep -src/deep/b.rs \
         +lib +lib/core +lib/core/a.rs +lib/core/deep +lib/core/deep/b.rs"
    );
    assert_eq!(bytes(&world, "lib/core/deep/b.rs"), Some(b"b".to_vec()));

    let (files, deleted, told) = done(&world, TreeChange::Delete("lib".into()));
    assert_eq!(files, 2);
    assert_eq!(told.matches('-').count(), 5);
    // The newest first: then all is as it was.
    done(&world, TreeChange::Undo(deleted));
    assert_eq!(bytes(&world, "lib/core/a.rs"), Some(b"a".to_vec()));
    done(&world, TreeChange::Undo(moved));
    assert_eq!(bytes(&world, "src/deep/b.rs"), Some(b"b".to_vec()));
    assert_eq!(bytes(&world, "lib/core/a.rs"), None);
}

#[test]
fn what_can_t_be_done_is_told_and_changes_nothing() {
    let world = world(&[("src/a.rs", "a"), ("b.md", "b")]);
    let taken = |path: &str| FileProblem::Taken(path.into());
    assert_eq!(not_done(&world, new_file("b.md")), taken("b.md"));
    assert_eq!(
        not_done(&world, TreeChange::NewFolder("src".into())),
        taken("src")
    );
    assert_eq!(
        not_done(&world, new_file("b.md/c")),
        FileProblem::IsFile("b.md".into())
    );
    for (path, problem) in [
        ("", PathProblem::Root),
        ("..", PathProblem::Outside),
        ("a:b", PathProblem::Signs),
        ("CON", PathProblem::Device),
        ("a.", PathProblem::Edges),
    ] {
        let bad = FileProblem::Path(problem);
        assert_eq!(not_done(&world, new_file(path)), bad, "{path:?}");
        assert_eq!(not_done(&world, moving("b.md", path)), bad, "{path:?}");
    }
    assert_eq!(not_done(&world, moving("b.md", "src")), taken("src"));
    assert_eq!(
        not_done(&world, moving("src", "src/in")),
        FileProblem::Inside
    );
    let gone = FileProblem::Gone("x".into());
    assert_eq!(not_done(&world, moving("x", "y")), gone);
    assert_eq!(not_done(&world, TreeChange::Delete("x".into())), gone);
}

#[test]
fn what_was_deleted_does_not_come_back_over_something_new() {
    let world = world(&[("a.md", "old")]);
    let (_, deleted, _) = done(&world, TreeChange::Delete("a.md".into()));
    world.put_file("a.md", "new");
    assert_eq!(
        not_done(&world, TreeChange::Undo(deleted)),
        FileProblem::Changed("a.md".into())
    );
    assert_eq!(world.file("a.md").as_deref(), Some("new"));
}

fn opened(world: &World, path: &str) -> (Option<Version>, Vec<u8>) {
    world.handle(Command::EditFile(path.into()));
    match world.events.borrow().last() {
        Some(Event::FileToEdit { version, bytes, .. }) => (version.clone(), bytes.clone()),
        other => panic!("{other:?}"),
    }
}

fn save(world: &World, path: &str, content: &[u8], base: Option<Version>) -> SaveOutcome {
    let before = world.events.borrow().len();
    world.handle(Command::SaveFile {
        path: path.into(),
        content: content.to_vec(),
        base,
    });
    match &world.events.borrow()[before] {
        Event::FileSaved { outcome, .. } => outcome.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_edit_is_saved_only_over_the_version_it_was_made_from() {
    let world = world(&[("a.md", "one")]);
    let (base, bytes_of) = opened(&world, "a.md");
    assert_eq!(bytes_of, b"one");
    let SaveOutcome::Saved(second) = save(&world, "a.md", b"\xEF\xBB\xBFtwo\r\n", base.clone())
    else {
        panic!("not saved");
    };
    assert_eq!(bytes(&world, "a.md"), Some(b"\xEF\xBB\xBFtwo\r\n".to_vec()));
    // Another tab still holds the first version.
    assert_eq!(save(&world, "a.md", b"three", base), SaveOutcome::Changed);
    assert_eq!(opened(&world, "a.md").0, Some(second.clone()));
    done(&world, TreeChange::Delete("a.md".into()));
    assert_eq!(opened(&world, "a.md"), (None, Vec::new()));
    assert_eq!(
        save(&world, "a.md", b"x", Some(second)),
        SaveOutcome::Changed
    );
    // Put back on purpose: nothing may be there.
    assert!(matches!(
        save(&world, "a.md", b"x", None),
        SaveOutcome::Saved(_)
    ));
    assert_eq!(save(&world, "a.md", b"y", None), SaveOutcome::Changed);
    assert_eq!(world.file("a.md").as_deref(), Some("x"));
}

#[test]
fn a_tab_that_only_looks_changes_nothing() {
    let writer = world(&[("a.md", "one")]);
    let reader = World::over(Rc::clone(&writer.store), Vec::new(), Access::Reader);
    let (base, _) = opened(&reader, "a.md");
    for command in [
        Command::ChangeTree(TreeChange::Delete("a.md".into())),
        Command::SaveFile {
            path: "a.md".into(),
            content: b"two".to_vec(),
            base,
        },
    ] {
        reader.handle(command);
        let last = reader.events.borrow().last().cloned();
        assert_eq!(last, Some(Event::Notice(Notice::ReadOnly)));
    }
    assert_eq!(writer.file("a.md").as_deref(), Some("one"));
}
