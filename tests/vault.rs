//! Keys kept on the device under a passphrase: kept, unlocked, locked, forgotten; what
//! waits for them; where they are not.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::rc::Rc;

use futures::future::join;
use serde_json::json;
use support::endpoint::Reply;
use support::{BASE_URL, KEY, World, close_tab, draft, sealed_in_page, task};
use tabloop::kernel::approval::ApprovalMode;
use tabloop::kernel::doctor::Cause;
use tabloop::kernel::event;
use tabloop::kernel::session::Entry;
use tabloop::kernel::settings::ProfileDraft;
use tabloop::kernel::store::memory::Fault;
use tabloop::kernel::store::{Batch, Change, Key, Store, Table, Value};
use tabloop::kernel::vault::Passphrase;
use tabloop::protocol::{
    Access, Command, Event, NoVault, Notice, VaultCommand, VaultProblem, VaultState,
};

const PASSPHRASE: &str = "correct horse battery";
const OTHER: &str = "staple of another";
const SECOND_URL: &str = "https://other.example/v1";
const SECOND_KEY: &str = "sk-second-2b91";

fn typed(text: &str) -> Passphrase {
    Passphrase::new(text.into())
}

fn keep(text: &str) -> VaultCommand {
    VaultCommand::Keep(typed(text))
}

fn unlock(text: &str) -> VaultCommand {
    VaultCommand::Unlock(typed(text))
}

fn change(old: &str, new: &str) -> VaultCommand {
    VaultCommand::Change {
        old: typed(old),
        new: typed(new),
    }
}

impl World {
    /// Carries a command out; gives what was wrong with it.
    fn vault(&self, command: VaultCommand) -> Option<VaultProblem> {
        self.handle(Command::Vault(command));
        self.answered()
    }

    fn answered(&self) -> Option<VaultProblem> {
        let events = self.events.borrow();
        let answer = events.iter().rev().find_map(|event| match event {
            Event::VaultAnswered { problem, .. } => Some(problem.clone()),
            _ => None,
        });
        answer.expect("the command is answered")
    }

    fn vault_state(&self) -> VaultState {
        self.settings().vault
    }

    /// Closes the tab, and opens the page in a new one.
    fn in_new_tab(&self, replies: Vec<Reply>) -> World {
        close_tab();
        World::over(Rc::new(self.store.snapshot()), replies, Access::Writer)
    }

    fn profile(&self, at: usize) -> String {
        self.settings().kept.profiles[at].id.clone()
    }

    fn last_notice(&self) -> Option<Notice> {
        let events = self.events.borrow();
        events.iter().rev().find_map(|event| match event {
            Event::Notice(notice) => Some(notice.clone()),
            _ => None,
        })
    }

    /// The keys that the requests so far carried.
    fn keys_sent(&self) -> Vec<String> {
        let requests = self.endpoint.requests().into_iter();
        let key = requests.map(|sent| {
            let mut headers = sent.headers.into_iter();
            let key = headers.find(|(name, _)| *name == "Authorization");
            key.map_or_else(String::new, |(_, key)| key.replace("Bearer ", ""))
        });
        key.collect()
    }
}

/// A world whose keys are kept under [`PASSPHRASE`].
fn kept() -> World {
    let world = World::new(vec![Reply::text("Hi")]);
    assert_eq!(world.vault(keep(PASSPHRASE)), None);
    assert_eq!(world.vault_state(), VaultState::Open);
    world
}

/// The same in a new tab: locked.
fn locked(replies: Vec<Reply>) -> World {
    let world = kept().in_new_tab(replies);
    assert_eq!(world.vault_state(), VaultState::Locked);
    world
}

#[test]
fn by_default_keys_end_with_their_tab() {
    let world = World::new(vec![]);
    assert_eq!(world.vault_state(), VaultState::None);
    assert!(sealed_in_page().is_some());
    let next = world.in_new_tab(vec![]);
    assert_eq!(next.vault_state(), VaultState::None);
    next.handle(task(None, "Go"));
    assert_eq!(next.last_notice(), Some(Notice::KeyNeeded));
}

#[test]
fn kept_keys_open_in_another_tab_by_their_passphrase_alone() {
    let world = locked(vec![Reply::text("Hi")]);
    assert!(sealed_in_page().is_none());
    assert_eq!(world.settings().with_key.len(), 0);
    world.handle(task(None, "Go"));
    assert_eq!(world.last_notice(), Some(Notice::KeysLocked));
    for wrong in ["", "correct horse batterY", "correct horse battery "] {
        let problem = world.vault(unlock(wrong));
        assert_eq!(problem, Some(VaultProblem::WrongPassphrase), "{wrong:?}");
    }
    assert_eq!(world.vault_state(), VaultState::Locked);
    assert!(world.endpoint.requests().is_empty());
    assert_eq!(world.vault(unlock(PASSPHRASE)), None);
    assert_eq!(world.vault_state(), VaultState::Open);
    world.send("Go");
    assert_eq!(world.keys_sent(), [KEY]);
}

#[test]
fn neither_key_nor_passphrase_is_stored_or_told() {
    let world = kept();
    world.send("Go");
    world.vault(change("wrong passphrase", OTHER));
    world.vault(change(PASSPHRASE, OTHER));
    world.vault(VaultCommand::Lock);
    world.vault(unlock("wrong passphrase"));
    world.vault(unlock(OTHER));
    let told = format!("{:?}", world.events.borrow());
    for secret in [KEY, PASSPHRASE, OTHER, "wrong passphrase"] {
        assert!(!world.store.dump().contains(secret), "{secret} is stored");
        assert!(!told.contains(secret), "{secret} is told");
    }
    let command = format!("{:?}", Command::Vault(change(PASSPHRASE, OTHER)));
    assert!(!command.contains("horse") && !command.contains("staple"));
}

#[test]
fn a_new_passphrase_has_eight_characters() {
    let world = World::new(vec![]);
    assert_eq!(world.vault(keep("seven77")), Some(VaultProblem::TooShort));
    assert_eq!(world.vault_state(), VaultState::None);
    assert!(sealed_in_page().is_some());
    assert_eq!(world.vault(keep("eight 8 ")), None);
    let problem = world.vault(change("eight 8 ", "seven77"));
    assert_eq!(problem, Some(VaultProblem::TooShort));
    assert_eq!(world.vault(change("eight 8 ", PASSPHRASE)), None);
}

#[test]
fn what_a_page_kept_before_opens_no_more() {
    let world = World::new(vec![]);
    let copy = sealed_in_page();
    world.vault(keep(PASSPHRASE));
    assert_eq!(sealed_in_page(), None);
    support::keep_in_page(copy);
    let next = World::over(Rc::new(world.store.snapshot()), vec![], Access::Writer);
    assert_eq!(next.settings().with_key.len(), 0);
    assert_eq!(next.vault_state(), VaultState::Locked);
}

#[test]
fn changes_of_keys_are_saved_while_open() {
    let world = kept();
    world.save(None, draft(SECOND_URL, SECOND_KEY, "m"));
    world.save(
        Some(&world.profile(0)),
        draft(BASE_URL, "sk-changed-1", "m"),
    );
    assert_eq!(sealed_in_page(), None);
    let next = world.in_new_tab(vec![Reply::text("Hi")]);
    next.vault(unlock(PASSPHRASE));
    assert_eq!(next.settings().with_key.len(), 2);
    next.send("To the second, which was changed last");
    assert_eq!(next.keys_sent(), ["sk-changed-1"]);
    next.handle(Command::RemoveProfile(next.profile(0)));
    let last = next.in_new_tab(vec![Reply::text("Hi")]);
    last.vault(unlock(PASSPHRASE));
    assert_eq!(last.settings().with_key, [last.profile(0)]);
    last.send("Go");
    assert_eq!(last.keys_sent(), [SECOND_KEY]);
}

#[test]
fn an_endpoint_removed_while_locked_leaves_no_key_behind() {
    let world = kept();
    world.save(None, draft(SECOND_URL, SECOND_KEY, "m"));
    let next = world.in_new_tab(vec![]);
    let gone = next.profile(0);
    let before = next.store.batches();
    next.handle(Command::RemoveProfile(gone));
    next.vault(unlock(PASSPHRASE));
    assert_eq!(next.settings().with_key, [next.profile(0)]);
    assert_eq!(next.store.batches(), before + 2, "settings, then the keys");
    // Without a reason nothing is written.
    next.vault(VaultCommand::Lock);
    let before = next.store.batches();
    next.vault(unlock(PASSPHRASE));
    assert_eq!(next.store.batches(), before);
}

#[test]
fn a_key_typed_while_locked_is_the_newer_one_and_is_kept_on_unlocking() {
    let world = locked(vec![Reply::text("Hi")]);
    world.save(Some(&world.profile(0)), draft(BASE_URL, "sk-newer-1", "m"));
    assert!(sealed_in_page().is_some(), "until then the page keeps it");
    world.vault(unlock(PASSPHRASE));
    assert_eq!(sealed_in_page(), None);
    let next = world.in_new_tab(vec![Reply::text("Hi")]);
    next.vault(unlock(PASSPHRASE));
    next.send("Go");
    assert_eq!(next.keys_sent(), ["sk-newer-1"]);
}

#[test]
fn a_locked_key_does_not_go_to_a_host_it_was_not_given_for() {
    let world = locked(vec![Reply::text("Hi")]);
    let elsewhere = ProfileDraft {
        key: None,
        ..draft("https://evil.example/v1", "", "m")
    };
    world.save(Some(&world.profile(0)), elsewhere);
    world.vault(unlock(PASSPHRASE));
    world.send("Go");
    assert_eq!(world.keys_sent(), [""]);
}

#[test]
fn a_copy_of_the_tab_with_old_keys_does_not_either() {
    let world = World::new(vec![]);
    let copy = sealed_in_page();
    let elsewhere = draft("https://evil.example/v1", "sk-of-evil-1", "m");
    world.save(Some(&world.profile(0)), elsewhere);
    support::keep_in_page(copy);
    let copied = World::over(Rc::new(world.store.snapshot()), vec![], Access::Writer);
    assert_eq!(copied.settings().with_key.len(), 0);
}

#[test]
fn an_empty_field_takes_no_locked_key_away() {
    let world = locked(vec![Reply::text("Hi")]);
    world.save(
        Some(&world.profile(0)),
        draft(BASE_URL, "", "another-model"),
    );
    assert!(world.settings().kept.profiles[0].uses_key);
    world.handle(task(None, "Go"));
    assert_eq!(world.last_notice(), Some(Notice::KeysLocked));
    world.vault(unlock(PASSPHRASE));
    world.send("Go");
    assert_eq!(world.keys_sent(), [KEY]);
}

#[test]
fn the_doctor_does_not_take_a_locked_key_for_a_missing_one() {
    let world = locked(vec![]);
    let checked = ProfileDraft {
        key: None,
        ..draft(BASE_URL, "", "m")
    };
    world.handle(Command::CheckUp {
        id: Some(world.profile(0)),
        draft: checked,
        origin: "https://page.example".into(),
    });
    let events = world.events.borrow();
    let told = events.iter().rev().find_map(|event| match event {
        Event::CheckUp(checkup) => Some(checkup.causes.clone()),
        _ => None,
    });
    assert_eq!(told, Some(vec![Cause::KeyLocked]));
    assert!(world.endpoint.requests().is_empty());
}

#[test]
fn the_passphrase_is_changed_by_whoever_knows_it() {
    let world = kept();
    let problem = world.vault(change("not this one", OTHER));
    assert_eq!(problem, Some(VaultProblem::WrongPassphrase));
    assert_eq!(world.vault(change(PASSPHRASE, OTHER)), None);
    // What is saved later is under the new one.
    world.save(None, draft(SECOND_URL, SECOND_KEY, "m"));
    let next = world.in_new_tab(vec![]);
    let problem = next.vault(unlock(PASSPHRASE));
    assert_eq!(problem, Some(VaultProblem::WrongPassphrase));
    assert_eq!(next.vault(unlock(OTHER)), None);
    assert_eq!(next.settings().with_key.len(), 2);
}

#[test]
fn forgotten_keys_are_gone_from_the_store_and_from_every_tab() {
    let world = World::new(vec![]);
    let other_tab = sealed_in_page();
    world.vault(keep(PASSPHRASE));
    world.save(None, draft(SECOND_URL, SECOND_KEY, "m"));
    assert_eq!(world.vault(VaultCommand::Forget), None);
    assert_eq!(
        (world.vault_state(), world.settings().with_key.len()),
        (VaultState::None, 0)
    );
    assert_eq!(world.settings().kept.profiles.len(), 2);
    world.handle(task(None, "Go"));
    assert_eq!(world.last_notice(), Some(Notice::KeyNeeded));
    support::keep_in_page(other_tab);
    let next = World::over(Rc::new(world.store.snapshot()), vec![], Access::Writer);
    assert_eq!(
        (next.vault_state(), next.settings().with_key.len()),
        (VaultState::None, 0)
    );
}

#[test]
fn keys_of_the_tab_can_be_forgotten_too() {
    let world = World::new(vec![]);
    world.vault(VaultCommand::Forget);
    assert_eq!(world.settings().with_key.len(), 0);
    assert_eq!(sealed_in_page(), None);
}

#[test]
fn a_run_under_way_keeps_its_key_when_the_keys_are_locked() {
    for command in [VaultCommand::Lock, VaultCommand::Forget] {
        let calls = Reply::calls(&[("task", json!({ "prompt": "Look around" }))]);
        let refusal = format!("{{\"error\":{{\"message\":\"no such key: {KEY}\"}}}}");
        let world = World::new(vec![
            calls,
            Reply::text("Seen."),
            Reply::error(401, &refusal),
        ]);
        world.vault(keep(PASSPHRASE));
        world.endpoint.delay_ms.set(10);
        world.endpoint.clock.replace(Some(world.clock.clone()));
        let mut run = world.start(task(None, "Go"));
        assert!(!run.settle());
        world.vault(command);
        run.finish();
        // The run, its sub-agent, and the run again.
        assert_eq!(world.keys_sent(), [KEY; 3]);
        assert!(!world.store.dump().contains(KEY));
        assert_eq!(world.settings().with_key.len(), 0);
        let session = world.session();
        world.handle(Command::Continue(session));
        assert_eq!(world.keys_sent().len(), 3, "the next one has none");
    }
}

#[test]
fn a_run_that_was_cut_off_waits_for_the_keys_and_goes_on() {
    let world = World::new(vec![
        Reply::calls(&[("list_dir", json!({}))]),
        Reply::text("Done."),
    ]);
    world.vault(keep(PASSPHRASE));
    world.endpoint.delay_ms.set(10);
    world.endpoint.clock.replace(Some(world.clock.clone()));
    let mut run = world.start(task(None, "Go"));
    assert!(!run.settle());
    let session = world.session();
    drop(run);
    let next = world.in_new_tab(vec![Reply::text("Done.")]);
    let before = next.records(&session);
    next.handle(Command::Continue(session.clone()));
    assert_eq!(next.last_notice(), Some(Notice::KeysLocked));
    assert_eq!(next.records(&session), before, "it is as it was");
    assert!(next.state(&session).interrupted);
    next.vault(unlock(PASSPHRASE));
    next.handle(Command::Continue(session.clone()));
    assert_eq!(next.reasons(&session).len(), 1);
    let asked = next.records(&session);
    let tasks = asked
        .iter()
        .filter(|record| matches!(record.entry, Entry::User { .. }));
    assert_eq!(tasks.count(), 1);
}

#[test]
fn a_question_that_waits_comes_back_with_the_keys() {
    let write = json!({ "path": "a", "content": "x" });
    let world = World::new(vec![Reply::calls(&[("write_file", write)])]);
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    world.vault(keep(PASSPHRASE));
    let run = world.start(task(None, "Go"));
    assert_eq!(world.questions().len(), 1);
    drop(run);
    let next = world.in_new_tab(vec![Reply::text("Done.")]);
    support::block_on(next.waiting_slowly());
    assert_eq!(next.questions().len(), 0);
    assert_eq!(
        next.last_notice(),
        None,
        "the page shows that they are locked"
    );
    next.vault(unlock("not this one"));
    let run = next.start(Command::Vault(unlock(PASSPHRASE)));
    assert_eq!(next.questions().len(), 1);
    next.answer(event::Reply::Once);
    run.finish();
    assert_eq!(next.file("a").as_deref(), Some("x"));
}

/// What lies in the store in the place of the keys.
fn put_row(world: &World, value: Value) {
    let put = Change::Put(Table::Vault, Key::new(["keys".into()]), value);
    support::block_on(world.store.apply(Batch::of(vec![put]))).unwrap();
}

fn row(world: &World) -> String {
    let key = Key::new(["keys".into()]);
    match support::block_on(world.store.get(Table::Vault, key)).unwrap() {
        Some(Value::Json(text)) => text,
        other => panic!("keys are kept as a record: {other:?}"),
    }
}

#[test]
fn damaged_keys_are_told_and_can_be_forgotten() {
    let whole = kept();
    let sound = row(&whole);
    let damaged = [
        Value::Json("{}".into()),
        Value::Json(String::new()),
        Value::Bytes(vec![1, 2, 3]),
        Value::Json(sound.replace("600000", "600001")),
        Value::Json(sound.replace("\"sealed\":[", "\"sealed\":[9,")),
        Value::Json(sound.replace("\"salt\":[", "\"salt\":[9,")),
    ];
    for value in damaged {
        put_row(&whole, value.clone());
        let world = whole.in_new_tab(vec![Reply::text("Hi")]);
        assert_eq!(world.vault_state(), VaultState::Damaged, "{value:?}");
        world.vault(unlock(PASSPHRASE));
        assert_eq!(world.vault_state(), VaultState::Damaged);
        world.vault(keep(OTHER));
        assert_eq!(
            world.vault_state(),
            VaultState::Damaged,
            "nothing is overwritten"
        );
        world.vault(VaultCommand::Forget);
        assert_eq!(world.vault_state(), VaultState::None);
        world.save(Some(&world.profile(0)), draft(BASE_URL, KEY, "m"));
        world.vault(keep(OTHER));
        assert_eq!(world.vault_state(), VaultState::Open);
        world.send("Go");
        assert_eq!(world.keys_sent(), [KEY]);
    }
    assert!(sound.contains("\"iterations\":600000"));
}

#[test]
fn what_could_not_be_saved_is_told_and_changes_nothing() {
    let world = World::new(vec![]);
    let full = |world: &World| world.store.fail_at(world.store.batches(), Fault::Full);
    let is_not_saved = |problem| matches!(problem, Some(VaultProblem::NotSaved(_)));
    full(&world);
    assert!(is_not_saved(world.vault(keep(PASSPHRASE))));
    assert_eq!(world.vault_state(), VaultState::None);
    assert!(sealed_in_page().is_some());
    world.vault(keep(PASSPHRASE));
    full(&world);
    assert!(is_not_saved(world.vault(change(PASSPHRASE, OTHER))));
    assert_eq!(world.vault(change(PASSPHRASE, OTHER)), None);
    full(&world);
    assert!(is_not_saved(world.vault(VaultCommand::Forget)));
    assert_eq!(world.vault_state(), VaultState::Locked);
    assert_eq!(world.vault(unlock(OTHER)), None);
    assert_eq!(world.settings().with_key.len(), 1);
}

#[test]
fn a_key_that_was_not_saved_is_saved_on_locking() {
    let world = kept();
    world.store.fail_at(world.store.batches(), Fault::Full);
    world.save(None, draft(SECOND_URL, SECOND_KEY, "m"));
    assert!(matches!(world.last_notice(), Some(Notice::Full)));
    world.vault(VaultCommand::Lock);
    world.vault(unlock(PASSPHRASE));
    assert_eq!(world.settings().with_key.len(), 2);
}

/// Begins `first`, goes `steps` steps, then carries out both.
fn both(world: &World, first: Command, steps: usize, then: Command) {
    let mut slow = world.start_slowly(first);
    let is_done = (0..steps).any(|_| support::poll_on(slow.as_mut()).0.is_ready());
    let then = world.start_slowly(then);
    match is_done {
        true => support::run_on(&world.clock, then),
        false => drop(support::run_on(&world.clock, join(then, slow))),
    }
}

#[test]
fn whatever_comes_together_ends_under_one_passphrase_with_all_keys() {
    for steps in 0..20 {
        let world = kept();
        let profile = Command::SaveProfile {
            id: None,
            draft: draft(SECOND_URL, SECOND_KEY, "m"),
        };
        let change = Command::Vault(change(PASSPHRASE, OTHER));
        both(&world, change, steps, profile);
        let next = world.in_new_tab(vec![]);
        assert_eq!(next.vault(unlock(OTHER)), None, "after {steps} steps");
        assert_eq!(next.settings().with_key.len(), 2, "after {steps} steps");
    }
}

#[test]
fn keys_forgotten_or_locked_meanwhile_stay_so() {
    for steps in 0..20 {
        let change = || change(PASSPHRASE, OTHER);
        for (first, then, state) in [
            (unlock(PASSPHRASE), VaultCommand::Forget, VaultState::None),
            (change(), VaultCommand::Lock, VaultState::Locked),
            (change(), VaultCommand::Forget, VaultState::None),
        ] {
            let world = kept();
            if matches!(first, VaultCommand::Unlock(_)) {
                world.vault(VaultCommand::Lock);
            }
            both(&world, Command::Vault(first), steps, Command::Vault(then));
            assert_eq!(world.vault_state(), state, "after {steps} steps");
            assert_eq!(world.settings().with_key.len(), 0, "after {steps} steps");
        }
    }
}

#[test]
fn where_nothing_is_stored_nothing_is_kept() {
    let world = World::in_memory(vec![Reply::text("Hi")]);
    let unavailable = VaultState::Unavailable(NoVault::Storage);
    assert_eq!(world.vault_state(), unavailable);
    world.vault(keep(PASSPHRASE));
    assert_eq!(world.vault_state(), unavailable);
    world.send("Go");
    assert_eq!(world.keys_sent(), [KEY]);
}

#[test]
fn a_tab_that_may_not_write_changes_no_keys() {
    let world = kept();
    close_tab();
    let reader = World::over(Rc::clone(&world.store), vec![], Access::Reader);
    assert_eq!(reader.vault_state(), VaultState::Locked);
    for command in [unlock(PASSPHRASE), VaultCommand::Forget] {
        reader.handle(Command::Vault(command));
        assert_eq!(reader.last_notice(), Some(Notice::ReadOnly));
    }
    assert_eq!(reader.vault_state(), VaultState::Locked);
}
