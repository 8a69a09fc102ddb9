//! Writing zip: plain enough that everything opens it. Sizes stand in front of each
//! content, names are UTF-8 and say so, times are told twice (DOS's and Unix's), and the
//! same files make the same bytes.

use miniz_oxide::DataFormat;
use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, TDEFLStatus, compress};

use super::Crc;
use super::names::to_dos_time;

/// How hard deflate tries.
const LEVEL: u8 = 6;
/// Kinds of files that are packed already.
const PACKED_KINDS: &str = " png jpg jpeg gif webp avif heic mp3 mp4 m4a ogg opus webm mov mkv zip \
                            gz tgz bz2 xz zst 7z rar br woff woff2 docx xlsx pptx odt jar epub ";
/// A regular file, and a folder, that all may read: Unix's mode in the upper half.
const FILE_MODE: u32 = 0o100_644 << 16;
/// With DOS's sign of a folder.
const FOLDER_MODE: u32 = (0o40_755 << 16) | 0x10;
/// The largest of the short numbers.
const SHORT: usize = 0xffff;

/// A content as it stands in the archive.
#[derive(Debug)]
pub struct Packed {
    crc: u32,
    size: u32,
    /// `None`: as it is.
    deflated: Option<Vec<u8>>,
}

/// What packs a content, if it may become smaller.
pub fn packer(name: &str) -> Option<Box<CompressorOxide>> {
    let kind = name.rsplit_once('.').map(|(_, kind)| kind);
    let kind = format!(" {} ", kind.unwrap_or_default().to_ascii_lowercase());
    let is_packed = kind.len() > 2 && PACKED_KINDS.contains(&kind);
    (!is_packed).then(|| {
        let mut packer = Box::<CompressorOxide>::default();
        packer.set_format_and_level(DataFormat::Raw, LEVEL);
        packer
    })
}

/// Packs the next piece of a content; the last one is told by `flush`.
pub fn pack_piece(
    packer: &mut CompressorOxide,
    mut piece: &[u8],
    flush: TDEFLFlush,
    out: &mut Vec<u8>,
) {
    loop {
        let start = out.len();
        out.resize(start + piece.len() / 2 + 4_096, 0);
        let (status, read, written) = compress(packer, piece, &mut out[start..], flush);
        out.truncate(start + written);
        piece = &piece[read..];
        let is_done = match flush {
            TDEFLFlush::Finish => status != TDEFLStatus::Okay,
            _ => piece.is_empty(),
        };
        if is_done {
            return;
        }
    }
}

impl Packed {
    /// A content and what became of it; the smaller one counts.
    pub fn new(sums: &Crc, content: &[u8], deflated: Option<Vec<u8>>) -> Self {
        Self {
            crc: sums.of(content),
            size: content.len() as u32,
            deflated: deflated.filter(|deflated| deflated.len() < content.len()),
        }
    }
}

/// An archive that is being written.
#[derive(Default)]
pub struct ZipWriter {
    at: u64,
    count: usize,
    list: Vec<u8>,
}

impl ZipWriter {
    /// Adds a file. Its bytes are appended to `out`, which may be taken away in between.
    pub fn file(
        &mut self,
        name: &str,
        modified_ms: u64,
        content: &[u8],
        packed: Packed,
        out: &mut Vec<u8>,
    ) {
        let bytes = packed.deflated.as_deref().unwrap_or(content);
        let method = if packed.deflated.is_some() { 8 } else { 0 };
        let sizes = [packed.crc, bytes.len() as u32, packed.size];
        self.entry(name, modified_ms, method, sizes, FILE_MODE, out);
        out.extend_from_slice(bytes);
        self.at += bytes.len() as u64;
    }

    /// Adds a folder, for one in which nothing is.
    pub fn folder(&mut self, name: &str, modified_ms: u64, out: &mut Vec<u8>) {
        let name = format!("{name}/");
        self.entry(&name, modified_ms, 0, [0; 3], FOLDER_MODE, out);
    }

    /// Writes the list.
    pub fn finish(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.list);
        let end_at = self.at + self.list.len() as u64;
        if self.count >= SHORT {
            put(out, &[0x0606_4b50, 44, 0]);
            put_short(out, &[45, 45]);
            put(out, &[0, 0]);
            for long in [
                self.count as u64,
                self.count as u64,
                self.list.len() as u64,
                self.at,
            ] {
                out.extend(long.to_le_bytes());
            }
            put(out, &[0x0706_4b50, 0]);
            out.extend(end_at.to_le_bytes());
            put(out, &[1]);
        }
        let count = self.count.min(SHORT) as u16;
        put(out, &[0x0605_4b50]);
        put_short(out, &[0, 0, count, count]);
        put(out, &[self.list.len() as u32, self.at as u32]);
        put_short(out, &[0]);
    }

    fn entry(
        &mut self,
        name: &str,
        modified_ms: u64,
        method: u16,
        sizes: [u32; 3],
        mode: u32,
        out: &mut Vec<u8>,
    ) {
        // The sign for UTF-8 only where it says something: some old tools stumble over it.
        let flags = if name.is_ascii() { 0 } else { 0x800 };
        let (date, time) = to_dos_time(modified_ms);
        let seconds = u32::try_from(modified_ms / 1_000).ok();
        let seconds = seconds.filter(|seconds| (1..=i32::MAX as u32).contains(seconds));
        let extra = if seconds.is_some() { 9 } else { 0 };
        let mut common = Vec::with_capacity(32);
        put_short(&mut common, &[20, flags, method, time, date]);
        put(&mut common, &sizes);
        put_short(&mut common, &[name.len() as u16, extra]);
        let mut stamp = Vec::with_capacity(9);
        if let Some(seconds) = seconds {
            put_short(&mut stamp, &[0x5455, 5]);
            stamp.push(1);
            put(&mut stamp, &[seconds]);
        }
        put(&mut self.list, &[0x0201_4b50]);
        // Made on Unix, by version 2.0 of the description.
        put_short(&mut self.list, &[0x0314]);
        self.list.extend_from_slice(&common);
        put_short(&mut self.list, &[0, 0, 0]);
        put(&mut self.list, &[mode, self.at as u32]);
        for part in [name.as_bytes(), &stamp] {
            self.list.extend_from_slice(part);
        }
        put(out, &[0x0403_4b50]);
        for part in [&common, name.as_bytes(), &stamp] {
            out.extend_from_slice(part);
        }
        self.at += (4 + common.len() + name.len() + stamp.len()) as u64;
        self.count += 1;
    }
}

fn put(out: &mut Vec<u8>, numbers: &[u32]) {
    for number in numbers {
        out.extend(number.to_le_bytes());
    }
}

fn put_short(out: &mut Vec<u8>, numbers: &[u16]) {
    for number in numbers {
        out.extend(number.to_le_bytes());
    }
}
