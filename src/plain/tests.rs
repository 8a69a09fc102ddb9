//! What is written and read of plain data.

use serde_json::json;

use super::*;

#[derive(Debug, Clone, Default, PartialEq, Plain)]
struct Point {
    x: u64,
    #[plain(default)]
    y: u32,
    label: Option<String>,
    #[plain(default)]
    extra: Map<String, Json>,
}

#[derive(Debug, PartialEq, Plain)]
struct Name(String);

#[derive(Debug, PartialEq, Plain)]
enum Shape {
    Nothing,
    Dot(Point),
    Line {
        ends: Vec<(Name, u8)>,
        fill: Box<bool>,
    },
}

#[derive(Debug, PartialEq, Plain)]
#[plain(lowercase)]
enum Small {
    Open,
    Done,
}

#[derive(Debug, PartialEq, Plain)]
#[plain(default)]
struct Limits {
    rounds: u32,
    minutes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            rounds: 50,
            minutes: 20,
        }
    }
}

fn goes_and_comes<T: ToJson + FromJson + PartialEq + std::fmt::Debug>(data: T, text: &str) {
    assert_eq!(to_json(&data), text);
    assert_eq!(from_json(text), Some(data));
}

#[test]
fn every_form_is_read_as_it_was_written() {
    goes_and_comes(Shape::Nothing, r#""Nothing""#);
    let dot = Point {
        x: u64::MAX,
        y: 2,
        label: Some("a \"b\" \\ \n\u{1} 早".into()),
        extra: Map::from_iter([("k".to_owned(), json!({"n": 1.5, "list": []}))]),
    };
    goes_and_comes(
        Shape::Dot(dot),
        r#"{"Dot":{"x":18446744073709551615,"y":2,"label":"a \"b\" \\ \n\u0001 早","extra":{"k":{"n":1.5,"list":[]}}}}"#,
    );
    goes_and_comes(
        Shape::Line {
            ends: vec![(Name("{".into()), 1), (Name("[".into()), 2)],
            fill: Box::new(true),
        },
        r#"{"Line":{"ends":[["{",1],["[",2]],"fill":true}}"#,
    );
    goes_and_comes(vec![Small::Open, Small::Done], r#"["open","done"]"#);
}

#[test]
fn texts_are_written_as_serde_writes_them() {
    let all: String = (0..0x3000).filter_map(char::from_u32).collect();
    assert_eq!(to_json(&all), serde_json::to_string(&all).unwrap());
}

#[test]
fn what_is_missing_has_its_default_or_does_not_fit() {
    let point = Point {
        x: 1,
        ..Point::default()
    };
    assert_eq!(from_json(r#"{"x":1}"#), Some(point));
    assert_eq!(from_json::<Point>(r#"{"y":1}"#), None);
    let limits = Limits {
        minutes: 5,
        ..Limits::default()
    };
    assert_eq!(from_json(r#"{"minutes":5}"#), Some(limits));
}

#[test]
fn what_is_something_else_does_not_fit() {
    for text in [
        "",
        "{",
        "null",
        "5",
        "[]",
        r#""Dot""#,
        r#""Circle""#,
        r#"{"Dot":5}"#,
        r#"{"Dot":{"x":-1}}"#,
        r#"{"Dot":{"x":1.5}}"#,
        r#"{"Dot":{"x":1,"y":5000000000}}"#,
        r#"{"Nothing":null,"Dot":{"x":1}}"#,
        r#"{"Line":{"ends":[["a",256]],"fill":true}}"#,
        r#"{"Line":{"ends":[["a"]],"fill":true}}"#,
        r#"{"Line":{"ends":{},"fill":true}}"#,
    ] {
        assert_eq!(from_json::<Shape>(text), None, "{text}");
    }
}
