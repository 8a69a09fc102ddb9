//! Foreign code as the kernel sees it: a twin of the page's frame answers in its place.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::endpoint::Reply;
use support::invariants::check_transcript;
use support::{Started, World, task};
use tabloop::kernel::approval::{Action, ApprovalMode, Rule};
use tabloop::kernel::event::{About, Reply as Answer};
use tabloop::protocol::{Command, Event, Gone, Order, Parcel, Said};

thread_local! {
    /// The run that the frame belongs to: it goes on whenever something is said.
    static RUN: RefCell<Option<Started>> = const { RefCell::new(None) };
}

/// A world whose model makes one call, then ends.
fn world(name: &str, args: serde_json::Value) -> World {
    World::with_sandbox(vec![Reply::calls(&[(name, args)]), Reply::text("Done.")])
}

fn script(code: &str) -> World {
    world("run_js", json!({ "code": code }))
}

/// What the kernel wanted of frames.
fn orders(world: &World) -> Vec<(u32, Order)> {
    let events = world.events.borrow();
    let orders = events.iter().filter_map(|event| match event {
        Event::Stage { scene, order } => Some((*scene, order.clone())),
        _ => None,
    });
    orders.collect()
}

/// Says a line in the frame `scene`.
#[track_caller]
fn say(world: &World, scene: u32, line: serde_json::Value, bytes: &[u8]) {
    let parcel = Parcel {
        text: line.to_string(),
        bytes: bytes.to_vec(),
    };
    let said = Said::Parcel(parcel);
    world.handle(Command::Staged { scene, said });
    if let Some(run) = RUN.borrow_mut().as_mut() {
        run.settle();
    }
}

fn gone(world: &World, scene: u32, gone: Gone) {
    let said = Said::Gone(gone);
    world.handle(Command::Staged { scene, said });
}

/// The kernel's last answer in a frame.
fn answer(world: &World) -> (serde_json::Value, Vec<u8>) {
    match orders(world).pop() {
        Some((_, Order::Say(parcel))) => {
            (serde_json::from_str(&parcel.text).unwrap(), parcel.bytes)
        }
        other => panic!("{other:?} is no answer"),
    }
}

/// Runs `play` as the frame, and gives what the model was told.
fn told(world: &World, play: impl FnOnce(u32)) -> String {
    RUN.replace(Some(world.start(task(None, "Go"))));
    let (scene, order) = orders(world).pop().expect("a frame is opened");
    assert!(matches!(order, Order::Run { .. } | Order::Show { .. }));
    play(scene);
    RUN.take().unwrap().finish();
    let session = world.session();
    check_transcript(&world.records(&session));
    world.results(&session).remove(0)
}

fn done(value: Option<&str>) -> serde_json::Value {
    json!({ "Done": { "value": value } })
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

#[test]
fn a_preview_gets_its_files_and_its_console_errors_and_text_are_told() {
    let world = world("preview", json!({"path": "site/index.html"}));
    world.put_file("site/index.html", "<h1>Hi</h1>");
    let text = told(&world, |scene| {
        say(
            &world,
            scene,
            json!({"Read": {"n": 1, "path": "site/index.html"}}),
            b"",
        );
        assert_eq!(answer(&world).1, b"<h1>Hi</h1>");
        say(
            &world,
            scene,
            json!({"Read": {"n": 2, "path": "site/app.js"}}),
            b"",
        );
        assert!(
            answer(&world).0["problem"]
                .as_str()
                .unwrap()
                .contains("there is no file site/app.js")
        );
        say(
            &world,
            scene,
            json!({"Printed": {"lines": ["error: x is not defined (site/app.js:3:1)"], "more": 0}}),
            b"",
        );
        let shown =
            json!({"title": "Hi", "width": 380, "height": 700, "text": "Hi\n", "restless": false});
        say(&world, scene, json!({ "Shown": shown }), b"");
    });
    assert_eq!(
        text,
        "Shown to the user: site/index.html, \"Hi\", 380 × 700\nConsole:\nerror: x is not defined (site/app.js:3:1)\nVisible text:\nHi"
    );
    assert!(
        !orders(&world).contains(&(1, Order::Close)),
        "the page stays for the user"
    );
}

#[test]
fn a_page_that_stays_goes_on_getting_its_files() {
    let world = World::with_sandbox(Vec::new());
    world.put_file("index.html", "<p>Hi</p>");
    world.handle(Command::OpenPreview("index.html".into()));
    assert_eq!(
        orders(&world),
        [(
            1,
            Order::Show {
                path: "index.html".into()
            }
        )]
    );
    say(
        &world,
        1,
        json!({"Read": {"n": 7, "path": "index.html"}}),
        b"",
    );
    let (told, bytes) = answer(&world);
    assert_eq!(
        (told["n"].clone(), bytes),
        (json!(7), b"<p>Hi</p>".to_vec())
    );
    say(
        &world,
        1,
        json!({"Write": {"n": 8, "path": "index.html"}}),
        b"changed",
    );
    assert_eq!(world.file("index.html").as_deref(), Some("<p>Hi</p>"));
}

#[test]
fn a_page_that_hangs_is_told_with_what_it_printed() {
    let world = world("preview", json!({"path": "a.html"}));
    world.put_file("a.html", "<script>for(;;);</script>");
    let text = told(&world, |scene| {
        say(
            &world,
            scene,
            json!({"Printed": {"lines": ["begins"], "more": 0}}),
            b"",
        );
        gone(&world, scene, Gone::Silent);
    });
    assert!(
        text.starts_with("Error: a.html: it stopped answering and was closed: an endless loop"),
        "{text}"
    );
    assert!(text.ends_with("Console:\nbegins"), "{text}");
}

#[test]
fn one_page_is_shown_after_the_other() {
    let world = World::with_sandbox(vec![
        Reply::calls(&[
            ("preview", json!({"path": "a.html"})),
            ("preview", json!({"path": "b.html"})),
        ]),
        Reply::text("Done."),
    ]);
    for path in ["a.html", "b.html"] {
        world.put_file(path, path);
    }
    let mut run = world.start(task(None, "Go"));
    let shown =
        json!({"Shown": {"title": "", "width": 1, "height": 1, "text": "", "restless": false}});
    assert_eq!(orders(&world).len(), 1);
    say(&world, 1, shown.clone(), b"");
    run.settle();
    assert_eq!(
        orders(&world)[1],
        (
            2,
            Order::Show {
                path: "b.html".into()
            }
        )
    );
    say(&world, 2, shown, b"");
    run.finish();
    let results = world.results(&world.session());
    assert!(
        results[0].contains("a.html") && results[1].contains("b.html"),
        "{results:?}"
    );
}

#[test]
fn a_preview_of_nothing_opens_no_frame() {
    let world = world("preview", json!({"path": "none.html"}));
    world.send("Go");
    assert!(orders(&world).is_empty());
    let results = world.results(&world.session());
    assert!(
        results[0].starts_with("Error: there is no file none.html"),
        "{results:?}"
    );
}
