//! Numbers with a fixed count of places behind the point, as people type and read
//! them. Whole numbers throughout: money is never a fraction in memory.

/// Reads `12.5` as 1250 with two places; a dollar sign and spaces around it are
/// fine. `None`: not a number, more places than there are, or too large.
pub fn parse(typed: &str, places: usize) -> Option<u32> {
    let typed = typed.trim().trim_start_matches('$').trim_start();
    let (whole, part) = typed.split_once('.').unwrap_or((typed, ""));
    let part = part.trim_end_matches('0');
    if part.len() > places || whole.is_empty() && part.is_empty() {
        return None;
    }
    let missing = places - part.len();
    let mut value = 0_u32;
    for digit in whole.bytes().chain(part.bytes()) {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value
            .checked_mul(10)?
            .checked_add(u32::from(digit - b'0'))?;
    }
    value.checked_mul(10_u32.checked_pow(missing as u32)?)
}

/// Writes 1250 with two places as `12.50`; zeros behind the first `least` places are left out.
pub fn show(value: u64, places: usize, least: usize) -> String {
    let mut text = value.to_string();
    if places == 0 {
        return text;
    }
    while text.len() <= places {
        text.insert(0, '0');
    }
    text.insert(text.len() - places, '.');
    let shortest = text.len() - places + least.min(places);
    while text.len() > shortest && text.ends_with('0') {
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_type_them() {
        let money = |typed| parse(typed, 2);
        assert_eq!(money("12.5"), Some(1_250));
        assert_eq!(money(" $5 "), Some(500));
        assert_eq!(money("0"), Some(0));
        assert_eq!(money(".75"), Some(75));
        assert_eq!(money("3."), Some(300));
        assert_eq!(money("1.2300"), Some(123));
        assert_eq!(parse("0.075", 4), Some(750));
        assert_eq!(parse("24", 0), Some(24));
    }

    #[test]
    fn what_is_no_such_number_is_told() {
        for typed in ["", ".", "1,5", "-1", "1.2.3", "1.234", "1e3", "five", "１"] {
            assert_eq!(parse(typed, 2), None, "{typed:?}");
        }
        assert_eq!(parse("1.5", 0), None);
        assert_eq!(parse("4294967295", 0), Some(u32::MAX));
        assert_eq!(parse("4294967296", 0), None);
        assert_eq!(parse("42949673", 2), None);
    }

    #[test]
    fn numbers_are_shown_with_the_places_they_need() {
        assert_eq!(show(500, 2, 2), "5.00");
        assert_eq!(show(7, 2, 2), "0.07");
        assert_eq!(show(25_000, 4, 2), "2.50");
        assert_eq!(show(750, 4, 2), "0.075");
        assert_eq!(show(1, 4, 2), "0.0001");
        assert_eq!(show(120, 0, 0), "120");
        assert_eq!(show(1_230_000, 6, 2), "1.23");
        assert_eq!(show(2_000, 3, 0), "2");
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for value in [0, 1, 10, 99, 12_345, 100_000_000] {
            for places in [0, 2, 4] {
                assert_eq!(parse(&show(value, places, 2), places), Some(value as u32));
            }
        }
    }
}
