//! The bytes of a tar as they come: from the file as it is, or out of a gzip (RFC 1952).

use std::rc::Rc;

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use super::source::{Source, Window};
use super::{Crc, Flaw, check_growth, number};

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;
/// Longest head of a gzip, in bytes: it may hold a name and a note.
const LONGEST_HEAD: usize = 64 << 10;

/// Bytes that come one after the other.
pub(super) struct Feed {
    window: Window,
    at: u64,
    gzip: Option<Gzip>,
    /// What came and was not taken, from `start` on.
    ready: Vec<u8>,
    start: usize,
    /// All that came.
    came: u64,
}

/// Where in a gzip we are.
struct Gzip {
    state: Box<InflateState>,
    sums: Crc,
    /// Whether between members, and then whether one was there.
    between: Option<bool>,
    crc: u32,
    size: u32,
}

impl Feed {
    /// Looks whether the file is a gzip.
    pub(super) async fn new(source: Rc<dyn Source>) -> Result<Self, Flaw> {
        let mut window = Window::new(source);
        let is_long = window.source().size() >= 2;
        let is_gzip = is_long && window.bytes(0, 2).await? == [0x1f, 0x8b];
        Ok(Self {
            window,
            at: 0,
            gzip: is_gzip.then(|| Gzip {
                state: InflateState::new_boxed(DataFormat::Raw),
                sums: Crc::default(),
                between: Some(false),
                crc: 0,
                size: 0,
            }),
            ready: Vec::new(),
            start: 0,
            came: 0,
        })
    }

    /// Bytes of the file that were read.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Appends so many bytes to `to`; `false` if there are none at all any more.
    pub(super) async fn take(&mut self, count: u64, to: &mut Vec<u8>) -> Result<bool, Flaw> {
        let mut left = count;
        while left > 0 {
            let here = self.piece(left).await?;
            if here.is_empty() {
                return match left == count {
                    true => Ok(false),
                    false => Err(Flaw::CutOff),
                };
            }
            to.extend_from_slice(here);
            let length = here.len();
            self.start += length;
            left -= length as u64;
        }
        Ok(true)
    }

    /// Passes over so many bytes.
    pub(super) async fn skip(&mut self, count: u64) -> Result<(), Flaw> {
        let mut left = count;
        while left > 0 {
            let length = self.piece(left).await?.len();
            if length == 0 {
                return Err(Flaw::CutOff);
            }
            self.start += length;
            left -= length as u64;
        }
        Ok(())
    }

    /// Reads to the end, for what is wrong there.
    pub(super) async fn finish(&mut self) -> Result<(), Flaw> {
        loop {
            let length = self.piece(u64::MAX).await?.len();
            if length == 0 {
                return Ok(());
            }
            self.start += length;
        }
    }

    /// What comes next, at most so many bytes; none at the end.
    async fn piece(&mut self, most: u64) -> Result<&[u8], Flaw> {
        if self.start == self.ready.len() {
            self.ready.clear();
            self.start = 0;
            match &self.gzip {
                None => self.read_plain().await?,
                Some(_) => self.read_gzip().await?,
            }
            self.came += self.ready.len() as u64;
            let read = self.at.max(PIECE as u64);
            check_growth(read, self.came)?;
        }
        let here = &self.ready[self.start..];
        Ok(&here[..here.len().min(usize::try_from(most).unwrap_or(here.len()))])
    }

    fn left(&self) -> usize {
        let left = self.window.source().size().saturating_sub(self.at);
        left.min(PIECE as u64) as usize
    }

    async fn read_plain(&mut self) -> Result<(), Flaw> {
        let length = self.left();
        let bytes = self.window.bytes(self.at, length).await?;
        self.ready.extend_from_slice(bytes);
        self.at += length as u64;
        Ok(())
    }

    async fn read_gzip(&mut self) -> Result<(), Flaw> {
        let mut out = vec![0; PIECE];
        loop {
            let length = self.left();
            let bytes = self.window.bytes(self.at, length).await?;
            let Some(gzip) = &mut self.gzip else {
                return Ok(());
            };
            if let Some(was_one) = gzip.between {
                // Behind the last member there may be blanks, and nothing else counts.
                if was_one && !bytes.starts_with(&[0x1f, 0x8b]) {
                    return Ok(());
                }
                self.at += head_length(bytes)? as u64;
                gzip.begin();
                continue;
            }
            let done = inflate(&mut gzip.state, bytes, &mut out, MZFlush::None);
            let written = &out[..done.bytes_written];
            gzip.crc = gzip.sums.more(gzip.crc, written);
            gzip.size = gzip.size.wrapping_add(written.len() as u32);
            self.at += done.bytes_consumed as u64;
            let is_end = match done.status {
                Ok(MZStatus::StreamEnd) => true,
                Ok(_) | Err(MZError::Buf) => false,
                Err(_) => return Err(Flaw::Damaged),
            };
            if is_end {
                let (crc, size) = (gzip.crc, gzip.size);
                gzip.between = Some(true);
                let sums = self.window.bytes(self.at, 8).await?;
                let told = [number(&sums[..4]), number(&sums[4..])];
                if told != [u64::from(crc), u64::from(size)] {
                    return Err(Flaw::Damaged);
                }
                self.at += 8;
            } else if done.bytes_consumed == 0 && written.is_empty() {
                return Err(Flaw::CutOff);
            }
            if !written.is_empty() {
                self.ready.extend_from_slice(written);
                return Ok(());
            }
        }
    }
}

impl Gzip {
    fn begin(&mut self) {
        self.state.reset(DataFormat::Raw);
        (self.between, self.crc, self.size) = (None, 0, 0);
    }
}

/// How long the head of a gzip is.
fn head_length(bytes: &[u8]) -> Result<usize, Flaw> {
    let missing = match bytes.len() < LONGEST_HEAD {
        true => Flaw::CutOff,
        false => Flaw::Damaged,
    };
    let Some([0x1f, 0x8b, method, flags, ..]) = bytes.get(..10) else {
        return Err(missing);
    };
    if *method != 8 {
        return Err(Flaw::Unsupported);
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let length = bytes.get(at..at + 2).ok_or(missing)?;
        at += 2 + number(length) as usize;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let text = bytes.get(at..).ok_or(missing)?;
            at += text.iter().position(|byte| *byte == 0).ok_or(missing)? + 1;
        }
    }
    at += usize::from(flags & 2 != 0) * 2;
    match at <= bytes.len() {
        true => Ok(at),
        false => Err(missing),
    }
}
