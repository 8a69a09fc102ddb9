//! Images that the model reads: shown behind the results, kept as names alone, and left
//! out where they are not taken.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::endpoint::Reply;
use support::invariants::check_transcript;
use support::{BASE_URL, KEY, World, draft, task};
use tabloop::kernel::event::{AgentEvent, StopReason};
use tabloop::kernel::session::Entry;
use tabloop::kernel::settings::{Images, ProfileDraft, Refused, RequestOptions};
use tabloop::kernel::workspace::Version;
use tabloop::protocol::{Access, Command, Event};

/// A PNG of 64 × 48 dots, as far as its first and last bytes tell.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x40\0\0\0\x30\x08\x06\0\0\0\0\0\0\0\0\0\0\0IEND\xAE\x42\x60\x82";
const ADDRESS: &str =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAYAAAAAAAAAAAAAAElFTkSuQmCC";
const TOLD: &str = "logo.png is a PNG image of 64 × 48 pixels, 45 bytes.";

fn read(paths: &[&str]) -> Reply {
    let calls: Vec<(&str, Json)> = paths
        .iter()
        .map(|path| ("read_file", json!({ "path": path })))
        .collect();
    Reply::calls(&calls)
}

/// A world with an image and a text.
fn world(replies: Vec<Reply>) -> World {
    let world = World::new(replies);
    world.put_file("logo.png", PNG);
    world.put_file("a.md", "text");
    world
}

fn messages(world: &World, request: usize) -> Vec<Json> {
    world.endpoint.requests()[request].body["messages"]
        .as_array()
        .unwrap()
        .clone()
}

fn refusal(message: &str) -> Reply {
    let error = json!({ "error": { "message": message } });
    Reply::error(400, &error.to_string())
}

/// How often an image is in a request.
fn images(world: &World, request: usize) -> usize {
    let raw = &world.endpoint.requests()[request].raw;
    raw.matches("\"type\":\"image_url\"").count()
}

fn shown(text: &str, addresses: &[&str]) -> Json {
    let mut parts = vec![json!({ "type": "text", "text": text })];
    let part = |url: &&str| json!({ "type": "image_url", "image_url": { "url": url } });
    parts.extend(addresses.iter().map(part));
    json!({ "role": "user", "content": parts })
}

#[test]
fn an_image_stands_behind_all_results_of_its_round() {
    let world = world(vec![
        read(&["logo.png", "a.md"]),
        Reply::text("A logo."),
        Reply::text("Still there."),
    ]);
    let session = world.send("What is it?");
    check_transcript(&world.records(&session));
    let sent = messages(&world, 1);
    let [.., first, second, behind] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(
        first["content"],
        format!("{TOLD}\n[It is shown behind the results.]")
    );
    assert!(second["content"].as_str().unwrap().contains("1\ttext"));
    assert_eq!(
        *behind,
        shown("[Tabloop] Shown as read: logo.png", &[ADDRESS])
    );
    // The next run goes on from the same messages (each request's start is checked).
    world.handle(task(Some(session.clone()), "And now?"));
    assert!(messages(&world, 2).contains(behind));
    // What is kept names the image and does not hold it.
    let kept = format!("{:?}", world.records(&session));
    assert!(!kept.contains("iVBORw0KGgo"));
}

#[test]
fn what_counts_are_the_bytes_and_not_the_name() {
    let world = world(vec![
        read(&["notes.txt", "fake.png", "cut.png"]),
        Reply::text("Well."),
    ]);
    world.put_file("notes.txt", PNG);
    world.put_file("fake.png", "not a picture");
    world.put_file("cut.png", &PNG[..40]);
    let session = world.send("Look");
    let results = world.results(&session);
    assert_eq!(
        results[0],
        "notes.txt is a PNG image of 64 × 48 pixels, 45 bytes."
    );
    assert!(results[1].contains("1\tnot a picture"), "{}", results[1]);
    assert_eq!(
        results[2],
        "Error: cut.png is a damaged PNG image of 40 bytes, so it can't be shown; ask the user for a whole one"
    );
    assert_eq!(images(&world, 1), 1);
}

#[test]
fn the_same_image_is_sent_once() {
    let world = world(vec![
        read(&["logo.png"]),
        read(&["logo.png"]),
        Reply::text("The same."),
    ]);
    world.send("Look twice");
    assert_eq!(images(&world, 2), 1);
    let last = messages(&world, 2).pop().unwrap();
    assert_eq!(last["content"], format!("{TOLD}\n[It is shown already.]"));
}

#[test]
fn after_a_reload_the_same_bytes_are_sent() {
    let store = Rc::default();
    let first = World::over(
        Rc::clone(&store),
        vec![read(&["logo.png"]), Reply::text("A logo.")],
        Access::Writer,
    );
    first.connect();
    first.put_file("logo.png", PNG);
    let session = first.send("What is it?");
    // The file is another one now; what was looked at is kept.
    first.put_file("logo.png", "gone");
    let second = World::over(store, vec![Reply::text("It was.")], Access::Writer);
    second.connect();
    second.endpoint.goes_on_from(&first.endpoint);
    second.handle(task(Some(session), "Was it?"));
    assert_eq!(images(&second, 0), 1);
    assert!(second.endpoint.requests()[0].raw.contains(ADDRESS));
}

#[test]
fn a_trace_holds_no_bytes_of_images() {
    let world = world(vec![
        read(&["logo.png"]),
        read(&["a.md"]),
        Reply::text("Done."),
    ]);
    let session = world.send("Go");
    world.handle(Command::OpenTrace(session));
    let events = world.events.borrow();
    let trace = events.iter().rev().find_map(|event| match event {
        Event::TraceOpened { rounds, .. } => Some(format!("{rounds:?}")),
        _ => None,
    });
    let trace = trace.unwrap();
    assert!(trace.contains("data:image/png;base64,…"), "{trace}");
    assert!(!trace.contains("iVBORw0KGgo"));
}

#[test]
fn a_host_that_takes_none_is_asked_without_and_the_model_is_told() {
    for refused in [
        "messages[3]: unknown variant `image_url`, expected `text`",
        "Invalid content type. image_url is only supported by certain models.",
        "image input is not supported - hint: you may need to provide the mmproj",
    ] {
        let world = world(vec![
            read(&["logo.png"]),
            refusal(refused),
            Reply::text("I can't see it."),
            read(&["logo.png"]),
            Reply::text("Still not."),
        ]);
        let session = world.send("What is it?");
        world.handle(task(Some(session.clone()), "Again"));
        assert_eq!(
            world.reasons(&session),
            [StopReason::Completed, StopReason::Completed]
        );
        let lessons = world.settings().kept.profiles.remove(0).lessons;
        assert_eq!(lessons.len(), 1);
        assert_eq!(lessons[0].refused, Refused::Pictures);
        let told = world.agent_events().into_iter();
        let told = told.filter(|event| matches!(event, AgentEvent::Learned { .. }));
        assert_eq!(told.count(), 1, "it is told once");
        for request in [2, 4] {
            let last = messages(&world, request).pop().unwrap();
            assert_eq!(last["role"], "tool");
            assert_eq!(
                last["content"],
                format!("{TOLD}\n[This model takes no images, so it is not shown.]")
            );
            assert_eq!(images(&world, request), 0);
        }
    }
}

#[test]
fn an_image_that_the_host_refuses_is_left_out_alone() {
    for refused in [
        "Could not process image",
        "image exceeds 5 MB maximum: 5819200 bytes > 5242880 bytes",
        "This image shows what our usage policies do not allow",
        "This model does not support images larger than 8000 pixels",
    ] {
        one_image_is_left_out(refused);
    }
}

fn one_image_is_left_out(refused: &str) {
    let world = world(vec![
        read(&["logo.png"]),
        read(&["odd.gif"]),
        refusal(refused),
        Reply::text("I see one."),
    ]);
    world.put_file("odd.gif", b"GIF89a\x10\0\x10\0\xff".as_slice());
    let session = world.send("Look");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    assert_eq!([images(&world, 2), images(&world, 3)], [2, 1]);
    let version = Version::of(b"GIF89a\x10\0\x10\0\xff");
    assert_eq!(
        world.settings().kept.profiles[0].lessons[0].refused,
        Refused::Picture(version.as_str().to_owned())
    );
    let last = messages(&world, 3).pop().unwrap();
    let told = last["content"].as_str().unwrap();
    assert!(
        told.ends_with("refused this image, so it is not shown; others may be.]"),
        "{told}"
    );
}

#[test]
fn the_user_and_what_is_known_say_whether_images_are_sent() {
    for (model, choice, sent) in [
        ("gpt-4.1-mini", Images::Auto, 1),
        ("openai/gpt-oss-20b", Images::Auto, 0),
        ("openai/gpt-oss-20b", Images::Always, 1),
        ("gpt-4.1-mini", Images::Never, 0),
        ("nobody-knows", Images::Auto, 1),
    ] {
        let world = world(vec![read(&["logo.png"]), Reply::text("Well.")]);
        let id = world.settings().kept.profiles[0].id.clone();
        world.save(
            Some(&id),
            ProfileDraft {
                options: Some(RequestOptions {
                    images: choice,
                    ..RequestOptions::default()
                }),
                ..draft(BASE_URL, KEY, model)
            },
        );
        world.send("What is it?");
        assert_eq!(images(&world, 1), sent, "{model} {choice:?}");
    }
}

#[test]
fn a_host_that_lists_what_its_models_take_is_believed() {
    let list = json!({ "data": [
        { "id": "blind", "architecture": { "input_modalities": ["text"] } },
        { "id": "openai/gpt-oss-20b", "architecture": { "input_modalities": ["text", "image"] } },
        { "id": "sees", "capabilities": { "vision": true } },
        { "id": "not", "capabilities": { "vision": false } },
        { "id": "odd", "architecture": { "input_modalities": [] }, "capabilities": "vision" },
    ] });
    for (model, sent) in [
        ("blind", 0),
        ("openai/gpt-oss-20b", 1),
        ("sees", 1),
        ("not", 0),
        ("odd", 1),
    ] {
        let world = world(vec![read(&["logo.png"]), Reply::text("Well.")]);
        let id = world.settings().kept.profiles[0].id.clone();
        world
            .endpoint
            .add_list(Reply::error(200, &list.to_string()));
        world.handle(Command::ListModels {
            id: Some(id.clone()),
            draft: None,
        });
        world.save(Some(&id), draft(BASE_URL, KEY, model));
        world.send("What is it?");
        assert_eq!(images(&world, 1), sent, "{model}");
    }
}

#[test]
fn an_image_that_is_too_large_is_sent_smaller() {
    let long = b"GIF89a\x20\0\xd1\x07\xff";
    let read = read(&["big.gif", "long.gif", "odd.gif", "bomb.gif"]);
    let world = world(vec![read, Reply::text("I see.")]);
    let head = b"GIF89a\x20\x03\x58\x02".as_slice();
    world.put_file("big.gif", [head, &vec![0; 3 << 20]].concat());
    world.put_file("long.gif", long.as_slice());
    world.put_file("odd.gif", [long.as_slice(), b"damaged"].concat());
    world.put_file("bomb.gif", b"GIF89a\xff\xff\xff\xff\xff".as_slice());
    let session = world.send("What is it?");
    let sent = messages(&world, 1);
    let small = "data:image/jpeg;base64,c21hbGw=";
    let head = "[Tabloop] Shown as read: big.gif, long.gif";
    assert_eq!(*sent.last().unwrap(), shown(head, &[small, small]));
    assert!(
        sent[5]["content"]
            .as_str()
            .unwrap()
            .contains("[It can't be shown: "),
        "{}",
        sent[5]
    );
    assert_eq!(
        world.results(&session)[3],
        "Error: bomb.gif is a GIF image of 65535 × 65535 pixels, 11 bytes, which is too large to be shown; ask the user for a smaller one"
    );
}

/// A GIF of one and a half megabytes; each number makes another one.
fn gif(n: u8) -> Vec<u8> {
    let mut gif = vec![n; 3 << 19];
    gif[..10].copy_from_slice(b"GIF89a\x40\x01\xf0\0");
    gif
}

#[test]
fn old_images_make_room_for_new_ones() {
    let mut replies: Vec<Reply> = (0..12).map(|n| read(&[&format!("{n}.gif")])).collect();
    replies.push(Reply::text("Many."));
    let world = world(replies);
    for n in 0..12 {
        world.put_file(&format!("{n}.gif"), gif(n));
    }
    let session = world.send("Look at all");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
    let records = world.records(&session);
    let is_compaction = |entry: &Entry| matches!(entry, Entry::Compaction(_));
    assert!(records.iter().any(|record| is_compaction(&record.entry)));
    let last = world.endpoint.requests().len() - 1;
    let sent = messages(&world, last);
    let mut shown = sent
        .iter()
        .rev()
        .filter(|message| message["content"].is_array());
    let newest = &shown.next().unwrap()["content"][0]["text"];
    assert_eq!(newest, "[Tabloop] Shown as read: 11.gif");
    assert!((1..=8).contains(&images(&world, last)));
    assert!(
        sent.iter()
            .any(|message| message["content"].as_str().is_some_and(
                |text| text.ends_with("[It is no longer shown; read it again if you need it.]")
            )),
        "the old ones are told of"
    );
}

#[test]
fn an_image_counts_in_the_window_where_it_is_sent() {
    let weigh = |choice: Images| {
        let world = world(vec![read(&["big.gif"]), Reply::text("Well.")]);
        world.put_file("big.gif", b"GIF89a\0\x04\0\x03\xff".as_slice());
        let id = world.settings().kept.profiles[0].id.clone();
        let options = RequestOptions {
            images: choice,
            ..RequestOptions::default()
        };
        world.save(
            Some(&id),
            ProfileDraft {
                options: Some(options),
                ..draft(BASE_URL, KEY, "test-model")
            },
        );
        world.send("What is it?");
        let last = world.agent_events().into_iter().rev();
        let mut last = last.filter_map(|event| match event {
            AgentEvent::Context(used) => Some(used.results),
            _ => None,
        });
        last.next().unwrap()
    };
    let (with, without) = (weigh(Images::Always), weigh(Images::Never));
    // 1024 × 768 dots.
    assert!(
        (1_000..1_100).contains(&(with - without)),
        "{with} {without}"
    );
}

#[test]
fn the_page_is_given_an_image_as_it_was_looked_at() {
    let world = world(vec![read(&["logo.png"]), Reply::text("A logo.")]);
    let session = world.send("What is it?");
    world.put_file("logo.png", "another");
    let picture = world.records(&session).into_iter().find_map(|record| {
        let Entry::ToolResult(result) = record.entry else {
            return None;
        };
        result.pictures.into_iter().next()
    });
    let picture = picture.unwrap();
    world.handle(Command::ReadPicture(picture.clone()));
    assert_eq!(
        world.events.borrow().last(),
        Some(&Event::PictureRead {
            picture,
            bytes: Some(PNG.to_vec())
        })
    );
}
