//! A folder in memory: the twin of the browser's, for native tests.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, pending, ready};

use super::{Disk, DiskError, Disks, Entry, Stat, What};
use crate::kernel::clock::{Clock, ManualClock};

/// How late an answer comes that is late.
const LATE: Duration = Duration::from_secs(5);

/// A folder of files, by paths. Clones are the same one.
#[derive(Clone)]
pub struct MemoryDisk(Rc<Inner>);

struct Inner {
    clock: ManualClock,
    files: RefCell<BTreeMap<String, (Vec<u8>, u64)>>,
    /// Folders that are there without a file in them.
    folders: RefCell<BTreeSet<String>>,
    /// Files that can't be read, and why.
    unreadable: RefCell<BTreeMap<String, DiskError>>,
    minds_case: bool,
    is_allowed: Cell<bool>,
    asked: Cell<u64>,
    fails_at: Cell<Option<(u64, Lapse)>>,
    /// From which operation on all fail, and why.
    fails_from: RefCell<Option<(u64, DiskError)>>,
}

/// What goes wrong with one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lapse {
    /// It is not done.
    NotDone(DiskError),
    /// It is done, and nobody hears of it.
    DoneUnheard,
    /// It is not done, and never answered.
    Hangs,
    /// It is done, and answered some seconds later.
    Late,
    /// A write that was killed: a new file is there, and empty.
    LeftEmpty,
}

impl MemoryDisk {
    /// An empty one, whose files have the times of `clock`.
    pub fn new(clock: ManualClock) -> Self {
        Self::with(clock, true)
    }

    /// One that keeps only one of two names that are the same but for capitals.
    pub fn without_case(clock: ManualClock) -> Self {
        Self::with(clock, false)
    }

    fn with(clock: ManualClock, minds_case: bool) -> Self {
        Self(Rc::new(Inner {
            clock,
            files: RefCell::default(),
            folders: RefCell::default(),
            unreadable: RefCell::default(),
            minds_case,
            is_allowed: Cell::new(true),
            asked: Cell::new(0),
            fails_at: Cell::new(None),
            fails_from: RefCell::default(),
        }))
    }

    /// Gives or takes the leave to use it.
    pub fn allow(&self, is_allowed: bool) {
        self.0.is_allowed.set(is_allowed);
    }

    /// Makes the operation that is the `n`th from now on go wrong.
    pub fn fail_at(&self, n: u64, lapse: Lapse) {
        self.0.fails_at.set(Some((self.0.asked.get() + n, lapse)));
    }

    /// Takes the leave away from the `n`th operation on, which fail for this reason.
    pub fn fail_from(&self, n: u64, error: DiskError) {
        let from = self.0.asked.get() + n;
        self.0.fails_from.replace(Some((from, error)));
    }

    /// Nothing goes wrong any more; tells whether something still would have.
    pub fn heal(&self) -> bool {
        self.0.fails_from.take();
        self.0.fails_at.take().is_some()
    }

    /// Sets a file's content, as another program does.
    pub fn put(&self, path: &str, content: impl Into<Vec<u8>>) {
        let now = self.0.clock.now_ms();
        let path = self.kept_name(path);
        self.0
            .files
            .borrow_mut()
            .insert(path, (content.into(), now));
    }

    /// Makes an empty folder, as another program does.
    pub fn make_folder(&self, path: &str) {
        self.0.folders.borrow_mut().insert(path.to_owned());
    }

    /// Removes a file or folder, as another program does.
    pub fn delete(&self, path: &str) {
        let below = format!("{path}/");
        let goes = |at: &String| at == path || at.starts_with(&below);
        self.0.files.borrow_mut().retain(|file, _| !goes(file));
        self.0.folders.borrow_mut().retain(|folder| !goes(folder));
    }

    /// Makes a file or folder that can't be read, and why; `None`: it can again.
    pub fn lock(&self, path: &str, reason: Option<DiskError>) {
        let mut unreadable = self.0.unreadable.borrow_mut();
        match reason {
            Some(reason) => drop(unreadable.insert(path.to_owned(), reason)),
            None => drop(unreadable.remove(path)),
        }
    }

    /// All files.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let files = self.0.files.borrow();
        let file =
            |(path, (content, _)): (&String, &(Vec<u8>, u64))| (path.clone(), content.clone());
        files.iter().map(file).collect()
    }

    /// The name under which a file is kept: on a disk that minds no capitals, that which is
    /// there.
    fn kept_name(&self, path: &str) -> String {
        if self.0.minds_case {
            return path.to_owned();
        }
        let files = self.0.files.borrow();
        let same = |file: &&String| file.to_lowercase() == path.to_lowercase();
        files
            .keys()
            .find(same)
            .cloned()
            .unwrap_or_else(|| path.to_owned())
    }

    /// Whether the operation that begins is done, and whether anybody hears of it.
    fn begin(&self) -> Result<(), Lapse> {
        let asked = self.0.asked.replace(self.0.asked.get() + 1);
        if !self.0.is_allowed.get() {
            return Err(Lapse::NotDone(DiskError::Denied));
        }
        if let Some((from, error)) = &*self.0.fails_from.borrow()
            && *from <= asked
        {
            return Err(Lapse::NotDone(error.clone()));
        }
        match self.0.fails_at.take() {
            Some((at, lapse)) if at <= asked => Err(lapse),
            later => {
                self.0.fails_at.set(later);
                Ok(())
            }
        }
    }

    fn perform<'a, T: 'a>(
        &self,
        path: &str,
        deed: impl FnOnce(&Self) -> Result<T, DiskError>,
    ) -> LocalBoxFuture<'a, Result<T, DiskError>> {
        let done = match self.begin() {
            Ok(()) => deed(self),
            Err(Lapse::NotDone(error)) => Err(error),
            Err(Lapse::Hangs) => return Box::pin(pending()),
            Err(Lapse::Late) => {
                let (done, time) = (deed(self), self.0.clock.sleep(LATE));
                return Box::pin(time.map(|()| done));
            }
            Err(Lapse::DoneUnheard) => {
                drop(deed(self));
                Err(DiskError::Other("nobody heard of it".into()))
            }
            Err(Lapse::LeftEmpty) => {
                if self.stat_of(path).is_none() {
                    self.put(path, "");
                }
                Err(DiskError::Other("it was killed".into()))
            }
        };
        Box::pin(ready(done))
    }

    fn stat_of(&self, path: &str) -> Option<Stat> {
        let files = self.0.files.borrow();
        let (content, modified_ms) = files.get(&self.kept_name(path))?;
        Some(stat(content, *modified_ms))
    }

    /// Whether a folder is there.
    fn is_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let has = |at: &String| at.starts_with(&below);
        path.is_empty()
            || self.0.files.borrow().keys().any(has)
            || self
                .0
                .folders
                .borrow()
                .iter()
                .any(|at| at == path || has(at))
    }

    /// Whether a path leads through a file.
    fn leads_through_file(&self, path: &str) -> bool {
        let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.any(|folder| self.stat_of(folder).is_some())
    }

    /// What stands against a path whose file is looked for.
    fn check(&self, path: &str) -> Result<(), DiskError> {
        if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return Err(DiskError::Refused);
        }
        match self.is_folder(path) || self.leads_through_file(path) {
            true => Err(DiskError::Kind),
            false => Ok(()),
        }
    }

    fn why_unreadable(&self, path: &str) -> Option<DiskError> {
        self.0.unreadable.borrow().get(path).cloned()
    }

    fn list_now(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        if let Some(reason) = self.why_unreadable(folder) {
            return Err(reason);
        }
        if self.stat_of(folder).is_some() || self.leads_through_file(folder) {
            return Err(DiskError::Kind);
        }
        if !self.is_folder(folder) {
            return Err(DiskError::Gone);
        }
        let mut entries: BTreeMap<String, What> = BTreeMap::new();
        let files = self.0.files.borrow();
        let files = files.iter().map(|(path, file)| (path, Some(file)));
        let folders = self.0.folders.borrow();
        let all = files.chain(folders.iter().map(|path| (path, None)));
        for (path, file) in all {
            let rest = match folder {
                "" => Some(path.as_str()),
                folder => path
                    .strip_prefix(folder)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            let what = match (rest.map(|rest| rest.contains('/')), file) {
                (None, _) => continue,
                (Some(true), _) | (_, None) => What::Folder,
                (Some(false), Some((content, modified_ms))) => match self.why_unreadable(path) {
                    Some(reason) => What::Unreadable(reason),
                    None => What::File(stat(content, *modified_ms)),
                },
            };
            let name = rest.and_then(|rest| rest.split('/').next());
            entries.insert(name.unwrap_or_default().to_owned(), what);
        }
        let entry = |(name, what)| Entry { name, what };
        Ok(entries.into_iter().map(entry).collect())
    }

    fn read_now(&self, path: &str) -> Result<(Vec<u8>, Stat), DiskError> {
        self.check(path)?;
        if let Some(reason) = self.why_unreadable(path) {
            return Err(reason);
        }
        let stat = self.stat_of(path).ok_or(DiskError::Gone)?;
        let files = self.0.files.borrow();
        let file = files.get(&self.kept_name(path)).ok_or(DiskError::Gone)?;
        Ok((file.0.clone(), stat))
    }

    fn write_now(&self, path: &str, content: Vec<u8>) -> Result<Stat, DiskError> {
        self.check(path)?;
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("refused") {
            return Err(DiskError::Refused);
        }
        if let Some(reason) = self.why_unreadable(path) {
            return Err(reason);
        }
        self.put(path, content);
        self.stat_of(path).ok_or(DiskError::Gone)
    }

    fn remove_now(&self, path: &str) -> Result<(), DiskError> {
        self.check(path)?;
        let name = self.kept_name(path);
        let gone = self.0.files.borrow_mut().remove(&name);
        let gone = gone.ok_or(DiskError::Gone)?;
        drop(gone);
        let mut above = path;
        while let Some((folder, _)) = above.rsplit_once('/') {
            self.0.folders.borrow_mut().remove(folder);
            if self.is_folder(folder) {
                // Something is left in it.
                break;
            }
            above = folder;
        }
        Ok(())
    }
}

fn stat(content: &[u8], modified_ms: u64) -> Stat {
    Stat {
        size: content.len() as u64,
        modified_ms,
    }
}

impl Disk for MemoryDisk {
    fn may(&self) -> LocalBoxFuture<'_, bool> {
        let fails = self.0.fails_from.borrow();
        let is_taken = fails
            .as_ref()
            .is_some_and(|(from, _)| *from <= self.0.asked.get());
        Box::pin(ready(self.0.is_allowed.get() && !is_taken))
    }

    fn list(&self, folder: &str) -> LocalBoxFuture<'_, Result<Vec<Entry>, DiskError>> {
        self.perform(folder, |disk| disk.list_now(folder))
    }

    fn read(&self, path: &str) -> LocalBoxFuture<'_, Result<(Vec<u8>, Stat), DiskError>> {
        self.perform(path, |disk| disk.read_now(path))
    }

    fn stat(&self, path: &str) -> LocalBoxFuture<'_, Result<Option<Stat>, DiskError>> {
        self.perform(path, |disk| {
            disk.check(path)?;
            Ok(disk.stat_of(path))
        })
    }

    fn write(&self, path: &str, content: Vec<u8>) -> LocalBoxFuture<'_, Result<Stat, DiskError>> {
        self.perform(path, |disk| disk.write_now(path, content))
    }

    fn remove(&self, path: &str) -> LocalBoxFuture<'_, Result<(), DiskError>> {
        self.perform(path, |disk| disk.remove_now(path))
    }
}

impl Disks for MemoryDisk {
    fn open(&self, _id: &str) -> LocalBoxFuture<'_, Option<Rc<dyn Disk>>> {
        let disk: Rc<dyn Disk> = Rc::new(self.clone());
        Box::pin(ready(Some(disk)))
    }

    fn forget(&self, _id: &str) -> LocalBoxFuture<'_, ()> {
        Box::pin(ready(()))
    }
}
