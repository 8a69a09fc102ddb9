//! Reads an expression and works it out on the way: from the loosest operator to the
//! tightest, each a function. No tree, no names of the user's, nothing that runs.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::functions;
use super::number::{Answer, Number};
use super::show::show;

/// Longest expression, in bytes.
const MAX_LENGTH: usize = 4_000;
/// Deepest brackets and powers.
const MAX_DEPTH: usize = 64;
/// Largest power of ten of a number as it is written.
const MAX_EXPONENT: u32 = 10_000;

/// What an expression comes to, or one sentence on why it comes to nothing.
pub(super) fn evaluate(expression: &str) -> Answer<String> {
    if expression.trim().is_empty() {
        return Err("expression is empty".into());
    }
    if expression.len() > MAX_LENGTH {
        return Err(format!(
            "the expression is longer than {MAX_LENGTH} characters; take it in parts"
        ));
    }
    let mut reader = Reader {
        text: expression,
        at: 0,
        depth: 0,
    };
    let result = reader.comparison().and_then(|result| match reader.peek() {
        None => Ok(result),
        Some(_) => Err(reader.unexpected()),
    });
    result.map_err(|problem| {
        let place = expression[..reader.at].chars().count();
        format!("{problem} (at character {place})")
    })
}

/// A value, and whether it is a percentage that stands alone.
struct Term {
    value: Number,
    is_percentage: bool,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next()
    }

    /// Takes the first of these signs that stands here.
    fn take<'s>(&mut self, signs: &[&'s str]) -> Option<&'s str> {
        self.skip_space();
        let found = *signs.iter().find(|sign| self.rest().starts_with(**sign))?;
        self.at += found.len();
        Some(found)
    }

    /// Takes a word that is an operator.
    fn take_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let rest = self.rest();
        let found = rest.starts_with(word)
            && !rest[word.len()..]
                .starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '(');
        if found {
            self.at += word.len();
        }
        found
    }

    fn unexpected(&mut self) -> String {
        match self.peek() {
            None => "the expression ends too soon".into(),
            Some(',') => {
                "a comma outside a function; write numbers without separators, such as 1000000"
                    .into()
            }
            Some('=') => "there are no variables; write the values in, or compare with ==".into(),
            Some(c) if c.is_alphanumeric() || c == '(' => {
                format!("{c:?} follows without an operator; write * for a product")
            }
            Some(c) => format!("{c:?} can't stand here"),
        }
    }

    fn comparison(&mut self) -> Answer<String> {
        let left = self.sum()?;
        let signs = ["==", "!=", "<=", ">=", "≤", "≥", "≠", "<", ">"];
        let Some(sign) = self.take(&signs) else {
            return Ok(show(&left));
        };
        let right = self.sum()?;
        let order = left.compare(&right);
        let holds = match sign {
            "==" => order == Ordering::Equal,
            "!=" | "≠" => order != Ordering::Equal,
            "<=" | "≤" => order != Ordering::Greater,
            ">=" | "≥" => order != Ordering::Less,
            "<" => order == Ordering::Less,
            _ => order == Ordering::Greater,
        };
        Ok(format!("{holds} ({} {sign} {})", show(&left), show(&right)))
    }

    fn sum(&mut self) -> Answer<Number> {
        let first = self.product()?;
        let mut is_percentage = first.is_percentage;
        let mut sum = first.value;
        while let Some(sign) = self.take(&["+", "-", "−"]) {
            let next = self.product()?;
            if next.is_percentage && !is_percentage {
                let problem =
                    "a percentage added to a number has two meanings; write 80 * 1.05 or 80 + 0.05";
                return Err(problem.into());
            }
            is_percentage &= next.is_percentage;
            sum = match sign {
                "+" => sum.plus(&next.value)?,
                _ => sum.minus(&next.value)?,
            };
        }
        Ok(sum)
    }

    fn product(&mut self) -> Answer<Term> {
        let mut term = self.signed()?;
        loop {
            let value = if self.take_word("mod") {
                term.value.modulo(&self.signed()?.value)?
            } else if self.take_word("of") {
                term.value.times(&self.signed()?.value)?
            } else {
                // A power is taken where it belongs, so `**` never comes here.
                match self.take(&["*", "×", "·", "⋅", "//", "/", "÷", "%"]) {
                    Some("//") => term.value.over(&self.signed()?.value)?.floor()?,
                    Some("/" | "÷") => term.value.over(&self.signed()?.value)?,
                    Some("%") => term.value.modulo(&self.signed()?.value)?,
                    Some(_) => term.value.times(&self.signed()?.value)?,
                    None => return Ok(term),
                }
            };
            term = Term {
                value,
                is_percentage: false,
            };
        }
    }

    fn signed(&mut self) -> Answer<Term> {
        let mut negative = false;
        while let Some(sign) = self.take(&["-", "−", "+"]) {
            negative ^= sign != "+";
        }
        let term = self.power()?;
        match negative {
            true => Ok(Term {
                value: term.value.negated(),
                ..term
            }),
            false => Ok(term),
        }
    }

    fn power(&mut self) -> Answer<Term> {
        let base = self.postfixed()?;
        if self.take(&["**", "^"]).is_none() {
            return Ok(base);
        }
        // From the right, and a sign may stand before it.
        let exponent = self.deeper(Reader::signed)?;
        Ok(Term {
            value: base.value.power(&exponent.value)?,
            is_percentage: false,
        })
    }

    fn postfixed(&mut self) -> Answer<Term> {
        let mut term = Term {
            value: self.atom()?,
            is_percentage: false,
        };
        loop {
            let value = match self.peek() {
                Some('!') if !self.rest().starts_with("!=") => functions::factorial(&term.value)?,
                Some('²') => term.value.power(&Number::whole(2))?,
                Some('³') => term.value.power(&Number::whole(3))?,
                Some('°') => functions::radians(&term.value)?,
                Some('%') if self.is_percent() => term.value.over(&Number::whole(100))?,
                _ => return Ok(term),
            };
            let sign = self.peek().unwrap_or_default();
            self.at += sign.len_utf8();
            term = Term {
                value,
                is_percentage: sign == '%',
            };
        }
    }

    /// Whether the percent sign here is one: what follows would else be its right side.
    fn is_percent(&self) -> bool {
        let behind = self.rest()[1..].trim_start();
        let operand = |c: char| c.is_alphanumeric() || matches!(c, '(' | '.' | '√' | 'π');
        let is_word = behind.starts_with("of ") || behind.starts_with("of(");
        is_word || !behind.starts_with(operand)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Answer<T>) -> Answer<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the brackets go too deep".into());
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn atom(&mut self) -> Answer<Number> {
        if self.take(&["("]).is_some() {
            let value = self.deeper(Reader::sum)?;
            return match self.take(&[")"]) {
                Some(_) => Ok(value),
                None => Err(self.unclosed()),
            };
        }
        if self.take(&["√"]).is_some() {
            return self.deeper(Reader::postfixed)?.value.root(2);
        }
        match self.peek() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => self.name(),
            _ => Err(self.unexpected()),
        }
    }

    fn unclosed(&mut self) -> String {
        match self.peek() {
            None => "a bracket is not closed".into(),
            Some(_) => self.unexpected(),
        }
    }

    /// Takes the characters that fit.
    fn run(&mut self, fits: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        let taken = rest[..end].to_owned();
        self.at += end;
        taken
    }

    fn name(&mut self) -> Answer<Number> {
        let word = self.run(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let name = word.to_lowercase();
        let name = name.strip_prefix("math.").unwrap_or(&name);
        if self.take(&["("]).is_none() {
            return functions::constant(name).ok_or_else(|| functions::unknown(name));
        }
        let arguments = self.deeper(Reader::arguments)?;
        functions::call(name, &arguments)
    }

    fn arguments(&mut self) -> Answer<Vec<Number>> {
        let mut arguments = Vec::new();
        if self.take(&[")"]).is_some() {
            return Ok(arguments);
        }
        loop {
            // A list may stand in its own brackets.
            match self.take(&["["]) {
                Some(_) => arguments.extend(self.list()?),
                None => arguments.push(self.sum()?),
            }
            match self.take(&[",", ";", ")"]) {
                Some(")") => return Ok(arguments),
                Some(_) => {}
                None => return Err(self.unclosed()),
            }
        }
    }

    fn list(&mut self) -> Answer<Vec<Number>> {
        let mut list = Vec::new();
        while self.take(&["]"]).is_none() {
            list.push(self.sum()?);
            if self.take(&[","]).is_none() && self.peek() != Some(']') {
                return Err(self.unclosed());
            }
        }
        Ok(list)
    }

    fn number(&mut self) -> Answer<Number> {
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] {
            if self.rest().to_ascii_lowercase().starts_with(prefix) {
                self.at += prefix.len();
                let digits = self
                    .run(|c| c.is_alphanumeric() || c == '_')
                    .replace('_', "");
                let value = BigInt::parse_bytes(digits.as_bytes(), radix);
                return value
                    .map(Number::whole)
                    .ok_or_else(|| format!("{prefix}{digits} is not a number"));
            }
        }
        let whole = self
            .run(|c| c.is_ascii_digit() || c == '_')
            .replace('_', "");
        let mut behind = String::new();
        if self.rest().starts_with('.') {
            self.at += 1;
            behind = self
                .run(|c| c.is_ascii_digit() || c == '_')
                .replace('_', "");
        }
        if whole.len() > 1 && whole.starts_with('0') && behind.is_empty() {
            let problem =
                "a number begins with a zero; write numbers without separators, such as 1000000";
            return Err(problem.into());
        }
        let Some(digits) = BigInt::parse_bytes(format!("{whole}{behind}").as_bytes(), 10) else {
            return Err(self.unexpected());
        };
        let exponent = self.exponent()?;
        let (above, below) = match exponent {
            0.. => (exponent.unsigned_abs(), behind.len() as u32),
            _ => (0, behind.len() as u32 + exponent.unsigned_abs()),
        };
        let ten = BigInt::from(10);
        Number::ratio(digits * ten.pow(above), ten.pow(below))
    }

    /// The power of ten behind a number's digits.
    fn exponent(&mut self) -> Answer<i32> {
        let rest = self.rest();
        let Some(behind) = rest.strip_prefix(['e', 'E']) else {
            return Ok(0);
        };
        let digits = behind.strip_prefix(['+', '-']).unwrap_or(behind);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(0);
        }
        let negative = behind.starts_with('-');
        self.at += 1 + (behind.len() - digits.len());
        let digits = self.run(|c| c.is_ascii_digit());
        match digits.parse::<u32>() {
            Ok(exponent) if exponent <= MAX_EXPONENT => {
                let exponent = exponent.cast_signed();
                Ok(if negative { -exponent } else { exponent })
            }
            _ => Err(format!("powers of ten go up to {MAX_EXPONENT}")),
        }
    }
}
