//! What the kernel's own work costs, natively and without network or disk: the CPU
//! time of a round as history grows, that of a compaction, the memory of a session.
//! Run by `make bench`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt, stream};
use tabloop::kernel::clock::{ManualClock, SeededRandom};
use tabloop::kernel::event::AgentEvent;
use tabloop::kernel::model::{HttpRequest, HttpResponse, Transport, TransportError};
use tabloop::kernel::service::{Kernel, Platform};
use tabloop::kernel::session::{Entry, Mode};
use tabloop::kernel::settings::{LimitSettings, ProfileDraft};
use tabloop::kernel::store::memory::MemoryStore;
use tabloop::kernel::tool::ToolRegistry;
use tabloop::kernel::vault::memory::MemoryVault;
use tabloop::protocol::{Access, Command, Event, ImportedFile, Storage};

/// Counts the bytes that are in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Asks for the same small file for so many rounds, each time another line of it, and
/// notes when each request came.
struct Endpoint {
    rounds: usize,
    asked: Cell<usize>,
    times: std::cell::RefCell<Vec<Instant>>,
}

impl Transport for Endpoint {
    fn send(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, TransportError>> {
        self.times.borrow_mut().push(Instant::now());
        let start: String = request.body[1].chars().take(80).collect();
        let summary = start.contains("You shorten");
        let n = self.asked.get() + usize::from(!summary);
        self.asked.set(n);
        let delta = if summary {
            r#"{"content":"Lines were read."}"#.to_owned()
        } else if n <= self.rounds {
            format!(
                r#"{{"tool_calls":[{{"index":0,"id":"call_{n}","function":{{"name":"read_file","arguments":"{{\"path\":\"{n}.txt\"}}"}}}}]}}"#
            )
        } else {
            r#"{"content":"Done."}"#.to_owned()
        };
        let body = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\ndata: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n"
        );
        let body = stream::iter([Ok(body.into_bytes())]).boxed_local();
        let response = HttpResponse {
            status: 200,
            retry_after: None,
            body,
        };
        async move { Ok(response) }.boxed_local()
    }
}

/// More than any history has rounds.
const FILES: usize = 1_010;

fn run<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

struct Played {
    times: Vec<Instant>,
    /// From the news that the conversation is shortened to its record, without the model.
    compactions: Vec<Duration>,
    bytes: usize,
}

/// A run of so many rounds.
fn play(rounds: usize, window: u32) -> Played {
    let endpoint = Rc::new(Endpoint {
        rounds,
        asked: Cell::default(),
        times: std::cell::RefCell::default(),
    });
    let compactions: Rc<std::cell::RefCell<Vec<Duration>>> = Rc::default();
    let before = IN_USE.load(Relaxed);
    let outlet = {
        let (compactions, begun) = (Rc::clone(&compactions), Cell::new(None::<Instant>));
        Rc::new(move |event: Event| match event {
            Event::Agent {
                event: AgentEvent::Compacting,
                ..
            } => begun.set(Some(Instant::now())),
            Event::Agent {
                event: AgentEvent::Recorded(record),
                ..
            } if matches!(record.entry, Entry::Compaction(_)) => {
                compactions
                    .borrow_mut()
                    .extend(begun.take().map(|begun| begun.elapsed()));
            }
            _ => {}
        })
    };
    let kernel = run(Kernel::start(
        Platform {
            store: Rc::new(MemoryStore::default()),
            storage: Storage::Browser,
            access: Access::Writer,
            clock: Rc::new(ManualClock::at(1_000)),
            random: Rc::new(SeededRandom::new(7)),
            transport: Rc::clone(&endpoint) as Rc<dyn Transport>,
            tools: ToolRegistry::standard(),
            vault: Rc::new(MemoryVault::default()),
            stage: Rc::default(),
            disks: Rc::new(tabloop::kernel::link::NoDisks),
            compose: str::to_owned,
            shrink: tabloop::kernel::shrink::not_at_all,
        },
        None,
        outlet,
    ))
    .expect("the kernel starts");
    run(kernel.handle(Command::SaveProfile {
        id: None,
        draft: ProfileDraft {
            base_url: "https://model.example/v1".into(),
            key: None,
            model: "m".into(),
            ..ProfileDraft::default()
        },
    }));
    run(kernel.handle(Command::SaveLimits {
        limits: LimitSettings {
            rounds: 500,
            kilo_tokens: 0,
            window,
            ..LimitSettings::default()
        },
        choice: None,
    }));
    // A file for each round, however many there will be: a read costs the same in all.
    let files = (1..=FILES).map(|n| ImportedFile {
        path: format!("{n}.txt"),
        content: format!("line {n}\n").into_bytes(),
    });
    run(kernel.handle(Command::Import(files.collect())));
    let mut session = None;
    let mut left = rounds;
    // A run has five hundred rounds at most; longer histories go on behind its limit.
    while left > 0 {
        let rounds = left.min(500);
        run(kernel.handle(match session.clone() {
            None => Command::Send {
                session: None,
                text: "Read".into(),
                mode: Mode::Act,
                rounds: None,
            },
            Some(id) => Command::Continue(id),
        }));
        left -= rounds;
        session = session.or_else(|| kernel.session_ids().pop());
    }
    let bytes = IN_USE.load(Relaxed) - before;
    let times = endpoint.times.take();
    let compactions = compactions.take();
    Played {
        times,
        compactions,
        bytes,
    }
}

/// The median time from one request to the next near a length of history.
fn median_at(history: usize, repeats: usize) -> Duration {
    let mut gaps = Vec::new();
    for _ in 0..repeats {
        let times = play(history, 10_000_000).times;
        // Rounds of one run: neither its end is among them nor the start of the next.
        let at = history - 8..history - 2;
        gaps.extend(times[at].windows(2).map(|pair| pair[1] - pair[0]));
    }
    gaps.sort();
    gaps[gaps.len() / 2]
}

fn main() {
    play(50, 10_000_000);
    let costs = [(10, 200), (100, 40), (1_000, 8)].map(|(history, repeats)| {
        let cost = median_at(history, repeats);
        println!(
            "kernel's own work per round at {history} rounds: {} µs",
            cost.as_micros()
        );
        cost
    });
    let growth = costs[2].as_secs_f64() / costs[0].as_secs_f64();
    println!("from 10 to 1,000 rounds: {growth:.2} times (budget 1.5)");
    // About a thousand messages of small results fill a window of this size.
    let played = play(540, 40_000);
    let slowest = played.compactions.iter().max().copied().unwrap_or_default();
    println!(
        "compaction of a history of 1,000 messages: {:.1} ms (budget 50), {} of them",
        slowest.as_secs_f64() * 1e3,
        played.compactions.len()
    );
    let kept = play(1_000, 10_000_000).bytes;
    println!(
        "memory of a session of 1,000 rounds, store included: {} KB",
        kept / 1024
    );
    let over = growth > 1.5 || slowest > Duration::from_millis(50) || slowest.is_zero();
    std::process::exit(i32::from(over));
}
