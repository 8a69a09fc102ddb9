//! Random models, random faults, random kills and a random user, over many seeds:
//! every run ends with exactly one reason, every request and transcript is valid,
//! and the files are those of a run that nothing disturbed.
//!
//! `SEEDS=n` runs that many seeds, `SEED=n` one of them alone.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::RefCell;
use std::rc::Rc;
use std::task::Poll;

use serde_json::{Value as Json, json};
use support::endpoint::Reply;
use support::invariants::check_transcript;
use support::{World, poll_on, task};
use tabloop::kernel::approval::ApprovalMode;
use tabloop::kernel::clock::{Random, SeededRandom};
use tabloop::kernel::event::{About, Reply as Word, StopReason};
use tabloop::kernel::session::{Entry, Outcome, Record};
use tabloop::protocol::{Access, Command};

/// A number below `n`.
fn below(random: &SeededRandom, n: u64) -> u64 {
    random.next_u64() % n
}

fn mixed(seed: u64, salt: u64) -> SeededRandom {
    SeededRandom::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(salt << 32))
}

/// The message that a model of this seed sends after so many of its own: the same
/// whenever it is asked, as the rest of the conversation does not matter to it.
fn message(seed: u64, n: u64) -> Reply {
    let random = mixed(seed, n + 1);
    let rounds = 2 + below(&mixed(seed, 0), 7);
    if n >= rounds {
        return Reply::text("Done.");
    }
    let calls: Vec<(&str, String)> = (0..1 + below(&random, 4))
        .map(|at| {
            let token = format!("{n}.{at} ");
            let path = ["log", "notes/a.md", "notes/b.md"][below(&random, 3) as usize];
            let (name, arguments) = match below(&random, 10) {
                0..4 => ("append_file", json!({ "path": path, "content": token })),
                4 => (
                    "write_file",
                    json!({ "path": format!("out/{n}-{at}"), "content": token }),
                ),
                5 => ("read_file", json!({ "path": path })),
                6 => ("list_dir", json!({ "depth": n })),
                // Seldom enough not to end the run.
                7 if n.is_multiple_of(3) => ("read_file", json!({ "path": "../secret" })),
                7 | 8 => (
                    "todo",
                    json!({ "items": [{ "text": token, "state": "doing" }] }),
                ),
                _ => ("ask_user", json!({ "question": token })),
            };
            (name, arguments.to_string())
        })
        .collect();
    let calls: Vec<(&str, &str)> = calls
        .iter()
        .map(|(name, args)| (*name, args.as_str()))
        .collect();
    Reply::raw_calls(&calls)
}

/// Makes the world's endpoint that model, with a fault now and then.
fn connect(world: &World, seed: u64, faults: SeededRandom) {
    let in_a_row = RefCell::new(0);
    world.endpoint.answer_by(move |body: &Json| {
        let all = body["messages"].as_array().expect("messages");
        let own = all.iter().filter(|message| message["role"] == "assistant");
        let reply = message(seed, own.count() as u64);
        let mut in_a_row = in_a_row.borrow_mut();
        if *in_a_row == 3 || below(&faults, 6) > 0 {
            *in_a_row = 0;
            return reply;
        }
        *in_a_row += 1;
        match (below(&faults, 4), reply) {
            (0, _) => Reply::Unreachable,
            (1, _) => Reply::error(503, "busy"),
            (2, Reply::Body { body, .. }) => {
                let cut = below(&faults, body.len() as u64) as usize;
                Reply::Broken {
                    body: body[..cut].to_vec(),
                }
            }
            (_, Reply::Body { body, .. }) => {
                let cut = below(&faults, body.len() as u64) as usize;
                Reply::Hanging {
                    body: body[..cut].to_vec(),
                }
            }
            (_, other) => other,
        }
    });
}

/// What disturbs a run.
#[derive(Clone, Copy, PartialEq)]
enum Trouble {
    None,
    Kills,
    Stops,
}

/// Answers every question that is open, the same way whenever it is asked.
fn answer_all(world: &World, seed: u64) -> bool {
    let questions = world.questions();
    for (session, question) in &questions {
        let of_call: u64 = format!("{:?}", question.about).bytes().map(u64::from).sum();
        let word = match &question.about {
            About::Choice { .. } => Word::Text("yes".into()),
            About::Plan { steps } => Word::Plan(steps.clone()),
            About::CutOff { .. } => Word::Again,
            About::Approval { targets, .. } => {
                match (seed + targets[0].len() as u64 + of_call % 3) % 4 {
                    0 => Word::No {
                        word: "not this".into(),
                    },
                    _ => Word::Once,
                }
            }
        };
        world.handle(Command::Answer {
            session: session.clone(),
            call_id: question.call_id.clone(),
            reply: word,
        });
    }
    !questions.is_empty()
}

/// Plays a run to its end and gives the world it ends in.
fn play(seed: u64, trouble: Trouble) -> (World, String) {
    let random = mixed(seed, 77 + trouble as u64);
    let mut world = World::new(Vec::new());
    connect(&world, seed, mixed(seed, 78 + trouble as u64));
    let mode = match seed % 3 {
        0 => ApprovalMode::Writes,
        _ => ApprovalMode::Dangerous,
    };
    world.handle(Command::SaveApproval {
        mode,
        rules: Vec::new(),
    });
    world.limits(|limits| limits.rounds = 100);
    for path in ["log", "notes/a.md", "notes/b.md"] {
        world.put_file(path, "");
    }
    let mut run = world.start_slowly(task(None, "Go"));
    let mut session = None;
    let mut steers = 0;
    loop {
        session = session.or_else(|| world.known_session());
        match poll_on(run.as_mut()) {
            (Poll::Ready(()), _) => {
                let id = session.clone().expect("a session was started");
                if !world.reasons(&id).is_empty() {
                    return (world, id);
                }
                // Waiting runs came back by themselves; any other is resumed by the user.
                run = world.start_slowly(Command::Continue(id));
                continue;
            }
            (Poll::Pending, is_moving) => {
                if !is_moving && !answer_all(&world, seed) {
                    assert!(world.clock.advance_to_next(), "seed {seed}: nothing moves");
                }
            }
        }
        let Some(id) = &session else { continue };
        if trouble == Trouble::Stops && below(&random, 60) == 0 {
            world.handle(Command::Stop(id.clone()));
        }
        let has_begun = || world.records(id).len() > 1;
        if steers < 2 && below(&random, 200) == 0 && has_begun() && world.state(id).running {
            steers += 1;
            let text = format!("A word {steers}");
            world.handle(Command::Steer {
                session: id.clone(),
                text,
            });
        }
        if trouble == Trouble::Kills && below(&random, 50) == 0 && has_begun() {
            drop(run);
            let store = Rc::new(world.store.snapshot());
            world = World::over(store, Vec::new(), Access::Writer);
            connect(&world, seed, mixed(seed, 500 + below(&random, 1_000)));
            run = world.waiting_slowly();
        }
    }
}

fn files(world: &World) -> Vec<(String, String)> {
    let mut paths: Vec<String> = vec!["log".into(), "notes/a.md".into(), "notes/b.md".into()];
    for n in 0..10 {
        paths.extend((0..4).map(|at| format!("out/{n}-{at}")));
    }
    let read = |path: String| world.file(&path).map(|text| (path, text));
    paths.into_iter().filter_map(read).collect()
}

/// The appends that the transcript says were done, in order.
fn claimed(records: &[Record], wanted: &str) -> String {
    let mut calls = Vec::new();
    let mut text = String::new();
    for record in records {
        match &record.entry {
            Entry::Assistant(message) => calls = message.calls.iter().collect(),
            Entry::ToolResult(result) => {
                let Some(at) = calls.iter().position(|call| call.id == result.call_id) else {
                    continue;
                };
                let call = calls.remove(at);
                let arguments: Json = serde_json::from_str(&call.arguments).unwrap();
                if call.name == "append_file"
                    && result.outcome == Outcome::Ok
                    && arguments["path"] == wanted
                {
                    text.push_str(arguments["content"].as_str().unwrap());
                }
            }
            _ => {}
        }
    }
    text
}

fn check(seed: u64) {
    let (calm, session) = play(seed, Trouble::None);
    let expected = files(&calm);
    assert_eq!(
        calm.reasons(&session),
        [StopReason::Completed],
        "seed {seed}"
    );
    check_transcript(&calm.records(&session));

    let (killed, session) = play(seed, Trouble::Kills);
    assert_eq!(
        killed.reasons(&session),
        [StopReason::Completed],
        "seed {seed}, killed"
    );
    check_transcript(&killed.records(&session));
    assert_eq!(files(&killed), expected, "seed {seed}, killed");

    let (stopped, session) = play(seed, Trouble::Stops);
    let records = stopped.records(&session);
    check_transcript(&records);
    assert_eq!(stopped.reasons(&session).len(), 1, "seed {seed}, stopped");
    for path in ["log", "notes/a.md", "notes/b.md"] {
        let file = stopped.file(path).unwrap_or_default();
        assert_eq!(
            file,
            claimed(&records, path),
            "seed {seed}, stopped, {path}"
        );
    }
    // Whatever was cut off, the next request is valid.
    stopped.endpoint.answer_by(|_| Reply::text("Hi."));
    stopped.handle(task(Some(session.clone()), "And now?"));
    check_transcript(&stopped.records(&session));
}

/// One part of the seeds, so that the parts run side by side.
fn check_part(part: u64) {
    let number = |name| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse::<u64>().ok())
    };
    match number("SEED") {
        Some(seed) if seed % 4 == part => check(seed),
        Some(_) => {}
        None => {
            let seeds = 0..number("SEEDS").unwrap_or(800);
            seeds.filter(|seed| seed % 4 == part).for_each(check);
        }
    }
}

#[test]
fn nothing_is_lost_and_nothing_is_done_twice_0() {
    check_part(0);
}

#[test]
fn nothing_is_lost_and_nothing_is_done_twice_1() {
    check_part(1);
}

#[test]
fn nothing_is_lost_and_nothing_is_done_twice_2() {
    check_part(2);
}

#[test]
fn nothing_is_lost_and_nothing_is_done_twice_3() {
    check_part(3);
}
