//! What has a name: functions and constants.

use std::cmp::Ordering;
use std::f64::consts::{E, PI, TAU};

use num_bigint::{BigInt, Sign};

use super::number::{Answer, Number, gcd, ln, whole_of};

/// Largest number that is multiplied up: its factorial has 77,000 digits.
const MAX_FACTORIAL: u32 = 20_000;
/// Most digits behind the point that something is rounded to.
const MAX_PLACES: u32 = 1_000;
/// A sine or cosine below this is zero but for the digits that π lacks.
const NOTHING: f64 = 1e-15;
const NAMES: &str = "abs, sign, floor, ceil, trunc, round(x, digits), sqrt, cbrt, root(x, n), pow, exp, ln, log10, log2, log(x, base), sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, degrees, radians, hypot, min, max, sum, product, mean, median, stdev, gcd, lcm, mod, factorial, comb, perm, and the constants pi, e, tau";

/// A constant's value.
pub(super) fn constant(name: &str) -> Option<Number> {
    match name {
        "pi" | "π" => Some(Number::Near(PI)),
        "e" => Some(Number::Near(E)),
        "tau" | "τ" => Some(Number::Near(TAU)),
        _ => None,
    }
}

/// What is said of a name that means nothing.
pub(super) fn unknown(name: &str) -> String {
    let name: String = name.chars().take(40).collect();
    format!("{name:?} is not known; there are {NAMES}")
}

/// Calls a function.
pub(super) fn call(name: &str, arguments: &[Number]) -> Answer<Number> {
    match arguments {
        [x] => match of_one(name, x) {
            Some(result) => result,
            None => of_many(name, arguments),
        },
        [x, y] => match of_two(name, x, y) {
            Some(result) => result,
            None => of_many(name, arguments),
        },
        _ => of_many(name, arguments),
    }
}

fn of_one(name: &str, x: &Number) -> Option<Answer<Number>> {
    // Called each by its name: what is called by a pointer can't be loaded later
    // (scripts/split.mjs).
    let value = x.to_f64();
    Some(match name {
        "abs" if x.is_negative() => Ok(x.clone().negated()),
        "abs" => Ok(x.clone()),
        "sign" => Ok(Number::whole(match x.compare(&Number::whole(0)) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })),
        "floor" => x.floor(),
        "ceil" => x.clone().negated().floor().map(Number::negated),
        "trunc" | "int" if x.is_negative() => x.clone().negated().floor().map(Number::negated),
        "trunc" | "int" => x.floor(),
        "round" => round(x, &Number::whole(0)),
        "sqrt" => x.root(2),
        "cbrt" => x.root(3),
        "exp" if x.is_zero() => Ok(Number::whole(1)),
        "exp" => Number::near(value.exp()),
        "ln" => logarithm(x, None),
        "log10" => logarithm(x, Some(&Number::whole(10))),
        "log2" => logarithm(x, Some(&Number::whole(2))),
        "log" => Err("log has two meanings; write ln(x), log10(x) or log(x, base)".into()),
        "sin" => without_dust(value.sin()),
        "cos" => without_dust(value.cos()),
        "tan" => without_dust(value.tan()),
        "asin" => Number::near(value.asin()),
        "acos" => Number::near(value.acos()),
        "atan" => Number::near(value.atan()),
        "sinh" => Number::near(value.sinh()),
        "cosh" => Number::near(value.cosh()),
        "tanh" => Number::near(value.tanh()),
        "degrees" | "deg" => Number::near(value * 180.0 / PI),
        "radians" | "rad" => radians(x),
        "factorial" | "fact" => factorial(x),
        _ => return None,
    })
}

/// What a sine and the like come to, with zero where only π was not π.
fn without_dust(value: f64) -> Answer<Number> {
    Number::near(if value.abs() < NOTHING { 0.0 } else { value })
}

fn of_two(name: &str, x: &Number, y: &Number) -> Option<Answer<Number>> {
    Some(match name {
        "round" => round(x, y),
        "pow" => x.power(y),
        "log" => logarithm(x, Some(y)),
        "mod" => x.modulo(y),
        "atan2" => Number::near(x.to_f64().atan2(y.to_f64())),
        "root" => match whole_below(y, 1_000) {
            Some(n) => x.root(n),
            None => x.power(&match Number::whole(1).over(y) {
                Ok(exponent) => exponent,
                Err(problem) => return Some(Err(problem)),
            }),
        },
        "comb" | "choose" | "ncr" | "binomial" => combinations(x, y),
        "perm" | "npr" => permutations(x, y),
        _ => return None,
    })
}

fn of_many(name: &str, all: &[Number]) -> Answer<Number> {
    let known = NAMES
        .split([',', ' ', '('])
        .any(|known| known == name && !name.is_empty());
    let Some((first, rest)) = all.split_first().filter(|_| known) else {
        return Err(match known {
            true => format!("{name} is given nothing"),
            false => unknown(name),
        });
    };
    let fold = |step: fn(&Number, &Number) -> Answer<Number>| {
        rest.iter()
            .try_fold(first.clone(), |so_far, next| step(&so_far, next))
    };
    match name {
        "min" => fold(|a, b| Ok(if b.compare(a) == Ordering::Less { b } else { a }.clone())),
        "max" => fold(|a, b| {
            Ok(if b.compare(a) == Ordering::Greater {
                b
            } else {
                a
            }
            .clone())
        }),
        "sum" => fold(Number::plus),
        "product" => fold(Number::times),
        "mean" => fold(Number::plus)?.over(&Number::whole(all.len())),
        "median" => median(all),
        "stdev" => deviation(all),
        "hypot" => squares(all)?.root(2),
        "gcd" => fold(|a, b| with_whole(a, b, gcd)),
        "lcm" => fold(|a, b| {
            with_whole(a, b, |a, b| {
                match a.sign() == Sign::NoSign || b.sign() == Sign::NoSign {
                    true => BigInt::from(0),
                    false => &a / gcd(a.clone(), b.clone()) * b,
                }
            })
            .map(|lcm| {
                if lcm.is_negative() {
                    lcm.negated()
                } else {
                    lcm
                }
            })
        }),
        _ => Err(format!(
            "{name} does not take {} numbers; it is one of {NAMES}",
            all.len()
        )),
    }
}

fn with_whole(a: &Number, b: &Number, f: fn(BigInt, BigInt) -> BigInt) -> Answer<Number> {
    match (a.as_whole(), b.as_whole()) {
        // Euclid takes the square of their lengths.
        (Some(a), Some(b)) if a.bits().min(b.bits()) < 1 << 14 => {
            Ok(Number::whole(f(a.clone(), b.clone())))
        }
        (Some(_), Some(_)) => Err("these numbers are too long for it".into()),
        _ => Err("it takes whole numbers only".into()),
    }
}

fn squares(all: &[Number]) -> Answer<Number> {
    all.iter()
        .try_fold(Number::whole(0), |sum, x| sum.plus(&x.times(x)?))
}

fn mean(all: &[Number]) -> Answer<Number> {
    let sum = all
        .iter()
        .try_fold(Number::whole(0), |sum, x| sum.plus(x))?;
    sum.over(&Number::whole(all.len()))
}

fn median(all: &[Number]) -> Answer<Number> {
    let mut sorted = all.to_vec();
    sorted.sort_by(Number::compare);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => Ok(sorted.swap_remove(middle)),
        _ => mean(&sorted[middle - 1..=middle]),
    }
}

/// Of a sample: over one less than there are.
fn deviation(all: &[Number]) -> Answer<Number> {
    if all.len() < 2 {
        return Err("stdev takes two numbers or more".into());
    }
    let mean = mean(all)?;
    let away: Answer<Vec<Number>> = all.iter().map(|x| x.minus(&mean)).collect();
    let variance = squares(&away?)?.over(&Number::whole(all.len() - 1))?;
    variance.root(2)
}

/// To so many digits behind the point, halves away from zero.
fn round(x: &Number, places: &Number) -> Answer<Number> {
    let digits = match places.is_negative() {
        true => whole_below(&places.clone().negated(), MAX_PLACES),
        false => whole_below(places, MAX_PLACES),
    };
    let Some(digits) = digits else {
        return Err(format!(
            "round takes a whole number of digits up to {MAX_PLACES}"
        ));
    };
    // What a double is, as the fraction it is.
    let exact = match x {
        Number::Near(value) if value.fract() == 0.0 => whole_of(*value)?,
        Number::Near(value) => {
            let (num, den) = super::number::parts_of(*value);
            Number::ratio(if *value < 0.0 { -num } else { num }, den)?
        }
        Number::Exact(_) => x.clone(),
    };
    let ten = Number::whole(BigInt::from(10).pow(digits));
    let scale = match places.is_negative() {
        true => Number::whole(1).over(&ten)?,
        false => ten,
    };
    let half = Number::whole(1).over(&Number::whole(2))?;
    let scaled = exact.times(&scale)?;
    let rounded = match scaled.is_negative() {
        true => scaled.negated().plus(&half)?.floor()?.negated(),
        false => scaled.plus(&half)?.floor()?,
    };
    rounded.over(&scale)
}

/// The natural one, or that to a base; exact where the number is a power of the base.
fn logarithm(x: &Number, base: Option<&Number>) -> Answer<Number> {
    let positive = |n: &Number| !n.is_negative() && !n.is_zero();
    if !positive(x) || base.is_some_and(|base| !positive(base)) {
        return Err("only positive numbers have a logarithm".into());
    }
    if x.compare(&Number::whole(1)) == Ordering::Equal {
        return Ok(Number::whole(0));
    }
    let Some(base) = base else {
        return Number::near(ln(x));
    };
    let below = ln(base);
    if below == 0.0 {
        return Err("1 is no base of a logarithm".into());
    }
    let value = ln(x) / below;
    if let (Number::Exact(_), Number::Exact(_)) = (x, base)
        && (value - value.round()).abs() < 1e-9
        && let Ok(whole) = whole_of(value.round())
        && base.power(&whole).is_ok_and(|power| power == *x)
    {
        return Ok(whole);
    }
    Number::near(value)
}

pub(super) fn radians(x: &Number) -> Answer<Number> {
    Number::near(x.to_f64() * PI / 180.0)
}

/// A whole number from 0 to `most`.
fn whole_below(x: &Number, most: u32) -> Option<u32> {
    x.as_whole()
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| *n <= most)
}

pub(super) fn factorial(x: &Number) -> Answer<Number> {
    let Some(n) = whole_below(x, MAX_FACTORIAL) else {
        return Err(format!(
            "factorials are of whole numbers from 0 to {MAX_FACTORIAL}"
        ));
    };
    Ok(Number::whole(product(1, n)))
}

/// Of the whole numbers from one to another, in halves: both sides stay of a length.
fn product(from: u32, to: u32) -> BigInt {
    match to.saturating_sub(from) {
        _ if from > to => BigInt::from(1),
        0..8 => (from..=to).fold(BigInt::from(1), |product, n| product * n),
        _ => {
            let middle = u32::midpoint(from, to);
            product(from, middle) * product(middle + 1, to)
        }
    }
}

fn two_whole(n: &Number, k: &Number) -> Answer<(u32, u32)> {
    let range = MAX_FACTORIAL;
    whole_below(n, range)
        .zip(whole_below(k, range))
        .ok_or_else(|| format!("comb and perm take whole numbers from 0 to {MAX_FACTORIAL}"))
}

fn permutations(n: &Number, k: &Number) -> Answer<Number> {
    match two_whole(n, k)? {
        (n, k) if k > n => Ok(Number::whole(0)),
        (n, k) => Ok(Number::whole(product(n - k + 1, n))),
    }
}

fn combinations(n: &Number, k: &Number) -> Answer<Number> {
    match two_whole(n, k)? {
        (n, k) if k > n => Ok(Number::whole(0)),
        (n, k) => {
            let k = k.min(n - k);
            Ok(Number::whole(product(n - k + 1, n) / product(1, k)))
        }
    }
}
