//! The reader of answers against hostile bytes: it never panics, gives the same however
//! the bytes are cut, reads a chunk quickly or fully to the same end, and keeps no more
//! than it has bounds for.
//!
//! `SEEDS=n` runs that many seeds, `SEED=n` one of them alone.
#![cfg(not(target_arch = "wasm32"))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::{env, fs};

use serde_json::json;
use tabloop::kernel::clock::{Random, SeededRandom};
use tabloop::kernel::event::FailureKind;
use tabloop::kernel::model::ModelEvent;
use tabloop::kernel::model::assembler::{Assembler, Offered};

/// Counts the bytes that this thread has in use, and the most it had.
struct Counting;

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends has no such cells any more.
    let _ = IN_USE.try_with(|in_use| {
        in_use.set(in_use.get() + bytes);
        MOST.set(MOST.get().max(in_use.get()));
    });
}

// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What pieces of hostile bodies are made of.
const PARTS: [&[u8]; 44] = [
    b"data:",
    b"data: ",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b"\r\n\r\n",
    b": hi\n",
    b"event: error\n",
    b"error: ",
    b"id: 1\n",
    b"[DONE]",
    b"data: [DONE]\n\n",
    b"\xEF\xBB\xBF",
    b"\xF0\x9F",
    b"\xA6\x89",
    b"\xFF",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\ud83d",
    b"\\udc4d",
    b"null",
    b",",
    b":",
    b"\"choices\":",
    b"\"delta\":",
    b"\"content\":",
    b"\"reasoning\":",
    b"\"tool_calls\":",
    b"\"error\":",
    b"<think>",
    b"</think>",
    b"<tool_call>",
    b"</tool_call>",
    b"<|tool_call_begin|>",
    b"<",
    b"{\"choices\":[{\"delta\":{\"content\":\"",
    b"\"}}]}\n\n",
    b"\"finish_reason\":\"stop\"",
    b"<html>",
];

struct Dice(SeededRandom);

impl Dice {
    fn below(&self, n: usize) -> usize {
        (self.0.next_u64() % n.max(1) as u64) as usize
    }

    fn part(&self) -> &'static [u8] {
        PARTS[self.below(PARTS.len())]
    }

    fn soup(&self) -> Vec<u8> {
        let parts = 1 + self.below(60);
        let mut soup = Vec::new();
        for _ in 0..self.below(4) {
            soup.extend_from_slice(
                [b" ".as_slice(), b"\n", b"\xEF\xBB\xBF", b" \r"][self.below(4)],
            );
        }
        for _ in 0..parts {
            match self.below(8) {
                0 => soup.push(self.below(256) as u8),
                _ => soup.extend_from_slice(self.part()),
            }
        }
        soup
    }

    /// A body with a few things changed.
    fn mutated(&self, body: &[u8]) -> Vec<u8> {
        let mut body = body.to_vec();
        for _ in 0..1 + self.below(4) {
            let at = self.below(body.len());
            let end = (at + self.below(40)).min(body.len());
            match self.below(6) {
                0 if at < body.len() => body[at] = self.below(256) as u8,
                1 => drop(body.drain(at..end)),
                2 => {
                    let again = body[at..end].to_vec();
                    body.splice(at..at, again);
                }
                3 => body.truncate(at),
                _ => drop(body.splice(at..at, self.part().iter().copied())),
            }
        }
        body
    }

    /// The same bytes in pieces of any size.
    fn cut<'a>(&self, body: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        let mut rest = body;
        while !rest.is_empty() {
            let size = match self.below(3) {
                0 => 1,
                1 => 1 + self.below(9),
                _ => 1 + self.below(rest.len()),
            };
            let (piece, behind) = rest.split_at(size.min(rest.len()));
            pieces.push(piece);
            rest = behind;
        }
        pieces
    }
}

fn assembler() -> Assembler {
    let count = Cell::new(0);
    let mint = move || {
        count.set(count.get() + 1);
        format!("minted_{}", count.get())
    };
    let offered = Offered::named(["now".to_owned(), "read_file".to_owned()]);
    Assembler::new("h", Rc::new(offered), Box::new(mint))
}

/// What is shown, and the end.
fn read(pieces: &[&[u8]]) -> (String, String, ModelEvent) {
    let mut reader = assembler();
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(reader.push(piece));
    }
    events.extend(reader.finish());
    let end = events.pop().expect("an end");
    let (mut text, mut thought) = (String::new(), String::new());
    for event in events {
        match event {
            ModelEvent::Text(more) => text.push_str(&more),
            ModelEvent::Reasoning(more) => thought.push_str(&more),
            ModelEvent::Call { .. } => {}
            other => panic!("{other:?} before the end"),
        }
    }
    (text, thought, end)
}

fn for_each_seed(seeds: u64, check: impl Fn(&Dice)) {
    let number = |name| env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let range = match (number("SEED"), number("SEEDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, Some(seeds)) => 0..seeds,
        _ => 0..seeds,
    };
    for seed in range {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check(&Dice(SeededRandom::new(seed.wrapping_mul(0x9E37_79B9))));
        }));
        assert!(result.is_ok(), "seed {seed}");
    }
}

fn check_cuts(dice: &Dice, body: &[u8]) {
    let whole = read(&[body]);
    for _ in 0..3 {
        let pieces = dice.cut(body);
        assert_eq!(read(&pieces), whole, "{:?}", String::from_utf8_lossy(body));
        let mut reader = assembler();
        for piece in &pieces[..dice.below(pieces.len())] {
            reader.push(piece);
        }
        reader.broken("reset".into());
    }
}

/// Many events that are alike but for their text, a few changed: those that are told by
/// the one before are read as if each were alone. A line that says nothing, before each of
/// them, makes them be read so.
#[test]
fn events_alike_are_read_as_each_would_be_alone() {
    let bodies = samples();
    let events: Vec<&[u8]> = bodies
        .iter()
        .filter_map(|body| std::str::from_utf8(body).ok())
        .flat_map(|body| body.split_inclusive("\n\n"))
        .filter(|event| event.starts_with("data:") && event.contains("content"))
        .map(str::as_bytes)
        .collect();
    for_each_seed(20_000, |dice| {
        let event = events[dice.below(events.len())];
        let mut body = Vec::new();
        for _ in 0..2 + dice.below(5) {
            match dice.below(3) {
                0 => body.extend(dice.mutated(event)),
                _ => body.extend_from_slice(event),
            }
        }
        body.extend_from_slice(b"\n\ndata: [DONE]\n\n");
        let body = String::from_utf8_lossy(&body);
        let apart = body.replace("\n\ndata:", "\n\nid: 1\ndata:");
        let (alike, apart) = (read(&[body.as_bytes()]), read(&[apart.as_bytes()]));
        assert_eq!(alike, apart, "{body}");
    });
}

fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with(".expect.json"))
        .collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn any_bytes_come_out_the_same_however_they_are_cut() {
    for_each_seed(3_000, |dice| check_cuts(dice, &dice.soup()));
}

#[test]
fn changed_samples_come_out_the_same_however_they_are_cut() {
    let samples = samples();
    for_each_seed(3_000, |dice| {
        let sample = &samples[dice.below(samples.len())];
        check_cuts(dice, &dice.mutated(sample));
    });
}

/// The quick look at a chunk and the full reader agree. An empty `usage` changes nothing
/// but is out of the ordinary, so it makes the full reader read.
#[test]
fn the_quick_look_sees_what_the_full_reader_sees() {
    let bodies = samples();
    let texts = bodies
        .iter()
        .filter_map(|body| std::str::from_utf8(body).ok());
    let chunks: Vec<&str> = texts
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("data:"))
        .map(str::trim)
        .filter(|data| data.starts_with('{'))
        .collect();
    for_each_seed(20_000, |dice| {
        let chunk = dice.mutated(chunks[dice.below(chunks.len())].as_bytes());
        let chunk = String::from_utf8_lossy(&chunk).replace(['\n', '\r'], " ");
        let Some(inside) = chunk.trim().strip_prefix('{') else {
            return;
        };
        if inside.trim_start().starts_with('}') {
            return;
        }
        let stream = |chunk: &str| format!("data: {chunk}\n\ndata: [DONE]\n\n");
        let quick = stream(&format!("{{{inside}"));
        let full = stream(&format!("{{\"usage\":{{}},{inside}"));
        let [mut quick, mut full] = [quick, full].map(|body| read(&[body.as_bytes()]));
        // Only the body of an error tells the two apart.
        for (_, _, end) in [&mut quick, &mut full] {
            if let ModelEvent::Failed { failure, .. } = end {
                failure.body.clear();
            }
        }
        assert_eq!(quick, full, "{chunk}");
    });
}

/// Feeds 50 MB of what `piece` gives and tells how it ended, and how much was kept at most.
fn flood(start: &str, piece: impl Fn(usize) -> Vec<u8>) -> (ModelEvent, isize) {
    let mut reader = assembler();
    let before = IN_USE.get();
    MOST.set(before);
    reader.push(start.as_bytes());
    let mut sent = 0;
    let mut n = 0;
    while sent < 50 << 20 && !reader.gave_up() {
        let piece = piece(n);
        n += 1;
        sent += piece.len();
        drop(reader.push(&piece));
    }
    let most = MOST.get() - before;
    let end = reader.finish().pop().expect("an end");
    (end, most >> 20)
}

fn check_flood(name: &str, start: &str, most_mib: isize, piece: impl Fn(usize) -> Vec<u8>) {
    let (end, kept) = flood(start, piece);
    let ModelEvent::Failed { failure, .. } = end else {
        panic!("{name}: {end:?}");
    };
    assert_eq!(failure.kind, FailureKind::BadEndpoint, "{name}");
    assert!(
        failure.detail.contains("longer"),
        "{name}: {}",
        failure.detail
    );
    assert!(kept <= most_mib, "{name} kept {kept} MiB");
}

#[test]
fn floods_end_clearly_and_are_not_kept() {
    let letters = |_| vec![b'x'; 64 << 10];
    check_flood("one line", "data: ", 26, letters);
    check_flood("one JSON", "{\"a\":\"", 26, letters);
    check_flood("a web page", "<html>", 26, letters);
    let lines = |_| [b"data: ".as_slice(), &[b'x'; 60_000], b"\n"].concat();
    check_flood("lines of one event", "", 26, lines);

    let deltas = |delta: serde_json::Value| {
        let chunk = json!({ "choices": [{ "delta": delta }] });
        let event = format!("data: {chunk}\n\n").into_bytes();
        move |_: usize| event.clone()
    };
    let long = "x".repeat(60_000);
    let call = |arguments: &str| json!([{ "index": 0, "function": { "name": "f", "arguments": arguments } }]);
    for (name, delta) in [
        ("text", json!({ "content": long })),
        ("thought", json!({ "reasoning": long })),
        ("arguments", json!({ "tool_calls": call(&long) })),
        (
            "call as text",
            json!({ "content": format!("<|tool_call_begin|>{long}") }),
        ),
        (
            "sealed thought",
            json!({ "reasoning_details": [{ "index": 0, "data": long }] }),
        ),
    ] {
        check_flood(name, ": x\n", 140, deltas(delta));
    }
}

#[test]
fn what_is_no_part_of_a_message_is_not_kept_at_all() {
    let comment = [b": ".as_slice(), &[b'x'; 60_000], b"\n\n"].concat();
    let (end, kept) = flood(": x\n", |_| comment.clone());
    assert!(
        matches!(end, ModelEvent::Failed { failure, .. } if failure.kind == FailureKind::Truncated)
    );
    assert!(kept <= 1, "{kept} MiB");
    let (_, kept) = flood("", |_| vec![b' '; 64 << 10]);
    assert!(kept <= 1, "{kept} MiB");
    let empty_calls = |n: usize| {
        let piece = json!({ "index": n, "id": format!("c{n}"), "function": { "name": "f" } });
        let chunk = json!({ "choices": [{ "delta": { "tool_calls": [piece] } }] });
        let mut event = format!("data: {chunk}\n\n").into_bytes();
        event.resize(event.len() + 1_000, b'\n');
        event
    };
    let (_, kept) = flood(": x\n", empty_calls);
    assert!(kept <= 1, "{kept} MiB");
}

/// What a broken proxy makes of a compressed answer.
#[test]
fn rubbish_is_no_answer() {
    for_each_seed(200, |dice| {
        let mut body = vec![0x1f, 0x8b, 0x08, 0x00];
        body.extend((0..2_000).map(|_| dice.below(256) as u8));
        let (text, _, end) = read(&[&body]);
        assert_eq!(text, "");
        let ModelEvent::Failed { failure, .. } = end else {
            panic!("{end:?}");
        };
        let kinds = [FailureKind::BadEndpoint, FailureKind::Truncated];
        assert!(kinds.contains(&failure.kind), "{failure:?}");
    });
}
