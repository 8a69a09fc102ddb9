//! Pages of the workspace as the kernel sees them: a twin of the page's frame answers.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::endpoint::Reply;
use support::frame::{answer, gone, orders, say, told, world};
use support::{World, task};
use tabloop::protocol::{Command, Gone, Order};

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
