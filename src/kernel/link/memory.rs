//! A folder in memory: the twin of the browser's, for native tests.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures::future::{LocalBoxFuture, ready};

use super::{Disk, DiskError, Disks, Entry, Stat};
use crate::kernel::clock::{Clock, ManualClock};

/// A folder of files, by paths. Clones are the same one.
#[derive(Clone)]
pub struct MemoryDisk(Rc<Inner>);

struct Inner {
    clock: ManualClock,
    files: RefCell<BTreeMap<String, (Vec<u8>, u64)>>,
    minds_case: bool,
    is_allowed: Cell<bool>,
    asked: Cell<u64>,
    fails_at: Cell<Option<(u64, Lapse)>>,
}

/// What goes wrong with one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lapse {
    /// It is not done.
    NotDone(DiskError),
    /// It is done, and nobody hears of it.
    DoneUnheard,
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
            minds_case,
            is_allowed: Cell::new(true),
            asked: Cell::new(0),
            fails_at: Cell::new(None),
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

    /// Nothing goes wrong any more; tells whether something still would have.
    pub fn heal(&self) -> bool {
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

    /// Removes a file or folder, as another program does.
    pub fn delete(&self, path: &str) {
        let below = format!("{path}/");
        let mut files = self.0.files.borrow_mut();
        files.retain(|file, _| file != path && !file.starts_with(&below));
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
        match self.0.fails_at.take() {
            Some((at, lapse)) if at <= asked => Err(lapse),
            later => {
                self.0.fails_at.set(later);
                Ok(())
            }
        }
    }

    fn perform<T>(&self, deed: impl FnOnce(&Self) -> Result<T, DiskError>) -> Result<T, DiskError> {
        match self.begin() {
            Ok(()) => deed(self),
            Err(Lapse::NotDone(error)) => Err(error),
            Err(Lapse::DoneUnheard) => {
                drop(deed(self));
                Err(DiskError::Other("nobody heard of it".into()))
            }
        }
    }

    fn stat_of(&self, path: &str) -> Option<Stat> {
        let files = self.0.files.borrow();
        let (content, modified_ms) = files.get(&self.kept_name(path))?;
        Some(Stat {
            size: content.len() as u64,
            modified_ms: *modified_ms,
        })
    }

    fn list_now(&self, folder: &str) -> Vec<Entry> {
        let files = self.0.files.borrow();
        let mut entries: BTreeMap<String, Option<Stat>> = BTreeMap::new();
        for (path, (content, modified_ms)) in files.iter() {
            let rest = match folder {
                "" => Some(path.as_str()),
                folder => path
                    .strip_prefix(folder)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            let stat = Stat {
                size: content.len() as u64,
                modified_ms: *modified_ms,
            };
            match rest.map(|rest| rest.split_once('/')) {
                None => {}
                Some(Some((name, _))) => drop(entries.insert(name.to_owned(), None)),
                Some(None) => {
                    let name = rest.unwrap_or_default().to_owned();
                    entries.insert(name, Some(stat));
                }
            }
        }
        let entry = |(name, stat)| Entry { name, stat };
        entries.into_iter().map(entry).collect()
    }

    fn write_now(&self, path: &str, content: Vec<u8>) -> Result<Stat, DiskError> {
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("refused") {
            return Err(DiskError::Refused);
        }
        self.put(path, content);
        self.stat_of(path).ok_or(DiskError::Gone)
    }
}

impl Disk for MemoryDisk {
    fn may(&self) -> LocalBoxFuture<'_, bool> {
        Box::pin(ready(self.0.is_allowed.get()))
    }

    fn list(&self, folder: &str) -> LocalBoxFuture<'_, Result<Vec<Entry>, DiskError>> {
        Box::pin(ready(self.perform(|disk| Ok(disk.list_now(folder)))))
    }

    fn read(&self, path: &str) -> LocalBoxFuture<'_, Result<(Vec<u8>, Stat), DiskError>> {
        let read = |disk: &Self| {
            let stat = disk.stat_of(path).ok_or(DiskError::Gone)?;
            let files = disk.0.files.borrow();
            let file = files.get(&disk.kept_name(path)).ok_or(DiskError::Gone)?;
            Ok((file.0.clone(), stat))
        };
        Box::pin(ready(self.perform(read)))
    }

    fn stat(&self, path: &str) -> LocalBoxFuture<'_, Result<Option<Stat>, DiskError>> {
        Box::pin(ready(self.perform(|disk| Ok(disk.stat_of(path)))))
    }

    fn write(&self, path: &str, content: Vec<u8>) -> LocalBoxFuture<'_, Result<Stat, DiskError>> {
        Box::pin(ready(self.perform(|disk| disk.write_now(path, content))))
    }

    fn remove(&self, path: &str) -> LocalBoxFuture<'_, Result<(), DiskError>> {
        let remove = |disk: &Self| {
            let name = disk.kept_name(path);
            let gone = disk.0.files.borrow_mut().remove(&name);
            gone.map(drop).ok_or(DiskError::Gone)
        };
        Box::pin(ready(self.perform(remove)))
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
