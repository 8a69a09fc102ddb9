//! The tool `bash` with a shell that is none: what the model is told, what is changed and
//! asked, and what ends a shell.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures::future::LocalBoxFuture;
use serde_json::json;
use support::endpoint::Reply as Answer;
use support::invariants::check_transcript;
use support::{World, task};
use tabloop::kernel::approval::{Action, ApprovalMode, Rule};
use tabloop::kernel::event::{About, AgentEvent, Progress, Reply, StopReason};
use tabloop::kernel::session::{Entry, Outcome};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::tool::ToolRegistry;
use tabloop::kernel::tool::bash::Bash;
use tabloop::kernel::tool::bash::link::{Changed, FromShell, Shell, Shells, ToShell};
use tabloop::protocol::{Access, Command};

type Manner = Rc<dyn Fn(&ToShell) -> Vec<FromShell>>;

/// Shells that answer as a test says, and what was said to them.
#[derive(Clone)]
struct Twins {
    manner: Manner,
    heard: Rc<RefCell<Vec<ToShell>>>,
    started: Rc<Cell<usize>>,
    ended: Rc<Cell<usize>>,
}

struct Twin {
    twins: Twins,
    says: RefCell<VecDeque<FromShell>>,
}

impl Shells for Twins {
    fn start(&self) -> Result<Box<dyn Shell>, String> {
        self.started.set(self.started.get() + 1);
        let says = VecDeque::from([FromShell::Loading { got: 1, of: 2 }, FromShell::Ready]);
        Ok(Box::new(Twin {
            twins: self.clone(),
            says: RefCell::new(says),
        }))
    }
}

impl Shell for Twin {
    fn post(&self, message: ToShell) {
        let answers = (self.twins.manner)(&message);
        self.twins.heard.borrow_mut().push(message);
        self.says.borrow_mut().extend(answers);
    }

    fn next(&mut self) -> LocalBoxFuture<'_, Result<FromShell, String>> {
        let next = self.says.borrow_mut().pop_front();
        Box::pin(async move {
            match next {
                Some(FromShell::Failed(why)) if why == "trap" => Err(why),
                Some(next) => Ok(next),
                None => std::future::pending().await,
            }
        })
    }
}

impl Drop for Twin {
    fn drop(&mut self) {
        self.twins.ended.set(self.twins.ended.get() + 1);
    }
}

fn done(stdout: &str, changes: Vec<Changed>) -> FromShell {
    FromShell::Done {
        exit_code: 0,
        stdout: stdout.into(),
        stderr: String::new(),
        folder: "/workspace".into(),
        changes,
    }
}

fn file(path: &str, content: &str) -> Changed {
    Changed::File {
        path: path.into(),
        content: content.into(),
    }
}

fn gone(path: &str) -> Changed {
    Changed::Gone { path: path.into() }
}

fn folder(path: &str) -> Changed {
    Changed::Folder { path: path.into() }
}

fn same(path: &str, from: &str) -> Changed {
    Changed::Same {
        path: path.into(),
        from: from.into(),
    }
}

fn bash(command: &str) -> Answer {
    Answer::calls(&[("bash", json!({ "command": command }))])
}

fn command_of(message: &ToShell) -> Option<&str> {
    match message {
        ToShell::Run { command, .. } => Some(command),
        ToShell::Contents(_) => None,
    }
}

/// A world with such shells.
fn world(
    replies: Vec<Answer>,
    manner: impl Fn(&ToShell) -> Vec<FromShell> + 'static,
) -> (World, Twins) {
    let (world, twins) = world_over(Rc::default(), replies, manner);
    world.connect();
    (world, twins)
}

/// The same over what another one left.
fn world_over(
    store: Rc<MemoryStore>,
    replies: Vec<Answer>,
    manner: impl Fn(&ToShell) -> Vec<FromShell> + 'static,
) -> (World, Twins) {
    let twins = Twins {
        manner: Rc::new(manner),
        heard: Rc::default(),
        started: Rc::default(),
        ended: Rc::default(),
    };
    let tools = ToolRegistry::standard().with(Rc::new(Bash::new(Rc::new(twins.clone()))));
    let world = World::with_tools(store, replies, Access::Writer, tools);
    (world, twins)
}

/// What the model was told of commands whose first one comes to `changes`.
fn changed(files: &[(&str, &str)], changes: Vec<Changed>) -> (World, String) {
    let changes = RefCell::new(Some(changes));
    let manner = move |message: &ToShell| {
        command_of(message)
            .map(|_| done("", changes.take().unwrap_or_default()))
            .into_iter()
            .collect()
    };
    let (world, _) = world(vec![bash("x"), Answer::text("Done.")], manner);
    for (path, content) in files {
        world.put_file(path, *content);
    }
    let session = world.send("Go");
    check_transcript(&world.records(&session));
    let result = world.results(&session).remove(0);
    (world, result)
}

fn outcomes(world: &World, session: &str) -> Vec<Outcome> {
    let records = world.records(session).into_iter();
    let outcome = |entry| match entry {
        Entry::ToolResult(result) => Some(result.outcome),
        _ => None,
    };
    records.filter_map(|record| outcome(record.entry)).collect()
}

#[test]
fn code_outputs_and_changes_are_told_apart() {
    let manner = |message: &ToShell| match command_of(message) {
        Some(_) => vec![FromShell::Done {
            exit_code: 2,
            stdout: "one\ntwo\n".into(),
            stderr: "oh\n".into(),
            folder: "/workspace/src".into(),
            changes: vec![file("src/a.rs", "new"), folder("out")],
        }],
        None => Vec::new(),
    };
    let (world, twins) = world(vec![bash("make"), Answer::text("Done.")], manner);
    world.put_file("src/a.rs", "old");
    let session = world.send("Go");
    assert_eq!(
        world.results(&session),
        [
            "exit code 2, now in /workspace/src\nstdout:\none\ntwo\nstderr:\noh\n[changed: out/, src/a.rs]"
        ]
    );
    assert_eq!(outcomes(&world, &session), [Outcome::Ok]);
    assert_eq!(world.file("src/a.rs").as_deref(), Some("new"));
    let heard = twins.heard.borrow();
    let ToShell::Run { command, index } = &heard[0] else {
        panic!("{heard:?}");
    };
    assert_eq!(command, "make");
    let lines: Vec<&str> = index.lines().collect();
    assert!(
        lines[0] == "/ src" && lines[1].starts_with("3 ") && lines[1].ends_with(" src/a.rs"),
        "{index}"
    );
    // The run is over, and so is its shell.
    assert_eq!((twins.started.get(), twins.ended.get()), (1, 1));
}

#[test]
fn contents_are_given_when_they_are_needed_but_not_those_kept_back() {
    let manner = |message: &ToShell| match message {
        ToShell::Run { .. } => {
            let paths = ["a.txt", "private/b.txt", "nothing", "../c"].map(str::to_owned);
            vec![FromShell::Need(paths.to_vec())]
        }
        ToShell::Contents(given) => {
            let told = given.iter().map(|given| match given.is_there {
                true => String::from_utf8_lossy(&given.content).into_owned(),
                false => "-".into(),
            });
            vec![done(&told.collect::<Vec<_>>().join(" "), Vec::new())]
        }
    };
    let (world, _) = world(vec![bash("cat *"), Answer::text("Done.")], manner);
    world.put_file("a.txt", "early");
    world.put_file("private/b.txt", "late");
    let rules = vec![Rule {
        tool: "read_file".into(),
        target: "private/**".into(),
        action: Action::Deny,
    }];
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Dangerous,
        rules,
    });
    let session = world.send("Go");
    assert_eq!(
        world.results(&session),
        ["exit code 0\nstdout:\nearly - - -"]
    );
}

#[test]
fn contents_that_are_needed_together_are_read_together() {
    const FILES: usize = 600;
    const GROUP: usize = 200;
    let path = |n: usize| format!("src/{n:03}.txt");
    let before = World::new(Vec::new());
    for n in 0..FILES {
        before.put_file(&path(n), format!("file {n}"));
    }
    // A kernel that has none of them near.
    let store = Rc::new(before.store.snapshot());
    let came = Rc::new(Cell::new(0));
    let manner = {
        let came = Rc::clone(&came);
        move |message: &ToShell| {
            if let ToShell::Contents(given) = message {
                for given in given {
                    let n = came.replace(came.get() + 1);
                    assert_eq!(given.content, format!("file {n}").into_bytes());
                }
            }
            match came.get() {
                FILES => vec![done("", Vec::new())],
                from => vec![FromShell::Need((from..from + GROUP).map(path).collect())],
            }
        }
    };
    let replies = vec![bash("grep -r x ."), Answer::text("Done.")];
    let (world, _) = world_over(Rc::clone(&store), replies, manner);
    world.connect();
    let asked = store.asked();
    world.send("Go");
    assert_eq!(came.get(), FILES);
    let asked = store.asked() - asked;
    assert!(asked < 20, "the store was asked {asked} times");
}

#[test]
fn whatever_a_command_came_to_is_made_so() {
    let files = [("a", "A"), ("b", "B"), ("dir/x", "X"), ("dir/sub/y", "Y")];
    // Two files change places, a folder moves, a file becomes a folder and a folder a file.
    let (world, told) = changed(&files, vec![same("a", "b"), same("b", "a")]);
    assert_eq!(told, "exit code 0\n(no output)\n[changed: a, b]");
    assert_eq!(
        (world.file("a").as_deref(), world.file("b").as_deref()),
        (Some("B"), Some("A"))
    );

    let moved = vec![
        gone("dir"),
        gone("dir/sub"),
        gone("dir/sub/y"),
        gone("dir/x"),
        folder("new"),
        folder("new/sub"),
        same("new/sub/y", "dir/sub/y"),
        same("new/x", "dir/x"),
    ];
    let (world, _) = changed(&files, moved);
    assert_eq!(world.file("new/sub/y").as_deref(), Some("Y"));
    assert_eq!(world.file("new/x").as_deref(), Some("X"));
    assert_eq!(world.file("dir/x"), None);

    let swapped = vec![
        folder("a"),
        file("a/in", "1"),
        gone("dir/sub"),
        gone("dir/sub/y"),
        gone("dir/x"),
        file("dir", "2"),
    ];
    let (world, told) = changed(&files, swapped);
    assert_eq!(
        (world.file("a/in").as_deref(), world.file("dir").as_deref()),
        (Some("1"), Some("2")),
        "{told}"
    );

    let (world, told) = changed(&files, vec![file("a", "A")]);
    assert_eq!(told, "exit code 0\n(no output)");
    assert_eq!(world.file("a").as_deref(), Some("A"));
}

#[test]
fn names_that_can_not_be_are_left_out_and_told() {
    let odd = ["a\nb", "../out", "/abs", "nul\0l", "CON", "x/../y", ""];
    let mut changes: Vec<Changed> = odd.iter().map(|path| file(path, "odd")).collect();
    changes.push(file("fine", "kept"));
    let (world, told) = changed(&[], changes);
    assert_eq!(told.matches("\n[not kept: ").count(), odd.len(), "{told}");
    assert_eq!(world.file("fine").as_deref(), Some("kept"));
    for path in ["out", "abs", "y", "CON"] {
        assert_eq!(world.file(path), None, "{path}");
    }
}

#[test]
fn one_shell_serves_a_run_and_another_run_has_its_own() {
    let manner = |message: &ToShell| {
        command_of(message)
            .map(|command| done(command, Vec::new()))
            .into_iter()
            .collect()
    };
    let replies = vec![
        bash("1"),
        bash("2"),
        Answer::text("Done."),
        bash("3"),
        Answer::text("Done."),
    ];
    let (world, twins) = world(replies, manner);
    let session = world.send("Go");
    assert_eq!((twins.started.get(), twins.ended.get()), (1, 1));
    world.handle(task(Some(session.clone()), "Again"));
    assert_eq!((twins.started.get(), twins.ended.get()), (2, 2));
    let results = world.results(&session);
    assert!(
        results.iter().all(|told| !told.contains("new shell")),
        "{results:?}"
    );
}

#[test]
fn the_limit_ends_the_shell_and_the_next_result_says_what_is_gone() {
    let manner = |message: &ToShell| match command_of(message) {
        Some("yes") => vec![FromShell::Printed {
            stdout: "y\n".repeat(3),
            stderr: "oh\n".into(),
        }],
        Some(_) => vec![done("here", Vec::new())],
        None => Vec::new(),
    };
    let slow = Answer::calls(&[("bash", json!({ "command": "yes", "timeout_s": 45 }))]);
    let (world, twins) = world(
        vec![slow, bash("pwd"), bash("pwd"), Answer::text("Done.")],
        manner,
    );
    let began = tabloop::kernel::clock::Clock::now_ms(&world.clock);
    let session = world.send("Go");
    let results = world.results(&session);
    assert!(
        results[0].starts_with(
            "Error: the command was ended after 45 seconds, its limit, and nothing was changed."
        ),
        "{}",
        results[0]
    );
    assert!(
        results[0].ends_with("Till then it had printed:\nstdout:\ny\ny\ny\nstderr:\noh"),
        "{}",
        results[0]
    );
    assert_eq!(
        results[1..],
        [
            "[a new shell: the last one was ended, so its folder, variables and functions are gone]\nexit code 0\nstdout:\nhere",
            "exit code 0\nstdout:\nhere",
        ]
    );
    assert_eq!((twins.started.get(), twins.ended.get()), (2, 2));
    assert_eq!(
        tabloop::kernel::clock::Clock::now_ms(&world.clock) - began,
        45_000
    );
    let printed = Progress::Printed("y\ny\ny\noh\n".into());
    let told = world.agent_events().into_iter().any(
        |event| matches!(event, AgentEvent::ToolProgress { progress, .. } if progress == printed),
    );
    assert!(told);
}

#[test]
fn a_shell_that_breaks_down_or_can_not_be_loaded_is_told() {
    let manner = |message: &ToShell| match command_of(message) {
        Some(_) => vec![FromShell::Failed("trap".into())],
        None => Vec::new(),
    };
    let (world, twins) = world(vec![bash("boom"), Answer::text("Done.")], manner);
    let session = world.send("Go");
    let results = world.results(&session);
    assert!(
        results[0].starts_with(
            "Error: the shell broke down at this command (trap), and nothing was changed."
        ),
        "{results:?}"
    );
    assert_eq!(twins.ended.get(), 1);

    struct Nowhere;
    impl Shells for Nowhere {
        fn start(&self) -> Result<Box<dyn Shell>, String> {
            Err("Failed to fetch".into())
        }
    }
    let tools = ToolRegistry::standard().with(Rc::new(Bash::new(Rc::new(Nowhere))));
    let replies = vec![bash("ls"), Answer::text("Without it, then.")];
    let world = World::with_tools(Rc::default(), replies, Access::Writer, tools);
    world.connect();
    let session = world.send("Go");
    let results = world.results(&session);
    assert!(results[0].starts_with("Error: the shell could not be loaded (Failed to fetch); nothing was run. Work with the file tools"), "{results:?}");
    assert_eq!(world.reasons(&session), [StopReason::Completed]);
}

#[test]
fn stop_ends_the_shell_and_nothing_is_changed() {
    let (world, twins) = world(vec![bash("sleep 3600")], |_| Vec::new());
    let run = world.start(task(None, "Go"));
    let session = world.session();
    assert_eq!((twins.started.get(), twins.ended.get()), (1, 0));
    world.handle(Command::Stop(session.clone()));
    run.finish();
    assert_eq!(twins.ended.get(), 1);
    assert_eq!(world.reasons(&session), [StopReason::Cancelled]);
    check_transcript(&world.records(&session));
}

#[test]
fn the_user_is_asked_with_the_diffs_and_about_nothing_that_changes_nothing() {
    let manner = |message: &ToShell| {
        let changes = match command_of(message) {
            Some("ls") => Vec::new(),
            Some(_) => vec![file("a", "new\n"), gone("b")],
            None => return Vec::new(),
        };
        vec![done("", changes)]
    };
    let replies = vec![
        bash("ls"),
        bash("edit"),
        bash("edit"),
        Answer::text("Done."),
    ];
    let (world, _) = world(replies, manner);
    world.put_file("a", "old\n");
    world.put_file("b", "B");
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    let mut run = world.start(task(None, "Go"));
    assert!(!run.settle());
    let (session, question) = world.questions().remove(0);
    let About::Approval {
        changes, always, ..
    } = question.about
    else {
        panic!("{question:?}");
    };
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["b", "a"]);
    assert_eq!(
        (always.tool.as_str(), always.target.as_str()),
        ("bash", "**")
    );
    assert_eq!(world.file("a").as_deref(), Some("old\n"));
    world.answer(Reply::No {
        word: String::new(),
    });
    assert!(!run.settle());
    assert_eq!(world.file("a").as_deref(), Some("old\n"));
    world.answer(Reply::Once);
    run.finish();
    assert_eq!(
        outcomes(&world, &session),
        [Outcome::Ok, Outcome::Denied, Outcome::Ok]
    );
    assert_eq!(
        (world.file("a").as_deref(), world.file("b")),
        (Some("new\n"), None)
    );
}

#[test]
fn rules_for_files_hold_for_commands_too() {
    let manner = |message: &ToShell| {
        command_of(message)
            .map(|_| done("", vec![file("private/a", "new")]))
            .into_iter()
            .collect()
    };
    let (world, _) = world(vec![bash("x"), Answer::text("Done.")], manner);
    let rules = vec![Rule {
        tool: "*".into(),
        target: "private/**".into(),
        action: Action::Deny,
    }];
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Never,
        rules,
    });
    let session = world.send("Go");
    assert_eq!(outcomes(&world, &session), [Outcome::Denied]);
    assert_eq!(world.file("private/a"), None);
}

#[test]
fn what_may_not_be_read_is_not_copied_or_moved_either() {
    let manner = |message: &ToShell| {
        let moved = vec![
            Changed::Same {
                path: "y".into(),
                from: "private/x".into(),
            },
            gone("private/x"),
        ];
        let came = command_of(message).map(|_| done("", moved));
        came.into_iter().collect()
    };
    let (world, _) = world(vec![bash("mv private/x y"), Answer::text("Done.")], manner);
    world.put_file("private/x", "secret");
    let rules = vec![Rule {
        tool: "read_file".into(),
        target: "private/**".into(),
        action: Action::Deny,
    }];
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Never,
        rules,
    });
    let session = world.send("Go");
    let results = world.results(&session);
    assert!(
        results[0].contains("forbids reading private/x"),
        "{results:?}"
    );
    assert_eq!(world.file("y"), None);
    assert_eq!(world.file("private/x").as_deref(), Some("secret"));
}

#[test]
fn what_a_command_came_to_is_asked_about_again_after_a_reload() {
    let writes = |message: &ToShell| {
        let came = command_of(message).map(|_| done("", vec![file("a", "x")]));
        came.into_iter().collect()
    };
    let ask_for_writes = || Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    };
    let (world, _) = world(vec![bash("echo x > a")], writes);
    world.handle(ask_for_writes());
    let run = world.start(task(None, "Go"));
    let session = world.session();
    assert_eq!(world.questions().len(), 1);
    drop(run);
    let store = Rc::new(world.store.snapshot());
    let (heir, _) = world_over(store, vec![Answer::text("Done.")], writes);
    let run = heir.start_waiting();
    assert!(heir.endpoint.requests().is_empty());
    let (of, question) = heir.questions().remove(0);
    assert_eq!((of, question.tool.as_str()), (session.clone(), "bash"));
    let About::Approval { changes, .. } = question.about else {
        panic!("{question:?}");
    };
    assert_eq!(changes.len(), 1, "it is shown what would change");
    assert_eq!(heir.file("a"), None, "nothing has changed so far");
    heir.answer(Reply::Once);
    run.finish();
    assert_eq!(heir.file("a").as_deref(), Some("x"));
    assert_eq!(heir.reasons(&session), [StopReason::Completed]);
    check_transcript(&heir.records(&session));
}

#[test]
fn a_command_that_was_cut_off_before_the_question_waits_for_resume() {
    let (world, _) = world(vec![bash("make")], |_| Vec::new());
    world.handle(Command::SaveApproval {
        mode: ApprovalMode::Writes,
        rules: Vec::new(),
    });
    let run = world.start(task(None, "Go"));
    let session = world.session();
    assert!(world.questions().is_empty(), "it is at work");
    drop(run);
    let store = Rc::new(world.store.snapshot());
    let (heir, twins) = world_over(store, Vec::new(), |_| Vec::new());
    drop(heir.start_waiting());
    assert!(heir.state(&session).interrupted, "the user resumes it");
    assert_eq!(twins.started.get(), 0, "no shell is loaded unasked");
}
