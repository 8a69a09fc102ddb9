//! What the tools share about text: sizes, counts, binaries, the cap on results.

/// Most bytes of a result that reach the model.
pub const MAX_RESULT: usize = 16 << 10;

/// Cuts the middle out of a text that is longer than `cap` bytes, and says how much
/// is gone and how the whole comes back; `None` if it is short enough. The text is
/// that of the record `seq`.
pub fn cap_result(text: &str, cap: usize, seq: u64) -> Option<String> {
    if text.len() <= cap {
        return None;
    }
    let tail = cap / 4;
    let head = floor_boundary(text, cap - tail);
    let tail = ceil_boundary(text, text.len() - tail);
    let cut = size(tail - head);
    let whole = size(text.len());
    Some(format!(
        "{}\n[… {cut} of {whole} left out here; recall with the id \"r{seq}\" brings the whole …]\n{}",
        &text[..head],
        &text[tail..]
    ))
}

/// The last place at or before `at` where a character begins.
pub fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

fn ceil_boundary(text: &str, at: usize) -> usize {
    (at..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

/// A size as people read it: `340 bytes`, `1.2 KB`, `20 MB`.
pub(super) fn size(bytes: usize) -> String {
    // In whole numbers: the browser's build then needs no code that prints fractions.
    let scaled = |unit: usize, name: &str| {
        let tenths = (bytes * 10 + unit / 2) / unit;
        match tenths {
            0..100 => format!("{}.{} {name}", tenths / 10, tenths % 10),
            _ => format!("{} {name}", (tenths + 5) / 10),
        }
    };
    match bytes {
        1 => "1 byte".into(),
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => scaled(1024, "KB"),
        _ => scaled(1_048_576, "MB"),
    }
}

/// `1 line`, `12 lines`.
pub(super) fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// How many lines a text has; a last line need not be ended.
pub(super) fn line_count(text: &str) -> usize {
    text.lines().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_result_keeps_head_and_tail() {
        let short = "x".repeat(MAX_RESULT);
        assert_eq!(cap_result(&short, MAX_RESULT, 7), None);
        let long = format!("head{}tail", "早".repeat(20_000));
        let capped = cap_result(&long, MAX_RESULT, 7).unwrap();
        assert!(capped.len() < MAX_RESULT + 200, "{}", capped.len());
        assert!(capped.starts_with("head早") && capped.ends_with("早tail"));
        let told = "KB of 59 KB left out here; recall with the id \"r7\" brings the whole";
        assert!(capped.contains(told), "{capped}");
    }

    #[test]
    fn sizes_read_well() {
        let sizes = [1, 340, 1229, 20 << 10, 20 << 20].map(size);
        assert_eq!(sizes, ["1 byte", "340 bytes", "1.2 KB", "20 KB", "20 MB"]);
    }
}
