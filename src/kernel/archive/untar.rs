//! Reading tar, as it is or in a gzip: ustar (POSIX.1-1988), pax (POSIX.1-2001) and what
//! GNU's tar made of it. One member comes after the other; there is no list.

use std::rc::Rc;

use super::feed::Feed;
use super::source::Source;
use super::unzip::Kind;
use super::{Flaw, MAX_ENTRIES, MAX_TOTAL};

/// Bytes of a record.
const RECORD: u64 = 512;
/// Longest name or set of further words about a member, in bytes.
const LONGEST_WORDS: u64 = 1 << 20;

/// A member of a tar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name, as it is written there.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The earlier member that it is another name of.
    pub same_as: Option<String>,
    /// Bytes it comes to.
    pub size: u64,
    /// When it was last changed, milliseconds since the Unix epoch.
    pub modified_ms: u64,
    /// Whether it is written in a way that is not known here.
    pub is_unsupported: bool,
}

/// A tar that is being read.
pub struct Tar {
    feed: Feed,
    /// What is left of the member that was told last, and what fills its record.
    left: u64,
    filling: u64,
    count: usize,
}

/// What stands before a member about it.
#[derive(Default)]
struct Words {
    name: Option<String>,
    link: Option<String>,
    size: Option<u64>,
    modified_ms: Option<u64>,
    is_sparse: bool,
}

impl Tar {
    /// Begins to read.
    ///
    /// # Errors
    /// [`Flaw::Unreadable`].
    pub async fn new(source: Rc<dyn Source>) -> Result<Self, Flaw> {
        Ok(Self {
            feed: Feed::new(source).await?,
            left: 0,
            filling: 0,
            count: 0,
        })
    }

    /// Bytes of the file that were read.
    pub fn at(&self) -> u64 {
        self.feed.at()
    }

    /// The next member; `None` at the end. The content of the one before is passed over.
    ///
    /// # Errors
    /// Why the archive can't be read on.
    pub async fn next(&mut self) -> Result<Option<Member>, Flaw> {
        let mut words = Words::default();
        loop {
            self.feed.skip(self.left + self.filling).await?;
            (self.left, self.filling) = (0, 0);
            let mut head = Vec::new();
            if !self.feed.take(RECORD, &mut head).await? {
                // One that is whole ends with an empty record.
                return Err(Flaw::CutOff);
            }
            if head.iter().all(|byte| *byte == 0) {
                self.feed.finish().await?;
                return Ok(None);
            }
            check_sum(&head, self.count)?;
            let size = words.size.unwrap_or(octal(&head[124..136])?);
            if size > MAX_TOTAL {
                return Err(Flaw::TooLarge);
            }
            self.left = size;
            self.filling = size.next_multiple_of(RECORD) - size;
            match head[156] {
                b'L' => words.name = Some(text(cut(&self.words().await?))),
                b'K' => words.link = Some(text(cut(&self.words().await?))),
                b'x' => words.read(&self.words().await?),
                // For all members: nobody writes names there.
                b'g' => {}
                kind => {
                    self.count += 1;
                    if self.count > MAX_ENTRIES {
                        return Err(Flaw::TooMany);
                    }
                    return self.member(kind, &head, words).map(Some);
                }
            }
        }
    }

    /// The content of the member that was told last.
    ///
    /// # Errors
    /// Why the archive can't be read on.
    pub async fn content(&mut self) -> Result<Vec<u8>, Flaw> {
        // What is told may be a lie: room is made as it comes.
        let mut content = Vec::with_capacity(self.left.min(1 << 20) as usize);
        if self.left > 0 && !self.feed.take(self.left, &mut content).await? {
            return Err(Flaw::CutOff);
        }
        self.left = 0;
        Ok(content)
    }

    async fn words(&mut self) -> Result<Vec<u8>, Flaw> {
        match self.left <= LONGEST_WORDS {
            true => self.content().await,
            false => Err(Flaw::Damaged),
        }
    }

    fn member(&mut self, kind: u8, head: &[u8], words: Words) -> Result<Member, Flaw> {
        let name = match (words.name, cut(&head[..100]), cut(&head[345..500])) {
            (Some(name), ..) => name,
            // Only in the standard's form is there more of the name behind.
            (None, name, prefix) if !prefix.is_empty() && &head[257..263] == b"ustar\0" => {
                format!("{}/{}", text(prefix), text(name))
            }
            (None, name, _) => text(name),
        };
        let told = match kind {
            b'0' | 0 | b'7' if name.ends_with('/') => Kind::Folder,
            b'0' | 0 | b'7' | b'1' | b'S' => Kind::File,
            b'2' => Kind::Link,
            b'5' | b'D' => Kind::Folder,
            _ => Kind::Special,
        };
        let link = words.link.unwrap_or_else(|| text(cut(&head[157..257])));
        let seconds = octal(&head[136..148]).unwrap_or_default();
        if matches!(kind, b'1'..=b'6') {
            // Such a member has no content, whatever size it tells.
            (self.left, self.filling) = (0, 0);
        }
        Ok(Member {
            name,
            kind: told,
            same_as: (kind == b'1').then_some(link),
            size: self.left,
            modified_ms: words.modified_ms.unwrap_or(seconds.saturating_mul(1_000)),
            is_unsupported: kind == b'S' || words.is_sparse,
        })
    }
}

impl Words {
    /// Reads lines of the form `length key=value`.
    fn read(&mut self, mut bytes: &[u8]) {
        while let Some(space) = bytes.iter().position(|byte| *byte == b' ') {
            let length = std::str::from_utf8(&bytes[..space]).ok();
            let length = length.and_then(|text| text.parse::<usize>().ok());
            let line = length.and_then(|length| bytes.get(space + 1..length));
            let (Some(line), Some(length)) = (line, length) else {
                return;
            };
            bytes = &bytes[length..];
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let Some(equals) = line.iter().position(|byte| *byte == b'=') else {
                continue;
            };
            let value = text(&line[equals + 1..]);
            match &line[..equals] {
                b"path" => self.name = Some(value),
                b"linkpath" => self.link = Some(value),
                b"size" => self.size = value.parse().ok(),
                b"mtime" => {
                    let seconds = value.split('.').next().and_then(|text| text.parse().ok());
                    self.modified_ms = seconds.map(|seconds: u64| seconds.saturating_mul(1_000));
                }
                key if key.starts_with(b"GNU.sparse") => self.is_sparse = true,
                _ => {}
            }
        }
    }
}

/// The sum of the record's bytes, its own field counted as blanks. Old tars took the
/// bytes as signed.
fn check_sum(head: &[u8], count: usize) -> Result<(), Flaw> {
    let told = octal(&head[148..156])?;
    let byte = |at: usize| match at {
        148..156 => b' ',
        _ => head[at],
    };
    let sum: u64 = (0..512).map(|at| u64::from(byte(at))).sum();
    let signed: i64 = (0..512).map(|at| i64::from(byte(at) as i8)).sum();
    match told == sum || i64::try_from(told) == Ok(signed) {
        true => Ok(()),
        false if count == 0 => Err(Flaw::NotOne),
        false => Err(Flaw::Damaged),
    }
}

/// A number in octal digits, or in bytes where it begins with the highest bit.
fn octal(field: &[u8]) -> Result<u64, Flaw> {
    if field[0] & 0x80 != 0 {
        let (high, low) = field[1..].split_at(field.len() - 9);
        let is_small = field[0] == 0x80 && high.iter().all(|byte| *byte == 0);
        let number = low
            .iter()
            .fold(0, |sum: u64, byte| (sum << 8) | u64::from(*byte));
        return is_small.then_some(number).ok_or(Flaw::Damaged);
    }
    let blank = |byte: &u8| matches!(byte, b' ' | 0);
    let digits = field.iter().skip_while(|byte| blank(byte));
    digits
        .take_while(|byte| !blank(byte))
        .try_fold(0_u64, |sum, digit| match digit {
            b'0'..=b'7' => Ok((sum << 3) | u64::from(digit - b'0')),
            _ => Err(Flaw::Damaged),
        })
}

/// What stands before the first NUL.
fn cut(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|byte| *byte == 0);
    &field[..end.unwrap_or(field.len())]
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
