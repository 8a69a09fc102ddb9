//! What is told of files that are neither text nor image: their kind, by the bytes they
//! begin with, and those bytes in hexadecimal.

use std::fmt::Write;

/// Bytes in a line.
const IN_LINE: usize = 16;
/// Lines that are shown.
const MAX_LINES: usize = 32;

/// Kinds of files that can be told by how they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A PDF document.
    Pdf,
    /// An archive or something compressed, of this name.
    Archive(&'static str),
    /// An image of a kind, or under a name, that is not shown.
    Image(&'static str),
    /// Sound or a film.
    Media(&'static str),
    /// A program, or a part of one.
    Program(&'static str),
    /// A database.
    Database,
    /// A font.
    Font,
    /// Text in two-byte characters.
    Utf16,
    /// Text in one of the older encodings.
    OtherText,
    /// Something else.
    Unknown,
}

const BEGINNINGS: &[(&[u8], Kind)] = &[
    (b"%PDF-", Kind::Pdf),
    (b"PK\x03\x04", Kind::Archive("ZIP")),
    (b"PK\x05\x06", Kind::Archive("ZIP")),
    (b"\x1F\x8B", Kind::Archive("gzip")),
    (b"BZh", Kind::Archive("bzip2")),
    (b"\xFD7zXZ\0", Kind::Archive("xz")),
    (b"\x28\xB5\x2F\xFD", Kind::Archive("Zstandard")),
    (b"7z\xBC\xAF\x27\x1C", Kind::Archive("7-Zip")),
    (b"Rar!", Kind::Archive("RAR")),
    (b"\x89PNG", Kind::Image("PNG")),
    (b"\xFF\xD8\xFF", Kind::Image("JPEG")),
    (b"GIF8", Kind::Image("GIF")),
    (b"II*\0", Kind::Image("TIFF")),
    (b"MM\0*", Kind::Image("TIFF")),
    (b"ID3", Kind::Media("MP3")),
    (b"OggS", Kind::Media("Ogg")),
    (b"fLaC", Kind::Media("FLAC")),
    (b"RIFF", Kind::Media("RIFF")),
    (b"\x1A\x45\xDF\xA3", Kind::Media("WebM")),
    (b"\0asm", Kind::Program("WebAssembly")),
    (b"\x7FELF", Kind::Program("ELF")),
    (b"MZ", Kind::Program("Windows")),
    (b"\xCA\xFE\xBA\xBE", Kind::Program("Java")),
    (b"SQLite format 3\0", Kind::Database),
    (b"wOFF", Kind::Font),
    (b"wOF2", Kind::Font),
    (b"OTTO", Kind::Font),
    (b"\xFF\xFE", Kind::Utf16),
    (b"\xFE\xFF", Kind::Utf16),
];

/// What a file that begins so is.
pub fn kind(head: &[u8]) -> Kind {
    let known = BEGINNINGS.iter().find(|(start, _)| head.starts_with(start));
    if let Some((_, kind)) = known {
        return *kind;
    }
    if head.get(4..8) == Some(b"ftyp") {
        return Kind::Media("MP4");
    }
    let is_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r');
    match !head.is_empty() && head.iter().all(is_text) {
        true => Kind::OtherText,
        false => Kind::Unknown,
    }
}

/// The first bytes, sixteen a line: where the line begins, the bytes, and those of them
/// that are letters.
pub fn lines(head: &[u8]) -> Vec<String> {
    let chunks = head.chunks(IN_LINE).take(MAX_LINES).enumerate();
    let line = |(at, chunk): (usize, &[u8])| {
        let mut line = format!("{:06x} ", at * IN_LINE);
        for n in 0..IN_LINE {
            if n % 8 == 0 {
                line.push(' ');
            }
            match chunk.get(n) {
                // Writing into a text can't fail.
                Some(byte) => drop(write!(line, "{byte:02x} ")),
                None => line.push_str("   "),
            }
        }
        let letter = |byte: &u8| match byte {
            b' '..=b'~' => *byte as char,
            _ => '·',
        };
        line.push(' ');
        line.extend(chunk.iter().map(letter));
        line
    };
    chunks.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_their_first_bytes() {
        for (head, expected) in [
            (&b"%PDF-1.7\n"[..], Kind::Pdf),
            (b"PK\x03\x04rest", Kind::Archive("ZIP")),
            (b"\0\0\0\x20ftypisom", Kind::Media("MP4")),
            (b"\xFF\xFEh\0i\0", Kind::Utf16),
            (b"caf\xE9 au lait\n", Kind::OtherText),
            (b"\0\x01\x02", Kind::Unknown),
            (b"", Kind::Unknown),
        ] {
            assert_eq!(kind(head), expected, "{head:?}");
        }
    }

    #[test]
    fn bytes_are_shown_sixteen_a_line() {
        assert_eq!(
            lines(b"Hello, bytes\0\xFF and so on"),
            [
                "000000  48 65 6c 6c 6f 2c 20 62  79 74 65 73 00 ff 20 61  Hello, bytes·· a",
                "000010  6e 64 20 73 6f 20 6f 6e                           nd so on",
            ]
        );
        assert_eq!(lines(&[0; 4096]).len(), MAX_LINES);
    }
}
