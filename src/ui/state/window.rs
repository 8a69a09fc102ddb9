//! Which rows of a long list are drawn: those in view and some around them.

use std::ops::Range;

/// Rows beyond either edge that are drawn too, so that scrolling shows no gap.
const AROUND: usize = 12;
/// How much is taken to be in view as long as that is not known, in pixels.
const UNKNOWN: i32 = 640;

/// What of a list is in view, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct View {
    /// How far it is scrolled.
    pub top: i32,
    /// How much of it is seen; 0: that is not known.
    pub height: i32,
}

/// The rows to draw of `count`, each `row` pixels high.
pub fn window(view: View, row: i32, count: usize) -> Range<usize> {
    let row = row.max(1);
    let height = match view.height {
        0 => UNKNOWN,
        height => height,
    };
    let first = usize::try_from(view.top / row).unwrap_or(0);
    let seen = usize::try_from(height / row + 2).unwrap_or(0);
    // What is scrolled to may have gone from the list since.
    let first = first.min(count.saturating_sub(seen));
    first.saturating_sub(AROUND)..first.saturating_add(seen + AROUND).min(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_view_and_some_around_it_is_drawn() {
        let check = |top, height, count, expected: Range<usize>| {
            assert_eq!(window(View { top, height }, 28, count), expected);
        };
        check(0, 280, 20_000, 0..24);
        check(28 * 1_000, 280, 20_000, 988..1_024);
        check(28 * 19_990, 280, 20_000, 19_976..20_000);
        // The list got shorter while it was scrolled far down.
        check(28 * 19_990, 280, 5, 0..5);
        check(0, 280, 0, 0..0);
        // Not laid out yet.
        check(0, 0, 20_000, 0..36);
        check(-40, 280, 100, 0..24);
    }
}
