//! Where the bytes of a file from outside come from: in slices, so that an archive need
//! not lie in memory as a whole.

use std::rc::Rc;

use futures::future::{LocalBoxFuture, ready};

use super::Flaw;

/// Least bytes that are read at once.
const AHEAD: usize = 1 << 20;

/// The platform could not read, in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub String);

/// A file that the user handed over.
pub trait Source {
    /// Its bytes.
    fn size(&self) -> u64;

    /// When it was last changed, milliseconds since the Unix epoch, if that is known.
    fn modified_ms(&self) -> Option<u64>;

    /// So many bytes from `at` on, both within its size.
    fn read(&self, at: u64, length: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, Unreadable>>;

    /// Bytes as text in an encoding of the WHATWG's list, where the platform knows it and
    /// they are text in it.
    fn decode(&self, _encoding: &str, _bytes: &[u8]) -> Option<String> {
        None
    }
}

/// A file in memory.
pub struct MemorySource(pub Vec<u8>);

impl Source for MemorySource {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn modified_ms(&self) -> Option<u64> {
        None
    }

    fn read(&self, at: u64, length: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, Unreadable>> {
        let slice = usize::try_from(at)
            .ok()
            .and_then(|at| self.0.get(at..at.checked_add(length)?));
        let bytes = slice.map(<[u8]>::to_vec);
        Box::pin(ready(bytes.ok_or_else(|| Unreadable("too short".into()))))
    }
}

/// The part of a file that was read last. What follows it mostly lies in it already.
pub struct Window {
    source: Rc<dyn Source>,
    at: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Over a file of which nothing is read yet.
    pub fn new(source: Rc<dyn Source>) -> Self {
        Self {
            source,
            at: 0,
            bytes: Vec::new(),
        }
    }

    /// The file.
    pub fn source(&self) -> &dyn Source {
        &*self.source
    }

    /// So many bytes from `at` on.
    ///
    /// # Errors
    /// [`Flaw::CutOff`] if the file is shorter, or [`Flaw::Unreadable`].
    pub async fn bytes(&mut self, at: u64, length: usize) -> Result<&[u8], Flaw> {
        let left = self.source.size().saturating_sub(at);
        if length as u64 > left {
            return Err(Flaw::CutOff);
        }
        let end = at + length as u64;
        if at < self.at || end > self.at + self.bytes.len() as u64 {
            let whole = length
                .max(AHEAD)
                .min(usize::try_from(left).unwrap_or(AHEAD));
            // What lay there goes first, so that two never lie in memory.
            self.bytes = Vec::new();
            let read = self.source.read(at, whole).await;
            self.bytes = read.map_err(|_| Flaw::Unreadable)?;
            self.at = at;
            if self.bytes.len() < length {
                return Err(Flaw::Unreadable);
            }
        }
        let start = (at - self.at) as usize;
        Ok(&self.bytes[start..start + length])
    }
}
