//! Bodies of real endpoints come out right however they are cut.
//!
//! Every `NAME.expect.json` of a folder says what a right reader makes of the body beside
//! it; `STREAM_CASES=FOLDER` takes another folder than `tests/streams`. Cases are data:
//! a new one needs no code.
#![cfg(not(target_arch = "wasm32"))]

#[path = "support/expect.rs"]
mod expect;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{env, fs};

use expect::Outcome;
use serde_json::Value as Json;
use tabloop::kernel::model::assembler::{Assembler, Offered};
use tabloop::kernel::model::{ModelEvent, errors};

/// Up to this size, in bytes, a body is cut in two at every place; longer ones at as many
/// places, spread evenly.
const CUTS: usize = 20_000;

struct Case {
    name: String,
    expected: Json,
    body: Vec<u8>,
}

fn cases() -> Vec<Case> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let folder = env::var_os("STREAM_CASES").map_or(own, PathBuf::from);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let stem = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.strip_suffix(".expect.json").map(str::to_owned)
    };
    let all = files.iter().filter_map(|file| Some((file, stem(file)?)));
    let cases: Vec<Case> = all
        .map(|(file, name)| {
            let is_body = |path: &&PathBuf| {
                path.file_stem().is_some_and(|stem| *stem == *name) && stem(path).is_none()
            };
            let body = files.iter().find(is_body);
            let body = body.unwrap_or_else(|| panic!("{name} has no body"));
            Case {
                expected: serde_json::from_slice(&fs::read(file).unwrap())
                    .unwrap_or_else(|error| panic!("{name}: {error}")),
                body: fs::read(body).unwrap(),
                name,
            }
        })
        .collect();
    assert!(!cases.is_empty(), "no cases in {}", folder.display());
    cases
}

impl Case {
    fn status(&self) -> u16 {
        let status = &self.expected["http"]["status"];
        status.as_u64().unwrap_or(200) as u16
    }

    fn assembler(&self) -> Assembler {
        let count = Cell::new(0);
        let mint = move || {
            count.set(count.get() + 1);
            format!("minted_{}", count.get())
        };
        let offered = self.expected["tools_offered"].as_array();
        let names = offered.into_iter().flatten().filter_map(Json::as_str);
        let offered = Offered::named(names.map(str::to_owned));
        Assembler::new(expect::HOST, Rc::new(offered), Box::new(mint))
    }

    fn read(&self, pieces: &[&[u8]]) -> Outcome {
        if self.status() >= 400 {
            let body = String::from_utf8_lossy(&pieces.concat()).into_owned();
            let failure = errors::from_body(self.status(), &body, expect::HOST);
            return Outcome::of(vec![ModelEvent::refused(failure)]);
        }
        let mut assembler = self.assembler();
        let mut events = Vec::new();
        for piece in pieces {
            events.extend(assembler.push(piece));
        }
        events.extend(assembler.finish());
        Outcome::of(events)
    }

    fn by(&self, size: usize) -> Outcome {
        let pieces: Vec<&[u8]> = self.body.chunks(size).collect();
        self.read(&pieces)
    }

    fn problems(&self) -> Vec<String> {
        let whole = self.read(&[&self.body]);
        let mut problems = expect::problems(&self.expected, &whole);
        for size in [1, 7] {
            if self.by(size) != whole {
                problems.push(format!("in pieces of {size}: {:?}", self.by(size)));
            }
        }
        let step = self.body.len() / CUTS + 1;
        for cut in (0..=self.body.len()).step_by(step) {
            let (start, end) = self.body.split_at(cut);
            let in_two = self.read(&[start, end]);
            if in_two != whole {
                problems.push(format!("cut at {cut}: {in_two:?}"));
                break;
            }
        }
        if !problems.is_empty() {
            problems.push(format!("got {whole:?}"));
        }
        problems
    }
}

#[test]
fn every_case_comes_out_as_expected_however_it_is_cut() {
    let told: Vec<String> = cases()
        .iter()
        .map(|case| (case, case.problems()))
        .filter(|(_, problems)| !problems.is_empty())
        .map(|(case, problems)| format!("{}\n  {}", case.name, problems.join("\n  ")))
        .collect();
    assert!(told.is_empty(), "\n{}", told.join("\n"));
}

/// A connection that breaks at any byte is a failure, or the whole message where the
/// host's own mark of the end had come; a body that ends there never panics.
#[test]
fn a_connection_that_breaks_never_makes_half_a_message_a_whole_one() {
    for case in cases().iter().filter(|case| case.status() < 400) {
        let step = case.body.len() / CUTS + 1;
        for cut in (0..case.body.len()).step_by(step) {
            let start = &case.body[..cut];
            let mut assembler = case.assembler();
            let mut events = assembler.push(start);
            let was_done = assembler.saw_done();
            events.push(assembler.broken("reset".into()));
            let end = Outcome::of(events).end;
            let is_whole = matches!(end, ModelEvent::Finished(_));
            assert!(was_done || !is_whole, "{} cut at {cut}", case.name);
            case.read(&[start]);
        }
    }
}

#[test]
fn every_deviation_that_is_known_has_a_case() {
    if env::var_os("STREAM_CASES").is_some() {
        return;
    }
    let cases = cases();
    let numbers: Vec<usize> = cases
        .iter()
        .map(|case| {
            case.name
                .split('_')
                .next()
                .and_then(|number| number.parse().ok())
                .expect("a number")
        })
        .collect();
    assert_eq!(numbers, (1..=cases.len()).collect::<Vec<_>>());
    for case in cases {
        assert_eq!(case.expected["name"], case.name.as_str());
        assert!(case.expected["why"].is_string(), "{} says why", case.name);
    }
}
