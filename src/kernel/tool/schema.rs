//! JSON schemas of tool arguments, checked before a tool runs.

use serde_json::{Map, Value as Json, json};

/// An object with the required fields, to show what is wanted.
pub(super) fn example(schema: &Json) -> String {
    let required = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str);
    let fields: Map<String, Json> = required
        .map(|name| {
            let value = match schema["properties"][name]["type"].as_str() {
                Some("array") => json!([]),
                Some("integer" | "number") => json!(1),
                Some("boolean") => json!(true),
                Some("object") => json!({}),
                _ => json!("…"),
            };
            (name.to_owned(), value)
        })
        .collect();
    Json::Object(fields).to_string()
}

/// Checks arguments against a schema; gives them back tidied: without the nulls
/// that some models send for fields they leave out, whole numbers as such.
///
/// # Errors
/// One sentence for the model: the field, what was got, what is wanted.
pub(super) fn check(schema: &Json, args: Json) -> Result<Json, String> {
    let args = tidied(schema, args);
    check_at(schema, &args, "")?;
    Ok(args)
}

fn tidied(schema: &Json, value: Json) -> Json {
    match value {
        Json::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
            let kept = kept.map(|(name, value)| {
                let value = tidied(&schema["properties"][&name], value);
                (name, value)
            });
            Json::Object(kept.collect())
        }
        Json::Array(items) => items
            .into_iter()
            .map(|item| tidied(&schema["items"], item))
            .collect(),
        // `2.0` is as whole a number as `2`.
        Json::Number(number) if schema["type"] == "integer" => {
            let whole = number
                .as_f64()
                .filter(|n| n.fract() == 0.0 && *n >= 0.0 && *n < 9e15);
            whole.map_or(Json::Number(number), |n| Json::from(n as u64))
        }
        other => other,
    }
}

fn check_at(schema: &Json, value: &Json, place: &str) -> Result<(), String> {
    let wanted = schema["type"].as_str().unwrap_or_default();
    let fits = match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64(),
        _ => true,
    };
    if !fits {
        let place = if place.is_empty() {
            "the arguments"
        } else {
            place
        };
        return Err(format!(
            "{place} must be {}, got {}",
            named(wanted),
            shown(value)
        ));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().map(Json::to_string).collect();
        return Err(format!(
            "{place} must be one of {}, got {}",
            allowed.join(", "),
            shown(value)
        ));
    }
    match value {
        Json::Object(fields) => check_fields(schema, fields, place),
        Json::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(n, item)| check_at(&schema["items"], item, &format!("{place}[{n}]"))),
        _ => Ok(()),
    }
}

fn check_fields(schema: &Json, fields: &Map<String, Json>, place: &str) -> Result<(), String> {
    let Some(properties) = schema["properties"].as_object() else {
        return Ok(());
    };
    let inside = |name: &str| {
        if place.is_empty() {
            name.to_owned()
        } else {
            format!("{place}.{name}")
        }
    };
    let known = || {
        properties
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let required = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str);
    for name in required {
        if !fields.contains_key(name) {
            let wanted = named(properties[name]["type"].as_str().unwrap_or_default());
            return Err(format!("{} is missing; it must be {wanted}", inside(name)));
        }
    }
    for (name, value) in fields {
        let Some(schema) = properties.get(name) else {
            let name: String = name.chars().take(80).collect();
            return Err(format!(
                "{} is not a field; the fields are {}",
                inside(&name),
                known()
            ));
        };
        check_at(schema, value, &inside(name))?;
    }
    Ok(())
}

fn named(kind: &str) -> &str {
    match kind {
        "object" => "an object",
        "array" => "a list",
        "string" => "a string",
        "boolean" => "true or false",
        "integer" => "a whole number from 0",
        "number" => "a number",
        other => other,
    }
}

fn shown(value: &Json) -> String {
    let kind = match value {
        Json::Null => return "null".into(),
        Json::Object(_) => return "an object".into(),
        Json::Array(_) => return "a list".into(),
        Json::String(_) => "the string ",
        Json::Bool(_) | Json::Number(_) => "",
    };
    let text = value.to_string();
    let short: String = text.chars().take(60).collect();
    format!(
        "{kind}{short}{}",
        if short.len() < text.len() { "…" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::tool::describe::{Describe, tool_args};

    tool_args! {
        /// For the tests.
        pub struct Inner {
            /// All of it.
            all: bool,
        }
    }

    tool_args! {
        /// For the tests.
        pub struct Args {
            /// Where.
            path: String,
            /// How deep.
            depth: Option<usize>,
            /// What.
            edits: Option<Vec<Inner>>,
        }
    }

    #[test]
    fn arguments_that_fit_are_read() {
        let args = json!({"path": "a", "depth": 2, "edits": [{"all": true}]});
        let args = check(&Args::schema(), args).unwrap();
        let Args { path, depth, edits } = crate::plain::from_value(args).unwrap();
        let edits: Vec<bool> = edits
            .unwrap()
            .into_iter()
            .map(|Inner { all }| all)
            .collect();
        assert_eq!((path.as_str(), depth, edits), ("a", Some(2), vec![true]));
    }

    #[test]
    fn the_schema_holds_only_what_every_host_takes() {
        assert_eq!(
            Args::schema(),
            json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "Where." },
                    "depth": { "type": "integer", "description": "How deep." },
                    "edits": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": { "all": { "type": "boolean", "description": "All of it." } },
                            "required": ["all"],
                        },
                        "description": "What.",
                    },
                },
                "required": ["path"],
            })
        );
    }

    #[test]
    fn what_does_not_fit_is_named_in_one_sentence() {
        for (args, problem) in [
            (json!([]), "the arguments must be an object, got a list"),
            (json!({}), "path is missing; it must be a string"),
            (
                json!({"path": null}),
                "path is missing; it must be a string",
            ),
            (json!({"path": 5}), "path must be a string, got 5"),
            (
                json!({"path": "a", "deep": 1}),
                "deep is not a field; the fields are path, depth, edits",
            ),
            (
                json!({"path": "a", "depth": "2"}),
                "depth must be a whole number from 0, got the string \"2\"",
            ),
            (
                json!({"path": "a", "depth": 1.5}),
                "depth must be a whole number from 0, got 1.5",
            ),
            (
                json!({"path": "a", "edits": [{"all": 1}]}),
                "edits[0].all must be true or false, got 1",
            ),
            (
                json!({"path": "a", "edits": [{}]}),
                "edits[0].all is missing; it must be true or false",
            ),
        ] {
            assert_eq!(check(&Args::schema(), args), Err(problem.to_owned()));
        }
    }

    #[test]
    fn null_for_an_optional_field_is_the_same_as_leaving_it_out() {
        let args = json!({"path": "a", "depth": null});
        assert_eq!(check(&Args::schema(), args), Ok(json!({"path": "a"})));
        let args = json!({"path": "a", "depth": 2.0});
        assert_eq!(
            check(&Args::schema(), args),
            Ok(json!({"path": "a", "depth": 2}))
        );
    }
}
