//! Sizes, counts and times as people read them.

use super::Language;

/// `1234567` as `1,234,567`.
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1234567` as `1.2M`, for places with little room.
pub fn short_number(n: u64) -> String {
    let scaled = |unit: f64| {
        let value = n as f64 / unit;
        let text = if value < 10.0 {
            format!("{value:.1}")
        } else {
            format!("{value:.0}")
        };
        text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
    };
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{}k", scaled(1e3)),
        _ => format!("{}M", scaled(1e6)),
    }
}

/// Bytes in the largest unit that fits.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 3] = ["KB", "MB", "GB"];
    if n < 1_000 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1_000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let text = if value < 9.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    };
    let text = text.strip_suffix(".0").unwrap_or(&text);
    format!("{text} {}", UNITS[unit])
}

/// A time that something took.
pub fn duration(language: Language, ms: u64) -> String {
    let (unit_ms, unit_s, unit_min) = match language {
        Language::English => ("ms", "s", "min"),
        Language::Chinese => ("毫秒", "秒", "分"),
    };
    match ms {
        0 => format!("< 1 {unit_ms}"),
        1..100 => format!("{ms} {unit_ms}"),
        100..9_950 => format!("{:.1} {unit_s}", ms as f64 / 1e3),
        9_950..60_000 => format!("{} {unit_s}", (ms + 500) / 1_000),
        _ => {
            let seconds = (ms + 500) / 1_000;
            format!("{} {unit_min} {} {unit_s}", seconds / 60, seconds % 60)
        }
    }
}

/// The seconds that something already takes.
pub fn seconds(language: Language, seconds: u64) -> String {
    match language {
        Language::English => format!("{seconds} s"),
        Language::Chinese => format!("{seconds} 秒"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_or_short() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(number),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [12, 1_000, 1_240, 45_300, 2_000_000].map(short_number),
            ["12", "1k", "1.2k", "45k", "2M"]
        );
    }

    #[test]
    fn sizes_have_a_fitting_unit() {
        let sizes = [0, 999, 1_000, 1_250, 84_000, 999_499, 20_971_520].map(bytes);
        assert_eq!(
            sizes,
            ["0 B", "999 B", "1 KB", "1.2 KB", "84 KB", "999 KB", "21 MB"]
        );
    }

    #[test]
    fn times_have_a_fitting_unit() {
        let english = |ms| duration(Language::English, ms);
        assert_eq!(
            [0, 12, 100, 2_140, 9_960, 59_000, 65_000].map(english),
            [
                "< 1 ms",
                "12 ms",
                "0.1 s",
                "2.1 s",
                "10 s",
                "59 s",
                "1 min 5 s"
            ]
        );
        assert_eq!(duration(Language::Chinese, 2_140), "2.1 秒");
    }
}
