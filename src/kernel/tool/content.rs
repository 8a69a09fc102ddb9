//! What a file's bytes are: text, text in another encoding, or what else.

/// Bytes at the start that are looked at for what no text holds.
const LOOKED_AT: usize = 8 << 10;

/// A file's content as a model is shown it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text in UTF-8, with its byte order mark if it has one.
    Text(String),
    /// Text in another encoding, which is named; what can't be read is `\u{fffd}`. Written
    /// back it would be another file.
    Foreign(String, &'static str),
    /// No text, but this.
    Binary(&'static str),
}

/// Looks at a file's bytes.
pub(super) fn look_at(content: Vec<u8>) -> Content {
    if let Some(found) = utf_16(&content) {
        return found;
    }
    let start = &content[..content.len().min(LOOKED_AT)];
    if start.contains(&0) {
        return Content::Binary(kind_of(&content));
    }
    match String::from_utf8(content) {
        Ok(text) => Content::Text(text),
        Err(error) => {
            let content = error.as_bytes();
            let start = &content[..content.len().min(LOOKED_AT)];
            let is_odd = |byte: &&u8| **byte < b' ' && !b"\t\n\r\x0c\x1b".contains(byte);
            let odd = start.iter().filter(is_odd).count();
            match kind_of(content) {
                UNKNOWN if odd * 50 <= start.len() => {
                    let text = String::from_utf8_lossy(content).into_owned();
                    Content::Foreign(text, "another encoding")
                }
                kind => Content::Binary(kind),
            }
        }
    }
}

/// Text that says by its first bytes that it is UTF-16.
fn utf_16(content: &[u8]) -> Option<Content> {
    let (name, of): (_, fn([u8; 2]) -> u16) = match content {
        [0xFF, 0xFE, ..] => ("UTF-16 (LE)", u16::from_le_bytes),
        [0xFE, 0xFF, ..] => ("UTF-16 (BE)", u16::from_be_bytes),
        _ => return None,
    };
    let (pairs, []) = content[2..].as_chunks::<2>() else {
        return None;
    };
    let units = pairs.iter().map(|pair| of(*pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    let text = text.ok().filter(|text| !text.contains('\0'))?;
    Some(Content::Foreign(text, name))
}

/// What is not known by its first bytes.
const UNKNOWN: &str = "a binary file";

/// What a file that is not text probably is.
fn kind_of(content: &[u8]) -> &'static str {
    let starts: [(&[u8], &str); 17] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xFF\xD8\xFF", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"BM", "a BMP image"),
        (b"\0\0\x01\0", "an icon"),
        (b"%PDF", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive or Office document"),
        (b"\x1F\x8B", "a gzip archive"),
        (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
        (b"\xFD7zXZ", "an XZ archive"),
        (b"\x28\xB5\x2F\xFD", "a Zstandard archive"),
        (b"\0asm", "a WebAssembly module"),
        (b"\x7FELF", "a program (ELF)"),
        (b"MZ", "a program (Windows)"),
        (b"SQLite format 3", "an SQLite database"),
        (b"ID3", "an MP3 sound file"),
        (b"OggS", "an Ogg sound or video file"),
    ];
    let riff = match content.get(8..12) {
        Some(b"WEBP") => "a WebP image",
        Some(b"WAVE") => "a WAV sound file",
        _ => UNKNOWN,
    };
    let inner = match (content.get(4..8), content.get(257..262)) {
        (Some(b"ftyp"), _) => "an MP4 or HEIF file",
        (_, Some(b"ustar")) => "a TAR archive",
        _ => UNKNOWN,
    };
    let by_start = starts.iter().find(|(start, _)| content.starts_with(start));
    match by_start {
        Some((_, kind)) => kind,
        None if content.starts_with(b"RIFF") => riff,
        None if content.starts_with(b"wOF") => "a font",
        None => inner,
    }
}
