//! The workspace as a file system of the interpreter: the overlay behind its trait, and
//! contents that are waited for.

use std::collections::VecDeque;
use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bashkit::time::{SystemTime, UNIX_EPOCH};
use bashkit::{
    DirEntry, Error, FileType, FsBackend, FsLimits, FsUsage, Metadata, Result, async_trait,
};
use futures::channel::oneshot;
use tabloop_shell::messages::{FromShell, Given};
use tabloop_shell::overlay::{Got, Look, Overlay, Parents, Problem, What};

use crate::tell;

/// See the module. Clones share one overlay.
#[derive(Clone, Default)]
pub struct Files(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    overlay: Overlay,
    /// What was asked for and who waits for it, in the order of the answers.
    asked: VecDeque<(Vec<String>, oneshot::Sender<()>)>,
}

impl Files {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the overlay, which knows the time.
    pub fn with<T>(&self, work: impl FnOnce(&mut Overlay) -> T) -> T {
        let overlay = &mut self.lock().overlay;
        overlay.set_time(now_ms());
        work(overlay)
    }

    /// Begins a command with these files.
    pub fn begin(&self, index: &str) {
        self.lock().asked.clear();
        self.with(|overlay| overlay.begin(index));
    }

    /// Takes in what was asked for.
    pub fn take(&self, given: Vec<Given>) {
        let mut inner = self.lock();
        let Some((paths, waits)) = inner.asked.pop_front() else {
            return;
        };
        for (path, given) in paths.iter().zip(given) {
            let content = given.is_there.then_some(given.content);
            inner.overlay.take(path, content);
        }
        // Who waited may have been given up.
        let _ = waits.send(());
    }

    async fn content(&self, path: &str) -> Result<Arc<Vec<u8>>> {
        loop {
            let answer = {
                let mut inner = self.lock();
                match inner.overlay.content(path).map_err(error)? {
                    Got::Here(content) => return Ok(content),
                    Got::Fetch(paths) => {
                        let (waits, answer) = oneshot::channel();
                        tell(FromShell::Need(paths.clone()));
                        inner.asked.push_back((paths, waits));
                        answer
                    }
                }
            };
            if answer.await.is_err() {
                return Err(IoError::from(ErrorKind::Interrupted).into());
            }
        }
    }

    fn change(
        &self,
        change: impl FnOnce(&mut Overlay) -> std::result::Result<(), Problem>,
    ) -> Result<()> {
        self.with(change).map_err(error)
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_millis() as u64)
}

fn error(problem: Problem) -> Error {
    // In the words of the interpreter's own file systems: commands look at some of them.
    let error = match problem {
        Problem::NotFound => IoError::new(ErrorKind::NotFound, "file not found"),
        Problem::IsFolder => IoError::other("is a directory"),
        Problem::NotFolder => IoError::other("not a directory"),
        Problem::NotEmpty => IoError::other("directory not empty"),
        Problem::Exists => IoError::new(ErrorKind::AlreadyExists, "file exists"),
        Problem::Forbidden => IoError::new(ErrorKind::PermissionDenied, "Permission denied"),
        Problem::BadName(why) => IoError::other(why),
        Problem::Full => IoError::other("No space left on device"),
        Problem::IntoItself => IoError::other("cannot move a directory into itself"),
    };
    error.into()
}

/// The path as the overlay names it.
fn plain(path: &Path) -> &str {
    path.to_str().unwrap_or("\0").trim_matches('/')
}

fn metadata(look: &Look) -> Metadata {
    let time = UNIX_EPOCH + Duration::from_millis(look.modified_ms);
    Metadata {
        file_type: match look.is_folder {
            true => FileType::Directory,
            false => FileType::File,
        },
        size: look.size,
        mode: look.mode,
        modified: time,
        created: time,
    }
}

#[async_trait]
impl FsBackend for Files {
    async fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let content = self.content(plain(path)).await?;
        Ok(content.to_vec())
    }

    async fn write(&self, path: &Path, content: &[u8]) -> Result<()> {
        self.change(|overlay| overlay.write(plain(path), content))
    }

    async fn append(&self, path: &Path, more: &[u8]) -> Result<()> {
        let path = plain(path);
        if self.with(|overlay| overlay.look(path)).is_err() {
            return self.change(|overlay| overlay.write(path, more));
        }
        let before = self.content(path).await?;
        self.change(|overlay| overlay.append(path, more, before))
    }

    async fn mkdir(&self, path: &Path, recursive: bool) -> Result<()> {
        let parents = match recursive {
            true => Parents::Make,
            false => Parents::AreThere,
        };
        self.change(|overlay| overlay.make_folder(plain(path), parents))
    }

    async fn remove(&self, path: &Path, recursive: bool) -> Result<()> {
        let what = match recursive {
            true => What::All,
            false => What::Itself,
        };
        self.change(|overlay| overlay.remove(plain(path), what))
    }

    async fn stat(&self, path: &Path) -> Result<Metadata> {
        let look = self.with(|overlay| overlay.look(plain(path)));
        look.map(|look| metadata(&look)).map_err(error)
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>> {
        let list = self.with(|overlay| overlay.list(plain(path)));
        let entries = list
            .map_err(error)?
            .into_iter()
            .map(|(name, look)| DirEntry {
                name,
                metadata: metadata(&look),
            });
        Ok(entries.collect())
    }

    async fn exists(&self, path: &Path) -> Result<bool> {
        Ok(self.with(|overlay| overlay.look(plain(path))).is_ok())
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.change(|overlay| overlay.rename(plain(from), plain(to)))
    }

    async fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        self.change(|overlay| overlay.copy(plain(from), plain(to)))
    }

    async fn symlink(&self, _: &Path, _: &Path) -> Result<()> {
        Err(
            IoError::other("the workspace holds no links; copy the file, or link below /tmp")
                .into(),
        )
    }

    async fn read_link(&self, _: &Path) -> Result<PathBuf> {
        Err(IoError::from(ErrorKind::InvalidInput).into())
    }

    async fn chmod(&self, path: &Path, mode: u32) -> Result<()> {
        self.change(|overlay| overlay.set_mode(plain(path), mode))
    }

    async fn set_modified_time(&self, path: &Path, time: SystemTime) -> Result<()> {
        let since = time.duration_since(UNIX_EPOCH);
        let ms = since.map_or(0, |since| since.as_millis() as u64);
        self.change(|overlay| overlay.set_modified(plain(path), ms))
    }

    fn usage(&self) -> FsUsage {
        FsUsage::default()
    }

    fn limits(&self) -> FsLimits {
        FsLimits::unlimited()
    }
}
