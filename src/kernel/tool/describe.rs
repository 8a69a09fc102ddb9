//! How a type describes itself to a model: JSON schema in the subset that
//! every host takes (`type`, `properties`, `required`, `description`, `items`).
//! [`tool_args!`](crate::kernel::tool::describe::tool_args) derives it from an
//! argument struct; a general schema library would weigh more than the loop.

use serde_json::{Value as Json, json};

/// A type that can stand in a tool's arguments.
pub trait Describe {
    /// Its schema.
    fn schema() -> Json;

    /// Whether a field of this type must be given.
    const REQUIRED: bool = true;
}

impl Describe for String {
    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

impl Describe for bool {
    fn schema() -> Json {
        json!({ "type": "boolean" })
    }
}

impl Describe for usize {
    fn schema() -> Json {
        json!({ "type": "integer" })
    }
}

impl<T: Describe> Describe for Option<T> {
    fn schema() -> Json {
        T::schema()
    }

    const REQUIRED: bool = false;
}

impl<T: Describe> Describe for Vec<T> {
    fn schema() -> Json {
        json!({ "type": "array", "items": T::schema() })
    }
}

/// The schema of an object with these fields: name, description, schema, required.
pub fn object(fields: &[(&str, &str, Json, bool)]) -> Json {
    let properties = fields.iter().map(|(name, description, schema, _)| {
        let mut schema = schema.clone();
        schema["description"] = (*description).into();
        ((*name).to_owned(), schema)
    });
    let properties: serde_json::Map<String, Json> = properties.collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|(.., required)| *required)
        .map(|(name, ..)| *name)
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Defines an argument struct together with its schema. Each field is written
/// as usual, with one line of documentation that is its description.
macro_rules! tool_args {
    (
        $(#[doc = $struct_doc:literal])*
        pub struct $name:ident {
            $( #[doc = $doc:literal] $field:ident : $type:ty ),* $(,)?
        }
    ) => {
        $(#[doc = $struct_doc])*
        #[derive($crate::plain::Plain)]
        pub struct $name {
            $( #[doc = $doc] $field: $type ),*
        }

        impl $crate::kernel::tool::describe::Describe for $name {
            fn schema() -> serde_json::Value {
                use $crate::kernel::tool::describe::{Describe, object};
                object(&[$((
                    stringify!($field),
                    $doc.trim_ascii(),
                    <$type as Describe>::schema(),
                    <$type as Describe>::REQUIRED,
                )),*])
            }
        }
    };
}

pub(crate) use tool_args;
