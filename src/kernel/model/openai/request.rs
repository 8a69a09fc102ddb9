//! What stands in a request beside the messages.

use serde_json::{Map, Value as Json, json};

use super::Wiring;
use super::learned::known_of;
use crate::kernel::settings::{Delivery, Refused, RequestOptions};
use crate::kernel::tool::ToolSpec;

/// What the system prompt says where calls are read from the model's words; the tools
/// follow.
const TEXT_CALLS: &str = include_str!("text_calls.md");
/// What it says where there are no tools at all.
const NO_TOOLS: &str = include_str!("no_tools.md");

/// How a request is made, by all that is known of the host.
#[derive(Default)]
pub(super) struct Plan {
    /// What the host refuses.
    pub refused: Vec<Refused>,
    /// What of it counts for the messages.
    pub form: Vec<Refused>,
    /// Whether tools go into their field.
    pub sends_tools: bool,
    /// Whether the system prompt tells of tools.
    pub describes_tools: bool,
}

impl Wiring {
    /// How to ask for an answer with `tools` on offer.
    pub(super) fn plan(&self, tools: &[ToolSpec]) -> Plan {
        let refused = self.refused();
        let mut form = refused.clone();
        form.retain(|refused| {
            !matches!(
                refused,
                Refused::Field(_) | Refused::MaxTokens | Refused::Schemas
            )
        });
        let no_tools = refused.contains(&Refused::Tools);
        if tools.is_empty() && form.contains(&Refused::CallsWithoutTools) && !no_tools {
            form.push(Refused::Tools);
        }
        Plan {
            form,
            sends_tools: !no_tools && !tools.is_empty(),
            describes_tools: no_tools,
            refused,
        }
    }

    /// What the host is known to refuse for the model.
    pub(super) fn refused(&self) -> Vec<Refused> {
        let mut refused = known_of(self.endpoint.base_url.host());
        refused.extend(self.learned.refused(&self.endpoint.model));
        if !self.endpoint.takes_images() {
            refused.push(Refused::Pictures);
        }
        refused
    }

    /// Whether the answer comes whole.
    pub(super) fn is_whole(&self) -> bool {
        is_whole(&self.endpoint.options, &self.refused())
    }
}

fn is_whole(options: &RequestOptions, refused: &[Refused]) -> bool {
    let last = refused.iter().rev().find_map(|refused| match refused {
        Refused::Streaming => Some(true),
        Refused::Whole => Some(false),
        _ => None,
    });
    last.unwrap_or(options.delivery == Delivery::Whole)
}

/// The tools as a field of the request.
pub(super) fn tools(specs: &[ToolSpec], refused: &[Refused]) -> String {
    let plainest = refused.contains(&Refused::Schemas);
    let tool = |spec: &ToolSpec| {
        let parameters = match plainest {
            true => plain(&spec.parameters),
            false => spec.parameters.clone(),
        };
        json!({
            "type": "function",
            "function": {
                "name": spec.name,
                "description": spec.description,
                "parameters": parameters,
            }
        })
    };
    let tools: Vec<Json> = specs.iter().map(tool).collect();
    format!(",\"tools\":{}", Json::from(tools))
}

/// A schema of types, fields and descriptions alone.
fn plain(schema: &Json) -> Json {
    let Some(words) = schema.as_object() else {
        return schema.clone();
    };
    let mut kept = Map::new();
    for (word, value) in words {
        let value = match word.as_str() {
            "type" | "description" => value.clone(),
            "required" if value.as_array().is_some_and(|names| !names.is_empty()) => value.clone(),
            "items" => plain(value),
            "properties" => {
                let fields = value.as_object().into_iter().flatten();
                fields
                    .map(|(name, schema)| (name.clone(), plain(schema)))
                    .collect()
            }
            _ => continue,
        };
        kept.insert(word.clone(), value);
    }
    Json::Object(kept)
}

/// What the system prompt says of tools to a model that can't be offered any.
pub(super) fn about(specs: &[ToolSpec], options: &RequestOptions) -> String {
    if !options.text_calls {
        return NO_TOOLS.trim_end().to_owned();
    }
    let mut text = TEXT_CALLS.trim_end().to_owned();
    for spec in specs {
        text.push_str(&format!(
            "\n- {}: {} Arguments: {}",
            spec.name, spec.description, spec.parameters
        ));
    }
    text
}

/// What follows the messages, and how it ends.
pub(super) struct Tail {
    /// From the end of the messages to that of the request.
    pub text: String,
    /// The names of the fields in it that can be left out.
    pub fields: Vec<String>,
}

impl Tail {
    /// With `tools` as [`tools`] gives them.
    pub fn new(options: &RequestOptions, refused: &[Refused], tools: &str) -> Self {
        let mut tail = Self {
            text: format!("]{tools}"),
            fields: Vec::new(),
        };
        let max_tokens = match refused.contains(&Refused::MaxTokens) {
            true => "max_completion_tokens",
            false => "max_tokens",
        };
        let tokens = options.max_tokens.parse::<u32>();
        let tokens = tokens.map_or_else(|_| String::new(), |tokens| tokens.to_string());
        let effort = match options.effort.as_str() {
            "" => String::new(),
            effort => Json::from(effort).to_string(),
        };
        // Numbers go as they were typed: 0.1 stays 0.1.
        tail.add("temperature", &options.temperature, refused);
        tail.add("top_p", &options.top_p, refused);
        tail.add(max_tokens, &tokens, refused);
        tail.add("reasoning_effort", &effort, refused);
        for (name, value) in options.extra_fields().into_iter().flatten() {
            if !tail.fields.contains(&name) {
                tail.add(&name, &value.to_string(), refused);
            }
        }
        match is_whole(options, refused) {
            true => tail.text.push_str(",\"stream\":false"),
            false => {
                tail.text.push_str(",\"stream\":true");
                tail.add("stream_options", "{\"include_usage\":true}", refused);
            }
        }
        tail.text.push('}');
        tail
    }

    fn add(&mut self, name: &str, value: &str, refused: &[Refused]) {
        let is_refused =
            |refused: &Refused| matches!(refused, Refused::Field(field) if field == name);
        if value.is_empty() || refused.iter().any(is_refused) {
            return;
        }
        self.text
            .push_str(&format!(",{}:{value}", Json::from(name)));
        self.fields.push(name.to_owned());
    }
}
