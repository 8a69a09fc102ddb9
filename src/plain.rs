//! Plain data as JSON: what records, messages between page and kernel and the
//! arguments of tools are written as and read from.
//!
//! `#[derive(Plain)]` writes both traits for a type; its crate tells the form,
//! which is that of serde. Serde's own derives made up a sixth of the first
//! load: they are made for every format there is and stop at the first flaw,
//! with words for it. Here there is one format, everything is read through one
//! parsed value, and a flaw is only noted: what is missing is left blank, the
//! reading goes on, and in the end nobody gets to see what did not fit.

use serde_json::{Map, Value as Json};

pub use plain_derive::Plain;

/// What can be written as JSON.
pub trait ToJson {
    /// Writes it.
    fn write(&self, out: &mut Writer);

    /// Whether a field with it is written at all.
    fn is_kept(&self) -> bool {
        true
    }
}

/// What can be read from JSON.
pub trait FromJson {
    /// Reads it, and takes from `json` what it can use. Clears `fits` and gives
    /// something blank where `json` is not one. What is missing is `null`.
    fn read(json: &mut Json, fits: &mut bool) -> Self;
}

/// As JSON text.
pub fn to_json(data: &(impl ToJson + ?Sized)) -> String {
    let mut out = Writer(String::new());
    data.write(&mut out);
    out.0
}

/// Reads JSON text; `None` if it is not JSON, or not one of `T`.
pub fn from_json<T: FromJson>(text: &str) -> Option<T> {
    from_value(parse(text)?)
}

/// Reads what was parsed; `None` if it is not one of `T`.
pub fn from_value<T: FromJson>(mut json: Json) -> Option<T> {
    let mut fits = true;
    let data = T::read(&mut json, &mut fits);
    fits.then_some(data)
}

#[inline(never)]
fn parse(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok()
}

/// Writes JSON text.
pub struct Writer(String);

impl Writer {
    /// Begins an object with `{` or a list with `[`.
    pub fn open(&mut self, bracket: char) {
        self.0.push(bracket);
    }

    /// Ends an object with `}` or a list with `]`.
    pub fn close(&mut self, bracket: char) {
        self.0.push(bracket);
    }

    /// Begins a field of an object.
    pub fn name(&mut self, name: &'static str) {
        self.item();
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    /// Begins a field whose name comes with the data.
    pub fn named(&mut self, name: &str) {
        self.item();
        self.text(name);
        self.0.push(':');
    }

    /// Begins an item of a list.
    pub fn item(&mut self) {
        // No value ends with such a bracket, not even a text: it ends with its mark.
        if !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
    }

    /// Begins a variant that holds something.
    pub fn begin(&mut self, variant: &'static str) {
        self.open('{');
        self.name(variant);
    }

    /// Ends a variant.
    pub fn end(&mut self) {
        self.close('}');
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.0.push('"');
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
            self.0.push_str(&rest[..at]);
            self.escape(rest.as_bytes()[at]);
            rest = &rest[at + 1..];
        }
        self.0.push_str(rest);
        self.0.push('"');
    }

    fn escape(&mut self, byte: u8) {
        let short = match byte {
            b'\n' => 'n',
            b'\r' => 'r',
            b'\t' => 't',
            0x08 => 'b',
            0x0c => 'f',
            b'"' | b'\\' => byte.into(),
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                self.0.push_str("\\u00");
                self.0.push(DIGITS[usize::from(byte >> 4)].into());
                self.0.push(DIGITS[usize::from(byte & 15)].into());
                return;
            }
        };
        self.0.push('\\');
        self.0.push(short);
    }
}

/// Reads a field; one that is missing as `null`.
#[inline(never)]
pub fn member<T: FromJson>(json: &mut Json, name: &str, fits: &mut bool) -> T {
    T::read(field(json, name).unwrap_or(&mut Json::Null), fits)
}

/// Reads a field; one that is missing is `other`.
#[inline(never)]
pub fn member_or<T: FromJson>(json: &mut Json, name: &str, other: T, fits: &mut bool) -> T {
    match field(json, name) {
        Some(json) => T::read(json, fits),
        None => other,
    }
}

#[inline(never)]
fn field<'a>(json: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    json.as_object_mut()?.get_mut(name)
}

/// The number of an enum's variant among its `names`, and what it holds.
#[inline(never)]
pub fn variant<'a>(
    json: &'a mut Json,
    nothing: &'a mut Json,
    names: &[&str],
    fits: &mut bool,
) -> (usize, &'a mut Json) {
    let (name, body) = match json {
        Json::String(name) => (&*name, nothing),
        Json::Object(fields) if fields.len() == 1 => match fields.iter_mut().next() {
            Some(field) => field,
            None => return (0, nothing),
        },
        _ => {
            *fits = false;
            return (0, nothing);
        }
    };
    let number = names.iter().position(|each| each == name);
    *fits &= number.is_some();
    (number.unwrap_or_default(), body)
}

impl ToJson for bool {
    fn write(&self, out: &mut Writer) {
        out.0.push_str(if *self { "true" } else { "false" });
    }
}

impl FromJson for bool {
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        *fits &= json.is_boolean();
        json.as_bool().unwrap_or_default()
    }
}

impl ToJson for u64 {
    #[inline(never)]
    fn write(&self, out: &mut Writer) {
        out.0.push_str(&self.to_string());
    }
}

impl FromJson for u64 {
    #[inline(never)]
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        let number = json.as_u64();
        *fits &= number.is_some();
        number.unwrap_or_default()
    }
}

/// Numbers that are written as `u64` and must be small enough to be read.
macro_rules! small_numbers {
    ($($number:ty),*) => {$(
        impl ToJson for $number {
            fn write(&self, out: &mut Writer) {
                (*self as u64).write(out);
            }
        }

        impl FromJson for $number {
            fn read(json: &mut Json, fits: &mut bool) -> Self {
                let number = Self::try_from(u64::read(json, fits)).ok();
                *fits &= number.is_some();
                number.unwrap_or_default()
            }
        }
    )*};
}

small_numbers!(u8, u16, u32, usize);

impl ToJson for str {
    fn write(&self, out: &mut Writer) {
        out.text(self);
    }
}

impl ToJson for String {
    fn write(&self, out: &mut Writer) {
        out.text(self);
    }
}

impl FromJson for String {
    #[inline(never)]
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        match json {
            Json::String(text) => std::mem::take(text),
            _ => {
                *fits = false;
                String::new()
            }
        }
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write(&self, out: &mut Writer) {
        (*self).write(out);
    }
}

impl<T: ToJson> ToJson for Box<T> {
    fn write(&self, out: &mut Writer) {
        (**self).write(out);
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        Box::new(T::read(json, fits))
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, out: &mut Writer) {
        match self {
            Some(data) => data.write(out),
            None => out.0.push_str("null"),
        }
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        (!json.is_null()).then(|| T::read(json, fits))
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write(&self, out: &mut Writer) {
        out.open('[');
        for data in self {
            out.item();
            data.write(out);
        }
        out.close(']');
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write(&self, out: &mut Writer) {
        self.as_slice().write(out);
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    #[inline(never)]
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        let Json::Array(items) = json else {
            *fits = false;
            return Vec::new();
        };
        items.iter_mut().map(|item| T::read(item, fits)).collect()
    }
}

impl<A: ToJson, B: ToJson> ToJson for (A, B) {
    fn write(&self, out: &mut Writer) {
        out.open('[');
        self.0.write(out);
        out.item();
        self.1.write(out);
        out.close(']');
    }
}

impl<A: FromJson, B: FromJson> FromJson for (A, B) {
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        let (mut no_a, mut no_b) = (Json::Null, Json::Null);
        let (a, b) = match json.as_array_mut().map(Vec::as_mut_slice) {
            Some([a, b]) => (a, b),
            _ => {
                *fits = false;
                (&mut no_a, &mut no_b)
            }
        };
        (A::read(a, fits), B::read(b, fits))
    }
}

/// Fields that are not known by name. Where there are none, nothing is written.
impl ToJson for Map<String, Json> {
    fn write(&self, out: &mut Writer) {
        out.open('{');
        for (name, json) in self {
            out.item();
            out.text(name);
            out.0.push(':');
            out.0.push_str(&json.to_string());
        }
        out.close('}');
    }

    fn is_kept(&self) -> bool {
        !self.is_empty()
    }
}

impl FromJson for Map<String, Json> {
    fn read(json: &mut Json, fits: &mut bool) -> Self {
        match json {
            Json::Object(fields) => std::mem::take(fields),
            _ => {
                *fits = false;
                Map::new()
            }
        }
    }
}

// The path is told since the shell takes this file in from elsewhere.
#[cfg(test)]
#[path = "plain/tests.rs"]
mod tests;
