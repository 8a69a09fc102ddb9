//! Numbers as text: digits as they are where they end, fifteen where they do not.

use num_bigint::{BigInt, Sign};

use super::number::{Number, Ratio, parts_of};

/// Digits of a number that is not exact.
const DIGITS: i64 = 15;
/// Most digits behind the point of an exact number that are all shown.
const MAX_DECIMALS: u64 = 60;
/// Most digits of each part of a fraction that is shown as one.
const MAX_FRACTION: usize = 25;
/// Most digits of a whole number that are all shown, and how many of a longer one.
const MAX_DIGITS: usize = 6_000;
const ENDS: usize = 60;

/// The number, and whether it is all of it.
pub(super) fn show(number: &Number) -> String {
    match number {
        Number::Near(0.0) => "≈ 0".into(),
        Number::Near(value) => {
            let (num, den) = parts_of(*value);
            format!("≈ {}{}", sign(*value < 0.0), significant(&num, &den))
        }
        Number::Exact(exact) if exact.is_whole() => whole(&exact.num),
        Number::Exact(exact) => fraction(exact),
    }
}

fn sign(negative: bool) -> &'static str {
    if negative { "-" } else { "" }
}

fn whole(n: &BigInt) -> String {
    let text = n.to_string();
    let digits = text.trim_start_matches('-').len();
    if digits <= MAX_DIGITS {
        return text;
    }
    let (head, tail) = (&text[..ENDS], &text[text.len() - ENDS..]);
    format!("{head}…{tail} ({digits} digits; computed exactly, the middle is left out)")
}

fn fraction(exact: &Ratio) -> String {
    let negative = sign(exact.num.sign() == Sign::Minus);
    let num = BigInt::from(exact.num.magnitude().clone());
    if let Some(decimals) = decimals(&exact.den) {
        let digits = (num * BigInt::from(10).pow(decimals as u32) / &exact.den).to_string();
        return format!("{negative}{}", placed(&digits, decimals as i64));
    }
    let rounded = significant(&num, &exact.den);
    let (above, below) = (num.to_string(), exact.den.to_string());
    if above.len().max(below.len()) > MAX_FRACTION {
        return format!("≈ {negative}{rounded}");
    }
    format!("{negative}{above}/{below} ≈ {negative}{rounded}")
}

/// How many digits a fraction over `den` has behind the point, if they end soon.
fn decimals(den: &BigInt) -> Option<u64> {
    let twos = den.trailing_zeros().unwrap_or_default();
    let mut left = den >> twos;
    let mut fives = 0;
    while left.bits() > 1 && fives <= MAX_DECIMALS {
        let fifth = &left / 5;
        if &fifth * 5 != left {
            return None;
        }
        left = fifth;
        fives += 1;
    }
    Some(twos.max(fives)).filter(|decimals| *decimals <= MAX_DECIMALS)
}

/// A positive fraction to fifteen digits, without zeros at its end.
fn significant(num: &BigInt, den: &BigInt) -> String {
    // Its power of ten, from its power of two; a try or two tell it for certain.
    let twos = num.bits() as i64 - den.bits() as i64;
    let mut exponent = twos * 30_103 / 100_000 - 1;
    loop {
        let digits = rounded(num, den, DIGITS - 1 - exponent).to_string();
        if digits.len() as i64 > DIGITS {
            exponent += 1;
            continue;
        }
        let kept = digits.trim_end_matches('0');
        return match exponent {
            -7..=20 => {
                let all = placed(&digits, DIGITS - 1 - exponent);
                match all.contains('.') {
                    true => all.trim_end_matches('0').trim_end_matches('.').to_owned(),
                    false => all,
                }
            }
            _ if kept.len() == 1 => format!("{kept}e{exponent}"),
            _ => format!("{}.{}e{exponent}", &kept[..1], &kept[1..]),
        };
    }
}

/// `num / den · 10^places`, to the nearest whole number.
fn rounded(num: &BigInt, den: &BigInt, places: i64) -> BigInt {
    let ten = BigInt::from(10).pow(places.unsigned_abs() as u32);
    match places {
        0.. => (num * ten * 2 + den) / (den * 2),
        _ => {
            let den = den * ten;
            (num * 2 + &den) / (den * 2)
        }
    }
}

/// Digits with a point `places` before their end.
fn placed(digits: &str, places: i64) -> String {
    let Ok(places) = usize::try_from(places) else {
        return format!("{digits}{}", "0".repeat(places.unsigned_abs() as usize));
    };
    if places == 0 {
        return digits.to_owned();
    }
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, behind) = padded.split_at(padded.len() - places);
    format!("{whole}.{behind}")
}
