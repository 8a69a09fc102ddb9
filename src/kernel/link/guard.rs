//! The other side as one comparison of both sides sees it: no call lasts for ever, the user
//! can stop all of them, and nothing is written once another tab has taken the claim.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};

use super::{Disk, DiskError, Entry, Stat};
use crate::kernel::cancel::CancelToken;
use crate::kernel::clock::Clock;
use crate::kernel::store::Store;

/// How long one question may take.
const FOR_ONE: Duration = Duration::from_secs(30);
/// How long a whole folder may take: each of its files is asked for its time.
const FOR_FOLDER: Duration = Duration::from_secs(60);
/// How long the content of a file may take, of which a large one has 100 MB.
const FOR_CONTENT: Duration = Duration::from_secs(120);

type Done<T> = Result<T, DiskError>;

/// A disk with its limits.
pub struct GuardedDisk {
    disk: Rc<dyn Disk>,
    clock: Rc<dyn Clock>,
    store: Rc<dyn Store>,
    token: CancelToken,
}

impl GuardedDisk {
    /// Puts the limits around `disk`: times by `clock`, the claim by `store`, the stop by
    /// `token`.
    pub fn new(
        disk: Rc<dyn Disk>,
        clock: Rc<dyn Clock>,
        store: Rc<dyn Store>,
        token: CancelToken,
    ) -> Self {
        Self {
            disk,
            clock,
            store,
            token,
        }
    }

    async fn within<T>(&self, at: &str, limit: Duration, work: impl Future<Output = T>) -> Done<T> {
        let work = pin!(work);
        let in_time = select(work, self.clock.sleep(limit));
        match self.token.guard(in_time).await {
            Ok(Either::Left((answer, _))) => Ok(answer),
            Ok(Either::Right(_)) => Err(DiskError::Silent(at.to_owned())),
            Err(_) => Err(DiskError::Stopped),
        }
    }

    /// See [`Disk::may`].
    ///
    /// # Errors
    /// [`DiskError::Silent`] and [`DiskError::Stopped`], as all others here.
    pub async fn may(&self) -> Done<bool> {
        self.within("", FOR_ONE, self.disk.may()).await
    }

    /// See [`Disk::list`].
    ///
    /// # Errors
    /// What the disk says.
    pub async fn list(&self, folder: &str) -> Done<Vec<Entry>> {
        let listed = self.disk.list(folder);
        self.within(folder, FOR_FOLDER, listed).await?
    }

    /// See [`Disk::read`].
    ///
    /// # Errors
    /// What the disk says.
    pub async fn read(&self, path: &str) -> Done<(Vec<u8>, Stat)> {
        let read = self.disk.read(path);
        self.within(path, FOR_CONTENT, read).await?
    }

    /// See [`Disk::stat`].
    ///
    /// # Errors
    /// What the disk says.
    pub async fn stat(&self, path: &str) -> Done<Option<Stat>> {
        self.within(path, FOR_ONE, self.disk.stat(path)).await?
    }

    /// See [`Disk::write`].
    ///
    /// # Errors
    /// What the disk says, and [`DiskError::Claim`].
    pub async fn write(&self, path: &str, content: Vec<u8>) -> Done<Stat> {
        self.check_claim().await?;
        let written = self.disk.write(path, content);
        self.within(path, FOR_CONTENT, written).await?
    }

    /// See [`Disk::remove`].
    ///
    /// # Errors
    /// What the disk says, and [`DiskError::Claim`].
    pub async fn remove(&self, path: &str) -> Done<()> {
        self.check_claim().await?;
        self.within(path, FOR_ONE, self.disk.remove(path)).await?
    }

    /// Why this one thing could not be done, if others can: the browser's words, nothing where
    /// the device does not allow it. `None`: it is gone.
    ///
    /// # Errors
    /// What ends all of it.
    pub async fn reason(&self, error: DiskError) -> Done<Option<String>> {
        match error {
            DiskError::Gone => Ok(None),
            DiskError::Other(words) => Ok(Some(words)),
            // Leave to the whole was taken away, or one file is not the user's.
            DiskError::Denied | DiskError::Refused | DiskError::Kind => match self.may().await? {
                true => Ok(Some(String::new())),
                false => Err(DiskError::Denied),
            },
            error => Err(error),
        }
    }

    /// A disk knows no claims: a tab that was frozen and wakes up must look before it writes.
    async fn check_claim(&self) -> Done<()> {
        self.store.check_claim().await.map_err(DiskError::Claim)
    }
}
