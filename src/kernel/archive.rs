//! Archives: what comes in as zip, tar or gzip is read by slices and trusted in nothing;
//! what goes out is a zip that opens everywhere. Nothing here knows the workspace.
//!
//! Of our own, over `miniz_oxide`: the well-known readers want to seek and wait in one
//! thread, take the first flaw for the end, and bring tables of 16 KB into the first load.

mod crc;
mod feed;
pub mod names;
mod source;
mod untar;
mod unzip;
mod zip;

pub use self::crc::Crc;
pub use self::source::{MemorySource, Source, Unreadable, Window};
pub use self::untar::{Member, Tar};
pub use self::unzip::{Entry, Kind, content, index};
pub use self::zip::{Packed, ZipWriter, pack_piece, packer};

/// Most entries of one archive.
pub const MAX_ENTRIES: usize = 100_000;
/// Most bytes that one archive may come to.
pub const MAX_TOTAL: u64 = 2 << 30;
/// What is this much larger than its archive is meant to do harm…
const MAX_RATIO: u64 = 200;
/// …once it comes to so many bytes.
const HARMLESS: u64 = 64 << 20;

/// Why an archive, or an entry of it, is not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// The browser could not read the file.
    Unreadable,
    /// It is not what its name says.
    NotOne,
    /// Its end is missing.
    CutOff,
    /// What is in it does not fit together.
    Damaged,
    /// It is locked with a password.
    Encrypted,
    /// It is made in a way that is not known here.
    Unsupported,
    /// It comes to far more than its size tells.
    Bomb,
    /// More than [`MAX_ENTRIES`].
    TooMany,
    /// More than [`MAX_TOTAL`], or a file that is too large.
    TooLarge,
}

/// Whether so many bytes out of so many are still in order.
fn check_growth(packed: u64, size: u64) -> Result<(), Flaw> {
    match size {
        _ if size > MAX_TOTAL => Err(Flaw::TooLarge),
        _ if size > HARMLESS && size / MAX_RATIO > packed => Err(Flaw::Bomb),
        _ => Ok(()),
    }
}

/// The little-endian number in the first bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}
