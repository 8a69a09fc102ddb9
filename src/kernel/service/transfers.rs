//! Files in and out: what the user hands over, archives, repositories; and a zip of what
//! is there. One transfer at a time, each with its progress and a way to stop it.
//!
//! Each archive is one whole, and so is all that comes beside archives: its contents go
//! into the store as they are read, its names in one commit at the end. What is broken
//! off before leaves nothing that anybody sees.

mod archives;
mod github;
mod handed;
mod intake;
mod out;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::lock::Mutex;

use self::intake::{Intake, Under};
use super::Kernel;
use crate::kernel::archive::{Flaw, MemorySource, Source};
use crate::kernel::cancel::CancelToken;
use crate::kernel::clock::Clock;
use crate::kernel::store::StoreError;
use crate::kernel::workspace::WorkspaceError;
use crate::protocol::{Event, HandedFile, ImportedFile, LeftOut, Notice, Progress, Report, Why};

/// How often the page is told how far it is, milliseconds.
const TELL_EVERY: u64 = 150;
/// How long work goes on without a look at what else is to do, milliseconds.
const BREATH: u64 = 40;

/// The transfers of a kernel.
#[derive(Default)]
pub(super) struct Transfers {
    handed: RefCell<Vec<(u64, Rc<dyn Source>)>>,
    stop: RefCell<Option<CancelToken>>,
    turn: Mutex<()>,
}

/// Why a transfer ends before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Halt {
    /// The user stopped it.
    Stopped,
    /// The store failed: what comes behind would fail too.
    Store(StoreError),
    /// This one can't be taken in; others may.
    Why(Why),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Halt::Store(error)
    }
}

impl From<WorkspaceError> for Halt {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Store(error) => Halt::Store(error),
            error => Halt::Why(Why::NotSaved(error.to_string())),
        }
    }
}

impl From<Flaw> for Halt {
    fn from(flaw: Flaw) -> Self {
        Halt::Why(why(flaw))
    }
}

fn why(flaw: Flaw) -> Why {
    match flaw {
        Flaw::Unreadable => Why::Unreadable,
        Flaw::NotOne => Why::NotOne,
        Flaw::CutOff => Why::CutOff,
        Flaw::Damaged => Why::Damaged,
        Flaw::Encrypted => Why::Encrypted,
        Flaw::Unsupported => Why::Unsupported,
        Flaw::Bomb => Why::Bomb,
        Flaw::TooMany => Why::TooMany,
        Flaw::TooLarge => Why::TooLarge,
    }
}

impl Halt {
    /// What is told of what was not taken in for this.
    fn why(&self) -> Why {
        match self {
            Halt::Stopped => Why::Stopped,
            Halt::Store(StoreError::Full) => Why::Full(None),
            Halt::Store(error) => Why::NotSaved(error.to_string()),
            Halt::Why(why) => why.clone(),
        }
    }
}

/// Tells how far a transfer is, lets others work, and ends it when the user wants.
struct Meter {
    kernel: Kernel,
    token: CancelToken,
    told: RefCell<Progress>,
    told_ms: Cell<u64>,
    breathed_ms: Cell<u64>,
    is_shown: Cell<bool>,
}

impl Meter {
    fn new(kernel: &Kernel, token: &CancelToken, name: &str, all: u64) -> Self {
        let now = kernel.0.platform.clock.now_ms();
        Self {
            kernel: kernel.clone(),
            token: token.clone(),
            told: RefCell::new(Progress {
                is_out: false,
                name: name.to_owned(),
                files: 0,
                done: 0,
                all,
            }),
            told_ms: Cell::new(now),
            breathed_ms: Cell::new(now),
            is_shown: Cell::new(false),
        }
    }

    /// Files go out.
    fn goes_out(&self) {
        self.told.borrow_mut().is_out = true;
    }

    /// Tells at once: the network makes everything long.
    fn show(&self) {
        self.is_shown.set(true);
        let progress = self.told.borrow().clone();
        self.kernel.tell(Event::Transfer(Some(progress)));
    }

    /// Another name, and how much there is to do under it.
    fn rename(&self, name: &str, all: u64) {
        let mut told = self.told.borrow_mut();
        name.clone_into(&mut told.name);
        (told.files, told.done, told.all) = (0, 0, all);
    }

    fn set_all(&self, all: u64) {
        self.told.borrow_mut().all = all;
    }

    /// A file more is done.
    fn count(&self) {
        self.told.borrow_mut().files += 1;
    }

    /// So much is done.
    async fn at(&self, done: u64) -> Result<(), Halt> {
        let clock: &dyn Clock = &*self.kernel.0.platform.clock;
        self.told.borrow_mut().done = done;
        let now = clock.now_ms();
        if now >= self.told_ms.get() + TELL_EVERY {
            self.told_ms.set(now);
            self.is_shown.set(true);
            let progress = self.told.borrow().clone();
            self.kernel.tell(Event::Transfer(Some(progress)));
        }
        if now >= self.breathed_ms.get() + BREATH {
            clock.sleep(Duration::ZERO).await;
            self.breathed_ms.set(clock.now_ms());
        }
        match self.token.is_cancelled() {
            true => Err(Halt::Stopped),
            false => Ok(()),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.is_shown.get() {
            self.kernel.tell(Event::Transfer(None));
        }
    }
}

impl Kernel {
    /// Whether files come in or go out.
    pub(super) fn is_transferring(&self) -> bool {
        self.0.transfers.stop.borrow().is_some()
    }

    /// Takes a file from the page; a command names it by its number.
    pub fn hand(&self, id: u64, source: Rc<dyn Source>) {
        self.0.transfers.handed.borrow_mut().push((id, source));
    }

    /// Brings in files whose bytes came along, each where its path says.
    pub(super) async fn import(&self, files: Vec<ImportedFile>) {
        let source = |file: ImportedFile| {
            let source: Rc<dyn Source> = Rc::new(MemorySource(file.content));
            (file.path, Some(source))
        };
        let given = files.into_iter().map(source).collect();
        self.take_in(given, Under::Existing).await;
    }

    /// Brings in files that were handed over before.
    pub(super) async fn bring_in(&self, files: Vec<HandedFile>) {
        let mut handed = self.0.transfers.handed.take();
        let mut given = Vec::new();
        for file in files {
            let at = handed.iter().position(|(id, _)| *id == file.id);
            // They mostly come in the order in which they were handed over.
            let source = at.map(|at| handed.remove(at).1);
            if source.is_some() || file.path.ends_with('/') {
                given.push((file.path, source));
            }
        }
        self.take_in(given, Under::Paths).await;
    }

    /// Ends the transfer that goes on.
    pub(super) fn stop_transfer(&self) {
        if let Some(token) = &*self.0.transfers.stop.borrow() {
            token.cancel();
        }
    }

    /// Does `work` when no other transfer goes on.
    async fn in_turn<T>(&self, work: impl AsyncFnOnce(&CancelToken) -> T) -> T {
        let _turn = self.0.transfers.turn.lock().await;
        let token = CancelToken::default();
        self.0.transfers.stop.replace(Some(token.clone()));
        let result = work(&token).await;
        self.0.transfers.stop.take();
        result
    }

    /// Ends what was taken in: its names are given, or it is told why not. `Err`: nothing
    /// more can be taken in.
    async fn settle(
        &self,
        name: &str,
        result: Result<Intake<'_>, Halt>,
        (report, meter): (&mut Report, &Meter),
    ) -> Result<(), Halt> {
        let halt = match result {
            Ok(intake) => match intake.finish(report).await {
                Ok(Some(committed)) => {
                    self.tell_changed(&committed);
                    return Ok(());
                }
                Ok(None) => return Ok(()),
                Err(halt) => halt,
            },
            Err(halt) => halt,
        };
        let why = match &halt {
            Halt::Store(StoreError::Full) => {
                let needs = meter.told.borrow().all;
                Why::Full(self.lacks(needs).await)
            }
            halt => halt.why(),
        };
        let name = name.to_owned();
        report.left_out.push(LeftOut { name, why });
        match halt {
            Halt::Why(_) => Ok(()),
            halt => Err(halt),
        }
    }

    fn report(&self, report: Report) {
        self.tell(Event::Notice(Notice::Imported(Box::new(report))));
    }
}
