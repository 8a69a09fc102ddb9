//! What becomes of sub-agents when something fails, or when their run is ended.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use serde_json::json;
use support::endpoint::{Reply, delta};
use support::invariants::check_transcript;
use support::{World, task};
use tabloop::kernel::event::{FailureKind, StopReason};
use tabloop::kernel::session::{Entry, Session};
use tabloop::protocol::{Access, Command, Event};

fn delegate(prompts: &[&str]) -> Reply {
    let calls: Vec<(&str, serde_json::Value)> = prompts
        .iter()
        .map(|prompt| ("task", json!({ "prompt": prompt })))
        .collect();
    Reply::calls(&calls)
}

/// All sessions that work for others.
fn children(world: &World) -> Vec<Session> {
    let mut children: Vec<Session> = Vec::new();
    for event in world.events.borrow().iter() {
        if let Event::SessionChanged(session) = event
            && session.parent.is_some()
        {
            children.retain(|other| other.id != session.id);
            children.push(session.clone());
        }
    }
    children
}

#[test]
fn what_a_failed_one_used_is_counted_also_after_a_resume() {
    let counted = |delta_of: serde_json::Value| {
        let end = json!({
            "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 900, "completion_tokens": 100 },
        });
        Reply::stream(&[delta(delta_of), end])
    };
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "list_dir", "arguments": "{}" } }] });
    let world = World::new(vec![
        delegate(&["a"]),
        counted(call),
        Reply::error(400, "no such thing"),
        Reply::Hanging { body: Vec::new() },
    ]);
    let mut run = world.start(task(None, "Go"));
    assert!(!run.settle());
    let session = world.session();
    assert!(world.results(&session)[0].starts_with("Error: the sub-agent's request failed"));
    drop(run);
    let heir = World::over(
        Rc::new(world.store.snapshot()),
        vec![Reply::text("Then without.")],
        Access::Writer,
    );
    heir.handle(Command::Continue(session.clone()));
    let ending = heir.records(&session).pop().unwrap();
    // Two rounds of the parent at twelve tokens each.
    assert!(
        matches!(&ending.entry, Entry::Stopped(ending) if ending.usage.unwrap().total() == 1_024),
        "{ending:?}"
    );
}

/// A world that was killed while a sub-agent had made one round and was asked again.
fn cut_off() -> (World, String) {
    let world = World::new(vec![
        delegate(&["a"]),
        Reply::calls(&[("list_dir", json!({}))]),
        Reply::Hanging { body: Vec::new() },
    ]);
    drop(world.start(task(None, "Go")));
    let session = world.session();
    let store = Rc::new(world.store.snapshot());
    let heir = World::over(store, vec![Reply::text("Went on.")], Access::Writer);
    (heir, session)
}

/// The sub-agents of the world as a further reload finds them.
fn children_kept(world: &World) -> Vec<Session> {
    let sessions = support::block_on(tabloop::kernel::session::list(&*world.store)).unwrap();
    let of_others = sessions.into_iter();
    of_others
        .filter(|session| session.parent.is_some())
        .collect()
}

#[test]
fn ended_by_hand_a_run_takes_its_sub_agents_along() {
    let (stopped, session) = cut_off();
    assert!(children_kept(&stopped)[0].interrupted);
    stopped.handle(Command::Stop(session.clone()));
    let (left, of_left) = cut_off();
    left.handle(task(Some(of_left.clone()), "Something else"));
    let interrupted = tabloop::kernel::event::FailureKind::Interrupted;
    for (world, session) in [(&stopped, &session), (&left, &of_left)] {
        let child = children_kept(world).remove(0);
        assert!(!child.interrupted && !child.running);
        let reasons = world.reasons(&child.id);
        assert_eq!(reasons, world.reasons(session)[..1], "ended as the run was");
        check_transcript(&world.records(&child.id));
        check_transcript(&world.records(session));
        // A round of each, at twelve tokens.
        let records = world.records(session).into_iter();
        let ends = records.filter_map(|record| match record.entry {
            Entry::Stopped(ending) => Some(ending),
            _ => None,
        });
        assert_eq!(ends.clone().next().unwrap().usage.unwrap().total(), 24);
        for ending in ends {
            assert!(match ending.reason {
                StopReason::Cancelled | StopReason::Completed => true,
                StopReason::Failed(failure) => failure.kind == interrupted,
                _ => false,
            });
        }
    }
}

/// Whether a sub-agent had not answered when it ended.
fn child_was_at_work(world: &World, id: &str) -> bool {
    let records = world.records(id);
    !records
        .iter()
        .any(|record| matches!(record.entry, Entry::Assistant(_)))
}

#[test]
fn a_record_that_can_not_be_saved_leaves_no_sub_agent_open() {
    let hanging = || Reply::Hanging { body: Vec::new() };
    let begin = || {
        let world = World::new(Vec::new());
        world.endpoint.answer_by(move |body| {
            let first = body["messages"][1]["content"].as_str().unwrap();
            match first {
                "Go" => Reply::calls(&[
                    ("task", json!({ "prompt": "a" })),
                    ("list_dir", json!({})),
                    ("task", json!({ "prompt": "b" })),
                    ("task", json!({ "prompt": "c" })),
                    ("task", json!({ "prompt": "d" })),
                ]),
                // It is done at once, so that its result is saved while the others work.
                "a" => Reply::text("Did."),
                _ => hanging(),
            }
        });
        world
    };
    let clean = begin();
    let before = clean.store.batches();
    drop(clean.start(task(None, "Go")));
    let batches = clean.store.batches() - before;
    assert!(batches > 8, "{batches}");
    let (mut closed, mut failed) = (0, 0);
    for n in 0..batches {
        let world = begin();
        world.store.fail_at(
            world.store.batches() + n,
            tabloop::kernel::store::memory::Fault::Full,
        );
        let mut run = world.start(task(None, "Go"));
        let session = world.session();
        let ended_by_itself = run.settle();
        if !ended_by_itself {
            world.handle(Command::Stop(session.clone()));
            assert!(run.settle(), "batch {n}");
        } else {
            closed += 1;
        }
        for child in children(&world) {
            let ends = world.reasons(&child.id).len();
            let told = world.events.borrow().iter().any(|event| {
                matches!(event, Event::Agent { session, event: tabloop::kernel::event::AgentEvent::EndedUnsaved(_) } if *session == child.id)
            });
            assert!(ends == 1 || told, "batch {n}: {child:?}");
            // Where the user stopped nothing, nothing says so.
            let is_failure = |reason: &StopReason| matches!(reason, StopReason::Failed(failure) if failure.kind == FailureKind::Full);
            if ended_by_itself && child_was_at_work(&world, &child.id) {
                let reasons = world.reasons(&child.id);
                assert!(reasons.iter().all(is_failure), "batch {n}: {reasons:?}");
                failed += reasons.len();
            }
        }
    }
    assert!(closed > 0, "some end the run by themselves");
    assert!(failed > 0, "and sub-agents with it");
}
