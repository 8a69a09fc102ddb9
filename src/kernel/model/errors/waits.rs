//! How long a host asks to wait.

/// The wait that a `Retry-After` header asks for, milliseconds; dates are not read.
pub fn wait_of_header(value: &str) -> Option<u64> {
    let (seconds, _) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    Some(seconds.parse::<u64>().ok()?.saturating_mul(1_000))
}

/// The wait that a message asks for, as in "Please try again in 1.5s" or "in 20 seconds".
pub(super) fn wait_of_text(text: &str) -> Option<u64> {
    const BEFORE: [&str; 8] = [
        "try again in ",
        "try again after ",
        "retry in ",
        "retry after ",
        "retry_after\":",
        "retrydelay\":",
        "please wait ",
        "reset after ",
    ];
    let text = text.to_ascii_lowercase();
    BEFORE.iter().find_map(|before| {
        let (_, rest) = text.split_once(before)?;
        duration(rest.trim_start_matches(['"', ' ', '~']))
    })
}

/// A duration at the start of a text, in any writing: `1h2m3.5s`, `250ms`, `2 minutes`,
/// `20` for seconds.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: Option<u64> = None;
    loop {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
        let (number, behind) = rest.split_at(end);
        let Some(thousandths) = thousandths(number) else {
            return total;
        };
        let unit = behind.trim_start();
        let end = unit
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(unit.len());
        let per_unit_ms = match &unit[..end] {
            "ms" | "millisecond" | "milliseconds" => 1,
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1_000,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
            "h" | "hour" | "hours" => 3_600_000,
            "d" | "day" | "days" => 86_400_000,
            // "in 3 attempts" is no time.
            _ => return total,
        };
        let ms = thousandths.saturating_mul(per_unit_ms) / 1_000;
        total = Some(total.unwrap_or_default().saturating_add(ms));
        rest = &unit[end..];
        // "1m30s" goes on at once, "2 minutes 5 seconds" does not matter.
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return total;
        }
    }
}

fn thousandths(number: &str) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut value = u64::from(whole.parse::<u32>().ok()?);
    let mut digits = fraction.bytes().filter(u8::is_ascii_digit);
    for _ in 0..3 {
        let digit = digits.next().map_or(0, |digit| u64::from(digit - b'0'));
        value = value * 10 + digit;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_as_hosts_write_them() {
        assert_eq!(wait_of_header(" 20 "), Some(20_000));
        assert_eq!(wait_of_header("1.5"), Some(1_000));
        assert_eq!(wait_of_header("Wed, 21 Oct 2026 07:28:00 GMT"), None);
        for (text, wait) in [
            (
                "Rate limit reached. Please try again in 1.5s. Visit",
                Some(1_500),
            ),
            ("Please try again in 250ms", Some(250)),
            ("try again in 1m30.25s.", Some(90_250)),
            ("try again in 6m0s", Some(360_000)),
            ("retry after 2 minutes", Some(120_000)),
            ("Please retry in 20 seconds", Some(20_000)),
            ("Please retry in 32.5s.", Some(32_500)),
            ("\"retryDelay\": \"33s\"", Some(33_000)),
            ("Please retry after 7 ", Some(7_000)),
            ("try again in a while", None),
            ("please wait 2 turns", None),
            ("slow down", None),
        ] {
            assert_eq!(wait_of_text(text), wait, "{text}");
        }
    }
}
