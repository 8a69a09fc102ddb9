//! Scripts of the model as the kernel sees them: a twin of the page's frame answers.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::endpoint::Reply;
use support::frame::{answer, done, gone, orders, say, told, world};
use support::{World, task};
use tabloop::kernel::approval::{Action, ApprovalMode, Rule};
use tabloop::kernel::event::{About, Reply as Answer};
use tabloop::protocol::{Command, Gone, Order};

fn script(code: &str) -> World {
    world("run_js", json!({ "code": code }))
}

#[test]
fn what_a_script_prints_and_gives_back_is_told() {
    let world = script("console.log('one'); 6 * 7");
    let text = told(&world, |scene| {
        say(
            &world,
            scene,
            json!({"Printed": {"lines": ["one", "two"], "more": 0}}),
            b"",
        );
        say(&world, scene, done(Some("42")), b"");
    });
    assert_eq!(text, "one\ntwo\n→ 42");
    let (scene, last) = orders(&world).pop().unwrap();
    assert_eq!((scene, last), (1, Order::Close), "the frame is taken away");
}

#[test]
fn a_script_reads_and_writes_files_and_sees_what_it_wrote() {
    let world = script("…");
    world.put_file("data/a.txt", "alpha");
    world.put_file("old.txt", "old");
    let text = told(&world, |scene| {
        say(&world, scene, json!({"List": {"n": 1, "path": ""}}), b"");
        assert_eq!(answer(&world).0["paths"], json!(["data/a.txt", "old.txt"]));
        say(
            &world,
            scene,
            json!({"Read": {"n": 2, "path": "data/a.txt"}}),
            b"",
        );
        assert_eq!(answer(&world).1, b"alpha");
        say(
            &world,
            scene,
            json!({"Write": {"n": 3, "path": "data/b.txt"}}),
            b"beta",
        );
        say(
            &world,
            scene,
            json!({"Delete": {"n": 4, "path": "old.txt"}}),
            b"",
        );
        say(
            &world,
            scene,
            json!({"Read": {"n": 5, "path": "old.txt"}}),
            b"",
        );
        let (gone, _) = answer(&world);
        assert!(
            gone["problem"]
                .as_str()
                .unwrap()
                .contains("there is no file old.txt")
        );
        say(&world, scene, json!({"List": {"n": 6, "path": "/"}}), b"");
        assert_eq!(
            answer(&world).0["paths"],
            json!(["data/a.txt", "data/b.txt"])
        );
        assert_eq!(
            world.file("data/b.txt"),
            None,
            "nothing is written before the end"
        );
        say(&world, scene, done(None), b"");
    });
    assert_eq!(text, "[wrote data/b.txt (4 bytes), deleted old.txt]");
    assert_eq!(world.file("data/b.txt").as_deref(), Some("beta"));
    assert_eq!(world.file("old.txt"), None);
}

#[test]
fn a_script_that_fails_writes_nothing_and_says_where() {
    let world = script("…");
    world.put_file("a.txt", "as it was");
    let text = told(&world, |scene| {
        say(
            &world,
            scene,
            json!({"Write": {"n": 1, "path": "a.txt"}}),
            b"new",
        );
        say(
            &world,
            scene,
            json!({"Printed": {"lines": ["so far"], "more": 3}}),
            b"",
        );
        say(
            &world,
            scene,
            json!({"Threw": {"problem": "TypeError: x is not a function (line 3, column 7)"}}),
            b"",
        );
    });
    assert_eq!(
        text,
        "Error: TypeError: x is not a function (line 3, column 7)\nNothing was written.\nConsole:\nso far\n[3 more lines were printed]"
    );
    assert_eq!(world.file("a.txt").as_deref(), Some("as it was"));
}

#[test]
fn a_script_without_an_end_is_ended() {
    let world = script("for (;;);");
    let text = told(&world, |_| {});
    assert!(
        text.starts_with("Error: the script took longer than 30 s and was ended"),
        "{text}"
    );
    assert_eq!(orders(&world).pop().unwrap().1, Order::Close);
}

#[test]
fn stop_takes_the_frame_away() {
    let world = script("for (;;);");
    let mut run = world.start(task(None, "Go"));
    assert!(matches!(orders(&world)[..], [(1, Order::Run { .. })]));
    world.handle(Command::Stop(world.session()));
    assert!(run.settle(), "the run has ended");
    assert_eq!(orders(&world).pop(), Some((1, Order::Close)));
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written_over() {
    let world = World::with_sandbox(vec![
        Reply::calls(&[("run_js", json!({ "code": "…" }))]),
        Reply::calls(&[("write_file", json!({ "path": "a.txt", "content": "two" }))]),
        Reply::text("Changed."),
        Reply::text("Done."),
    ]);
    world.put_file("a.txt", "one");
    // What is asked about leaves others their turn.
    let rule = Rule {
        tool: "run_js".into(),
        target: "**".into(),
        action: Action::Ask,
    };
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Dangerous,
        rules: vec![rule],
    });
    let mut run = world.start(task(None, "Go"));
    let session = world.session();
    say(&world, 1, json!({"Read": {"n": 1, "path": "a.txt"}}), b"");
    run.settle();
    say(
        &world,
        1,
        json!({"Write": {"n": 2, "path": "a.txt"}}),
        b"mine",
    );
    run.settle();
    world.send("Change it");
    say(&world, 1, done(None), b"");
    run.finish();
    let results = world.results(&session);
    assert!(
        results[0].starts_with("Error: a.txt changed since it was read"),
        "{results:?}"
    );
    assert_eq!(world.file("a.txt").as_deref(), Some("two"));
}

#[test]
fn what_a_script_would_do_to_files_is_asked_about() {
    let world = script("…");
    world.put_file("a.txt", "one\n");
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    let mut run = world.start(task(None, "Go"));
    say(
        &world,
        1,
        json!({"Write": {"n": 1, "path": "a.txt"}}),
        b"two\n",
    );
    say(&world, 1, done(None), b"");
    run.settle();
    let (_, question) = world.questions().remove(0);
    let About::Approval { changes, .. } = question.about else {
        panic!("{question:?}");
    };
    assert_eq!(changes[0].path, "a.txt");
    assert_eq!((changes[0].added, changes[0].removed), (1, 1));
    world.answer(Answer::No {
        word: "Leave it.".into(),
    });
    run.finish();
    assert_eq!(world.file("a.txt").as_deref(), Some("one\n"));
}

#[test]
fn a_script_reads_no_file_that_the_rules_guard() {
    let world = script("…");
    world.put_file("secret/plan.txt", "hush");
    let rule = Rule {
        tool: "read_file".into(),
        target: "secret/**".into(),
        action: Action::Deny,
    };
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Never,
        rules: vec![rule],
    });
    told(&world, |scene| {
        say(
            &world,
            scene,
            json!({"Read": {"n": 1, "path": "secret/plan.txt"}}),
            b"",
        );
        let (refused, bytes) = answer(&world);
        assert!(
            refused["problem"].as_str().unwrap().contains("rules"),
            "{refused}"
        );
        assert!(bytes.is_empty());
        say(&world, scene, done(None), b"");
    });
}

#[test]
fn a_script_changes_no_file_that_a_rule_guards() {
    for action in [Action::Deny, Action::Ask] {
        let world = script("…");
        world.put_file("keep/a.txt", "kept");
        let rule = Rule {
            tool: "write_file".into(),
            target: "keep/**".into(),
            action,
        };
        world.handle(Command::SaveApproval {
            mode: ApprovalMode::Never,
            rules: vec![rule],
        });
        told(&world, |scene| {
            say(
                &world,
                scene,
                json!({"Read": {"n": 1, "path": "keep/a.txt"}}),
                b"",
            );
            say(
                &world,
                scene,
                json!({"Write": {"n": 2, "path": "keep/a.txt"}}),
                b"new",
            );
            let refused = answer(&world).0["problem"].to_string();
            assert!(refused.contains("rules"), "{refused}");
            say(&world, scene, done(None), b"");
        });
        assert_eq!(world.file("keep/a.txt").as_deref(), Some("kept"));
    }
}

#[test]
fn what_leads_out_of_the_workspace_or_is_no_line_is_refused() {
    let world = script("…");
    told(&world, |scene| {
        for path in ["../x", "/../x", "a/../../x", "nul\0", ""] {
            say(
                &world,
                scene,
                json!({"Write": {"n": 1, "path": path}}),
                b"x",
            );
            assert!(
                answer(&world).0["problem"].is_string(),
                "{path:?} was taken"
            );
        }
        for line in [
            json!({"Command": "Stop"}),
            json!([1, 2]),
            json!({"Write": {}}),
        ] {
            say(&world, scene, line, b"x");
        }
        say(&world, scene, done(Some("still here")), b"");
    });
}

#[test]
fn a_script_that_says_too_much_is_ended() {
    let world = script("…");
    let text = told(&world, |scene| {
        let much = vec![0; 32 << 20];
        for n in 1..4 {
            say(
                &world,
                scene,
                json!({"Write": {"n": n, "path": "big.bin"}}),
                &much,
            );
        }
        say(&world, scene, done(None), b"");
    });
    assert!(text.starts_with("Error: it said more than 64 MB"), "{text}");
    assert_eq!(world.file("big.bin"), None);
}

#[test]
fn console_lines_beyond_all_bounds_are_counted_only() {
    let world = script("…");
    let text = told(&world, |scene| {
        for _ in 0..40 {
            say(
                &world,
                scene,
                json!({"Printed": {"lines": ["x".repeat(100_000)], "more": 0}}),
                b"",
            );
        }
        say(&world, scene, done(None), b"");
    });
    assert!(
        text.len() < 20_000 && text.ends_with("[37 more lines were printed]"),
        "{}",
        text.len()
    );
}

#[test]
fn a_frame_that_is_gone_is_told_in_words() {
    for (why, words) in [
        (Gone::NotLoaded, "could not be loaded"),
        (Gone::Silent, "stopped answering"),
        (Gone::Closed, "was closed before it was done"),
    ] {
        let world = script("…");
        let text = told(&world, |scene| gone(&world, scene, why));
        assert!(
            text.starts_with("Error: ") && text.contains(words),
            "{text}"
        );
    }
}
