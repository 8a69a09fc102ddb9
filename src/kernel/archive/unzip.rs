//! Reading zip (PKWARE's APPNOTE, <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>):
//! the list at its end, and one entry after the other. Where list and entry differ, the
//! list counts, as it does for every tool that lists before it unpacks.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::names::{self, RawName};
use super::source::Window;
use super::{Crc, Flaw, MAX_ENTRIES, check_growth, number};

/// The end of the list: its least length, and the longest note behind it.
const END: usize = 22;
const LONGEST_NOTE: usize = 0xffff;
/// Longest list, in bytes.
const LONGEST_LIST: u64 = 64 << 20;
/// Deflate can't make more of a byte than this.
const DEFLATE_MOST: u64 = 1_032;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link to somewhere else.
    Link,
    /// A device or the like.
    Special,
}

/// An entry as the list has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, as it is written there.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Bytes it comes to.
    pub size: u64,
    /// When it was last changed, milliseconds since the Unix epoch; 0: not told.
    pub modified_ms: u64,
    packed: u64,
    crc: u32,
    method: u16,
    is_locked: bool,
    at: u64,
}

/// Reads the list.
///
/// # Errors
/// Why the archive can't be taken in at all.
pub async fn index(window: &mut Window) -> Result<Vec<Entry>, Flaw> {
    let size = window.source().size();
    let list = find_list(window).await?;
    if list.count > MAX_ENTRIES as u64 {
        return Err(Flaw::TooMany);
    }
    let mut raw = Vec::new();
    let mut entries = Vec::new();
    let bytes = window.bytes(list.at, list.length as usize).await?;
    let mut rest = bytes;
    for _ in 0..list.count {
        let (entry, name, behind) = entry(rest, list.shift)?;
        entries.push(entry);
        raw.push(name);
        rest = behind;
    }
    let sum = |of: fn(&Entry) -> u64| {
        let all = entries.iter().map(of);
        all.fold(0_u64, u64::saturating_add)
    };
    // Entries that share their bytes come to more than the archive holds.
    if sum(|entry| entry.packed) > size {
        return Err(Flaw::Bomb);
    }
    check_growth(size, sum(|entry| entry.size))?;
    let texts = names::decode(&raw, window.source());
    for (entry, text) in entries.iter_mut().zip(texts) {
        if text.ends_with(['/', '\\']) && entry.kind == Kind::File {
            entry.kind = Kind::Folder;
        }
        entry.name = text;
    }
    Ok(entries)
}

/// The content of a file.
///
/// # Errors
/// Why this entry can't be taken in.
pub async fn content(window: &mut Window, entry: &Entry, crc: &Crc) -> Result<Vec<u8>, Flaw> {
    if entry.is_locked {
        return Err(Flaw::Encrypted);
    }
    let most = match entry.method {
        0 => entry.packed,
        8 => entry.packed.saturating_mul(DEFLATE_MOST).saturating_add(64),
        _ => return Err(Flaw::Unsupported),
    };
    if entry.size > most {
        return Err(Flaw::Damaged);
    }
    let head = window.bytes(entry.at, 30).await?;
    if !head.starts_with(b"PK\x03\x04") {
        return Err(Flaw::Damaged);
    }
    let skip = 30 + number(&head[26..28]) + number(&head[28..30]);
    let packed = usize::try_from(entry.packed).map_err(|_| Flaw::TooLarge)?;
    let bytes = window.bytes(entry.at + skip, packed).await?;
    let content = match entry.method {
        0 if entry.size == entry.packed => bytes.to_vec(),
        0 => return Err(Flaw::Damaged),
        _ => inflated(bytes, entry.size as usize)?,
    };
    match crc.of(&content) == entry.crc {
        true => Ok(content),
        false => Err(Flaw::Damaged),
    }
}

fn inflated(packed: &[u8], size: usize) -> Result<Vec<u8>, Flaw> {
    let mut content = vec![0; size];
    let mut state = Box::<DecompressorOxide>::default();
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    match decompress(&mut state, packed, &mut content, 0, flags) {
        (TINFLStatus::Done, _, written) if written == size => Ok(content),
        _ => Err(Flaw::Damaged),
    }
}

/// Where the list lies.
struct List {
    at: u64,
    length: u64,
    count: u64,
    /// Bytes in front of the archive, as in one that unpacks itself.
    shift: u64,
}

async fn find_list(window: &mut Window) -> Result<List, Flaw> {
    let size = window.source().size();
    let tail = size.min((END + LONGEST_NOTE) as u64);
    let bytes = window.bytes(size - tail, tail as usize).await?;
    let is_end = |at: &usize| {
        let end = &bytes[*at..];
        end.starts_with(b"PK\x05\x06") && at + END + number(&end[20..22]) as usize <= bytes.len()
    };
    let last = bytes.len().checked_sub(END).ok_or(Flaw::CutOff)?;
    let Some(at) = (0..=last).rev().find(is_end) else {
        return Err(match window.bytes(0, 4).await? {
            b"PK\x03\x04" => Flaw::CutOff,
            _ => Flaw::NotOne,
        });
    };
    let end = &bytes[at..at + END];
    let [disk, first_disk] = [4, 6].map(|from| number(&end[from..from + 2]));
    let mut list = List {
        count: number(&end[10..12]),
        length: number(&end[12..16]),
        at: number(&end[16..20]),
        shift: 0,
    };
    let mut end_at = size - tail + at as u64;
    let is_large = list.count == 0xffff || list.length == 0xffff_ffff || list.at == 0xffff_ffff;
    if is_large && let Some(large) = find_large(window, end_at).await? {
        (list, end_at) = large;
    } else if disk != first_disk || !matches!(disk, 0 | 0xffff) {
        // One part of several.
        return Err(Flaw::Unsupported);
    }
    let begins = end_at.checked_sub(list.length).ok_or(Flaw::Damaged)?;
    list.shift = begins.checked_sub(list.at).ok_or(Flaw::Damaged)?;
    list.at = begins;
    match list.length <= LONGEST_LIST {
        true => Ok(list),
        false => Err(Flaw::TooMany),
    }
}

/// The end of a list with long numbers (zip64), if one stands in front of the plain end.
async fn find_large(window: &mut Window, end_at: u64) -> Result<Option<(List, u64)>, Flaw> {
    let Some(at) = end_at.checked_sub(20) else {
        return Ok(None);
    };
    let pointer = window.bytes(at, 20).await?;
    if !pointer.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    // Told from the archive's beginning; mostly it stands right in front.
    let told = number(&pointer[8..16]);
    for large_at in [Some(told), at.checked_sub(56)].into_iter().flatten() {
        let Ok(large) = window.bytes(large_at, 56).await else {
            continue;
        };
        if large.starts_with(b"PK\x06\x06") {
            let list = List {
                count: number(&large[32..40]),
                length: number(&large[40..48]),
                at: number(&large[48..56]),
                shift: 0,
            };
            return Ok(Some((list, large_at)));
        }
    }
    Err(Flaw::Damaged)
}

/// The first entry of the list, its name, and what follows it.
fn entry(list: &[u8], shift: u64) -> Result<(Entry, RawName, &[u8]), Flaw> {
    if list.len() < 46 || !list.starts_with(b"PK\x01\x02") {
        return Err(Flaw::Damaged);
    }
    let two = |at: usize| number(&list[at..at + 2]);
    let four = |at: usize| number(&list[at..at + 4]);
    let (name, extra, note) = (two(28) as usize, two(30) as usize, two(32) as usize);
    let rest = list.get(46 + name + extra + note..).ok_or(Flaw::Damaged)?;
    let flags = two(8);
    let mut raw = RawName {
        bytes: list[46..46 + name].to_vec(),
        is_utf8: flags & 0x800 != 0,
    };
    let mut entry = Entry {
        name: String::new(),
        kind: kind(two(4) >> 8, four(38)),
        size: four(24),
        modified_ms: names::dos_time(two(14), two(12)),
        packed: four(20),
        crc: four(16) as u32,
        method: two(10) as u16,
        // 0x2000: the list itself is locked, and its numbers are blanks.
        is_locked: flags & 0x2041 != 0,
        at: four(42),
    };
    extras(&list[46 + name..46 + name + extra], &mut entry, &mut raw);
    entry.at = entry.at.checked_add(shift).ok_or(Flaw::Damaged)?;
    Ok((entry, raw, rest))
}

/// What stands behind the name: long numbers, the time to the second, the name in UTF-8.
fn extras(mut bytes: &[u8], entry: &mut Entry, name: &mut RawName) {
    while bytes.len() >= 4 {
        let (id, length) = (number(&bytes[..2]), number(&bytes[2..4]) as usize);
        let Some(field) = bytes.get(4..4 + length) else {
            return;
        };
        bytes = &bytes[4 + length..];
        match (id, field) {
            (0x0001, mut field) => {
                for place in [&mut entry.size, &mut entry.packed, &mut entry.at] {
                    if *place == 0xffff_ffff && field.len() >= 8 {
                        *place = number(&field[..8]);
                        field = &field[8..];
                    }
                }
            }
            (0x5455, [flags, time @ ..]) if flags & 1 != 0 && time.len() >= 4 => {
                entry.modified_ms = number(&time[..4]) * 1_000;
            }
            // Only as long as it belongs to the name that stands there.
            (0x7075, [1, sum @ ..]) if sum.len() > 4 => {
                let of = Crc::default().of(&name.bytes);
                if u64::from(of) == number(&sum[..4]) {
                    *name = RawName {
                        bytes: sum[4..].to_vec(),
                        is_utf8: true,
                    };
                }
            }
            _ => {}
        }
    }
}

/// What an entry is, by the system it was made on and that system's word for it.
fn kind(system: u64, attributes: u64) -> Kind {
    let unix = matches!(system, 3 | 19).then_some((attributes >> 28) & 0xf);
    match unix {
        Some(0o12) => Kind::Link,
        Some(0o1 | 0o2 | 0o6 | 0o14) => Kind::Special,
        Some(0o4) => Kind::Folder,
        _ => Kind::File,
    }
}
