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

/// `n` in units of `unit`, with one place behind the point below ten.
fn in_units(n: u64, unit: u64) -> String {
    let tenths = n.saturating_mul(10).saturating_add(unit / 2) / unit;
    match (tenths, tenths % 10) {
        (..100, 1..) => format!("{}.{}", tenths / 10, tenths % 10),
        (..100, 0) => (tenths / 10).to_string(),
        _ => ((n + unit / 2) / unit).to_string(),
    }
}

/// `1234567` as `1.2M`, for places with little room.
pub fn short_number(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{}k", in_units(n, 1_000)),
        _ => format!("{}M", in_units(n, 1_000_000)),
    }
}

/// Bytes in the largest unit that fits.
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..999_500 => format!("{} KB", in_units(n, 1_000)),
        999_500..999_500_000 => format!("{} MB", in_units(n, 1_000_000)),
        _ => format!("{} GB", in_units(n, 1_000_000_000)),
    }
}

/// Millionths of a dollar as dollars and cents.
pub fn money(micros: u64) -> String {
    match micros {
        1..5_000 => "< $0.01".to_owned(),
        _ => {
            let cents = micros.saturating_add(5_000) / 10_000;
            format!("${}.{:02}", number(cents / 100), cents % 100)
        }
    }
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
        100..9_950 => {
            let tenths = (ms + 50) / 100;
            format!("{}.{} {unit_s}", tenths / 10, tenths % 10)
        }
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

/// The time of day on a clock that is `offset_min` minutes behind UTC.
pub fn time_of_day(ms: u64, offset_min: i32) -> String {
    let local = ms.saturating_add_signed(-i64::from(offset_min) * 60_000);
    let seconds = local / 1_000 % 86_400;
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
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
            ["0 B", "999 B", "1 KB", "1.3 KB", "84 KB", "999 KB", "21 MB"]
        );
    }

    #[test]
    fn money_is_dollars_and_cents() {
        let amounts = [0, 4_999, 5_000, 123_456, 1_999_999, 1_234_500_000].map(money);
        assert_eq!(
            amounts,
            ["$0.00", "< $0.01", "$0.01", "$0.12", "$2.00", "$1,234.50"]
        );
    }

    #[test]
    fn the_time_of_day_is_the_user_s() {
        // 2026-11-30 00:05:09 UTC.
        let at = |offset| time_of_day(1_795_997_109_000, offset);
        assert_eq!([0, -480, 300].map(at), ["00:05:09", "08:05:09", "19:05:09"]);
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
