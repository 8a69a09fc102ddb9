//! Several kernels that write to one workspace without a lock between them, asleep for as
//! long as it takes the others to tidy everything away: what was acknowledged stays, and
//! nobody writes over what they have not seen.
//!
//! `SEEDS=n` runs that many seeds.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::rc::Rc;

use futures::executor::block_on;
use tabloop::kernel::clock::{ManualClock, Random, SeededRandom};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::store::{Durability, Key, Store, StoreError, Table};
use tabloop::kernel::workspace::{
    Expect, FileChange, Keep, Workspace, WorkspaceError, WorkspacePath,
};

const NOTHING: Keep = Keep {
    commits: 0,
    bytes: 0,
};

type Files = BTreeMap<String, Vec<u8>>;

fn open(store: &Rc<MemoryStore>) -> Workspace {
    let store = Rc::clone(store) as Rc<dyn Store>;
    block_on(Workspace::open(store, Rc::new(ManualClock::at(1)), "w")).unwrap()
}

fn path(n: u64) -> WorkspacePath {
    WorkspacePath::parse_file(&format!("f{n}")).unwrap()
}

fn below(random: &SeededRandom, end: u64) -> u64 {
    random.next_u64() % end
}

/// What the store holds, every content of it.
fn held(store: &Rc<MemoryStore>) -> (u64, Files) {
    let workspace = open(store);
    let paths: Vec<WorkspacePath> = workspace.nodes().keys().cloned().collect();
    let read = |path: WorkspacePath| {
        let (content, _) = block_on(workspace.read(&path)).unwrap();
        (path.as_str().to_owned(), content)
    };
    (
        workspace.generation(),
        paths.into_iter().map(read).collect(),
    )
}

/// What a tab believes the files to be; a content it can't read is told by its version.
fn known(tab: &Workspace) -> Vec<String> {
    let nodes = tab.nodes();
    let line = |(path, node)| format!("{path} {node:?}");
    nodes.iter().map(line).collect()
}

fn commit(tab: &Workspace, change: FileChange) -> Result<u64, WorkspaceError> {
    let changes = [change];
    let done = tab.commit(&changes, Vec::new(), Durability::Relaxed);
    block_on(done).map(|committed| committed.generation)
}

/// Something that a tab does; the generation it made, if it made one.
fn act(tab: &Workspace, random: &SeededRandom, n: u64) -> Result<Option<u64>, WorkspaceError> {
    let at = path(below(random, 5));
    let before = tab.generation();
    let done = match below(random, 10) {
        0..=4 => commit(
            tab,
            FileChange::Write {
                path: at,
                content: format!("{}", n % 7).into_bytes().into(),
                expect: Expect::Anything,
            },
        )?,
        5 => {
            let version = tab.file(&at)?.1;
            commit(tab, FileChange::Delete { path: at, version })?
        }
        6 => {
            let from = path(below(random, 5));
            let version = tab.file(&from)?.1;
            let link = FileChange::Link {
                path: at,
                from,
                version,
            };
            commit(tab, link)?
        }
        7 => block_on(tab.restore(before.saturating_sub(below(random, 4)), Vec::new()))?.generation,
        8 => {
            let node = tab.file(&at)?;
            let mut stock = tab.stock();
            let content = block_on(tab.read(&at))?.0;
            let node_of = block_on(stock.put(content, node.0))?;
            let to = path(5 + below(random, 3));
            block_on(stock.name(&[(to, node_of)]))?.generation
        }
        _ => {
            block_on(tab.tidy(NOTHING))?;
            return Ok(None);
        }
    };
    Ok((done > before).then_some(done))
}

/// What became of actions, by name.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, u32>);

impl Tally {
    fn add(&mut self, name: &'static str) {
        *self.0.entry(name).or_default() += 1;
    }

    fn of(&self, name: &str) -> u32 {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// The errors that may come, by name: of a tab that was `asleep`, or not.
fn error_name(error: &WorkspaceError, asleep: bool) -> Option<&'static str> {
    match error {
        // There is no such file, or there is one already, as far as the tab knows.
        WorkspaceError::NotFound(_) => Some("not found"),
        WorkspaceError::Taken(_) => Some("taken"),
        // That was let go of.
        WorkspaceError::NotKept => Some("not kept"),
        _ if !asleep => None,
        WorkspaceError::Changed(_) => Some("changed"),
        WorkspaceError::Store(StoreError::Conflict) => Some("conflict"),
        // Another tab has tidied the content away that this one believes to be there.
        WorkspaceError::Store(StoreError::Corrupt(_)) => Some("swept"),
        _ => None,
    }
}

#[test]
fn writers_that_sleep_never_write_over_what_they_have_not_seen() {
    let seeds = std::env::var("SEEDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(150);
    let (mut awake, mut asleep) = (Tally::default(), Tally::default());
    for seed in 0..seeds {
        let random = SeededRandom::new(seed);
        let store = Rc::new(MemoryStore::default());
        let mut tabs: Vec<Workspace> = (0..3).map(|_| open(&store)).collect();
        let (mut generation, mut files) = held(&store);
        let mut truth = known(&open(&store));
        // Who works changes seldom: so one does much while the others sleep.
        let mut turn = 0;
        let mut seen = [store.changes(); 3];
        for n in 0..120 {
            if below(&random, 8) == 0 {
                turn = below(&random, 3) as usize;
            }
            if below(&random, 25) == 0 {
                tabs[turn] = open(&store);
                seen[turn] = store.changes();
            }
            if below(&random, 25) == 0 {
                block_on(tabs[turn].follow()).unwrap();
                assert_eq!(known(&tabs[turn]), truth, "seed {seed}, step {n}");
                seen[turn] = store.changes();
            }
            let tab = &tabs[turn];
            let believed = known(tab);
            // Whether another one has changed anything since.
            let was_asleep = seen[turn] != store.changes();
            let done = act(tab, &random, n);
            if !matches!(done, Err(WorkspaceError::Store(_))) && !was_asleep {
                seen[turn] = store.changes();
            }
            let (now, held) = held(&store);
            let place = format!("seed {seed}, step {n}: {done:?}");
            let name = match &done {
                Ok(Some(_)) => "made",
                Ok(None) => "nothing to do",
                Err(error) => error_name(error, was_asleep)
                    .unwrap_or_else(|| panic!("{place}, asleep: {was_asleep}")),
            };
            match was_asleep {
                true => asleep.add(name),
                false => awake.add(name),
            }
            match done {
                Ok(Some(made)) => {
                    assert_eq!(believed, truth, "{place}");
                    assert_eq!((now, made), (generation + 1, generation + 1), "{place}");
                    truth = known(tab);
                    assert_eq!(known(&open(&store)), truth, "{place}");
                }
                _ => {
                    assert_eq!(now, generation, "{place}");
                    assert_eq!(held, files, "{place}");
                }
            }
            (generation, files) = (now, held);
        }
        assert!(block_on(open(&store).mend()).unwrap().is_nothing());
    }
    // It is no test of refusals: who is awake gets done what can be done, and who is asleep
    // is refused by what happened meanwhile.
    let all: u32 = awake.0.values().sum();
    assert!(awake.of("made") * 3 > all, "{:?}", awake.0);
    assert!(asleep.of("conflict") > 0, "{:?}", asleep.0);
}

#[test]
fn what_stays_of_old_commits_is_a_place_for_each_turn() {
    let store = Rc::new(MemoryStore::default());
    let tab = open(&store);
    for n in 0..50 {
        let change = FileChange::Write {
            path: path(n),
            content: n.to_string().into_bytes().into(),
            expect: Expect::Nothing,
        };
        commit(&tab, change).unwrap();
    }
    block_on(tab.tidy(NOTHING)).unwrap();
    let places = block_on(store.list(Table::Changes, Key(Vec::new()))).unwrap();
    assert_eq!(places.len(), 1);
    // Tidying once more finds nothing to do.
    let before = store.changes();
    block_on(tab.tidy(NOTHING)).unwrap();
    assert_eq!(store.changes(), before);
}
