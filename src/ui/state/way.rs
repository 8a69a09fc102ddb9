//! How the next task of a session is worked on, and the form in which the tab
//! keeps that.

use crate::kernel::session::Mode;
use crate::kernel::settings::MAX_ROUND_LIMIT;

/// How a task is worked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WayOfWork {
    /// The mode.
    pub mode: Mode,
    /// Rounds the task may take; `None`: as many as the settings say.
    pub rounds: Option<u32>,
}

/// The modes and their names.
pub const MODES: [(Mode, &str); 3] = [
    (Mode::Act, "act"),
    (Mode::Plan, "plan"),
    (Mode::Reflect, "reflect"),
];

impl WayOfWork {
    /// The mode's name.
    pub fn mode_key(self) -> &'static str {
        let known = MODES.iter().find(|(mode, _)| *mode == self.mode);
        known.map_or("", |(_, name)| name)
    }

    /// Reads what [`WayOfWork::kept`] gave; the usual way if it is nothing of the kind.
    pub fn of(kept: &str) -> Self {
        let (mode, rounds) = kept.split_once(' ').unwrap_or_default();
        Self {
            mode: mode_of(mode),
            rounds: parse_rounds(rounds).flatten(),
        }
    }

    /// As text; `None` for the usual way.
    pub fn kept(self) -> Option<String> {
        let rounds = self.rounds.map_or_else(String::new, |n| n.to_string());
        (self != Self::default()).then(|| format!("{} {rounds}", self.mode_key()))
    }
}

/// The mode that has this name.
pub fn mode_of(name: &str) -> Mode {
    let known = MODES.iter().find(|(_, other)| *other == name);
    known.map_or(Mode::Act, |(mode, _)| *mode)
}

/// Reads a number of rounds, or that none is given. `None`: it is neither, or out of range.
pub fn parse_rounds(given: &str) -> Option<Option<u32>> {
    match given.trim() {
        "" => Some(None),
        given => match given.parse() {
            Ok(rounds @ 1..=MAX_ROUND_LIMIT) => Some(Some(rounds)),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_of_work_is_kept_as_text() {
        for (mode, _) in MODES {
            for rounds in [None, Some(40)] {
                let way = WayOfWork { mode, rounds };
                assert_eq!(WayOfWork::of(&way.kept().unwrap_or_default()), way);
            }
        }
        assert_eq!(WayOfWork::of("dance 900"), WayOfWork::default());
    }

    #[test]
    fn rounds_are_a_number_from_1_to_500_or_nothing() {
        assert_eq!(
            [" ", "1", " 500 ", "0", "501", "-3", "ten"].map(parse_rounds),
            [
                Some(None),
                Some(Some(1)),
                Some(Some(500)),
                None,
                None,
                None,
                None
            ]
        );
    }
}
