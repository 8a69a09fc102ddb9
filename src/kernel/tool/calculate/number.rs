//! Numbers that are exact as long as they can be: fractions of whole numbers of any size,
//! and a double where a function leaves no other way (a root, a sine). Every operation has
//! a bound, so that no expression keeps the agent waiting.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Most binary digits of a whole number: about 150,000 decimal ones.
const MAX_BITS: u64 = 1 << 19;
/// Most binary digits above and below a fraction's line, if both are long: reducing it
/// takes the square of them.
const MAX_FRACTION_BITS: u64 = 1 << 13;
/// Binary digits that a rounded power keeps on its way.
const POWER_BITS: u64 = 256;

/// Why there is no number: a piece of a sentence.
pub(super) type Answer<T> = Result<T, String>;

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    /// As it is.
    Exact(Ratio),
    /// To about fifteen digits.
    Near(f64),
}

/// A fraction in its lowest terms, with a positive number below the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ratio {
    pub num: BigInt,
    pub den: BigInt,
}

impl Ratio {
    /// `num / den`, reduced; `None` if both are too long for that. `den` is not zero.
    fn new(num: BigInt, den: BigInt) -> Option<Self> {
        let (num, den) = match den.sign() {
            Sign::Minus => (-num, -den),
            _ => (num, den),
        };
        if is_one(&den) {
            return Some(Self { num, den });
        }
        if num.bits().min(den.bits()) > MAX_FRACTION_BITS {
            return None;
        }
        let divisor = gcd(num.clone(), den.clone());
        let (num, den) = (num / &divisor, den / divisor);
        Some(Self { num, den })
    }

    /// Whether it has no part below the line.
    pub fn is_whole(&self) -> bool {
        is_one(&self.den)
    }

    /// The nearest double; infinite where there is none.
    pub fn to_f64(&self) -> f64 {
        quotient(&self.num, &self.den)
    }
}

impl Number {
    pub fn whole(n: impl Into<BigInt>) -> Self {
        let (num, den) = (n.into(), BigInt::from(1));
        Number::Exact(Ratio { num, den })
    }

    /// A double, if it is a number.
    pub fn near(value: f64) -> Answer<Self> {
        if value.is_nan() {
            Err("the result is not a real number".into())
        } else if value.is_infinite() {
            Err("the result is too large".into())
        } else {
            Ok(Number::Near(value))
        }
    }

    /// `num / den`, exact if it can be.
    pub fn ratio(num: BigInt, den: BigInt) -> Answer<Self> {
        if den.sign() == Sign::NoSign {
            return Err("division by zero".into());
        }
        if num.bits().max(den.bits()) > MAX_BITS {
            return Err(too_large());
        }
        let rounded = quotient(&num, &den);
        match Ratio::new(num, den) {
            Some(exact) => Ok(Number::Exact(exact)),
            None => Number::near(rounded),
        }
    }

    pub fn to_f64(&self) -> f64 {
        match self {
            Number::Exact(exact) => exact.to_f64(),
            Number::Near(value) => *value,
        }
    }

    /// The whole number that it is, if it is one.
    pub fn as_whole(&self) -> Option<&BigInt> {
        match self {
            Number::Exact(exact) if exact.is_whole() => Some(&exact.num),
            _ => None,
        }
    }

    pub fn is_negative(&self) -> bool {
        match self {
            Number::Exact(exact) => exact.num.sign() == Sign::Minus,
            Number::Near(value) => *value < 0.0,
        }
    }

    pub fn is_zero(&self) -> bool {
        match self {
            Number::Exact(exact) => exact.num.sign() == Sign::NoSign,
            Number::Near(value) => *value == 0.0,
        }
    }

    pub fn negated(self) -> Self {
        match self {
            Number::Exact(Ratio { num, den }) => Number::Exact(Ratio { num: -num, den }),
            Number::Near(value) => Number::Near(-value),
        }
    }

    pub fn plus(&self, other: &Self) -> Answer<Self> {
        match (self, other) {
            (Number::Exact(a), Number::Exact(b)) => {
                Number::ratio(&a.num * &b.den + &b.num * &a.den, &a.den * &b.den)
            }
            _ => Number::near(self.to_f64() + other.to_f64()),
        }
    }

    pub fn minus(&self, other: &Self) -> Answer<Self> {
        self.plus(&other.clone().negated())
    }

    pub fn times(&self, other: &Self) -> Answer<Self> {
        match (self, other) {
            (Number::Exact(a), Number::Exact(b)) => Number::ratio(&a.num * &b.num, &a.den * &b.den),
            _ => Number::near(self.to_f64() * other.to_f64()),
        }
    }

    pub fn over(&self, other: &Self) -> Answer<Self> {
        if other.is_zero() {
            return Err("division by zero".into());
        }
        match (self, other) {
            (Number::Exact(a), Number::Exact(b)) => Number::ratio(&a.num * &b.den, &a.den * &b.num),
            _ => Number::near(self.to_f64() / other.to_f64()),
        }
    }

    /// The largest whole number that is not above it.
    pub fn floor(&self) -> Answer<Self> {
        match self {
            Number::Exact(exact) => Ok(Number::whole(floor(&exact.num, &exact.den))),
            Number::Near(value) => whole_of(value.floor()),
        }
    }

    /// What is left of it when `other` is taken out as often as it goes; has `other`'s sign.
    pub fn modulo(&self, other: &Self) -> Answer<Self> {
        let times = self.over(other)?.floor()?;
        self.minus(&other.times(&times)?)
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Number::Exact(a), Number::Exact(b)) => (&a.num * &b.den).cmp(&(&b.num * &a.den)),
            _ => self
                .to_f64()
                .partial_cmp(&other.to_f64())
                .unwrap_or(Ordering::Equal),
        }
    }

    /// Itself `exponent` times by itself.
    pub fn power(&self, exponent: &Self) -> Answer<Self> {
        let (Number::Exact(base), Number::Exact(exact)) = (self, exponent) else {
            return powf(self, exponent);
        };
        if exact.is_whole() {
            return whole_power(base, &exact.num);
        }
        let root = u32::try_from(&exact.den).ok();
        match root.and_then(|root| exact_root(base, root)) {
            Some(root) => whole_power(&root, &exact.num),
            None => powf(self, exponent),
        }
    }

    /// The number whose `n`th power it is: exact, if there is such a fraction.
    pub fn root(&self, n: u32) -> Answer<Self> {
        if n == 0 {
            return Err("there is no 0th root".into());
        }
        let odd = n % 2 == 1;
        if self.is_negative() && !odd {
            return Err("a negative number has no such root".into());
        }
        if let Number::Exact(exact) = self
            && let Some(root) = exact_root(exact, n)
        {
            return Ok(Number::Exact(root));
        }
        let value = self.to_f64();
        let root = match n {
            2 => value.sqrt(),
            3 => value.cbrt(),
            _ => value.abs().powf(1.0 / f64::from(n)).copysign(value),
        };
        Number::near(root)
    }
}

fn too_large() -> String {
    "a number on the way has more than 150,000 digits".into()
}

fn powf(base: &Number, exponent: &Number) -> Answer<Number> {
    if base.is_negative() {
        let problem =
            "a negative number has no real power of this kind; root(x, n) takes an odd root of one";
        return Err(problem.into());
    }
    if base.is_zero() && exponent.is_negative() {
        return Err("division by zero".into());
    }
    Number::near(base.to_f64().powf(exponent.to_f64()))
}

fn whole_power(base: &Ratio, exponent: &BigInt) -> Answer<Number> {
    let negative = exponent.sign() == Sign::Minus;
    if base.num.sign() == Sign::NoSign {
        return match exponent.sign() {
            Sign::Minus => Err("division by zero".into()),
            Sign::NoSign => Ok(Number::whole(1)),
            Sign::Plus => Ok(Number::whole(0)),
        };
    }
    let is_odd = exponent.bit(0);
    let longer = base.num.bits().max(base.den.bits());
    if longer == 1 {
        // One or minus one: however often.
        let minus = is_odd && base.num.sign() == Sign::Minus;
        return Ok(Number::whole(if minus { -1 } else { 1 }));
    }
    let times = u32::try_from(exponent.magnitude()).map_err(|_| too_large())?;
    let bits = longer.saturating_mul(u64::from(times));
    let whole = base.is_whole() && !negative;
    if whole && bits > MAX_BITS {
        return Err(too_large());
    }
    if bits > if whole { MAX_BITS } else { MAX_FRACTION_BITS } {
        return rounded_power(base, times, negative);
    }
    let (num, den) = (base.num.pow(times), base.den.pow(times));
    match negative {
        true => Number::ratio(den, num),
        false => Ok(Number::Exact(Ratio { num, den })),
    }
}

/// A power of a fraction that is too long to be written down: by squaring, with so many
/// digits on the way that those that are told are right.
fn rounded_power(base: &Ratio, times: u32, negative: bool) -> Answer<Number> {
    let (num, den) = match negative {
        true => (&base.den, &base.num),
        false => (&base.num, &base.den),
    };
    let shift = (POWER_BITS + den.bits()).saturating_sub(num.bits());
    // A value is `mantissa · 2^exponent`.
    let mut square = rounded((num << shift) / den, -(shift as i64));
    let mut product = (BigInt::from(1), 0);
    let mut left = times;
    while left > 0 {
        if left % 2 == 1 {
            product = rounded(&product.0 * &square.0, product.1 + square.1);
        }
        square = rounded(&square.0 * &square.0, square.1.saturating_mul(2));
        left /= 2;
    }
    Number::near(scaled(quotient(&product.0, &BigInt::from(1)), product.1))
}

fn rounded(mantissa: BigInt, exponent: i64) -> (BigInt, i64) {
    let spare = mantissa.bits().saturating_sub(POWER_BITS);
    (mantissa >> spare, exponent.saturating_add(spare as i64))
}

/// `value · 2^exponent`, without a step that leaves the range of doubles too soon.
fn scaled(value: f64, exponent: i64) -> f64 {
    let mut left = exponent.clamp(-4000, 4000) as i32;
    let mut value = value;
    while left != 0 && value != 0.0 && value.is_finite() {
        let step = left.clamp(-900, 900);
        value *= 2f64.powi(step);
        left -= step;
    }
    value
}

/// The double nearest to `num / den`, give or take its last digit.
fn quotient(num: &BigInt, den: &BigInt) -> f64 {
    let (above, below) = (num.bits() as i64, den.bits() as i64);
    // So many that the whole part of what comes out has 64 binary digits or 65.
    let shift = 64 + below - above;
    let whole = match shift {
        0.. => (num.magnitude() << shift as u64) / den.magnitude(),
        _ => num.magnitude() / (den.magnitude() << shift.unsigned_abs()),
    };
    let whole = u128::try_from(&whole).unwrap_or_default() as f64;
    let value = scaled(whole, -shift);
    match num.sign() == Sign::Minus {
        true => -value,
        false => value,
    }
}

/// The natural logarithm of a positive number, also of one that no double can hold.
pub(super) fn ln(number: &Number) -> f64 {
    let Number::Exact(exact) = number else {
        return number.to_f64().ln();
    };
    let exponent = exact.num.bits() as i64 - exact.den.bits() as i64;
    if exponent.abs() < 900 {
        return exact.to_f64().ln();
    }
    let mantissa = match exponent {
        0.. => quotient(&exact.num, &(&exact.den << exponent as u64)),
        _ => quotient(&(&exact.num << exponent.unsigned_abs()), &exact.den),
    };
    mantissa.ln() + exponent as f64 * std::f64::consts::LN_2
}

fn exact_root(base: &Ratio, n: u32) -> Option<Ratio> {
    if n == 0 || n > 64 || (base.num.sign() == Sign::Minus && n.is_multiple_of(2)) {
        return None;
    }
    if base.num.bits().max(base.den.bits()) > MAX_FRACTION_BITS {
        return None;
    }
    let (num, den) = (base.num.nth_root(n), base.den.nth_root(n));
    (num.pow(n) == base.num && den.pow(n) == base.den).then_some(Ratio { num, den })
}

/// A double without a fraction as the whole number it is.
pub(super) fn whole_of(value: f64) -> Answer<Number> {
    let Number::Near(value) = Number::near(value)? else {
        return Err(too_large());
    };
    let bits = value.abs().to_bits();
    let exponent = (bits >> 52) as i64 - 1075;
    let mantissa = BigInt::from(bits & ((1 << 52) - 1) | (1 << 52));
    let whole = match exponent {
        0.. => mantissa << exponent as u64,
        -52..0 => mantissa >> exponent.unsigned_abs(),
        _ => BigInt::from(0),
    };
    Ok(Number::whole(if value < 0.0 { -whole } else { whole }))
}

/// A double as the fraction it is; its parts above and below the line.
pub(super) fn parts_of(value: f64) -> (BigInt, BigInt) {
    let bits = value.abs().to_bits();
    let (field, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = match field {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), field - 1075),
    };
    let (mantissa, one) = (BigInt::from(mantissa), BigInt::from(1));
    match exponent {
        0.. => (mantissa << exponent as u64, one),
        _ => (mantissa, one << exponent.unsigned_abs()),
    }
}

fn floor(num: &BigInt, den: &BigInt) -> BigInt {
    let whole = num / den;
    let exact = &whole * den == *num;
    match num.sign() == Sign::Minus && !exact {
        true => whole - 1,
        false => whole,
    }
}

/// Euclid's, by division: both may be long, and one is mostly short.
pub(super) fn gcd(a: BigInt, b: BigInt) -> BigInt {
    let (mut a, mut b) = (a, b);
    while b.sign() != Sign::NoSign {
        (a, b) = (b.clone(), a % b);
    }
    match a.sign() {
        Sign::Minus => -a,
        _ => a,
    }
}

fn is_one(n: &BigInt) -> bool {
    n.bits() == 1 && n.sign() == Sign::Plus
}
