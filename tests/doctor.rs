//! The doctor: whatever a host does, it names the cause, and it never tells the key.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use support::host::{Does, Host, Manner, error, says, sound};
use support::{draft, run_on, settle_on};
use tabloop::kernel::clock::{ManualClock, SeededRandom};
use tabloop::kernel::doctor::{
    Cause, Checkup, Instruments, Origin, Patient, Probe, Seen, Verdict, examine,
};
use tabloop::kernel::model::{HttpRequest, Leave, Method, Transport};
use tabloop::kernel::service::{Kernel, Platform};
use tabloop::kernel::settings::{BaseUrl, Endpoint, Problem, ProfileDraft, RequestOptions};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::protocol::{Access, Command, Event, Storage};

const KEY: &str = "sk-doctor-4c1b9e7d";

fn patient(address: &str) -> Patient {
    Patient {
        endpoint: Endpoint {
            base_url: BaseUrl::parse(address).unwrap(),
            model: "small-1".into(),
            options: RequestOptions::default(),
            told: Vec::new(),
        },
        key: KEY.into(),
        origin: Origin::Secure,
    }
}

/// The last news of an examination, and what was asked.
fn examined(patient: Patient, leave: Leave, manner: Manner) -> (Checkup, Vec<String>) {
    let host = Rc::new(Host {
        manner,
        asked: RefCell::default(),
        leave,
    });
    let clock = ManualClock::at(1_000);
    let instruments = Instruments {
        transport: Rc::clone(&host) as Rc<dyn Transport>,
        clock: Rc::new(clock.clone()),
    };
    let last: RefCell<Checkup> = RefCell::default();
    let tell = |checkup: &Checkup| drop(last.replace(checkup.clone()));
    run_on(&clock, examine(patient, instruments, &tell));
    let asked = host.asked.borrow().clone();
    (last.into_inner(), asked)
}

fn check(
    address: &str,
    manner: impl Fn(&HttpRequest, &Json) -> Does + 'static,
    expected: &[Cause],
) -> (Checkup, Vec<String>) {
    let (checkup, asked) = examined(patient(address), Leave::Unknown, Box::new(manner));
    assert_eq!(checkup.causes, expected, "{:#?}\n{asked:?}", checkup.seen);
    assert_eq!(checkup.now, None);
    assert_eq!(
        checkup.seen.len(),
        Probe::ALL.len(),
        "every probe has its line"
    );
    assert!(!format!("{checkup:?}").contains(KEY), "the key is told");
    (checkup, asked)
}

#[test]
fn an_endpoint_that_is_well_is_asked_six_times_at_most_and_little() {
    let (checkup, asked) = check("https://x.example/v1", sound, &[Cause::Fine]);
    assert_eq!(
        asked,
        [
            "Knock /v1/models",
            "Get /v1/models",
            "Post /v1/chat/completions",
            "Post /v1/chat/completions",
            "Post /v1/chat/completions",
        ]
    );
    let verdicts = checkup
        .seen
        .iter()
        .map(|look| look.seen.verdict(look.probe));
    assert!(verdicts.into_iter().all(|verdict| verdict == Verdict::Fine));
}

#[test]
fn the_knock_and_the_bare_request_carry_no_key() {
    let manner = |request: &HttpRequest, body: &Json| {
        let has_key = request.headers.iter().any(|(_, value)| value.contains(KEY));
        match request.method {
            Method::Knock => assert!(request.headers.is_empty()),
            _ if has_key => return Does::Blocks,
            _ => {}
        }
        sound(request, body)
    };
    let cause = Cause::Preflight(vec!["Authorization".into()]);
    check("https://x.example/v1", manner, &[cause]);
}

#[test]
fn a_missing_v1_is_found_and_the_rest_looked_at_there() {
    let at_v1 = |wrong: fn() -> Does| {
        move |request: &HttpRequest, body: &Json| match request.url.contains("example/v1/") {
            true => sound(request, body),
            false if request.method == Method::Knock => says(0, ""),
            false => wrong(),
        }
    };
    let cause = [Cause::WrongPath("https://x.example/v1".into())];
    for wrong in [
        || error(404, "Unknown request URL"),
        || says(200, "<!doctype html><h1>Welcome</h1>"),
        || says(404, "404 page not found"),
        || Does::Blocks,
    ] {
        check("https://x.example", at_v1(wrong), &cause);
        check("https://x.example/docs", at_v1(wrong), &cause);
    }
    let hides_list = |request: &HttpRequest, body: &Json| match request.method {
        Method::Get => says(404, "no such route"),
        _ if request.url.contains("/v1/") => sound(request, body),
        Method::Knock => says(0, ""),
        Method::Post => says(404, "no such route"),
    };
    check("https://x.example", hides_list, &cause);
    check("https://x.example/v1", hides_list, &[Cause::Fine]);
}

#[test]
fn a_host_without_cors_is_told_from_one_that_is_down() {
    let closed = |request: &HttpRequest, _: &Json| match request.method {
        Method::Knock => says(0, ""),
        _ => Does::Blocks,
    };
    check("https://x.example/v1", closed, &[Cause::NoCors]);
    let (_, asked) = check(
        "https://x.example/v1",
        |_, _| Does::Blocks,
        &[Cause::Unreachable],
    );
    assert_eq!(asked.len(), 2, "nobody is asked on and on: {asked:?}");
    // A page may be kept from the bare request alone.
    let guarded = |request: &HttpRequest, body: &Json| match request.method {
        Method::Knock => Does::Blocks,
        _ => sound(request, body),
    };
    check("https://x.example/v1", guarded, &[Cause::Fine]);
}

#[test]
fn a_host_that_never_answers_costs_a_limited_time() {
    let (checkup, asked) = check("https://x.example/v1", |_, _| Does::Hangs, &[Cause::Silent]);
    assert_eq!(asked.len(), 1);
    assert_eq!(checkup.seen[0].took_ms, 10_000);
    let silent_model = |request: &HttpRequest, body: &Json| match request.method {
        Method::Post => Does::Hangs,
        _ => sound(request, body),
    };
    let (checkup, _) = check("https://x.example/v1", silent_model, &[Cause::Silent]);
    assert_eq!(checkup.seen[2].took_ms, 60_000);
}

#[test]
fn near_a_secure_page_the_browsers_question_is_waited_for() {
    let examined = |leave| {
        let hangs = Box::new(|_: &HttpRequest, _: &Json| Does::Hangs);
        examined(patient("http://localhost:11434/v1"), leave, hangs).0
    };
    let open = examined(Leave::Open);
    assert_eq!(
        (&open.causes[..], open.may_ask),
        (&[Cause::LocalNetwork][..], true)
    );
    assert_eq!(open.seen[0].took_ms, 60_000);
    let given = examined(Leave::Given);
    assert_eq!(
        (&given.causes[..], given.may_ask),
        (&[Cause::Silent][..], false)
    );
}

#[test]
fn what_a_host_refuses_of_the_request_itself_is_left_out() {
    let picky = |request: &HttpRequest, body: &Json| {
        for (field, words) in [
            (
                "max_tokens",
                "'max_tokens' is not supported, use 'max_completion_tokens'",
            ),
            (
                "max_completion_tokens",
                "unknown field max_completion_tokens",
            ),
            (
                "stream_options",
                "stream_options: extra inputs are not permitted",
            ),
        ] {
            if !body[field].is_null() {
                return error(400, words);
            }
        }
        sound(request, body)
    };
    check("https://x.example/v1", picky, &[Cause::Fine]);
}

#[test]
fn without_streams_tools_or_a_count_each_is_named() {
    let plain = |request: &HttpRequest, body: &Json| {
        if !body["stream"].is_null() {
            return error(400, "Streaming is not supported");
        }
        if !body["tools"].is_null() {
            return error(400, "small-1 does not support tools");
        }
        match request.method {
            Method::Post => says(
                200,
                json!({"choices": [{"message": {"content": "OK"}, "finish_reason": "stop"}]}),
            ),
            _ => sound(request, body),
        }
    };
    let causes = [Cause::NoTools, Cause::NoStreaming, Cause::NoUsage];
    check("https://x.example/v1", plain, &causes);
}

#[test]
fn hosts_that_repeat_the_key_do_not_get_it_told() {
    let echo = |request: &HttpRequest, body: &Json| match request.method {
        Method::Knock => sound(request, body),
        _ => error(
            401,
            &format!("Incorrect API key provided: {KEY} (Bearer {KEY})"),
        ),
    };
    let (checkup, _) = check("https://x.example/v1", echo, &[Cause::BadKey]);
    let Seen::Refused(failure) = &checkup.seen[2].seen else {
        panic!("the key was refused");
    };
    assert!(
        failure
            .detail
            .starts_with("Incorrect API key provided: [key]")
    );
}

#[test]
fn answers_that_are_rubbish_or_without_end_are_bounded() {
    let rubbish = |request: &HttpRequest, body: &Json| match request.method {
        Method::Knock => sound(request, body),
        Method::Get => says(200, "a".repeat(6 << 20)),
        Method::Post => says(200, "{".repeat(6 << 20)),
    };
    check("https://x.example/v1", rubbish, &[Cause::NotAnAnswer]);
    let many: Vec<Json> = (0..5_000)
        .map(|n| json!({"id": format!("model-{n}")}))
        .collect();
    let list = json!({ "data": many }).to_string();
    let crowded = move |request: &HttpRequest, body: &Json| match request.method {
        Method::Get => says(200, &list),
        Method::Post => error(404, "The model `small-1` does not exist"),
        Method::Knock => sound(request, body),
    };
    check(
        "https://x.example/v1",
        crowded,
        &[Cause::UnknownModel(vec![])],
    );
}

#[test]
fn an_address_is_told_without_the_values_of_its_query() {
    let (checkup, _) = check("https://x.example/v1?api-key=abc", sound, &[Cause::Fine]);
    assert_eq!(checkup.address, "https://x.example/v1?api-key=…");
}

// --- As the page asks for it -----------------------------------------------------------

/// A kernel that keeps an endpoint with a key, what it told, and its host.
fn kernel(manner: Manner) -> (Kernel, Rc<RefCell<Vec<Event>>>, ManualClock) {
    let clock = ManualClock::at(1_000);
    let platform = Platform {
        store: Rc::new(MemoryStore::default()),
        storage: Storage::Browser,
        access: Access::Writer,
        clock: Rc::new(clock.clone()),
        random: Rc::new(SeededRandom::new(1)),
        transport: Rc::new(Host {
            manner,
            asked: RefCell::default(),
            leave: Leave::Unknown,
        }),
        tools: tabloop::kernel::tool::ToolRegistry::standard(),
        vault: Rc::new(tabloop::kernel::vault::memory::MemoryVault::default()),
        stage: Rc::default(),
        compose: support::compose,
        shrink: tabloop::kernel::shrink::not_at_all,
        disks: Rc::new(tabloop::kernel::link::NoDisks),
    };
    let events: Rc<RefCell<Vec<Event>>> = Rc::default();
    let told = Rc::clone(&events);
    let outlet = Rc::new(move |event| told.borrow_mut().push(event));
    let kernel = run_on(&clock, Kernel::start(platform, None, outlet)).unwrap();
    let save = Command::SaveProfile {
        id: None,
        draft: draft("https://x.example/v1", KEY, "small-1"),
    };
    run_on(&clock, kernel.handle(save));
    (kernel, events, clock)
}

/// The command, for what stands in the form.
fn check_up(events: &RefCell<Vec<Event>>, draft: ProfileDraft) -> Command {
    let events = events.borrow();
    let mut profiles = events.iter().filter_map(|event| match event {
        Event::SettingsChanged(settings) => Some(settings.kept.profiles[0].id.clone()),
        _ => None,
    });
    Command::CheckUp {
        id: profiles.next(),
        draft,
        origin: "https://page.example".into(),
    }
}

/// The causes told last.
fn causes(events: &RefCell<Vec<Event>>) -> Vec<Cause> {
    let events = events.borrow();
    let last = events.iter().rev().find_map(|event| match event {
        Event::CheckUp(checkup) => Some(checkup.causes.clone()),
        _ => None,
    });
    last.expect("news of the examination")
}

fn needs_key(request: &HttpRequest, body: &Json) -> Does {
    let has_key = request.headers.iter().any(|(_, value)| value.contains(KEY));
    match has_key || request.method == Method::Knock {
        true => sound(request, body),
        false => error(401, "no key"),
    }
}

#[test]
fn a_kept_key_is_used_for_its_own_host_alone() {
    let (kernel, events, clock) = kernel(Box::new(needs_key));
    let kept = |address| ProfileDraft {
        key: None,
        ..draft(address, "", "small-1")
    };
    for (draft, cause) in [
        (kept("https://x.example/v1"), Cause::Fine),
        (kept("https://else.example/v1"), Cause::NoKey),
        (
            draft("https://x.example/v1", "wrong", "small-1"),
            Cause::BadKey,
        ),
    ] {
        run_on(&clock, kernel.handle(check_up(&events, draft)));
        assert_eq!(causes(&events), [cause]);
    }
}

#[test]
fn what_is_wrong_in_the_form_is_told_without_asking_anybody() {
    let (kernel, events, clock) = kernel(Box::new(|_, _| panic!("somebody was asked")));
    for (address, key, cause) in [
        ("", "", Cause::BadAddress(Problem::Empty)),
        ("not a url", "", Cause::BadAddress(Problem::NotAnAddress)),
        ("http://192.168.1.5:11434/v1", "", Cause::MixedContent),
        ("https://x.example/v1", "clé", Cause::BadKeyText),
    ] {
        let command = check_up(&events, draft(address, key, "small-1"));
        run_on(&clock, kernel.handle(command));
        assert_eq!(causes(&events), [cause]);
    }
}

#[test]
fn an_examination_stops_when_asked_to_and_gives_way_to_the_next() {
    let hangs_at = |host: &'static str| -> Manner {
        Box::new(move |request, body| match request.url.contains(host) {
            true => Does::Hangs,
            false => sound(request, body),
        })
    };
    let (kernel, events, clock) = kernel(hangs_at("x.example"));
    let begin = |address: &str| {
        let command = check_up(&events, draft(address, KEY, "small-1"));
        let kernel = kernel.clone();
        let mut work = Box::pin(async move { kernel.handle(command).await });
        let is_over = settle_on(work.as_mut()).is_ready();
        (work, is_over)
    };
    let (mut first, is_over) = begin("https://x.example/v1");
    assert!(!is_over);
    run_on(&clock, kernel.handle(Command::StopCheckUp));
    assert!(settle_on(first.as_mut()).is_ready());
    assert_eq!(events.borrow().last(), Some(&Event::CheckUpStopped));

    let (mut second, _) = begin("https://x.example/v1");
    let (_, is_over) = begin("https://y.example/v1");
    assert!(is_over && settle_on(second.as_mut()).is_ready());
    assert_eq!(causes(&events), [Cause::Fine]);
    let stops = |event: &&Event| **event == Event::CheckUpStopped;
    assert_eq!(events.borrow().iter().filter(stops).count(), 1);
}
