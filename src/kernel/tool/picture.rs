//! What the first bytes of an image tell: its format, and how many dots it has. A file's
//! name tells nothing.

/// An image of a kind that models take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    /// What it is called.
    pub format: &'static str,
    /// Such as `image/png`.
    pub media_type: &'static str,
    /// Dots; `None`: it is damaged.
    pub size: Option<(u32, u32)>,
}

/// Looks at a file's bytes; `None`: it is no such image.
pub(super) fn look(content: &[u8]) -> Option<Seen> {
    let (format, media_type, size) = match content {
        [0x89, b'P', b'N', b'G', ..] => ("PNG", "image/png", png(content)),
        [0xFF, 0xD8, 0xFF, ..] => ("JPEG", "image/jpeg", jpeg(content)),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("GIF", "image/gif", gif(content)),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => ("WebP", "image/webp", webp(content)),
        _ => return None,
    };
    Some(Seen {
        format,
        media_type,
        size: size.filter(|(width, height)| *width > 0 && *height > 0),
    })
}

/// <https://www.w3.org/TR/png-3/#11IHDR>
fn png(content: &[u8]) -> Option<(u32, u32)> {
    let is_whole = content.get(12..16)? == b"IHDR" && content.ends_with(b"IEND\xAE\x42\x60\x82");
    let number = |at: usize| {
        Some(u32::from_be_bytes(
            content.get(at..at + 4)?.try_into().ok()?,
        ))
    };
    is_whole.then_some(())?;
    Some((number(16)?, number(20)?))
}

/// <https://www.w3.org/Graphics/GIF/spec-gif89a.txt>, section 18.
fn gif(content: &[u8]) -> Option<(u32, u32)> {
    Some((little(content, 6, 2)?, little(content, 8, 2)?))
}

/// <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>, annex B: segments up to the one that
/// begins a frame.
fn jpeg(content: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        // Any number of fill bytes may stand before a marker.
        while content.get(at..at + 2)? == [0xFF, 0xFF] {
            at += 1;
        }
        let [0xFF, marker] = content.get(at..at + 2)? else {
            return None;
        };
        let big = |at: usize| {
            let pair = content.get(at..at + 2)?;
            Some(u32::from(pair[0]) << 8 | u32::from(pair[1]))
        };
        match marker {
            // Tables of codes share the numbers of frames.
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                return Some((big(at + 7)?, big(at + 5)?));
            }
            0x01 | 0xD0..=0xD7 => at += 2,
            0xD8..=0xDA => return None,
            _ => at += 2 + big(at + 2)? as usize,
        }
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9649>
fn webp(content: &[u8]) -> Option<(u32, u32)> {
    match content.get(12..16)? {
        b"VP8X" => Some((little(content, 24, 3)? + 1, little(content, 27, 3)? + 1)),
        b"VP8L" => {
            let bits = little(content, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8 " => Some((
            little(content, 26, 2)? & 0x3FFF,
            little(content, 28, 2)? & 0x3FFF,
        )),
        _ => None,
    }
}

/// A number of `bytes` bytes, the least first.
fn little(content: &[u8], at: usize, bytes: usize) -> Option<u32> {
    let digits = content.get(at..at + bytes)?.iter().rev();
    Some(digits.fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], format: &str, size: Option<(u32, u32)>) {
        let seen = look(content).unwrap();
        assert_eq!((seen.format, seen.size), (format, size));
        // Cut anywhere it is damaged or the same, and never anything else.
        for end in 0..content.len() {
            let seen = look(&content[..end]).and_then(|seen| seen.size);
            assert!(seen.is_none() || seen == size, "cut at {end}");
        }
    }

    #[test]
    fn sizes_are_read_from_the_first_bytes() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0\0\0\0\0\0\0\0\0IEND\xAE\x42\x60\x82";
        check(png, "PNG", Some((640, 480)));
        check(b"GIF89a\x40\x01\xc8\0\0\0\0", "GIF", Some((320, 200)));
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04\0\0\xFF\xFF\xDB\0\x03\0\xFF\xC4\0\x02\xFF\xC2\0\x0b\x08\x00\x10\x00\x20\x01";
        check(jpeg, "JPEG", Some((32, 16)));
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x42\x60\x40";
        check(lossy, "WebP", Some((640, 96)));
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc0\x31\x00";
        check(lossless, "WebP", Some((64, 200)));
        let more = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\x03\0\xff\x01\0";
        check(more, "WebP", Some((1024, 512)));
    }

    #[test]
    fn what_is_damaged_or_no_image_is_told_apart() {
        check(b"\x89PNG\r\n\x1a\n\0", "PNG", None);
        check(b"GIF89a\0\0\0\0", "GIF", None);
        check(b"\xFF\xD8\xFF\xD8\xFF\xC0", "JPEG", None);
        check(b"\xFF\xD8\xFF\xE0\0\0\xFF\xE0\0\0", "JPEG", None);
        check(b"RIFF\0\0\0\0WEBPVP9 ", "WebP", None);
        for other in [
            &b"BM\0\0"[..],
            b"GIF88a",
            b"",
            b"%PDF-1.7",
            b"RIFF\0\0\0\0WAVE",
        ] {
            assert_eq!(look(other), None);
        }
    }
}
