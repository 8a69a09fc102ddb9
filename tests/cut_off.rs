//! Calls that reach outside: what they did can't be taken back, so one that was cut
//! off is not run again before the user says so.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::Cell;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use serde_json::{Value as Json, json};
use support::endpoint::Reply as Answer;
use support::invariants::check_transcript;
use support::{World, poll_on, settle_on, task};
use tabloop::kernel::approval::ApprovalMode;
use tabloop::kernel::event::{About, FailureKind, Reply, StopReason};
use tabloop::kernel::session::{Entry, Record};
use tabloop::kernel::store::memory::{Fault, MemoryStore};
use tabloop::kernel::tool::{
    Effect, Manner, Tool, ToolContext, ToolError, ToolOutput, ToolRegistry, ToolSpec,
};
use tabloop::protocol::{Access, Command};

/// Posts something somewhere; how often it did is known there alone.
struct Post(Rc<Cell<u32>>);

impl Tool for Post {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "post",
            description: "Post",
            parameters: json!({
                "type": "object",
                "properties": { "url": { "type": "string" } },
                "required": ["url"],
            }),
            effect: Effect::Dangerous,
            manner: Manner::Timed,
        }
    }

    fn run<'a>(
        &'a self,
        args: Json,
        _: &'a ToolContext<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            give_way().await;
            self.0.set(self.0.get() + 1);
            if args["url"] == "silent" {
                std::future::pending::<()>().await;
            }
            give_way().await;
            give_way().await;
            Ok(ToolOutput::text("Posted."))
        })
    }
}

async fn give_way() {
    let mut gave = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut gave, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

const POSTED: &str = "Posted.";
const AGAIN: &str = "Posted.\n\n[Tabloop] This call was cut off once and run again as the user chose, so it may have happened twice.";
const DONE: &str =
    "This call was cut off before its result was kept, and the user takes it as done.";
const LEFT: &str = "Error: this call was cut off and may have happened, and the user did not have it run again and said: I looked, it did not. Do without it, or ask the user.";
const MAY_HAVE: &str = "Error: this call was cut off after it had begun, so it may have happened; look before you call it again";

fn post(url: &str) -> Answer {
    Answer::calls(&[("post", json!({ "url": url }))])
}

/// A write, a post and another write, then an answer.
fn replies() -> Vec<Answer> {
    let append = |text: &str| ("append_file", json!({ "path": "log", "content": text }));
    vec![
        Answer::calls(&[append("1"), ("post", json!({ "url": "u" })), append("2")]),
        Answer::text("Done."),
    ]
}

fn over(store: Rc<MemoryStore>, replies: Vec<Answer>, count: &Rc<Cell<u32>>) -> World {
    let tools = ToolRegistry::standard().with(Rc::new(Post(Rc::clone(count))));
    World::with_tools(store, replies, Access::Writer, tools)
}

/// A world whose runs are asked about calls as `mode` says.
fn world(replies: Vec<Answer>, mode: ApprovalMode) -> (World, Rc<Cell<u32>>) {
    let count = Rc::default();
    let world = over(Rc::default(), replies, &count);
    world.connect();
    world.handle(Command::SaveApproval {
        mode,
        rules: Vec::new(),
    });
    (world, count)
}

/// Whether a call was begun and has no result.
fn is_in_doubt(records: &[Record]) -> bool {
    let count = |wanted: fn(&Entry) -> bool| {
        let all = records.iter();
        all.filter(|record| wanted(&record.entry)).count()
    };
    let begun = count(|entry| matches!(entry, Entry::Begun { .. }));
    let told = count(|entry| matches!(entry, Entry::ToolResult(result) if result.name == "post"));
    begun > told
}

/// What is asked, in a word.
fn asked(world: &World) -> Vec<&'static str> {
    let word = |about: &About| match about {
        About::Approval { .. } => "approval",
        About::CutOff { .. } => "cut off",
        _ => "other",
    };
    let questions = world.questions();
    questions
        .iter()
        .map(|(_, asked)| word(&asked.about))
        .collect()
}

/// What the second kernel does, and how often the call was carried out in the end.
fn resume(
    store: &MemoryStore,
    session: &str,
    before: u32,
    reply: Reply,
    result: &str,
) -> (bool, u32) {
    let count = Rc::new(Cell::new(before));
    let answered = support::block_on(tabloop::kernel::session::records(store, session)).unwrap();
    let is_message = |record: &Record| matches!(record.entry, Entry::Assistant(_));
    let rest = replies().split_off(usize::from(answered.iter().any(is_message)));
    let in_doubt = is_in_doubt(&answered);
    let heir = over(Rc::new(store.snapshot()), rest, &count);
    if heir.reasons(session).is_empty() {
        let run = heir.start_waiting();
        let expected: &[&str] = if in_doubt { &["cut off"] } else { &[] };
        assert_eq!(asked(&heir), expected);
        if in_doubt {
            assert_eq!(count.get(), before, "not before the answer");
            assert!(heir.endpoint.requests().is_empty());
            heir.answer(reply);
            run.finish();
        } else {
            drop(run);
            heir.handle(Command::Continue(session.to_owned()));
            assert!(heir.questions().is_empty());
        }
    }
    let records = heir.records(session);
    check_transcript(&records);
    assert!(!is_in_doubt(&records));
    assert_eq!(heir.reasons(session), [StopReason::Completed]);
    assert_eq!(heir.file("log").as_deref(), Some("12"));
    let expected = if in_doubt { result } else { POSTED };
    assert_eq!(heir.results(session)[1], expected);
    (in_doubt, count.get())
}

#[test]
fn killed_at_any_step_it_is_not_run_again_unless_the_user_says_so() {
    let (mut doubts, mut in_vain) = (0, 0);
    for steps in 1.. {
        let (world, count) = world(replies(), ApprovalMode::Never);
        let mut run = world.start_slowly(task(None, "Go"));
        let ended = (0..steps).any(|_| poll_on(run.as_mut()).0.is_ready());
        drop(run);
        if ended {
            break;
        }
        let session = world.session();
        if world.records(&session).is_empty() {
            continue;
        }
        let before = count.get();
        let no = || Reply::No {
            word: "I looked, it did not".into(),
        };
        let answers = [
            (Reply::Again, AGAIN, 1),
            (Reply::Done, DONE, 0),
            (no(), LEFT, 0),
        ];
        for (reply, result, more) in answers {
            let (in_doubt, after) = resume(&world.store, &session, before, reply, result);
            match in_doubt {
                true => assert_eq!(after, before + more, "after {steps} steps"),
                false => assert_eq!(after, 1, "after {steps} steps"),
            }
            doubts += u32::from(in_doubt && before == 1);
            in_vain += u32::from(in_doubt && before == 0);
        }
    }
    assert!(
        doubts > 3,
        "the kills fall in the middle of the call: {doubts}"
    );
    assert!(in_vain > 0, "and in front of it: {in_vain}");
}

#[test]
fn cut_off_twice_it_is_asked_about_twice() {
    let (world, count) = world(replies(), ApprovalMode::Never);
    let mut run = world.start_slowly(task(None, "Go"));
    while count.get() == 0 {
        assert!(poll_on(run.as_mut()).0.is_pending());
    }
    drop(run);
    let session = world.session();
    let rest = || vec![Answer::text("Done.")];
    let second = over(Rc::new(world.store.snapshot()), rest(), &count);
    let mut run = second.waiting_slowly();
    assert!(settle_on(run.as_mut()).is_pending());
    second.answer(Reply::Again);
    while count.get() == 1 {
        assert!(poll_on(run.as_mut()).0.is_pending());
    }
    drop(run);
    let third = over(Rc::new(second.store.snapshot()), rest(), &count);
    // A day later the question still waits.
    let mut run = third.start_waiting();
    third.clock.advance(std::time::Duration::from_secs(86_400));
    assert!(!run.settle());
    assert_eq!(asked(&third), ["cut off"]);
    third.answer(Reply::Done);
    run.finish();
    assert_eq!(third.results(&session)[1], DONE);
    assert_eq!((count.get(), third.file("log").as_deref()), (2, Some("12")));
    check_transcript(&third.records(&session));
}

#[test]
fn a_call_that_waits_for_its_approval_has_not_begun() {
    let (world, count) = world(vec![post("u")], ApprovalMode::Dangerous);
    let run = world.start(task(None, "Go"));
    assert_eq!(asked(&world), ["approval"]);
    let session = world.session();
    drop(run);
    let rest = vec![Answer::text("Done.")];
    let heir = over(Rc::new(world.store.snapshot()), rest, &count);
    let mut run = heir.waiting_slowly();
    assert!(settle_on(run.as_mut()).is_pending());
    assert_eq!(asked(&heir), ["approval"]);
    heir.answer(Reply::Once);
    while count.get() == 0 {
        assert!(poll_on(run.as_mut()).0.is_pending());
    }
    drop(run);
    let last = over(
        Rc::new(heir.store.snapshot()),
        vec![Answer::text("Done.")],
        &count,
    );
    let run = last.start_waiting();
    assert_eq!(asked(&last), ["cut off"]);
    // "Run it again" is an approval: there is no second question.
    last.answer(Reply::Again);
    run.finish();
    assert_eq!(last.results(&session), [AGAIN]);
    assert_eq!(count.get(), 2);
}

#[test]
fn one_that_the_end_of_the_run_cut_off_is_not_said_to_have_changed_nothing() {
    // By Stop.
    let (stopped, count) = world(vec![post("silent")], ApprovalMode::Never);
    let mut run = stopped.start(task(None, "Go"));
    assert_eq!(count.get(), 1);
    stopped.handle(Command::Stop(stopped.session()));
    assert!(run.settle());
    assert_eq!(stopped.results(&stopped.session()), [MAY_HAVE]);
    check_transcript(&stopped.records(&stopped.session()));
    // By a kill and "End the run here".
    let (killed, count) = world(vec![post("silent")], ApprovalMode::Never);
    drop(killed.start(task(None, "Go")));
    let session = killed.session();
    let heir = over(Rc::new(killed.store.snapshot()), Vec::new(), &count);
    heir.handle(Command::Stop(session.clone()));
    assert_eq!(heir.results(&session), [MAY_HAVE]);
    check_transcript(&heir.records(&session));
    // By its time.
    let late = vec![post("silent"), Answer::text("Oh.")];
    let (late, _) = world(late, ApprovalMode::Never);
    let session = late.send("Go");
    assert_eq!(
        late.results(&session),
        [
            "Error: post took longer than 30 s and was stopped, what it did till then stays; look before you call it again"
        ]
    );
}

#[test]
fn what_can_not_be_marked_is_not_begun_and_a_lost_result_leaves_the_doubt() {
    let (clean, _) = world(vec![post("u"), Answer::text("Done.")], ApprovalMode::Never);
    let before = clean.store.batches();
    clean.send("Go");
    let batches = clean.store.batches() - before;
    let (mut unmarked, mut lost) = (0, 0);
    for n in 0..batches {
        let (world, count) = world(vec![post("u"), Answer::text("Done.")], ApprovalMode::Never);
        world.store.fail_at(world.store.batches() + n, Fault::Full);
        world.handle(task(None, "Go"));
        let session = world.session();
        let records = world.records(&session);
        let results = world.results(&session);
        if count.get() == 0 && !results.is_empty() {
            unmarked += 1;
            assert!(results[0].ends_with("nothing was changed"), "{results:?}");
        }
        if results.first().is_some_and(|result| result == MAY_HAVE) {
            lost += 1;
            assert_eq!(count.get(), 1);
            let reasons = world.reasons(&session);
            assert!(
                matches!(&reasons[..], [StopReason::Failed(failure)] if failure.kind == FailureKind::Full)
            );
        }
        if !world.reasons(&session).is_empty() {
            check_transcript(&records);
        }
        assert!(count.get() <= 1);
    }
    assert_eq!((unmarked, lost), (1, 1));
}

#[test]
fn a_sub_agent_s_call_is_asked_about_when_the_user_resumes() {
    let delegate = Answer::calls(&[("task", json!({ "prompt": "Post it" }))]);
    let (world, count) = world(vec![delegate, post("silent")], ApprovalMode::Never);
    drop(world.start(task(None, "Go")));
    assert_eq!(count.get(), 1);
    let session = world.session();
    let rest = vec![Answer::text("Posted it."), Answer::text("Done.")];
    let heir = over(Rc::new(world.store.snapshot()), rest, &count);
    drop(heir.start_waiting());
    assert!(
        heir.state(&session).interrupted,
        "nothing goes on by itself"
    );
    let run = heir.start(Command::Continue(session.clone()));
    assert_eq!(asked(&heir), ["cut off"]);
    let (of, question) = heir.questions().remove(0);
    assert_ne!(of, session);
    assert_eq!(
        question.about,
        About::CutOff {
            targets: vec!["silent".into()]
        }
    );
    heir.answer(Reply::Done);
    run.finish();
    assert_eq!(heir.results(&of), [DONE]);
    assert_eq!(heir.reasons(&session), [StopReason::Completed]);
    assert_eq!(count.get(), 1);
}
