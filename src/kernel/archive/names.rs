//! Names as archives have them: bytes of whatever encoding, of whatever system. Each
//! becomes a path of the workspace, or is told why not.

use super::source::Source;
use crate::kernel::workspace::WorkspacePath;

/// What the upper half of code page 437 stands for, in which zip began.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
                     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
/// Longest name and path, as [`WorkspacePath`] has them, in bytes.
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 1_024;

/// A name as it stands in a zip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawName {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the archive says that they are UTF-8.
    pub is_utf8: bool,
}

/// The names as text. What is not UTF-8 is of one encoding in the whole archive: that of
/// which all of it is text.
pub fn decode(names: &[RawName], source: &dyn Source) -> Vec<String> {
    let is_old = |name: &&RawName| std::str::from_utf8(&name.bytes).is_err();
    let mut old = Vec::new();
    for name in names.iter().filter(is_old).filter(|name| !name.is_utf8) {
        old.extend_from_slice(&name.bytes);
        old.push(b'\n');
    }
    let encoding = guess(&old, source);
    let text = |name: &RawName| match std::str::from_utf8(&name.bytes) {
        Ok(text) => text.to_owned(),
        Err(_) if name.is_utf8 => String::from_utf8_lossy(&name.bytes).into_owned(),
        Err(_) => encoding
            .and_then(|encoding| source.decode(encoding, &name.bytes))
            .unwrap_or_else(|| cp437(&name.bytes)),
    };
    names.iter().map(text).collect()
}

fn cp437(bytes: &[u8]) -> String {
    let upper: Vec<char> = CP437.chars().collect();
    let sign = |byte: &u8| match byte.checked_sub(0x80) {
        Some(at) => upper.get(usize::from(at)).copied().unwrap_or('_'),
        None => char::from(*byte),
    };
    bytes.iter().map(sign).collect()
}

/// Shift-JIS where there are kana, GBK where there is nothing but Chinese, or none.
fn guess(bytes: &[u8], source: &dyn Source) -> Option<&'static str> {
    if bytes.is_empty() {
        return None;
    }
    let is = |encoding: &str, sign: fn(char) -> bool, all: bool| {
        source.decode(encoding, bytes).is_some_and(|text| {
            let mut signs = text.chars().filter(|c| !c.is_ascii());
            match all {
                true => signs.all(sign),
                false => signs.any(sign),
            }
        })
    };
    let kana = |c| matches!(c, '\u{3041}'..='\u{30ff}');
    let han = |c| matches!(c, '\u{3000}'..='\u{303f}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ff5e}' | '·' | '…' | '“'..='”' | '‘'..='’' | '—');
    match () {
        () if is("shift_jis", kana, false) => Some("shift_jis"),
        () if is("gbk", han, true) => Some("gbk"),
        () => None,
    }
}

/// Why a name can't be one of the workspace, however it is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFlaw {
    /// It leads out.
    Outside,
    /// It is too long.
    TooLong,
    /// It is none.
    Bad,
}

/// A path made of a name; with whether signs that some system can't keep were replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The path.
    pub path: WorkspacePath,
    /// Whether it reads otherwise than the name.
    pub is_other: bool,
}

/// The path that a name means. Other systems' backslashes part folders; what only some
/// systems can keep is replaced by `_`; a name that leads out is none.
///
/// # Errors
/// Why there is none.
pub fn clean(name: &str) -> Result<Cleaned, NameFlaw> {
    let name = name.replace('\\', "/");
    let mut parts: Vec<String> = Vec::new();
    let mut is_other = name.starts_with('/');
    for part in name.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            return Err(NameFlaw::Outside);
        }
        if part.len() > LONGEST_NAME {
            return Err(NameFlaw::TooLong);
        }
        // A `~` leads home only where it stands first.
        let is_fine = WorkspacePath::parse_file(part).is_ok();
        is_other |= !is_fine;
        parts.push(match is_fine {
            true => part.to_owned(),
            false => mended(part),
        });
    }
    let whole = parts.join("/");
    if whole.len() > LONGEST_PATH {
        return Err(NameFlaw::TooLong);
    }
    let path = WorkspacePath::parse_file(&whole).map_err(|_| NameFlaw::Bad)?;
    Ok(Cleaned { path, is_other })
}

/// The nearest name that can be kept.
fn mended(part: &str) -> String {
    let keeps = |text: &str| WorkspacePath::parse_file(text).is_ok();
    let sign = |c: char| match c.is_alphanumeric() || keeps(&format!("x{c}x")) {
        true => c,
        false => '_',
    };
    let mut text: String = part.chars().map(sign).collect();
    if text.ends_with(['.', ' ']) {
        text.pop();
        text.push('_');
    }
    if text.starts_with(' ') {
        text.replace_range(..1, "_");
    }
    if !keeps(&text) {
        text = text.replace(['%', '~'], "_");
    }
    match keeps(&text) {
        true => text,
        // What Windows keeps for its devices.
        false => format!("_{text}"),
    }
}

/// A time as DOS wrote it, in milliseconds since the Unix epoch; 0 if it is none. The zone
/// is not told: UTC is as good as any.
pub fn dos_time(date: u64, time: u64) -> u64 {
    let (year, month, day) = (1980 + (date >> 9), (date >> 5) & 0xf, date & 0x1f);
    if !(1..=12).contains(&month) || day == 0 {
        return 0;
    }
    let seconds = (time >> 11) * 3_600 + ((time >> 5) & 0x3f) * 60 + (time & 0x1f) * 2;
    (days_before(year, month) + day - 1) * 86_400_000 + seconds * 1_000
}

/// The same the other way, date and time; the first day DOS knew for what is before it.
pub fn to_dos_time(ms: u64) -> (u16, u16) {
    let (days, seconds) = (ms / 86_400_000, ms / 1_000 % 86_400);
    let mut year = 1970 + days / 366;
    while days_before(year + 1, 1) <= days {
        year += 1;
    }
    let month = (1..=12).rev().find(|m| days_before(year, *m) <= days);
    let month = month.unwrap_or(1);
    if !(1980..=2107).contains(&year) {
        return (0x21, 0);
    }
    let day = days - days_before(year, month) + 1;
    let date = ((year - 1980) << 9) | (month << 5) | day;
    let time = ((seconds / 3_600) << 11) | ((seconds / 60 % 60) << 5) | (seconds % 60 / 2);
    (date as u16, time as u16)
}

/// Days from the Unix epoch to the first of a month (the civil calendar, counted from March).
fn days_before(year: u64, month: u64) -> u64 {
    let (y, m) = match month {
        0..=2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::archive::MemorySource;

    fn check(name: &str, expected: Result<(&str, bool), NameFlaw>) {
        let cleaned = clean(name);
        let told = cleaned
            .as_ref()
            .map(|cleaned| (cleaned.path.as_str(), cleaned.is_other));
        assert_eq!(told, expected.as_ref().copied(), "{name:?}");
    }

    #[test]
    fn names_of_other_systems_become_paths_or_are_refused() {
        check("a/b.txt", Ok(("a/b.txt", false)));
        check("./a//b/", Ok(("a/b", false)));
        check("a\\b.txt", Ok(("a/b.txt", false)));
        check("/etc/passwd", Ok(("etc/passwd", true)));
        check("C:\\Users\\x", Ok(("C_/Users/x", true)));
        check("CON", Ok(("_CON", true)));
        check("a/aux.md", Ok(("a/_aux.md", true)));
        check("dot.", Ok(("dot_", true)));
        check(" lead", Ok(("_lead", true)));
        check("what?.md", Ok(("what_.md", true)));
        check("a\0b", Ok(("a_b", true)));
        check("a\nb", Ok(("a_b", true)));
        check("a\u{202e}b", Ok(("a_b", true)));
        check("a%2e%2e%2fb", Ok(("a_2e_2e_2fb", true)));
        check("~/x", Ok(("_/x", true)));
        check("会议/é.md", Ok(("会议/é.md", false)));
        for name in ["..", "../x", "a/../../b", "a\\..\\b", "/.."] {
            check(name, Err(NameFlaw::Outside));
        }
        check(&"x".repeat(256), Err(NameFlaw::TooLong));
        check(&"x/".repeat(600), Err(NameFlaw::TooLong));
        check("", Err(NameFlaw::Bad));
        check("/", Err(NameFlaw::Bad));
    }

    #[test]
    fn old_names_are_read_in_the_code_page_zip_began_with() {
        let name = |bytes: &[u8], is_utf8| RawName {
            bytes: bytes.to_vec(),
            is_utf8,
        };
        let names = [
            name("é".as_bytes(), false),
            name(b"caf\x82", false),
            name(b"\xff\xfe", true),
        ];
        let texts = decode(&names, &MemorySource(Vec::new()));
        assert_eq!(texts, ["é", "café", "\u{fffd}\u{fffd}"]);
        assert_eq!(CP437.chars().count(), 128);
    }

    #[test]
    fn times_go_to_dos_and_back() {
        for ms in [
            315_532_800_000,
            951_782_400_000,
            1_735_689_598_000,
            4_102_444_800_000,
        ] {
            let (date, time) = to_dos_time(ms);
            assert_eq!(dos_time(date.into(), time.into()), ms);
        }
        assert_eq!(to_dos_time(0), (0x21, 0));
        assert_eq!(dos_time(0, 0), 0);
    }
}
