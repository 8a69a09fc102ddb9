//! How a text lies in its file: what an editor must keep of it that is not in the lines.

/// Largest file that can be edited, in bytes.
pub const MAX_EDITED: usize = 2 << 20;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What is kept beside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextForm {
    /// Whether a byte order mark stands before it.
    pub bom: bool,
    /// How its lines end.
    pub ends: LineEnds,
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// All by a line feed.
    Lf,
    /// All by a carriage return and a line feed.
    CrLf,
    /// Not all alike: returns are a part of the text.
    Mixed,
}

/// Why a file can't be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotText {
    /// It has more than [`MAX_EDITED`] bytes.
    TooLarge,
    /// It is not UTF-8, so that saving would change what was not edited.
    NotUtf8,
}

/// Reads a file to be edited: the text, with line feeds where all lines end alike, and its form.
///
/// # Errors
/// Why it can't be.
pub fn read(bytes: &[u8]) -> Result<(String, TextForm), NotText> {
    if bytes.len() > MAX_EDITED {
        return Err(NotText::TooLarge);
    }
    let bare = bytes.strip_prefix(BOM);
    let text = std::str::from_utf8(bare.unwrap_or(bytes)).map_err(|_| NotText::NotUtf8)?;
    if text.contains('\0') {
        return Err(NotText::NotUtf8);
    }
    let returns = text.matches('\r').count();
    let ends = match returns {
        0 => LineEnds::Lf,
        n if n == text.matches("\r\n").count() && n == text.matches('\n').count() => LineEnds::CrLf,
        _ => LineEnds::Mixed,
    };
    let bom = bare.is_some();
    let text = match ends {
        LineEnds::CrLf => text.replace("\r\n", "\n"),
        _ => text.to_owned(),
    };
    Ok((text, TextForm { bom, ends }))
}

impl TextForm {
    /// The text as it lies in the file.
    pub fn write(self, text: &str) -> Vec<u8> {
        let mut bytes = match self.bom {
            true => BOM.to_vec(),
            false => Vec::new(),
        };
        match self.ends {
            LineEnds::CrLf => bytes.extend(text.replace('\n', "\r\n").bytes()),
            _ => bytes.extend(text.bytes()),
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_byte_for_byte() {
        for (bytes, ends) in [
            (&b"a\nb"[..], LineEnds::Lf),
            (b"", LineEnds::Lf),
            (b"a\r\nb\r\n", LineEnds::CrLf),
            (b"\xEF\xBB\xBFa\r\n", LineEnds::CrLf),
            (b"a\r\nb\n", LineEnds::Mixed),
            (b"a\rb\r", LineEnds::Mixed),
            (b"\r\r\n", LineEnds::Mixed),
            ("日本\n".as_bytes(), LineEnds::Lf),
        ] {
            let (text, form) = read(bytes).unwrap();
            assert_eq!(form.ends, ends, "{bytes:?}");
            assert_eq!(form.write(&text), bytes);
        }
    }

    #[test]
    fn what_would_not_stay_as_it_is_can_t_be_edited() {
        assert_eq!(read(b"caf\xE9"), Err(NotText::NotUtf8));
        assert_eq!(read(b"a\0b"), Err(NotText::NotUtf8));
        assert_eq!(read(&vec![b'a'; MAX_EDITED + 1]), Err(NotText::TooLarge));
        assert!(read(&vec![b'a'; MAX_EDITED]).is_ok());
    }
}
