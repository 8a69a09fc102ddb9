//! How hard a new passphrase is to guess, roughly. Looked at while it is typed; only
//! what comes of it is kept.

use crate::kernel::vault::Passphrase;

/// What is said about a passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Nothing was typed yet.
    Empty,
    /// It lacks so many characters.
    Short(usize),
    /// Guessed by trying what people like to take.
    Weak,
    /// Good enough where nobody tries hard.
    Fair,
    /// Out of reach of trying.
    Strong,
}

/// What is looked at beside its strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// See [`Strength`].
    pub strength: Strength,
    /// Whether it begins or ends with a space, which is easily overlooked.
    pub has_outer_space: bool,
}

/// Bits below which a passphrase is weak, and from which it is strong: the one a machine
/// tries through in hours, the other not in a life, at the cost that each try has here.
const FAIR_BITS: usize = 45;
const STRONG_BITS: usize = 65;

/// Parts that are tried first. Each counts as little as one word can.
const FAVOURITES: [&str; 16] = [
    "password", "passwort", "passw0rd", "p@ssw0rd", "qwerty", "asdfgh", "qazwsx", "iloveyou",
    "letmein", "welcome", "dragon", "monkey", "admin", "secret", "tabloop", "woaini",
];
const FAVOURITE_BITS: usize = 6;

/// Looks at what was typed.
pub fn look_at(typed: &str) -> Look {
    Look {
        strength: strength(typed),
        has_outer_space: typed != typed.trim(),
    }
}

fn strength(typed: &str) -> Strength {
    let count = typed.chars().count();
    match bits(typed) {
        _ if count == 0 => Strength::Empty,
        _ if count < Passphrase::MIN_CHARS => Strength::Short(Passphrase::MIN_CHARS - count),
        ..FAIR_BITS => Strength::Weak,
        FAIR_BITS..STRONG_BITS => Strength::Fair,
        _ => Strength::Strong,
    }
}

/// As many as its characters are worth: what goes on as it began (a run of one letter, of
/// the alphabet, of digits) is worth next to nothing, and so is what was there before.
fn bits(typed: &str) -> usize {
    let mut rest = typed.to_lowercase();
    let mut bits = 0;
    for favourite in FAVOURITES {
        let found = rest.matches(favourite).count();
        bits += found * FAVOURITE_BITS;
        rest = rest.replace(favourite, "");
    }
    let worth = worth_of_one(&rest, typed);
    let mut seen: Vec<char> = Vec::new();
    let mut last = None;
    for c in rest.chars() {
        let goes_on = last.is_some_and(|last| u32::from(c).abs_diff(last) <= 1);
        let times = seen.iter().filter(|each| **each == c).count();
        bits += match times {
            _ if goes_on => 1,
            0 | 1 => worth,
            2 => worth / 2,
            _ => 1,
        };
        seen.push(c);
        last = Some(u32::from(c));
    }
    bits
}

/// What one character is worth: the more kinds there are, the more it could have been.
/// Words are no chance letters, so letters alone count as less.
fn worth_of_one(rest: &str, typed: &str) -> usize {
    let has = |is: fn(char) -> bool| rest.chars().any(is);
    // Letters of other scripts are many; of Chinese ones a few thousand are in use.
    if has(|c| c as u32 >= 0x2e80) {
        return 9;
    }
    let has_capital_within = typed.chars().skip(1).any(char::is_uppercase);
    let kinds = [
        has(char::is_alphabetic),
        has(|c| c.is_numeric()),
        has(|c| !c.is_alphanumeric()),
        has_capital_within,
    ];
    2 + kinds.into_iter().filter(|is| *is).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_like_is_weak_and_what_is_long_and_mixed_is_strong() {
        let check = |typed: &str, expected| {
            assert_eq!(strength(typed), expected, "{typed:?}: {} bits", bits(typed));
        };
        check("", Strength::Empty);
        check("seven77", Strength::Short(1));
        check("短", Strength::Short(7));
        for weak in [
            "password",
            "Password1",
            "passwordpassword123",
            "12345678",
            "aaaaaaaaaaaaaaaaaaaaaaaa",
            "abcdefghijklmnop",
            "qwerty123456",
            "        ",
            "sunshine",
            "ababababababababab",
            "19841984",
            "woaini1314",
        ] {
            check(weak, Strength::Weak);
        }
        check("sunshine-rain", Strength::Fair);
        check("Tr7kq-Lm2", Strength::Fair);
        check("correct horse battery staple", Strength::Strong);
        check("Tr7kq-Lm2xW9v", Strength::Strong);
        check("蓝色的大象在屋顶唱歌", Strength::Strong);
    }

    #[test]
    fn a_space_outside_is_seen_and_counts() {
        assert!(look_at("eight ch ").has_outer_space);
        assert!(look_at(" eight ch").has_outer_space);
        assert!(!look_at("eight ch").has_outer_space);
        assert_eq!(look_at("seven77 ").strength, Strength::Weak);
    }
}
