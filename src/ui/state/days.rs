//! Which group of the list a session stands in.

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// How long ago a day is, as far as the list tells days apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Day {
    /// Since the last midnight.
    Today,
    /// The day before.
    Yesterday,
    /// One of the five before those.
    Week,
    /// Any day before that.
    Earlier,
}

/// The day of `at_ms` seen from `now_ms`, both since the Unix epoch, for a clock
/// that is `offset_min` minutes behind UTC (as browsers count it).
pub fn day_of(at_ms: u64, now_ms: u64, offset_min: i32) -> Day {
    let number = |ms: u64| {
        let local = ms as i64 - i64::from(offset_min) * 60_000;
        local.div_euclid(DAY_MS)
    };
    match number(now_ms) - number(at_ms) {
        ..=0 => Day::Today,
        1 => Day::Yesterday,
        2..=6 => Day::Week,
        _ => Day::Earlier,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_change_at_the_midnight_of_the_place() {
        let hour = 60 * 60 * 1000;
        let noon = 10 * DAY_MS as u64 + 12 * hour;
        let check =
            |at: u64, offset, day| assert_eq!(day_of(at, noon, offset), day, "{at} {offset}");
        check(noon, 0, Day::Today);
        check(noon + hour, 0, Day::Today);
        check(noon - 12 * hour, 0, Day::Today);
        check(noon - 13 * hour, 0, Day::Yesterday);
        check(noon - 37 * hour, 0, Day::Week);
        check(noon - 6 * 24 * hour, 0, Day::Week);
        check(noon - 7 * 24 * hour, 0, Day::Earlier);
        // Eight hours ahead of UTC it is 20:00, so midnight was 20 hours ago.
        check(noon - 19 * hour, -480, Day::Today);
        check(noon - 21 * hour, -480, Day::Yesterday);
    }
}
